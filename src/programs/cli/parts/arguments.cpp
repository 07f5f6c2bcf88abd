#include "arguments.hpp"
#include "notes.hpp"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cli/parts/verb_table.hpp>
#include <cmath>
#include <kompakt/error.hpp>
#include <kompakt/sequence.hpp>
#include <kompakt/threads.hpp>
#include <limits>
#include <tuple>
#include <utility>

namespace kompakt::cli {

namespace {

[[noreturn]] void refuse(std::string const& message, std::string_view advice = {}) {
  throw Error(Status::bad_argument, message, advice);
}

// A capital separator, as in 24X16, is one too.
std::vector<std::string> words_of(std::string list, char separator) {
  if (separator == 'x') std::ranges::replace(list, 'X', 'x');

  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    std::size_t const end = std::min(list.find(separator, begin), list.size());
    words.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// "10:20", "10:", ":20", ":" or "10", of an axis with so many values.
std::pair<std::size_t, std::size_t> parse_range(std::string const& option, std::string const& word,
                                                std::size_t extent) {
  std::vector<std::string> const ends = words_of(word, ':');
  if (ends.size() > 2) {
    refuse(option + ": '" + word + "' has a stride", "give ranges such as 10:20");
  }
  bool const single = ends.size() == 1;
  std::size_t const begin = !single && ends[0].empty() ? 0 : parse_count(option, ends[0]);
  std::size_t end = extent;
  if (single) end = begin < extent ? begin + 1 : begin;
  if (!single && !ends[1].empty()) end = parse_count(option, ends[1]);
  if (begin >= end || end > extent) {
    refuse(
        option + ": '" + word + "' is no range of indices from 0 to " + std::to_string(extent - 1),
        "give one such as 0:" + std::to_string(extent));
  }
  return {begin, end};
}

// Extents in the order of a list. They are positive, and their product can be counted.
std::vector<std::size_t> parse_extents(std::string const& option, std::string const& words,
                                       char separator) {
  std::string const list = option + " " + words;
  std::vector<std::size_t> extents;
  for (std::string const& word : words_of(words, separator)) {
    extents.push_back(parse_count(list, word));
  }
  if (extents.size() > static_cast<std::size_t>(max_rank)) {
    refuse(list + ": " + std::to_string(extents.size()) + " extents; at most " +
           std::to_string(max_rank) + " are possible; multiply some of the slowest ones");
  }
  for (std::size_t const extent : extents) {
    if (extent == 0) refuse(list + ": an extent of 0; every extent must be at least 1");
  }
  if (!is_countable(extents)) refuse(list + ": more values than 2^60", "check the extents");
  return extents;
}

}  // namespace

CLI::Option* add_read(CLI::App& verb, std::string const& name, std::string const& help,
                      std::function<void(std::string const& word)> read) {
  auto const take = [read = std::move(read)](std::string const& word) {
    if (!word.empty()) read(word);
  };
  return verb.add_option_function<std::string>(name, take, help);
}

// CLI11 reads words before it looks for help.
std::optional<std::string> help_asked_for(CLI::App const& app) {
  auto const asks = [](CLI::App const* part) {
    return part->get_help_ptr() != nullptr && part->get_help_ptr()->count() > 0;
  };
  if (asks(&app) || std::ranges::any_of(app.get_subcommands(), asks)) return app.help();
  return {};
}

namespace {

/// A verb with the words of a command line behind it.
class WordsOfVerb {
 public:
  WordsOfVerb(CLI::App& app, std::span<char* const> words) : m_verb(&app) {
    m_words.assign(words.begin(), words.end());
    std::vector<CLI::App*> const verbs = app.get_subcommands({});
    auto const names_verb = [&](std::string const& word) {
      auto const found = std::ranges::find(verbs, word, [](auto* v) { return v->get_name(); });
      if (found != verbs.end()) m_verb = *found;
      return found != verbs.end();
    };
    auto const at = std::ranges::find_if(m_words, names_verb);
    if (at != m_words.end()) m_words.erase(m_words.begin(), at + 1);
  }

  std::string name() const { return m_verb->get_name(); }
  std::vector<std::string> const& all() const { return m_words; }
  bool is_option(std::string const& word) const { return option(word) != nullptr; }
  bool ask_for_help() const {
    return std::ranges::any_of(m_words, [&](std::string const& word) {
      return is_option(word) && option(word) == m_verb->get_help_ptr();
    });
  }
  /// The option whose value is the next word; nullptr if this word needs none.
  CLI::Option const* waiting(std::string word) const {
    if (word.starts_with("--") && word.ends_with("=")) word.pop_back();
    CLI::Option const* const found = option(word);
    return found != nullptr && found->get_items_expected_max() > 0 ? found : nullptr;
  }

 private:
  CLI::Option const* option(std::string const& word) const {
    return word.starts_with("-") ? std::as_const(*m_verb).get_option_no_throw(word) : nullptr;
  }

  CLI::App* m_verb;
  std::vector<std::string> m_words;
};

}  // namespace

// CLI11 gives an option the next word, whatever it is. Numbers such as -5 are values.
void require_values(CLI::App& app, std::span<char* const> given) {
  WordsOfVerb const words(app, given);
  for (auto word = words.all().begin(); word != words.all().end() && *word != "--"; ++word) {
    CLI::Option const* const option = words.waiting(*word);
    if (option == nullptr) continue;
    std::string const& name = *word;
    if (++word == words.all().end()) return;  // the parser says so
    if (!word->starts_with("--") && !words.is_option(*word)) continue;
    if (words.ask_for_help()) app.parse({"--help", words.name()});
    bool const is_long = name.starts_with("--") && !name.ends_with("=");
    refuse(name + " has no value (" + option->get_type_name() + "): '" + *word + "' follows",
           "give one, or write " + name + (is_long ? "=" : "") + *word + " if that is the value");
  }
}

void FieldArguments::add_to(CLI::App& verb) {
  std::vector<std::string> types;
  for (int i = 0; i < dtype_count; ++i) types.emplace_back(to_string(static_cast<Dtype>(i)));
  offer_words(add_read(verb, "-t",
                       "type of the values: f32, f64, f16, bf16, complex c64 c128, or "
                       "integers i8 u8 i16 u16 i32 u32 i64 u64",
                       [this](std::string const& word) { type = parse_dtype(word); })
                  ->type_name("TYPE"),
              types);
  CLI::Option* const fastest = add_read(verb, "-l", "extents, fastest first, such as 49x37x240",
                                        [this](std::string const& word) {
                                          extents = parse_extents("-l", word, 'x');
                                          std::ranges::reverse(extents);
                                        });
  CLI::Option* const slowest =
      add_read(verb, "--shape", "extents, slowest first, such as 240,37,49",
               [this](std::string const& word) { extents = parse_extents("--shape", word, ','); });
  fastest->type_name("AxBxC");
  slowest->type_name("C,B,A")->excludes(fastest);
}

FieldShape FieldArguments::in_place_of(FieldShape shape) const {
  if (type) shape.dtype = *type;
  if (extents.empty()) return shape;
  shape.order = Order::last_fastest;
  shape.rank = static_cast<int>(extents.size());
  std::ranges::copy(extents, shape.extents.begin());
  return shape;
}

FieldShape FieldArguments::shape() const {
  if (!type) {
    refuse(
        "-t is missing",
        "give the type of the values, f32 or f64, or a file that says it: NumPy's, netCDF or HDF5");
  }
  if (extents.empty()) {
    refuse("the extents are missing",
           "give -l fastest first (49x37x240) or --shape slowest first (240,37,49)");
  }
  return in_place_of({});
}

void FieldArguments::require_agreement(FieldShape const& found, std::string const& label) const {
  require_same_shape(label, found, "-t and the extents say", in_place_of(found));
}

void RegionArguments::add_to(CLI::App& verb) {
  verb.add_option("--roi", ranges, "region: ranges of indices, slowest first, such as 10:20,:,5")
      ->required()
      ->type_name("RANGES");
}

Box RegionArguments::region(FieldShape const& field) const {
  std::vector<std::string> const words = words_of(ranges, ',');
  std::vector<std::size_t> const extents = slowest_first(field);
  std::string const option = "--roi " + ranges;
  if (words.size() != extents.size()) {
    refuse(option + ": ranges for " + std::to_string(words.size()) + " of the " +
               std::to_string(extents.size()) + " indices of " + text_of_extents(field),
           "give one for each, : for all of it");
  }
  bool const reversed = field.order == Order::first_fastest;
  Box region;
  region.rank = field.rank;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::size_t const axis = reversed ? words.size() - 1 - i : i;
    std::tie(region.begin[axis], region.end[axis]) = parse_range(option, words[i], extents[i]);
  }
  return region;
}

void BoundArguments::add_to(CLI::App& verb) {
  CLI::Option* const meaning = verb.add_option(
      "-m", mode,
      "meaning of -e: abs (units of the field), r2r (times max - min), pwr (times each value), "
      "psnr (dB to reach), lossless (without -e)");
  meaning->type_name("MODE");
  std::vector<std::string> modes;
  for (int i = 0; i < bound_mode_count; ++i) {
    modes.emplace_back(to_string(static_cast<ErrorBound::Mode>(i)));
  }
  offer_words(meaning, modes);
  verb.add_option("-e", value, "error bound, such as 1e-3")->type_name("BOUND");
  add_read(verb, "--range", "with -m r2r or psnr: a replacement for max - min of the field",
           [this](std::string const& word) { of = parse_positive("--range", word, "range"); })
      ->type_name("RANGE");
}

namespace {

/// "60" of a PSNR in dB.
std::string example_of(std::string const& mode) {
  return mode == to_string(ErrorBound::Mode::psnr) ? "60" : "1e-3";
}

// A text of options has both in one word.
void require_apart(std::string const& option, std::string const& word) {
  std::size_t const colon = word.find(':');
  if (colon == std::string::npos) return;
  std::string const mode = word.substr(0, colon), value = word.substr(colon + 1);
  refuse(option + " " + word + ": mode and bound are two options",
         "write -m " + mode + " -e " + (value.empty() ? example_of(mode) : value));
}

}  // namespace

ErrorBound parse_bound(std::string const& option, std::string const& mode,
                       std::string const& value) {
  bool const is_rel = mode == "rel";
  ErrorBound const bound{is_rel ? ErrorBound::Mode::r2r : parse_mode(mode),
                         parse_positive(option, value, "bound", example_of(mode)), false};
  if (is_rel) note("-m rel is read as r2r, relative to max - min of the field");
  if (bound.mode == ErrorBound::Mode::pwr && bound.value >= 1) {
    refuse(option + ": " + value + " of each value would allow 0 for all",
           "with the mode pwr give a bound below 1");
  }
  return bound;
}

ErrorBound BoundArguments::bound() const {
  require_apart("-m", mode);
  require_apart("-e", value);
  if (mode.empty()) {
    refuse("-m is missing", "give abs, r2r, pwr or psnr, and the bound with -e, or lossless");
  }
  if (mode == to_string(ErrorBound::Mode::lossless)) {
    if (!value.empty())
      refuse("-e " + value + ": -m lossless has no bound", "leave one of them out");
    return ErrorBound::lossless();
  }
  if (value.empty()) {
    parse_mode(mode == "rel" ? "r2r" : mode);  // which says what modes there are
    refuse("-e is missing or empty", "give the bound, such as -e " + example_of(mode));
  }
  return parse_bound("-e", mode, value);
}

double BoundArguments::range() const {
  if (of != 0 && (mode == "abs" || mode == "pwr" || mode == "lossless")) {
    refuse("--range is for -m r2r and psnr, but -m is " + mode, "leave out one of them");
  }
  return of;
}

namespace {

// Calls body(); what it throws is about an option.
auto about(std::string_view option, auto const& body) {
  try {
    return body();
  } catch (Error const& error) {
    throw error.about(option);
  }
}

// The spaces of this build, the default first.
std::vector<std::string> words_of_spaces() {
  std::vector<std::string> words;
  for (Space const space : compiled_spaces()) words.emplace_back(to_string(space));
  return words;
}

}  // namespace

void MemoryArguments::add_to(CLI::App& verb, std::string const& consequence) {
  verb.add_option("--memory", bytes,
                  "memory to use, such as 500M or 1.5G; " + consequence +
                      " (default: half of the free memory)")
      ->type_name("BYTES");
}

std::optional<std::uint64_t> MemoryArguments::given() const {
  if (bytes.empty()) return std::nullopt;
  return parse_bytes("--memory", bytes);
}

void ExecArguments::add_to(CLI::App& verb) {
  std::vector<std::string> const spaces = words_of_spaces();
  std::string help = "where to compute";
  for (std::string const& word : spaces) help += (&word == spaces.data() ? ": " : ", ") + word;
  CLI::Option* const option = add_read(verb, "--exec", help, [this](std::string const& word) {
    space = about("--exec", [&] { return parse_space(word); });
  });
  offer_words(option->type_name("SPACE"), spaces);
  add_read(verb, "--threads", "threads of openmp (default: OMP_NUM_THREADS or all cores)",
           [this](std::string const& word) {
             threads = static_cast<int>(parse_count("--threads", word, 1, max_host_threads));
           })
      ->type_name("N");
}

// Not with the command line: ranks may have different limits, and agree on what this says.
ExecChoice ExecArguments::choice() const {
  if (threads != 0) about("--threads", [&] { require_possible_threads(threads); });
  return {space.value_or(default_space()), threads};
}

std::vector<std::size_t> slowest_first(FieldShape const& shape) {
  return kompakt::slowest_first(shape, shape.extents);
}

void require_same_shape(std::string const& label, FieldShape const& found, std::string const& who,
                        FieldShape const& said) {
  if (said.dtype == found.dtype && slowest_first(said) == slowest_first(found)) return;
  throw Error(Status::type_mismatch,
              "'" + label + "' holds " + to_string(found.dtype) + ", " + text_of_extents(found) +
                  ", but " + who + " " + to_string(said.dtype) + ", " + text_of_extents(said),
              "leave them out or correct them");
}

char const* word_of(Order order) {
  return order == Order::last_fastest ? "last_fastest" : "first_fastest";
}

std::string text_of_extents(FieldShape const& shape) {
  std::string slowest;
  std::string fastest;
  for (std::size_t const extent : slowest_first(shape)) {
    std::string const word = std::to_string(extent);
    slowest += (slowest.empty() ? "" : " x ") + word;
    fastest = fastest.empty() ? word : word + "x" + fastest;
  }
  return slowest + " slowest first (-l " + fastest + ")";
}

}  // namespace kompakt::cli
