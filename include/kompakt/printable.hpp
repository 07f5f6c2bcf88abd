#ifndef KOMPAKT_PRINTABLE_HPP
#define KOMPAKT_PRINTABLE_HPP

#include <cstddef>
#include <string>
#include <string_view>

namespace kompakt {

/// Bytes of the letter of UTF-8 at the start of a text, which may also be the break of a line or a column; 0 if there is
/// another control character or none of UTF-8.
std::size_t letter_bytes(std::string_view text);

/// Whether a text has such letters only.
bool is_text(std::string_view text);

/// A text that a terminal shows in one line and obeys in nothing: control characters, breaks of lines and columns, and bytes
/// that are not UTF-8 are "\n", "\t", "\r" or as "\x1b". The messages of every Error have passed through it.
std::string printable(std::string_view text);

}  // namespace kompakt

#endif
