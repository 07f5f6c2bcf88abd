#ifndef KOMPAKT_UNIT_TEST_SUPPORT_CODEC_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_CODEC_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstring>
#include <kompakt/kompakt.hpp>
#include <span>
#include <support/exact.hpp>
#include <support/fields.hpp>
#include <vector>

namespace kompakt::test {

/// Compresses and decompresses host data on any execution space.
template <class Exec>
class Codec {
 public:
  using Memory = typename Exec::memory_space;

  explicit Codec(Exec const& exec = Exec()) : m_exec(exec), m_workspace(exec) {}

  template <class T>
  std::vector<std::byte> compress(std::vector<T> const& field, FieldShape const& shape,
                                  Options const& options, ChoiceRecord const& reason = {}) {
    auto const device = upload(std::as_bytes(std::span(field)));
    CompressedStream<Memory> stream;
    kompakt::compress(m_exec, ConstFieldData(device.data(), shape), options, m_workspace, stream,
                      reason);
    m_info = stream.info();
    return download(stream.bytes());
  }

  template <class T>
  std::vector<T> decompress(std::vector<std::byte> const& stream, FieldShape const& shape) {
    auto const device = upload(std::as_bytes(std::span(stream)));
    Kokkos::View<std::byte*, Memory> const field("field", shape.size() * sizeof(T));
    kompakt::decompress(m_exec, Kokkos::View<std::byte const*, Memory>(device), m_workspace,
                        FieldData{field.data(), shape});
    std::vector<std::byte> const bytes = download(field);
    std::vector<T> values(shape.size());
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  StreamInfo const& info() const { return m_info; }

  /// Bytes in the memory of Exec, and back.
  Kokkos::View<std::byte*, Memory> upload(std::span<std::byte const> bytes) const {
    Kokkos::View<std::byte*, Memory> const device("bytes", bytes.size());
    Kokkos::deep_copy(device,
                      Kokkos::View<std::byte const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                          bytes.data(), bytes.size()));
    return device;
  }
  std::vector<std::byte> download(Kokkos::View<std::byte*, Memory> const& device) const {
    std::vector<std::byte> bytes(device.extent(0));
    Kokkos::deep_copy(Kokkos::View<std::byte*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                          bytes.data(), bytes.size()),
                      device);
    return bytes;
  }

 private:
  Exec m_exec;
  Workspace<Exec> m_workspace;
  StreamInfo m_info;
};

/// Fails, naming the first value, unless every value keeps the promise under a resolved bound, or a number, which
/// is an absolute one.
template <class T>
void expect_promise(std::vector<T> const& original, std::vector<T> const& reconstructed,
                    ErrorBound const& bound) {
  ASSERT_EQ(original.size(), reconstructed.size());
  for (std::size_t i = 0; i < original.size(); ++i) {
    ASSERT_TRUE(keeps_promise(original[i], reconstructed[i], bound))
        << "value " << i << ": " << original[i] << " became " << reconstructed[i] << ", bound "
        << to_string(bound.mode) << " " << bound.value;
  }
}
template <class T>
void expect_promise(std::vector<T> const& original, std::vector<T> const& reconstructed,
                    double bound) {
  expect_promise(original, reconstructed, ErrorBound::absolute(bound));
}

/// Fails, naming the first byte, unless two streams are the same.
inline void expect_same_bytes(std::vector<std::byte> const& stream,
                              std::vector<std::byte> const& expected, char const* what) {
  auto const [a, b] = std::mismatch(stream.begin(), stream.end(), expected.begin(), expected.end());
  EXPECT_TRUE(stream == expected) << what << ": " << stream.size() << " bytes instead of "
                                  << expected.size() << ", the first that differs is number "
                                  << a - stream.begin();
}

/// Compresses, decompresses, checks every value; returns the stream.
template <class Exec, class T>
std::vector<std::byte> expect_round_trip(Codec<Exec>& codec, std::vector<T> const& field,
                                         FieldShape const& shape, Options const& options) {
  std::vector<std::byte> const stream = codec.compress(field, shape, options);
  EXPECT_LE(stream.size(), max_compressed_bytes(shape, options));
  expect_promise(field, codec.template decompress<T>(stream, shape), codec.info().resolved());
  return stream;
}

/// The i-th place of a byte to alter: behind the first 416, which have checksums of their own.
inline std::size_t altered_place(std::uint64_t i, std::size_t bytes) {
  constexpr std::size_t front = 416;
  return front + hash(i) % (bytes - front);
}
/// A stream with some bits of that byte turned round.
inline std::vector<std::byte> with_altered_byte(std::vector<std::byte> bytes, std::uint64_t i,
                                                std::byte bits) {
  bytes[altered_place(i, bytes.size())] ^= bits;
  return bytes;
}

/// Decompresses a stream a thousand times, each time with another byte altered: it is refused as corrupt, or gives some field.
/// \param options  without checksums
template <class Exec, class T>
void expect_damage_in_bounds(Codec<Exec>& codec, std::vector<T> const& field,
                             FieldShape const& shape, Options const& options) {
  std::vector<std::byte> const good = codec.compress(field, shape, options);
  ASSERT_GT(good.size(), 500u) << "there is little behind the front";
  int refused = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    std::vector<std::byte> bytes = good;
    bytes[altered_place(i, bytes.size())] = static_cast<std::byte>(hash(i + 7));
    try {
      codec.template decompress<T>(bytes, shape);
    } catch (Error const& e) {
      EXPECT_EQ(e.status(), Status::corrupt);
      ++refused;
    }
  }
  EXPECT_GT(refused, 30) << "the bytes that were altered have lost their point";
}

}  // namespace kompakt::test

#endif
