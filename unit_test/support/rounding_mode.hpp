#ifndef KOMPAKT_TEST_ROUNDING_MODE_HPP
#define KOMPAKT_TEST_ROUNDING_MODE_HPP

#include <cfenv>

namespace kompakt::test {

/// Sets a rounding mode and puts the old one back.
class RoundingMode {
 public:
  explicit RoundingMode(int mode) : m_saved(std::fegetround()) { std::fesetround(mode); }
  ~RoundingMode() { std::fesetround(m_saved); }
  RoundingMode(RoundingMode const&) = delete;
  RoundingMode& operator=(RoundingMode const&) = delete;

 private:
  int m_saved;
};

inline constexpr int other_rounding_modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

}  // namespace kompakt::test

#endif
