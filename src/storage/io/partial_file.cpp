#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fcntl.h>
#include <io/access.hpp>
#include <io/appended_file.hpp>
#include <io/leftovers.hpp>
#include <io/partial_file.hpp>
#include <kompakt/files.hpp>
#include <sys/stat.h>

namespace kompakt::impl {

namespace {

constexpr char const* advice_place = "create the folder or choose another place";
constexpr char const* advice_space = "free some space or choose another place";
constexpr char const* advice_pipe = "its reader has ended before it had all";

struct Nobody final : FileWatcher {
} constinit g_nobody;
constinit std::atomic<FileWatcher*> g_watcher{&g_nobody};

std::string temporary_name(std::filesystem::path const& target, int attempt) {
  std::string const numbers = std::to_string(::getpid()) + "-" + std::to_string(attempt);
  return (target.parent_path() / (partial_prefix(target) + numbers)).string();
}

// Of a file that takes the place of another one, nobody else sees anything before it has the rights of that.
mode_t first_mode(std::filesystem::path const& place) {
  struct stat old {};
  return ::stat(place.c_str(), &old) == 0 ? 0600 : 0666;
}

// Opens a new file at `place`, beside `target`, and says how it is called.
int create_temporary(std::filesystem::path const& target, std::filesystem::path const& place,
                     std::string& name) {
  static std::atomic<int> counter{0};
  mode_t const mode = first_mode(place);
  for (;;) {
    name = temporary_name(place, counter++);
    // Before the file exists: a signal between the two steps would leave it.
    watcher().create_begins(name.c_str());
    int const fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0) return fd;
    int const error = errno;
    watcher().create_ends(name.c_str());
    // A leftover of a killed process may have the same number.
    if (error != EEXIST && error != EINTR) {
      throw_io("create", target, error, advice_place);
    }
  }
}

// Gives `from` the name `to` unless that is taken. Returns 0 or the error number.
int rename_to_new_name(char const* from, char const* to) {
#ifdef RENAME_NOREPLACE
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;  // the file system lacks it
#endif
  if (::link(from, to) == 0) {
    ::unlink(from);
    return 0;
  }
  if (errno == EEXIST) return errno;
  // No hard links either (FAT, some network file systems): a gap between check and rename is left.
  struct stat status {};
  if (::lstat(to, &status) == 0) return EEXIST;
  return ::rename(from, to) == 0 ? 0 : errno;
}

}  // namespace

FileWatcher& watcher() noexcept { return *g_watcher; }

std::filesystem::path absolute_path(std::filesystem::path const& path) {
  std::error_code error;
  std::filesystem::path const absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute;
}

void write_all(Descriptor const& file, std::span<std::byte const> bytes,
               std::filesystem::path const& path) {
  while (!bytes.empty()) {
    ssize_t const n = ::write(file.get(), bytes.data(), std::min(bytes.size(), piece_bytes));
    if (n < 0 && can_try_again(file, POLLOUT)) continue;
    if (n < 0) throw_io("write", path, errno, errno == EPIPE ? advice_pipe : advice_space);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    g_written_bytes += static_cast<std::uint64_t>(n);
  }
}

void skip_bytes(Descriptor const& file, std::uint64_t bytes, std::filesystem::path const& path) {
  if (::lseek(file.get(), static_cast<off_t>(bytes), SEEK_CUR) >= 0) return;
  throw_io("go on in", path, errno, advice_place);
}

PartialFile::PartialFile(std::filesystem::path const& target)
    : m_target(target),
      m_place(absolute_path(target)),
      m_file(create_temporary(target, m_place, m_name)) {
  remove_leftovers(m_place);
}

PartialFile::~PartialFile() {
  if (!m_committed && m_writer.is_here()) ::unlink(m_name.c_str());
  watcher().create_ends(m_name.c_str());
}

void PartialFile::sync() {
  m_writer.require_here(m_target);
  // Before the rename: a name must never stand for bytes that a crash can still lose.
  bool const synced = ::fsync(m_file.get()) == 0 || errno == EINVAL;  // EINVAL: nothing to sync
  if (!synced || m_file.close() != 0) {
    throw_io("write", m_target, errno, advice_space);
  }
}

int PartialFile::rename(Overwrite overwrite) {
  int error = 0;
  if (overwrite == Overwrite::no) {
    error = rename_to_new_name(m_name.c_str(), m_place.c_str());
  } else if (::rename(m_name.c_str(), m_place.c_str()) != 0) {
    error = errno;
  }
  m_committed = error == 0;
  return error;
}

void PartialFile::refuse_name(int error) const {
  throw_io("give the finished file the name", m_target, error, "choose another name");
}

void PartialFile::commit(Overwrite overwrite) {
  // Until the new file has the name: who appends to the old one has been refused, or waits.
  std::unique_ptr<Descriptor> lock;
  if (overwrite == Overwrite::yes) lock = lock_replaced(m_place);
  commit_locked(overwrite);
}

void PartialFile::commit_locked(Overwrite overwrite) {
  keep_access(file(), m_place);
  sync();
  int const error = rename(overwrite);
  if (error != 0) refuse_name(error);
}

bool PartialFile::commit_unless_taken() {
  sync();
  int const error = rename(Overwrite::no);
  if (error != 0 && error != EEXIST) refuse_name(error);
  return error == 0;
}

}  // namespace kompakt::impl

namespace kompakt {

std::uint64_t bytes_written() noexcept { return impl::g_written_bytes; }

void watch_files(FileWatcher& watcher) noexcept { impl::g_watcher = &watcher; }

}  // namespace kompakt
