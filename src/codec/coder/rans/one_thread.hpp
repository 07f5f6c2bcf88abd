#ifndef KOMPAKT_CODER_RANS_ONE_THREAD_HPP
#define KOMPAKT_CODER_RANS_ONE_THREAD_HPP

#include <coder/rans/books.hpp>
#include <coder/rans/counted_codes.hpp>
#include <coder/rans/neighbours.hpp>
#include <coder/rans/state.hpp>
#include <coder/rans/tile_books.hpp>
#include <coder/rans/widths.hpp>
#include <core/bits.hpp>
#include <core/record.hpp>
#include <core/team.hpp>

// The state of a record goes from residual to residual, so that a single thread of a team puts and takes them.

namespace kompakt::impl::residual_books {

/// What puts and takes the residuals of a tile without vectors of a host.
struct PlainState {
  static constexpr bool has_vectors = false;
  /// What is known of tiles before they are asked for: nothing.
  template <class Coder>
  struct Ahead {};
  template <class Coder, class Team, class CodeAt>
  KOKKOS_FORCEINLINE_FUNCTION static auto counted(Team const& team,
                                                  CodesInPlace<CodeAt> const& codes) {
    return residual_books::counted(team, codes);
  }
};

/// Puts and takes the residuals of a tile by one thread.
struct ByOneThread : PlainState {
  /// The team that codes a tile.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static Team const& team(Team const& given) {
    return given;
  }

  /// Puts all residuals, the last one first, behind what the team has done before its last barrier.
  /// \tparam Coder  Rans<…>, whose scratch has zig-zags and steps
  /// \returns halfwords, to all threads; more than a raw record has if they do not fit
  template <class Coder, class Order, class Team>
  KOKKOS_INLINE_FUNCTION static int put_all(Team const& team, typename Coder::Scratch& scratch,
                                            typename Coder::Plan const& plan) {
    if (team.team_rank() == 0) {
      StateWriter writer(scratch.halfwords, scratch.halfwords + 2 * Coder::max_words,
                         plan.by_widths ? WidthBook::first_state : 1);
      if (plan.by_widths) {
        put_widths<Coder>(scratch, plan.widths, writer);
      } else {
        put_magnitudes<Coder, Order>(scratch, plan.books, writer);
      }
      scratch.count = writer.is_full() ? 2 * Coder::max_words + 1 : writer.finish();
    }
    team.team_barrier();
    return scratch.count;
  }

  /// Takes all residuals of an untrusted record into the scratch's zig-zags; whether it is sound, to all threads.
  template <class Coder, class Order, class Team>
  KOKKOS_INLINE_FUNCTION static bool take_all(Team const& team, CodedTile tile,
                                              typename Coder::Plan const& plan,
                                              std::uint32_t const* in,
                                              typename Coder::Scratch& scratch) {
    bool sound = true;
    if (team.team_rank() == 0) {
      sound = take<Coder, Order>(tile, plan, StateReader(in, plan.halfwords), scratch);
    }
    return !team_any(team, !sound);  // also the barrier
  }

 private:
  template <class Coder>
  KOKKOS_INLINE_FUNCTION static void put_widths(typename Coder::Scratch const& scratch,
                                                TileWidths const& widths, StateWriter& writer) {
    auto const& known_books = width_tables();
    for (int i = tile_values - 1; i >= 0 && !writer.is_full(); --i) {
      if (scratch.steps[i] == Coder::outside) continue;
      int const width = bit_width(scratch.zigzags[i]);
      WidthBook const book = WidthBook::of(widths, scratch.steps[i], Coder::value_bits);
      int const symbol = book.symbol(width);
      writer.put_long(scratch.zigzags[i], low_bits_of(width));
      if (symbol == escape) {
        writer.put_bits(static_cast<std::uint32_t>(width), WidthBook::escape_bits);
      }
      writer.put(known_books.below[book.number], symbol);
    }
  }
  template <class Coder, class Order>
  KOKKOS_INLINE_FUNCTION static void put_magnitudes(typename Coder::Scratch const& scratch,
                                                    TileBooks const& of_tile, StateWriter& writer) {
    auto const& known_books = tables();
    for (int i = tile_values - 1; i >= first_of<Order>; --i) {
      if (scratch.steps[i] == Coder::outside) continue;
      Book const book = book_of(of_tile, scratch.steps[i], Coder::value_bits);
      std::uint64_t const zigzag = scratch.zigzags[i], symbol = zigzag >> book.low_bits;
      writer.put_long(zigzag, book.low_bits);
      std::uint16_t const* const below = known_books.below[book.number];
      if (symbol < escape) {
        writer.put(below, static_cast<int>(symbol));
      } else {
        std::uint64_t const beyond = symbol - escape;
        int const bits = escaped_bits(beyond);
        writer.put_long(beyond + 1, bits);
        writer.put_bits(static_cast<std::uint32_t>(bits), escaped_length_bits);
        writer.put(below, escape);
      }
      if (writer.is_full()) return;
    }
  }

  template <class Coder, class Order>
  KOKKOS_INLINE_FUNCTION static bool take(CodedTile tile, typename Coder::Plan const& plan,
                                          StateReader reader, typename Coder::Scratch& scratch) {
    if constexpr (Order::classes == 1) {
      if (plan.by_widths) {
        return take_widths<Coder, Order>(tile, plan.widths, reader, scratch) &&
               reader.is_at_end(WidthBook::first_state);
      }
    }
    take_magnitudes<Coder, Order>(tile, plan, reader, scratch.zigzags);
    return reader.is_at_end();
  }
  template <class Coder, class Order>
  KOKKOS_FUNCTION KOMPAKT_APART static bool take_widths(CodedTile tile, TileWidths const& widths,
                                                        StateReader& reader,
                                                        typename Coder::Scratch& scratch) {
    using U = typename Coder::U;
    auto const& known_books = width_tables();
    std::uint8_t* const known = scratch.widths_to_decode();
    int const mean = widths.mean * Coder::width_unit;
    for (int row = 0; row < rows_of<Order>; ++row) {
      for (int x = 0; x < Order::X; ++x) {
        auto const point = Point<Order>::of(0, row, x);
        if (!point.is_coded(tile)) {
          scratch.zigzags[point.index()] = 0;
          known[point.index()] = x > 0 ? known[point.index() - 1] : 0;
          continue;
        }
        int const step = expected_width(known, point, mean, tile);
        WidthBook const book = WidthBook::of(widths, step, Coder::value_bits);
        int const near = step / 2 > book.first ? step / 2 - book.first : 0;
        int const symbol = reader.take_near(known_books.below[book.number], near);
        int const width = symbol == escape
                              ? static_cast<int>(reader.take_bits(WidthBook::escape_bits))
                              : book.first + symbol;
        if (width > Coder::value_bits) return false;
        known[point.index()] = static_cast<std::uint8_t>(width);
        U const highest = width > 0 ? U{1} << (width - 1) : U{0};
        scratch.zigzags[point.index()] =
            highest | static_cast<U>(reader.take_long(low_bits_of(width)));
      }
    }
    return true;
  }
  template <class Coder, class Order>
  KOKKOS_INLINE_FUNCTION static void take_magnitudes(CodedTile tile,
                                                     typename Coder::Plan const& plan,
                                                     StateReader& reader,
                                                     typename Coder::U* zigzags) {
    for (int c = Order::first_class; c < Order::classes; ++c) {
      for (int row = 0; row < rows_of<Order>; ++row) {
        int const points = Order::points_of_row(c, row, tile);
        auto* const begin = zigzags + Point<Order>::of(c, row, 0).index();
        for (int x = points; x < Order::X; ++x) begin[x] = 0;
        if (points > 0) take_row<Coder, Order>(tile, plan.books, reader, c, row, points, zigzags);
      }
    }
  }
  template <class Coder, class Order>
  KOKKOS_INLINE_FUNCTION static void take_row(CodedTile tile, TileBooks const& of_tile,
                                              StateReader& reader, int c, int row, int points,
                                              typename Coder::U* zigzags) {
    RowOfNeighbours<Order> const elsewhere(zigzags, c, row, points, tile);
    auto* const codes = zigzags + Point<Order>::of(c, row, 0).index();
    std::uint64_t const mean = of_tile.mean_256();
    // What a value and the one before it say of the next one; nothing if they are masked or not there.
    std::uint64_t last = 0, second = 0;
    RowWeights weights{0, 0};
    for (int x = 0; x < points; ++x) {
      bool const is_coded = !Order::is_masked(tile, x);
      std::uint64_t magnitude = 0;
      codes[x] = 0;
      if (is_coded) {
        Neighbours near{elsewhere.sum(x), elsewhere.weight(x)};
        near.add(last, weights.last);
        near.add(second, weights.second);
        Book const book = book_of(of_tile, step_of(near, mean, of_tile.is_even), Coder::value_bits);
        codes[x] = take_magnitude<typename Coder::U>(book, reader);
        magnitude = magnitude_of(codes[x]);
      }
      second = last;
      last = magnitude;
      weights = {is_coded ? 2 : 0, Order::classes == 1 && weights.last > 0 ? 1 : 0};
    }
  }
  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION static U take_magnitude(Book book, StateReader& reader) {
    auto symbol = static_cast<std::uint64_t>(reader.take(book.number));
    if (symbol == escape) {
      int const bits = static_cast<int>(reader.take_bits(escaped_length_bits));
      symbol += ((std::uint64_t{1} << bits) | reader.take_long(bits)) - 1;
    }
    return static_cast<U>(symbol << book.low_bits | reader.take_long(book.low_bits));
  }
};

}  // namespace kompakt::impl::residual_books

#endif
