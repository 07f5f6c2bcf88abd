#ifndef KOMPAKT_CORE_LATTICE_SCALE_HPP
#define KOMPAKT_CORE_LATTICE_SCALE_HPP

#include <core/quantize.hpp>

// Between the values of a field and a lattice finer than the bound.

namespace kompakt::impl {

/// Steps of the lattice in twice the bound.
inline constexpr int lattice_steps = 32;

/// Steps in a bin of a level: odd, so that bins are symmetric. At level 0 the middle of a bin of 31 and the rounding to
/// the lattice leave 15.5 steps of the 16 that the bound is. Coarser levels have finer bins: 1.5 times at each level, as
/// in QoZ, but at most 4 times.
KOKKOS_FORCEINLINE_FUNCTION constexpr int bin_steps(int level) {
  return level == 0 ? 31 : level == 1 ? 21 : level == 2 ? 13 : level == 3 ? 9 : 7;
}

template <class T>
struct LatticeScale {
  /// Stands for a value that the lattice does not have: NaN, an infinity, one too far from 0, a fill value.
  static constexpr std::uint32_t no_value = 0x80000000u;
  /// Largest multiple of a step that is taken: interpolation along three axes in 32 bits has room for it.
  static constexpr T most = T(1 << 26);

  Quantizer<T> values;   ///< of the bound: what the lattice's values are held to
  Quantizer<T> lattice;  ///< its bins are steps

  KOKKOS_INLINE_FUNCTION static LatticeScale of(Quantizer<T> const& quantizer) {
    if (quantizer.bins == Bins::constant) return {quantizer, quantizer};
    return {quantizer, Quantizer<T>::with_bound(quantizer.bound / lattice_steps, quantizer.fill)};
  }

  /// The nearest step.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t lattice_value(T value) const {
    T const rounded = round_to_even(value * lattice.inverse);
    // Written so that NaN fails; of a constant field all fail.
    bool const fits = (Kokkos::fabs(rounded) <= most) & (value != lattice.fill.value) &
                      (lattice.bins == Bins::linear);
    return fits ? static_cast<std::uint32_t>(static_cast<std::int32_t>(fits ? rounded : T{0}))
                : no_value;
  }
  /// What a step stands for.
  KOKKOS_FORCEINLINE_FUNCTION T reconstruct(std::uint32_t step) const {
    return lattice.reconstruct_linear(static_cast<std::int32_t>(step));
  }
  /// Whether the cheap half of the check accepts what a value comes back as.
  KOKKOS_FORCEINLINE_FUNCTION bool accepts(T value, T reconstructed) const {
    // NaN fails.
    return (Kokkos::fabs(value - reconstructed) < values.limit) & (value != values.fill.value);
  }
  /// The whole check.
  KOKKOS_INLINE_FUNCTION Verdict classify(T value, T reconstructed) const {
    if (values.fill.is(value)) return Verdict::masked;
    if (values.bins == Bins::constant) {
      bool const same =
          Kokkos::bit_cast<unsigned_t<T>>(value) == Kokkos::bit_cast<unsigned_t<T>>(reconstructed);
      return same ? Verdict::accepted : Verdict::refused;
    }
    bool const inside =
        within_bound(static_cast<double>(value), static_cast<double>(reconstructed), values.bound);
    return inside ? Verdict::accepted : Verdict::refused;
  }

  /// Of a level whose bins have so many steps.
  KOKKOS_INLINE_FUNCTION Quantizer<T> quantizer_of_bins(int steps) const {
    if (lattice.bins == Bins::constant) return lattice;
    return Quantizer<T>::with_bound(values.bound / lattice_steps * steps, values.fill);
  }
};

}  // namespace kompakt::impl

#endif
