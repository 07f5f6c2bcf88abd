#include "threads.hpp"
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <kompakt/error.hpp>
#include <latch>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace kompakt::cli {

namespace {

std::ptrdiff_t living_threads() {
  std::error_code error;
  std::filesystem::directory_iterator const tasks("/proc/self/task", error);
  return error ? 0 : std::distance(begin(tasks), end(tasks));
}

// join() returns a little before the system counts a thread as gone.
void wait_for_living_threads(std::ptrdiff_t count) {
  for (int i = 0; i < 100 && living_threads() > count; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

unsigned long threads_of_environment(char const* variable) {
  char const* const value = std::getenv(variable);
  std::string_view word = value == nullptr ? "" : value;
  word.remove_prefix(std::min(word.find_first_not_of(" \t"), word.size()));
  unsigned long count = 0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  bool const number = end == word.data() + word.size() || *end == ',' || *end == ' ';
  return error == std::errc() && number ? count : 0;
}

unsigned long threads_of_openmp() {
  unsigned long const asked = threads_of_environment("OMP_NUM_THREADS");
  unsigned long const most = threads_of_environment("OMP_THREAD_LIMIT");
  unsigned long const count =
      asked > 0 ? asked
                : std::max(1ul, static_cast<unsigned long>(std::thread::hardware_concurrency()));
  return most > 0 ? std::min(count, most) : count;
}

void require_threads(unsigned long count) {
  std::ptrdiff_t const before = living_threads();
  std::latch end(1);
  std::vector<std::jthread> threads;
  std::string refusal;
  try {
    while (threads.size() < count) threads.emplace_back([&] { end.wait(); });
  } catch (std::system_error const& error) {
    refusal = error.code().message() + " behind " + std::to_string(threads.size()) + " of them";
  }
  end.count_down();
  threads.clear();
  wait_for_living_threads(before);
  if (refusal.empty()) return;
  throw Error(Status::device, "cannot start " + std::to_string(count) + " threads: " + refusal +
                                  "; set OMP_NUM_THREADS, and --threads, to fewer");
}

}  // namespace kompakt::cli
