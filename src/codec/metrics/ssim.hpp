#ifndef KOMPAKT_METRICS_SSIM_HPP
#define KOMPAKT_METRICS_SSIM_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <core/fp_environment.hpp>
#include <core/team.hpp>
#include <kompakt/metrics.hpp>
#include <metrics/pairs.hpp>

// Structural similarity. Source: Wang, Bovik, Sheikh, Simoncelli, Image quality assessment: from error
// visibility to structural similarity, IEEE Trans. Image Processing 13 (2004), doi:10.1109/TIP.2003.819861;
// uniform windows, sample covariance and a mean over the inner windows as in scikit-image.

namespace kompakt::impl {

/// A field as a number of fields of three axes, and the windows in each.
struct SsimGrid {
  static constexpr int width = Metrics::ssim_width;
  std::int64_t nx = 1, ny = 1, nz = 1, fields = 1;  ///< extents, x the fastest
  int wx = 1, wy = 1, wz = 1;  ///< extents of a window, 1 along an axis that is not there
  bool has_windows = false;

  explicit SsimGrid(FieldShape const& shape) {
    std::int64_t* const extents[] = {&nx, &ny, &nz};
    int* const widths[] = {&wx, &wy, &wz};
    int axes = 0;
    bool fits = true;
    for (int i = 0; i < shape.rank; ++i) {
      int const axis = shape.order == Order::last_fastest ? shape.rank - 1 - i : i;
      auto const extent = static_cast<std::int64_t>(shape.extents[static_cast<std::size_t>(axis)]);
      if (extent == 1) continue;
      if (axes == 3) {
        fields *= extent;
        continue;
      }
      fits = fits && extent >= width;
      *extents[axes] = extent;
      *widths[axes++] = width;
    }
    has_windows = axes > 0 && fits && fields > 0;
  }

  KOKKOS_FUNCTION std::int64_t windows_x() const { return nx - wx + 1; }
  KOKKOS_FUNCTION std::int64_t windows_y() const { return ny - wy + 1; }
  KOKKOS_FUNCTION std::int64_t windows_z() const { return nz - wz + 1; }
  /// Planes of windows.
  KOKKOS_FUNCTION std::int64_t planes() const { return fields * windows_z(); }
  /// Where the window (y, x) of a plane starts in memory.
  KOKKOS_FUNCTION std::int64_t place(std::int64_t plane, std::int64_t y, std::int64_t x) const {
    std::int64_t const z = plane % windows_z(), field = plane / windows_z();
    return ((field * nz + z) * ny + y) * nx + x;
  }
};

/// What makes the values small numbers around 0, so that their squares neither overflow nor cancel:
/// (value - middle) * scale, with a power of two. Windows add to it what the middle is.
struct SsimScale {
  double middle, scale;
  double mean;    ///< the middle, scaled
  double c1, c2;  ///< (0.01 range)^2 and (0.03 range)^2, scaled

  SsimScale(double min, double max) : middle(min / 2 + max / 2) {
    // The largest and smallest powers of two are far enough: what they leave has squares.
    int const exponent = std::clamp(std::ilogb(max / 2 - min / 2), -1022, 1022);
    scale = std::ldexp(1.0, -exponent);
    mean = middle * scale;
    double const range = max * scale - min * scale;
    c1 = (0.01 * range) * (0.01 * range);
    c2 = (0.03 * range) * (0.03 * range);
  }
};

struct SsimSum {
  double loss;  ///< 1 - similarity, which is small: the sum keeps the digits behind the nines
  std::uint64_t windows;
  KOKKOS_INLINE_FUNCTION void join(SsimSum const& other) {
    loss += other.loss;
    windows += other.windows;
  }
};

/// What the values of a window add up to.
struct WindowSums {
  double x = 0, y = 0, xx = 0, yy = 0, xy = 0;

  KOKKOS_FORCEINLINE_FUNCTION void add(double u, double v) {
    x += u;
    y += v;
    xx += u * u;
    yy += v * v;
    xy += u * v;
  }
};

/// A team takes 128 columns of values, and a strip of rows of windows. Of each row of values it adds up what
/// lies on top of each other along z, keeps that for the rows of a window, adds those up, and then seven
/// neighbouring columns are a window. Every window is a sum of its own values, without the drift of sums
/// that slide. Scratch: 35 KiB.
template <class T>
struct CompareWindows {
  using value_type = SsimSum;
  static constexpr int columns = 128, strip = 32;
  struct Columns {
    double x[columns], y[columns], xx[columns], yy[columns], xy[columns];

    KOKKOS_FORCEINLINE_FUNCTION void add_to(WindowSums& sums, int i) const {
      sums.x += x[i];
      sums.y += y[i];
      sums.xx += xx[i];
      sums.yy += yy[i];
      sums.xy += xy[i];
    }
    KOKKOS_FORCEINLINE_FUNCTION void set(int i, WindowSums const& sums) {
      x[i] = sums.x;
      y[i] = sums.y;
      xx[i] = sums.xx;
      yy[i] = sums.yy;
      xy[i] = sums.xy;
    }
  };
  /// The sums along z of the latest rows of values; row y is at y % wy.
  struct Rows {
    Columns at[SsimGrid::width];
  };
  FieldPair<T> fields;
  SsimGrid grid;
  SsimScale scale;
  double share, spare_share;  ///< 1 / n and 1 / (n - 1) for the n values of a window

  CompareWindows(FieldPair<T> const& f, SsimGrid const& g, SsimScale const& s)
      : fields(f), grid(g), scale(s) {
    double const n = g.wx * g.wy * g.wz;
    share = 1 / n;
    spare_share = 1 / (n - 1);
  }

  KOKKOS_FUNCTION std::int64_t teams_a_row() const {
    std::int64_t const windows = columns - grid.wx + 1;
    return (grid.windows_x() + windows - 1) / windows;
  }
  KOKKOS_FUNCTION std::int64_t strips() const { return (grid.windows_y() + strip - 1) / strip; }
  KOKKOS_FUNCTION std::int64_t teams() const { return grid.planes() * strips() * teams_a_row(); }

  KOKKOS_FUNCTION void init(SsimSum& sum) const { sum = {0, 0}; }
  KOKKOS_FUNCTION void join(SsimSum& sum, SsimSum const& other) const { sum.join(other); }

  /// The league may be smaller than the work: the numbers of teams are ints.
  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, SsimSum& sum) const {
    [[maybe_unused]] FpEnvironment const environment;
    auto& rows = scratch_of<Rows>(team);
    std::int64_t const per_row = teams_a_row(), work = teams();
    for (std::int64_t item = team.league_rank(); item < work; item += team.league_size()) {
      std::int64_t const x = item % per_row * (columns - grid.wx + 1), band = item / per_row;
      std::int64_t const y = band % strips() * strip, left = grid.nx - x;
      std::int64_t const windows_left = grid.windows_y() - y;
      int const count = static_cast<int>(left < columns ? left : columns);
      int const windows = static_cast<int>(windows_left < strip ? windows_left : strip);
      compare_strip(team, grid.place(band / strips(), y, x), count, windows, rows, sum);
    }
  }

 private:
  /// \param start    of the first window in memory
  /// \param count    columns of values
  /// \param windows  along y
  template <class Team>
  KOKKOS_FUNCTION void compare_strip(Team const& team, std::int64_t start, int count, int windows,
                                     Rows& rows, SsimSum& sum) const {
    SsimSum of_strip{0, 0};
    for (int row = 0; row < windows + grid.wy - 1; ++row) {
      add_row(team, start + row * grid.nx, count, rows.at[row % grid.wy]);
      if (row < grid.wy - 1) continue;
      // In place of the oldest row, which is not needed any more.
      Columns& whole = rows.at[(row + 1) % grid.wy];
      add_rows(team, rows, count, whole);
      team.team_barrier();
      for (int w = team_first(team); w < count - grid.wx + 1; w += team_step(team)) {
        add_window(whole, w, of_strip);
      }
      team.team_barrier();  // before the columns are those of other windows
    }
    sum.join(of_strip);
  }

  template <class Team>
  KOKKOS_FUNCTION void add_row(Team const& team, std::int64_t start, int count,
                               Columns& row) const {
    T const* const a = fields.original + start;
    T const* const b = fields.reconstructed + start;
    std::int64_t const plane = grid.ny * grid.nx;
    KOMPAKT_INDEPENDENT
    for (int i = team_first(team); i < count; i += team_step(team)) {
      WindowSums sums;
      for (int z = 0; z < grid.wz; ++z) {
        double const u = (static_cast<double>(a[z * plane + i]) - scale.middle) * scale.scale;
        double const v = (static_cast<double>(b[z * plane + i]) - scale.middle) * scale.scale;
        sums.add(u, v);
      }
      row.set(i, sums);
    }
  }

  template <class Team>
  KOKKOS_FUNCTION void add_rows(Team const& team, Rows const& rows, int count,
                                Columns& whole) const {
    KOMPAKT_INDEPENDENT
    for (int i = team_first(team); i < count; i += team_step(team)) {
      WindowSums sums;
      for (int y = 0; y < grid.wy; ++y) rows.at[y].add_to(sums, i);
      whole.set(i, sums);
    }
  }

  KOKKOS_FUNCTION void add_window(Columns const& whole, int first, SsimSum& sum) const {
    WindowSums sums;
    for (int i = first; i < first + grid.wx; ++i) whole.add_to(sums, i);
    double const mean_x = sums.x * share, mean_y = sums.y * share;
    double const variance_x = (sums.xx - sums.x * mean_x) * spare_share;
    double const variance_y = (sums.yy - sums.y * mean_y) * spare_share;
    double const covariance = (sums.xy - sums.x * mean_y) * spare_share;
    double const u = scale.mean + mean_x, v = scale.mean + mean_y;
    double const similarity = (2 * u * v + scale.c1) * (2 * covariance + scale.c2) /
                              ((u * u + v * v + scale.c1) * (variance_x + variance_y + scale.c2));
    // One value that is not finite is in all sums of its windows.
    if (!is_number(similarity)) return;
    sum.loss += 1 - similarity;
    ++sum.windows;
  }
};

/// \param result  with the basic metrics; gets the similarity
template <class T, class Exec>
void set_ssim(Exec const& exec, FieldPair<T> const& fields, FieldShape const& shape,
              Metrics& result) {
  using Kernel = CompareWindows<T>;
  SsimGrid const grid(shape);
  if (!grid.has_windows || result.min == result.max) return;
  Kernel const kernel(fields, grid, SsimScale(result.min, result.max));
  SsimSum sum{0, 0};
  Kokkos::parallel_reduce("kompakt::metrics::ssim",
                          teams_with<typename Kernel::Rows>(exec, kernel.teams(), Kernel::columns),
                          kernel, sum);
  exec.fence("kompakt::metrics::ssim");
  result.ssim_windows = sum.windows;
  if (sum.windows > 0) result.ssim = 1 - sum.loss / static_cast<double>(sum.windows);
}

}  // namespace kompakt::impl

#endif
