#ifndef KOMPAKT_MEMORY_HPP
#define KOMPAKT_MEMORY_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <exception>
#include <kompakt/error.hpp>
#include <kompakt/spaces.hpp>
#include <string>

// Where the memory of workspaces and streams lies, and how it grows.

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

}  // namespace kompakt

#endif
