#ifndef KOMPAKT_MPI_MEMORY_HPP
#define KOMPAKT_MPI_MEMORY_HPP

#include <cstddef>
#include <kompakt/any_codec.hpp>
#include <kompakt/field.hpp>
#include <kompakt/spaces.hpp>
#include <memory>
#include <span>
#include <utility>
#include <vector>

// Memory that messages go through, of spaces that are known at run time alone.

namespace kompakt::mpi {

/// Bytes that only grow.
class Bytes {
 public:
  virtual ~Bytes() = default;
  virtual std::byte* data() const noexcept = 0;
  virtual std::size_t capacity() const noexcept = 0;
  /// Old contents are lost.
  /// \throws Error device if there is no memory
  virtual void reserve(std::size_t bytes) = 0;
};

/// Buffers that are used again and again, so that a second message like the first one allocates nothing.
class Pool {
 public:
  /// \param in  host: memory that copies of the space go to, pinned for CUDA
  Pool(Space space, MemoryOf in) : m_space(space), m_in(in) {}

  /// A buffer that is free, of at least so many bytes.
  std::unique_ptr<Bytes> take(std::size_t bytes);
  void give_back(std::unique_ptr<Bytes> buffer) noexcept;
  /// Has so many buffers of at least so many bytes, those that are taken included: as many as can be in use at a time,
  /// so that it does not depend on how fast messages come whether a call allocates.
  void ensure(std::size_t count, std::size_t bytes);

 private:
  /// A free one of less than so many bytes, the largest, or a new one, made as large.
  std::unique_ptr<Bytes> enlarged(std::size_t bytes);

  Space m_space;
  MemoryOf m_in;
  std::vector<Bytes const*> m_all;
  std::vector<std::unique_ptr<Bytes>> m_free;  ///< with room for all
};

/// A buffer of a pool for as long as this lives.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Pool& pool, std::size_t bytes) : m_pool(&pool), m_bytes(pool.take(bytes)) {}
  ~Buffer() { release(); }
  Buffer(Buffer&& other) noexcept : m_pool(other.m_pool), m_bytes(std::move(other.m_bytes)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    if (this == &other) return *this;
    release();
    m_pool = other.m_pool;
    m_bytes = std::move(other.m_bytes);
    return *this;
  }
  std::byte* data() const { return m_bytes ? m_bytes->data() : nullptr; }

 private:
  void release() {
    if (m_bytes) m_pool->give_back(std::move(m_bytes));
  }

  Pool* m_pool = nullptr;
  std::unique_ptr<Bytes> m_bytes;
};

/// Copies the values of a field side by side, in its order. Through when it returns.
/// \param field_in  host, or memory of the space
/// \param to        which kernels of the space, or the host where the field is, reach
void pack(Space space, ConstStridedData const& field, MemoryOf field_in, std::byte* to);
/// The reverse.
/// \param order  of the values
void unpack(Space space, std::byte const* from, Order order, StridedData const& field,
            MemoryOf field_in);

/// Copies bytes that lie in host memory or in that of the space. Through when it returns.
void copy_to_host(Space space, std::span<std::byte const> from, MemoryOf from_in, std::byte* to);

/// The reverse, into memory of the space.
void copy_from_host(Space space, std::span<std::byte const> from, std::byte* to);

}  // namespace kompakt::mpi

#endif
