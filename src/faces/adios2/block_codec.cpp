#include "block_codec.hpp"
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstring>
#include <functional>
#include <kompakt/compress.hpp>
#include <limits>
#include <memory>
#include <numeric>
#include <plugin/lent_codec.hpp>
#include <vector>

namespace kompakt::adios2 {

namespace {

/// A codec with memory for a stream: where ADIOS2 wants the block there may be no room for the longest one.
class Codec {
 public:
  explicit Codec(Space space) : m_codec(space) {}

  Space space() const noexcept { return m_codec.space(); }
  /// \returns the stream, which lives until the next call
  std::span<std::byte const> compress(ConstFieldData const& field, MemoryOf field_in,
                                      Options const& options) {
    std::size_t const most = max_compressed_bytes(field.shape, options);
    if (m_stream.size() < most) m_stream = Buffer(most);
    StreamInfo const info =
        m_codec.compress(field, field_in, options, m_stream.span(), MemoryOf::host);
    return m_stream.span().first(info.bytes);
  }
  void decompress(std::span<std::byte const> stream, FieldData const& field, MemoryOf field_in) {
    m_codec.decompress(stream, MemoryOf::host, field, field_in);
  }
  /// Copies bytes between host memory and that of the space.
  void copy(std::byte const* from, std::byte* to, std::size_t bytes, bool to_host);

 private:
  /// Bytes that are not set to 0: many of them are never touched.
  class Buffer {
   public:
    Buffer() = default;
    explicit Buffer(std::size_t bytes) : m_bytes(new std::byte[bytes]), m_size(bytes) {}
    std::size_t size() const noexcept { return m_size; }
    std::span<std::byte> span() const noexcept { return {m_bytes.get(), m_size}; }

   private:
    std::unique_ptr<std::byte[]> m_bytes;
    std::size_t m_size = 0;
  };

  AnyCodec m_codec;
  Buffer m_stream;
};
using LentCodec = plugin::LentCodec<Codec>;

/// Extents that the library takes; it merges the slowest itself when there are more than three.
FieldShape shape_of(BlockValues const& values) {
  FieldShape shape;
  shape.dtype = *values.dtype;
  std::size_t const most = is_complex(shape.dtype) ? max_rank - 1 : max_rank;
  std::size_t const surplus = values.count.size() > most ? values.count.size() - most : 0;
  std::span const kept = values.count.subspan(surplus);
  shape.rank = std::max(1, static_cast<int>(kept.size()));
  shape.extents[0] = 1;
  std::copy(kept.begin(), kept.end(), shape.extents.begin());
  for (std::size_t const extent : values.count.first(surplus)) shape.extents[0] *= extent;
  return shape;
}

void Codec::copy(std::byte const* from, std::byte* to, std::size_t bytes, bool to_host) {
  with_space(space(), [&](auto const& exec) {
    using Device = typename std::decay_t<decltype(exec)>::memory_space;
    using Host = Kokkos::HostSpace;
    using Unmanaged = Kokkos::MemoryUnmanaged;
    if (to_host) {
      Kokkos::deep_copy(exec, Kokkos::View<std::byte*, Host, Unmanaged>(to, bytes),
                        Kokkos::View<std::byte const*, Device, Unmanaged>(from, bytes));
    } else {
      Kokkos::deep_copy(exec, Kokkos::View<std::byte*, Device, Unmanaged>(to, bytes),
                        Kokkos::View<std::byte const*, Host, Unmanaged>(from, bytes));
    }
    exec.fence("kompakt::adios2: values that are kept as they are");
  });
}

/// Copies values from or to host memory, which `memory` of the others is.
void copy_values(plugin::Target const& target, MemoryOf memory, std::byte const* from,
                 std::byte* to, std::size_t bytes, bool to_host) {
  if (bytes == 0) return;
  if (memory == MemoryOf::host) {
    std::memcpy(to, from, bytes);
  } else {
    LentCodec(target, bytes)->copy(from, to, bytes, to_host);
  }
}

/// Compresses values behind the header.
/// \returns bytes of the stream; 0 if it is not smaller than they are
std::size_t write_stream(Coding const& coding, plugin::Target const& target,
                         BlockValues const& values, std::byte* out) {
  FieldShape const shape = shape_of(values);
  Options const options = is_integer(shape.dtype) ? lossless_options() : coding.options;
  LentCodec const codec(target, values.bytes());
  auto const stream = codec->compress({values.data, shape}, coding.values_in, options);
  if (stream.size() >= values.bytes()) return 0;
  std::memcpy(out, stream.data(), stream.size());
  return stream.size();
}

void read_stream(FoundBlock const& found, plugin::Target const& target, std::byte* out,
                 MemoryOf out_in) {
  FieldShape const shape = inspect(found.payload).shape;
  if (shape.bytes() != found.block.value_bytes) {
    throw Error(Status::corrupt, "the block is damaged: its header gives " +
                                     std::to_string(found.block.value_bytes) +
                                     " bytes of values, its stream of " +
                                     std::to_string(shape.bytes()));
  }
  LentCodec const codec(target, shape.bytes());
  codec->decompress(found.payload, {out, shape}, out_in);
}

void read_values(FoundBlock const& found, plugin::Target const& target, std::byte* out,
                 MemoryOf out_in) {
  if (found.block.payload_bytes != found.block.value_bytes ||
      found.block.checksum != checksum_of(found.payload)) {
    throw Error(Status::corrupt, "the block is damaged: its values were altered");
  }
  copy_values(target, out_in, found.payload.data(), out, found.payload.size(), false);
}

}  // namespace

std::size_t BlockValues::bytes() const {
  return std::accumulate(count.begin(), count.end(), value_bytes, std::multiplies<>());
}

void require_space(plugin::Target const& target) {
  // A block so large that it is not left to one thread.
  LentCodec const codec(target, std::numeric_limits<std::size_t>::max());
}

std::size_t max_bytes(std::size_t value_bytes) { return header_bytes + value_bytes; }

std::size_t write_block(Coding const& coding, plugin::Target const& target,
                        BlockValues const& values, std::byte* out) {
  std::byte* const payload = out + header_bytes;
  Block block;
  block.value_bytes = values.bytes();
  if (values.dtype && block.value_bytes > 0) {
    block.payload_bytes = write_stream(coding, target, values, payload);
    block.content = Block::Content::stream;
  }
  if (block.payload_bytes == 0) {
    block.content = Block::Content::values;
    block.payload_bytes = block.value_bytes;
    copy_values(target, coding.values_in, values.data, payload, values.bytes(), true);
    block.checksum = checksum_of({payload, values.bytes()});
  }
  write_header(block, out);
  return header_bytes + block.payload_bytes;
}

std::size_t read_block(std::span<std::byte const> bytes, plugin::Target const& target,
                       std::byte* out, MemoryOf out_in) {
  FoundBlock const found = find_block(bytes);
  if (found.block.content == Block::Content::stream) {
    read_stream(found, target, out, out_in);
  } else {
    read_values(found, target, out, out_in);
  }
  return found.block.value_bytes;
}

}  // namespace kompakt::adios2
