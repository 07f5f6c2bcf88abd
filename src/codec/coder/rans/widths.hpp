#ifndef KOMPAKT_CODER_RANS_WIDTHS_HPP
#define KOMPAKT_CODER_RANS_WIDTHS_HPP

#include <coder/rans/books.hpp>
#include <coder/rans/neighbours.hpp>
#include <core/bits.hpp>
#include <cstdint>

// Distributions of the widths of residuals, for streams without loss. Their residuals go over many octaves: the mantissas of
// values near zero, small numbers beside large ones. A mean magnitude then says little of the next one, the mean width of
// neighbours says nearly all. Below its highest bit a residual is noise, and is stored as it is. A book falls off to both sides of
// the expected width, by one of four ratios a bit each.

namespace kompakt::impl::residual_books {

/// The coder's bits of a head word of a tile whose books are of widths.
struct TileWidths {
  static constexpr int max_mean = 15, ratios = 4, offsets = 8, middle = 3;
  int mean = 0;             ///< width, in units of 2 bits; of types of 64 bits in units of 4
  int left = 1, right = 1;  ///< how fast books fall off
  int offset = middle;      ///< half bits from the expected width, and `middle`

  KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t bits() const {
    return static_cast<std::uint32_t>(mean | left << 4 | right << 6 | offset << 8);
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr TileWidths of(std::uint32_t bits) {
    return {static_cast<int>(bits & 15u), static_cast<int>(bits >> 4 & 3u),
            static_cast<int>(bits >> 6 & 3u), static_cast<int>(bits >> 8 & 7u)};
  }
};

/// Which book a width has, and the width of its symbol 0.
struct WidthBook {
  /// Expected widths with a book of their own, in half bits; larger ones take the last two, with symbols counted from
  /// a later width.
  static constexpr int halves = 48;
  static constexpr int books = TileWidths::ratios * TileWidths::ratios * halves;
  static constexpr int escape_bits = 7;  ///< of a width without a symbol
  /// The state that a tile is begun with. Zeros take nearly nothing from a state below 2^15: a record that was cut off would often end
  /// as well as a whole one.
  static constexpr std::uint32_t first_state = 50011;

  int number, first;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr WidthBook of(TileWidths const& tile, int step,
                                                            int max_width) {
    int half = step + tile.offset - TileWidths::middle;
    half = half < 0 ? 0 : (half > 2 * max_width ? 2 * max_width : half);
    int const own = half < halves ? half : halves - 2 + half % 2;
    return {(tile.left * TileWidths::ratios + tile.right) * halves + own, (half - own) / 2};
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr int symbol(int width) const {
    int const symbol = width - first;
    return symbol >= 0 && symbol < escape ? symbol : escape;
  }
};

/// Bits of a zig-zag below its highest one.
KOKKOS_FORCEINLINE_FUNCTION int low_bits_of(int width) { return width > 1 ? width - 1 : 0; }

namespace detail {

// What is left of a share a half bit further to the left and to the right, times 2^16: the roots of 0.35, 0.5, 0.65 and 0.85, and of
// 0.03, 0.12, 0.3 and 0.6.
inline constexpr std::uint64_t left_ratios[] = {38771, 46341, 52837, 60421};
inline constexpr std::uint64_t right_ratios[] = {11351, 22702, 35896, 50764};
inline constexpr int least_frequency = 3;

/// Shares, from the expected width on, of each half bit.
struct Falls {
  static constexpr int count = 2 * symbols;
  std::uint64_t share[count] = {};

  constexpr explicit Falls(std::uint64_t ratio) {
    share[0] = std::uint64_t{1} << 24;
    for (int i = 1; i < count; ++i) share[i] = share[i - 1] * ratio >> 16;
  }
};

struct alignas(symbols * 2) WidthTables {  // so that a book is a line of a device's cache
  std::uint16_t below[WidthBook::books][symbols];
};

constexpr void make_book(Falls const& left, Falls const& right, int half, std::uint16_t* sums) {
  std::uint64_t shares[symbols] = {}, sum = 0;
  for (int symbol = 0; symbol < symbols; ++symbol) {
    int const distance = 2 * symbol - half;
    shares[symbol] = distance < 0 ? left.share[-distance] : right.share[distance];
    sum += shares[symbol];
  }
  constexpr std::uint64_t free = (std::uint64_t{1} << precision) - least_frequency * symbols;
  int largest = 0;
  std::uint64_t rest = free;
  for (int symbol = 0; symbol < symbols; ++symbol) {
    if (shares[symbol] > shares[largest]) largest = symbol;
    rest -= shares[symbol] * free / sum;
  }
  std::uint64_t before = 0;
  for (int symbol = 0; symbol < symbols; ++symbol) {
    sums[symbol] = static_cast<std::uint16_t>(before);
    before += least_frequency + shares[symbol] * free / sum + (symbol == largest ? rest : 0);
  }
}

constexpr WidthTables make_width_tables() {
  WidthTables tables{};
  for (int left = 0; left < TileWidths::ratios; ++left) {
    Falls const to_left(left_ratios[left]);
    for (int right = 0; right < TileWidths::ratios; ++right) {
      Falls const to_right(right_ratios[right]);
      for (int half = 0; half < WidthBook::halves; ++half) {
        int const number = (left * TileWidths::ratios + right) * WidthBook::halves + half;
        make_book(to_left, to_right, half, tables.below[number]);
      }
    }
  }
  return tables;
}

}  // namespace detail

KOKKOS_INLINE_FUNCTION detail::WidthTables const& width_tables() {
  static constexpr detail::WidthTables made = detail::make_width_tables();
  return made;
}

/// A weighted sum of widths.
struct WidthSum {
  static constexpr int of_last = 6, of_second = 2;  ///< weights in the point's own row
  int sum, weight;

  KOKKOS_FORCEINLINE_FUNCTION void add(int width, int times) {
    sum += width * times;
    weight += times;
  }
  /// Twice the mean: half bits.
  KOKKOS_FORCEINLINE_FUNCTION int expected() const { return (4 * sum + weight) / (2 * weight); }
};

/// The tile's mean width with what a point has in rows before its own.
/// \param widths  by Point::index(); those in front of the row are known
template <class Order>
KOKKOS_FORCEINLINE_FUNCTION WidthSum widths_elsewhere(std::uint8_t const* widths,
                                                      Point<Order> const& p, int mean,
                                                      CodedTile tile) {
  constexpr int X = Order::X, XY = X * Order::Y;
  WidthSum found{mean, 1};
  int const at = p.index();
  if (Order::Y > 1 && p.y > 0) {
    found.add(widths[at - X], 4);
    if (p.x > 0) found.add(widths[at - X - 1], 2);
    if (p.x + 1 < X && p.x + 1 < tile.nx) found.add(widths[at - X + 1], 2);
  }
  if (Order::Z > 1 && p.z > 0) {
    found.add(widths[at - XY], 4);
    if (p.x > 0) found.add(widths[at - XY - 1], 1);
    if (Order::Y > 1 && p.y > 0) found.add(widths[at - XY - X], 1);
  }
  return found;
}

/// The width that neighbours in front of a point and the tile's mean let expect, in half bits.
/// \param widths  by Point::index(); those in front of the point are known
/// \param mean    of the tile
template <class Order>
KOKKOS_FORCEINLINE_FUNCTION int expected_width(std::uint8_t const* widths, Point<Order> const& p,
                                               int mean, CodedTile tile) {
  WidthSum found = widths_elsewhere(widths, p, mean, tile);
  int const at = p.index();
  if (p.x > 0) found.add(widths[at - 1], WidthSum::of_last);
  if (p.x > 1) found.add(widths[at - 2], WidthSum::of_second);
  return found.expected();
}

}  // namespace kompakt::impl::residual_books

#endif
