#ifndef KOMPAKT_UNIT_TEST_SUPPORT_PLACED_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_PLACED_HPP

#include <Kokkos_Core.hpp>
#include <kompakt/any_codec.hpp>
#include <span>
#include <support/codec.hpp>
#include <vector>

namespace kompakt::test {

inline constexpr MemoryOf memories[] = {MemoryOf::host, MemoryOf::space};

template <class T>
std::span<std::byte const> bytes_of(std::vector<T> const& values) {
  return std::as_bytes(std::span(values));
}

/// Bytes in either memory.
template <class Exec>
class Placed {
 public:
  Placed(MemoryOf in, std::span<std::byte const> bytes) : m_in(in) {
    m_host.assign(bytes.begin(), bytes.end());
    if (in == MemoryOf::space) m_device = Codec<Exec>().upload(bytes);
  }
  Placed(MemoryOf in, std::size_t bytes) : Placed(in, std::vector<std::byte>(bytes)) {}

  std::byte* data() { return m_in == MemoryOf::space ? m_device.data() : m_host.data(); }
  std::span<std::byte> span() { return {data(), m_host.size()}; }
  std::vector<std::byte> contents() const {
    return m_in == MemoryOf::space ? Codec<Exec>().download(m_device) : m_host;
  }
  std::vector<std::byte> first(std::size_t bytes) const {
    auto all = contents();
    all.resize(bytes);
    return all;
  }

 private:
  MemoryOf m_in;
  std::vector<std::byte> m_host;
  Kokkos::View<std::byte*, typename Exec::memory_space> m_device;
};

}  // namespace kompakt::test

#endif
