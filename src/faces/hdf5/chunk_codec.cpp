#include "chunk_codec.hpp"
#include <algorithm>
#include <container/abridged.hpp>
#include <kompakt/compress.hpp>

namespace kompakt::hdf5 {

std::span<std::byte const> ChunkCodec::compress(ChunkCoding const& coding, void const* values) {
  m_stream.resize(std::max(m_stream.size(), max_compressed_bytes(coding.shape, coding.options)));
  StreamInfo const info = m_codec.compress(ConstFieldData(values, coding.shape), MemoryOf::host,
                                           coding.options, m_stream, MemoryOf::host);
  std::span const stream = std::span(m_stream).first(info.bytes);
  std::size_t const bytes = impl::abridge(stream, stream.data());
  return bytes == 0 ? stream : stream.first(bytes);
}

ChunkCodec::Stored ChunkCodec::open(ChunkCoding const& coding, std::span<std::byte const> stored) {
  Stored chunk{stored, {}};
  if (impl::is_abridged(stored)) {
    impl::restore(stored, coding.shape, m_restored);
    chunk.stream = m_restored;
  }
  chunk.shape = inspect(chunk.stream).shape;
  chunk.shape.order = Order::last_fastest;
  if (chunk.shape.dtype != coding.shape.dtype || chunk.shape.size() != coding.shape.size()) {
    throw Error(Status::type_mismatch,
                "the filter kompakt: the chunk holds " + std::to_string(chunk.shape.size()) +
                    " values of " + to_string(chunk.shape.dtype) + ", but chunks of the dataset " +
                    std::to_string(coding.shape.size()) + " of " + to_string(coding.shape.dtype));
  }
  return chunk;
}

void ChunkCodec::decompress(Stored const& chunk, void* values) {
  m_codec.decompress(chunk.stream, MemoryOf::host, FieldData{values, chunk.shape}, MemoryOf::host);
}

plugin::Target const& target() {
  static plugin::Target const target = plugin::target_of_environment("KOMPAKT_HDF5");
  return target;
}

}  // namespace kompakt::hdf5
