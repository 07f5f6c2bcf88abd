#include "parameters.hpp"
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

namespace kompakt::adios2 {

namespace {

constexpr std::array<std::string_view, 12> known{"bound",     "mode",    "pipeline", "variant",
                                                 "predictor", "pack",    "fill",     "range",
                                                 "space",     "threads", "memory",   "interface"};
// Of ADIOS2 itself, which hands them on. Its Fortran bindings give an empty one.
constexpr std::array<std::string_view, 4> of_adios2{"pluginname", "pluginlibrary", "verbose", ""};

[[noreturn]] void refuse(std::string const& message) { throw Error(Status::bad_argument, message); }

template <class List>
bool has(List const& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

void require_known(Parameters const& parameters) {
  for (auto const& [key, value] : parameters) {
    if (has(known, key) || has(of_adios2, key)) continue;
    std::string keys;
    for (std::string_view const word : known)
      keys += (keys.empty() ? "" : ", ") + std::string(word);
    refuse("there is no parameter \"" + key + "\" (here \"" + value + "\"); there are " + keys);
  }
}

std::optional<std::string> text_of(Parameters const& parameters, char const* key) {
  auto const found = parameters.find(key);
  if (found == parameters.end()) return std::nullopt;
  return found->second;
}

double number_of(char const* key, std::string const& text) {
  double number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  refuse("the parameter " + std::string(key) + " is \"" + text +
         "\", which is no number; write one such as 0.01 or 1e-3");
}

bool flag_of(char const* key, std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  refuse("the parameter " + std::string(key) + " is \"" + text + "\"; write true or false");
}

ErrorBound bound_of(Parameters const& parameters) {
  auto const mode = text_of(parameters, "mode"), bound = text_of(parameters, "bound");
  ErrorBound asked = ErrorBound::absolute(0);
  if (mode) asked.mode = parse_mode(*mode);
  if (asked.mode != ErrorBound::Mode::lossless && !bound) {
    refuse("there is no parameter \"bound\"; give one, or the mode lossless");
  }
  if (bound) asked.value = number_of("bound", *bound);
  return asked;
}

Pipeline pipeline_of(Parameters const& parameters, ErrorBound const& bound) {
  if (auto const word = text_of(parameters, "pipeline")) return parse_pipeline(*word);
  bool const lossless = bound.mode == ErrorBound::Mode::lossless;
  return lossless ? Pipeline::fixedlength : Pipeline::bitshuffle;
}

}  // namespace

Coding coding_of(Parameters const& parameters) {
  require_known(parameters);
  Coding coding;
  Options& options = coding.options;
  options.bound = bound_of(parameters);
  options.pipeline = pipeline_of(parameters, options.bound);
  if (auto const word = text_of(parameters, "variant")) options.variant = parse_variant(*word);
  if (auto const word = text_of(parameters, "predictor")) {
    options.predictor = parse_predictor(*word);
  }
  if (auto const word = text_of(parameters, "pack")) options.pack = flag_of("pack", *word);
  if (auto const word = text_of(parameters, "fill")) options.fill = parse_fill(*word);
  if (auto const word = text_of(parameters, "range")) options.range = number_of("range", *word);
  validate(options);
  coding.values_in = memory_of(parameters);
  return coding;
}

Options lossless_options() {
  Options options;
  options.bound = ErrorBound::lossless();
  return options;
}

MemoryOf memory_of(Parameters const& parameters) {
  std::string const word = text_of(parameters, "memory").value_or("host");
  if (word == "host") return MemoryOf::host;
  if (word == "space") return MemoryOf::space;
  refuse("the parameter memory is \"" + word + "\"; write host, or space for that of the space");
}

plugin::Place place_of(Parameters const& parameters) {
  plugin::Place place = plugin::place_of_environment("KOMPAKT_ADIOS2");
  if (auto const word = text_of(parameters, "space")) place.space = parse_space(*word);
  if (auto const word = text_of(parameters, "threads")) {
    place.threads = plugin::parse_threads("the parameter threads", *word);
  }
  return place;
}

int interface_of(Parameters const& parameters) {
  auto const word = text_of(parameters, "interface");
  return word && *word == "2" ? 2 : 0;
}

}  // namespace kompakt::adios2
