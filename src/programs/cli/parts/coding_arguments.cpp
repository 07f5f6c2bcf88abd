#include "coding_arguments.hpp"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <kompakt/compress.hpp>
#include <kompakt/option_keys.hpp>
#include <limits>

namespace kompakt::cli {

// What leaves no choice of the pipeline: its word, a bound that one alone keeps, or a variant that one alone has.
std::optional<Pipeline> CodingArguments::given_pipeline(Options const& options) const {
  bool const named = !pipeline.empty() && pipeline != automatic;
  if (named && !goal.empty()) {
    throw Error(Status::bad_argument,
                "--for " + goal + " chooses the pipeline, but -c says " + pipeline,
                "leave one of them out");
  }
  if (named) return parse_pipeline(pipeline);
  bool const asks = !goal.empty() || pipeline == automatic || options.goal;
  bool const decided = options.pipeline != Pipeline::automatic ||
                       options.bound.mode == ErrorBound::Mode::lossless ||
                       options.variant != Variant::automatic;
  if (!asks && decided) return pipeline_of(options);
  if (options.variant == Variant::automatic && options.predictor == Predictor::automatic) {
    return std::nullopt;
  }
  throw Error(Status::bad_argument, "-c auto, the default, chooses variant and predictor too",
              "leave out --variant and --predictor, or give a pipeline with -c");
}

// What the text leaves open is open: no bound, no pipeline, a fill value to be looked for.
Options CodingArguments::options_of_text() const {
  Options options;
  options.bound = ErrorBound::absolute(0);
  options.pipeline = Pipeline::automatic;
  options.fill = FillValue::automatic();
  if (!text.empty()) set(options, text);
  return options;
}

bool CodingArguments::says_bound() const {
  ErrorBound const bound = options_of_text().bound;
  return bound.mode == ErrorBound::Mode::lossless || bound.value != 0;
}

Goal CodingArguments::chosen_goal() const {
  return goal.empty() ? options_of_text().goal.value_or(Goal::balanced) : parse_goal(goal);
}

AskedOptions CodingArguments::options_with(BoundArguments const& bound) const {
  Options options = options_of_text();
  if (bound.given() || !says_bound()) {
    options.bound = bound.bound();
    options.range = bound.range();
  }
  if (!variant.empty()) set(options, "variant", variant);
  if (!predictor.empty()) set(options, "predictor", predictor);
  std::optional<Pipeline> const chosen = given_pipeline(options);
  // While it is still to be chosen, the one whose streams may be the longest: slabs are planned for it.
  if (chosen || options.bound.mode != ErrorBound::Mode::lossless) {
    options.pipeline = chosen.value_or(pipelines().back());
  }
  options.goal.reset();
  if (!fill.empty()) set(options, "fill", fill);
  if (!limits.empty()) set(options, "limits", limits);
  if (no_checksum) options.checksum = false;
  options.pack = options.pack || pack || (!chosen && chosen_goal() == Goal::ratio);
  if (!radius.empty()) {
    options.radius = static_cast<int>(
        std::min<std::uint64_t>(parse_count("--radius", radius), std::numeric_limits<int>::max()));
  }
  validate(options);
  return {options, !chosen};
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

}  // namespace

void CodingArguments::add_to(CLI::App& verb) {
  verb.add_option("-c", pipeline, help_of("pipeline"))->default_str(automatic)->type_name("WORD");
  verb.add_option("--for", goal, help_of("goal"))
      ->default_str(to_string(Goal::balanced))
      ->type_name("GOAL");
  verb.add_option("--options", text,
                  "options in one text, as info prints them, such as r2r:1e-3,predictor=tile,pack; "
                  "separate options take precedence")
      ->envname("KOMPAKT_OPTIONS")
      ->type_name("TEXT");
  verb.add_option("--variant,--codebook", variant, help_of("variant"))
      ->default_str("auto")
      ->type_name("WORD");
  verb.add_option("--predictor", predictor, help_of("predictor"))
      ->default_str("auto")
      ->type_name("WORD");
  verb.add_option("--fill", fill, help_of("fill", ", a number"))
      ->default_str("auto")
      ->type_name("WORD");
  verb.add_option("--limits", limits, help_of("limits"))
      ->default_str("what valid_range of a file says")
      ->type_name("LOWER:UPPER");
  verb.add_flag("--pack", pack, help_of("pack", "; --for ratio does"));
  verb.add_flag("--no-checksum", no_checksum, "leave out the checksums");
}

}  // namespace kompakt::cli
