#ifndef KOMPAKT_CHECKPOINT_STREAM_BUFFERS_HPP
#define KOMPAKT_CHECKPOINT_STREAM_BUFFERS_HPP

#include <condition_variable>
#include <kompakt/checkpoint.hpp>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace kompakt::impl {

/// Host memory in which streams lie side by side until they are written. It comes in blocks, which are used again.
/// One thread fills it; whoever is done with a stream lets go of it.
class StreamBuffers {
 public:
  /// A stream in a block, which can be used again when all of its streams are gone.
  class Stream;

  explicit StreamBuffers(AllocateHostMemory allocate) : m_allocate(std::move(allocate)) {}

  /// Before the streams of a save.
  /// \param total_bytes    what they can take together, each aligned; one block, if it is not too much
  /// \param largest_bytes  what the largest of them can take
  /// \param limit_bytes    memory to use, unless two of the largest take more
  void plan(std::size_t total_bytes, std::size_t largest_bytes, std::size_t limit_bytes);
  /// Room for the next stream; waits until there is some.
  /// \throws Error device if there is no memory
  std::span<std::byte> room(std::size_t max_bytes);
  /// The first bytes of that room are a stream.
  std::shared_ptr<Stream> keep(std::size_t bytes);

 private:
  struct Block {
    HostMemory memory;
    std::size_t used = 0;
    std::size_t streams = 0;  // that somebody has
  };

  Block* find_free(std::size_t bytes);
  bool may_allocate() const;
  Block& add_block(std::size_t bytes);

  AllocateHostMemory m_allocate;
  std::size_t m_block_bytes = 0, m_limit_bytes = 0;
  std::mutex m_mutex;
  std::condition_variable m_freed;
  std::vector<std::unique_ptr<Block>> m_blocks;
  Block* m_current = nullptr;
};

class StreamBuffers::Stream {
 public:
  Stream(StreamBuffers& buffers, Block& block, std::span<std::byte> bytes)
      : m_buffers(buffers), m_block(block), m_bytes(bytes) {}
  ~Stream();
  Stream(Stream const&) = delete;
  Stream& operator=(Stream const&) = delete;

  std::span<std::byte> bytes() const { return m_bytes; }

 private:
  StreamBuffers& m_buffers;
  Block& m_block;
  std::span<std::byte> m_bytes;
};

}  // namespace kompakt::impl

#endif
