#include <archive/names.hpp>
#include <kompakt/printable.hpp>
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

bool is_text(std::string_view text, Breaks breaks = Breaks::no) {
  bool const may_break = breaks == Breaks::yes;
  return kompakt::is_text(text) &&
         (may_break || text.find_first_of("\t\n\r") == std::string_view::npos);
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
