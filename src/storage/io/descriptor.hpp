#ifndef KOMPAKT_IO_DESCRIPTOR_HPP
#define KOMPAKT_IO_DESCRIPTOR_HPP

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <kompakt/error.hpp>
#include <poll.h>
#include <string>
#include <system_error>
#include <unistd.h>

namespace kompakt::impl {

/// An open file, closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : m_fd(fd) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;

  int get() const { return m_fd; }
  bool is_open() const { return m_fd >= 0; }
  /// Network file systems report a full disk here. Returns 0 or what close() returns.
  int close() {
    int const fd = m_fd;
    m_fd = -1;
    return fd >= 0 ? ::close(fd) : 0;
  }

 private:
  int m_fd;
};

/// Bytes moved per system call: enough for the full speed of a disk, small enough that progress is
/// seen and a signal is answered at once.
inline constexpr std::size_t piece_bytes = std::size_t{8} << 20;

inline std::atomic<std::uint64_t> g_read_bytes{0};
inline std::atomic<std::uint64_t> g_written_bytes{0};

/// Of a call that failed with errno: whether it can be made again, now or as soon as the descriptor is ready. A pipe may
/// be one that another program has made non-blocking.
/// \param events  of poll(), which the call waits for
inline bool can_try_again(Descriptor const& file, short events) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
  pollfd ready{file.get(), events, 0};
  return ::poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

/// Throws "cannot VERB 'PATH': REASON" and what to do about it.
[[noreturn]] inline void throw_io(std::string const& verb, std::filesystem::path const& path,
                                  int error, std::string const& advice) {
  throw Error(
      Status::io,
      "cannot " + verb + " '" + path.string() + "': " + std::generic_category().message(error),
      advice);
}

/// The process that opened a file to write it. Another one that it forks has the descriptor as well, and has to leave the file alone.
class WritingProcess {
 public:
  bool is_here() const { return m_id == ::getpid(); }
  /// \throws Error io in another process
  void require_here(std::filesystem::path const& path) const {
    if (is_here()) return;
    throw Error(Status::io,
                "'" + path.string() + "' is written by process " + std::to_string(m_id) +
                    ", which forked this one",
                "open another file in this process");
  }

 private:
  pid_t m_id = ::getpid();
};

/// Throws what is said of a file whose name another one has got between two looks at it.
[[noreturn]] inline void throw_replaced(std::filesystem::path const& path) {
  throw Error(Status::io, "'" + path.string() + "' was replaced or changed while it was read",
              "run the command again");
}

}  // namespace kompakt::impl

#endif
