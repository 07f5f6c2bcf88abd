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
  /// Rows of windows along x.
  KOKKOS_FUNCTION std::int64_t rows() const { return fields * windows_z() * windows_y(); }
  /// Where the window `x` of a row starts in memory.
  KOKKOS_FUNCTION std::int64_t place(std::int64_t row, std::int64_t x) const {
    std::int64_t const y = row % windows_y(), slab = row / windows_y();
    std::int64_t const z = slab % windows_z(), field = slab / windows_z();
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

/// A team takes up to 128 columns of values: each is added up over the rows of a window, then seven
/// neighbouring columns make a window. Every window is a sum of its own values, without the drift
/// of sums that slide. Scratch: 5 KiB.
template <class T>
struct CompareWindows {
  using value_type = SsimSum;
  static constexpr int columns = 128;
  struct Columns {
    double x[columns], y[columns], xx[columns], yy[columns], xy[columns];
  };
  FieldPair<T> fields;
  SsimGrid grid;
  SsimScale scale;

  KOKKOS_FUNCTION std::int64_t teams_a_row() const {
    std::int64_t const windows = columns - grid.wx + 1;
    return (grid.windows_x() + windows - 1) / windows;
  }
  std::int64_t teams() const { return grid.rows() * teams_a_row(); }

  KOKKOS_FUNCTION void init(SsimSum& sum) const { sum = {0, 0}; }
  KOKKOS_FUNCTION void join(SsimSum& sum, SsimSum const& other) const { sum.join(other); }

  /// The league may be smaller than the work: the numbers of teams are ints.
  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, SsimSum& sum) const {
    [[maybe_unused]] FpEnvironment const environment;
    auto& sums = scratch_of<Columns>(team);
    std::int64_t const per_row = teams_a_row(), work = grid.rows() * per_row;
    for (std::int64_t item = team.league_rank(); item < work; item += team.league_size()) {
      std::int64_t const x = item % per_row * (columns - grid.wx + 1);
      std::int64_t const left = grid.nx - x;
      int const count = static_cast<int>(left < columns ? left : columns);
      add_columns(team, grid.place(item / per_row, x), count, sums);
      team.team_barrier();
      for (int w = team_first(team); w < count - grid.wx + 1; w += team_step(team)) {
        add_window(sums, w, sum);
      }
      team.team_barrier();  // before the columns are those of other windows
    }
  }

 private:
  template <class Team>
  KOKKOS_FUNCTION void add_columns(Team const& team, std::int64_t start, int count,
                                   Columns& sums) const {
    for (int i = team_first(team); i < count; i += team_step(team)) {
      sums.x[i] = sums.y[i] = sums.xx[i] = sums.yy[i] = sums.xy[i] = 0;
    }
    for (int z = 0; z < grid.wz; ++z) {
      for (int y = 0; y < grid.wy; ++y) {
        std::int64_t const row = start + (z * grid.ny + y) * grid.nx;
        T const* const a = fields.original + row;
        T const* const b = fields.reconstructed + row;
        KOMPAKT_INDEPENDENT
        for (int i = team_first(team); i < count; i += team_step(team)) {
          double const u = (static_cast<double>(a[i]) - scale.middle) * scale.scale;
          double const v = (static_cast<double>(b[i]) - scale.middle) * scale.scale;
          sums.x[i] += u;
          sums.y[i] += v;
          sums.xx[i] += u * u;
          sums.yy[i] += v * v;
          sums.xy[i] += u * v;
        }
      }
    }
  }

  KOKKOS_FUNCTION void add_window(Columns const& sums, int first, SsimSum& sum) const {
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (int i = first; i < first + grid.wx; ++i) {
      x += sums.x[i];
      y += sums.y[i];
      xx += sums.xx[i];
      yy += sums.yy[i];
      xy += sums.xy[i];
    }
    double const n = grid.wx * grid.wy * grid.wz;
    double const mean_x = x / n, mean_y = y / n;
    double const variance_x = (xx - x * mean_x) / (n - 1);
    double const variance_y = (yy - y * mean_y) / (n - 1);
    double const covariance = (xy - x * mean_y) / (n - 1);
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
  Kernel const kernel{fields, grid, SsimScale(result.min, result.max)};
  SsimSum sum{0, 0};
  Kokkos::parallel_reduce(
      "kompakt::metrics::ssim",
      teams_with<typename Kernel::Columns>(exec, kernel.teams(), Kernel::columns), kernel, sum);
  exec.fence("kompakt::metrics::ssim");
  result.ssim_windows = sum.windows;
  if (sum.windows > 0) result.ssim = 1 - sum.loss / static_cast<double>(sum.windows);
}

}  // namespace kompakt::impl

#endif
