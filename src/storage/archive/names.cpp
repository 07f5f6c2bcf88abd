#include <archive/names.hpp>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace kompakt::impl {

namespace {

// Limits of names and attributes; lengths are stored in 16 bits.
constexpr std::size_t max_name_bytes = 255;
constexpr std::size_t max_value_bytes = 65535;
constexpr std::size_t max_attributes = 1024;

enum class Breaks : bool { no = false, yes = true };

// Bytes of the letter at the start of a text; 0 if it is not UTF-8, or a control character other than the breaks
// of lines and columns where these are allowed.
std::size_t letter_bytes(std::string_view text, Breaks breaks) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned const first = byte(0);
  bool const is_break = first == '\t' || first == '\n' || first == '\r';
  if (is_break) return breaks == Breaks::yes ? 1 : 0;
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  std::size_t const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t letter = first & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    letter = letter << 6 | (byte(i) & 0x3f);
  }
  bool const is_short = letter < (length == 4 ? 0x10000u : length == 3 ? 0x800u : 0xa0u);
  bool const is_surrogate = letter >= 0xd800 && letter < 0xe000;
  return is_short || is_surrogate || letter > 0x10ffff ? 0 : length;
}

bool is_text(std::string_view text, Breaks breaks = Breaks::no) {
  while (!text.empty()) {
    std::size_t const length = letter_bytes(text, breaks);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// For messages; what cannot be printed is left out.
std::string quoted(std::string_view text) {
  if (!is_text(text)) return "it";
  std::string result = "'";
  return result.append(text.substr(0, max_name_bytes)).append("'");
}

// The message is made when it is needed: reading an index asks this of every name.
void require_text(std::pair<char const*, std::string_view> what, std::string_view text,
                  std::size_t least, std::size_t most, Breaks breaks = Breaks::no) {
  bool const fits = text.size() >= least && text.size() <= most;
  if (fits && is_text(text, breaks)) return;
  std::string const start = what.first + std::string(what.second) + " ";
  if (!fits) {
    throw Error(Status::bad_argument,
                start + quoted(text) + " has " + std::to_string(text.size()) + " bytes",
                "give " + std::to_string(least) + " to " + std::to_string(most));
  }
  throw Error(Status::bad_argument, start + "is not UTF-8 or has control characters",
              "leave them out");
}

}  // namespace

void require_usable(std::string_view name, Attributes const& attributes) {
  require_text({"the name", ""}, name, 1, max_name_bytes);
  if (attributes.size() > max_attributes) {
    throw Error(Status::bad_argument, std::to_string(attributes.size()) + " attributes",
                "give at most " + std::to_string(max_attributes));
  }
  std::set<std::string_view> keys;
  for (auto const& [key, value] : attributes) {
    require_text({"the attribute's key", ""}, key, 1, max_name_bytes);
    require_text({"the value of attribute ", key}, value, 0, max_value_bytes, Breaks::yes);
    if (keys.insert(key).second) continue;
    throw Error(Status::bad_argument, std::string("the attribute '") + key + "' is given twice",
                "leave out one of them");
  }
}

}  // namespace kompakt::impl
