#ifndef KOMPAKT_UNIT_TEST_SUPPORT_RANDOM_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_RANDOM_HPP

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <support/exact.hpp>
#include <vector>

// Random numbers for property tests. Only the engine's own numbers are used: the distributions of
// the standard library differ between implementations.

#define KOMPAKT_TRACE_SEED(seed) SCOPED_TRACE(testing::Message() << "seed " << (seed))

namespace kompakt::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : m_engine(seed) {}

  std::uint64_t bits() { return m_engine(); }
  /// 0 <= result < count
  std::uint64_t below(std::uint64_t count) { return m_engine() % count; }
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(last - first) + 1));
  }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  /// Any bit pattern: NaNs, infinities and denormals as often as they are.
  template <class T>
  T any() {
    return std::bit_cast<T>(static_cast<bits_t<T>>(bits()));
  }
  template <class T>
  T any_finite() {
    T value = any<T>();
    while (!is_finite(value)) value = any<T>();
    return value;
  }

 private:
  std::mt19937_64 m_engine;
};

/// The values that arithmetic likes to forget.
template <class T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  bits_t<T> const quiet = bits_of(Limits::quiet_NaN());
  std::vector<T> values{T{0},
                        Limits::denorm_min(),
                        3 * Limits::denorm_min(),
                        Limits::min() - Limits::denorm_min(),
                        Limits::min(),
                        Limits::epsilon(),
                        T{0.1f},
                        T{0.5},
                        T{1},
                        T{1.5},
                        T{3},
                        T{1e10f},
                        T{16777216},
                        Limits::max() / 2,
                        Limits::max(),
                        Limits::infinity(),
                        Limits::quiet_NaN(),
                        std::bit_cast<T>(static_cast<bits_t<T>>(quiet | 0x1234)),
                        std::bit_cast<T>(static_cast<bits_t<T>>(quiet ^ (quiet & -quiet) ^ 1))};
  std::size_t const positive = values.size();
  bits_t<T> const sign = bits_of(-T{0});
  for (std::size_t i = 0; i < positive; ++i) {
    values.push_back(std::bit_cast<T>(static_cast<bits_t<T>>(bits_of(values[i]) | sign)));
  }
  return values;
}

}  // namespace kompakt::test

#endif
