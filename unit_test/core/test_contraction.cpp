#include <gtest/gtest.h>

#include <cmath>
#include <core/quantize.hpp>
#include <support/random.hpp>
#include <vector>

// A build that forgets -ffp-contract=off (--fmad=false) fuses x - k * step into one rounding. The
// data here have k * step rounded, and a difference so near the bound that the fusion turns the
// check: such a build fails these tests on every processor that has the instruction.

namespace kompakt::test {
namespace {

using impl::Quantizer;
using impl::Verdict;

constexpr double bound = 0.1;  // neither it nor its reciprocal is a double

struct Sample {
  std::int64_t bin;
  double value;
  bool inside;        // by the separately rounded check
  bool inside_fused;  // what a fused check would say
};

// Values at the edge of bins where both checks differ.
template <class T>
std::vector<Sample> samples_that_tell(Quantizer<T> const& q, std::size_t count) {
  Random random(41);
  std::vector<Sample> samples;
  while (samples.size() < count) {
    auto const k = static_cast<T>(random.below(sizeof(T) == 4 ? 1 << 12 : std::uint64_t{1} << 40));
    T volatile const product = k * q.step;
    T volatile const value = product + (random.one_in(2) ? q.limit : -q.limit);
    T volatile const scaled = value * q.inverse;
    T volatile const difference = value - product;
    if (std::nearbyint(scaled) != k) continue;
    bool const inside = std::fabs(difference) < q.limit;
    bool const fused = std::fabs(std::fma(-k, q.step, value)) < q.limit;
    if (inside == fused) continue;
    samples.push_back({static_cast<std::int64_t>(k), static_cast<double>(value), inside, fused});
  }
  return samples;
}

template <class T>
class Contraction : public testing::Test {};
using Values = testing::Types<float, double>;
TYPED_TEST_SUITE(Contraction, Values);

TYPED_TEST(Contraction, CheapCheck_RoundsTheProductOnItsOwn) {
  KOMPAKT_TRACE_SEED(41);
  auto const q = Quantizer<TypeParam>::with_bound(bound);
  for (Sample const& s : samples_that_tell(q, 1000)) {
    bool accepted;
    auto const bin = q.quantize(static_cast<TypeParam>(s.value), accepted);
    ASSERT_EQ(accepted, s.inside) << "compiled with contraction of a * b + c? bin " << s.bin;
    if (accepted) {
      ASSERT_EQ(bin, s.bin);
    }
  }
}

TYPED_TEST(Contraction, WholeCheck_SpeaksOfTheStoredReconstruction) {
  KOMPAKT_TRACE_SEED(41);
  auto const q = Quantizer<TypeParam>::with_bound(bound);
  for (Sample const& s : samples_that_tell(q, 1000)) {
    auto const value = static_cast<TypeParam>(s.value);
    impl::bin_t<TypeParam> bin;
    Verdict const verdict = q.classify(value, bin);
    TypeParam volatile const stored = q.reconstruct(bin);
    ASSERT_EQ(verdict == Verdict::accepted, keeps_promise<TypeParam>(value, stored, bound))
        << "compiled with contraction of a * b + c? bin " << s.bin;
  }
}

}  // namespace
}  // namespace kompakt::test
