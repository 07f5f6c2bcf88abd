#ifndef KOMPAKT_HDF5_CHUNK_CODEC_HPP
#define KOMPAKT_HDF5_CHUNK_CODEC_HPP

#include "cd_values.hpp"
#include <cstddef>
#include <kompakt/any_codec.hpp>
#include <plugin/target.hpp>
#include <span>
#include <vector>

namespace kompakt::hdf5 {

/// Compresses chunks and back, on a space, with memory that is kept. One thread at a time.
class ChunkCodec {
 public:
  explicit ChunkCodec(Space space) : m_codec(space) {}

  /// \param values  of a chunk
  /// \returns what is to be stored, which lives until the next call
  std::span<std::byte const> compress(ChunkCoding const& coding, void const* values);

  /// What is needed to decompress a chunk: its stream, whole again.
  struct Stored {
    std::span<std::byte const> stream;
    FieldShape shape{};  ///< of its field, in C order
  };
  /// \param stored  what compress() returned, or a whole stream
  /// \throws Error corrupt and so on, and type_mismatch if it is no chunk of this coding
  Stored open(ChunkCoding const& coding, std::span<std::byte const> stored);
  void decompress(ChunkCoding const& coding, Stored const& chunk, void* values);

 private:
  AnyCodec m_codec;
  std::vector<std::byte> m_stream, m_restored, m_swapped;
};

/// Where chunks are compressed: KOMPAKT_HDF5_SPACE and KOMPAKT_HDF5_THREADS, as they are at the first call.
/// \throws Error bad_argument for a variable that means nothing, device
plugin::Target const& target();

}  // namespace kompakt::hdf5

#endif
