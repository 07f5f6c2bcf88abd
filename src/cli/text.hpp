#ifndef KOMPAKT_CLI_TEXT_HPP
#define KOMPAKT_CLI_TEXT_HPP

#include <cstdint>
#include <string>

namespace kompakt::cli {

/// "%.<digits>g"
std::string text_of(double value, int digits = 6);
/// "1.74 MB", decimal prefixes
std::string text_of_bytes(double bytes);
/// "7 s", "12 min", "3 h 5 min"
std::string text_of_time(double seconds);

}  // namespace kompakt::cli

#endif
