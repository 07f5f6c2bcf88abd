#include "text.hpp"
#include <array>
#include <cstdio>

namespace kompakt::cli {

std::string text_of(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

std::string text_of_bytes(double bytes) {
  if (bytes < 1000) return text_of(bytes, 3) + " bytes";
  constexpr char const* units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = bytes / 1000;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  return text_of(value, 3) + " " + units[unit];
}

}  // namespace kompakt::cli
