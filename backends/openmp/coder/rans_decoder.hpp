#ifndef KOMPAKT_OPENMP_CODER_RANS_DECODER_HPP
#define KOMPAKT_OPENMP_CODER_RANS_DECODER_HPP

#include <coder/rans/record.hpp>
#include <openmp/coder/rans_steps.hpp>

// Decoding several tiles at once, each in a lane of a vector unit. Within a tile a residual waits for the one before it, all the
// way from its neighbours over its book to the state: some 100 cycles, in which a thread does little else. Tiles have states of
// their own.

#ifdef KOMPAKT_HOST_SIMD

namespace kompakt::impl::simd {

template <int packs>
KOMPAKT_SIMD_INLINE Numbers<packs> magnitude_of(Numbers<packs> zigzags) {
  return (zigzags >> 1) + (zigzags & Numbers<packs>(1));
}
/// Numbers times 1 or 2, the weights of neighbours.
template <int packs>
KOMPAKT_SIMD_INLINE Numbers<packs> operator*(Numbers<packs> numbers, unsigned times) {
  return times == 1 ? numbers : numbers << 1;
}

/// Zig-zags of the tiles of a group: those of one residual side by side, eight tiles in a block.
template <int packs>
struct GroupZigzags {
  static constexpr int block = 8 * tile_values;
  std::uint32_t* words;

  KOMPAKT_SIMD_INLINE Numbers<packs> operator[](int index) const {
    return Numbers<packs>::load(words + 8 * index, block);
  }
  KOMPAKT_SIMD_INLINE void set(int index, Numbers<packs> zigzags) const {
    zigzags.store(words + 8 * index, block);
  }
};

/// A record that may be decoded beside others.
template <class Plan>
struct RecordAhead {
  std::uint32_t const* in;  ///< the coder's words
  Plan plan;
  CodedTile tile;
  int block = 0, lane = 0;  ///< of its zig-zags
  bool is_known = false;    ///< whether they are there, and the record is sound
};

/// Takes the residuals of up to 8 · packs tiles of the same extents.
/// \tparam Coder  Rans<…> of numbers of 32 bits
template <class Coder, class Order, int packs>
class GroupReader {
  using N = Numbers<packs>;
  static constexpr int lanes = N::count;

 public:
  using Record = RecordAhead<typename Coder::Plan>;

  /// \param records  the first one in front of the others in memory
  GroupReader(Record* const* records, int count, GroupZigzags<packs> zigzags)
      : m_records(records),
        m_count(count),
        m_tile(records[0]->tile),
        m_base(records[0]->in),
        m_zigzags(zigzags) {
    std::uint32_t states[lanes], ends[lanes], places[lanes], of_tile[lanes], offsets[lanes],
        shapes[lanes], even[lanes];
    for (int i = 0; i < lanes; ++i) {
      Record const& record = *records[i < count ? i : 0];
      residual_books::TileBooks const& books = record.plan.books;
      auto const weight = static_cast<std::uint32_t>(residual_books::weight_of_tile(books.is_even));
      states[i] = i < count ? record.in[0] : 1;
      ends[i] = i < count ? static_cast<std::uint32_t>(record.plan.halfwords) : 2;
      places[i] = static_cast<std::uint32_t>(record.in - m_base);
      of_tile[i] = weight * static_cast<std::uint32_t>(books.mean_256()) + weight;
      offsets[i] = static_cast<std::uint32_t>(books.offset - residual_books::TileBooks::middle);
      shapes[i] = static_cast<std::uint32_t>(residual_books::Book::of(books.shape, 0).number);
      even[i] = books.is_even ? ~0u : 0;
    }
    m_state = N::load(states);
    m_end = N::load(ends);
    m_place = N::load(places);
    m_of_tile = N::load(of_tile);
    m_offset = N::load(offsets);
    m_shape = N::load(shapes);
    for (int weight = 0; weight < weights; ++weight) {
      auto const tripled = [weight](bool is_even) {
        auto const all = static_cast<unsigned>(weight + residual_books::weight_of_tile(is_even));
        return N(static_cast<std::uint32_t>(3 * residual_books::logarithm(all)));
      };
      m_of_weight[weight] = tripled(true).or_else(tripled(false), N::load(even));
    }
  }

  /// Takes all, and tells the records whether they were sound.
  void take() {
    for (int c = Order::first_class; c < Order::classes; ++c) {
      for (int row = 0; row < residual_books::rows_of<Order>; ++row) {
        int const points = Order::points_of_row(c, row, m_tile);
        int const begin = residual_books::Point<Order>::of(c, row, 0).index();
        for (int x = points; x < Order::X; ++x) m_zigzags.set(begin + x, N(0));
        if (points > 0) take_row(c, row, points, begin);
      }
    }
    std::uint32_t const sound =
        ((m_at == m_end) & (m_state == N(1))).without(m_refused).highest_bits();
    for (int i = 0; i < m_count; ++i) m_records[i]->is_known = (sound >> i & 1u) != 0;
  }

 private:
  // Sums of the weights of neighbours are below: 9 in natural order, 12 with classes.
  static constexpr int weights = 13;

  void take_row(int c, int row, int points, int begin) {
    residual_books::RowOfNeighbours<Order, N> const elsewhere(m_zigzags, c, row, points, m_tile);
    N last(0), second(0);
    for (int x = 0; x < points; ++x) {
      N sum = elsewhere.sum(x);
      int weight = elsewhere.weight(x);
      if (x > 0) {
        sum += last << 1;
        weight += 2;
      }
      if (Order::classes == 1 && x > 1) {
        sum += second;
        weight += 1;
      }
      N const zigzags = take_residuals(sum, weight);
      N const magnitudes = magnitude_of(zigzags);
      N const is_large = (magnitudes >> residual_books::narrow_bits) > N(0);
      m_refused = m_refused | is_large;
      m_zigzags.set(begin + x, zigzags.without(is_large));  // so that sums stay small
      second = last;
      last = magnitudes.without(is_large);
    }
  }

  KOMPAKT_SIMD_INLINE N take_residuals(N sum, int weight) {
    using namespace residual_books;
    N const all = (sum << 8) + m_of_tile + N(static_cast<std::uint32_t>(weight));
    N const tripled =
        N::template gather<2>(m_logarithms.tripled, all.highest_seven_bits()) & N(0xffff);
    N const step = (((tripled - m_of_weight[weight]) >> 6) + m_offset)
                       .at_least_0()
                       .at_most(static_cast<std::uint32_t>(Book::last_step(Coder::value_bits)));
    // Book::of(), with x / 3 = 43 x / 128 for x below 128.
    N const beyond = step - N(fine_books), is_coarse = beyond > N(~0u);
    N const third = beyond * N(43) >> 7;
    N const low_bits = is_coarse & (third + N(1));
    N const rest = beyond - third - (third << 1) + N(fine_books);
    N const book = m_shape + rest.or_else(step, is_coarse);
    N symbol = take_symbols(book);
    N const escapes = symbol == N(escape);
    if (escapes.any()) [[unlikely]]
      symbol = take_escaped(symbol, escapes.highest_bits());
    if (!is_coarse.any()) return symbol;
    return (symbol << low_bits) | take_low_bits(low_bits, is_coarse);
  }
  KOMPAKT_SIMD_INLINE N take_symbols(N book) {
    using namespace residual_books;
    N const slot = m_state & N((1u << precision) - 1);
    N symbol =
        N::template gather<1>(m_first.of, (book << (precision - slot_bits)) + (slot >> slot_bits)) &
        N(0xff);
    N const of_book = book << 6;
    N below, behind;
    for (;;) {
      N const both = N::template gather<2>(m_tables.below, of_book + symbol);
      below = both & N(0xffff);
      behind = N(1u << precision).or_else(both >> 16, symbol == N(escape));
      N const is_later = (slot + N(1)) > behind;
      if (!is_later.any()) break;
      symbol = symbol - is_later;
    }
    m_state = (behind - below) * (m_state >> precision) + slot - below;
    refill(N(~0u));
    return symbol;
  }
  // StateReader::refill() of some.
  KOMPAKT_SIMD_INLINE void refill(N where) {
    N const is_low = (m_state >> halfword_bits) == N(0);
    N const needed = where & is_low & (m_end > m_at);
    if (!needed.any()) return;
    N const words = N::gather_where(needed, m_base, m_place + (m_at >> 1));
    N const halfwords = (words >> ((m_at & N(1)) << 4)) & N(0xffff);
    m_state = (m_state << halfword_bits | halfwords).or_else(m_state, needed);
    m_at = m_at - needed;
  }
  static constexpr int halfword_bits = residual_books::halfword_bits;

  // Numbers of more bits are taken in parts, which nobody does here.
  KOMPAKT_SIMD_INLINE N take_low_bits(N count, N where) {
    N const is_long = count > N(halfword_bits);
    m_refused = m_refused | is_long;
    count = N(0).or_else(count, is_long);
    N const bits = m_state & ((N(1) << count) - N(1));
    m_state = m_state >> count;
    refill(where);
    return bits;
  }
  // What lies behind escapes, one by one.
  [[gnu::noinline]] N take_escaped(N symbols, std::uint32_t escapes) {
    std::uint32_t states[lanes], ats[lanes], found[lanes], refused[lanes];
    m_state.store(states);
    m_at.store(ats);
    symbols.store(found);
    m_refused.store(refused);
    for (; escapes != 0; escapes &= escapes - 1) {
      int const i = lowest_bit(escapes);
      auto const& record = *m_records[i < m_count ? i : 0];
      int const halfwords = i < m_count ? record.plan.halfwords : 2;
      residual_books::StateReader reader(record.in, halfwords, static_cast<int>(ats[i]), states[i]);
      auto const bits = static_cast<int>(reader.take_bits(residual_books::escaped_length_bits));
      std::uint64_t const more = ((std::uint64_t{1} << bits) | reader.take_long(bits)) - 1;
      bool const is_small = more >> (residual_books::narrow_bits + 1) == 0;
      found[i] += is_small ? static_cast<std::uint32_t>(more) : 0;
      if (!is_small) refused[i] = ~0u;
      states[i] = reader.state();
      ats[i] = static_cast<std::uint32_t>(reader.at());
    }
    m_state = N::load(states);
    m_at = N::load(ats);
    m_refused = N::load(refused);
    return N::load(found);
  }

  Record* const* m_records;
  int m_count;
  CodedTile m_tile;
  std::uint32_t const* m_base;
  GroupZigzags<packs> m_zigzags;
  Logarithms const& m_logarithms = Logarithms::all();
  residual_books::FirstSymbols const& m_first = residual_books::first_symbols();
  residual_books::Tables const& m_tables = residual_books::tables();
  N m_state, m_at{2}, m_end, m_place, m_of_tile, m_offset, m_shape;
  N m_refused{0};  ///< what needs more bits than there are here
  N m_of_weight[weights];
};

/// Records of some chunks, of which those of tiles of the same extents are decoded together.
/// \tparam Coder  Rans<…> of numbers of 32 bits
template <class Coder>
class RecordsAhead {
 public:
  static constexpr int tiles = 32;

  void clear() { m_count = 0; }
  /// A record without a mask, untrusted. Some kinds are not taken.
  void add(std::uint32_t const* in, int words, std::uint32_t coder_bits, CodedTile const& tile) {
    if (m_count == tiles || words == 0) return;
    auto const plan = Coder::Plan::of(coder_bits, words);
    bool const is_special =
        plan.by_widths || plan.books.mean > residual_books::narrow_mean || plan.halfwords < 2;
    if (!is_special) m_records[m_count++] = {in, plan, tile};
  }
  /// Decodes the records. Some may stay unknown.
  template <class Shape>
  void decode() {
    int block = 0;
    bool is_done[tiles] = {};
    for (int first = 0; first < m_count && block < blocks; ++first) {
      if (is_done[first]) continue;
      Record* group[most_of_group];
      int const most = 8 * (blocks - block) < most_of_group ? 8 : most_of_group;
      int count = 0;
      for (int i = first; i < m_count && count < most; ++i) {
        if (is_done[i] || !have_same_extents(m_records[first].tile, m_records[i].tile)) continue;
        is_done[i] = true;
        m_records[i].block = block + count / 8;
        m_records[i].lane = count % 8;
        group[count++] = &m_records[i];
      }
      if (count < least_of_group) continue;
      take<Shape>(group, count, m_zigzags[block]);
      block += ceil_div(count, 8);
    }
  }
  /// Copies the zig-zags of the record of these words, from `first` on; whether they are known.
  bool copy(std::uint32_t const* in, int first, std::uint32_t* zigzags) const {
    for (int i = 0; i < m_count; ++i) {
      Record const& record = m_records[i];
      if (record.in != in || !record.is_known) continue;
      std::uint32_t const* const from = m_zigzags[record.block] + record.lane;
      for (int at = first; at < tile_values; ++at) zigzags[at] = from[8 * at];
      return true;
    }
    return false;
  }

 private:
  using Record = RecordAhead<typename Coder::Plan>;
  // Fewer tiles are faster one by one.
  static constexpr int blocks = tiles / 8, most_of_group = 16, least_of_group = 3;

  static bool have_same_extents(CodedTile const& a, CodedTile const& b) {
    return a.has_classes == b.has_classes && a.nx == b.nx && a.ny == b.ny && a.nz == b.nz;
  }
  template <class Shape>
  static void take(Record* const* group, int count, std::uint32_t* zigzags) {
    if (group[0]->tile.has_classes) {
      take_in<residual_books::ClassOrder<Shape>>(group, count, zigzags);
    } else {
      take_in<residual_books::NaturalOrder<Shape>>(group, count, zigzags);
    }
  }
  template <class Order>
  static void take_in(Record* const* group, int count, std::uint32_t* zigzags) {
    if (count > 8) {
      GroupReader<Coder, Order, 2>(group, count, GroupZigzags<2>{zigzags}).take();
    } else {
      GroupReader<Coder, Order, 1>(group, count, GroupZigzags<1>{zigzags}).take();
    }
  }

  int m_count;
  Record m_records[tiles];
  std::uint32_t m_zigzags[blocks][8 * tile_values];
};

}  // namespace kompakt::impl::simd

#endif
#endif
