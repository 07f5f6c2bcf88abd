#include "text.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace kompakt::cli {

std::string text_of(double value, int digits) {
  if (std::isnan(value)) return "nan";
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

std::string in_one_line(std::string_view text) {
  constexpr std::string_view special = "\t\n\r\\", letters = "tnr\\";
  std::string line;
  for (char const c : text) {
    std::size_t const found = special.find(c);
    if (found == std::string_view::npos) {
      line += c;
    } else {
      line.append({'\\', letters[found]});
    }
  }
  return line;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t most = 300;
  std::size_t const letters = columns_of(text);
  if (letters <= most) return in_one_line(text);
  std::size_t end = 0;
  for (std::size_t shown = 0; shown <= most; ++end) shown += columns_of(text.substr(end, 1));
  --end;  // where the first letter begins that is not shown
  return in_one_line(text.substr(0, end)) + "... and " + std::to_string(letters - most) +
         " letters more";
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string text_of_time(double seconds) {
  if (seconds < 120) return text_of(std::ceil(seconds), 3) + " s";
  auto const minutes = static_cast<long long>(seconds / 60);
  if (minutes < 120) return std::to_string(minutes) + " min";
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

}  // namespace kompakt::cli
