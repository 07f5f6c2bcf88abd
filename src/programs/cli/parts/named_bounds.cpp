#include "named_bounds.hpp"
#include <algorithm>
#include <fnmatch.h>
#include <kompakt/error.hpp>
#include <kompakt/options.hpp>

namespace kompakt::cli {

namespace {

[[noreturn]] void refuse_bound(std::string const& word, std::string const& reason,
                               std::string_view advice = {}) {
  throw Error(Status::bad_argument, "--bound " + word + ": " + reason, advice);
}

/// The bound that a word says behind the name.
BoundArguments bound_of(std::string const& word, std::string const& text) {
  BoundArguments bound;
  std::size_t const colon = text.find(':');
  bound.mode = text.substr(0, colon);
  if (text == to_string(ErrorBound::Mode::lossless)) return bound;
  if (colon == std::string::npos) {
    refuse_bound(word, "'" + text + "' is no mode with a bound",
                 "write MODE:BOUND, such as abs:0.01 or r2r:1e-3, or lossless");
  }
  bound.value = text.substr(colon + 1);
  if (bound.mode == to_string(ErrorBound::Mode::lossless)) {
    refuse_bound(word, "lossless has no bound", "leave ':" + bound.value + "' out");
  }
  try {
    parse_bound("--bound " + word, bound.mode, bound.value);
  } catch (Error const& error) {
    throw error.about(error.problem().starts_with("--bound") ? "" : "--bound " + word);
  }
  return bound;
}

}  // namespace

bool fits(std::string const& pattern, std::string const& own, std::string const& name) {
  if (pattern == own || ::fnmatch(pattern.c_str(), own.c_str(), 0) == 0) return true;
  if (!name.ends_with(own)) return pattern == name;
  std::string const file = name.substr(0, name.size() - own.size());
  return !file.empty() && pattern.starts_with(file) &&
         ::fnmatch(pattern.c_str() + file.size(), own.c_str(), 0) == 0;
}

std::vector<NamedBound> parse_named_bounds(std::vector<std::string> const& words) {
  std::vector<NamedBound> bounds;
  for (std::string const& word : words) {
    std::size_t const equals = word.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      refuse_bound(word, "it has no name", "give one such as 'T*=r2r:1e-4'");
    }
    bounds.push_back({word, word.substr(0, equals), bound_of(word, word.substr(equals + 1))});
  }
  return bounds;
}

NamedBound const* find_bound(std::vector<NamedBound>& bounds, files::Variable const& variable,
                             std::string const& name) {
  bool const is_kept = variable.stays_exact();
  NamedBound const* last = nullptr;
  for (NamedBound& bound : bounds) {
    if (is_kept && !bound.is_exact()) continue;
    if (!fits(bound.pattern, variable.name, name)) continue;
    bound.fits = true;
    last = &bound;
  }
  return last;
}

bool needs_note(files::Variable const& variable) {
  return variable.is_supporting && !variable.is_coordinate() && !variable.is_scalar;
}

std::string note_of_supporting(std::vector<std::string> const& names) {
  bool const is_one = names.size() == 1;
  return std::to_string(names.size()) + (is_one ? " variable says" : " variables say") +
         " where, when or how others are, and " + (is_one ? "stays" : "stay") +
         " exact: " + files::text_of_names(names) + "; --bound " + names.front() +
         "=MODE:BOUND compresses one within a bound";
}

void require_all_fit(std::vector<NamedBound> const& bounds, std::vector<std::string> const& names) {
  auto const left = std::ranges::find(bounds, false, &NamedBound::fits);
  if (left == bounds.end()) return;
  refuse_bound(left->word, "no variable that can have it has this name; there are " +
                               files::text_of_names(names));
}

SkippedNames::SkippedNames(std::vector<std::string> const& words) {
  for (std::string const& word : words) m_words.push_back({word});
}

bool SkippedNames::has(std::string const& own, std::string const& name) {
  bool any = false;
  for (Word& word : m_words) {
    if (!fits(word.pattern, own, name)) continue;
    word.fits = true;
    any = true;
  }
  return any;
}

void SkippedNames::require_all_fit(std::vector<std::string> const& names) const {
  auto const left = std::ranges::find(m_words, false, &Word::fits);
  if (left == m_words.end()) return;
  throw Error(Status::bad_argument, "--skip " + left->pattern +
                                        ": no variable has this name; there are " +
                                        files::text_of_names(names));
}

}  // namespace kompakt::cli
