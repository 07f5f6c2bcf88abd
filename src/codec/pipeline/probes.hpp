#ifndef KOMPAKT_PIPELINE_PROBES_HPP
#define KOMPAKT_PIPELINE_PROBES_HPP

#include <core/finite_keys.hpp>
#include <pipeline/encode_args.hpp>
#include <pipeline/sample.hpp>

// A look at single values of a field, which costs nothing beside a pass over it. It tells where a closer look is needed.

namespace kompakt::impl {

/// Single values, spread over a field; of a field with fewer, all.
struct FieldProbes {
  static constexpr int most = 128;

  KOKKOS_FORCEINLINE_FUNCTION static int count(std::int64_t size) {
    return size < most ? static_cast<int>(size) : most;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T value(T const* field, std::int64_t size, int i) {
    return field[sampled_part(i, count(size), size)];
  }
};

/// Which halves of a range have values that are not its ends. A fill value is an end, and all others lie in the other half.
template <class T>
struct RangeHalves {
  using Keys = FiniteKeys<T>;
  unsigned_t<T> from_lowest, from_highest;  ///< the range, as FiniteKeys
  bool lower = false, upper = false;

  KOKKOS_FORCEINLINE_FUNCTION void see(T value) {
    auto const above = Keys::above_lowest(value);
    if (!Keys::is_finite(above) || above == from_lowest) return;
    if (Keys::below_highest(value) == from_highest) return;
    auto const low = static_cast<double>(Keys::value_above_lowest(from_lowest)),
               high = static_cast<double>(Keys::value_below_highest(from_highest));
    double const left = static_cast<double>(value) - low, right = high - static_cast<double>(value);
    lower |= left < right;
    upper |= left > right;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool both() const { return lower && upper; }
};

/// Whether a field with a range may have a fill value, or NaN to mask.
/// \param both_halves  RangeHalves::both() of its probes
template <class T>
KOKKOS_INLINE_FUNCTION bool may_have_fill(EncodeArgs<T> const& args, unsigned_t<T> from_lowest,
                                          unsigned_t<T> from_highest, bool not_finite,
                                          bool both_halves) {
  using Keys = FiniteKeys<T>;
  if (not_finite) return true;
  if (args.given_fill.known || !Keys::is_finite(from_lowest)) return false;
  bool const is_constant =
      Keys::value_above_lowest(from_lowest) == Keys::value_below_highest(from_highest);
  return !is_constant && !both_halves;
}

}  // namespace kompakt::impl

#endif
