#ifndef KOMPAKT_CORE_STEP_KEYS_HPP
#define KOMPAKT_CORE_STEP_KEYS_HPP

#include <Kokkos_Macros.hpp>
#include <core/exact.hpp>
#include <core/types.hpp>
#include <kompakt/value_steps.hpp>

namespace kompakt::impl {

/// The whole numbers that stand for values which are steps (ValueSteps), in double: it holds each float, and products and
/// quotients of floats that are rounded to double first come out of the second rounding as if there had been only one.
template <class T>
struct StepKeys {
  using S = bin_t<T>;
  ValueSteps::Kind kind = ValueSteps::Kind::none;
  int low_bits = 0;  ///< of bits
  double step = 1, offset = 0;

  /// Of steps that have been checked.
  KOKKOS_INLINE_FUNCTION static StepKeys of(ValueSteps const& steps) {
    StepKeys keys;
    if (!steps.any()) return keys;
    keys.kind = steps.kind;
    keys.step = steps.step;
    keys.offset = steps.offset;
    if (steps.kind == ValueSteps::Kind::bits) keys.low_bits = static_cast<int>(steps.step);
    return keys;
  }

  KOKKOS_FORCEINLINE_FUNCTION bool any() const { return kind != ValueSteps::Kind::none; }

  KOKKOS_INLINE_FUNCTION T value(S key) const {
    if (kind == ValueSteps::Kind::bits) {
      auto const bits = static_cast<unsigned_t<T>>(key) << low_bits;
      unsigned_t<T> const low = key < 0 ? (unsigned_t<T>{1} << low_bits) - 1 : 0;
      return from_ordered<T>(static_cast<S>(bits | low));
    }
    auto const number = static_cast<double>(key);
    if (kind == ValueSteps::Kind::quotients) return static_cast<T>(number / step + offset);
    double const product = number * step;
    return static_cast<T>(kind == ValueSteps::Kind::rounded
                              ? static_cast<double>(static_cast<T>(product)) + offset
                              : product + offset);
  }

  /// The number nearest to a value; returns whether there is one, of a magnitude that all operations hold.
  KOKKOS_INLINE_FUNCTION bool find(T value, S& key) const {
    key = 0;
    if (kind == ValueSteps::Kind::bits) {
      key = ordered(value) >> low_bits;
      return true;
    }
    double const distance = static_cast<double>(value) - offset;
    double const number =
        round_to_even(kind == ValueSteps::Kind::quotients ? distance * step : distance / step);
    constexpr double most = sizeof(T) == 4 ? 0x1p30 : 0x1p53;
    if (!(Kokkos::fabs(number) <= most)) return false;  // written so that NaN fails it
    key = static_cast<S>(number);
    return true;
  }

  /// Whether a value comes back bit for bit.
  KOKKOS_INLINE_FUNCTION bool keeps(T original, S key) const {
    return Kokkos::bit_cast<unsigned_t<T>>(value(key)) == Kokkos::bit_cast<unsigned_t<T>>(original);
  }
};

}  // namespace kompakt::impl

#endif
