#include "arguments.hpp"
#include "convert.hpp"
#include <algorithm>
#include <kompakt/option_keys.hpp>

// Options by key and word.

using namespace kompakt;
using namespace kompakt::c;

namespace {

/// Calls change(Options&) and writes what has come of them to the caller's structure, which stays as it was if that throws.
template <class Change>
kompakt_status change_options(char const* where, kompakt_options* options, Change const& change) {
  return call(where, [&] {
    Options changed = options_of(&required("options", options)).options;
    change(changed);
    kompakt_options const before = read("options", options, kompakt_options_default());
    kompakt_options written = before;
    c::set(written, changed);
    written.reason = 0;  // it was one for what these options were
    require_room("options", options, written, before);
    write_back(options, written);
  });
}

OptionKey const* find(char const* key) {
  if (key == nullptr) return nullptr;
  auto const keys = option_keys();
  auto const found = std::ranges::find(keys, std::string_view(key), &OptionKey::key);
  return found == keys.end() ? nullptr : &*found;
}

}  // namespace

kompakt_status kompakt_options_set(kompakt_options* options, char const* key, char const* word) {
  return change_options("kompakt_options_set", options, [&](Options& changed) {
    set(changed, required_text("key", key), required_text("word", word));
  });
}

kompakt_status kompakt_options_set_text(kompakt_options* options, char const* text) {
  return change_options("kompakt_options_set_text", options,
                        [&](Options& changed) { set(changed, required_text("text", text)); });
}

kompakt_status kompakt_options_names_bound(char const* text, int32_t* names) {
  return call("kompakt_options_names_bound",
              [&] { required("names", names) = names_bound(required_text("text", text)) ? 1 : 0; });
}

kompakt_status kompakt_options_names_method(kompakt_options const* options, int32_t* names) {
  return call("kompakt_options_names_method", [&] {
    Options const given = options_of(&required("options", options)).options;
    required("names", names) = names_method(given) ? 1 : 0;
  });
}

kompakt_status kompakt_options_text(kompakt_options const* options, char* text, uint64_t capacity,
                                    uint64_t* length) {
  return call("kompakt_options_text", [&] {
    std::string const written = text_of(options_of(&required("options", options)).options);
    if (length != nullptr) *length = written.size();
    if (written.size() >= capacity) {
      throw Error(Status::buffer_too_small, "the text needs " + std::to_string(written.size() + 1) +
                                                " bytes, but there is room for " +
                                                std::to_string(capacity));
    }
    std::copy_n(written.c_str(), written.size() + 1, &required("text", text));
  });
}

char const* kompakt_option_key(int32_t i) {
  auto const keys = option_keys();
  bool const has = i >= 0 && static_cast<std::size_t>(i) < keys.size();
  return has ? keys[static_cast<std::size_t>(i)].key.data() : nullptr;
}

char const* kompakt_option_word(char const* key, int32_t i) {
  OptionKey const* const found = find(key);
  bool const has = found != nullptr && i >= 0 && static_cast<std::size_t>(i) < found->words.size();
  return has ? found->words[static_cast<std::size_t>(i)].word.data() : nullptr;
}

char const* kompakt_option_help(char const* key, char const* word) {
  OptionKey const* const found = find(key);
  if (found == nullptr) return nullptr;
  if (word == nullptr) return found->help.data();
  auto const of_word = std::ranges::find(found->words, std::string_view(word), &OptionWord::word);
  return of_word == found->words.end() ? nullptr : of_word->help.data();
}

char const* kompakt_option_word_of(char const* key, int32_t number) {
  std::string_view const name = key == nullptr ? "" : key;
  auto const word = [&]<class Enum>(Enum) -> char const* {
    auto const value = enumerator_of<Enum>(number);
    return value ? to_string(*value) : nullptr;
  };
  if (name == "mode") return word(ErrorBound::Mode{});
  if (name == "pipeline") return word(Pipeline{});
  if (name == "variant") return word(Variant{});
  if (name == "predictor") return word(Predictor{});
  if (name == "goal") return word(Goal{});
  return nullptr;
}

kompakt_status kompakt_option_range(char const* key, double* least, double* most) {
  return call("kompakt_option_range", [&] {
    OptionKey const& found = option_key(required_text("key", key));
    if (found.kind == OptionKey::Kind::word || found.kind == OptionKey::Kind::flag) {
      refuse("the option '" + std::string(found.key) + "' takes words, not numbers");
    }
    double &first = required("least", least), &last = required("most", most);
    first = found.least;
    last = found.most;
  });
}
