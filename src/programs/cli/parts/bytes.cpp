#include "bytes.hpp"
#include <Kokkos_Core.hpp>

namespace kompakt::cli {

namespace {

template <class Exec>
using Bytes = Kokkos::View<std::byte*, typename Exec::memory_space>;
using HostView = Kokkos::View<std::byte*, Kokkos::HostSpace>;
using ConstHostView = Kokkos::View<std::byte const*, Kokkos::HostSpace>;

}  // namespace

std::span<std::byte> HostBytes::room(std::size_t bytes) {
  if (bytes > m_capacity) {
    m_memory.reset();  // first, so that old and new never exist side by side
    m_capacity = 0;
    m_memory = std::make_unique_for_overwrite<std::byte[]>(bytes);
    m_capacity = bytes;
  }
  return {m_memory.get(), bytes};
}

std::span<std::byte> SpaceBytes::room(std::size_t bytes) {
  if (bytes > m_capacity) {
    m_owner.reset();
    m_capacity = 0;
    with_space(m_space, [&]<class Exec>(Exec const&) {
      auto const memory = std::make_shared<Bytes<Exec>>(
          Kokkos::view_alloc(Kokkos::WithoutInitializing, "kompakt::cli::bytes"), bytes);
      m_memory = memory->data();
      m_owner = memory;
    });
    m_capacity = bytes;
  }
  return {m_memory, bytes};
}

std::span<std::byte> SpaceBytes::copy_of(std::span<std::byte const> host) {
  std::span<std::byte> const copy = room(host.size());
  with_space(m_space, [&]<class Exec>(Exec const&) {
    Kokkos::deep_copy(Bytes<Exec>(copy.data(), copy.size()),
                      ConstHostView(host.data(), host.size()));
  });
  return copy;
}

void SpaceBytes::copy_to(std::span<std::byte> host) const {
  with_space(m_space, [&]<class Exec>(Exec const&) {
    Kokkos::deep_copy(HostView(host.data(), host.size()), Bytes<Exec>(m_memory, host.size()));
  });
}

}  // namespace kompakt::cli
