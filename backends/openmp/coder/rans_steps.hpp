#ifndef KOMPAKT_OPENMP_CODER_RANS_STEPS_HPP
#define KOMPAKT_OPENMP_CODER_RANS_STEPS_HPP

#include <coder/rans/neighbours.hpp>
#include <coder/rans/tile_books.hpp>
#include <openmp/simd.hpp>

// What decides the books of eight residuals at a time: logarithms, and the sums of neighbours where all residuals are known.

#ifdef KOMPAKT_HOST_SIMD

namespace kompakt::impl::simd {

/// Three times residual_books::logarithm(), by what Numbers::highest_seven_bits() gives.
struct Logarithms {
  std::uint16_t tripled[31 * 64 + 1];  // loaded in words

  Logarithms() : tripled{} {
    for (int i = 0; i < 31 * 64; ++i) {
      int const fraction = residual_books::logarithm(64u + static_cast<unsigned>(i) % 64) - 64 * 6;
      tripled[i] = static_cast<std::uint16_t>(3 * (i / 64 * 64 + fraction));
    }
  }
  static Logarithms const& all() {
    static Logarithms const made;
    return made;
  }
};

/// The sums of the weights of the neighbours of all residuals of a tile, and three times the logarithms of those with the weight
/// of the tile: its own, and its own if it is even. By Point::index().
template <class Order>
struct WeightsOfTile {
  std::uint8_t of[tile_values];
  std::uint16_t tripled[2][tile_values];

  explicit WeightsOfTile(CodedTile tile) : of{}, tripled{} {
    for (int c = Order::first_class; c < Order::classes; ++c) {
      for (int row = 0; row < residual_books::rows_of<Order>; ++row) {
        int const points = Order::points_of_row(c, row, tile);
        if (points > 0) add_row(c, row, points, tile);
      }
    }
  }
  static WeightsOfTile const& of_whole_tile() {
    static WeightsOfTile const made{CodedTile{}};
    return made;
  }

 private:
  struct NoMagnitudes {
    std::uint64_t operator[](int) const { return 0; }
  };

  void add_row(int c, int row, int points, CodedTile tile) {
    residual_books::RowOfNeighbours<Order> const elsewhere(NoMagnitudes{}, c, row, points, tile);
    for (int x = 0; x < points; ++x) {
      auto const point = residual_books::Point<Order>::of(c, row, x);
      residual_books::RowWeights const own = residual_books::row_weights(point, tile);
      int const weight = elsewhere.weight(x) + own.last + own.second;
      of[point.index()] = static_cast<std::uint8_t>(weight);
      for (bool const is_even : {false, true}) {
        auto const all = static_cast<unsigned>(weight + residual_books::weight_of_tile(is_even));
        tripled[is_even][point.index()] =
            static_cast<std::uint16_t>(3 * residual_books::logarithm(all));
      }
    }
  }
};

/// Magnitudes of a tile in rows with zeros around, so that places without a neighbour need no look.
template <class Order>
class PaddedRows {
  using N = Numbers<1>;
  static constexpr int X = Order::X, stride = X + 16, rows = residual_books::rows_of<Order>;

 public:
  explicit PaddedRows(std::uint32_t const* zigzags) {
    for (int row = Order::first_class * rows; row < Order::classes * rows; ++row) {
      for (int x = 0; x < X; ++x) {
        std::uint32_t const zigzag = zigzags[row * X + x];
        at(row)[x] = zigzag / 2 + zigzag % 2;
        m_largest |= zigzag;
      }
    }
  }
  bool are_below(int bits) const { return m_largest >> bits >> 1 == 0; }

  /// The weighted sums of the neighbours of eight points from x on.
  /// \param row  y + Y z
  KOMPAKT_SIMD_INLINE N sums(int c, int row, int x) const {
    int const y = row % Order::Y, z = row / Order::Y, here = c * rows + row;
    std::uint32_t const* const own = at(here) + x;
    std::uint32_t const* const below = (y > 0 ? at(here - 1) : none()) + x;
    std::uint32_t const* const behind = (z > 0 ? at(here - Order::Y) : none()) + x;
    N sum = N::load(own - 1);
    if constexpr (Order::Y > 1) sum += N::load(below);
    if constexpr (Order::Z > 1) sum += N::load(behind);
    sum = sum << 1;
    if constexpr (Order::classes == 1) {
      sum += N::load(own - 2);
      if constexpr (Order::Y > 1) sum += N::load(below - 1) + N::load(below + 1);
    } else if ((c & (c - 1)) != 0) {
      for (int axis = 0; axis < 3; ++axis) {
        if ((c >> axis & 1) != 0) sum += of_class_before(c ^ 1 << axis, row, x, axis);
      }
    }
    return sum;
  }

 private:
  KOMPAKT_SIMD_INLINE N of_class_before(int c, int row, int x, int axis) const {
    int const y = row % Order::Y, z = row / Order::Y, here = c * rows + row;
    std::uint32_t const* next = at(here) + 1;
    if (axis == 1) next = y + 1 < Order::Y ? at(here + 1) : none();
    if (axis == 2) next = z + 1 < Order::Z ? at(here + Order::Y) : none();
    return N::load(at(here) + x) + N::load(next + x);
  }
  KOMPAKT_SIMD_INLINE std::uint32_t* at(int row) { return m_words + (row + 1) * stride + 8; }
  KOMPAKT_SIMD_INLINE std::uint32_t const* at(int row) const {
    return m_words + (row + 1) * stride + 8;
  }
  KOMPAKT_SIMD_INLINE std::uint32_t const* none() const { return m_words + 8; }

  std::uint32_t m_words[(Order::classes * rows + 1) * stride] = {};
  std::uint32_t m_largest = 0;
};

/// Finds the steps of all residuals of a tile without a mask.
/// \param steps, even_steps  by Point::index(); `outside` where nothing is coded
template <class Order>
class StepsOfTile {
  using N = Numbers<1>;

 public:
  StepsOfTile(CodedTile tile, std::uint64_t mean, PaddedRows<Order> const& rows,
              WeightsOfTile<Order> const& weights)
      : m_tile(tile), m_mean(static_cast<std::uint32_t>(mean)), m_rows(rows), m_weights(weights) {}

  void find(std::uint8_t outside, std::uint8_t* steps, std::uint8_t* even_steps) const {
    for (int c = Order::first_class; c < Order::classes; ++c) {
      for (int row = 0; row < residual_books::rows_of<Order>; ++row) {
        int const points = Order::points_of_row(c, row, m_tile);
        int const begin = residual_books::Point<Order>::of(c, row, 0).index();
        for (int x = 0; x < points; x += 8) {
          N const sum = m_rows.sums(c, row, x) << 8;
          of(sum, begin + x, false).store_bytes(steps + begin + x);
          of(sum, begin + x, true).store_bytes(even_steps + begin + x);
        }
        for (int x = points > 0 ? points : 0; x < Order::X; ++x) {
          steps[begin + x] = even_steps[begin + x] = outside;
        }
      }
    }
  }

 private:
  KOMPAKT_SIMD_INLINE N of(N sum, int index, bool is_even) const {
    auto const own = static_cast<std::uint32_t>(residual_books::weight_of_tile(is_even));
    N const all = sum + N::load_bytes(m_weights.of + index) + N(own * m_mean + own);
    N const tripled = N::gather<2>(m_logarithms.tripled, all.highest_seven_bits()) & N(0xffff);
    return (tripled - N::load_halfwords(m_weights.tripled[is_even] + index)) >> 6;
  }

  CodedTile m_tile;
  std::uint32_t m_mean;
  PaddedRows<Order> const& m_rows;
  WeightsOfTile<Order> const& m_weights;
  Logarithms const& m_logarithms = Logarithms::all();
};

}  // namespace kompakt::impl::simd

#endif
#endif
