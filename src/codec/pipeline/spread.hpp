#ifndef KOMPAKT_PIPELINE_SPREAD_HPP
#define KOMPAKT_PIPELINE_SPREAD_HPP

#include <core/exact.hpp>
#include <core/finite_keys.hpp>
#include <pipeline/encode_args.hpp>
#include <pipeline/sample.hpp>

// Whether a few values make the range of a field. A bound that goes by such a range would bring all others back as one value,
// so that the call ends with an error instead (outliers.hpp). A look at single values tells where a closer one is needed, and
// costs nothing beside the pass that finds the range.

namespace kompakt::impl {

/// A range so many times as wide as the rest of a field is no range of its values.
inline constexpr double spread_ratio = 1e6;

/// Single values out of a field, and where many of them lie together.
template <class T>
struct SpreadProbes {
  static constexpr int most = 16;
  T values[most];
  int count = 0;

  /// Those that count in a range.
  KOKKOS_INLINE_FUNCTION static SpreadProbes of(T const* field, std::int64_t size, Fill<T> fill) {
    SpreadProbes probes;
    std::int64_t const samples = size < most ? size : most;
    for (std::int64_t i = 0; i < samples; ++i) {
      T const value = field[sampled_part(i, samples, size)];
      if (FiniteKeys<T>::counts(value, fill)) probes.values[probes.count++] = value;
    }
    return probes;
  }
  KOKKOS_INLINE_FUNCTION static bool are_near(T a, T b, double distance) {
    return Kokkos::fabs(static_cast<double>(a) - static_cast<double>(b)) <= distance;
  }
  /// How many different values lie farther from one of them, at most 3.
  KOKKOS_INLINE_FUNCTION int far_values(int probe, double distance) const {
    T far[3] = {};
    int found = 0;
    for (int i = 0; i < count && found < 3; ++i) {
      if (are_near(values[i], values[probe], distance)) continue;
      bool is_known = false;
      for (int k = 0; k < found; ++k) is_known |= far[k] == values[i];
      if (!is_known) far[found++] = values[i];
    }
    return found;
  }
  /// How many lie within a distance of one of them.
  KOKKOS_INLINE_FUNCTION int near(int probe, double distance) const {
    int found = 0;
    for (int i = 0; i < count; ++i) found += are_near(values[i], values[probe], distance) ? 1 : 0;
    return found;
  }
};

/// The distance between values that a range is spread_ratio times as wide as; infinite where max - min is.
KOKKOS_INLINE_FUNCTION double near_distance(double min, double max) {
  return (max - min) / spread_ratio;
}

/// Whether the range of a field may be made by few of its values: some of those that are looked at lie together, or hardly
/// any can be looked at. Reads at most SpreadProbes::most values; by one thread.
template <class T>
KOKKOS_INLINE_FUNCTION bool may_be_spread(EncodeArgs<T> const& args, unsigned_t<T> from_lowest,
                                          unsigned_t<T> from_highest) {
  if (!args.judges_range || !FiniteKeys<T>::is_finite(from_lowest)) return false;
  double const distance =
      near_distance(static_cast<double>(FiniteKeys<T>::value_above_lowest(from_lowest)),
                    static_cast<double>(FiniteKeys<T>::value_below_highest(from_highest)));
  if (!(distance > 0)) return false;
  auto const probes = SpreadProbes<T>::of(args.field, args.extents.size(), args.fill());
  if (probes.count < 4) return true;
  for (int i = 0; i < probes.count; ++i) {
    // Few values far away are rarely met, and if they are not few, they are one or two.
    if (3 * probes.near(i, distance) > probes.count && probes.far_values(i, distance) < 3)
      return true;
  }
  return false;
}

}  // namespace kompakt::impl

#endif
