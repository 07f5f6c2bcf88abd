#include "coding_arguments.hpp"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <kompakt/compress.hpp>
#include <limits>

namespace kompakt::cli {

// What leaves no choice of the pipeline: its word, a bound that one alone keeps, or a variant that one alone has.
std::optional<Pipeline> CodingArguments::given_pipeline(Options const& options) const {
  bool const named = !pipeline.empty() && pipeline != automatic;
  if (named && !goal.empty()) {
    throw Error(Status::bad_argument, "--for " + goal + " chooses the pipeline, but -c says " +
                                          pipeline + "; leave one of them out");
  }
  if (named) return parse_pipeline(pipeline);
  bool const asks = !goal.empty() || pipeline == automatic;
  if (!asks && options.bound.mode == ErrorBound::Mode::lossless) return Pipeline::fixedlength;
  if (!asks && options.variant != Variant::automatic) {
    for (Pipeline const one : pipelines()) {
      if (has_variant(one, options.variant)) return one;
    }
  }
  if (options.variant == Variant::automatic && options.predictor == Predictor::automatic) {
    return std::nullopt;
  }
  throw Error(Status::bad_argument,
              "-c auto, the default, chooses variant and predictor too; leave out --variant and "
              "--predictor, or give a pipeline with -c");
}

AskedOptions CodingArguments::options_with(BoundArguments const& bound) const {
  Options options;
  options.bound = bound.bound();
  options.range = bound.range();
  options.variant = parse_variant(variant);
  options.predictor = parse_predictor(predictor);
  std::optional<Pipeline> const chosen = given_pipeline(options);
  // While it is still to be chosen, the one whose streams may be the longest: slabs are planned for it.
  if (chosen || options.bound.mode != ErrorBound::Mode::lossless) {
    options.pipeline = chosen.value_or(pipelines().back());
  }
  options.fill = parse_fill(fill);
  options.checksum = !no_checksum;
  options.pack = pack || goal == to_string(Goal::ratio);
  options.radius = static_cast<int>(
      std::min<std::uint64_t>(parse_count("--radius", radius), std::numeric_limits<int>::max()));
  validate(options);
  return {options, !chosen};
}

Options CodingArguments::lossless() const {
  Options options;
  options.bound = ErrorBound::lossless();
  options.pipeline = Pipeline::fixedlength;
  options.fill = FillValue::none();
  options.checksum = !no_checksum;
  options.pack = pack;
  return options;
}

void CodingArguments::add_to(CLI::App& verb) {
  verb.add_option("-c", pipeline,
                  "pipeline: fixedlength (cuszp2), bitshuffle (fz), huffman (cusz), auto (by a "
                  "sample)")
      ->default_str(automatic)
      ->type_name("WORD");
  verb.add_option("--for", goal,
                  "what the pipeline is chosen for: ratio, speed, balanced (the default)")
      ->type_name("GOAL");
  verb.add_option("--variant,--codebook", variant,
                  "coding: auto; fixedlength: plain, outlier; bitshuffle: deep, fz; huffman: its "
                  "codebook: custom, dictionary")
      ->capture_default_str()
      ->type_name("WORD");
  verb.add_option("--predictor", predictor, "prediction: auto, chain, tile, interpolate")
      ->capture_default_str()
      ->type_name("WORD");
  verb.add_option(
          "--fill", fill,
          "what stands for no value, to be masked: auto (found in a sample), none, a number")
      ->capture_default_str()
      ->type_name("WORD");
  verb.add_flag("--pack", pack,
                "code the bytes of the stream once more where that makes it smaller; --for ratio "
                "does");
  verb.add_flag("--no-checksum", no_checksum, "leave out the checksums");
}

}  // namespace kompakt::cli
