#ifndef KOMPAKT_OPENMP_CODER_RANS_ENCODER_HPP
#define KOMPAKT_OPENMP_CODER_RANS_ENCODER_HPP

#include <coder/rans/books.hpp>
#include <coder/rans/counted_codes.hpp>
#include <coder/rans/state.hpp>
#include <coder/rans/tile_books.hpp>
#include <openmp/simd.hpp>

// What a tile comes to by candidates of its books, and the state of an encoder, for processors that guess branches and load vectors.

#ifdef KOMPAKT_HOST_SIMD

namespace kompakt::impl::simd {

/// What zig-zags below the escape take by books of all four shapes, in 1/256 bits, side by side.
struct CostsOfShapes {
  static constexpr int before = residual_books::TileBooks::middle;  ///< steps below 0, as step 0
  static constexpr int steps = 41;                                  ///< and before
  using Row = std::uint16_t[residual_books::symbols][residual_books::shapes];

  alignas(8) Row of[steps];

  CostsOfShapes() {
    for (int row = 0; row < steps; ++row) {
      for (int shape = 0; shape < residual_books::shapes; ++shape) {
        auto const book = residual_books::Book::of(shape, row < before ? 0 : row - before);
        for (int code = 0; code < residual_books::symbols; ++code) {
          of[row][code][shape] = static_cast<std::uint16_t>(
              residual_books::tables().cost[book.number][code >> book.low_bits] +
              256 * book.low_bits);
        }
      }
    }
  }
  static CostsOfShapes const& all() {
    static CostsOfShapes const made;
    return made;
  }
};

/// Codes that know what they come to: for each offset the costs of all shapes are found together.
template <class Coder>
class CodesWithCosts {
  using TileBooks = residual_books::TileBooks;

 public:
  template <class CodeAt>
  explicit CodesWithCosts(residual_books::CodesInPlace<CodeAt> const& codes) {
    std::uint8_t least = codes.outside;
    for (int i = codes.first; i < tile_values; ++i) {
      least = codes.steps[i] < least ? codes.steps[i] : least;
    }
    // So many low bits lie beside all symbols. Without them the codes have the same books three steps before for each bit.
    int const shift = least > first_shifted ? (least - first_shifted) / steps_of_bit : 0;
    constexpr int last = CostsOfShapes::steps - 1 - CostsOfShapes::before - 1;
    int plain = 0, others = 0;
    for (int i = codes.first; i < tile_values; ++i) {
      int const step = codes.steps[i] - steps_of_bit * shift;
      std::uint32_t const code = codes.code_at(i), symbol = code >> shift;
      bool const is_coded = codes.steps[i] != codes.outside;
      bool const is_plain = is_coded && step <= last && symbol < residual_books::escape;
      m_plain[plain] = static_cast<std::uint16_t>(step * residual_books::symbols +
                                                  static_cast<int>(symbol & 63u));
      plain += is_plain ? 1 : 0;
      if (!is_plain && is_coded) m_others[others++] = {code, codes.steps[i]};
    }
    m_plain_count = plain;
    m_other_count = others;
    m_shifted = 256u * static_cast<unsigned>(plain * shift);
  }

  /// What a tile comes to in 1/256 bits.
  std::uint32_t cost(TileBooks const& books) const {
    std::uint32_t* const costs = m_costs[books.offset];
    if (!m_is_known[books.offset]) find(books.offset, costs);
    m_is_known[books.offset] = true;
    return costs[books.shape];
  }

 private:
  static constexpr int steps_of_bit = residual_books::coarse_books;
  static constexpr int first_shifted = residual_books::fine_books + TileBooks::middle;

  void find(int offset, std::uint32_t* costs) const {
    auto const* const rows =
        CostsOfShapes::all().of[CostsOfShapes::before + offset - TileBooks::middle];
    FourSums sums;
    int i = 0;
    for (; i + 1 < m_plain_count; i += 2) sums.add(rows[m_plain[i]], rows[m_plain[i + 1]]);
    if (i < m_plain_count) sums.add(rows[m_plain[i]]);
    sums.store(costs);
    for (int shape = 0; shape < residual_books::shapes; ++shape) costs[shape] += m_shifted;
    for (i = 0; i < m_other_count; ++i)
      add_other(m_others[i].code, m_others[i].step, offset, costs);
  }
  static void add_other(std::uint32_t code, int step, int offset, std::uint32_t* costs) {
    TileBooks books;
    books.offset = offset;
    residual_books::Book const book = residual_books::book_of(books, step, Coder::value_bits);
    std::uint32_t const symbol = code >> book.low_bits;
    bool const escapes = symbol >= residual_books::escape;
    int const more = escapes ? residual_books::escaped_length_bits +
                                   residual_books::escaped_bits(symbol - residual_books::escape)
                             : 0;
    for (int shape = 0; shape < residual_books::shapes; ++shape) {
      int const number = residual_books::Book::of(shape, 0).number + book.number;
      costs[shape] +=
          residual_books::tables().cost[number][escapes ? residual_books::escape : symbol] +
          256u * static_cast<unsigned>(book.low_bits + more);
    }
  }

  struct Other {
    std::uint32_t code;
    int step;
  };
  int m_plain_count = 0, m_other_count = 0;
  std::uint32_t m_shifted = 0;
  std::uint16_t m_plain[tile_values + 1];
  Other m_others[tile_values + 1];
  mutable std::uint32_t m_costs[TileBooks::offsets][residual_books::shapes];
  mutable bool m_is_known[TileBooks::offsets] = {};
};

/// A StateWriter without divisions, and without branches that nothing foretells.
class QuickWriter {
 public:
  /// Halfwords that a residual may move beyond the most that a record has.
  static constexpr int margin = 16;

  /// \param end   of halfwords, so many as a record may have and the margin
  /// \param most  of a record, its state included
  QuickWriter(std::uint16_t* end, int most) : m_last(end - (most - 2)), m_at(end), m_end(end) {}

  KOMPAKT_SIMD_INLINE void put(int book, int symbol) {
    Entry const entry = m_entries.of[book][symbol];
    move(m_state >> (32 - residual_books::precision) >= entry.count);
    auto const quotient = static_cast<std::uint32_t>(high_product(m_state, entry.inverse));
    m_state += entry.start + quotient * ((1u << residual_books::precision) - entry.count);
  }
  /// The lowest `count` bits, 0 to 16.
  KOMPAKT_SIMD_INLINE void put_bits(std::uint32_t bits, int count) {
    move(std::uint64_t{m_state} >> (32 - count) != 0);
    m_state = m_state << count | (bits & ((1u << count) - 1));
  }
  KOMPAKT_SIMD_INLINE void put_long(std::uint64_t bits, int count) {
    constexpr int most = residual_books::halfword_bits;
    if (count <= most) [[likely]]
      return put_bits(static_cast<std::uint32_t>(bits), count);
    for (int at = 0; at < count; at += most) {
      put_bits(static_cast<std::uint32_t>(bits >> at), count - at < most ? count - at : most);
    }
  }
  bool is_full() const { return m_at < m_last; }
  /// Ends with the state in front; returns how many halfwords there are.
  int finish() {
    *--m_at = static_cast<std::uint16_t>(m_state >> residual_books::halfword_bits);
    *--m_at = static_cast<std::uint16_t>(m_state);
    return static_cast<int>(m_end - m_at);
  }

 private:
  /// Of a symbol: 2^64 over its frequency, rounded up; and what makes up for a frequency of 1, whose quotient is one too few.
  struct Entry {
    std::uint64_t inverse;
    std::uint32_t start;
    std::uint32_t count;
  };
  struct Entries {
    Entry of[residual_books::books][residual_books::symbols];

    Entries() {
      for (int book = 0; book < residual_books::books; ++book) {
        for (int symbol = 0; symbol < residual_books::symbols; ++symbol) {
          std::uint16_t const* const below = residual_books::tables().below[book];
          std::uint32_t const count = residual_books::frequency(below, symbol);
          std::uint32_t const more = count == 1 ? (1u << residual_books::precision) - 1 : 0;
          std::uint64_t const inverse =
              count == 1 ? ~std::uint64_t{0} : ~std::uint64_t{0} / count + 1;
          of[book][symbol] = {inverse, below[symbol] + more, count};
        }
      }
    }
    static Entries const& all() {
      static Entries const made;
      return made;
    }
  };

  KOMPAKT_SIMD_INLINE void move(bool is_needed) {
    m_at[-1] = static_cast<std::uint16_t>(m_state);
    m_at -= static_cast<std::ptrdiff_t>(is_needed);
    m_state >>= residual_books::halfword_bits * static_cast<int>(is_needed);
  }

  Entries const& m_entries = Entries::all();
  std::uint16_t *m_last, *m_at, *m_end;
  std::uint32_t m_state = 1;
};

}  // namespace kompakt::impl::simd

#endif
#endif
