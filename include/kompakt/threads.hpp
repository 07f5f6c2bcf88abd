#ifndef KOMPAKT_THREADS_HPP
#define KOMPAKT_THREADS_HPP

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace kompakt {

/// Maximum number of threads that Kokkos has places for; it writes behind them for more.
#ifdef KOKKOS_ENABLE_OPENMP
inline constexpr int max_host_threads = Kokkos::Impl::OpenMPTraits::MAX_THREAD_COUNT;
#else
inline constexpr int max_host_threads = 512;
#endif

/// Threads of the host for Kokkos::InitializationSettings.
struct HostThreads {
  int count = 0;  ///< for set_num_threads()
  unsigned long wanted =
      0;  ///< what the environment or the caller asked for; more than count if there are fewer
};

/// Determines how many threads Kokkos can be initialised with, before it is. What the environment asks for too much is lowered.
/// The threads are started once and ended again, because the runtime of OpenMP ends the program when it cannot have them.
/// \param requested  number of threads; 0: KOKKOS_NUM_THREADS, else OMP_NUM_THREADS, else one a core
/// \param others     threads that the program needs besides these
/// \throws Error bad_argument if more than max_host_threads, or than OMP_THREAD_LIMIT allows, are requested; device if the
///         system does not start them
HostThreads host_threads(int requested = 0, int others = 0);

/// Refuses a number of threads that host_threads() would refuse, without starting any.
/// \throws Error bad_argument
void require_possible_threads(int requested);

/// Whether this process was forked from one in which Kokkos had been initialised: it has none of the threads of its parent,
/// and would wait for them. Kokkos::Serial works in it.
bool lacks_host_threads() noexcept;

namespace impl {

/// Lets parallel regions of OpenMP that the caller starts have so many threads; returns what end_regions() takes.
/// \throws Error device if they would have fewer all the same
bool begin_regions(int threads);
void end_regions(bool dynamic) noexcept;

/// While it lives, parallel regions have all threads that Kokkos shares the work of an instance among. Kokkos cuts work by the
/// size of its pool: a region with fewer threads would leave the rest undone. It costs some nanoseconds.
class AllThreads {
 public:
  /// \throws Error device if OpenMP gives fewer, or in a parallel
  ///         region, or where lacks_host_threads()
  template <class Exec>
  explicit AllThreads([[maybe_unused]] Exec const& exec) {
#ifdef KOKKOS_ENABLE_OPENMP
    if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>) {
      // Not concurrency(): it may be the default instance's, and counts the threads of a region it is asked in.
      m_threads = exec.impl_internal_space_instance()->thread_pool_size();
      if (m_threads > 1) m_dynamic = begin_regions(m_threads);
    }
#endif
  }
  AllThreads(AllThreads const&) = delete;
  AllThreads& operator=(AllThreads const&) = delete;
  ~AllThreads() {
    if (m_threads > 1) end_regions(m_dynamic);
  }

 private:
  int m_threads = 1;
  bool m_dynamic = false;
};

}  // namespace impl

}  // namespace kompakt

#endif
