#ifndef KOMPAKT_CLI_OUTPUT_HPP
#define KOMPAKT_CLI_OUTPUT_HPP

#include "parser_names.hpp"
#include <cstdint>
#include <filesystem>
#include <kompakt/files.hpp>
#include <string>

namespace kompakt::cli {

/// What of an output that exists may be replaced; the input never.
struct OverwriteArguments {
  bool force = false;            ///< --force: a file
  bool replace_archive = false;  ///< --replace-archive: even an archive

  /// Returns --force.
  CLI::Option* add_to(CLI::App& verb);
  Overwrite mode() const { return force ? Overwrite::yes : Overwrite::no; }
  /// Throws Error io unless `output` can be written, before any work is done for it. "-" is standard output.
  /// \param instead  what is to be done about an archive that shall not be replaced
  void require_writable(std::filesystem::path const& output, std::filesystem::path const& input,
                        std::string const& instead = "choose another name") const;
  /// The output that require_writable() has allowed.
  OutputFile open(std::filesystem::path const& output) const;

 private:
  void require_archive_may_go(std::filesystem::path const& output,
                              std::string const& instead) const;
};

/// Throws Error io if the file system of `output` has less than `bytes` left.
void require_space(std::filesystem::path const& output, std::uint64_t bytes);

}  // namespace kompakt::cli

#endif
