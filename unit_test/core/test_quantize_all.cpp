#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <core/quantize.hpp>
#include <cstdlib>
#include <limits>
#include <support/exact.hpp>
#include <vector>

// The quantiser on floats of every kind, for 20 bounds: on all 2^32 floats if KOMPAKT_TEST_EVERY_FLOAT is set, else on one of 1024
// neighbours. The reference is computed in double, where the product of two floats is exact, and rounded once.

namespace kompakt::test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Quantizer = impl::Quantizer<float>;
using impl::Verdict;

/// Faults and the lowest bit pattern that has one.
struct Faults {
  std::uint64_t count, first;
};

// |x - y| <= bound: double decides unless rounding could matter, exact integers the rest.
bool inside(float x, float y, double bound) {
  double const difference = std::fabs(static_cast<double>(x) - static_cast<double>(y));
  if (difference < bound * (1 - 1e-9)) return true;
  if (difference > bound * (1 + 1e-9)) return false;
  return within(static_cast<double>(x), static_cast<double>(y), bound);
}

bool has_bin(float rounded) { return std::fabs(rounded) <= impl::ValueTraits<float>::bin_limit; }

float value_of(Quantizer const& q, float rounded) {
  return static_cast<float>(static_cast<double>(rounded) * static_cast<double>(q.step));
}

bool comes_back(Quantizer const& q, float value, float rounded) {
  float const found = value_of(q, rounded);
  return has_bin(rounded) && is_finite(found) && inside(value, found, q.bound);
}

bool is_sound(Quantizer const& q, float value) {
  auto const scaled =
      static_cast<float>(static_cast<double>(value) * static_cast<double>(q.inverse));
  float const nearest = std::nearbyint(scaled);
  float const beside = nearest + (value > value_of(q, nearest) ? 1.f : -1.f);
  bool const is_nearest = comes_back(q, value, nearest), is_beside = comes_back(q, value, beside);
  bool const accept = has_bin(nearest) && (is_nearest || is_beside);
  float const rounded = is_nearest || !accept ? nearest : beside;

  std::int32_t bin;
  Verdict const verdict = q.classify(value, bin);
  bool fast_accepted;
  std::int32_t const fast_bin = q.quantize(value, fast_accepted);
  if ((verdict == Verdict::invalid) == has_bin(nearest)) return false;
  if ((verdict == Verdict::accepted) != accept) return false;
  if (bin != (has_bin(nearest) ? static_cast<std::int32_t>(rounded) : 0)) return false;
  float const found = q.reconstruct(bin), expected = value_of(q, rounded);
  if (has_bin(nearest) && bits_of(found + 0.0f) != bits_of(expected + 0.0f)) return false;
  return !fast_accepted || (accept && fast_bin == bin);
}

/// One block of 2^16 neighbouring bit patterns, of which every `stride`th is looked at, beginning at another one in each block.
struct CheckBlock {
  using value_type = Faults;
  Quantizer quantizer;
  std::uint32_t stride;

  void init(Faults& faults) const { faults = {0, ~std::uint64_t{0}}; }
  void join(Faults& faults, Faults const& other) const {
    faults.count += other.count;
    faults.first = other.first < faults.first ? other.first : faults.first;
  }
  void operator()(std::int64_t block, Faults& faults) const {
    auto const first = static_cast<std::uint32_t>(block * 619) % stride;
    for (std::uint32_t low = first; low < 1u << 16; low += stride) {
      auto const bits = static_cast<std::uint32_t>(block) << 16 | low;
      if (!is_sound(quantizer, std::bit_cast<float>(bits))) join(faults, {1, bits});
    }
  }
};

// Bin and verdict near ties and near the largest bin, whatever the stride.
std::vector<float> values_of_interest(Quantizer const& q) {
  std::vector<float> values;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (double const bin : {0., 0.5, 1., 1.5, 2., 2.5, 1000.5, 65535.5, 1e6 + 0.5,
                           static_cast<double>(impl::ValueTraits<float>::bin_limit)}) {
    auto const centre = static_cast<float>(bin * static_cast<double>(q.step));
    float below = centre, above = centre;
    for (int i = 0; i < 8; ++i) {
      for (float const value : {below, above}) {
        values.push_back(value);
        values.push_back(-value);
      }
      below = std::nextafter(below, -infinity);
      above = std::nextafter(above, infinity);
    }
  }
  return values;
}

class QuantizeAll : public testing::TestWithParam<double> {};

TEST_P(QuantizeAll, BitPatterns_GetBinAndVerdictOfTheDefinition) {
  bool const is_every = std::getenv("KOMPAKT_TEST_EVERY_FLOAT") != nullptr;
  Quantizer const quantizer = Quantizer::with_bound(GetParam());
  Faults faults;
  Kokkos::parallel_reduce("quantize_all",
                          Kokkos::RangePolicy<Host, Kokkos::IndexType<std::int64_t>>(0, 1 << 16),
                          CheckBlock{quantizer, is_every ? 1u : 1024u}, faults);
  EXPECT_EQ(faults.count, 0u) << "bound " << GetParam() << ", first bits " << std::hex
                              << faults.first;
  for (float const value : values_of_interest(quantizer)) {
    EXPECT_TRUE(is_sound(quantizer, value)) << "bound " << GetParam() << ", value " << value;
  }
}

constexpr double denormal = std::numeric_limits<float>::denorm_min(),
                 normal = std::numeric_limits<float>::min(),
                 largest = std::numeric_limits<float>::max();

INSTANTIATE_TEST_SUITE_P(
    Bounds, QuantizeAll,
    testing::Values(
        // Ordinary bounds, and some that no float has.
        1e-3, 0.1, 1.0 / 3, 1e-7, 12345.678,
        // Powers of two: odd multiples of the bound are ties, and many errors are exactly the bound.
        0.5, 1.0, 0x1p-10, 0x1p20,
        // Ties whose factor is rounded, and bounds beside a power of two.
        1.5, 3 * 0x1p-12, 0.5 - 0x1p-26, 0.5 + 0x1p-25,
        // The smallest steps: denormal ones, half of the smallest, the smallest normal one.
        1e-40, denormal, denormal / 2, normal,
        // Near the largest float, half of it, and beyond.
        1e37, largest / 2, 1e300));

}  // namespace
}  // namespace kompakt::test
