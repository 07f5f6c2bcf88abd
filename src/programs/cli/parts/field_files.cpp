#include "field_files.hpp"
#include <kompakt/error.hpp>

namespace kompakt::cli {

namespace fs = std::filesystem;

fs::path file_of_field(fs::path const& folder, std::string const& name) {
  constexpr std::size_t most = 255;  // bytes that file systems take
  std::string file;
  for (char const c : name) {
    if (c == '%') {
      file += "%25";
    } else if (c == '/') {
      file += "%2F";
    } else if (c == '.' && file.empty()) {
      file += "%2E";
    } else {
      file += c;
    }
  }
  if (file.size() <= most) return folder / file;
  throw Error(Status::bad_argument, "the file of the field '" + name + "' would have a name of " +
                                        std::to_string(file.size()) + " bytes, but at most " +
                                        std::to_string(most) +
                                        " are possible; decompress it alone, with --name");
}

bool names_folder(std::string const& path) {
  std::error_code error;
  return path.ends_with('/') || fs::is_directory(path, error);
}

OutputFolder::OutputFolder(std::string const& path) : m_path(path) {
  std::error_code error;
  if (path.ends_with('/')) m_path = m_path.parent_path();  // "a/" names "a"
  m_made = !fs::exists(m_path, error) && fs::create_directory(m_path, error);
  if (m_made || fs::is_directory(m_path, error)) return;
  throw Error(Status::io,
              "cannot write into '" + path + "': it is no folder and cannot be made one",
              "choose another place");
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (m_made) fs::remove(m_path, ignored);  // only if it is empty
}

}  // namespace kompakt::cli
