#include <algorithm>
#include <array>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <io/appended_file.hpp>
#include <io/partial_file.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <thread>

namespace kompakt::impl {

namespace {

constexpr char const* advice_write = "check the path and its permissions";

// The file being appended to, for signal handlers. One is enough, as for files that are being created.
std::atomic<int> g_appended_fd{-1};
std::atomic<std::uint64_t> g_appended_bytes{0};
std::atomic<bool> g_restored{false};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a signal handler reads it");

constexpr std::chrono::milliseconds period{20};  // between two looks at a lock

// Whether another process has the lock. A file system without locks has none.
bool lock_is_taken(int fd) { return ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; }

// Who had the lock before may have put another file in this place.
bool is_replaced(int fd, std::filesystem::path const& path) {
  struct stat mine {};
  struct stat named {};
  return ::fstat(fd, &mine) != 0 || ::stat(path.c_str(), &named) != 0 ||
         mine.st_ino != named.st_ino || mine.st_dev != named.st_dev;
}

// "process 1234 (kompakt)", if the system tells.
std::string holder_of(int fd) {
  struct stat file {};
  if (::fstat(fd, &file) != 0) return "somebody else";
  std::array<char, 64> place{};  // as /proc/locks has it
  std::snprintf(place.data(), place.size(), " %02x:%02x:%llu ", major(file.st_dev),
                minor(file.st_dev), static_cast<unsigned long long>(file.st_ino));
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::size_t const end = line.find(place.data());
    if (end == std::string::npos || line.find("->") != std::string::npos) continue;  // who waits
    std::size_t const begin = line.rfind(' ', end - 1) + 1;
    std::string const pid = line.substr(begin, end - begin);
    std::string name;
    std::getline(std::ifstream("/proc/" + pid + "/comm") >> std::ws, name);
    return "process " + pid + (name.empty() ? "" : " (" + name + ")");
  }
  return "somebody else";
}

// Opens a file and takes its lock.
int open_locked(char const* function, std::filesystem::path const& path,
                std::chrono::milliseconds wait) {
  auto const deadline = std::chrono::steady_clock::now() + wait;
  for (;;) {
    int const fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) throw_io(function, "open", path, errno, advice_write);
    bool const taken = lock_is_taken(fd);
    if (!taken && !is_replaced(fd, path)) return fd;
    bool const late = std::chrono::steady_clock::now() >= deadline;
    std::string const holder = taken && late ? holder_of(fd) : "";
    ::close(fd);
    if (!late) {
      std::this_thread::sleep_for(period);
      continue;
    }
    throw Error(Status::io,
                std::string(function) + ": '" + path.string() + "' is " +
                    (taken ? "locked by " + holder + ", which changes it" : "being replaced") +
                    ", still after " + std::to_string(wait.count() / 1000) +
                    " s; try again when that is done, or wait longer");
  }
}

}  // namespace

AppendedFile::AppendedFile(char const* function, std::filesystem::path const& path,
                           std::chrono::milliseconds wait)
    : m_path(path), m_file(std::make_unique<Descriptor>(open_locked(function, path, wait))) {
  off_t const end = ::lseek(m_file->get(), 0, SEEK_END);
  if (end < 0) throw_io(function, "append to", path, errno, advice_write);
  m_old_bytes = static_cast<std::uint64_t>(end);
  g_appended_bytes = m_old_bytes;
  int none = -1;
  g_appended_fd.compare_exchange_strong(none, m_file->get());
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
