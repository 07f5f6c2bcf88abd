#ifndef KOMPAKT_CORE_LATTICE_SCALE_HPP
#define KOMPAKT_CORE_LATTICE_SCALE_HPP

#include <core/quantize.hpp>
#include <type_traits>

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

/// The steps of a lattice: multiples of a number, or, for a bound relative to each value, places on a LogScale, which
/// stand for magnitudes. Loops over many values choose between both outside (`of_kind`).
template <class T>
struct LatticeScale {
  using U = unsigned_t<T>;
  /// Stands for a value that the lattice does not have: NaN, an infinity, one too far from step 0, one that is masked.
  static constexpr std::uint32_t no_value = 0x80000000u;
  /// Largest step either way that is taken: interpolation along three axes in 32 bits has room for it.
  static constexpr T most = T(1 << 26);
  /// The steps of a LogScale are counted from a multiple of this, where bins of each coarsest level have a middle: they
  /// are of 7 or 9 steps.
  static constexpr U origin_unit = 63;
  /// With narrower steps the scale's own arithmetic would not be exact.
  static constexpr U least_width = LogScale<T>::is_float ? 2 : 16;

  Quantizer<T> values;   ///< of the bound: what the lattice's values are held to
  Quantizer<T> lattice;  ///< its bins are steps
  U origin = 0;          ///< the bin that is step 0

  KOKKOS_INLINE_FUNCTION static LatticeScale of(Quantizer<T> const& quantizer) {
    if (quantizer.bins == Bins::constant) return {quantizer, quantizer};
    if (quantizer.bins == Bins::relative) return of_magnitudes(quantizer);
    return {quantizer, Quantizer<T>::with_bound(quantizer.bound / lattice_steps, quantizer.fill)};
  }

  KOKKOS_FORCEINLINE_FUNCTION bool has_magnitudes() const { return lattice.bins == Bins::relative; }
  /// body(std::true_type) if steps stand for magnitudes, else body(std::false_type).
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void of_kind(Body const& body) const {
    if (has_magnitudes()) {
      body(std::true_type{});
    } else {
      body(std::false_type{});
    }
  }

  /// The nearest step.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t lattice_value(T value) const {
    return has_magnitudes() ? lattice_value(std::true_type{}, value)
                            : lattice_value(std::false_type{}, value);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t lattice_value(std::false_type, T value) const {
    T const rounded = round_to_even(value * lattice.inverse);
    // Written so that NaN fails; of a constant field all fail.
    bool const fits = (Kokkos::fabs(rounded) <= most) & (value != lattice.fill.value) &
                      (lattice.bins == Bins::linear);
    return fits ? static_cast<std::uint32_t>(static_cast<std::int32_t>(fits ? rounded : T{0}))
                : no_value;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t lattice_value(std::true_type, T value) const {
    auto const step = static_cast<bin_t<T>>(static_cast<U>(lattice.scale.bin_of(value)) - origin);
    constexpr auto farthest = static_cast<bin_t<T>>(most);
    bool const fits = LogScale<T>::has_bin(value) & (step <= farthest) & (step >= -farthest) &
                      (value != lattice.fill.value);
    return fits ? static_cast<std::uint32_t>(step) : no_value;
  }

  /// What a step stands for; if that is a magnitude and no value has this step, any number.
  KOKKOS_FORCEINLINE_FUNCTION T reconstruct(std::uint32_t step) const {
    return has_magnitudes() ? reconstruct(std::true_type{}, step)
                            : reconstruct(std::false_type{}, step);
  }
  KOKKOS_FORCEINLINE_FUNCTION T reconstruct(std::false_type, std::uint32_t step) const {
    return lattice.reconstruct_linear(static_cast<std::int32_t>(step));
  }
  KOKKOS_FORCEINLINE_FUNCTION T reconstruct(std::true_type, std::uint32_t step) const {
    auto const from_origin = static_cast<U>(bin_t<T>{static_cast<std::int32_t>(step)});
    return lattice.reconstruct_relative(static_cast<bin_t<T>>(from_origin + origin));
  }

  /// Whether the cheap half of the check accepts what a value, or its magnitude, comes back as.
  KOKKOS_FORCEINLINE_FUNCTION bool accepts(std::false_type, T value, T reconstructed) const {
    // NaN fails.
    return (Kokkos::fabs(value - reconstructed) < values.limit) & (value != values.fill.value) &
           !values.reach.has(reconstructed);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool accepts(std::true_type, T value, T reconstructed) const {
    // Rounding is monotone: were the exact distance above bound * |value|, the rounded one would not be below the
    // rounded product of the limit, which is at most the bound. NaN and 0 fail.
    T const magnitude = Kokkos::fabs(value);
    return (Kokkos::fabs(magnitude - reconstructed) < values.limit * magnitude) &
           (value != values.fill.value) & !values.reach.has(reconstructed) &
           !values.reach.has(-reconstructed);
  }
  /// Whether it accepts a value that needs no sign either.
  KOKKOS_FORCEINLINE_FUNCTION bool is_plain(T value, T reconstructed) const {
    if (!has_magnitudes()) return accepts(std::false_type{}, value, reconstructed);
    return accepts(std::true_type{}, value, reconstructed) & !FloatBits<T>::is_negative(value);
  }
  /// The whole check.
  KOKKOS_INLINE_FUNCTION Verdict classify(T value, T reconstructed) const {
    if (values.fill.is(value)) return Verdict::masked;
    if (has_magnitudes()) return classify_magnitude(value, reconstructed);
    if (values.bins == Bins::constant) {
      bool const same =
          Kokkos::bit_cast<unsigned_t<T>>(value) == Kokkos::bit_cast<unsigned_t<T>>(reconstructed);
      return same ? Verdict::accepted : Verdict::refused;
    }
    bool const inside =
        within_bound(static_cast<double>(value), static_cast<double>(reconstructed), values.bound);
    return inside && !values.is_mistaken(value, reconstructed) ? Verdict::accepted
                                                               : Verdict::refused;
  }

  /// Of a level whose bins have so many steps; those of a LogScale are `origin / steps` too large on the coarsest.
  KOKKOS_INLINE_FUNCTION Quantizer<T> quantizer_of_bins(int steps) const {
    if (lattice.bins == Bins::constant) return lattice;
    if (has_magnitudes()) {
      U const width = lattice.scale.width * static_cast<U>(steps);
      return Quantizer<T>::with_scale(LogScale<T>::with_width(width), values.fill);
    }
    return Quantizer<T>::with_bound(values.bound / lattice_steps * steps, values.fill);
  }
  /// A bin of the coarsest level from one of that quantizer. Only values without a bin have 0 on a LogScale; in a tile
  /// of nothing else they keep it.
  KOKKOS_FORCEINLINE_FUNCTION U bin_from_origin(U bin, int steps) const {
    return bin == 0 ? bin : bin - origin / static_cast<U>(steps);
  }

 private:
  KOKKOS_INLINE_FUNCTION static LatticeScale of_magnitudes(Quantizer<T> const& quantizer) {
    U const part = quantizer.scale.width / lattice_steps;
    U const width = part < least_width ? least_width : part;
    U const reference = Kokkos::bit_cast<U>(quantizer.constant_value);
    LatticeScale s{quantizer,
                   Quantizer<T>::with_scale(LogScale<T>::with_width(width), quantizer.fill),
                   reference / (origin_unit * width) * origin_unit};
    s.values.limit = round_down<T>(quantizer.bound);
    return s;
  }

  KOKKOS_INLINE_FUNCTION Verdict classify_magnitude(T value, T reconstructed) const {
    bool const negative = FloatBits<T>::is_negative(value);
    if (value == 0) return negative && values.fill.known ? Verdict::refused : Verdict::masked;
    T const magnitude = negative ? -value : value;
    bool const inside = within_relative_bound(static_cast<double>(magnitude),
                                              static_cast<double>(reconstructed), values.bound);
    return inside && !values.is_mistaken_magnitude(value, reconstructed) ? Verdict::accepted
                                                                         : Verdict::refused;
  }
};

}  // namespace kompakt::impl

#endif
