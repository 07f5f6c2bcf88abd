#ifndef KOMPAKT_CODER_RANS_TILE_OF_THREAD_HPP
#define KOMPAKT_CODER_RANS_TILE_OF_THREAD_HPP

#include <coder/rans/books.hpp>
#include <coder/rans/neighbours.hpp>
#include <coder/rans/state.hpp>
#include <coder/rans/take_magnitudes.hpp>
#include <coder/rans/tile_books.hpp>
#include <core/record.hpp>
#include <core/team.hpp>
#include <cstdint>

// Decoding on a device, where each thread takes a tile of its own. Within a tile a residual waits for the one before it; a warp that
// took one tile did the same work 32 times. Sums of neighbours are of 32 bits, so that tiles of large residuals are refused.

namespace kompakt::impl::residual_books {

/// What the threads of a team look up, in their scratch. The rows of books begin in different banks: most residuals have one of the
/// first symbols.
struct BooksOfTeam {
  static constexpr int part_bits = slot_bits + 1;  ///< so that it fits into 48 KiB
  static constexpr int parts = 1 << (precision - part_bits), fractions = 64;
  static constexpr int weights = 16;  ///< of neighbours in a tile: at most 12
  static constexpr int steps = Book::last_step(64) + 1;
  /// Frequencies before a symbol, and with it above bit 16.
  std::uint32_t ends[books][symbols + 1];
  /// As in first_symbols(), of every second part.
  std::uint8_t first[books][parts + 4];
  /// Of shape 0: books, low bits.
  std::uint8_t of_step[2][steps];
  /// What a logarithm has beside the part of the number's float.
  std::uint8_t above_line[fractions];
  /// Logarithms, with the weight of the tile; and if it is even.
  std::uint16_t of_weight[2][weights];

  /// Ends with a barrier.
  template <class Team>
  KOKKOS_INLINE_FUNCTION void fill(Team const& team) {
    team_for(team, books * symbols, [&](int i) {
      int const book = i / symbols, symbol = i % symbols;
      std::uint16_t const* const below = tables().below[book];
      ends[book][symbol] = below[symbol] | (below[symbol] + frequency(below, symbol)) << 16;
    });
    team_for(team, books * parts, [&](int i) {
      first[i / parts][i % parts] = first_symbols().of[i / parts][2 * (i % parts)];
    });
    team_for(team, steps, [&](int i) {
      Book const book = Book::of(0, i);
      of_step[0][i] = static_cast<std::uint8_t>(book.number);
      of_step[1][i] = static_cast<std::uint8_t>(book.low_bits);
    });
    team_for(team, fractions, [&](int i) {
      int const line = 64 * 6 + i;
      above_line[i] = static_cast<std::uint8_t>(logarithm(static_cast<unsigned>(64 + i)) - line);
    });
    team_for(team, 2 * weights, [&](int i) {
      int const all = i % weights + weight_of_tile(i >= weights);
      of_weight[i / weights][i % weights] =
          static_cast<std::uint16_t>(logarithm(static_cast<unsigned>(all)));
    });
    team.team_barrier();
  }
  /// residual_books::logarithm(), from the exponent and the highest bits of the number as float.
  KOKKOS_FORCEINLINE_FUNCTION int logarithm_of(std::uint32_t number) const {
    constexpr int bias = 127 << 6;
    if (number >> 24 != 0) number &= ~0xffu;  // so that it is not rounded up
    auto const bits = Kokkos::bit_cast<std::uint32_t>(static_cast<float>(number));
    int const part = static_cast<int>(bits >> 17);
    return part - bias + above_line[part & (fractions - 1)];
  }
};

/// Takes symbols by a team's books.
class ReaderByTeam : public StateReaderFrom<HalfwordsAhead> {
 public:
  KOKKOS_FORCEINLINE_FUNCTION ReaderByTeam(BooksOfTeam const& of_team, std::uint32_t const* words,
                                           int halfwords)
      : StateReaderFrom(words, halfwords), m_books(of_team) {}

  KOKKOS_FORCEINLINE_FUNCTION int take(int book) {
    int symbol = m_books.first[book][slot() >> BooksOfTeam::part_bits];
    std::uint32_t ends = m_books.ends[book][symbol];
    while (slot() >= ends >> 16) ends = m_books.ends[book][++symbol];
    std::uint32_t const below = ends & 0xffffu;
    take_symbol(below, (ends >> 16) - below);
    return symbol;
  }

 private:
  BooksOfTeam const& m_books;
};

/// Zig-zags of tiles that are taken side by side: those of one residual lie together.
struct ZigzagsOfThread {
  static constexpr int stride = 32;  ///< a warp's threads
  struct Zigzag {
    std::uint32_t value;
  };
  std::uint32_t* words;

  KOKKOS_FORCEINLINE_FUNCTION Zigzag operator[](int index) const { return {words[stride * index]}; }
  KOKKOS_FORCEINLINE_FUNCTION void set(int index, Zigzag zigzag) const {
    words[stride * index] = zigzag.value;
  }
};
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t magnitude_of(ZigzagsOfThread::Zigzag zigzag) {
  return (zigzag.value + 1) / 2;
}

/// What takes residuals whose magnitudes have up to narrow_bits bits, of a tile whose mean is at most narrow_mean.
template <class Coder>
class NarrowTaker {
 public:
  using Zigzag = ZigzagsOfThread::Zigzag;
  using Sum = std::uint32_t;

  KOKKOS_FORCEINLINE_FUNCTION NarrowTaker(BooksOfTeam const& of_team, TileBooks const& of_tile,
                                          ReaderByTeam& reader)
      : m_books(of_team),
        m_of_weight(of_team.of_weight[of_tile.is_even ? 1 : 0]),
        m_weight(static_cast<std::uint32_t>(weight_of_tile(of_tile.is_even))),
        m_mean(m_weight * static_cast<std::uint32_t>(of_tile.mean_256()) + m_weight),
        m_offset(of_tile.offset - TileBooks::middle),
        m_first_book(Book::of(of_tile.shape, 0).number),
        m_reader(reader) {}

  KOKKOS_FORCEINLINE_FUNCTION Zigzag take(Sum sum, int weight) {
    std::uint32_t const all = 256 * sum + (m_mean + static_cast<std::uint32_t>(weight));
    int step = step_of(m_books.logarithm_of(all), m_of_weight[weight]) + m_offset;
    constexpr int last = Book::last_step(Coder::value_bits);
    step = step < 0 ? 0 : (step > last ? last : step);
    int const low_bits = m_books.of_step[1][step];
    auto symbol =
        static_cast<std::uint32_t>(m_reader.take(m_first_book + m_books.of_step[0][step]));
    if (symbol == escape || low_bits > 0) [[unlikely]]
      symbol = take_rest(symbol, low_bits);
    return {symbol};
  }
  /// Whether all residuals were taken that the record has, and no others.
  KOKKOS_FORCEINLINE_FUNCTION bool has_all() const { return !m_refuses && m_reader.is_at_end(); }

 private:
  /// What lies behind a symbol; 0 if the zig-zag is not narrow.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t take_rest(std::uint64_t symbol, int low_bits) {
    symbol = take_beyond<std::uint64_t>(symbol, low_bits, m_reader);
    bool const is_narrow = magnitude_of(symbol) >> narrow_bits == 0;
    m_refuses |= !is_narrow;
    return is_narrow ? static_cast<std::uint32_t>(symbol) : 0;
  }

  BooksOfTeam const& m_books;
  std::uint16_t const* m_of_weight;
  std::uint32_t m_weight, m_mean;
  int m_offset, m_first_book;
  ReaderByTeam& m_reader;
  bool m_refuses = false;
};

/// Takes the zig-zags of a tile without masked places from the coder's words of an untrusted record; returns whether all of them are
/// known. If not the record is damaged, or a special one that other readers judge.
/// \tparam Coder  Rans<…>
template <class Coder, class Shape>
KOKKOS_INLINE_FUNCTION bool take_tile(BooksOfTeam const& of_team, std::uint32_t coder_bits,
                                      std::uint32_t const* in, int words, CodedTile const& tile,
                                      ZigzagsOfThread zigzags) {
  if (words == 0) return false;
  auto const plan = Coder::Plan::of(coder_bits, words);
  if (plan.by_widths || plan.books.mean > narrow_mean || plan.halfwords < 2) return false;
  ReaderByTeam reader(of_team, in, plan.halfwords);
  NarrowTaker<Coder> taker(of_team, plan.books, reader);
  if (tile.has_classes) {
    take_magnitudes<ClassOrder<Shape>>(tile, zigzags, taker);
  } else {
    take_magnitudes<NaturalOrder<Shape>>(tile, zigzags, taker);
  }
  return taker.has_all();
}

/// Zig-zags of a tile that a thread has taken before a team reads its record; none: they are not known.
template <class Coder>
struct ZigzagsAhead {
  using Books = BooksOfTeam;
  static constexpr int side_by_side = ZigzagsOfThread::stride;
  std::uint32_t* zigzags;

  /// take_tile().
  template <class Shape>
  KOKKOS_FORCEINLINE_FUNCTION static bool take(Books const& of_team, std::uint32_t coder_bits,
                                               std::uint32_t const* in, int words,
                                               CodedTile const& tile, std::uint32_t* zigzags) {
    return take_tile<Coder, Shape>(of_team, coder_bits, in, words, tile, {zigzags});
  }
  /// Copies them, if they are known, by a team; returns whether they are. Ends with a barrier then.
  template <class Order, class Team>
  KOKKOS_FORCEINLINE_FUNCTION bool copy(Team const& team, typename Coder::U* to) const {
    if (zigzags == nullptr) return false;
    ZigzagsOfThread const from{zigzags};
    team_for(team, tile_values - first_of<Order>,
             [&](int i) { to[first_of<Order> + i] = from[first_of<Order> + i].value; });
    team.team_barrier();
    return true;
  }
};

}  // namespace kompakt::impl::residual_books

#endif
