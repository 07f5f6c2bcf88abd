#ifndef KOMPAKT_PLUGIN_LENT_CODEC_HPP
#define KOMPAKT_PLUGIN_LENT_CODEC_HPP

#include "target.hpp"
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <kompakt/threads.hpp>
#include <memory>
#include <mutex>
#include <vector>

// Codecs that wait for work. Programs call a plugin from any thread, and tell it neither a beginning nor an end.

namespace kompakt::plugin {

/// \tparam Codec  is made of a Space, and tells it by space()
template <class Codec>
class CodecPool {
 public:
  /// Never destroyed: that would be after Kokkos is gone.
  static CodecPool& get() {
    static CodecPool& once = *new CodecPool;
    return once;
  }

  std::unique_ptr<Codec> take(Target const& target, std::size_t bytes) {
    std::lock_guard const lock(m_mutex);
    if (!m_started) start(target);
    // A process that was forked, such as a worker of Python's multiprocessing, has none of the threads of its parent,
    // and would wait for them.
    Space const space = lacks_host_threads() ? Space::serial : space_for(target, bytes);
    auto const found = std::find_if(m_codecs.begin(), m_codecs.end(),
                                    [&](auto const& codec) { return codec->space() == space; });
    if (found == m_codecs.end()) return std::make_unique<Codec>(space);
    auto codec = std::move(*found);
    m_codecs.erase(found);
    return codec;
  }
  void give_back(std::unique_ptr<Codec> codec) {
    std::lock_guard const lock(m_mutex);
    m_codecs.push_back(std::move(codec));
  }

 private:
  void start(Target const& target) {
    require_kokkos(target.threads);
    Kokkos::push_finalize_hook([] { get().m_codecs.clear(); });
    m_started = true;
  }

  std::mutex m_mutex;
  std::vector<std::unique_ptr<Codec>> m_codecs;
  bool m_started = false;
};

/// A codec that nobody else has at the moment.
template <class Codec>
class LentCodec {
 public:
  /// \param bytes  of the work, on which the space depends
  /// \throws Error as require_kokkos(), device if this build lacks the space
  LentCodec(Target const& target, std::size_t bytes)
      : m_codec(CodecPool<Codec>::get().take(target, bytes)) {}
  ~LentCodec() { CodecPool<Codec>::get().give_back(std::move(m_codec)); }
  LentCodec(LentCodec const&) = delete;
  LentCodec& operator=(LentCodec const&) = delete;

  Codec* operator->() const noexcept { return m_codec.get(); }

 private:
  std::unique_ptr<Codec> m_codec;
};

}  // namespace kompakt::plugin

#endif
