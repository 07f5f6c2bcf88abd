#ifndef KOMPAKT_CLI_PROGRESS_HPP
#define KOMPAKT_CLI_PROGRESS_HPP

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace kompakt::cli {

/// A line on stderr that says what is being done until the end of the scope. Appears only if stderr
/// is a terminal and the program has run for a second, and is wiped away.
class Progress {
 public:
  enum class Shows {
    read,            ///< a bar: the bytes that have been read, out of total_bytes
    read_and_write,  ///< a bar: the bytes that have been read and written
    activity,        ///< a sign of life, for work that cannot be looked into
  };

  /// \param work         "reading", "compressing"
  /// \param total_bytes  0 if not known
  /// \param done_bytes   of them that have been moved before
  Progress(std::string const& work, std::uint64_t total_bytes, Shows shows,
           std::uint64_t done_bytes = 0);
  ~Progress();
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

 private:
  void show_until_done();
  std::string line(int step) const;
  std::uint64_t moved_bytes() const;

  std::string m_work;
  std::uint64_t m_total_bytes;
  Shows m_shows;
  std::uint64_t m_bytes_before;
  std::chrono::steady_clock::time_point m_begin;
  std::mutex m_mutex;
  std::condition_variable m_wake;
  bool m_done = false;
  std::thread m_thread;
};

/// work() with a line of progress.
template <class Work>
auto during(std::string const& what, std::uint64_t total_bytes, Progress::Shows shows,
            Work const& work, std::uint64_t done_bytes = 0) {
  Progress const progress(what, total_bytes, shows, done_bytes);
  return work();
}

}  // namespace kompakt::cli

#endif
