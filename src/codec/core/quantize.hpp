#ifndef KOMPAKT_CORE_QUANTIZE_HPP
#define KOMPAKT_CORE_QUANTIZE_HPP

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <core/exact.hpp>
#include <core/fill.hpp>
#include <core/log_scale.hpp>
#include <core/step_keys.hpp>
#include <core/types.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace kompakt::impl {

/// What the exact check says of a value.
enum class Verdict : std::uint8_t {
  accepted,  ///< the reconstruction of its bin is inside the bound
  refused,   ///< finite, its bin predicts neighbours well, but the value itself must be stored
  invalid,   ///< no bin: NaN, infinity, or beyond the largest bin
  masked,  ///< the fill value, or a zero on a LogScale: a bit in the mask of the tile stands for it
};

/// What the bins of a field are.
enum class Bins : std::uint8_t {
  constant,  ///< bin 0 is the one value of the field
  linear,    ///< multiples of twice the bound, or of a little less
  relative,  ///< steps of a LogScale, of magnitudes
  lossless,  ///< OrderedKeys: every value has one, and comes back; or StepKeys
};

/// What masked places hold: those without a bit among the signs of their tile, and those with one. Without
/// signs there is the fill value; where they are, zeros and the fill value, or -0 if there is none.
template <class T>
struct MaskedValues {
  T plain, marked;
};

template <class T>
struct SmallBins;

/// Where nearly all values of a field lie: at most `slack` from multiples of a step. A step of 0: nobody knows.
struct ValueLattice {
  double step = 0, slack = 0;
};

/// Pre-quantisation with an exact check: bin = rint(x * inverse), x' = bin * step.
/// All arithmetic is in T, each operation rounded on its own: a fused multiply-add changes bins and
/// makes the check lie, so everything that includes this is compiled with -ffp-contract=off /
/// --fmad=false, without flush to zero (a test fails when a build forgets it).
///
/// With constant bins (resolved bound 0) values with exactly the bits of the constant are bin 0,
/// all others are invalid. Where there is a fill value, it is masked instead.
///
/// With relative bins signs are bits beside them. Zeros are masked, as the fill value is; the bits that are
/// signs elsewhere tell one from the other (`marked`).
///
/// Without loss integers are moved as T too, those of 8 and 16 bits as words whose high bits mean nothing.
/// Source: dual quantisation, Tian et al., cuSZ, PACT 2020, sec. 3.1; the check is ours.
template <class T>
struct Quantizer {
  T inverse = 0;  ///< 1 over the width of bins, rounded once
  T step =
      0;  ///< width of bins: 2 bound, rounded, or that of width_on_lattice() or width_without_gaps()
  T limit = 0;       ///< the largest T that is not above the bound
  double bound = 0;  ///< the resolved bound, in the units of the field or relative to each value
  Bins bins = Bins::linear;
  T constant_value = 0;  ///< of relative bins the bits of the place that a lattice is counted from
  Fill<T> fill{};
  /// Of linear bins what quantising the fill value rounds to. The quick check refuses its bin: the fill value is masked, and
  /// what else is in the bin may come back as the fill value.
  T fill_rounded = std::numeric_limits<T>::quiet_NaN();
  /// What comes back as the fill value; nothing until keep_apart_from_fill().
  FillReach<T> reach{};
  T quick_bins = ValueTraits<T>::bin_limit;  ///< largest |bin| that the quick check accepts
  LogScale<T> scale{};                       ///< of relative bins
  OrderedKeys<T> keys{};                     ///< of lossless bins
  StepKeys<T> steps{};  ///< of lossless bins, if they are whole numbers of steps
  int unused_bits = 0;  ///< the high ones of a bin that say nothing of a value

  /// bound >= 0 and finite. Both factors are kept finite, so that 0 stays bin 0 under every bound.
  /// \param magnitude  no value is larger; 0: not known
  KOKKOS_INLINE_FUNCTION static Quantizer with_bound(double bound, Fill<T> fill = {},
                                                     double magnitude = 0,
                                                     ValueLattice lattice = {}) {
    Quantizer q;
    q.fill = fill;
    q.bound = bound;
    q.limit = round_down<T>(bound);
    q.step = finite(2 * bound);
    q.inverse = finite(1 / (2 * bound));
    T const on_lattice = width_on_lattice(bound, lattice, magnitude);
    T const width = on_lattice > 0 ? on_lattice : width_without_gaps(bound, magnitude);
    if (width > 0) {
      q.step = width;
      q.inverse = finite(1 / static_cast<double>(width));
    }
    q.fill_rounded = round_to_even(fill.value * q.inverse);
    return q;
  }
  /// Takes the width of bins that a stream has.
  KOKKOS_INLINE_FUNCTION void take_width(T width) { step = width; }
  /// Whether the width of linear bins is another one than twice the bound.
  KOKKOS_FORCEINLINE_FUNCTION bool has_own_width() const {
    return bins == Bins::linear && step != finite(2 * bound);
  }
  /// The largest width of bins by which every value comes back within the bound, though numbers of T lie so far apart; 0: twice the
  /// bound will do. What two neighbouring bins stand for is rounded to numbers that may lie more than twice the bound apart. In units
  /// of the last place of the magnitude the bound is n and a fraction, and bins of 2 n + 1 leave no number between; so below half of the
  /// magnitude by its units, and below a quarter. Further down gaps are rare.
  KOKKOS_INLINE_FUNCTION static T width_without_gaps(double bound, double magnitude) {
    constexpr int exponent_shift = 52, digits = std::numeric_limits<T>::digits;
    constexpr double most_units = 4096;  // of more, one value in 30 000 lies in a gap
    auto const exponent = static_cast<int>(
        Kokkos::bit_cast<std::uint64_t>(Kokkos::fabs(magnitude)) >> exponent_shift);
    if (exponent < digits || !(magnitude <= static_cast<double>(std::numeric_limits<T>::max()))) {
      return 0;
    }
    auto const unit = Kokkos::bit_cast<double>(static_cast<std::uint64_t>(exponent - digits + 1)
                                               << exponent_shift);
    double const units = bound / unit;
    if (!(units >= 1 && units < most_units)) return 0;
    double width = 2 * units;
    for (int parts = 1; parts <= 4; parts *= 2) {
      double const whole = (2 * Kokkos::floor(units * parts) + 1) / parts;
      width = whole < width ? whole : width;
    }
    return width < 2 * units ? round_down<T>(width * unit) : T(0);
  }
  /// The width of bins for values on a lattice; 0: twice the bound will do. Around a multiple of the step 2 k + 1 others are within k
  /// steps, and if k is what the bound allows these may take more than twice the bound. Where a bound is a whole number of steps, values lie
  /// at the ends of bins, and rounding decides whether one has a bin at all; if bins are a little narrower, it always has.
  KOKKOS_INLINE_FUNCTION static T width_on_lattice(double bound, ValueLattice lattice,
                                                   double magnitude) {
    constexpr double most_steps = 64, narrower = 1 - 0x1p-20, unknown = 0x1p-12;
    double const steps = (bound - lattice.slack) / lattice.step;
    if (!(lattice.step > 0 && steps > 0 && steps < most_steps)) return 0;
    double const whole = Kokkos::floor(steps), beyond = steps - whole;
    constexpr double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
    double const rounding =
        magnitude > 0 ? 2 * epsilon * magnitude / lattice.step : unknown * steps;
    bool const is_whole =
        lattice.slack == 0 && (1 - beyond < rounding || (whole > 0 && beyond < rounding));
    if (is_whole) return round_down<T>(2 * bound * narrower);
    auto const width = static_cast<T>((2 * whole + 1) * lattice.step);
    bool const is_wider = beyond > rounding && static_cast<double>(width) > 2 * bound;
    return is_wider && width <= std::numeric_limits<T>::max() ? width : T(0);
  }
  KOKKOS_INLINE_FUNCTION static Quantizer with_constant(T value, Fill<T> fill = {}) {
    Quantizer q;
    q.fill = fill;
    q.bins = Bins::constant;
    q.constant_value = value;
    return q;
  }

  /// 0 < bound < 1.
  KOKKOS_INLINE_FUNCTION static Quantizer with_relative_bound(double bound, Fill<T> fill = {}) {
    Quantizer q;
    q.fill = fill;
    q.bound = bound;
    q.bins = Bins::relative;
    q.scale = LogScale<T>::with_bound(bound);
    return q;
  }

  /// The bins of a scale, for whoever checks every value himself.
  KOKKOS_INLINE_FUNCTION static Quantizer with_scale(LogScale<T> const& scale, Fill<T> fill = {}) {
    Quantizer q;
    q.fill = fill;
    q.bins = Bins::relative;
    q.scale = scale;
    return q;
  }

  /// \param value_bytes  of T, or less: of integers that are moved in the low bits of words
  /// \param steps        of floating-point values
  KOKKOS_INLINE_FUNCTION static Quantizer without_loss(bool integers, std::size_t value_bytes,
                                                       Fill<T> fill = {},
                                                       ValueSteps const& steps = {}) {
    Quantizer q;
    q.fill = fill;
    q.bins = Bins::lossless;
    q.steps = StepKeys<T>::of(steps);
    if (integers) q.keys.inverted = OrderedKeys<T>::none;
    q.unused_bits = 8 * static_cast<int>(sizeof(T) - value_bytes);
    return q;
  }

  /// Sees to it that nothing but the fill value comes back as it: readers would take it for a missing value.
  /// \param dtype  of the values in memory, to which an integer is rounded
  KOKKOS_INLINE_FUNCTION void keep_apart_from_fill(Dtype dtype) {
    bool const may_meet = bins == Bins::linear || bins == Bins::relative;
    if (!fill.known || fill.value != fill.value || !may_meet) return;
    reach = FillReach<T>::of(fill.value, dtype);
    if (bins == Bins::relative) {
      if (may_meet_fill(dtype)) scale.proven = false;
    } else if (is_half(dtype)) {
      // Rounding may lead from several bins to the fill value.
      if (fill_neighbour_meets()) limit = 0;
    } else if (other_bin_meets_fill()) {
      T const magnitude = Kokkos::fabs(fill_rounded);
      quick_bins = magnitude - (fill_bins_away + 1);
      if (magnitude < SmallBins<T>::end) limit = 0;  // these know no other limit
    }
  }

  /// The value of a bin; if the bound is relative, its magnitude.
  KOKKOS_FORCEINLINE_FUNCTION T reconstruct(bin_t<T> bin) const {
    if (bins == Bins::lossless) return steps.any() ? steps.value(bin) : keys.value(bin);
    return bins == Bins::relative ? reconstruct_relative(bin) : reconstruct_linear(bin);
  }
  /// The value of a constant or linear bin.
  KOKKOS_FORCEINLINE_FUNCTION T reconstruct_linear(bin_t<T> bin) const {
    return bins == Bins::constant ? constant_value : static_cast<T>(bin) * step;
  }
  KOKKOS_FORCEINLINE_FUNCTION T reconstruct_relative(bin_t<T> bin) const {
    return Kokkos::bit_cast<T>(scale.reconstruct(bin));
  }

  /// What a residual is worth where bins have unused bits: the number nearest to 0 that differs in them only.
  KOKKOS_FORCEINLINE_FUNCTION static unsigned_t<T> fold(unsigned_t<T> residual, int unused_bits) {
    auto const high = static_cast<bin_t<T>>(residual << unused_bits);
    return static_cast<unsigned_t<T>>(high >> unused_bits);
  }

  /// Whether tiles may have masks.
  KOKKOS_FORCEINLINE_FUNCTION bool has_masks() const {
    return fill.known || bins == Bins::relative;
  }
  KOKKOS_FORCEINLINE_FUNCTION MaskedValues<T> masked() const {
    if (bins != Bins::relative) return {fill.value, fill.value};
    return {T(0), fill.known ? fill.value : -T(0)};
  }
  /// Whether a value that classify() said this of has a bit among the signs of its tile.
  KOKKOS_FORCEINLINE_FUNCTION bool marks(T value, Verdict verdict) const {
    if (bins != Bins::relative) return false;
    return verdict == Verdict::masked
               ? Kokkos::bit_cast<unsigned_t<T>>(value) != 0
               : verdict == Verdict::accepted && FloatBits<T>::is_negative(value);
  }

  /// The bin of a value, and whether the cheap half of the check is enough to accept it. Where it
  /// is not, classify() decides; the bin is then meaningless. Loops over many values choose one of those
  /// below themselves.
  KOKKOS_FORCEINLINE_FUNCTION bin_t<T> quantize(T value, bool& accepted) const {
    if (bins == Bins::lossless) {
      return steps.any() ? quantize_steps(value, accepted) : quantize_lossless(value, accepted);
    }
    return bins == Bins::relative ? quantize_relative(value, accepted)
                                  : quantize_linear(value, accepted);
  }
  KOKKOS_FORCEINLINE_FUNCTION bin_t<T> quantize_lossless(T value, bool& accepted) const {
    accepted = !fill.is(value);
    return keys.key(value);
  }
  KOKKOS_INLINE_FUNCTION bin_t<T> quantize_steps(T value, bool& accepted) const {
    bin_t<T> key;
    accepted = steps.find(value, key) && steps.keeps(value, key) && !fill.is(value);
    return key;
  }
  KOKKOS_FORCEINLINE_FUNCTION bin_t<T> quantize_relative(T value, bool& accepted) const {
    accepted = scale.proven & LogScale<T>::has_bin(value);
    accepted &= value != fill.value;  // not so where that is NaN
    return scale.bin_of(value);
  }
  KOKKOS_FORCEINLINE_FUNCTION bin_t<T> quantize_linear(T value, bool& accepted) const {
    T const rounded = round_to_even(value * inverse);
    T const difference = value - rounded * step;
    // Written so that NaN fails. The bin is compared as T: converting an integer out of range is
    // undefined in C++ and saturates on GPUs.
    accepted = Kokkos::fabs(rounded) <= quick_bins;
    accepted &= Kokkos::fabs(difference) < limit;
    // Where that is NaN there is none, or the check has failed.
    accepted &= rounded != fill_rounded;
    return to_bin(accepted ? rounded : T{0});
  }

  /// The whole check. `bin` is 0 for a value that has none.
  KOKKOS_INLINE_FUNCTION Verdict classify(T value, bin_t<T>& bin) const {
    bin = 0;
    if (fill.is(value)) return Verdict::masked;
    if (bins == Bins::relative) return classify_relative(value, bin);
    if (bins == Bins::lossless) return classify_lossless(value, bin);
    if (bins == Bins::constant) {
      bool const same =
          Kokkos::bit_cast<unsigned_t<T>>(value) == Kokkos::bit_cast<unsigned_t<T>>(constant_value);
      return same ? Verdict::accepted : Verdict::invalid;
    }
    T const rounded = round_to_even(value * inverse);
    if (!(Kokkos::fabs(rounded) <= ValueTraits<T>::bin_limit)) return Verdict::invalid;
    bin = to_bin(rounded);
    if (comes_back(value, rounded)) return Verdict::accepted;
    if (is_mistaken(value, rounded * step)) return Verdict::refused;
    // Rounding may have led to the bin beside the one that has the value.
    T const beside = rounded + (value > rounded * step ? T(1) : T(-1));
    bool const is_beside =
        Kokkos::fabs(beside) <= ValueTraits<T>::bin_limit && comes_back(value, beside);
    if (is_beside) bin = to_bin(beside);
    return is_beside ? Verdict::accepted : Verdict::refused;
  }
  /// Whether the number of a linear bin comes back within the bound of a value, and not as the fill value.
  KOKKOS_INLINE_FUNCTION bool comes_back(T value, T bin) const {
    T const reconstructed = bin * step;
    return within_bound(static_cast<double>(value), static_cast<double>(reconstructed), bound) &&
           !is_mistaken(value, reconstructed);
  }
  /// Whether a value that is not the fill value would come back as it.
  KOKKOS_FORCEINLINE_FUNCTION bool is_mistaken(T value, T reconstructed) const {
    return reach.has(reconstructed) && value != fill.value;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_mistaken_magnitude(T value, T reconstructed) const {
    return is_mistaken(value, value < 0 ? -reconstructed : reconstructed);
  }

 private:
  // Beyond 2^20 rounding may lead from the fill value to another bin than one that comes back as it. That one is found here, and
  // the quick check then accepts no bins as far from 0. Beyond the largest bin there are none.
  static constexpr int fill_bins_away = 8;
  KOKKOS_INLINE_FUNCTION bool other_bin_meets_fill() const {
    constexpr T least = 1 << 20, most = ValueTraits<T>::bin_limit;
    T const magnitude = Kokkos::fabs(fill_rounded);
    if (!(magnitude > least && magnitude <= most)) return false;
    bool meets = false;
    for (int away = 1; away <= fill_bins_away; ++away) {
      T const other = static_cast<T>(away);
      meets |= reach.has((fill_rounded - other) * step) || reach.has((fill_rounded + other) * step);
    }
    return meets;
  }
  // Of values that are rounded to 16 bits, whether a bin beside that of the fill value comes back as it. Where the bound is smaller
  // than the way from a neighbour to what is rounded to the fill value, none has such a bin.
  KOKKOS_INLINE_FUNCTION bool fill_neighbour_meets() const {
    bool const has_bin = Kokkos::fabs(fill_rounded) <= ValueTraits<T>::bin_limit;
    if (!has_bin || limit < Kokkos::fmin(fill.value - reach.lowest, reach.highest - fill.value)) {
      return false;
    }
    return reach.has((fill_rounded - 1) * step) || reach.has((fill_rounded + 1) * step);
  }
  // Whether a relative bin may come back as the fill value. What is rounded has several such bins, and this is not looked at closer.
  KOKKOS_INLINE_FUNCTION bool may_meet_fill(Dtype dtype) const {
    if (!is_number(dtype)) return fill.value != 0;
    // Beyond the numbers that have a bin the first and the last one may reach.
    T const magnitude = Kokkos::fabs(fill.value);
    T const lowest = LogScale<T>::lowest(), highest = LogScale<T>::highest();
    T const nearest = magnitude < lowest ? lowest : magnitude > highest ? highest : magnitude;
    bool meets = false;
    for (int away = -fill_bins_away; away <= fill_bins_away; ++away) {
      meets |= reconstruct_relative(scale.bin_of(nearest) + away) == magnitude;
    }
    return meets;
  }
  KOKKOS_INLINE_FUNCTION Verdict classify_lossless(T value, bin_t<T>& bin) const {
    if (!steps.any()) {
      bin = keys.key(value);
      return Verdict::accepted;
    }
    if (!steps.find(value, bin)) return Verdict::invalid;
    return steps.keeps(value, bin) ? Verdict::accepted : Verdict::refused;
  }
  KOKKOS_INLINE_FUNCTION Verdict classify_relative(T value, bin_t<T>& bin) const {
    if (value == 0) {
      bool const second = FloatBits<T>::is_negative(value) && fill.known;
      return second ? Verdict::invalid : Verdict::masked;
    }
    if (!LogScale<T>::has_bin(value)) return Verdict::invalid;
    bin = scale.bin_of(value);
    bool const inside = scale.proven || within_relative_bound(
                                            Kokkos::fabs(static_cast<double>(value)),
                                            static_cast<double>(reconstruct_relative(bin)), bound);
    bool const mistaken = !scale.proven && is_mistaken_magnitude(value, reconstruct_relative(bin));
    return inside && !mistaken ? Verdict::accepted : Verdict::refused;
  }

  KOKKOS_FORCEINLINE_FUNCTION static bin_t<T> to_bin(T rounded) {
    if constexpr (sizeof(T) == 4) {
      return static_cast<bin_t<T>>(rounded);
    } else {
      // Adding 1.5 * 2^52 leaves the integer in the low bits of the mantissa: one addition where
      // vector units without AVX-512 have no conversion to 64-bit integers.
      constexpr T magic = 6755399441055744.0;
      return Kokkos::bit_cast<bin_t<T>>(rounded + magic) - Kokkos::bit_cast<bin_t<T>>(magic);
    }
  }

  KOKKOS_INLINE_FUNCTION static T finite(double x) {
    constexpr double largest = static_cast<double>(std::numeric_limits<T>::max());
    return x < largest ? static_cast<T>(x) : std::numeric_limits<T>::max();
  }
};

/// Bins below 2^22 (float) or 2^51 (double), found without a conversion, which a GPU does at a
/// fraction of the rate of an addition: x * inverse + 1.5 * 2^23 (2^52) has the integer in its low
/// bits. For the 32 values of a lane. What it accepts, Quantizer::quantize() accepts with the same
/// bin.
template <class T>
struct SmallBins {
  using U = unsigned_t<T>;
  static constexpr T magic = sizeof(T) == 4 ? T(12582912.0) : T(6755399441055744.0);
  static constexpr U bias = sizeof(T) == 4 ? U(0x4b400000u) : U(0x4338000000000000u);  // of magic
  static constexpr T end = sizeof(T) == 4 ? T(0x1p22) : T(0x1p51);  ///< above all |bin|

  T inverse, step, limit;
  T energy = 0;          ///< sum of squares of the values in steps: no value is above its root
  bool refused = false;  ///< whether one of the values so far failed the cheap check

  KOKKOS_FORCEINLINE_FUNCTION explicit SmallBins(Quantizer<T> const& q)
      : inverse(q.inverse), step(q.step), limit(q.limit) {}

  /// bin + bias; meaningful only if all_accepted() in the end. Differences need no bias.
  KOKKOS_FORCEINLINE_FUNCTION U biased_bin(T value) {
    T const scaled = value * inverse;
    T const shifted = scaled + magic;
    T const rounded = shifted - magic;
    T const difference = value - rounded * step;
    refused |= !(Kokkos::fabs(difference) < limit);
    // A fused multiply-add, where a test of each bin would take an integer operation, of which a GPU
    // does half as many.
    energy = Kokkos::fma(scaled, scaled, energy);
    return Kokkos::bit_cast<U>(shifted);
  }
  /// biased_bin() of the fill value; if that has no such bin, of no value that is accepted in the end.
  KOKKOS_FORCEINLINE_FUNCTION static U biased_bin_of_fill(Quantizer<T> const& q) {
    return Kokkos::bit_cast<U>(q.fill_rounded + magic);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool all_accepted() const {
    return !refused & (energy < (sizeof(T) == 4 ? T(0x1p43) : T(0x1p101)));
  }
};

}  // namespace kompakt::impl

#endif
