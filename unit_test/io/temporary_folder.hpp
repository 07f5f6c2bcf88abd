#ifndef KOMPAKT_TEST_IO_TEMPORARY_FOLDER_HPP
#define KOMPAKT_TEST_IO_TEMPORARY_FOLDER_HPP

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace kompakt::test {

/// An empty folder that is gone after the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "kompakt-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder " + name);
    m_path = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
  }
  TemporaryFolder(TemporaryFolder const&) = delete;
  TemporaryFolder& operator=(TemporaryFolder const&) = delete;

  /// Path of a file in it.
  std::filesystem::path operator/(std::string const& name) const { return m_path / name; }
  std::filesystem::path const& path() const { return m_path; }

  /// Names of all files in it, hidden ones too.
  std::set<std::string> names() const {
    std::set<std::string> result;
    for (auto const& entry : std::filesystem::directory_iterator(m_path)) {
      result.insert(entry.path().filename().string());
    }
    return result;
  }

 private:
  std::filesystem::path m_path;
};

// Independent of the code under test.

inline std::string contents(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void put(std::filesystem::path const& path, std::string const& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::span<std::byte const> bytes_of(std::string const& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace kompakt::test

#endif
