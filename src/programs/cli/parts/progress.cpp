#include "progress.hpp"
#include "notes.hpp"
#include "text.hpp"
#include <algorithm>
#include <cstdio>
#include <kompakt/files.hpp>
#include <kompakt/printable.hpp>
#include <system_error>
#include <unistd.h>

namespace kompakt::cli {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

Clock::time_point const g_program_begin = Clock::now();
constexpr auto quiet_time = 1s;  // shorter work needs no progress
constexpr auto period = 100ms;

std::string bar(double fraction) {
  constexpr std::size_t width = 24;
  std::size_t const full =
      static_cast<std::size_t>(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(width));
  std::string text = "[";
  text.append(full, '=').append(width - full, ' ').append("]");
  return text;
}

}  // namespace

Progress::Progress(std::string const& work, std::uint64_t total_bytes, Shows shows,
                   std::uint64_t done_bytes)
    : m_work(work),
      m_total_bytes(total_bytes),
      m_shows(shows),
      m_bytes_before(moved_bytes() - done_bytes),
      m_begin(Clock::now()) {
  if (is_quiet() || ::isatty(STDERR_FILENO) == 0) return;
  try {
    m_thread = std::thread([this] { show_until_done(); });
  } catch (std::system_error const&) {
    // No thread left for it: work without progress is better than none.
  }
}

Progress::~Progress() {
  if (!m_thread.joinable()) return;
  {
    std::lock_guard const lock(m_mutex);
    m_done = true;
  }
  m_wake.notify_one();
  m_thread.join();
}

void Progress::show_until_done() {
  std::unique_lock lock(m_mutex);
  auto const done = [this] { return m_done; };
  if (m_wake.wait_until(lock, g_program_begin + quiet_time, done)) return;
  for (int step = 0; !m_done; ++step) {
    std::fprintf(stderr, "\r\033[K%s", printable(line(step)).c_str());
    m_wake.wait_for(lock, period, done);
  }
  std::fputs("\r\033[K", stderr);
}

std::string Progress::line(int step) const {
  double const elapsed_s = std::chrono::duration<double>(Clock::now() - m_begin).count();
  double const total = static_cast<double>(m_total_bytes);
  std::string head = m_work;
  if (m_total_bytes > 0) head.append(" ").append(text_of_bytes(total));
  if (m_shows == Shows::activity) {
    return head + " " + "|/-\\"[step % 4] + " " + std::to_string(static_cast<int>(elapsed_s)) +
           " s";
  }
  double const moved = static_cast<double>(moved_bytes() - m_bytes_before);
  std::string const rate = text_of_bytes(moved / std::max(elapsed_s, 1e-3)) + "/s";
  if (m_total_bytes == 0) return head + " " + text_of_bytes(moved) + "  " + rate;
  double const fraction = std::min(moved / total, 1.0);
  std::string const left =
      fraction > 0 ? "  " + text_of_time(elapsed_s / fraction - elapsed_s) + " left" : "";
  return head + " " + bar(fraction) + " " + std::to_string(static_cast<int>(100 * fraction)) +
         " %  " + rate + left;
}

std::uint64_t Progress::moved_bytes() const {
  return bytes_read() + (m_shows == Shows::read_and_write ? bytes_written() : 0);
}

}  // namespace kompakt::cli
