#ifndef KOMPAKT_CLI_WORDS_HPP
#define KOMPAKT_CLI_WORDS_HPP

#include <cstdint>
#include <string>
#include <string_view>

namespace kompakt::cli {

/// The options of the verbs are kept as the words the user typed and are read here, strictly, so
/// that every message can name the word. All functions throw Error bad_argument.

std::uint64_t parse_count(std::string_view option, std::string_view word);
/// A count of bytes, such as 34000000, 34MB or 1.5G: K, M, G, T and KiB, MiB, … are powers of 1024, kB, MB, … of 1000,
/// in letters of either case.
std::uint64_t parse_bytes(std::string_view option, std::string_view word);
/// A positive, finite number; `option` and `what` name it.
double parse_positive(std::string const& option, std::string_view word, std::string const& what);

}  // namespace kompakt::cli

#endif
