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

// Who has it, if the system tells: "locked by process 1234 (kompakt), which changes it".
std::string lock_of(int fd) {
  std::string const unknown = "locked, as another program changes it";
  struct stat file {};
  if (::fstat(fd, &file) != 0) return unknown;
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
    return "locked by process " + pid + (name.empty() ? "" : " (" + name + ")") +
           ", which changes it";
  }
  return unknown;
}

[[noreturn]] void refuse_lock(std::filesystem::path const& path, std::string const& why,
                              std::chrono::milliseconds wait) {
  throw Error(Status::io,
              "'" + path.string() + "' is " + why + ", still after " +
                  std::to_string(wait.count() / 1000) + " s",
              "try again when that is done, or wait longer");
}

// Tries until it works or the time is over; why() says what is in the way.
template <class Try, class Why>
void try_for(std::filesystem::path const& path, std::chrono::milliseconds wait, Try const& succeeds,
             Why const& why) {
  auto const deadline = std::chrono::steady_clock::now() + wait;
  while (!succeeds()) {
    if (std::chrono::steady_clock::now() >= deadline) refuse_lock(path, why(), wait);
    std::this_thread::sleep_for(period);
  }
}

// Opens a file and takes its lock.
std::unique_ptr<Descriptor> open_locked(std::filesystem::path const& path,
                                        std::chrono::milliseconds wait) {
  std::unique_ptr<Descriptor> file;
  bool taken = false;
  auto const open = [&] {
    file = std::make_unique<Descriptor>(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file->is_open()) throw_io("open", path, errno, advice_write);
    taken = lock_is_taken(file->get());
    return !taken && !is_replaced(file->get(), path);
  };
  try_for(path, wait, open,
          [&] { return taken ? lock_of(file->get()) : std::string("being replaced"); });
  return file;
}

}  // namespace

AppendedFile::AppendedFile(std::filesystem::path const& path, std::chrono::milliseconds wait)
    : m_path(path), m_file(open_locked(path, wait)) {
  off_t const end = ::lseek(m_file->get(), 0, SEEK_END);
  if (end < 0) throw_io("append to", path, errno, advice_write);
  m_old_bytes = static_cast<std::uint64_t>(end);
  g_appended_bytes = m_old_bytes;
  int none = -1;
  g_appended_fd.compare_exchange_strong(none, m_file->get());
}

AppendedFile::~AppendedFile() {
  if (!m_file || !m_writer.is_here()) return;
  // What was appended is not a part of anything yet; if it stays, a reader says so.
  [[maybe_unused]] int const ignored = ::ftruncate(m_file->get(), static_cast<off_t>(m_old_bytes));
  int mine = m_file->get();
  g_appended_fd.compare_exchange_strong(mine, -1);
}

InputFile AppendedFile::reader() const {
  InputFile reader(m_path);
  struct stat mine {};
  auto const opened = reader.identity();
  if (::fstat(m_file->get(), &mine) != 0 || !opened || opened->number != mine.st_ino ||
      opened->device != mine.st_dev) {
    throw_replaced(m_path);
  }
  return reader;
}

void AppendedFile::write(std::span<std::byte const> bytes) {
  m_writer.require_here(m_path);
  while (!bytes.empty()) {
    while (g_restored) ::pause();
    std::size_t const piece = std::min(bytes.size(), piece_bytes);
    write_all(*m_file, bytes.first(piece), m_path);
    bytes = bytes.subspan(piece);
  }
}

void AppendedFile::skip(std::uint64_t bytes) { skip_bytes(*m_file, bytes, m_path); }

void AppendedFile::sync() {
  m_writer.require_here(m_path);
  if (::fsync(m_file->get()) == 0 || errno == EINVAL) return;  // EINVAL: nothing to sync
  throw_io("write", m_path, errno, "free some space or choose another place");
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

void await_unlocked(std::filesystem::path const& path, std::chrono::milliseconds wait) {
  try_for(
      path, wait, [&] { return !is_locked(path); },
      [&] { return lock_of(Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)).get()); });
}

void restore_appended_file() noexcept {
  int const fd = g_appended_fd;
  if (fd < 0) return;
  g_restored = true;
  [[maybe_unused]] int const ignored = ::ftruncate(fd, static_cast<off_t>(g_appended_bytes));
}

}  // namespace kompakt::impl
