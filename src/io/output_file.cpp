#include <cerrno>
#include <fcntl.h>
#include <io/partial_file.hpp>
#include <kompakt/io.hpp>
#include <sys/stat.h>

namespace kompakt::impl {

namespace {

constexpr char const* advice_place = "choose another place";

// Where the bytes really go: through a symbolic link to a file, so that the link survives.
std::filesystem::path target_of(std::filesystem::path const& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  std::filesystem::path const target = std::filesystem::canonical(path, error);
  return error ? path : target;
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path const& path, Overwrite overwrite)
    : m_path(path), m_overwrite(overwrite) {
  std::filesystem::path const target = target_of(path);
  struct stat old {};
  // A link to nowhere also takes the name: only lstat sees it.
  bool const exists = ::stat(target.c_str(), &old) == 0 || ::lstat(target.c_str(), &old) == 0;
  if (target.filename().empty() || (exists && S_ISDIR(old.st_mode))) {
    throw_io("write_file", "write", path, EISDIR, "name a file in it");
  }
  bool const regular = !exists || S_ISREG(old.st_mode) || S_ISLNK(old.st_mode);
  if (!regular) {
    // Devices and pipes have no half-written state to hide, and renaming would replace the device.
    m_in_place =
        std::make_unique<Descriptor>(::open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (!m_in_place->is_open()) throw_io("write_file", "open", path, errno, advice_place);
    return;
  }
  if (exists && overwrite == Overwrite::no) {
    throw_io("write_file", "write", path, EEXIST, "allow overwriting or choose another name");
  }
  m_partial = std::make_unique<PartialFile>(target);
  if (exists && S_ISREG(old.st_mode)) {
    // Best effort: the new file is as readable to others as the one it replaces.
    static_cast<void>(::fchmod(m_partial->file().get(), old.st_mode & 07777));
  }
}
OutputFile::OutputFile(int descriptor)
    : m_path("standard output"), m_in_place(std::make_unique<Descriptor>(descriptor)) {
  if (!m_in_place->is_open()) throw_io("write_file", "open", m_path, errno, advice_place);
}
OutputFile OutputFile::standard_output() {
  return OutputFile(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
}
OutputFile::~OutputFile() = default;
OutputFile::OutputFile(OutputFile&&) noexcept = default;

void OutputFile::write(std::span<std::byte const> bytes) {
  write_all(m_partial ? m_partial->file() : *m_in_place, bytes, m_path);
}

void OutputFile::commit() {
  if (m_partial) return m_partial->commit(m_overwrite);
  if (m_in_place->close() != 0) throw_io("write_file", "write", m_path, errno, advice_place);
}

}  // namespace kompakt::impl
