#include "parse_numbers.hpp"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <kompakt/error.hpp>
#include <limits>

namespace kompakt::cli {

namespace {

[[noreturn]] void refuse(std::string const& message, std::string_view advice = {}) {
  throw Error(Status::bad_argument, message, advice);
}

// from_chars() takes no plus, with which people write exponents and signs.
std::string_view without_plus(std::string_view word) {
  bool const has_plus = word.size() > 1 && word[0] == '+' && word[1] != '-';
  return word.substr(has_plus ? 1 : 0);
}

// Digits and at most one point, as from_chars() takes them; else NaN.
double parse_fraction(std::string_view word) {
  double value = 0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  bool const number = error == std::errc() && end == word.data() + word.size();
  return number ? value : std::numeric_limits<double>::quiet_NaN();
}

// "M" and "MiB" are 2^20, "MB" is 10^6; NaN for what is no unit.
double unit_of_bytes(std::string_view word) {
  std::size_t const power = std::string_view("KMGT").find(
      static_cast<char>(std::toupper(static_cast<unsigned char>(word[0]))));
  std::string rest(word.substr(1));
  for (char& c : rest) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  bool const binary = rest.empty() || rest == "ib";
  if (power == std::string_view::npos || (!binary && rest != "b")) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

}  // namespace

std::uint64_t parse_count(std::string_view option, std::string_view word) {
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) {
    refuse(std::string(option) + ": '" + std::string(word) +
               "' is not a whole number that fits in 64 bits",
           "write digits only");
  }
  return value;
}

std::uint64_t parse_count(std::string const& option, std::string const& word, std::uint64_t least,
                          std::uint64_t most, std::string const& unit) {
  std::uint64_t const count = parse_count(option, word);
  if (count >= least && count <= most) return count;
  refuse(option + ": " + word + " is not possible",
         "give " + std::to_string(least) + " to " + std::to_string(most) + unit);
}

std::uint64_t parse_bytes(std::string_view option, std::string_view word) {
  std::size_t const digits = std::min(word.find_first_not_of("0123456789."), word.size());
  std::string_view const number = word.substr(0, digits);
  if (digits == word.size()) return parse_count(option, word);
  double const bytes = parse_fraction(number) * unit_of_bytes(word.substr(digits));
  // No number and no unit are NaN.
  if (!(bytes >= 0)) {
    refuse(std::string(option) + ": '" + std::string(word) + "' is no number of bytes",
           "give one such as 500M, 1.5G or 34MB");
  }
  if (bytes >= 0x1p64) {
    refuse(std::string(option) + ": " + std::string(word) + " are more bytes than fit in 64 bits");
  }
  return static_cast<std::uint64_t>(bytes);
}

double parse_positive(std::string const& option, std::string_view word, std::string const& what,
                      std::string const& example) {
  double value = 0;
  std::string_view const digits = without_plus(word);
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  bool const number = error == std::errc() && end == digits.data() + digits.size();
  if (!number || !std::isfinite(value) || value <= 0) {
    bool const is_outside = error == std::errc::result_out_of_range;
    refuse(option + ": '" + std::string(word) + "' is not a " + what +
               (is_outside ? ", as f64 has numbers from 4.9e-324 to 1.8e+308" : ""),
           "give a positive, finite number such as " + example);
  }
  return value;
}

}  // namespace kompakt::cli
