#ifndef KOMPAKT_CLI_FIELD_FILES_HPP
#define KOMPAKT_CLI_FIELD_FILES_HPP

#include <filesystem>
#include <string>

namespace kompakt::cli {

/// The file in a folder that a field of an archive gets: its name, in which "%", "/" and a "." at the start are
/// %25, %2F and %2E. Two names never have the same file, and none lies outside of the folder.
/// \throws Error bad_argument if that is longer than a file system takes
std::filesystem::path file_of_field(std::filesystem::path const& folder, std::string const& name);

/// A folder that is there, or that a path with a slash at its end is to become.
bool names_folder(std::string const& path);

/// A folder, made if it is not there. One that was made disappears again if nothing is written into it.
class OutputFolder {
 public:
  /// \throws Error io
  explicit OutputFolder(std::string const& path);
  ~OutputFolder();
  OutputFolder(OutputFolder const&) = delete;
  OutputFolder& operator=(OutputFolder const&) = delete;

 private:
  std::filesystem::path m_path;
  bool m_made = false;
};

}  // namespace kompakt::cli

#endif
