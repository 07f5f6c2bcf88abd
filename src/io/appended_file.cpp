#include <algorithm>
#include <fcntl.h>
#include <io/appended_file.hpp>
#include <io/partial_file.hpp>
#include <sys/file.h>
#include <sys/stat.h>

namespace kompakt::impl {

namespace {

constexpr char const* advice_write = "check the path and its permissions";

// The file being appended to, for signal handlers. One is enough, as for files that are being created.
std::atomic<int> g_appended_fd{-1};
std::atomic<std::uint64_t> g_appended_bytes{0};
std::atomic<bool> g_restored{false};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a signal handler reads it");

// Whether another process has the lock. A file system without locks has none.
bool lock_is_taken(int fd) { return ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; }

}  // namespace

AppendedFile::AppendedFile(char const* function, std::filesystem::path const& path)
    : m_path(path),
      m_file(std::make_unique<Descriptor>(::open(path.c_str(), O_WRONLY | O_CLOEXEC))) {
  if (!m_file->is_open()) throw_io(function, "open", path, errno, advice_write);
  lock(function);
  off_t const end = ::lseek(m_file->get(), 0, SEEK_END);
  if (end < 0) throw_io(function, "append to", path, errno, advice_write);
  m_old_bytes = static_cast<std::uint64_t>(end);
  g_appended_bytes = m_old_bytes;
  int none = -1;
  g_appended_fd.compare_exchange_strong(none, m_file->get());
}

void AppendedFile::lock(char const* function) {
  bool const taken = lock_is_taken(m_file->get());
  struct stat mine {};
  struct stat named {};
  // Who had the lock before may have put another file in this place.
  bool const replaced =
      !taken && (::fstat(m_file->get(), &mine) != 0 || ::stat(m_path.c_str(), &named) != 0 ||
                 mine.st_ino != named.st_ino || mine.st_dev != named.st_dev);
  if (!taken && !replaced) return;
  throw Error(Status::io,
              std::string(function) + ": '" + m_path.string() + "' is " +
                  (taken ? "locked, as somebody else appends to it" : "being replaced") +
                  "; try again when that is done");
}

AppendedFile::~AppendedFile() {
  if (!m_file) return;
  // What was appended is not a part of anything yet; if it stays, a reader says so.
  static_cast<void>(::ftruncate(m_file->get(), static_cast<off_t>(m_old_bytes)));
  int mine = m_file->get();
  g_appended_fd.compare_exchange_strong(mine, -1);
}

void AppendedFile::write(std::span<std::byte const> bytes) {
  while (!bytes.empty()) {
    while (g_restored) ::pause();
    std::size_t const piece = std::min(bytes.size(), piece_bytes);
    write_all(*m_file, bytes.first(piece), m_path);
    bytes = bytes.subspan(piece);
  }
}

void AppendedFile::sync() {
  if (::fsync(m_file->get()) == 0 || errno == EINVAL) return;  // EINVAL: nothing to sync
  throw_io("write_file", "write", m_path, errno, "free some space or choose another place");
}

void AppendedFile::commit() {
  sync();
  int mine = m_file->get();
  g_appended_fd.compare_exchange_strong(mine, -1);
  m_file.reset();
}

bool is_locked(std::filesystem::path const& path) noexcept {
  Descriptor const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.is_open() && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

void restore_appended_file() noexcept {
  int const fd = g_appended_fd;
  if (fd < 0) return;
  g_restored = true;
  static_cast<void>(::ftruncate(fd, static_cast<off_t>(g_appended_bytes)));
}

}  // namespace kompakt::impl
