#include "output.hpp"
#include "source.hpp"
#include <CLI/CLI.hpp>
#include <kompakt/archive.hpp>
#include <kompakt/error.hpp>
#include <unistd.h>

namespace kompakt::cli {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse_output(fs::path const& path, std::string const& reason,
                                std::string_view advice = {}) {
  throw Error(Status::io, "cannot write '" + path.string() + "': " + reason, advice);
}

constexpr char const* is_input = "it is the input";

/// Whether both are the same file; "-" is standard input.
bool are_one(fs::path const& output, fs::path const& input) {
  std::error_code error;
  return fs::equivalent(output, input == "-" ? "/dev/stdin" : input, error);
}

fs::path folder_of(fs::path const& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

CLI::Option* OverwriteArguments::add_to(CLI::App& verb) {
  CLI::Option* const file = verb.add_flag("--force", force, "replace an existing output");
  verb.add_flag("--replace-archive", replace_archive,
                "with --force: even an archive, fields and all")
      ->needs(file);
  return file;
}

void OverwriteArguments::require_writable(fs::path const& output, fs::path const& input,
                                          std::string const& instead) const {
  std::error_code error;
  if (output.empty()) refuse_output(output, "-o is empty", "name a file");
  if (output == "-") {
    if (fs::is_regular_file("/dev/stdout", error) && are_one("/dev/stdout", input)) {
      refuse_output("standard output", is_input, "name another file");
    }
    if (::isatty(STDOUT_FILENO) == 0) return;
    refuse_output("standard output", "it is a terminal", "name a file or lead it into a pipe");
  }
  fs::file_status const status = fs::status(output, error);
  if (fs::is_directory(status)) refuse_output(output, "it is a folder", "name a file in it");
  if (fs::exists(status) && !fs::is_regular_file(status)) return;  // a device or a pipe
  if (fs::exists(status) && are_one(output, input)) {
    refuse_output(output, is_input, "choose another name");
  }
  require_archive_may_go(output, instead);
  if (fs::exists(fs::symlink_status(output, error)) && !force) {
    refuse_output(output, "it exists", "give --force to replace it or choose another name");
  }
  fs::path const folder = folder_of(output);
  if (!fs::exists(folder, error)) {
    refuse_output(output, "there is no folder '" + folder.string() + "'",
                  "create it or choose another place");
  }
  if (!fs::is_directory(folder, error)) {
    refuse_output(output, "'" + folder.string() + "' is not a folder", "choose another place");
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    refuse_output(output, "no permission to write into '" + folder.string() + "'",
                  "choose another place");
  }
}

// Who means a file of another name, or forgets --append, is told to give --force, and would lose all fields.
void OverwriteArguments::require_archive_may_go(fs::path const& output,
                                                std::string const& instead) const {
  if (replace_archive || !names_archive(output)) return;
  std::string fields = "fields that cannot be listed";
  try {
    std::size_t const count = ArchiveReader(output).entries().size();
    fields = std::to_string(count) + (count == 1 ? " field" : " fields");
  } catch (Error const&) {
    // All the more reason to leave it alone.
  }
  refuse_output(output, "it is an archive of " + fields + "; " + instead + ", or give " +
                            (force ? "" : "--force and ") +
                            "--replace-archive to replace all of it");
}

OutputFile OverwriteArguments::open(fs::path const& output) const {
  if (output == "-") return OutputFile::standard_output();
  return OutputFile(output, mode());
}

void require_space(fs::path const& output, std::uint64_t bytes) {
  std::error_code error;
  fs::file_status const status = fs::status(output, error);
  if (output == "-" || (fs::exists(status) && !fs::is_regular_file(status))) return;
  fs::space_info const space = fs::space(folder_of(output), error);
  if (!error && bytes > space.available) {
    refuse_output(output,
                  "it would take " + std::to_string(bytes) + " bytes, but only " +
                      std::to_string(space.available) + " are free",
                  "free some space or choose another place");
  }
}

}  // namespace kompakt::cli
