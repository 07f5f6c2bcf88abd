#ifndef KOMPAKT_C_FORK_MUTEX_HPP
#define KOMPAKT_C_FORK_MUTEX_HPP

#include <mutex>
#include <pthread.h>

namespace kompakt::c {

/// The mutex of what there is once in a process. A child that is forked finds it free, and what it guards complete: the
/// thread that forks has it meanwhile.
/// \tparam Owner  type of what it guards
template <class Owner>
class ForkMutex {
 public:
  static std::mutex& get() {
    static_cast<void>(&m_is_registered);  // so that there is one
    return m_mutex;
  }

 private:
  static void lock() { m_mutex.lock(); }
  static void unlock() { m_mutex.unlock(); }

  static inline std::mutex m_mutex;
  // Before the first use: a thread could fork in the middle of it.
  static inline int const m_is_registered = ::pthread_atfork(lock, unlock, unlock);
};

}  // namespace kompakt::c

#endif
