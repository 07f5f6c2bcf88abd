#include "calendar_units.hpp"
#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <string_view>

namespace kompakt::files {

namespace {

/// Words that no duration has.
constexpr std::array<std::string_view, 17> words_of_dates{
    "gregorian", "julian", "jd",      "mjd",   "j2000",    "epoch",     "unix",    "posix",   "utc",
    "date",      "doy",    "datenum", "dates", "datetime", "timestamp", "iso8601", "calendar"};

constexpr std::array<std::string_view, 4> phrases_of_dates{"since", "of year", "decimal year",
                                                           "fractional year"};

/// Words behind which a date stands, as UDUNITS takes them, and others that people write.
constexpr std::array<std::string_view, 6> words_before_dates{"from", "after", "before",
                                                             "past", "ref",   "@"};

bool has_words_of_dates(std::string const& units) {
  std::istringstream words(units);
  std::string before;
  for (std::string word; words >> word; before = word) {
    bool const may_be_year =
        word.size() >= 4 && std::isdigit(static_cast<unsigned char>(word[0])) != 0;
    bool const may_be_date = may_be_year && std::ranges::count(words_before_dates, before) > 0;
    if (may_be_date || std::ranges::count(words_of_dates, word) > 0) return true;
  }
  return std::ranges::any_of(phrases_of_dates, [&](std::string_view phrase) {
    return units.find(phrase) != std::string::npos;
  });
}

/// Whether there are two conversions of strftime() or more, or one behind "as": "day as %y%m%d.%f". A lone % is a percentage.
bool has_conversions(std::string const& units) {
  int count = 0;
  for (std::size_t at = units.find('%'); at != std::string::npos; at = units.find('%', at + 1)) {
    constexpr std::string_view conversions = "ymdhsfjb";
    if (at + 1 < units.size() && conversions.find(units[at + 1]) != std::string_view::npos) ++count;
  }
  return count > 1 || units.find(" as %") != std::string::npos;
}

/// Whether so many of a letter in a row stand for a part of a date: "yyyy", "ddd". Seconds may have a fraction.
bool is_part_of_date(char letter, std::size_t count) {
  switch (letter) {
    case 'y': return count == 2 || count == 4;
    case 'm':
    case 'd':
    case 's': return count == 2 || count == 3;
    case 'h': return count == 2;
    default: return false;
  }
}

/// Whether letters stand for the digits of a date: "yyyymmdd", "hh:mm", "yyyy-mm-ddthh". One part alone is a unit, such as mm.
bool is_picture_of_date(std::string_view text) {
  int parts = 0;
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size(); at = end) {
    constexpr std::string_view separators = " -:/._tzf";
    end = std::min(text.find_first_not_of(text[at], at), text.size());
    if (separators.find(text[at]) != std::string_view::npos) continue;
    if (!is_part_of_date(text[at], end - at)) return false;
    parts += text[at] == 'y' && end - at == 4 ? 2 : 1;
  }
  return parts > 1;
}

bool has_picture_of_date(std::string const& units) {
  std::istringstream words(units);
  for (std::string word; words >> word;) {
    if (is_picture_of_date(word)) return true;
  }
  return is_picture_of_date(units);
}

}  // namespace

bool are_units_of_dates(std::string const& units) {
  std::string words = units;
  std::ranges::replace(words, '_', ' ');  // "julian_day"
  return has_words_of_dates(words) || has_conversions(units) || has_picture_of_date(units);
}

}  // namespace kompakt::files
