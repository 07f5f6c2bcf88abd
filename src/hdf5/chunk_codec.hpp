#ifndef KOMPAKT_HDF5_CHUNK_CODEC_HPP
#define KOMPAKT_HDF5_CHUNK_CODEC_HPP

#include "words.hpp"
#include <cstddef>
#include <kompakt/any_codec.hpp>
#include <memory>
#include <span>
#include <vector>

namespace kompakt::hdf5 {

/// Compresses chunks and back, on a space, with memory that is kept. One thread at a time.
class ChunkCodec {
 public:
  explicit ChunkCodec(Space space) : m_codec(space) {}

  Space space() const noexcept { return m_codec.space(); }
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
  void decompress(Stored const& chunk, void* values);

 private:
  AnyCodec m_codec;
  std::vector<std::byte> m_stream, m_restored;
};

/// A codec that nobody else has at the moment: several threads may come at once, through several HDF5s.
class LentCodec {
 public:
  /// \param bytes  of the chunk, on which the space depends
  /// \throws Error bad_argument for a variable of the environment that means nothing, device
  explicit LentCodec(std::size_t bytes);
  ~LentCodec();
  LentCodec(LentCodec const&) = delete;
  LentCodec& operator=(LentCodec const&) = delete;

  ChunkCodec* operator->() const noexcept { return m_codec.get(); }

 private:
  std::unique_ptr<ChunkCodec> m_codec;
};

}  // namespace kompakt::hdf5

#endif
