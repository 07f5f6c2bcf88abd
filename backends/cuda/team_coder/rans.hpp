#ifndef KOMPAKT_CUDA_TEAM_CODER_RANS_HPP
#define KOMPAKT_CUDA_TEAM_CODER_RANS_HPP

#include <coder/rans/record.hpp>
#include <coder/rans/tile_of_thread.hpp>
#include <cuda/warp.hpp>
#include <pipeline/codec_types.hpp>

// The records of coder/rans/record.hpp by a warp, in the generic kernels, whose teams are warps. A state goes from residual to
// residual, but all else is done side by side: what of a residual's book does not depend on the one before it, a look at all
// symbols of a book at once, and the numbers that an encoder's state is divided by. All lanes have the state.

namespace kompakt::impl::cuda {

/// residual_books::StateWriter by a warp.
class WarpStateWriter {
 public:
  /// \param begin, end  halfwords for all that is put
  __device__ __forceinline__ WarpStateWriter(std::uint16_t const* begin, std::uint16_t* end,
                                             std::uint32_t first)
      : m_end(end), m_out(end), m_room(static_cast<int>(end - begin) - 2), m_state(first) {}

  /// \param inverse  (2^32 - 1) / count, rounded down
  __device__ __forceinline__ void put(std::uint32_t count, std::uint32_t below,
                                      std::uint32_t inverse) {
    constexpr int precision = residual_books::precision;
    if (m_state >> (32 - precision) >= count) move();
    // The product is the quotient or one less.
    std::uint32_t quotient = warp::high_product(m_state, inverse);
    std::uint32_t rest = m_state - quotient * count;
    if (rest >= count) {
      ++quotient;
      rest -= count;
    }
    m_state = (quotient << precision) + rest + below;
  }
  __device__ __forceinline__ void put_bits(std::uint32_t bits, int count) {
    if (count == 0) return;
    if (m_state >> (32 - count) != 0) move();
    m_state = m_state << count | (bits & ((1u << count) - 1));
  }
  __device__ __forceinline__ void put_long(std::uint64_t bits, int count) {
    constexpr int most = residual_books::halfword_bits;
    for (int at = 0; at < count; at += most) {
      put_bits(static_cast<std::uint32_t>(bits >> at), count - at < most ? count - at : most);
    }
  }
  __device__ __forceinline__ bool is_full() const { return m_room < 0; }
  __device__ __forceinline__ int finish() {
    store(m_state >> residual_books::halfword_bits);
    store(m_state);
    return static_cast<int>(m_end - m_out);
  }

 private:
  __device__ __forceinline__ void move() {
    if (--m_room >= 0) store(m_state);
    m_state >>= residual_books::halfword_bits;
  }
  __device__ __forceinline__ void store(std::uint32_t halfword) {
    --m_out;
    if (warp::lane() == 0) *m_out = static_cast<std::uint16_t>(halfword);
  }

  std::uint16_t* m_end;
  std::uint16_t* m_out;
  int m_room;
  std::uint32_t m_state;
};

/// residual_books::StateReader by a warp, which has the next 64 halfwords in its registers.
class WarpStateReader {
 public:
  /// \param halfwords  at least 2
  __device__ __forceinline__ WarpStateReader(std::uint32_t const* words, int halfwords)
      : m_words(words), m_halfwords(halfwords), m_state(words[0]) {
    load();
    fetch();
  }

  /// \param book  the frequencies before symbols 2 lane and 2 lane + 1
  __device__ __forceinline__ int take(std::uint32_t book) {
    constexpr int precision = residual_books::precision;
    std::uint32_t const slot = m_state & ((1u << precision) - 1);
    std::uint32_t const first = book & 0xffffu, second = book >> 16;
    std::uint32_t const above = warp::from_above(first, 1);
    std::uint32_t const end = warp::lane() == 31 ? 1u << precision : above;
    bool const in_first = first <= slot && slot < second, in_second = second <= slot && slot < end;
    std::uint32_t const below = in_second ? second : first;
    std::uint32_t const mine =
        (in_second ? end - second : second - first) * (m_state >> precision) + slot - below;
    std::uint32_t const of_second = warp::votes(in_second);
    int const owner = lowest_bit(warp::votes(in_first) | of_second);
    m_state = warp::from_lane(mine, owner);
    refill();
    return 2 * owner + (of_second != 0 ? 1 : 0);
  }
  __device__ __forceinline__ std::uint32_t take_bits(int count) {
    if (count == 0) return 0;
    std::uint32_t const bits = m_state & ((1u << count) - 1);
    m_state >>= count;
    refill();
    return bits;
  }
  __device__ __forceinline__ std::uint64_t take_long(int count) {
    constexpr int most = residual_books::halfword_bits;
    std::uint64_t bits = 0;
    for (int at = (count - 1) / most * most; at >= 0; at -= most) {
      std::uint64_t const taken = take_bits(count - at < most ? count - at : most);
      bits |= taken << at;
    }
    return bits;
  }
  __device__ __forceinline__ bool is_at_end(std::uint32_t first) const {
    return m_at == m_halfwords && m_state == first;
  }

 private:
  __device__ __forceinline__ void refill() {
    if (m_state >> residual_books::halfword_bits != 0 || m_at >= m_halfwords) return;
    m_state = m_state << residual_books::halfword_bits | m_next;
    ++m_at;
    fetch();
  }
  // The halfword that comes next, long before it is needed.
  __device__ __forceinline__ void fetch() {
    int word = m_at / 2 - m_base;
    if (word == 32) {
      m_base += 32;
      load();
      word = 0;
    }
    std::uint32_t const both = warp::from_lane(m_window, word);
    m_next = m_at % 2 != 0 ? both >> 16 : both & 0xffffu;
  }
  __device__ __forceinline__ void load() {
    int const word = m_base + warp::lane();
    m_window = 2 * word < m_halfwords ? m_words[word] : 0;
  }

  std::uint32_t const* m_words;
  int m_halfwords, m_at = 2, m_base = 0;
  std::uint32_t m_state, m_window = 0, m_next = 0;
};

/// residual_books::logarithm() of a number that all lanes have: a conversion that rounds down has the whole part and the next
/// six bits, and what these lack lies in the registers of the lanes.
class WarpLogarithm {
 public:
  __device__ __forceinline__ WarpLogarithm() {
    auto const lacking = [](int next) {
      auto const number = static_cast<std::uint64_t>(64 + next);
      return static_cast<std::uint32_t>(residual_books::logarithm(number) - 64 * 6 - next);
    };
    m_lacking = lacking(warp::lane()) | lacking(warp::lane() + 32) << 8;
  }
  __device__ __forceinline__ int operator()(std::uint64_t number) const {
    constexpr int bias = 127 << 6;
    int const bits = warp::float_below(number) >> 17;
    std::uint32_t const both = warp::from_lane(m_lacking, bits & 31);
    return bits - bias + static_cast<int>(((bits & 32) != 0 ? both >> 8 : both) & 0xffu);
  }

 private:
  std::uint32_t m_lacking;
};

/// What an encoder puts for a residual: its lowest bits, more if it escapes, and the symbol.
struct PutOfLane {
  std::uint32_t frequencies = 0;  ///< of the symbol, and those before it above bit 16
  std::uint32_t inverse = 0;      ///< (2^32 - 1) / its frequency
  int low_bits = 0;
  bool escapes = false;

  __device__ __forceinline__ bool has_symbol_alone() const {
    return frequencies != 0 && low_bits == 0 && !escapes;
  }
  __device__ __forceinline__ static PutOfLane of(std::uint16_t const* below, int symbol,
                                                 int low_bits) {
    std::uint32_t const count = residual_books::frequency(below, symbol);
    return {count | static_cast<std::uint32_t>(below[symbol]) << 16, 0xffffffffu / count, low_bits,
            symbol == residual_books::escape};
  }
};

/// The same as residual_books::ByOneThread, by a warp.
struct ByWarp : residual_books::PlainState {
  template <class Coder>
  using Ahead = residual_books::ZigzagsAhead<Coder>;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static warp::Team team(Team const&) {
    return {};
  }

  template <class Coder, class Order>
  KOKKOS_INLINE_FUNCTION static int put_all([[maybe_unused]] warp::Team const& team,
                                            [[maybe_unused]] typename Coder::Scratch& scratch,
                                            [[maybe_unused]] typename Coder::Plan const& plan) {
    KOKKOS_IF_ON_DEVICE((return put_on_device<Coder, Order>(scratch, plan);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  template <class Coder, class Order>
  KOKKOS_INLINE_FUNCTION static bool take_all([[maybe_unused]] warp::Team const& team,
                                              [[maybe_unused]] CodedTile tile,
                                              [[maybe_unused]] typename Coder::Plan const& plan,
                                              [[maybe_unused]] std::uint32_t const* in,
                                              [[maybe_unused]] typename Coder::Scratch& scratch) {
    KOKKOS_IF_ON_DEVICE((if (scratch.ahead.template copy<Order>(team, scratch.zigzags)) return true;
                         return take_on_device<Coder, Order>(tile, plan, in, scratch);))
    KOKKOS_IF_ON_HOST((return false;))
  }

 private:
  template <class Coder, class Order>
  __device__ __noinline__ static int put_on_device(typename Coder::Scratch& scratch,
                                                   typename Coder::Plan const& plan) {
    using U = typename Coder::U;
    using residual_books::WidthBook;
    constexpr int lowest = Order::classes == 1 ? 0 : residual_books::first_of<Order>;
    WarpStateWriter writer(scratch.halfwords, scratch.halfwords + 2 * Coder::max_words,
                           plan.by_widths ? WidthBook::first_state : 1);
#pragma unroll 1
    for (int first = tile_values - 32; first >= lowest && !writer.is_full(); first -= 32) {
      int const at = first + warp::lane();
      U const zigzag = scratch.zigzags[at];
      PutOfLane const mine = put_of<Coder>(plan, zigzag, scratch.steps[at]);
      if (warp::votes(mine.has_symbol_alone()) == ~0u) {  // fewer instructions
#pragma unroll 1
        for (int lane = 31; lane >= 0; --lane) {
          std::uint32_t const frequencies = warp::from_lane(mine.frequencies, lane);
          writer.put(frequencies & 0xffffu, frequencies >> 16, warp::from_lane(mine.inverse, lane));
        }
        continue;
      }
#pragma unroll 1
      for (std::uint32_t left = warp::votes(mine.frequencies != 0); left != 0;) {
        int const lane = bit_width(left) - 1;
        left ^= 1u << lane;
        std::uint32_t const frequencies = warp::from_lane(mine.frequencies, lane);
        std::uint32_t const inverse = warp::from_lane(mine.inverse, lane);
        int const more = warp::from_lane(mine.low_bits | (mine.escapes ? 0x100 : 0), lane);
        if (more != 0) {
          U const bits = warp::from_lane(zigzag, lane);
          writer.put_long(bits, more & 0xff);
          if (more >= 0x100) put_escaped(plan.by_widths, bits, more & 0xff, writer);
        }
        writer.put(frequencies & 0xffffu, frequencies >> 16, inverse);
      }
    }
    int const halfwords = writer.is_full() ? 2 * Coder::max_words + 1 : writer.finish();
    warp::sync();
    return halfwords;
  }

  template <class Coder>
  __device__ __forceinline__ static PutOfLane put_of(typename Coder::Plan const& plan,
                                                     typename Coder::U zigzag, int step) {
    if (step == Coder::outside) return {};
    if (plan.by_widths) {
      int const width = bit_width(zigzag);
      auto const book = residual_books::WidthBook::of(plan.widths, step, Coder::value_bits);
      return PutOfLane::of(residual_books::width_tables().below[book.number], book.symbol(width),
                           residual_books::low_bits_of(width));
    }
    auto const book = residual_books::book_of(plan.books, step, Coder::value_bits);
    std::uint64_t const symbol = std::uint64_t{zigzag} >> book.low_bits;
    int const coded =
        symbol < residual_books::escape ? static_cast<int>(symbol) : residual_books::escape;
    return PutOfLane::of(residual_books::tables().below[book.number], coded, book.low_bits);
  }

  template <class U>
  __device__ __forceinline__ static void put_escaped(bool by_widths, U zigzag, int low_bits,
                                                     WarpStateWriter& writer) {
    if (by_widths) {
      writer.put_bits(static_cast<std::uint32_t>(bit_width(zigzag)),
                      residual_books::WidthBook::escape_bits);
      return;
    }
    std::uint64_t const beyond = (std::uint64_t{zigzag} >> low_bits) - residual_books::escape;
    int const bits = residual_books::escaped_bits(beyond);
    writer.put_long(beyond + 1, bits);
    writer.put_bits(static_cast<std::uint32_t>(bits), residual_books::escaped_length_bits);
  }

  template <class Coder, class Order>
  __device__ __forceinline__ static bool take_on_device(CodedTile tile,
                                                        typename Coder::Plan const& plan,
                                                        std::uint32_t const* in,
                                                        typename Coder::Scratch& scratch) {
    WarpStateReader reader(in, plan.halfwords);
    if constexpr (Order::classes == 1) {
      if (plan.by_widths) return take_widths<Coder, Order>(tile, plan.widths, reader, scratch);
    }
    take_magnitudes<Coder, Order>(tile, plan.books, reader, scratch.zigzags);
    return reader.is_at_end(1);
  }

  // The frequencies of a book: two symbols a lane.
  __device__ __forceinline__ static std::uint32_t book_at(std::uint16_t const* below) {
    return reinterpret_cast<std::uint32_t const*>(below)[warp::lane()];
  }

  template <class Coder, class Order>
  __device__ __forceinline__ static void take_magnitudes(CodedTile tile,
                                                         residual_books::TileBooks const& books,
                                                         WarpStateReader& reader,
                                                         typename Coder::U* zigzags) {
    auto const& tables = residual_books::tables();
    WarpLogarithm const logarithm;
    std::uint64_t const mean = books.mean_256();
    std::uint64_t last = 0, second = 0;  // magnitudes in front of a point
    for_rows<Order>([&](int c, int row, int first, int count) {
      if (first == 0) last = second = 0;
      // What does not depend on the row itself.
      auto const point = residual_books::Point<Order>::of(c, row, first + warp::lane());
      bool const is_coded = warp::lane() < count && point.is_coded(tile);
      std::uint64_t my_sum = 0;
      int my_log = 0;
      residual_books::RowWeights my_weights{0, 0};
      if (is_coded) {
        auto const near = residual_books::neighbours_elsewhere(zigzags, point, tile);
        my_weights = residual_books::row_weights(point, tile);
        int const weight = near.weight + my_weights.last + my_weights.second +
                           residual_books::weight_of_tile(books.is_even);
        my_sum = residual_books::sum_of(near, mean, books.is_even, weight);
        my_log = residual_books::logarithm(static_cast<std::uint64_t>(weight));
      }
      int const my_all =
          my_log | my_weights.last << 16 | my_weights.second << 18;  // 2 or 0, 1 or 0
      std::uint32_t const coded = warp::votes(is_coded);
      typename Coder::U mine = 0;
#pragma unroll 1
      for (int x = 0; x < count; ++x) {
        std::uint64_t magnitude = 0;
        if ((coded >> x & 1u) != 0) {
          int const all = warp::from_lane(my_all, x);
          std::uint64_t sum = warp::from_lane(my_sum, x);
          if ((all >> 16 & 3) != 0) sum += last << 9;  // 2 times 256
          if (all >> 18 != 0) sum += second << 8;
          int const step = residual_books::step_of(logarithm(sum), all & 0xffff);
          auto const book = residual_books::book_of(books, step, Coder::value_bits);
          auto symbol = static_cast<std::uint64_t>(reader.take(book_at(tables.below[book.number])));
          if (symbol == residual_books::escape) {
            auto const bits =
                static_cast<int>(reader.take_bits(residual_books::escaped_length_bits));
            symbol += ((std::uint64_t{1} << bits) | reader.take_long(bits)) - 1;
          }
          if (book.low_bits > 0) symbol = symbol << book.low_bits | reader.take_long(book.low_bits);
          auto const zigzag = static_cast<typename Coder::U>(symbol);
          if (warp::lane() == x) mine = zigzag;
          magnitude = residual_books::magnitude_of(zigzag);
        }
        second = last;
        last = magnitude;
      }
      if (warp::lane() < count) zigzags[point.index()] = mine;
      warp::sync();
    });
  }

  template <class Coder, class Order>
  __device__ __noinline__ static bool take_widths(CodedTile tile,
                                                  residual_books::TileWidths const& widths,
                                                  WarpStateReader reader,
                                                  typename Coder::Scratch& scratch) {
    using residual_books::WidthBook;
    using residual_books::WidthSum;
    using U = typename Coder::U;
    constexpr int precision = 20;  // of reciprocals: exact for sums below 2^13 and weights up to 23
    auto const& tables = residual_books::width_tables();
    std::uint8_t* const known = scratch.widths_to_decode();
    int const mean = widths.mean * Coder::width_unit;
    int last = 0, second = 0;  // widths in front of a point
    bool sound = true;
    for_rows<Order>([&](int c, int row, int first, int count) {
      if (first == 0) last = second = 0;
      auto const point = residual_books::Point<Order>::of(c, row, first + warp::lane());
      bool const is_coded = warp::lane() < count && point.is_coded(tile);
      int my_sum = 0, my_reciprocal = 0;
      if (is_coded) {
        WidthSum sum = residual_books::widths_elsewhere(known, point, mean, tile);
        if (point.x > 0) sum.weight += WidthSum::of_last;
        if (point.x > 1) sum.weight += WidthSum::of_second;
        my_sum = 4 * sum.sum + sum.weight;
        my_reciprocal = ((1 << precision) + 2 * sum.weight - 1) / (2 * sum.weight);
      }
      std::uint32_t const coded = warp::votes(is_coded);
      int my_width = 0;
      U mine = 0;
#pragma unroll 1
      for (int x = 0; x < count && sound; ++x) {
        int width = last;
        if ((coded >> x & 1u) != 0) {
          int const sum = warp::from_lane(my_sum, x) +
                          4 * (WidthSum::of_last * last + WidthSum::of_second * second);
          auto const product = static_cast<unsigned>(sum) *
                               static_cast<std::uint64_t>(warp::from_lane(my_reciprocal, x));
          auto const book =
              WidthBook::of(widths, static_cast<int>(product >> precision), Coder::value_bits);
          int const symbol = reader.take(book_at(tables.below[book.number]));
          width = symbol == residual_books::escape
                      ? static_cast<int>(reader.take_bits(WidthBook::escape_bits))
                      : book.first + symbol;
          sound = width <= Coder::value_bits;
          if (!sound) break;
          U const highest = width > 0 ? U{1} << (width - 1) : U{0};
          U const zigzag =
              highest | static_cast<U>(reader.take_long(residual_books::low_bits_of(width)));
          if (warp::lane() == x) mine = zigzag;
        }
        if (warp::lane() == x) my_width = width;
        second = last;
        last = width;
      }
      if (warp::lane() < count) {
        scratch.zigzags[point.index()] = mine;
        known[point.index()] = static_cast<std::uint8_t>(my_width);
      }
      warp::sync();
    });
    return sound && reader.is_at_end(WidthBook::first_state);
  }

  // body(class, row, first x, how many) for all rows in the order of a record, up to 32 points at a time.
  template <class Order, class Body>
  __device__ __forceinline__ static void for_rows(Body const& body) {
    constexpr int most = Order::X < 32 ? Order::X : 32;
#pragma unroll 1
    for (int c = Order::first_class; c < Order::classes; ++c) {
#pragma unroll 1
      for (int row = 0; row < residual_books::rows_of<Order>; ++row) {
#pragma unroll 1
        for (int first = 0; first < Order::X; first += most) body(c, row, first, most);
      }
    }
  }
};

}  // namespace kompakt::impl::cuda

namespace kompakt::impl {

template <class T>
struct BackendCoder<Rans<T>, cuda_team_tag> {
  using type = Rans<T, cuda::ByWarp>;
};

}  // namespace kompakt::impl

#endif
