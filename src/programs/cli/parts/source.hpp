#ifndef KOMPAKT_CLI_SOURCE_HPP
#define KOMPAKT_CLI_SOURCE_HPP

#include "parser_names.hpp"
#include <cstddef>
#include <cstdint>
#include <kompakt/archive.hpp>
#include <kompakt/box.hpp>
#include <kompakt/field.hpp>
#include <kompakt/files.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kompakt::cli {

/// What a stream is read from: a file, a pipe, or a field of an archive.
struct StreamSource {
  std::string path;                                        ///< "-" for standard input
  std::shared_ptr<ArchiveReader const> archive = nullptr;  ///< which has the field
  std::optional<ArchiveEntry> field = std::nullopt;
  /// One without fields that can be read at any place, as standard input may be.
  std::shared_ptr<InputFile const> file = nullptr;

  /// What messages and reports call it: "A.kpk", "A.kpk:temperature", "standard input".
  std::string label() const;
  /// Only the bytes of the stream. Opened again it is the same file, whatever has its name by then.
  InputFile open() const;
  /// All of them, with a line of progress.
  std::vector<std::byte> read() const;
  /// Those that a region of the frame at a place needs; not of a pipe.
  std::vector<std::byte> read_region(std::uint64_t position, std::uint64_t bytes,
                                     Box const& region) const;
};

/// A file or standard input for "-".
InputFile open_input(std::string const& path);

/// Which stream of which file is meant.
struct SourceArguments {
  std::optional<std::string> name;  ///< --name

  void add_to(CLI::App& verb);
  /// Of an archive the field of this name, or the only one; any other file or pipe as it is.
  /// \throws Error bad_argument for a name that is not there, or not given where there are several
  StreamSource find(std::string const& path) const;
};

/// is_archive() of files; false for what is none, or not there.
bool names_archive(std::string const& path);

}  // namespace kompakt::cli

#endif
