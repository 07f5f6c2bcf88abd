#ifndef KOMPAKT_CODER_RANS_ONE_THREAD_HPP
#define KOMPAKT_CODER_RANS_ONE_THREAD_HPP

#include <coder/rans/books.hpp>
#include <coder/rans/counted_codes.hpp>
#include <coder/rans/neighbours.hpp>
#include <coder/rans/state.hpp>
#include <coder/rans/take_magnitudes.hpp>
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

/// What takes residuals of any size.
template <class Coder>
struct PlainTaker {
  using Zigzag = typename Coder::U;
  using Sum = std::uint64_t;
  StateReader reader;
  TileBooks of_tile;
  std::uint64_t mean;

  KOKKOS_FORCEINLINE_FUNCTION Zigzag take(Sum sum, int weight) {
    int const step = step_of(Neighbours{sum, weight}, mean, of_tile.is_even);
    Book const book = book_of(of_tile, step, Coder::value_bits);
    auto const symbol = static_cast<std::uint64_t>(reader.take(book.number));
    return take_beyond<Zigzag>(symbol, book.low_bits, reader);
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
    PlainTaker<Coder> taker{reader, plan.books, plan.books.mean_256()};
    take_magnitudes<Order>(tile, ZigzagsOfTile<typename Coder::U>{scratch.zigzags}, taker);
    return taker.reader.is_at_end();
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
};

}  // namespace kompakt::impl::residual_books

#endif
