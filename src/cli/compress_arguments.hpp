#ifndef KOMPAKT_CLI_COMPRESS_ARGUMENTS_HPP
#define KOMPAKT_CLI_COMPRESS_ARGUMENTS_HPP

#include "arguments.hpp"
#include "frame_output.hpp"
#include <CLI/CLI.hpp>
#include <kompakt/choose.hpp>
#include <kompakt/options.hpp>
#include <optional>
#include <string>
#include <vector>

namespace kompakt::cli {

/// The options of the call, and whether the pipeline among them is still to be chosen.
struct AskedOptions {
  Options options;
  bool chooses = false;
};

/// What compress is asked for.
struct CompressArguments {
  std::string input;               ///< -i
  std::vector<std::string> files;  ///< in place of it: all of their variables
  OutputArguments output;
  FieldArguments field;
  BoundArguments bound;
  std::vector<std::string> named_bounds;  ///< --bound
  std::string pipeline;                   ///< -c
  std::string goal;                       ///< --for
  std::string variant = to_string(Options{}.variant);
  std::string predictor = to_string(Options{}.predictor);
  std::string fill = "auto";
  std::string radius = std::to_string(Options{}.radius);
  MemoryArguments memory;
  ExecArguments exec;
  bool no_checksum = false;
  bool pack = false;
  bool json = false;

  static constexpr char const* automatic = "auto";
  void add_to(CLI::App& verb);
  Goal chosen_goal() const { return goal.empty() ? Goal::balanced : parse_goal(goal); }
  /// \param of  in place of that of -m and -e
  AskedOptions options_with(BoundArguments const& of) const;
  /// Those of values that are kept as they are, whatever is said of others.
  Options lossless() const;

 private:
  std::optional<Pipeline> given_pipeline(Options const& options) const;
};

}  // namespace kompakt::cli

#endif
