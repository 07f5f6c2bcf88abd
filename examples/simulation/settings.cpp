#include "settings.hpp"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <kompakt/error.hpp>
#include <string>
#include <vector>

namespace simulation {
namespace {

using kompakt::Error;
using kompakt::ErrorBound;
using kompakt::Options;
using kompakt::Status;

/// Words of the command line that become settings when all have been read.
struct Words {
  std::vector<std::size_t> points = {64};
  std::string pipeline = "bitshuffle", predictor = "interpolate";
  std::string halo = "raw", snapshot = "1e-4", checkpoint = "lossless", states = "raw", restart;
  std::size_t memory_mib = 1024;
};

/// The coding for a bound that was given as a number or "lossless".
Options coding_of(std::string const& option, std::string const& bound, Words const& words) {
  Options options;
  if (bound == "lossless") {
    options.bound = ErrorBound::lossless();
    return options;
  }
  double value = 0;
  if (!CLI::detail::lexical_cast(bound, value) || !(value > 0)) {
    throw Error(Status::bad_argument, option + ": '" + bound +
                                          "' is no bound; give a positive number or a word that "
                                          "--help has");
  }
  options.bound = ErrorBound::absolute(value);
  options.pipeline = kompakt::parse_pipeline(words.pipeline);
  options.predictor = kompakt::parse_predictor(words.predictor);
  validate(options);
  return options;
}

std::optional<Options> coding_or_raw(std::string const& option, std::string const& bound,
                                     Words const& words) {
  if (bound == "raw") return std::nullopt;
  return coding_of(option, bound, words);
}

std::optional<std::uint64_t> step_of(std::string const& word) {
  if (word == "newest") return std::nullopt;
  std::uint64_t step = 0;
  if (!CLI::detail::lexical_cast(word, step)) {
    throw Error(Status::bad_argument,
                "--restart: '" + word + "' is no step; give one, or 'newest'");
  }
  return step;
}

void add_solver(CLI::App& app, Settings& settings, Words& words) {
  app.add_option("--points", words.points, "along each index: one number, or three, N,N,N")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--spacing", settings.spacing, "distance of two points")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--dt", settings.dt, "time step")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--steps", settings.steps, "time steps")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--feed", settings.model.feed, "feed rate F")->capture_default_str();
  app.add_option("--kill", settings.model.kill, "removal rate k")->capture_default_str();
  app.add_option("--tolerance", settings.tolerance, "of conjugate gradients, of the norm")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--json", settings.json, "file for what was measured");
}

void add_compression(CLI::App& app, Settings& settings, Words& words) {
  app.add_option("--pipeline", words.pipeline, "of lossy coding: fixedlength, bitshuffle, huffman")
      ->capture_default_str();
  app.add_option("--predictor", words.predictor, "of it: auto, chain, tile, interpolate")
      ->capture_default_str();
  app.add_option("--halo-bound", words.halo,
                 "planes for neighbours: raw, lossless, or within so much of a plane's range")
      ->capture_default_str();
  app.add_option("--snapshots", settings.snapshots,
                 "archive for states, written while it computes");
  app.add_option("--snapshot-every", settings.snapshot_every, "steps")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--snapshot-bound", words.snapshot, "absolute, or lossless")
      ->capture_default_str();
  app.add_option("--checkpoints", settings.checkpoints, "folder for states to go on from");
  app.add_option("--checkpoint-every", settings.checkpoint_every, "steps; 0: at the end alone")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--checkpoint-bound", words.checkpoint, "absolute, or lossless")
      ->capture_default_str();
  app.add_flag("--file-a-rank", settings.file_a_rank, "each rank writes a file, while it computes");
  app.add_option("--restart", words.restart, "goes on from the checkpoint of a step, or 'newest'");
  app.add_flag("--sensitivity", settings.sensitivity,
               "derivatives of the mean of v at the end, by the adjoint of all steps");
  app.add_option("--states-bound", words.states,
                 "states that it keeps: raw, lossless, or an absolute bound")
      ->capture_default_str();
  app.add_option("--states-memory", words.memory_mib, "MiB for them, on each rank")
      ->capture_default_str();
}

void convert(Words const& words, Settings& settings) {
  if (words.points.size() != 1 && words.points.size() != 3) {
    throw Error(Status::bad_argument, "--points: give one number or three");
  }
  for (std::size_t i = 0; i < 3; ++i) {
    settings.points[i] = words.points[words.points.size() == 1 ? 0 : i];
  }
  settings.halo = coding_or_raw("--halo-bound", words.halo, words);
  if (settings.halo && settings.halo->bound.mode == ErrorBound::Mode::abs) {
    settings.halo->bound = ErrorBound::relative_to_range(settings.halo->bound.value);
  }
  settings.snapshot = coding_of("--snapshot-bound", words.snapshot, words);
  settings.checkpoint = coding_of("--checkpoint-bound", words.checkpoint, words);
  settings.states = coding_or_raw("--states-bound", words.states, words);
  settings.memory_bytes = words.memory_mib << 20;
  settings.restart = !words.restart.empty();
  if (settings.restart) settings.restart_step = step_of(words.restart);
  if (settings.restart && settings.checkpoints.empty()) {
    throw Error(Status::bad_argument, "--restart needs the folder of --checkpoints");
  }
  if (settings.sensitivity && !settings.snapshots.empty()) {
    throw Error(Status::bad_argument,
                "--sensitivity writes no --snapshots; run twice, or leave one of them out");
  }
}

}  // namespace

std::optional<Settings> read_settings(int argc, char** argv, bool prints) {
  Settings settings;
  Words words;
  CLI::App app(
      "Gray-Scott reaction and diffusion in a periodic box, with compressed snapshots, "
      "checkpoints, "
      "old states and halos.");
  add_solver(app, settings, words);
  add_compression(app, settings, words);
  try {
    app.parse(argc, argv);
  } catch (CLI::Success const& help) {
    if (prints) std::printf("%s", app.help().c_str());
    return std::nullopt;
  } catch (CLI::ParseError const& error) {
    throw Error(Status::bad_argument, std::string(error.what()) + "; see --help");
  }
  convert(words, settings);
  return settings;
}

}  // namespace simulation
