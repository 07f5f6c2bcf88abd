#ifndef KOMPAKT_CLI_TEXT_HPP
#define KOMPAKT_CLI_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kompakt::cli {

/// "%.<digits>g"; "nan" whatever its sign
std::string text_of(double value, int digits = 6);
/// "1.74 MB", decimal prefixes
std::string text_of_bytes(double bytes);
/// A text in one line: tabs, ends of lines and backslashes as \t, \n, \r and \\.
std::string in_one_line(std::string_view text);
/// A text in one line that a person reads: of a long one the beginning, and how many letters there are more.
std::string shortened(std::string_view text);
/// How many columns of a terminal a text in UTF-8 takes, letters of double width apart.
std::size_t columns_of(std::string_view text);
/// "7 s", "12 min", "3 h 5 min"
std::string text_of_time(double seconds);

}  // namespace kompakt::cli

#endif
