#include <algorithm>
#include <fcntl.h>
#include <io/appended_file.hpp>
#include <io/partial_file.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <utility>

namespace kompakt::impl {

namespace {

constexpr char const* advice_write = "check the path and its permissions";
constexpr char const* why_locked = "locked, as another program changes it";

/// Scope of a change of the file, which the watcher may hold up.
class Change {
 public:
  explicit Change(int fd) { watcher().change_begins(fd); }
  ~Change() { watcher().change_ends(); }
  Change(Change const&) = delete;
  Change& operator=(Change const&) = delete;
};

// Never makes it longer: where somebody has cut it off, there would be zeros.
void give_old_length(int fd, std::uint64_t bytes) noexcept {
  struct stat file {};
  if (::fstat(fd, &file) != 0 || static_cast<std::uint64_t>(file.st_size) <= bytes) return;
  [[maybe_unused]] int const ignored = ::ftruncate(fd, static_cast<off_t>(bytes));
}

constexpr std::chrono::milliseconds period{20};  // between two looks at a lock

// Whether another process has the lock. A file system without locks has none.
bool lock_is_taken(int fd, int kind = LOCK_EX) {
  return ::flock(fd, kind | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

// Who had the lock before may have put another file in this place.
bool is_replaced(int fd, std::filesystem::path const& path) {
  struct stat mine {};
  struct stat named {};
  return ::fstat(fd, &mine) != 0 || ::stat(path.c_str(), &named) != 0 ||
         mine.st_ino != named.st_ino || mine.st_dev != named.st_dev;
}

/// \param until  how long that was waited for, "" or ", still after 3 s"
[[noreturn]] void refuse_lock(std::filesystem::path const& path, std::string const& why,
                              std::string const& until, char const* advice) {
  throw Error(Status::io, "'" + path.string() + "' is " + why + until, advice);
}

// Tries until it works or the time is over; why() says what is in the way.
template <class Try, class Why>
void try_for(std::filesystem::path const& path, std::chrono::milliseconds wait, Try const& succeeds,
             Why const& why) {
  auto const deadline = std::chrono::steady_clock::now() + wait;
  while (!succeeds()) {
    if (std::chrono::steady_clock::now() >= deadline) {
      refuse_lock(path, why(), ", still after " + std::to_string(wait.count() / 1000) + " s",
                  "try again when that is done, or wait longer");
    }
    std::this_thread::sleep_for(period);
  }
}

// Opens a file and takes its lock.
std::unique_ptr<Descriptor> open_locked(std::filesystem::path const& path,
                                        std::chrono::milliseconds wait) {
  std::unique_ptr<Descriptor> file;
  bool taken = false;
  auto const open = [&] {
    // O_APPEND: in a file that somebody cuts off, no gap comes into being, and its length tells.
    file = std::make_unique<Descriptor>(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    if (!file->is_open()) throw_io("open", path, errno, advice_write);
    taken = lock_is_taken(file->get());
    return !taken && !is_replaced(file->get(), path);
  };
  try_for(path, wait, open, [&] { return taken ? why_locked : "being replaced"; });
  return file;
}

}  // namespace

AppendedFile::AppendedFile(std::filesystem::path const& path, std::chrono::milliseconds wait)
    : m_path(path), m_place(absolute_path(path)), m_file(open_locked(path, wait)) {
  off_t const end = ::lseek(m_file->get(), 0, SEEK_END);
  if (end < 0) throw_io("append to", path, errno, advice_write);
  m_old_bytes = m_bytes = static_cast<std::uint64_t>(end);
  watcher().append_begins(m_file->get(), m_old_bytes);
}

AppendedFile::~AppendedFile() {
  if (!m_file || !m_writer.is_here()) return;
  Change const change(m_file->get());
  // What was appended is not a part of anything yet; if it stays, a reader says so.
  give_old_length(m_file->get(), m_old_bytes);
  watcher().append_ends(m_file->get());
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
  settle_skipped();
  while (!bytes.empty()) {
    Change const change(m_file->get());
    std::size_t const piece = std::min(bytes.size(), piece_bytes);
    write_all(*m_file, bytes.first(piece), m_path);
    m_bytes += piece;
    bytes = bytes.subspan(piece);
  }
}

// Others write what lies between: with O_APPEND the next write goes behind that.
void AppendedFile::skip(std::uint64_t bytes) {
  m_bytes += bytes;
  m_has_skipped = true;
}

// What is written goes to the end of the file, wherever that is.
void AppendedFile::settle_skipped() {
  if (!std::exchange(m_has_skipped, false)) return;
  struct stat mine {};
  if (::fstat(m_file->get(), &mine) != 0) throw_io("look at", m_path, errno, advice_write);
  auto const there = static_cast<std::uint64_t>(mine.st_size);
  if (there < m_bytes) {
    throw Error(Status::bad_argument,
                "a frame of '" + m_path.string() + "' that somebody else writes is not there yet",
                "write it before the next frame or the end of its field");
  }
  give_old_length(m_file->get(), m_bytes);  // without frames of a field that was given up
}

// A lock keeps those away who ask for it. Whoever does not may have removed the file or put another one in its place.
void AppendedFile::require_untouched() const {
  constexpr char const* advice = "run the command again";
  if (is_replaced(m_file->get(), m_place)) {
    throw Error(Status::io,
                "'" + m_path.string() +
                    "' was removed or replaced while it was appended to, and lacks what was added",
                advice);
  }
  struct stat mine {};
  if (::fstat(m_file->get(), &mine) != 0) throw_io("look at", m_path, errno, advice_write);
  if (static_cast<std::uint64_t>(mine.st_size) == m_bytes) return;
  throw Error(Status::io,
              "'" + m_path.string() + "' was changed by another program while it was appended " +
                  "to: it has " + std::to_string(mine.st_size) + " bytes instead of " +
                  std::to_string(m_bytes),
              advice);
}

void AppendedFile::sync() {
  m_writer.require_here(m_path);
  require_untouched();
  if (::fsync(m_file->get()) == 0 || errno == EINVAL) return;  // EINVAL: nothing to sync
  throw_io("write", m_path, errno, "free some space or choose another place");
}

void AppendedFile::commit() {
  sync();
  require_untouched();  // until here it took a while
  Change const change(m_file->get());
  watcher().append_ends(m_file->get());
  m_file.reset();
}

bool is_locked(std::filesystem::path const& path) noexcept {
  Descriptor const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.is_open() && lock_is_taken(file.get(), LOCK_SH);
}

void await_unlocked(std::filesystem::path const& path, std::chrono::milliseconds wait) {
  try_for(
      path, wait, [&] { return !is_locked(path); }, [] { return why_locked; });
}

std::unique_ptr<Descriptor> lock_replaced(std::filesystem::path const& path) {
  // No writing is needed for a lock, and none allowed for some files that may be replaced.
  auto file = std::make_unique<Descriptor>(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  // Shared, as those are who only read: they go on with the old file.
  if (file->is_open() && lock_is_taken(file->get(), LOCK_SH)) {
    refuse_lock(path, why_locked, "", "try again when that is done");
  }
  return file;
}

}  // namespace kompakt::impl
