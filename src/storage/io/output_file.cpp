#include <cerrno>
#include <fcntl.h>
#include <io/appended_file.hpp>
#include <io/partial_file.hpp>
#include <kompakt/files.hpp>
#include <optional>
#include <sys/stat.h>
#include <utility>

namespace kompakt {

namespace {

constexpr char const* advice_place = "choose another place";

struct Target {
  std::filesystem::path path;
  /// Whether a path leads there: only the link does, where /dev/stdout is a file that was deleted.
  bool has_name = true;
};

// Where the bytes really go: through symbolic links, so that these survive.
Target target_of(std::filesystem::path const& path) {
  std::error_code error;
  std::filesystem::path target = path;
  if (!std::filesystem::is_symlink(path, error)) return {target};
  target = std::filesystem::canonical(path, error);
  if (!error) return {target};
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) return {path, false};
  // A link to nowhere: the file that it names is made.
  constexpr int most_links = 40;
  target = path;
  for (int i = 0; i < most_links && std::filesystem::is_symlink(target, error); ++i) {
    target = target.parent_path() / std::filesystem::read_symlink(target, error);
  }
  if (std::filesystem::is_symlink(target, error)) {
    impl::throw_io("write", path, ELOOP, advice_place);
  }
  return {target};
}

}  // namespace

struct OutputFile::State {
  std::filesystem::path path;
  Overwrite overwrite = Overwrite::no;
  std::optional<impl::PartialFile> partial{};  // one of these two
  std::optional<impl::Descriptor> in_place{};

  impl::Descriptor const& file() const { return partial ? partial->file() : *in_place; }
  void open_in_place(int descriptor) {
    in_place.emplace(descriptor);
    if (!in_place->is_open()) impl::throw_io("open", path, errno, advice_place);
  }
};

OutputFile::OutputFile(std::unique_ptr<State> state) : m_state(std::move(state)) {}
OutputFile::OutputFile(std::filesystem::path const& path, Overwrite overwrite)
    : m_state(new State{path, overwrite}) {
  auto const [target, has_name] = target_of(path);
  struct stat old {};
  // A link to nowhere also takes the name: only lstat sees it.
  bool const exists = ::stat(path.c_str(), &old) == 0 || ::lstat(path.c_str(), &old) == 0;
  if (target.filename().empty() || (exists && S_ISDIR(old.st_mode))) {
    impl::throw_io("write", path, EISDIR, "name a file in it");
  }
  bool const regular = !exists || S_ISREG(old.st_mode) || S_ISLNK(old.st_mode);
  if (!regular) {
    // Devices and pipes have no half-written state to hide, and renaming would replace the device.
    m_state->open_in_place(::open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    return;
  }
  if (exists && overwrite == Overwrite::no) {
    impl::throw_io("write", path, EEXIST, "allow overwriting or choose another name");
  }
  if (!has_name) {
    m_state->open_in_place(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_TRUNC));
    return;
  }
  impl::lock_replaced(target);  // better now than when all has been written
  m_state->partial.emplace(target);
}
OutputFile OutputFile::standard_output() {
  std::unique_ptr<State> state(new State{"standard output"});
  state->open_in_place(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
  return OutputFile(std::move(state));
}
OutputFile::~OutputFile() = default;
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;

std::optional<std::filesystem::path> OutputFile::partial_path() const {
  if (!m_state->partial) return std::nullopt;
  return m_state->partial->path();
}

void OutputFile::write(std::span<std::byte const> bytes) {
  impl::write_all(m_state->file(), bytes, m_state->path);
}

void OutputFile::skip(std::uint64_t bytes) {
  impl::skip_bytes(m_state->file(), bytes, m_state->path);
}

void OutputFile::commit() {
  if (m_state->partial) return m_state->partial->commit(m_state->overwrite);
  if (m_state->in_place->close() == 0) return;
  impl::throw_io("write", m_state->path, errno, advice_place);
}

}  // namespace kompakt
