#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <dirent.h>
#include <kompakt/error.hpp>
#include <kompakt/threads.hpp>
#include <latch>
#include <limits>
#include <mutex>
#include <new>
#include <pthread.h>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <time.h>
#include <type_traits>
#include <utility>
#include <vector>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace kompakt {

namespace {

/// What a number in a variable of the environment asks for; 0 if there is none. Of a list the first one counts.
unsigned long number_in(char const* variable) {
  char const* const value = std::getenv(variable);
  std::string_view word = value == nullptr ? "" : value;
  word.remove_prefix(std::min(word.find_first_not_of(" \t"), word.size()));
  unsigned long count = 0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  bool const number = end == word.data() + word.size() || *end == ',' || *end == ' ';
  return error == std::errc() && number ? count : 0;
}

unsigned long limit_of_openmp() {
#ifdef _OPENMP
  return static_cast<unsigned long>(std::max(1, omp_get_thread_limit()));
#else
  return std::numeric_limits<unsigned long>::max();
#endif
}
unsigned long possible_threads() {
  return std::min(limit_of_openmp(), static_cast<unsigned long>(max_host_threads));
}

/// How many threads OpenMP starts when nobody says how many.
unsigned long threads_of_openmp() {
  unsigned long const asked = number_in("OMP_NUM_THREADS");
  return asked > 0 ? asked
                   : std::max(1ul, static_cast<unsigned long>(std::thread::hardware_concurrency()));
}
unsigned long threads_of_environment() {
  unsigned long const kokkos = number_in("KOKKOS_NUM_THREADS");
  return kokkos > 0 ? kokkos : std::min(threads_of_openmp(), limit_of_openmp());
}

// Not by an iterator of C++, which ends the program when it has no memory.
std::ptrdiff_t living_threads() {
  DIR* const tasks = ::opendir("/proc/self/task");
  if (tasks == nullptr) return 0;
  std::ptrdiff_t count = 0;
  while (dirent const* const task = ::readdir(tasks)) count += task->d_name[0] != '.' ? 1 : 0;
  ::closedir(tasks);
  return count;
}

// join() returns a little before the system counts a thread as gone.
void wait_for_living_threads(std::ptrdiff_t count) {
  for (int i = 0; i < 100 && living_threads() > count; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Threads that live side by side, and end with this object, whatever happens while they are started.
class Threads {
 public:
  ~Threads() { m_end.count_down(); }

  std::size_t count() const { return m_threads.size(); }
  void add() {
    m_threads.emplace_back([this] { m_end.wait(); });
  }

 private:
  std::latch m_end{1};
  std::vector<std::jthread> m_threads;  // joined first
};

/// Starts so many threads side by side with this one and ends them.
void require_startable(unsigned long count) {
  std::ptrdiff_t const before = living_threads();
  std::string refusal;
  try {
    Threads threads;
    try {
      while (threads.count() < count) threads.add();
    } catch (std::system_error const& error) {
      refusal = error.code().message() + " behind " + std::to_string(threads.count()) + " of them";
    }
  } catch (std::bad_alloc const&) {
    throw Error(Status::device, "no memory to start " + std::to_string(count) + " threads",
                "set OMP_NUM_THREADS, or the number of threads, to fewer");
  }
  wait_for_living_threads(before);
  if (refusal.empty()) return;
  throw Error(Status::device, "cannot start " + std::to_string(count) + " threads: " + refusal,
              "set OMP_NUM_THREADS, or the number of threads, to fewer");
}

/// What Kokkos locks while it works on the host. A child finds locked what other threads of its parent had locked, and nobody
/// to unlock it: every fence and every memory that is freed would wait for ever.
class KokkosLocks {
 public:
  void take() {
    m_fork.lock();
    if (!Kokkos::is_initialized()) return;
    // A thread that forks in a kernel has some of them itself, and would never get them.
    ::clock_gettime(CLOCK_REALTIME, &m_end);
    m_end.tv_sec += longest_wait_s;
#ifdef KOKKOS_ENABLE_SERIAL
    take_instances<Kokkos::Serial>();
#endif
#ifdef KOKKOS_ENABLE_OPENMP
    take_instances<Kokkos::OpenMP>();
#endif
  }
  void give_back() {
    for (std::mutex* const mutex : m_taken) mutex->unlock();
    m_taken.clear();
    m_fork.unlock();
  }

 private:
  static constexpr int longest_wait_s = 10;

  template <class Exec>
  void take_instances() {
    using Internal =
        std::remove_pointer_t<decltype(std::declval<Exec>().impl_internal_space_instance())>;
    if (!take(Internal::all_instances_mutex)) return;
    for (Internal* const instance : Internal::all_instances) take(instance->m_instance_mutex);
  }
  bool take(std::mutex& mutex) {
    if (::pthread_mutex_timedlock(mutex.native_handle(), &m_end) != 0) return false;
    m_taken.push_back(&mutex);
    return true;
  }

  std::mutex m_fork;  // of threads that fork at the same time
  timespec m_end{};
  std::vector<std::mutex*> m_taken;
};

/// Never destroyed: a process may fork while it ends.
KokkosLocks& kokkos_locks() {
  static KokkosLocks& once = *new KokkosLocks;
  return once;
}

std::atomic<bool> threads_are_gone = false;

void prepare_fork() { kokkos_locks().take(); }
void end_fork() { kokkos_locks().give_back(); }
void begin_child() {
  end_fork();
  if (Kokkos::is_initialized()) threads_are_gone = true;
}
// An initialiser of this file runs before anybody can call what is in it.
[[maybe_unused]] int const noted = [] {
  kokkos_locks();
  return pthread_atfork(prepare_fork, end_fork, begin_child);
}();

}  // namespace

bool lacks_host_threads() noexcept { return threads_are_gone; }

void require_possible_threads(int requested) {
  if (requested <= 0 || static_cast<unsigned long>(requested) <= possible_threads()) return;
  std::string const start = std::to_string(requested) + " threads are not possible: ";
  unsigned long const limit = limit_of_openmp();
  throw Error(Status::bad_argument,
              limit < static_cast<unsigned long>(max_host_threads)
                  ? start + "OMP_THREAD_LIMIT allows " + std::to_string(limit) +
                        "; raise it, or request no more"
                  : start + "Kokkos has places for " + std::to_string(max_host_threads) +
                        "; request no more");
}

HostThreads host_threads(int requested, int others) {
  require_possible_threads(requested);
  HostThreads threads;
  threads.wanted = requested > 0 ? static_cast<unsigned long>(requested) : threads_of_environment();
  threads.count = static_cast<int>(std::min(threads.wanted, possible_threads()));
#ifdef _OPENMP
  // Whatever it is told, Kokkos counts first how many threads OpenMP starts by itself.
  auto const possible = static_cast<int>(possible_threads());
  if (omp_get_max_threads() > possible) omp_set_num_threads(possible);
  int const most = std::max(omp_get_max_threads(), threads.count);
  require_startable(static_cast<unsigned long>(most - 1 + others));
#else
  static_cast<void>(others);
#endif
  return threads;
}

#ifdef _OPENMP
bool impl::begin_regions(int threads) {
  if (lacks_host_threads()) {
    throw Error(Status::device,
                "called in a process that was forked after Kokkos had been initialised, and "
                "lacks its threads",
                "use the space serial in it");
  }
  if (threads > max_host_threads) {
    throw Error(Status::device,
                "Kokkos was initialised with " + std::to_string(threads) +
                    " threads, and has places for " + std::to_string(max_host_threads),
                "initialise it with no more");
  }
  if (omp_in_parallel()) {
    throw Error(Status::device,
                "called in a parallel region of OpenMP, whose threads Kokkos works with",
                "call it outside, or use the space serial");
  }
  int const given = omp_get_max_active_levels() < 1 ? 1 : omp_get_thread_limit();
  if (given < threads) {
    throw Error(Status::device,
                "OpenMP gives " + std::to_string(given) + " of the " + std::to_string(threads) +
                    " threads that Kokkos shares work among (" +
                    (omp_get_max_active_levels() < 1
                         ? "omp_get_max_active_levels() is 0"
                         : "omp_get_thread_limit() is " + std::to_string(given)) +
                    ")",
                "allow as many, or use the space serial");
  }
  bool const dynamic = omp_get_dynamic() != 0;
  if (dynamic) omp_set_dynamic(0);
  return dynamic;
}
void impl::end_regions(bool dynamic) noexcept {
  if (dynamic) omp_set_dynamic(1);
}
#else
bool impl::begin_regions(int) { return false; }
void impl::end_regions(bool) noexcept {}
#endif

}  // namespace kompakt
