#ifndef KOMPAKT_CODER_RANS_TAKE_MAGNITUDES_HPP
#define KOMPAKT_CODER_RANS_TAKE_MAGNITUDES_HPP

#include <coder/rans/books.hpp>
#include <coder/rans/neighbours.hpp>
#include <coder/rans/tile_books.hpp>
#include <core/record.hpp>
#include <cstdint>

// The order in which one thread takes the residuals of a tile, and what it knows of each before.

namespace kompakt::impl::residual_books {

/// Zig-zags that lie side by side, by Point::index().
template <class U>
struct ZigzagsOfTile {
  U* values;

  KOKKOS_FORCEINLINE_FUNCTION U operator[](int index) const { return values[index]; }
  KOKKOS_FORCEINLINE_FUNCTION void set(int index, U zigzag) const { values[index] = zigzag; }
};

/// Takes what lies behind a symbol.
/// \tparam U       of the zig-zag, which loses higher bits
/// \tparam Reader  StateReader, or as this
template <class U, class Reader>
KOKKOS_FORCEINLINE_FUNCTION U take_beyond(std::uint64_t symbol, int low_bits, Reader& reader) {
  if (symbol == escape) {
    int const bits = static_cast<int>(reader.take_bits(escaped_length_bits));
    symbol += ((std::uint64_t{1} << bits) | reader.take_long(bits)) - 1;
  }
  return static_cast<U>(symbol << low_bits | reader.take_long(low_bits));
}

/// Takes the residuals of a row that is inside the field.
template <class Order, class Zigzags, class Taker>
KOKKOS_FORCEINLINE_FUNCTION void take_row(CodedTile tile, int c, int row, int points,
                                          Zigzags zigzags, Taker& taker) {
  using Sum = typename Taker::Sum;
  RowOfNeighbours<Order, Sum> const elsewhere(zigzags, c, row, points, tile);
  int const begin = Point<Order>::of(c, row, 0).index();
  // What a value and the one before it say of the next one; nothing if they are masked or not there.
  Sum last = 0, second = 0;
  RowWeights weights{0, 0};
  for_points<Order::X>(
      0, points, [&](int x) __attribute__((always_inline)) {
        bool const is_coded = !Order::is_masked(tile, x);
        typename Taker::Zigzag zigzag{0};
        if (is_coded) {
          Sum const sum = elsewhere.sum(x) + last * static_cast<unsigned>(weights.last) +
                          second * static_cast<unsigned>(weights.second);
          zigzag = taker.take(sum, elsewhere.weight(x) + weights.last + weights.second);
        }
        zigzags.set(begin + x, zigzag);
        second = last;
        last = magnitude_of(zigzag);
        weights = {is_coded ? 2 : 0, Order::classes == 1 && weights.last > 0 ? 1 : 0};
      });
}

/// Takes all residuals of a tile.
/// \param zigzags  by Point::index()
/// \param taker    has the types Zigzag and Sum, of magnitudes, and take(sum, weight), which takes a residual whose neighbours
///                 come to this sum and this weight
template <class Order, class Zigzags, class Taker>
KOKKOS_INLINE_FUNCTION void take_magnitudes(CodedTile tile, Zigzags zigzags, Taker& taker) {
  for (int c = Order::first_class; c < Order::classes; ++c) {
    for (int row = 0; row < rows_of<Order>; ++row) {
      int const points = Order::points_of_row(c, row, tile);
      int const begin = Point<Order>::of(c, row, 0).index();
      for (int x = points; x < Order::X; ++x) zigzags.set(begin + x, typename Taker::Zigzag{0});
      if (points > 0) take_row<Order>(tile, c, row, points, zigzags, taker);
    }
  }
}

}  // namespace kompakt::impl::residual_books

#endif
