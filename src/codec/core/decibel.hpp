#ifndef KOMPAKT_CORE_DECIBEL_HPP
#define KOMPAKT_CORE_DECIBEL_HPP

#include <Kokkos_MathematicalFunctions.hpp>

// Powers of ten for decibels, by products that every machine rounds alike: pow() of the libraries differs in
// its last bits. A few units in the 14th digit off.

namespace kompakt::impl {

/// 10^(tenths / 200): what so many tenths of a decibel are as a ratio of amplitudes. tenths >= 0.
KOKKOS_INLINE_FUNCTION double amplitude_of_tenths(int tenths) {
  double power = 1.0115794542598985;  // 10^(1/200)
  double result = 1;
  for (; tenths > 0; tenths >>= 1) {
    if ((tenths & 1) != 0) result *= power;
    power *= power;
  }
  return result;
}

inline constexpr double max_decibels = 1000;

/// 10^(decibels / 20), 0 <= decibels <= max_decibels.
KOKKOS_INLINE_FUNCTION double amplitude(double decibels) {
  double const tenths = ::floor(decibels * 10);
  double const x = (decibels - tenths / 10) * 0.11512925464970229;  // ln(10) / 20, at most 0.012
  double const rest = 1 + x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4 * (1 + x / 5))));
  return amplitude_of_tenths(static_cast<int>(tenths)) * rest;
}

/// 10^(-decibels / 20), never above it: what no error may be above so that a PSNR is reached whatever the errors are, as a share
/// of the range. 1 / amplitude() is above it by 2.5e-15 at most, below 5 dB.
KOKKOS_INLINE_FUNCTION double share_of_range(double decibels) {
  return (1 - 0x1p-48) / amplitude(decibels);
}

}  // namespace kompakt::impl

#endif
