#include "parameters.hpp"
#include <algorithm>
#include <array>
#include <kompakt/option_keys.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace kompakt::adios2 {

namespace {

// Beside the keys of options: everything at once, and where blocks are compressed.
constexpr std::array<std::string_view, 5> own{"options", "space", "threads", "memory", "interface"};
// Of ADIOS2 itself, which hands them on. Its Fortran bindings give an empty one.
constexpr std::array<std::string_view, 4> of_adios2{"pluginname", "pluginlibrary", "verbose", ""};

[[noreturn]] void refuse(std::string const& message, std::string_view advice = {}) {
  throw Error(Status::bad_argument, message, advice);
}

template <class List>
bool has(List const& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

void require_known(Parameters const& parameters) {
  std::vector<std::string_view> known;
  for (OptionKey const& key : option_keys()) known.push_back(key.key);
  known.insert(known.end(), own.begin(), own.end());
  for (auto const& [key, value] : parameters) {
    if (has(known, key) || has(of_adios2, key)) continue;
    std::string keys;
    for (std::string_view const word : known)
      keys += (keys.empty() ? "" : ", ") + std::string(word);
    refuse("there is no parameter \"" + key + "\" (here \"" + value + "\")", "use one of " + keys);
  }
}

std::optional<std::string> text_of(Parameters const& parameters, char const* key) {
  auto const found = parameters.find(key);
  if (found == parameters.end()) return std::nullopt;
  return found->second;
}

// Of all keys the mode comes first, because some modes say what the bound can be.
void set_all(Options& options, Parameters const& parameters) {
  if (auto const text = text_of(parameters, "options")) set(options, *text);
  if (auto const mode = text_of(parameters, "mode")) set(options, "mode", *mode);
  for (OptionKey const& key : option_keys()) {
    if (key.key == "mode") continue;
    if (auto const word = text_of(parameters, std::string(key.key).c_str())) {
      set(options, key.key, *word);
    }
  }
}

}  // namespace

Coding coding_of(Parameters const& parameters) {
  require_known(parameters);
  Coding coding;
  Options& options = coding.options;
  options.bound = ErrorBound::absolute(0);
  options.pipeline = Pipeline::automatic;
  set_all(options, parameters);
  bool const lossless = options.bound.mode == ErrorBound::Mode::lossless;
  if (!lossless && options.bound.value == 0 && !parameters.contains("bound")) {
    refuse("there is no parameter \"bound\"", "give one, or the mode lossless");
  }
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
  refuse("the parameter memory is \"" + word + "\"",
         "write host, or space for the memory of the execution space");
}

plugin::Target target_of(Parameters const& parameters) {
  plugin::Target target = plugin::target_of_environment("KOMPAKT_ADIOS2");
  if (auto const word = text_of(parameters, "space")) target.space = parse_space(*word);
  if (auto const word = text_of(parameters, "threads")) {
    target.threads = plugin::parse_threads("the parameter threads", *word);
  }
  return target;
}

int interface_of(Parameters const& parameters) {
  auto const word = text_of(parameters, "interface");
  return word && *word == "2" ? 2 : 0;
}

}  // namespace kompakt::adios2
