#ifndef KOMPAKT_CHECKPOINT_BACKGROUND_HPP
#define KOMPAKT_CHECKPOINT_BACKGROUND_HPP

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace kompakt::impl {

/// A thread that does tasks in the order in which they come. After one that fails the others are dropped.
class Background {
 public:
  /// \throws Error device if there is no thread
  Background();
  /// Waits for what has been posted.
  ~Background() { end(); }
  Background(Background const&) = delete;
  Background& operator=(Background const&) = delete;

  void post(std::function<void()> task);
  bool has_failed() const noexcept { return m_has_failed; }
  /// Waits for all tasks. The last call.
  /// \throws what a task has thrown
  void finish();

 private:
  void run();
  void end() noexcept;

  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::deque<std::function<void()>> m_tasks;
  bool m_ends = false;
  std::atomic<bool> m_has_failed = false;
  std::exception_ptr m_failure;  // read when the thread is gone
  std::thread m_thread;          // after all that it uses
};

}  // namespace kompakt::impl

#endif
