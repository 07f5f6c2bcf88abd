#ifndef KOMPAKT_PIPELINE_SPREAD_HPP
#define KOMPAKT_PIPELINE_SPREAD_HPP

#include <core/exact.hpp>
#include <core/finite_keys.hpp>
#include <limits>
#include <optional>
#include <pipeline/encode_args.hpp>
#include <pipeline/probes.hpp>

// Whether a few values make the range of a field. A bound that goes by such a range would bring all others back as one value,
// so that the call ends with an error instead (outliers.hpp). A look at single values tells where a closer one is needed, and
// costs nothing beside the pass that finds the range.

namespace kompakt::impl {

/// A range so many times as wide as the rest of a field is no range of its values.
inline constexpr double spread_ratio = 1e6;

/// Some of the probes of a field, and where many of them lie together.
template <class T>
struct SpreadProbes {
  static constexpr int most = 16;
  static constexpr int least = 4;  ///< fewer tell nothing
  T values[most];
  int count = 0;

  /// Those that count in a range.
  KOKKOS_INLINE_FUNCTION static SpreadProbes of(T const* field, std::int64_t size, Fill<T> fill) {
    SpreadProbes probes;
    int const all = FieldProbes::count(size), samples = all < most ? all : most;
    for (int i = 0; i < samples; ++i) {
      T const value = FieldProbes::value(field, size, i * all / samples);
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
  /// How many others do.
  KOKKOS_INLINE_FUNCTION int other_near(int probe, double distance) const {
    int found = 0;
    for (int i = 0; i < count; ++i) {
      found += values[i] != values[probe] && are_near(values[i], values[probe], distance) ? 1 : 0;
    }
    return found;
  }
  /// The one that has most of the others near it, itself far from `other`; -1 if there is none.
  int middle(double distance, std::optional<T> const& other = {}) const {
    int best = -1;
    for (int i = 0; i < count; ++i) {
      if (other && are_near(values[i], *other, distance)) continue;
      if (best < 0 || near(i, distance) > near(best, distance)) best = i;
    }
    return best;
  }
  /// Whether there are too few to tell anything.
  KOKKOS_INLINE_FUNCTION bool are_few() const { return count < least; }
  /// Whether at most two values lie far from one of them. Few values far away are rarely met, and if they are not few, they are one
  /// or two, such as a fill value that most of a field has.
  KOKKOS_INLINE_FUNCTION bool is_crowded(int probe, double distance) const {
    return far_values(probe, distance) < 3;
  }
};

/// The distance between values that a range is spread_ratio times as wide as, also where max - min is infinite.
KOKKOS_INLINE_FUNCTION double near_distance(double min, double max) {
  double const width = max - min;
  return width <= std::numeric_limits<double>::max() ? width / spread_ratio
                                                     : max / spread_ratio - min / spread_ratio;
}

/// The near_distance() of a range that is to be judged, as FiniteKeys; 0 if there is nothing to judge.
template <class T>
KOKKOS_INLINE_FUNCTION double judged_distance(EncodeArgs<T> const& args, unsigned_t<T> from_lowest,
                                              unsigned_t<T> from_highest) {
  if (!args.judges_range || !FiniteKeys<T>::is_finite(from_lowest)) return 0;
  return near_distance(static_cast<double>(FiniteKeys<T>::value_above_lowest(from_lowest)),
                       static_cast<double>(FiniteKeys<T>::value_below_highest(from_highest)));
}

/// Whether the range of a field may be made by few of its values: some of those that are looked at lie together, or hardly
/// any can be looked at. Reads at most SpreadProbes::most values; by one thread.
template <class T>
KOKKOS_INLINE_FUNCTION bool may_be_spread(EncodeArgs<T> const& args, unsigned_t<T> from_lowest,
                                          unsigned_t<T> from_highest) {
  double const distance = judged_distance(args, from_lowest, from_highest);
  if (!(distance > 0)) return false;
  auto const probes = SpreadProbes<T>::of(args.field, args.extents.size(), args.fill());
  if (probes.are_few()) return true;
  for (int i = 0; i < probes.count; ++i) {
    if (probes.is_crowded(i, distance)) return true;
  }
  return false;
}

}  // namespace kompakt::impl

#endif
