#ifndef KOMPAKT_PIPELINE_STAGING_HPP
#define KOMPAKT_PIPELINE_STAGING_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <container/format.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <kompakt/field.hpp>
#include <kompakt/memory.hpp>
#include <pipeline/stored.hpp>
#include <pipeline/strided_box.hpp>
#include <type_traits>

// Fields in memory that only the host reaches. They go through two pinned buffers in pieces: while one travels,
// the host packs or unpacks the other.

namespace kompakt::impl {

/// Two buffers that a field goes through, in the host memory that copies of Exec go to.
struct StagingBuffers {
  /// Large enough that starting a copy does not count, small enough that waiting for the first and the last piece
  /// does not either.
  static constexpr std::size_t max_bytes = std::size_t{4} << 20;

  std::byte* memory = nullptr;
  std::size_t bytes = 0;  ///< of one

  /// \param of  bytes of the field
  static constexpr std::size_t bytes_of_one(std::size_t field, std::size_t most = max_bytes) {
    return align_section(std::min(field, most));
  }

  /// The buffer of the n-th piece.
  std::byte* piece(std::size_t n) const { return memory + n % 2 * bytes; }
};

// Not lambdas, because StridedBox calls them from a function that is compiled for devices too.
template <class Stored, class T>
struct PackValue {
  Stored const* array;
  T* to;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t at) const {
    to[i] = convert_stored<T>(array[at]);
  }
};
template <class Stored, class T>
struct UnpackValue {
  Stored* array;
  T const* from;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t at) const {
    array[at] = convert_stored<Stored>(from[i]);
  }
};

/// A field in host memory, packed and unpacked piece by piece, in its order of values.
/// \tparam T      as which kernels take the values
/// \tparam Array  of the field, const or not
template <class T, class Array>
class HostPieces {
  using Stored = std::remove_const_t<Array>;

 public:
  /// \param array  with these strides
  HostPieces(Array* array, FieldShape const& shape, Strides const& strides,
             std::size_t buffer_bytes)
      : m_array(array),
        m_box(StridedBox::whole(shape, strides)),
        m_dense(std::is_same_v<Stored, T> && is_dense(shape, strides)),
        m_size(shape.size()),
        m_values(buffer_bytes / sizeof(T)) {}

  std::size_t count() const { return (m_size + m_values - 1) / m_values; }
  std::size_t first(std::size_t piece) const { return piece * m_values; }
  std::size_t values(std::size_t piece) const { return std::min(m_values, m_size - first(piece)); }

  void pack(std::size_t piece, T* to) const {
    if (m_dense) {
      std::memcpy(to, m_array + first(piece), values(piece) * sizeof(T));
    } else {
      for_values(piece, PackValue<Stored, T>{m_array, to});
    }
  }
  void unpack(std::size_t piece, T const* from) const {
    if (m_dense) {
      std::memcpy(m_array + first(piece), from, values(piece) * sizeof(T));
    } else {
      for_values(piece, UnpackValue<Stored, T>{m_array, from});
    }
  }

 private:
  template <class Body>
  void for_values(std::size_t piece, Body const& body) const {
    m_box.for_values(static_cast<std::int64_t>(first(piece)), static_cast<int>(values(piece)),
                     body);
  }

  Array* m_array;
  StridedBox m_box;
  bool m_dense;
  std::size_t m_size, m_values;
};

template <class T, class Exec>
using DeviceValues = Kokkos::View<T*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
template <class T, class Exec>
using PinnedValues = Kokkos::View<T*, typename readback_space<Exec>::type, Kokkos::MemoryUnmanaged>;

/// Copies a field in host memory to `to` in memory of Exec, dense in its order. When it returns, the field has
/// been read and copies are under way; waits for the instance once for each piece but the first.
template <class T, class Stored, class Exec>
void stage_in(Exec const& exec, Stored const* from, FieldShape const& shape, Strides const& strides,
              T* to, StagingBuffers const& buffers) {
  HostPieces<T, Stored const> const pieces(from, shape, strides, buffers.bytes);
  for (std::size_t n = 0; n < pieces.count(); ++n) {
    auto* const buffer = reinterpret_cast<T*>(buffers.piece(n));
    pieces.pack(n, buffer);  // the piece before is on its way
    if (n > 0) exec.fence("kompakt::stage_in: buffer");
    std::size_t const values = pieces.values(n);
    Kokkos::deep_copy(exec, DeviceValues<T, Exec>(to + pieces.first(n), values),
                      PinnedValues<T const, Exec>(buffer, values));
  }
}

/// Copies a dense field in memory of Exec to an array of these strides in host memory, to the end; waits for the
/// instance once for each piece.
template <class T, class Stored, class Exec>
void stage_out(Exec const& exec, T const* from, FieldShape const& shape, Strides const& strides,
               Stored* to, StagingBuffers const& buffers) {
  HostPieces<T, Stored> const pieces(to, shape, strides, buffers.bytes);
  auto const fetch = [&](std::size_t n) {
    std::size_t const values = pieces.values(n);
    Kokkos::deep_copy(exec, PinnedValues<T, Exec>(reinterpret_cast<T*>(buffers.piece(n)), values),
                      DeviceValues<T const, Exec>(from + pieces.first(n), values));
  };
  if (pieces.count() > 0) fetch(0);
  for (std::size_t n = 0; n < pieces.count(); ++n) {
    exec.fence("kompakt::stage_out: buffer");
    if (n + 1 < pieces.count()) fetch(n + 1);
    pieces.unpack(n, reinterpret_cast<T const*>(buffers.piece(n)));  // the next one is on its way
  }
}

}  // namespace kompakt::impl

#endif
