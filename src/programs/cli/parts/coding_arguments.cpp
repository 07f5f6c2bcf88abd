#include "coding_arguments.hpp"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cli/parts/verb_table.hpp>
#include <kompakt/compress.hpp>
#include <kompakt/option_keys.hpp>

namespace kompakt::cli {

namespace {

// What a text leaves open is open: no bound, no pipeline, a fill value to be looked for.
Options read_options(std::string const& text) {
  Options options;
  options.bound = ErrorBound::absolute(0);
  options.pipeline = Pipeline::automatic;
  options.fill = FillValue::automatic();
  if (!text.empty()) set(options, text);
  return options;
}

/// The pipeline whose streams may be the longest.
Pipeline longest_pipeline() {
  FieldShape one;
  one.extents[0] = 1;
  auto const bytes = [&](Pipeline pipeline) {
    return max_compressed_bytes(one, {.pipeline = pipeline});
  };
  return *std::max_element(pipelines().begin(), pipelines().end(),
                           [&](Pipeline a, Pipeline b) { return bytes(a) < bytes(b); });
}

/// Decides whether a pipeline is chosen: if the call says so, or leaves it open altogether.
AskedOptions settled(Options options) {
  bool const is_lossless = options.bound.mode == ErrorBound::Mode::lossless;
  bool const chooses = options.goal || !names_method(options);
  bool const has_parts =
      options.variant != Variant::automatic || options.predictor != Predictor::automatic;
  if (chooses && has_parts) {
    throw Error(Status::bad_argument,
                "a goal and the pipeline auto choose variant and predictor too",
                "leave out variant (--variant) and predictor (--predictor), or name a pipeline "
                "such as bitshuffle (-c)");
  }
  AskedOptions asked{options, chooses, options.goal.value_or(Goal::balanced)};
  if (!chooses) asked.options.pipeline = pipeline_of(options);
  // While it is still to be chosen, the one whose streams may be the longest: slabs are planned for it.
  if (chooses && !is_lossless) asked.options.pipeline = longest_pipeline();
  if (chooses && is_for_size(asked.goal)) asked.options.pack = true;
  asked.options.goal.reset();
  validate(asked.options);
  return asked;
}

/// Calls body(); what it throws names the variable and the text of its attribute.
template <class Body>
auto naming_attribute(std::string const& label, std::string const& text, Body const& body) {
  try {
    return body();
  } catch (Error const& error) {
    std::string subject = "'" + label + "': its attribute " + files::options_key;
    std::string const problem(error.problem()), quoted = "'" + text + "'";
    if (problem.find(quoted) == std::string::npos) subject += " " + quoted;
    throw Error(error.status(), subject + ": " + problem,
                error.advice().empty() ? "correct it, or give the variable a bound in the call"
                                       : error.advice());
  }
}

void require_text(files::VariableAttribute const& attribute) {
  bool const is_one = files::texts_of_list(attribute.text).size() == 1;
  if (!attribute.type && (!attribute.is_list || is_one) && !attribute.text.empty()) return;
  throw Error(Status::bad_argument, "it is no text of options", "write one such as abs:0.01,pack");
}

/// Options with what the text of an attribute says. The parts of a method go together: if the text says one, or lossless,
/// which not every method can do, no other one stays.
Options with_own(Options options, std::string const& text) {
  Options const own = read_options(text);
  if (names_method(own) || own.bound.mode == ErrorBound::Mode::lossless) {
    options.pipeline = Pipeline::automatic;
    options.goal.reset();
    options.variant = Variant::automatic;
    options.predictor = Predictor::automatic;
  }
  set(options, text);
  return options;
}

}  // namespace

Options CodingArguments::options_of_text() const { return read_options(text); }

bool CodingArguments::says_bound() const { return !text.empty() && names_bound(text); }

Goal CodingArguments::chosen_goal() const {
  return goal.empty() ? options_of_text().goal.value_or(Goal::balanced) : parse_goal(goal);
}

void CodingArguments::set_bound(Options& options, BoundArguments const& bound) const {
  if (!bound.given() && says_bound()) return;
  options.bound = bound.bound();
  options.range = bound.range();
}

// The goal comes after the pipeline: auto alone means the goal balanced.
void CodingArguments::set_separate(Options& options) const {
  bool const named = !pipeline.empty() && pipeline != automatic;
  if (named && !goal.empty()) {
    throw Error(Status::bad_argument,
                "--for " + goal + " chooses the pipeline, but -c says " + pipeline,
                "leave one of them out");
  }
  if (!pipeline.empty()) set(options, "pipeline", pipeline);
  if (!goal.empty()) set(options, "goal", goal);
  for (auto const& [key, word] : by_key) {
    if (!word.empty()) set(options, key, word);
  }
  if (no_checksum) options.checksum = false;
  options.pack = options.pack || pack;
}

AskedOptions CodingArguments::options_with(BoundArguments const& bound) const {
  Options options = options_of_text();
  set_bound(options, bound);
  set_separate(options);
  return settled(options);
}

std::optional<AskedOptions> CodingArguments::options_of(files::Variable const& variable,
                                                        NamedBound const* named,
                                                        BoundArguments const& bound,
                                                        std::string const& label) const {
  if (named != nullptr) return options_with(named->bound);
  auto own = options_by_attribute(variable, bound, label);
  if (own || variable.stays_exact() || !(bound.given() || says_bound())) return own;
  return options_with(bound);
}

std::optional<AskedOptions> CodingArguments::options_by_attribute(files::Variable const& variable,
                                                                  BoundArguments const& bound,
                                                                  std::string const& label) const {
  files::VariableAttribute const* const own = variable.options();
  if (own == nullptr) return std::nullopt;
  bool const says_own = naming_attribute(label, own->text, [&] {
    require_text(*own);
    return names_bound(own->text);
  });
  if (!says_own && (variable.stays_exact() || !(bound.given() || says_bound())))
    return std::nullopt;
  Options options = options_of_text();
  if (says_own) {
    options.range = 0;
  } else {
    set_bound(options, bound);
  }
  set_separate(options);
  // Without loss integers have none.
  if (is_integer(variable.shape.dtype)) options.fill = FillValue::automatic();
  return naming_attribute(label, own->text, [&] {
    options = with_own(options, own->text);
    return settled(options);
  });
}

Options CodingArguments::lossless() const {
  Options options;
  options.bound = ErrorBound::lossless();
  options.pipeline = Pipeline::fixedlength;
  options.fill = FillValue::none();
  options.checksum = !no_checksum && options_of_text().checksum;
  options.pack = pack || options_of_text().pack;
  return options;
}

namespace {

// "method that codes: auto, fixedlength, bitshuffle, huffman"
std::string help_of(std::string_view name, char const* more = "") {
  OptionKey const& key = option_key(name);
  std::string text(key.help);
  char const* separator = ": ";
  for (OptionWord const& word : key.words) {
    text.append(separator).append(word.word);
    separator = ", ";
  }
  return text + more;
}

// An option whose value is one of the words of a key.
CLI::Option* add_words(CLI::App& verb, std::string const& names, std::string& value,
                       std::string_view key, char const* more = "") {
  CLI::Option* const option = verb.add_option(names, value, help_of(key, more));
  std::vector<std::string> words;
  for (OptionWord const& word : option_key(key).words) words.emplace_back(word.word);
  offer_words(option, words);
  return option->type_name("WORD");
}

}  // namespace

void CodingArguments::add_to(CLI::App& verb) {
  add_words(verb, "-c", pipeline, "pipeline")->default_str(automatic);
  add_words(verb, "--for", goal, "goal")->default_str(to_string(Goal::balanced))->type_name("GOAL");
  verb.add_option("--options", text,
                  "options in one text, as info prints them, such as r2r:1e-3,predictor=tile,pack; "
                  "separate options take precedence")
      ->envname("KOMPAKT_OPTIONS")
      ->type_name("TEXT");
  add_words(verb, "--variant,--codebook", by_key["variant"], "variant")->default_str("auto");
  add_words(verb, "--predictor", by_key["predictor"], "predictor")->default_str("auto");
  add_words(verb, "--fill", by_key["fill"], "fill", ", a number")->default_str("auto");
  verb.add_option("--limits", by_key["limits"], help_of("limits"))
      ->default_str("what valid_range of a file says")
      ->type_name("LOWER:UPPER");
  verb.add_option("--axis", by_key["axis"], help_of("axis"))
      ->default_str("-1")
      ->type_name("N[:N:N]");
  verb.add_option("--steps", by_key["steps"], help_of("steps"))
      ->default_str("auto")
      ->type_name("KIND:STEP");
  verb.add_flag("--pack", pack, help_of("pack", "; --for ratio and smallest do"));
  verb.add_flag("--no-checksum", no_checksum, "leave out the checksums");
}

}  // namespace kompakt::cli
