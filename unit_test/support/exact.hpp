#ifndef KOMPAKT_UNIT_TEST_SUPPORT_EXACT_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_EXACT_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
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

}  // namespace kompakt::test

#endif
