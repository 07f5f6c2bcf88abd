#ifndef KOMPAKT_CONTAINER_COPY_BYTES_HPP
#define KOMPAKT_CONTAINER_COPY_BYTES_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>

// Copies of bytes between the host and the memory of an execution space, enqueued: what they come from and go to must stay
// until the instance has been waited for.

namespace kompakt::impl {

template <class Space>
using UnmanagedBytes = Kokkos::View<std::byte*, Space, Kokkos::MemoryUnmanaged>;
template <class Space>
using ConstUnmanagedBytes = Kokkos::View<std::byte const*, Space, Kokkos::MemoryUnmanaged>;

template <class To, class From, class Exec>
void copy_bytes(Exec const& exec, void* to, void const* from, std::size_t bytes) {
  Kokkos::deep_copy(exec, UnmanagedBytes<To>(static_cast<std::byte*>(to), bytes),
                    ConstUnmanagedBytes<From>(static_cast<std::byte const*>(from), bytes));
}
/// From the host.
template <class Exec>
void copy_in(Exec const& exec, void* to, void const* from, std::size_t bytes) {
  copy_bytes<typename Exec::memory_space, Kokkos::HostSpace>(exec, to, from, bytes);
}
/// To the host.
template <class Exec>
void copy_out(Exec const& exec, void* to, void const* from, std::size_t bytes) {
  copy_bytes<Kokkos::HostSpace, typename Exec::memory_space>(exec, to, from, bytes);
}
/// In the memory of the execution space.
template <class Exec>
void copy_inside(Exec const& exec, void* to, void const* from, std::size_t bytes) {
  using Memory = typename Exec::memory_space;
  copy_bytes<Memory, Memory>(exec, to, from, bytes);
}
template <class Exec>
void clear_bytes(Exec const& exec, void* data, std::size_t bytes) {
  Kokkos::deep_copy(
      exec, UnmanagedBytes<typename Exec::memory_space>(static_cast<std::byte*>(data), bytes),
      std::byte{0});
}

}  // namespace kompakt::impl

#endif
