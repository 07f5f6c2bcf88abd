#ifndef KOMPAKT_CORE_CARVER_HPP
#define KOMPAKT_CORE_CARVER_HPP

#include <Kokkos_Macros.hpp>
#include <core/bits.hpp>
#include <cstddef>

namespace kompakt::impl {

/// Cuts a block of memory into pieces, one behind the other. Without memory it only counts, so a layout that is
/// written once, as a function that takes its pieces from a Carver, gives both its size and its addresses, and the two
/// cannot disagree. CUB's temporary storage is the model.
class Carver {
 public:
  static constexpr std::size_t alignment = 16;  ///< of each piece, if the block is aligned to it

  KOKKOS_FORCEINLINE_FUNCTION constexpr explicit Carver(std::byte* memory = nullptr)
      : m_memory(memory) {}

  /// The next `count` objects of type V, contents undefined; none if there is no memory.
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION constexpr V* take(std::size_t count = 1) {
    std::size_t const at = m_bytes;
    m_bytes += ceil_div(count * sizeof(V), alignment) * alignment;
    return m_memory == nullptr ? nullptr : reinterpret_cast<V*>(m_memory + at);
  }
  /// What has been taken so far.
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t bytes() const { return m_bytes; }

 private:
  std::byte* m_memory;
  std::size_t m_bytes = 0;
};

/// What lies `count` objects behind memory that a Carver gave. Where it only counts it gives none, and there is nothing
/// behind that: a null pointer must not be advanced.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION constexpr V* behind(V* taken, std::size_t count) {
  return taken == nullptr ? nullptr : taken + count;
}

/// Bytes that place(carver) takes.
template <class Place>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t carved_bytes(Place const& place) {
  Carver carver;
  place(carver);
  return carver.bytes();
}

}  // namespace kompakt::impl

#endif
