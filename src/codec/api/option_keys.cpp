#include <algorithm>
#include <api/checks.hpp>
#include <array>
#include <charconv>
#include <cmath>
#include <coder/huffman/alphabet.hpp>
#include <coder/table.hpp>
#include <concepts>
#include <container/format.hpp>
#include <container/reader.hpp>
#include <core/fp_environment.hpp>
#include <kompakt/error.hpp>
#include <kompakt/option_keys.hpp>
#include <limits>
#include <predictor/table.hpp>
#include <utility>

namespace kompakt {

namespace {

/// What a word stands for.
template <class E>
struct Meaning {
  E value;
  std::string_view word;
  std::string_view help;
};
template <class E>
using Meanings = std::vector<Meaning<E>>;

[[noreturn]] void refuse(std::string const& message, std::string_view advice = {}) {
  throw Error(Status::bad_argument, message, advice);
}

constexpr std::array<Meaning<ErrorBound::Mode>, bound_mode_count> modes{
    {{ErrorBound::Mode::abs, "abs", "the bound is in the units of the field"},
     {ErrorBound::Mode::r2r, "r2r", "the bound is relative to the range of the field"},
     {ErrorBound::Mode::pwr, "pwr", "the bound is relative to each value"},
     {ErrorBound::Mode::psnr, "psnr",
      "the peak signal-to-noise ratio is at least the bound, in dB"},
     {ErrorBound::Mode::lossless, "lossless", "every value comes back bit for bit"}}};

constexpr std::array<Meaning<Goal>, 4> goals{
    {{Goal::ratio, "ratio", "the smallest stream of all pipelines but rans"},
     {Goal::speed, "speed", "the shortest time on a GPU"},
     {Goal::balanced, "balanced", "a smaller stream where it is much smaller"},
     {Goal::smallest, "smallest", "the smallest stream, of rans too"}}};

Meanings<Pipeline> const& pipeline_words() {
  static Meanings<Pipeline> const words = [] {
    Meanings<Pipeline> found{
        {Pipeline::automatic, "auto", "chosen by a sample of the field for the goal"}};
    for (auto const* row : impl::coder_rows())
      found.push_back({row->pipeline, row->word, row->help});
    return found;
  }();
  return words;
}

Meanings<Variant> const& variant_words() {
  static Meanings<Variant> const words = [] {
    Meanings<Variant> found{{Variant::automatic, "auto", "the best of the pipeline"}};
    for (auto const* row : impl::coder_rows()) {
      for (auto const& v : row->variants) found.push_back({v.variant, v.word, v.help});
    }
    return found;
  }();
  return words;
}

Meanings<Predictor> const& predictor_words() {
  static Meanings<Predictor> const words = [] {
    Meanings<Predictor> found{
        {Predictor::automatic, "auto", "chain or tile, whichever makes the smaller stream"}};
    for (auto const* row : impl::predictor_rows()) {
      for (auto const& asked : row->asked_by) {
        found.push_back({asked.predictor, asked.word, asked.help});
      }
    }
    return found;
  }();
  return words;
}

std::vector<OptionWord> const fill_words{{"none", "every value counts"},
                                         {"auto", "found in a sample"}};

template <class List>
std::vector<OptionWord> words_in(List const& meanings) {
  std::vector<OptionWord> words;
  for (auto const& meaning : meanings) words.push_back({meaning.word, meaning.help});
  return words;
}

template <class List>
auto parse(char const* what, std::string_view word, List const& meanings,
           std::string const& more = {}) {
  std::string known;
  for (auto const& meaning : meanings) {
    if (meaning.word == word) return meaning.value;
    known += (known.empty() ? "" : ", ") + std::string(meaning.word);
  }
  refuse(std::string(what) + ": '" + std::string(word) + "' is not known",
         std::string("use one of ") + known + more);
}

template <class List, class E>
bool has(List const& meanings, E value) {
  return std::any_of(meanings.begin(), meanings.end(),
                     [&](auto const& meaning) { return meaning.value == value; });
}

/// Words of the tables are literals, which end with a zero.
template <class List, class E>
char const* word_of(List const& meanings, E value, char const* otherwise) {
  for (auto const& meaning : meanings) {
    if (meaning.value == value) return meaning.word.data();
  }
  return otherwise;
}

template <class Number>
std::string text_of_number(Number number) {
  std::array<char, 32> text{};
  auto const written = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), written.ptr};
}

// from_chars() takes no plus, with which people write signs.
std::string_view without_plus(std::string_view word) {
  bool const has_plus = word.size() > 1 && word[0] == '+' && word[1] != '-';
  return word.substr(has_plus ? 1 : 0);
}

/// Reads the number that a word is, in any locale.
/// \returns result_out_of_range for one that the type does not have, invalid_argument for what is no number
template <class Number>
std::errc read_number(std::string_view word, Number& number) {
  std::string_view const digits = without_plus(word);
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return end == digits.data() + digits.size() ? error : std::errc::invalid_argument;
}

/// \param why_none  what is said of a word that is no number
template <class Number>
Number parse_number(std::string_view key, std::string_view word, char const* advice,
                    char const* why_none = "is no number") {
  Number number{};
  std::errc const error = read_number(word, number);
  if (error == std::errc()) return number;
  bool const is_outside = std::floating_point<Number> && error == std::errc::result_out_of_range;
  refuse(std::string(key) + ": '" + std::string(word) + "' " +
             (is_outside ? "lies outside of f64, which has numbers from 4.9e-324 to 1.8e+308"
                         : why_none),
         advice);
}

double parse_real(std::string_view key, std::string_view word) {
  return parse_number<double>(key, word, "write one such as 0.01 or 1e-3");
}

bool parse_flag(std::string_view key, std::string_view word) {
  auto const is = [&](std::string_view wanted) {
    return std::equal(word.begin(), word.end(), wanted.begin(), wanted.end(), [](char a, char b) {
      return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
    });
  };
  if (is("true") || is("1")) return true;
  if (is("false") || is("0")) return false;
  refuse(std::string(key) + ": '" + std::string(word) + "' is neither true nor false");
}

std::string text_of_flag(bool flag) { return flag ? "true" : "false"; }

void set_bound(Options& options, std::string_view word) {
  std::size_t const colon = word.find(':');
  ErrorBound bound = options.bound;
  if (colon != std::string_view::npos) {
    bound = {parse_mode(word.substr(0, colon)), parse_real("bound", word.substr(colon + 1)), false};
  } else if (word == to_string(ErrorBound::Mode::lossless)) {
    bound = ErrorBound::lossless();
  } else {
    bound = {bound.mode, parse_real("bound", word), false};
  }
  options.bound = bound;
}

void set_mode(Options& options, std::string_view word) {
  ErrorBound::Mode const mode = parse_mode(word);
  options.bound = {mode, mode == ErrorBound::Mode::lossless ? 0 : options.bound.value, false};
}

// A pipeline that is named is not chosen, and the other way round.
void set_pipeline(Options& options, std::string_view word) {
  options.pipeline = parse_pipeline(word);
  if (options.pipeline != Pipeline::automatic) options.goal.reset();
  if (options.pipeline == Pipeline::automatic && !options.goal) options.goal = Goal::balanced;
}

void set_goal(Options& options, std::string_view word) {
  options.goal = parse_goal(word);
  options.pipeline = Pipeline::automatic;
}

std::string text_of_bound(Options const& options) {
  std::string const mode = to_string(options.bound.mode);
  return options.bound.mode == ErrorBound::Mode::lossless
             ? mode
             : mode + ":" + text_of_number(options.bound.value);
}

std::string text_of_fill(FillValue const& fill) {
  if (fill.mode == FillValue::Mode::none) return "none";
  bool const is_given = fill.mode == FillValue::Mode::value;
  std::string text = is_given ? text_of_number(fill.value) : "auto";
  for (int i = 0; i < fill.others_count; ++i) {
    text.append("/").append(text_of_number(fill.others[static_cast<std::size_t>(i)]));
  }
  return text;
}

// LOWER:UPPER, of which either may be absent.
void set_limits(Options& options, std::string_view word) {
  std::size_t const colon = word.find(':');
  if (word == "none") return void(options.limits = Limits{});
  if (colon == std::string_view::npos || word.size() == 1) {
    refuse("limits: '" + std::string(word) + "' is no pair",
           "write LOWER:UPPER, LOWER: or :UPPER, such as 0:100, or none");
  }
  std::string_view const lower = word.substr(0, colon), upper = word.substr(colon + 1);
  Limits limits;
  if (!lower.empty()) limits.lower = parse_real("limits", lower);
  if (!upper.empty()) limits.upper = parse_real("limits", upper);
  impl::validate_limits(limits);
  options.limits = limits;
}

std::string text_of_limits(Limits const& limits) {
  if (!limits.any()) return "none";
  auto const text = [](double limit) {
    return std::abs(limit) <= std::numeric_limits<double>::max() ? text_of_number(limit) : "";
  };
  return text(limits.lower) + ":" + text(limits.upper);
}

constexpr std::array<Meaning<ValueSteps::Kind>, 6> step_kinds{
    {{ValueSteps::Kind::automatic, "auto", "looked for in a sample by a choice without loss"},
     {ValueSteps::Kind::none, "none", "values are not looked at as steps"},
     {ValueSteps::Kind::multiples, "multiples", "multiples:STEP or multiples:STEP:OFFSET"},
     {ValueSteps::Kind::rounded, "rounded", "as multiples, rounded before the offset is added"},
     {ValueSteps::Kind::quotients, "quotients", "quotients:100 are numbers with two decimals"},
     {ValueSteps::Kind::bits, "bits", "bits:N have N low bits of zero"}}};

// KIND, KIND:STEP or KIND:STEP:OFFSET, or a step alone.
void set_steps(Options& options, std::string_view word) {
  std::size_t const colon = word.find(':');
  bool const is_number = colon == std::string_view::npos && word.find_first_of("0123456789") == 0;
  if (is_number) {
    options.steps = {ValueSteps::Kind::multiples, parse_real("steps", word), 0};
    return;
  }
  ValueSteps steps{parse("steps", word.substr(0, colon), step_kinds), 0, 0};
  if (steps.any() != (colon != std::string_view::npos)) {
    refuse("steps: '" + std::string(word) + "' is no kind of steps with a step",
           "write auto, none, or one such as quotients:100 or multiples:0.5:20");
  }
  if (steps.any()) {
    std::string_view const numbers = word.substr(colon + 1);
    std::size_t const second = numbers.find(':');
    steps.step = parse_real("steps", numbers.substr(0, second));
    if (second != std::string_view::npos) {
      steps.offset = parse_real("steps", numbers.substr(second + 1));
    }
  }
  options.steps = steps;
}

std::string text_of_steps(ValueSteps const& steps) {
  std::string text(word_of(step_kinds, steps.kind, "auto"));
  if (!steps.any()) return text;
  text += ":" + text_of_number(steps.step);
  return steps.offset == 0 ? text : text + ":" + text_of_number(steps.offset);
}

/// A key with what it does.
struct Row {
  OptionKey key;
  void (*set)(Options& options, std::string_view word);
  std::string (*text)(Options const& options);
};

using Kind = OptionKey::Kind;
constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<Row> rows_of_method() {
  return {
      {{"bound", Kind::either, "largest error, as MODE:VALUE or VALUE alone; in dB for psnr", 0,
        infinity, words_in(std::span(&modes.back(), 1))},
       set_bound,
       text_of_bound},
      {{"mode", Kind::word, "what the bound is relative to", 0, 0, words_in(modes)},
       set_mode,
       [](Options const& o) { return std::string(to_string(o.bound.mode)); }},
      {{"pipeline", Kind::word, "compression method", 0, 0, words_in(pipeline_words())},
       set_pipeline,
       [](Options const& o) { return std::string(to_string(o.pipeline)); }},
      {{"goal", Kind::word, "goal of the choice of a pipeline", 0, 0, words_in(goals)},
       set_goal,
       [](Options const& o) { return std::string(o.goal ? to_string(*o.goal) : ""); }},
      {{"variant", Kind::word, "variant of the pipeline", 0, 0, words_in(variant_words())},
       [](Options& o, std::string_view word) { o.variant = parse_variant(word); },
       [](Options const& o) { return std::string(to_string(o.variant)); }},
      {{"predictor", Kind::word, "predictor", 0, 0, words_in(predictor_words())},
       [](Options& o, std::string_view word) { o.predictor = parse_predictor(word); },
       [](Options const& o) { return std::string(to_string(o.predictor)); }},
  };
}

std::vector<Row> rows_of_values() {
  return {
      {{"fill", Kind::either, "fill value, which is masked and comes back exactly", -infinity,
        infinity, fill_words},
       [](Options& o, std::string_view word) { o.fill = parse_fill(word); },
       [](Options const& o) { return text_of_fill(o.fill); }},
      {{"range",
        Kind::number,
        "maximum - minimum for r2r and psnr; 0: measured in the field",
        0,
        std::numeric_limits<double>::max(),
        {}},
       [](Options& o, std::string_view word) { o.range = parse_real("range", word); },
       [](Options const& o) { return text_of_number(o.range); }},
      {{"limits",
        Kind::pair,
        "values within these limits (such as 0:100 or 0:) stay within them",
        -infinity,
        infinity,
        {{"none", "no limits"}}},
       set_limits,
       [](Options const& o) { return text_of_limits(o.limits); }},
  };
}

void set_axes(Options& options, std::string_view word) {
  impl::CodedAxes axes{-1, -1, -1};
  auto const count = static_cast<std::size_t>(1 + std::ranges::count(word, ':'));
  if (count > axes.size()) {
    refuse("axis: '" + std::string(word) + "' names more than three",
           "write 0 for the first index, or FIRST:SECOND:THIRD");
  }
  std::string_view rest = word;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t const end = std::min(rest.find(':'), rest.size());
    axes[i] = parse_number<int>("axis", rest.substr(0, end), "write 0 for the first index, or -1");
    if (i + 1 < count) rest.remove_prefix(end + 1);
  }
  impl::name_axes(options, axes);
}

std::vector<Row> rows_of_coding() {
  return {
      {{"radius",
        Kind::count,
        "huffman: smaller residuals have a symbol; a power of two",
        impl::huffman::smallest_radius,
        impl::huffman::largest_radius,
        {}},
       [](Options& o, std::string_view word) {
         o.radius = parse_number<int>("radius", word, "write a power of two, such as 512");
       },
       [](Options const& o) { return text_of_number(o.radius); }},
      {{"axis",
        Kind::count,
        "number of the index that is coded as the fastest, or FIRST:SECOND:THIRD; -1: the fastest "
        "in "
        "memory, or for the smallest stream the best",
        -1,
        max_rank - 1,
        {}},
       set_axes,
       [](Options const& o) { return impl::text_of_axes(impl::named_axes(o)); }},
      {{"steps", Kind::either,
        "numbers that values are made of: KIND:STEP or KIND:STEP:OFFSET with the "
        "kinds "
        "multiples, rounded, quotients and bits",
        0, std::numeric_limits<double>::max(), words_in(std::span(step_kinds).first<2>())},
       set_steps,
       [](Options const& o) { return text_of_steps(o.steps); }},
      {{"pack", Kind::flag, "code chunks once more if that makes them smaller", 0, 1, {}},
       [](Options& o, std::string_view word) { o.pack = parse_flag("pack", word); },
       [](Options const& o) { return text_of_flag(o.pack); }},
      {{"checksum", Kind::flag, "whether chunks have checksums", 0, 1, {}},
       [](Options& o, std::string_view word) { o.checksum = parse_flag("checksum", word); },
       [](Options const& o) { return text_of_flag(o.checksum); }},
  };
}

std::vector<Row> const& rows() {
  static std::vector<Row> const all = [] {
    std::vector<Row> joined = rows_of_method();
    for (auto const part : {rows_of_values, rows_of_coding}) {
      for (Row& row : part()) joined.push_back(std::move(row));
    }
    return joined;
  }();
  return all;
}

Row const& row_of(std::string_view key) {
  std::string known;
  for (Row const& row : rows()) {
    if (row.key.key == key) return row;
    known += (known.empty() ? "" : ", ") + std::string(row.key.key);
  }
  refuse("there is no option '" + std::string(key) + "'", "use one of " + known);
}

/// Sets an item of a text.
/// \returns whether it is a bound without a key
bool set_item(Options& options, std::string_view item) {
  std::size_t const equals = item.find('=');
  if (equals != std::string_view::npos) {
    set(options, item.substr(0, equals), item.substr(equals + 1));
    return false;
  }
  for (Row const& row : rows()) {
    if (row.key.key != item || row.key.kind != Kind::flag) continue;
    row.set(options, "true");
    return false;
  }
  bool const is_bound = item.find(':') != std::string_view::npos ||
                        item == to_string(ErrorBound::Mode::lossless) ||
                        (!item.empty() && std::string_view("0123456789.+-").find(item.front()) !=
                                              std::string_view::npos);
  if (is_bound) {
    set_bound(options, item);
    return true;
  }
  refuse("'" + std::string(item) + "' is neither a bound, a flag nor KEY=WORD",
         "write a bound such as r2r:1e-3, a flag such as pack, or KEY=WORD such as predictor=tile");
}

Options with_items(Options options, std::string_view text) {
  impl::FpEnvironment const environment;  // numbers are the same under any rounding of the caller
  std::size_t begin = 0;
  bool has_bound = false;
  while (begin <= text.size()) {
    std::size_t const end = std::min(text.find(',', begin), text.size());
    try {
      std::string_view const item = text.substr(begin, end - begin);
      bool const is_bound = set_item(options, item);
      if (is_bound && has_bound) {
        refuse("'" + std::string(item) + "' is a second bound",
               "write a decimal point, as in abs:0.01, and one bound");
      }
      has_bound |= is_bound;
    } catch (Error const& error) {
      throw error.about("options '" + std::string(text) + "'");
    }
    begin = end + 1;
  }
  return options;
}

[[noreturn]] void refuse_half(std::string_view text, ErrorBound bound, bool has_mode) {
  std::string const mode = to_string(bound.mode), value = text_of_number(bound.value);
  std::string const options = "options '" + std::string(text) + "': ";
  if (has_mode) refuse(options + "the mode " + mode + " has no bound", "write " + mode + ":BOUND");
  refuse(options + "the bound " + value + " has no mode",
         "write abs:" + value + " or r2r:" + value);
}

}  // namespace

std::span<OptionKey const> option_keys() {
  static std::vector<OptionKey> const keys = [] {
    std::vector<OptionKey> found;
    for (Row const& row : rows()) found.push_back(row.key);
    return found;
  }();
  return keys;
}

OptionKey const& option_key(std::string_view key) { return row_of(key).key; }

void set(Options& options, std::string_view key, std::string_view word) {
  Options changed = options;
  Row const& row = row_of(key);
  row.set(changed, word);
  if (row.key.kind == Kind::count) impl::validate_counts(changed);
  options = changed;
}

void set(Options& options, std::string_view text) {
  names_bound(text);  // refuses half of one
  options = with_items(options, text);
}

// A part of a bound that is the same behind two bounds with nothing in common comes from the text.
bool names_bound(std::string_view text) {
  constexpr ErrorBound one = ErrorBound::absolute(0), other = ErrorBound::relative_to_value(0.5);
  ErrorBound const of_one = with_items({.bound = one}, text).bound;
  ErrorBound const of_other = with_items({.bound = other}, text).bound;
  bool const has_mode = of_one.mode == of_other.mode;
  bool const has_value = of_one.value == of_other.value || std::isnan(of_one.value);
  if (has_mode != has_value) refuse_half(text, of_one, has_mode);
  return has_mode;
}

bool names_method(Options const& options) noexcept {
  return options.goal || options.pipeline != Pipeline::automatic ||
         options.variant != Variant::automatic || options.predictor != Predictor::automatic;
}

std::string text_of(Options const& options, std::string_view key) {
  return row_of(key).text(options);
}

std::string text_of(Options const& options) {
  Options const otherwise;
  std::string text = text_of_bound(options);
  for (Row const& row : rows()) {
    std::string_view const key = row.key.key;
    if (key == "bound" || key == "mode" || (key == "goal" && !options.goal)) continue;
    if (key == "pipeline" && options.goal) continue;
    // By the word auto a goal would be asked for.
    std::string const word =
        key == "pipeline" ? to_string(pipeline_of(options)) : row.text(options);
    bool const differs_by_face = key == "pipeline" || key == "fill";
    if (!differs_by_face && word == row.text(otherwise)) continue;
    bool const is_set_flag = row.key.kind == Kind::flag && word == "true";
    text.append(",").append(key);
    if (!is_set_flag) text.append("=").append(word);
  }
  return text;
}

namespace {

// The number that a float is written as. It is rounded to the same float, and its text is no longer than it must be.
double as_written(float value) {
  double number = value;
  std::string const text = text_of_number(value);
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

FillValue fill_of(StreamInfo const& info) {
  if (!info.fill) return FillValue::none();
  bool const is_float = info.shape.dtype == Dtype::f32 && std::isfinite(*info.fill);
  return FillValue::of(is_float ? as_written(static_cast<float>(*info.fill)) : *info.fill);
}

/// The word that asks for a predictor again; of the two for the same one, the shape of tiles decides.
Predictor predictor_of(Prediction const& prediction) {
  auto const* const row = impl::row_of(prediction.method);
  if (row != nullptr && row->asked_by.size() == 1) return row->asked_by.front().predictor;
  return prediction.shape == TileShape::chain ? Predictor::chain : Predictor::tile;
}

}  // namespace

Options options_of(StreamInfo const& info) {
  Options options;
  options.bound = info.bound;
  options.pipeline = info.pipeline;
  options.variant = info.variant;
  if (info.prediction) options.predictor = predictor_of(*info.prediction);
  options.checksum = info.checksum;
  options.pack = info.packed;
  options.fill = fill_of(info);
  options.limits = info.limits;
  if (info.steps.any()) options.steps = info.steps;
  bool const is_natural = info.axis == impl::entry_of(info.shape, 0);
  impl::name_axes(options, impl::named_axes(info));
  if (is_natural && info.second_axis < 0) options.axis = -1;
  if (info.codebook.radius != 0) options.radius = info.codebook.radius;
  return options;
}

char const* to_string(ErrorBound::Mode mode) noexcept { return word_of(modes, mode, "r2r"); }
char const* to_string(Goal goal) noexcept { return word_of(goals, goal, "balanced"); }
char const* to_string(Pipeline pipeline) noexcept {
  return word_of(pipeline_words(), pipeline, "unknown pipeline");
}
char const* to_string(Variant variant) noexcept {
  return word_of(variant_words(), variant, "auto");
}
char const* to_string(Predictor predictor) noexcept {
  return word_of(predictor_words(), predictor, "auto");
}

bool is_known(ErrorBound::Mode mode) noexcept { return has(modes, mode); }
bool is_known(Pipeline pipeline) noexcept { return has(pipeline_words(), pipeline); }
bool is_known(Variant variant) noexcept { return has(variant_words(), variant); }
bool is_known(Predictor predictor) noexcept { return has(predictor_words(), predictor); }
bool is_known(Goal goal) noexcept { return has(goals, goal); }
bool is_known(ValueSteps::Kind kind) noexcept { return has(step_kinds, kind); }

ErrorBound::Mode parse_mode(std::string_view word) { return parse("mode", word, modes); }
Goal parse_goal(std::string_view word) { return parse("goal", word, goals); }
Variant parse_variant(std::string_view word) {
  for (auto const* row : impl::coder_rows()) {
    for (auto const& v : row->variants) {
      if (!v.alias.empty() && word == v.alias) return v.variant;
    }
  }
  return parse("variant", word, variant_words());
}
Predictor parse_predictor(std::string_view word) {
  return parse("predictor", word, predictor_words());
}

Pipeline parse_pipeline(std::string_view word) {
  std::string aliases;
  for (impl::CoderRow const* row : impl::coder_rows()) {
    for (std::string_view const alias : row->aliases) {
      if (word == alias) return row->pipeline;
      aliases += ", " + std::string(alias);
    }
  }
  return parse("pipeline", word, pipeline_words(), aliases);
}

namespace {

double parse_fill_number(std::string_view word) {
  return parse_number<double>("fill", word,
                              "use none, auto or a number, or several of these with / between them",
                              "is not known");
}

}  // namespace

FillValue parse_fill(std::string_view word) {
  if (word == "none") return FillValue::none();
  std::optional<FillValue> fill;
  std::vector<double> others;
  bool searches = false;
  for (std::size_t at = 0; at <= word.size();) {
    std::size_t const end = std::min(word.find('/', at), word.size());
    std::string_view const item = word.substr(at, end - at);
    at = end + 1;
    if (item == "auto") {
      searches = true;
    } else {
      others.push_back(parse_fill_number(item));
    }
  }
  if (searches) {
    fill = FillValue::automatic();
  } else {
    fill = FillValue::of(others.front());
    others.erase(others.begin());
  }
  for (double const other : others) fill = fill->with(other);
  return *fill;
}

}  // namespace kompakt
