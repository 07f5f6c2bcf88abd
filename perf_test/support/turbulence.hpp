#ifndef KOMPAKT_PERF_SUPPORT_TURBULENCE_HPP
#define KOMPAKT_PERF_SUPPORT_TURBULENCE_HPP

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace kompakt::perf {

// A field that looks like one component of a turbulent velocity: a sum of gradient noise on
// lattices of 4, 8, … 256 grid cells (Perlin, SIGGRAPH 1985), each octave 2^(1/3) times as strong as
// the next finer one. That is a Hurst exponent of 1/3 and so Kolmogorov's spectrum E(k) ~ k^(-5/3);
// the two finest octaves are damped, as viscosity does, so that the field is smooth over about 4
// cells.
//
// A value depends on its position alone, not on the extents: a larger field continues a smaller
// one, and its range and ratio stay about the same. The arithmetic is integer hashing, additions and
// multiplications, so that targets with kompakt_numeric_flags() get the same bits everywhere.

/// One lattice of gradients.
struct Octave {
  int log2_cells;    ///< grid cells between two lattice points, as a power of 2
  double amplitude;  ///< before damping 1 for the finest octave, 4 for the coarsest
  std::uint32_t seed;
  std::uint32_t shift[3];  ///< moves the lattice, so that octaves have no common zeros
};

inline constexpr int octave_count = 7;
inline constexpr double octave_gain = 1.2599210498948732;  // 2^(1/3)
// Dissipation. With these 256^3 floats compress 6 (chain) to 9 times (tiles) at r2r 1e-3, between
// the rough and the smooth fields of simulations.
inline constexpr double finest_damping[2] = {0.35, 0.8};

/// A bijection of 32-bit words that flips each bit with probability 1/2.
/// Source: Wellons, "Prospecting for hash functions", 2018, lowbias32.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t mix(std::uint32_t h) {
  h ^= h >> 16;
  h *= 0x7feb352dU;
  h ^= h >> 15;
  h *= 0x846ca68bU;
  return h ^ (h >> 16);
}

constexpr std::array<Octave, octave_count> make_octaves() {
  std::array<Octave, octave_count> octaves{};
  double amplitude = 1;
  for (int i = 0; i < octave_count; ++i, amplitude *= octave_gain) {
    auto const seed = static_cast<std::uint32_t>(i + 1) * 0x9e3779b9U;
    octaves[i] = {i + 2,
                  i < 2 ? amplitude * finest_damping[i] : amplitude,
                  seed,
                  {mix(seed ^ 1) & 0xffff, mix(seed ^ 2) & 0xffff, mix(seed ^ 3) & 0xffff}};
  }
  return octaves;
}

/// Where a coordinate lies in the lattice of an octave.
template <class T>
struct LatticePoint {
  std::uint32_t cell;
  T offset;  ///< in [0, 1), exact

  KOKKOS_FORCEINLINE_FUNCTION LatticePoint(std::uint32_t coordinate, int log2_cells) {
    std::uint32_t const mask = (1U << log2_cells) - 1;
    cell = coordinate >> log2_cells;
    // Half a grid cell off: gradient noise is zero at lattice points.
    T const scale = T(1) / static_cast<T>(std::int32_t{2} << log2_cells);
    offset = static_cast<T>(static_cast<std::int32_t>(2 * (coordinate & mask) + 1)) * scale;
  }
};

/// Perlin's fade 6t^5 - 15t^4 + 10t^3: its first two derivatives vanish at 0 and 1.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T fade(T t) {
  return t * t * t * (t * (t * T(6) - T(15)) + T(10));
}

/// Inner product of the gradient that `hash` chooses, uniform in [-1, 1)^3, with (z, y, x).
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T slope(std::uint32_t hash, T z, T y, T x) {
  auto const component = [hash](int bit) {
    return static_cast<T>(static_cast<std::int32_t>(hash >> bit & 1023U) - 512);
  };
  return (component(0) * z + component(10) * y + component(20) * x) * T(1.0 / 512);
}

/// The part of a lattice cell's noise that is the same along a row of grid cells.
template <class T>
struct NoiseRow {
  std::uint32_t corner[2][2];  ///< hashes of the lattice lines (z, y), (z, y + 1), …
  T z, y, fade_z, fade_y;

  KOKKOS_FUNCTION NoiseRow(Octave const& octave, std::uint32_t row_z, std::uint32_t row_y) {
    LatticePoint<T> const at_z(row_z + octave.shift[0], octave.log2_cells);
    LatticePoint<T> const at_y(row_y + octave.shift[1], octave.log2_cells);
    for (std::uint32_t i = 0; i < 2; ++i) {
      for (std::uint32_t j = 0; j < 2; ++j) {
        corner[i][j] = mix((at_z.cell + i) * 0x8da6b343U + octave.seed) ^
                       mix((at_y.cell + j) * 0xd8163841U - octave.seed);
      }
    }
    z = at_z.offset;
    y = at_y.offset;
    fade_z = fade(z);
    fade_y = fade(y);
  }

  /// Noise between the four corners of a lattice plane x = const; dx is the distance to it.
  KOKKOS_FORCEINLINE_FUNCTION T plane(std::uint32_t cell_x, T dx) const {
    std::uint32_t const h = cell_x * 0xcb1ab31fU;
    T const n00 = slope(mix(corner[0][0] + h), z, y, dx);
    T const n01 = slope(mix(corner[0][1] + h), z, y - T(1), dx);
    T const n10 = slope(mix(corner[1][0] + h), z - T(1), y, dx);
    T const n11 = slope(mix(corner[1][1] + h), z - T(1), y - T(1), dx);
    T const n0 = n00 + fade_y * (n01 - n00);
    T const n1 = n10 + fade_y * (n11 - n10);
    return n0 + fade_z * (n1 - n0);
  }

  KOKKOS_FORCEINLINE_FUNCTION T at(LatticePoint<T> const& x) const {
    T const left = plane(x.cell, x.offset);
    T const right = plane(x.cell + 1, x.offset - T(1));
    return left + fade(x.offset) * (right - left);
  }
};

/// Adds an octave to a segment of a row. A struct, for gcc 12 does not inline a lambda of this size
/// and then cannot vectorise the loop around it (2.5 times slower with AVX-512).
template <class T>
struct AddOctave {
  T* out;
  NoiseRow<T> noise;
  T amplitude;
  std::uint32_t first_x;
  int log2_cells;
  bool overwrite;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(int i) const {
    LatticePoint<T> const x(first_x + static_cast<std::uint32_t>(i), log2_cells);
    out[i] = (overwrite ? T(0) : out[i]) + amplitude * noise.at(x);
  }
};

/// A team fills one segment of a row, octave by octave, so that the loop along the row is simple
/// enough for a compiler to vectorise. Writes each value 7 times, 6 of them in cache.
template <class T>
struct FillTurbulence {
  static constexpr std::int64_t segment = 1024;  // 4 or 8 KiB, in L1 on every machine

  T* field;
  std::int64_t rows_y, row_values, segments;
  std::array<Octave, octave_count> octaves = make_octaves();

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    std::int64_t const row = team.league_rank() / segments;
    std::int64_t const begin = team.league_rank() % segments * segment;
    std::int64_t const left = row_values - begin;
    int const count = static_cast<int>(left < segment ? left : segment);
    T* const out = field + row * row_values + begin;
    for (int o = 0; o < octave_count; ++o) {
      NoiseRow<T> const noise(octaves[o], static_cast<std::uint32_t>(row / rows_y),
                              static_cast<std::uint32_t>(row % rows_y));
      AddOctave<T> const add{out,
                             noise,
                             static_cast<T>(octaves[o].amplitude),
                             static_cast<std::uint32_t>(begin) + octaves[o].shift[2],
                             octaves[o].log2_cells,
                             o == 0};
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), add);
    }
  }
};

/// Fills a dense field with turbulence.
/// \param field    n0*n1*n2 values in memory of exec, last index fastest
/// \param extents  n0, n1, n2; each below 2^32 - 2^16
/// \throws std::invalid_argument if the field has more rows than a league can have teams
/// \note   asynchronous on exec; no memory but the field
template <class Exec, class T>
void fill_turbulence(Exec const& exec, T* field, std::array<std::size_t, 3> const& extents) {
  if (extents[0] * extents[1] * extents[2] == 0) return;
  auto const rows_y = static_cast<std::int64_t>(extents[1]);
  auto const row_values = static_cast<std::int64_t>(extents[2]);
  std::int64_t const segments = (row_values - 1) / FillTurbulence<T>::segment + 1;
  std::int64_t const league = static_cast<std::int64_t>(extents[0]) * rows_y * segments;
  if (league > 2147483647 || row_values > 4294901760) {
    throw std::invalid_argument("fill_turbulence: " + std::to_string(league) +
                                " segments of rows; make the last extent larger");
  }
  constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;
  Kokkos::parallel_for("kompakt::perf::turbulence",
                       Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(league), on_host ? 1 : 128),
                       FillTurbulence<T>{field, rows_y, row_values, segments});
}

/// Turns turbulence into what a density of cosmology looks like, a few peaks far above a wide plain: (1 + t/a)^16, nearly
/// the exponential of 1.3 times its standard deviations, of multiplications alone for the same bits everywhere.
template <class Exec, class T>
void turbulence_to_density(Exec const& exec, T* field, std::size_t count) {
  constexpr T scale = T(0.09);
  Kokkos::parallel_for(
      "kompakt::perf::density",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0,
                                                                 static_cast<std::int64_t>(count)),
      KOKKOS_LAMBDA(std::int64_t i) {
        T value = T(1) + scale * field[i];
        for (int doubling = 0; doubling < 4; ++doubling) value *= value;
        field[i] = value;
      });
}

}  // namespace kompakt::perf

#endif
