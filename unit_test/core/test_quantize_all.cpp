#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <core/quantize.hpp>
#include <support/exact.hpp>

// The quantiser on all 2^32 floats, for a few bounds. The reference is computed in double, where
// the product of two floats is exact, and rounded once.

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

bool is_sound(Quantizer const& q, float value) {
  auto const scaled =
      static_cast<float>(static_cast<double>(value) * static_cast<double>(q.inverse));
  float const rounded = std::nearbyint(scaled);
  bool const has_bin = std::fabs(rounded) <= impl::ValueTraits<float>::bin_limit;
  auto const expected =
      static_cast<float>(static_cast<double>(rounded) * static_cast<double>(q.step));
  bool const accept = has_bin && is_finite(expected) && inside(value, expected, q.bound);

  std::int32_t bin;
  Verdict const verdict = q.classify(value, bin);
  bool fast_accepted;
  std::int32_t const fast_bin = q.quantize(value, fast_accepted);
  if ((verdict == Verdict::invalid) == has_bin || (verdict == Verdict::accepted) != accept)
    return false;
  if (bin != (has_bin ? static_cast<std::int32_t>(rounded) : 0)) return false;
  if (has_bin && bits_of(q.reconstruct(bin) + 0.0f) != bits_of(expected + 0.0f)) return false;
  return !fast_accepted || (accept && fast_bin == bin);
}

/// One block of 2^16 neighbouring bit patterns.
struct CheckBlock {
  using value_type = Faults;
  Quantizer quantizer;

  void init(Faults& faults) const { faults = {0, ~std::uint64_t{0}}; }
  void join(Faults& faults, Faults const& other) const {
    faults.count += other.count;
    faults.first = other.first < faults.first ? other.first : faults.first;
  }
  void operator()(std::int64_t block, Faults& faults) const {
    for (std::uint32_t low = 0; low < 1u << 16; ++low) {
      auto const bits = static_cast<std::uint32_t>(block) << 16 | low;
      if (!is_sound(quantizer, std::bit_cast<float>(bits))) join(faults, {1, bits});
    }
  }
};

class QuantizeAll : public testing::TestWithParam<double> {};

TEST_P(QuantizeAll, EveryBitPattern_GetsBinAndVerdictOfTheDefinition) {
  Faults faults;
  Kokkos::parallel_reduce("quantize_all",
                          Kokkos::RangePolicy<Host, Kokkos::IndexType<std::int64_t>>(0, 1 << 16),
                          CheckBlock{Quantizer::with_bound(GetParam())}, faults);
  EXPECT_EQ(faults.count, 0u) << "bound " << GetParam() << ", first bits " << std::hex
                              << faults.first;
}

// An ordinary bound; a lattice, where many errors are exactly the bound; one that no float has; a
// denormal; near the largest float; beyond it.
INSTANTIATE_TEST_SUITE_P(Bounds, QuantizeAll, testing::Values(1e-3, 0.5, 0.1, 1e-40, 1e37, 1e300));

}  // namespace
}  // namespace kompakt::test
