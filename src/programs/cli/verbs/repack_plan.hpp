#ifndef KOMPAKT_CLI_REPACK_PLAN_HPP
#define KOMPAKT_CLI_REPACK_PLAN_HPP

#include <cli/parts/coding_arguments.hpp>
#include <cli/parts/compress_field.hpp>
#include <cli/parts/output.hpp>
#include <cli/parts/parser_names.hpp>
#include <files/field_file.hpp>
#include <files/hdf5_copy.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace kompakt::cli {

/// What repack is asked for.
struct RepackArguments {
  std::vector<std::string> files;  ///< the last one is the output, or the folder of all
  BoundArguments bound;
  std::vector<std::string> named_bounds;  ///< --bound
  std::vector<std::string> skipped;       ///< --skip
  std::vector<std::string> named_chunks;  ///< --chunk
  CodingArguments coding;
  OverwriteArguments overwrite;
  MemoryArguments memory;
  ExecArguments exec;
  bool verify = false;
  bool json = false;

  void add_to(CLI::App& verb);
  std::string const& output() const { return files.back(); }
};

/// A variable that gets the filter.
struct RepackedVariable {
  files::Variable variable;
  AskedOptions call;
  bool has_fill = false;           ///< by its file
  std::vector<std::size_t> chunk;  ///< that of the slowest index first
};

/// A file, and what it becomes.
struct RepackedFile {
  files::FileName input;
  std::filesystem::path output;
  std::vector<RepackedVariable> variables;
  std::vector<std::string> unchanged;  ///< names of the other ones
  std::vector<std::string> notes;
  bool has_hindered = false;  ///< whether some have a bound, but cannot get the filter
};

/// All that can be found to be wrong before the first file is written.
/// \throws Error as files::open_field_file(); bad_argument for files that are not HDF5, bounds and chunks that fit no
///         variable, and if no variable has a bound; io for outputs that cannot be written
std::vector<RepackedFile> plan_repack(RepackArguments const& arguments);

/// What all chunks of each variable are compressed with: bounds relative to a range, and PSNRs, of the whole variable have
/// become absolute ones, and pipelines are chosen.
std::vector<files::FilteredVariable> resolve(RepackedFile const& file, RunLimits const& conditions);

/// Reads the copy back, before it is committed, and compares all variables with those of the input.
/// \throws Error bound_violated
void verify_copy(RepackedFile const& file, std::vector<files::FilteredVariable> const& resolved,
                 OutputFile const& output, RunLimits const& conditions);

}  // namespace kompakt::cli

#endif
