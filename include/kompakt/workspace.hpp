#ifndef KOMPAKT_WORKSPACE_HPP
#define KOMPAKT_WORKSPACE_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>

namespace kompakt {

namespace impl {

// Host memory that a device can copy to without an intermediate buffer.
template <class Exec>
struct readback_space {
  using type = Kokkos::HostSpace;
};
#ifdef KOKKOS_ENABLE_CUDA
template <>
struct readback_space<Kokkos::Cuda> {
  using type = Kokkos::CudaHostPinnedSpace;
};
#endif

}  // namespace impl

/// Scratch memory of compress and decompress, kept between calls. Grow-only: a second call of the
/// same size allocates nothing. One call at a time may use it.
template <class Exec>
class Workspace {
 public:
  explicit Workspace(Exec const&) {}

  /// Bytes held in the memory of Exec.
  std::size_t capacity_bytes() const noexcept { return m_device.extent(0); }

  /// Scratch memory of at least `bytes`, contents undefined, aligned to 64 bytes.
  std::byte* device_bytes(std::size_t bytes) {
    grow(m_device, bytes, "kompakt::workspace::device");
    return m_device.data();
  }
  /// The same on the host, where results are read back to.
  std::byte* readback_bytes(std::size_t bytes) {
    grow(m_readback, bytes, "kompakt::workspace::readback");
    return m_readback.data();
  }

 private:
  template <class View>
  static void grow(View& view, std::size_t bytes, std::string const& label) {
    if (bytes <= view.extent(0)) return;
    view = View();
    view = View(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), bytes);
  }

  Kokkos::View<std::byte*, typename Exec::memory_space> m_device;
  Kokkos::View<std::byte*, typename impl::readback_space<Exec>::type> m_readback;
};

}  // namespace kompakt

#endif
