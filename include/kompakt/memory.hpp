#ifndef KOMPAKT_MEMORY_HPP
#define KOMPAKT_MEMORY_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <exception>
#include <functional>
#include <kompakt/error.hpp>
#include <kompakt/spaces.hpp>
#include <memory>
#include <memory_resource>
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

/// Host memory for the lists of a call, which the next call reuses: fresh pages cost more than what is
/// written into them (285 of 350 us that a batch of 512 fields takes the host before its first kernel).
class HostArena : public std::pmr::memory_resource {
 public:
  /// Takes back all that was given, and makes room for as much at once.
  void begin() {
    if (m_wanted > m_size) {
      m_memory = std::make_unique_for_overwrite<std::byte[]>(m_wanted);
      m_size = m_wanted;
    }
    m_wanted = 0;
  }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    constexpr std::size_t step = alignof(std::max_align_t);
    if (alignment > step) return heap()->allocate(bytes, alignment);
    std::size_t const at = m_wanted;
    m_wanted += (bytes + step - 1) / step * step;
    return m_wanted <= m_size ? m_memory.get() + at : heap()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    std::less<> const before;
    auto const* const at = static_cast<std::byte*>(memory);
    bool const is_own = !before(at, m_memory.get()) && before(at, m_memory.get() + m_size);
    if (!is_own) heap()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(std::pmr::memory_resource const& other) const noexcept override {
    return this == &other;
  }
  static std::pmr::memory_resource* heap() { return std::pmr::new_delete_resource(); }

  std::unique_ptr<std::byte[]> m_memory;
  std::size_t m_size = 0, m_wanted = 0;
};

}  // namespace impl

}  // namespace kompakt

#endif
