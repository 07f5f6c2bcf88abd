#ifndef KOMPAKT_CODER_RANS_NEIGHBOURS_HPP
#define KOMPAKT_CODER_RANS_NEIGHBOURS_HPP

#include <Kokkos_Core.hpp>
#include <core/bits.hpp>
#include <core/half_tile.hpp>
#include <core/record.hpp>
#include <core/team.hpp>
#include <core/tile.hpp>

// What the residuals of a tile that come before one of them say of its magnitude. A tile has its residuals in one of two orders:
// as they lie, or, on the levels of an interpolated field, class by class (half_tile.hpp). Values of one class predict each
// other along the axes; each also lies between values of classes that come before.

namespace kompakt::impl::residual_books {

/// All places of a tile, as they lie.
template <class Shape>
struct NaturalOrder {
  static constexpr int X = Shape::X, Y = Shape::Y, Z = Shape::Z;
  static constexpr int first_class = 0, classes = 1;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int place(int, int row, int x) {
    return row * X + x;
  }
  /// How many points of a row are inside the field: the first ones.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int points_of_row(int, int row, CodedTile tile) {
    if (row % Y >= tile.ny || row / Y >= tile.nz) return 0;
    return tile.nx < X ? tile.nx : X;
  }
  /// Whether a place is masked, as only those of chains are.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool is_masked(CodedTile tile, int place) {
    return Y == 1 && tile.is_masked(place);
  }
};

/// Class by class without class 0, which holds no residuals.
template <class Shape>
struct ClassOrder {
  using Half = HalfTile<Shape>;
  static constexpr int X = Half::X, Y = Half::Y, Z = Half::Z;
  static constexpr int first_class = 1, classes = Half::classes;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int place(int c, int row, int x) {
    return Half::place(c, row, x);
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int points_of_row(int c, int row, CodedTile tile) {
    if (2 * (row % Y) + (c >> 1 & 1) >= tile.ny || 2 * (row / Y) + (c >> 2 & 1) >= tile.nz)
      return 0;
    int const points = (tile.nx - (c & 1) + 1) / 2;
    return points < X ? points : X;
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool is_masked(CodedTile, int) { return false; }
};

/// Rows of a class, and the index of the first residual that is coded.
template <class Order>
inline constexpr int rows_of = Order::Y* Order::Z;
template <class Order>
inline constexpr int first_of = Order::first_class* rows_of<Order>* Order::X;

/// Where a residual stands in its order.
template <class Order>
struct Point {
  int c, x, y, z;

  /// \param row  y + Y z
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Point of(int c, int row, int x) {
    return {c, x, row % Order::Y, row / Order::Y};
  }
  /// Whether its residual is coded: it is inside the field, and not masked.
  KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_coded(CodedTile tile) const {
    return x < Order::points_of_row(c, y + Order::Y * z, tile) && !Order::is_masked(tile, x);
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr int index() const { return index_in(c); }
  KOKKOS_FORCEINLINE_FUNCTION constexpr int index_in(int of_class) const {
    return ((of_class * Order::Z + z) * Order::Y + y) * Order::X + x;
  }
};

/// A weighted sum of magnitudes.
template <class Sum>
struct NeighboursBy {
  Sum sum = 0;
  int weight = 0;

  KOKKOS_FORCEINLINE_FUNCTION void add(std::uint64_t magnitude, int times) {
    sum += static_cast<Sum>(magnitude) * static_cast<Sum>(times);
    weight += times;
  }
};
using Neighbours = NeighboursBy<std::uint64_t>;

inline constexpr std::uint64_t max_magnitude = std::uint64_t{1} << 48;

template <class U>
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t magnitude_of(U zigzag) {
  std::uint64_t const magnitude = zigzag / 2 + (zigzag & 1u);
  return sizeof(U) == 8 && magnitude > max_magnitude ? max_magnitude : magnitude;
}

/// How much the residuals in front of a point in its own row count: the one before it, and the one before that.
struct RowWeights {
  int last, second;
};
template <class Order>
KOKKOS_FORCEINLINE_FUNCTION RowWeights row_weights(Point<Order> const& p, CodedTile tile) {
  int const at = p.index();
  bool const has_last = p.x > 0 && !Order::is_masked(tile, at - 1);
  bool const has_second = Order::classes == 1 && p.x > 1 && !Order::is_masked(tile, at - 2);
  return {has_last ? 2 : 0, has_second ? 1 : 0};
}

/// The neighbours of a point in rows before its own, and in classes before its own.
/// \tparam Sum      that no sum of magnitudes of the tile exceeds
/// \param zigzags  by Point::index(); those in front of the row are known
template <class Order, class Sum = std::uint64_t, class U>
KOKKOS_FORCEINLINE_FUNCTION NeighboursBy<Sum> neighbours_elsewhere(U const* zigzags,
                                                                   Point<Order> const& p,
                                                                   CodedTile tile) {
  constexpr int X = Order::X, XY = X * Order::Y;
  NeighboursBy<Sum> found;
  int const at = p.index();
  auto const add = [&](int index, int times) { found.add(magnitude_of(zigzags[index]), times); };
  if (Order::Y > 1 && p.y > 0) add(at - X, 2);
  if (Order::Z > 1 && p.z > 0) add(at - XY, 2);
  if constexpr (Order::classes == 1) {
    if (Order::Y > 1 && p.y > 0) {
      if (p.x > 0) add(at - X - 1, 1);
      if (p.x + 1 < X && p.x + 1 < tile.nx) add(at - X + 1, 1);
    }
  } else {
    bool const is_edge = (p.c & (p.c - 1)) == 0;  // between values of class 0 alone
    if (is_edge) return found;
    if ((p.c & 1) != 0) {
      int const index = p.index_in(p.c ^ 1);
      add(index, 1);
      if (p.x + 1 < X && 2 * (p.x + 1) < tile.nx) add(index + 1, 1);
    }
    if ((p.c & 2) != 0) {
      int const index = p.index_in(p.c ^ 2);
      add(index, 1);
      if (p.y + 1 < Order::Y && 2 * (p.y + 1) < tile.ny) add(index + X, 1);
    }
    if ((p.c & 4) != 0) {
      int const index = p.index_in(p.c ^ 4);
      add(index, 1);
      if (p.z + 1 < Order::Z && 2 * (p.z + 1) < tile.nz) add(index + XY, 1);
    }
  }
  return found;
}

/// body(x) for the points from one to before another of a row of up to X. On a device short rows are loops of known length, so that
/// arrays by x lie in registers.
template <int X, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_points(int first, int end, Body const& body) {
  KOKKOS_IF_ON_DEVICE((
      if constexpr (X <= 32) {
        KOMPAKT_UNROLL
        for (int x = 0; x < X; ++x) {
          if (x >= first && x < end) body(x);
        }
      } else {
        for (int x = first; x < end; ++x) body(x);
      }))
  KOKKOS_IF_ON_HOST((for (int x = first; x < end; ++x) body(x);))
}

/// What neighbours_elsewhere() finds for all points of a row, in loops along the row.
/// \tparam Sum  of magnitudes: a number, or numbers of several tiles of the same extents
template <class Order, class Sum = std::uint64_t>
class RowOfNeighbours {
 public:
  static constexpr bool has_any = Order::Y > 1;  ///< a chain has one row, and one class of edges

  /// \param zigzags  by Point::index()
  /// \param row      y + Y z
  /// \param points   of the row, inside the field
  template <class Zigzags>
  KOKKOS_FORCEINLINE_FUNCTION RowOfNeighbours(Zigzags zigzags, int c, int row, int points,
                                              CodedTile tile) {
    if constexpr (has_any) {
      for_points<X>(
          0, points, [&](int x) __attribute__((always_inline)) {
            m_sums[x] = Sum{0};
            m_weights[x] = 0;
          });
      auto const add = [&](int index, int first, int end, int times) {
        for_points<X>(
            first, end, [&](int x) __attribute__((always_inline)) {
              m_sums[x] += magnitude_of(zigzags[index + x]) * static_cast<unsigned>(times);
              m_weights[x] += times;
            });
      };
      auto const p = Point<Order>::of(c, row, 0);
      if (p.y > 0) add(p.index() - X, 0, points, 2);
      if (Order::Z > 1 && p.z > 0) add(p.index() - XY, 0, points, 2);
      if constexpr (Order::classes == 1) {
        if (p.y > 0) {
          add(p.index() - X - 1, 1, points, 1);
          add(p.index() - X + 1, 0, points - 1, 1);
        }
      } else {
        add_classes_before(p, points, tile, add);
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION Sum sum(int x) const {
    if constexpr (has_any) {
      return m_sums[x];
    } else {
      return Sum{0};
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION int weight(int x) const { return has_any ? m_weights[x] : 0; }

 private:
  static constexpr int X = Order::X, XY = X * Order::Y;

  template <class Add>
  KOKKOS_FORCEINLINE_FUNCTION static void add_classes_before(Point<Order> const& p, int points,
                                                             CodedTile tile, Add const& add) {
    bool const is_edge = (p.c & (p.c - 1)) == 0;
    if (is_edge) return;
    if ((p.c & 1) != 0) {
      int const index = p.index_in(p.c ^ 1);
      int const behind = (tile.nx - 1) / 2 < X - 1 ? (tile.nx - 1) / 2 : X - 1;
      add(index, 0, points, 1);
      add(index + 1, 0, behind < points ? behind : points, 1);
    }
    if ((p.c & 2) != 0) {
      int const index = p.index_in(p.c ^ 2);
      add(index, 0, points, 1);
      if (p.y + 1 < Order::Y && 2 * (p.y + 1) < tile.ny) add(index + X, 0, points, 1);
    }
    if ((p.c & 4) != 0) {
      int const index = p.index_in(p.c ^ 4);
      add(index, 0, points, 1);
      if (p.z + 1 < Order::Z && 2 * (p.z + 1) < tile.nz) add(index + XY, 0, points, 1);
    }
  }

  static constexpr int room = has_any ? X : 1;
  Sum m_sums[room];
  int m_weights[room];
};

/// The neighbours in front of a point.
/// \param zigzags  by Point::index(); those in front of the point are known
template <class Order, class Sum = std::uint64_t, class U>
KOKKOS_FORCEINLINE_FUNCTION NeighboursBy<Sum> neighbours_of(U const* zigzags, Point<Order> const& p,
                                                            CodedTile tile) {
  auto found = neighbours_elsewhere<Order, Sum>(zigzags, p, tile);
  RowWeights const row = row_weights(p, tile);
  int const at = p.index();
  if (row.last > 0) found.add(magnitude_of(zigzags[at - 1]), row.last);
  if (row.second > 0) found.add(magnitude_of(zigzags[at - 2]), row.second);
  return found;
}

}  // namespace kompakt::impl::residual_books

#endif
