#ifndef KOMPAKT_UNIT_TEST_SUPPORT_EXACT_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_EXACT_HPP

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <kompakt/options.hpp>
#include <type_traits>

namespace kompakt::test {

/// A sum of a few finite doubles without any rounding: a fixed-point number in units of 2^-1074, the
/// smallest denormal, wide enough for the largest double. Integers only, so neither the compiler's
/// flags nor the floating-point environment can change what it says.
class ExactSum {
 public:
  ExactSum& add(double x) { return accumulate(x, 1); }
  ExactSum& subtract(double x) { return accumulate(x, -1); }

  /// -1, 0 or 1.
  int sign() const {
    std::int64_t carry = 0, rest = 0;
    for (std::int64_t const digit : m_digits) {
      std::int64_t const sum = digit + carry;
      carry = sum >> digit_bits;
      rest |= sum & digit_mask;
    }
    return carry < 0 ? -1 : (rest != 0 ? 1 : 0);
  }

 private:
  static constexpr int digit_bits = 32;
  static constexpr std::int64_t digit_mask = 0xffffffff;

  ExactSum& accumulate(double x, int factor) {
    auto const bits = std::bit_cast<std::uint64_t>(x);
    int const exponent = static_cast<int>(bits >> 52 & 0x7ff);
    std::uint64_t const hidden = exponent > 0 ? std::uint64_t{1} << 52 : 0;
    std::uint64_t const mantissa = (bits & 0xfffffffffffffu) | hidden;
    int const shift = exponent > 0 ? exponent - 1 : 0;
    std::uint64_t const low = (mantissa & 0xffffffffu) << (shift % digit_bits);
    std::uint64_t const high = (mantissa >> digit_bits) << (shift % digit_bits);
    std::int64_t const sign = (bits >> 63) != 0 ? -factor : factor;
    std::int64_t* const digit = m_digits.data() + shift / digit_bits;
    digit[0] += sign * static_cast<std::int64_t>(low & 0xffffffffu);
    digit[1] += sign * static_cast<std::int64_t>((low >> digit_bits) + (high & 0xffffffffu));
    digit[2] += sign * static_cast<std::int64_t>(high >> digit_bits);
    return *this;
  }

  // 2046 positions of a 53-bit mantissa; the carry of a few thousand summands fits above.
  std::array<std::int64_t, 67> m_digits{};
};

/// |x - y| <= bound in exact arithmetic, by other means than the library's. All finite, bound >= 0.
inline bool within(double x, double y, double bound) {
  return ExactSum().add(bound).subtract(x).add(y).sign() >= 0 &&
         ExactSum().add(bound).add(x).subtract(y).sign() >= 0;
}

/// |x - y| <= bound |x| in exact arithmetic; a zero must keep its sign. All finite, 1e-200 < bound < 1.
inline bool within_relative(double x, double y, double bound) {
  if (x == 0) return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  int exponent = 0;
  double const a = std::frexp(std::fabs(x), &exponent);
  double const b = std::ldexp(x < 0 ? -y : y, -exponent);
  if (!(std::fabs(b) < 4)) return false;
  // Halves of 26 and 27 bits, whose products are exact.
  auto const high = [](double v) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(v) & ~std::uint64_t{0x7ffffff});
  };
  double const bound_high = high(bound), bound_low = bound - bound_high, a_high = high(a),
               a_low = a - a_high;
  for (double const sign : {1.0, -1.0}) {
    ExactSum room;
    room.add(bound_high * a_high)
        .add(bound_high * a_low)
        .add(bound_low * a_high)
        .add(bound_low * a_low);
    if (room.subtract(sign * a).add(sign * b).sign() < 0) return false;
  }
  return true;
}

template <class T>
using bits_t = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
bits_t<T> bits_of(T value) {
  return std::bit_cast<bits_t<T>>(value);
}

/// By the bits, so that it also holds in code built with -ffast-math.
template <class T>
bool is_finite(T value) {
  constexpr bits_t<T> exponent =
      sizeof(T) == 4 ? bits_t<T>{0x7f800000u} : static_cast<bits_t<T>>(0x7ff0000000000000u);
  return (bits_of(value) & exponent) != exponent;
}

/// What the library promises of one value.
template <class T>
bool keeps_promise(T original, T reconstructed, double bound) {
  if (!is_finite(original)) return bits_of(original) == bits_of(reconstructed);
  return is_finite(reconstructed) &&
         within(static_cast<double>(original), static_cast<double>(reconstructed), bound);
}

template <class T>
bool keeps_promise(T original, T reconstructed, ErrorBound const& bound) {
  if (bound.mode == ErrorBound::Mode::lossless) return bits_of(original) == bits_of(reconstructed);
  if (bound.mode != ErrorBound::Mode::pwr || !is_finite(original)) {
    return keeps_promise(original, reconstructed, bound.value);
  }
  return is_finite(reconstructed) &&
         within_relative(static_cast<double>(original), static_cast<double>(reconstructed),
                         bound.value);
}

}  // namespace kompakt::test

#endif
