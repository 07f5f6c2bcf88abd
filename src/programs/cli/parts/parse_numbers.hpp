#ifndef KOMPAKT_CLI_WORDS_HPP
#define KOMPAKT_CLI_WORDS_HPP

#include <cstdint>
#include <string>
#include <string_view>

namespace kompakt::cli {

/// The words the user typed are read here, strictly, in any locale, and every message names the word.
/// All functions throw Error bad_argument.

std::uint64_t parse_count(std::string_view option, std::string_view word);
/// One from `least` to `most`.
std::uint64_t parse_count(std::string const& option, std::string const& word, std::uint64_t least,
                          std::uint64_t most, std::string const& unit = "");
/// A count of bytes, such as 34000000, 34MB or 1.5G: K, M, G, T and KiB, MiB, … are powers of 1024, kB, MB, … of 1000,
/// in letters of either case.
std::uint64_t parse_bytes(std::string_view option, std::string_view word);
/// A positive, finite number; `option` and `what` name it.
double parse_positive(std::string const& option, std::string_view word, std::string const& what,
                      std::string const& example = "1e-3");

}  // namespace kompakt::cli

#endif
