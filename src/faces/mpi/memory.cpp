#include "memory.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <kompakt/memory.hpp>
#include <pipeline/strided_copy.hpp>

namespace kompakt::mpi {

namespace {

template <class Memory>
class BytesIn final : public Bytes {
 public:
  std::byte* data() const noexcept override { return m_bytes.data(); }
  std::size_t capacity() const noexcept override { return m_bytes.extent(0); }
  void reserve(std::size_t bytes) override {
    impl::grow_bytes(m_bytes, bytes, "kompakt::mpi::buffer");
  }

 private:
  Kokkos::View<std::byte*, Memory> m_bytes;
};

template <class Byte, class Memory>
using In = Kokkos::View<Byte*, Memory, Kokkos::MemoryUnmanaged>;
template <class Byte>
using OnHost = In<Byte, Kokkos::HostSpace>;

std::unique_ptr<Bytes> make_bytes(Space space, MemoryOf in) {
  return with_space(space, [&]<class Exec>(Exec const&) -> std::unique_ptr<Bytes> {
    if (in == MemoryOf::space) return std::make_unique<BytesIn<typename Exec::memory_space>>();
    return std::make_unique<BytesIn<typename impl::readback_space<Exec>::type>>();
  });
}

/// Calls body(exec, Word{}) with the space whose kernels reach a field, and an integer as large as its values.
template <class Body>
void with_words(Space space, Dtype dtype, MemoryOf in, Body const& body) {
  auto const on = [&](auto const& exec) {
    switch (size_of(dtype)) {
      case 1: body(exec, std::uint8_t{}); break;
      case 2: body(exec, std::uint16_t{}); break;
      case 4: body(exec, std::uint32_t{}); break;
      default: body(exec, std::uint64_t{});
    }
    exec.fence("kompakt::mpi: values");
  };
  if (in == MemoryOf::host) {
    on(Kokkos::DefaultHostExecutionSpace());
  } else {
    with_space(space, on);
  }
}

}  // namespace

std::unique_ptr<Bytes> Pool::take(std::size_t bytes) {
  auto best = m_free.end();
  for (auto it = m_free.begin(); it != m_free.end(); ++it) {
    bool const fits = (*it)->capacity() >= bytes;
    if (fits && (best == m_free.end() || (*it)->capacity() < (*best)->capacity())) best = it;
  }
  if (best == m_free.end()) return enlarged(bytes);
  std::unique_ptr<Bytes> buffer = std::move(*best);
  m_free.erase(best);
  return buffer;
}

std::unique_ptr<Bytes> Pool::enlarged(std::size_t bytes) {
  auto largest = m_free.end();
  for (auto it = m_free.begin(); it != m_free.end(); ++it) {
    bool const small = (*it)->capacity() < bytes;
    if (small && (largest == m_free.end() || (*it)->capacity() > (*largest)->capacity()))
      largest = it;
  }
  if (largest == m_free.end()) {
    m_free.reserve(m_all.size() + 1);
    m_all.reserve(m_all.size() + 1);
    m_free.push_back(make_bytes(m_space, m_in));
    m_all.push_back(m_free.back().get());
    largest = m_free.end() - 1;
  }
  (*largest)->reserve(bytes);
  std::unique_ptr<Bytes> buffer = std::move(*largest);
  m_free.erase(largest);
  return buffer;
}

void Pool::give_back(std::unique_ptr<Bytes> buffer) noexcept {
  m_free.push_back(std::move(buffer));
}

void Pool::ensure(std::size_t count, std::size_t bytes) {
  auto const is_enough = [&](Bytes const* buffer) { return buffer->capacity() >= bytes; };
  auto enough = static_cast<std::size_t>(std::count_if(m_all.begin(), m_all.end(), is_enough));
  for (; enough < count; ++enough) give_back(enlarged(bytes));
}

void pack(Space space, ConstStridedData const& field, MemoryOf field_in, std::byte* to) {
  ConstStridedData const numbers = impl::parts_of(field);
  with_words(space, numbers.shape.dtype, field_in, [&]<class Word>(auto const& exec, Word) {
    impl::copy_strided<impl::CopyTo::dense>(exec, static_cast<Word const*>(numbers.data),
                                            reinterpret_cast<Word*>(to), numbers.shape,
                                            numbers.strides);
  });
}

void unpack(Space space, std::byte const* from, Order order, StridedData const& field,
            MemoryOf field_in) {
  StridedData ordered = field;
  ordered.shape.order = order;
  StridedData const numbers = impl::parts_of(ordered);
  with_words(space, numbers.shape.dtype, field_in, [&]<class Word>(auto const& exec, Word) {
    impl::copy_strided<impl::CopyTo::strided>(exec, reinterpret_cast<Word const*>(from),
                                              static_cast<Word*>(numbers.data), numbers.shape,
                                              numbers.strides);
  });
}

void copy_to_host(Space space, std::span<std::byte const> from, MemoryOf from_in, std::byte* to) {
  if (from_in == MemoryOf::host) {
    std::copy(from.begin(), from.end(), to);
    return;
  }
  with_space(space, [&]<class Exec>(Exec const&) {
    using Memory = typename Exec::memory_space;
    Kokkos::deep_copy(OnHost<std::byte>(to, from.size()),
                      In<std::byte const, Memory>(from.data(), from.size()));
  });
}

void copy_from_host(Space space, std::span<std::byte const> from, std::byte* to) {
  with_space(space, [&]<class Exec>(Exec const&) {
    using Memory = typename Exec::memory_space;
    Kokkos::deep_copy(In<std::byte, Memory>(to, from.size()),
                      OnHost<std::byte const>(from.data(), from.size()));
  });
}

}  // namespace kompakt::mpi
