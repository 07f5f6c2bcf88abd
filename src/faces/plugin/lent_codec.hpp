#ifndef KOMPAKT_PLUGIN_LENT_CODEC_HPP
#define KOMPAKT_PLUGIN_LENT_CODEC_HPP

#include "pool.hpp"
#include "target.hpp"
#include <Kokkos_Core.hpp>
#include <memory>
#include <mutex>

// Codecs that wait for work. Programs call a plugin from any thread, and tell it neither a beginning nor an end.

namespace kompakt::plugin {

/// \tparam Codec  is made of a Space
template <class Codec>
class CodecPool : public Pool<Space, Codec> {
 public:
  /// Never destroyed: that would be after Kokkos is gone.
  static CodecPool& get() {
    static CodecPool& once = *new CodecPool;
    return once;
  }

  /// The space for a piece of work, after Kokkos has been initialised.
  Space space_for_work(Target const& target, std::size_t bytes) {
    std::call_once(m_started, [&] {
      require_kokkos(target.threads);
      Kokkos::push_finalize_hook([] { get().clear(); });
    });
    return space_for(target, bytes);
  }

 private:
  std::once_flag m_started;
};

/// A codec that nobody else has at the moment.
template <class Codec>
class LentCodec {
 public:
  /// \param bytes  of the work, on which the space depends
  /// \throws Error as require_kokkos(), device if this build lacks the space
  LentCodec(Target const& target, std::size_t bytes)
      : m_space(CodecPool<Codec>::get().space_for_work(target, bytes)),
        m_codec(CodecPool<Codec>::get().take(m_space,
                                             [&] { return std::make_unique<Codec>(m_space); })) {}
  ~LentCodec() { CodecPool<Codec>::get().give_back(m_space, std::move(m_codec)); }
  LentCodec(LentCodec const&) = delete;
  LentCodec& operator=(LentCodec const&) = delete;

  Codec* operator->() const noexcept { return m_codec.get(); }

 private:
  Space m_space;
  std::unique_ptr<Codec> m_codec;
};

}  // namespace kompakt::plugin

#endif
