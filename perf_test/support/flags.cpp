#include "flags.hpp"
#include <charconv>
#include <cmath>
#include <filesystem>
#include <kompakt/error.hpp>

namespace kompakt::perf {

// Reports name the program; where it lay is no property of a measurement.
Flags::Flags(int argc, char** argv) : m_words(argv, argv + argc) {
  if (!m_words.empty()) m_words[0] = std::filesystem::path(m_words[0]).filename().string();
}

std::vector<std::string> Flags::take_all(std::string_view name) {
  std::vector<std::string> values;
  std::string const prefix = std::string(name) + "=";
  for (std::size_t i = 1; i < m_words.size();) {
    std::size_t used = 0;
    if (m_words[i] == name) {
      if (i + 1 == m_words.size()) {
        throw Error(Status::bad_argument, std::string(name) + ": a value must follow");
      }
      values.push_back(m_words[i + 1]);
      used = 2;
    } else if (m_words[i].starts_with(prefix)) {
      values.push_back(m_words[i].substr(prefix.size()));
      used = 1;
    }
    auto const at = m_words.begin() + static_cast<std::ptrdiff_t>(i);
    m_words.erase(at, at + static_cast<std::ptrdiff_t>(used));
    if (used == 0) ++i;
  }
  return values;
}

std::string Flags::take(std::string_view name, std::string const& otherwise) {
  std::vector<std::string> const values = take_all(name);
  return values.empty() ? otherwise : values.back();
}

bool Flags::take_switch(std::string_view name) { return std::erase(m_words, name) > 0; }

void Flags::require_only_benchmark_flags() const {
  for (std::size_t i = 1; i < m_words.size(); ++i) {
    if (!m_words[i].starts_with("--benchmark_")) {
      throw Error(Status::bad_argument, "'" + m_words[i] + "' is not a flag; --help lists them");
    }
  }
}

char** Flags::argv() {
  m_argv.clear();
  for (std::string& word : m_words) m_argv.push_back(word.data());
  m_argc = static_cast<int>(m_argv.size());
  m_argv.push_back(nullptr);
  return m_argv.data();
}

std::vector<std::string> split_at_commas(std::string const& text) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(',', begin)) != std::string::npos; begin = end + 1) {
    parts.push_back(text.substr(begin, end - begin));
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::size_t parse_count(std::string const& flag, std::string const& text) {
  std::size_t value = 0;
  char const* const end = text.data() + text.size();
  auto const result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end || value == 0) {
    throw Error(Status::bad_argument, flag + ": '" + text + "' is not a positive whole number");
  }
  return value;
}

std::vector<std::size_t> parse_extents(std::string const& flag, std::string const& text) {
  std::vector<std::size_t> extents;
  for (std::string const& part : split_at_commas(text)) extents.push_back(parse_count(flag, part));
  if (extents.empty()) throw Error(Status::bad_argument, flag + ": give at least one extent");
  return extents;
}

double parse_number(std::string const& flag, std::string const& text) {
  double value = 0;
  char const* const end = text.data() + text.size();
  auto const result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end || !std::isfinite(value)) {
    throw Error(Status::bad_argument, flag + ": '" + text + "' is not a number");
  }
  return value;
}

std::vector<BoundWord> take_bounds(Flags& flags, std::string const& otherwise) {
  std::vector<BoundWord> bounds;
  for (std::string const& word : split_at_commas(flags.take("--bounds", otherwise))) {
    bounds.push_back({word, parse_number("--bounds", word)});
  }
  return bounds;
}

std::vector<Pipeline> take_pipelines(Flags& flags) {
  std::vector<Pipeline> asked;
  for (std::string const& word : split_at_commas(flags.take("--pipeline", ""))) {
    if (!word.empty()) asked.push_back(parse_pipeline(word));
  }
  if (asked.empty()) asked.assign(pipelines().begin(), pipelines().end());
  return asked;
}

std::vector<Predictor> take_predictors(Flags& flags) {
  std::vector<Predictor> asked;
  for (std::string const& word : split_at_commas(flags.take("--predictor", "auto"))) {
    asked.push_back(parse_predictor(word));
  }
  return asked;
}

std::vector<Options> take_codings(Flags& flags) {
  std::vector<Predictor> const predictors = take_predictors(flags);
  std::vector<Options> codings;
  for (Pipeline const pipeline : take_pipelines(flags)) {
    for (Predictor const predictor : predictors) {
      codings.push_back({.pipeline = pipeline, .predictor = predictor});
      validate(codings.back());
    }
  }
  return codings;
}

}  // namespace kompakt::perf
