#ifndef KOMPAKT_API_CARRIER_HPP
#define KOMPAKT_API_CARRIER_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <kompakt/field.hpp>
#include <kompakt/memory.hpp>
#include <pipeline/staging.hpp>
#include <span>

namespace kompakt::impl {

/// Calls body(W{}) with the unsigned integer that is as large as a value: nothing here looks into one.
template <class Body>
void with_word_of(Dtype dtype, Body const& body) {
  switch (size_of(dtype)) {
    case 1: return body(std::uint8_t{});
    case 2: return body(std::uint16_t{});
    case 4: return body(std::uint32_t{});
    default: return body(std::uint64_t{});
  }
}

/// Copies fields and streams between host memory and that of Exec. Each call is through when it returns.
template <class Exec>
class Carrier {
 public:
  explicit Carrier(Exec const& exec) : m_exec(exec) {}

  /// \param to  the values side by side, in their order
  void field_in(ConstStridedData const& from, std::byte* to) {
    StagingBuffers const buffers = buffers_for(from.shape);
    with_word_of(from.shape.dtype, [&]<class Word>(Word) {
      stage_in(m_exec, static_cast<Word const*>(from.data), from.shape, from.strides,
               reinterpret_cast<Word*>(to), buffers);
    });
    wait();
  }

  void bytes_in(std::span<std::byte const> from, std::byte* to) {
    Kokkos::deep_copy(m_exec, Device(to, from.size()), ConstHost(from.data(), from.size()));
    wait();
  }
  void bytes_out(std::byte const* from, std::span<std::byte> to) {
    Kokkos::deep_copy(m_exec, Host(to.data(), to.size()), ConstDevice(from, to.size()));
    wait();
  }

 private:
  template <class Value, class Memory>
  using Bytes = Kokkos::View<Value*, Memory, Kokkos::MemoryUnmanaged>;
  using Device = Bytes<std::byte, typename Exec::memory_space>;
  using ConstDevice = Bytes<std::byte const, typename Exec::memory_space>;
  using Host = Bytes<std::byte, Kokkos::HostSpace>;
  using ConstHost = Bytes<std::byte const, Kokkos::HostSpace>;

  StagingBuffers buffers_for(FieldShape const& shape) {
    std::size_t const of_one = StagingBuffers::bytes_of_one(shape.bytes());
    grow_bytes(m_pinned, 2 * of_one, "kompakt::codec::pinned");
    return {m_pinned.data(), of_one};
  }
  void wait() const { m_exec.fence("kompakt::Carrier: copied"); }

  Exec m_exec;
  Kokkos::View<std::byte*, typename readback_space<Exec>::type> m_pinned;
};

}  // namespace kompakt::impl

#endif
