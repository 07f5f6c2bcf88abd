#include <checkpoint/background.hpp>
#include <kompakt/error.hpp>
#include <string>
#include <system_error>
#include <utility>

namespace kompakt::impl {

Background::Background() try : m_thread([this] { run(); }) {
} catch (std::system_error const& error) {
  throw Error(Status::device, "Checkpoint",
              std::string("there is no thread to write with: ") + error.what(), "");
}

void Background::post(std::function<void()> task) {
  std::scoped_lock const lock(m_mutex);
  m_tasks.push_back(std::move(task));
  m_changed.notify_one();
}

void Background::finish() {
  end();
  if (m_failure) std::rethrow_exception(m_failure);
}

void Background::run() {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock lock(m_mutex);
      m_changed.wait(lock, [&] { return m_ends || !m_tasks.empty(); });
      if (m_tasks.empty()) return;
      task = std::move(m_tasks.front());
      m_tasks.pop_front();
    }
    if (m_has_failed) continue;
    try {
      task();
    } catch (...) {
      m_failure = std::current_exception();
      m_has_failed = true;
    }
  }
}

void Background::end() noexcept {
  if (!m_thread.joinable()) return;
  {
    std::scoped_lock const lock(m_mutex);
    m_ends = true;
    m_changed.notify_one();
  }
  m_thread.join();
}

}  // namespace kompakt::impl
