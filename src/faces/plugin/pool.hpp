#ifndef KOMPAKT_PLUGIN_POOL_HPP
#define KOMPAKT_PLUGIN_POOL_HPP

#include <algorithm>
#include <c/fork_mutex.hpp>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace kompakt::plugin {

/// Objects that wait for work, each made for a key, such as an execution space. Any thread takes one and gives it back.
/// Of each type there is one pool in a process, which works on in a child that is forked meanwhile.
template <class Key, class T>
class Pool {
 public:
  /// \returns one of this key that nobody else has: one that waits, else what make() returns
  template <class Make>
  std::unique_ptr<T> take(Key const& key, Make const& make) {
    {
      std::lock_guard const lock(c::ForkMutex<Pool>::get());
      auto const found = std::find_if(m_waiting.begin(), m_waiting.end(),
                                      [&](auto const& waiting) { return waiting.first == key; });
      if (found != m_waiting.end()) {
        auto object = std::move(found->second);
        m_waiting.erase(found);
        return object;
      }
    }
    return make();
  }
  void give_back(Key const& key, std::unique_ptr<T> object) {
    std::lock_guard const lock(c::ForkMutex<Pool>::get());
    m_waiting.emplace_back(key, std::move(object));
  }
  /// Destroys all that wait.
  void clear() {
    std::lock_guard const lock(c::ForkMutex<Pool>::get());
    m_waiting.clear();
  }

 private:
  std::vector<std::pair<Key, std::unique_ptr<T>>> m_waiting;
};

}  // namespace kompakt::plugin

#endif
