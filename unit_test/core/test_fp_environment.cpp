#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <core/fp_environment.hpp>
#include <limits>
#include <support/rounding_mode.hpp>
#include <thread>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace kompakt::test {
namespace {

using impl::FpEnvironment;

// Operands and results go through memory, so that the processor and not the compiler computes.
bool denormals_are_kept() {
  double volatile const smallest = std::numeric_limits<double>::min();
  double volatile const half = 0.5;
  double volatile const product = smallest * half;
  double volatile const doubled = product * (1 / half);
  return product != 0 && doubled == smallest;
}

bool rounds_to_nearest() {
  double volatile const one = 1, quarter = std::numeric_limits<double>::epsilon() / 4;
  double volatile const above = one + 3 * quarter, below = one + quarter;
  double volatile const minus_above = -one - 3 * quarter;
  return above == 1 + std::numeric_limits<double>::epsilon() && below == 1 && minus_above == -above;
}

TEST(FpEnvironment, OtherRoundingModes_AreSetAsideAndRestored) {
  for (int const mode : other_rounding_modes) {
    RoundingMode const other(mode);
    EXPECT_FALSE(rounds_to_nearest());
    {
      FpEnvironment const environment;
      EXPECT_TRUE(rounds_to_nearest());
    }
    EXPECT_FALSE(rounds_to_nearest());
    EXPECT_EQ(std::fegetround(), mode);
  }
}

TEST(FpEnvironment, StandardEnvironment_StaysAsItWas) {
  {
    FpEnvironment const environment;
    EXPECT_TRUE(rounds_to_nearest());
    EXPECT_TRUE(denormals_are_kept());
  }
  EXPECT_TRUE(rounds_to_nearest());
  EXPECT_TRUE(denormals_are_kept());
}

#if defined(__SSE2__)
constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040, round_up = 0x4000;

// What -ffast-math does to a program before main.
class ControlWord {
 public:
  explicit ControlWord(unsigned bits) : m_saved(_mm_getcsr()) { _mm_setcsr(m_saved | bits); }
  ~ControlWord() { _mm_setcsr(m_saved); }
  ControlWord(ControlWord const&) = delete;
  ControlWord& operator=(ControlWord const&) = delete;

 private:
  unsigned m_saved;
};

TEST(FpEnvironment, FlushedDenormals_AreKeptInsideAndFlushedAgainAfter) {
  for (unsigned bits : {flush_to_zero, denormals_are_zero, flush_to_zero | denormals_are_zero,
                        flush_to_zero | denormals_are_zero | round_up}) {
    ControlWord const other(bits);
    unsigned const before = _mm_getcsr();
    EXPECT_FALSE(denormals_are_kept()) << std::hex << bits;
    {
      FpEnvironment const environment;
      EXPECT_TRUE(denormals_are_kept()) << std::hex << bits;
      EXPECT_TRUE(rounds_to_nearest()) << std::hex << bits;
      FpEnvironment const nested;
      EXPECT_TRUE(denormals_are_kept()) << std::hex << bits;
    }
    EXPECT_FALSE(denormals_are_kept()) << std::hex << bits;
    constexpr unsigned sticky_flags = 0x3f;
    EXPECT_EQ(_mm_getcsr() & ~sticky_flags, before & ~sticky_flags);
  }
}

TEST(FpEnvironment, EachThread_HasItsOwn) {
  ControlWord const other(flush_to_zero | denormals_are_zero);
  FpEnvironment const environment;
  bool flushed_elsewhere = false;
  std::thread([&] {
    ControlWord const elsewhere(flush_to_zero | denormals_are_zero);
    flushed_elsewhere = !denormals_are_kept();
  }).join();
  EXPECT_TRUE(flushed_elsewhere);
  EXPECT_TRUE(denormals_are_kept());
}
#endif

}  // namespace
}  // namespace kompakt::test
