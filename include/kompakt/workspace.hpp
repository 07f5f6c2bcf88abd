#ifndef KOMPAKT_WORKSPACE_HPP
#define KOMPAKT_WORKSPACE_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <exception>
#include <kompakt/error.hpp>
#include <kompakt/options.hpp>
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

// The execution spaces that the library is compiled for; any other would fail only at link time.
template <class Exec>
inline constexpr bool is_supported_space = false;
#ifdef KOKKOS_ENABLE_SERIAL
template <>
inline constexpr bool is_supported_space<Kokkos::Serial> = true;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template <>
inline constexpr bool is_supported_space<Kokkos::OpenMP> = true;
#endif
#ifdef KOKKOS_ENABLE_CUDA
template <>
inline constexpr bool is_supported_space<Kokkos::Cuda> = true;
#endif

/// Makes a View of bytes at least `bytes` long; old contents are lost when memory is moved.
/// \throws Error device if there is no memory
template <class View>
void grow_bytes(View& view, std::size_t bytes, std::string const& label) {
  if (bytes <= view.extent(0)) return;
  view = View();  // released first, so that old and new never exist side by side
  try {
    view = View(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), bytes);
  } catch (std::exception const& e) {
    throw Error(Status::device,
                label + ": no memory for " + std::to_string(bytes) + " bytes: " + e.what());
  }
}

}  // namespace impl

/// Scratch memory of compress and decompress, kept between calls. Grow-only: a second call of the
/// same size allocates nothing. One call at a time may use it.
template <class Exec>
class Workspace {
  static_assert(impl::is_supported_space<Exec>,
                "Workspace: Exec must be Kokkos::Serial, Kokkos::OpenMP or Kokkos::Cuda");

 public:
  explicit Workspace(Exec const&) {}

  /// Bytes held in the memory of Exec.
  std::size_t capacity_bytes() const noexcept { return m_device.extent(0) + m_field.extent(0); }

  /// Scratch memory of at least `bytes`, contents undefined, aligned to 64 bytes.
  std::byte* device_bytes(std::size_t bytes) {
    impl::grow_bytes(m_device, bytes, "kompakt::workspace::device");
    return m_device.data();
  }
  /// The same for a dense copy of a field.
  std::byte* field_bytes(std::size_t bytes) {
    impl::grow_bytes(m_field, bytes, "kompakt::workspace::field");
    return m_field.data();
  }
  /// The same on the host, where results are read back to.
  std::byte* readback_bytes(std::size_t bytes) {
    impl::grow_bytes(m_readback, bytes, "kompakt::workspace::readback");
    return m_readback.data();
  }

  /// Memory that keeps its contents from call to call; zero, on exec, when it grows.
  std::byte* kept_bytes(Exec const& exec, std::size_t bytes) {
    if (bytes > m_kept.extent(0)) {
      m_kept = {};
      m_kept = decltype(m_kept)(Kokkos::view_alloc(exec, "kompakt::workspace::kept"), bytes);
    }
    return m_kept.data();
  }
  std::size_t kept_capacity() const noexcept { return m_kept.extent(0); }

  /// The same for several calls in one launch, behind a counter that is zero at first too.
  struct KeptSlots {
    std::byte* counter;
    std::byte* first;
    std::size_t bytes;  ///< from one slot to the next
  };
  /// \param bytes  for each of `count`
  KeptSlots kept_slots(Exec const& exec, std::size_t count, std::size_t bytes) {
    constexpr std::size_t counter_bytes = 64;
    std::size_t const wanted = (bytes + 63) / 64 * 64;
    if (wanted > m_slot_bytes || counter_bytes + count * m_slot_bytes > m_slots.extent(0)) {
      if (wanted > m_slot_bytes) m_slot_bytes = wanted;
      m_slots = {};
      m_slots = decltype(m_slots)(Kokkos::view_alloc(exec, "kompakt::workspace::slots"),
                                  counter_bytes + count * m_slot_bytes);
    }
    return {m_slots.data(), m_slots.data() + counter_bytes, m_slot_bytes};
  }

  /// What the next stream is decoded as before its header is known: at first as the last one. A stream
  /// that it does not fit is decoded once the host has seen the header.
  impl::StreamCoding coding() const noexcept { return m_coding; }
  void expect(impl::StreamCoding coding) noexcept { m_coding = coding; }

 private:
  Kokkos::View<std::byte*, typename Exec::memory_space> m_device, m_field, m_kept, m_slots;
  std::size_t m_slot_bytes = 0;
  impl::StreamCoding m_coding{};
  Kokkos::View<std::byte*, typename impl::readback_space<Exec>::type> m_readback;
};

}  // namespace kompakt

#endif
