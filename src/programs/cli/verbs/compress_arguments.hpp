#ifndef KOMPAKT_CLI_COMPRESS_ARGUMENTS_HPP
#define KOMPAKT_CLI_COMPRESS_ARGUMENTS_HPP

#include <cli/parts/arguments.hpp>
#include <cli/parts/coding_arguments.hpp>
#include <cli/parts/frame_output.hpp>
#include <cli/parts/parser_names.hpp>
#include <string>
#include <vector>

namespace kompakt::cli {

/// What compress is asked for.
struct CompressArguments {
  std::string input;               ///< -i
  std::vector<std::string> files;  ///< in place of it: all of their variables
  OutputArguments output;
  FieldArguments field;
  BoundArguments bound;
  std::vector<std::string> named_bounds;  ///< --bound
  std::vector<std::string> skipped;       ///< --skip
  CodingArguments coding;
  MemoryArguments memory;
  ExecArguments exec;
  bool json = false;

  void add_to(CLI::App& verb);
};

}  // namespace kompakt::cli

#endif
