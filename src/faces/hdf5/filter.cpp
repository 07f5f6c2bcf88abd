#include "abi.hpp"
#include "chunk_codec.hpp"
#include "dataset.hpp"
#include "errors.hpp"
#include <cstdlib>
#include <cstring>
#include <memory>
#include <plugin/lent_codec.hpp>

// The three functions that HDF5 calls. Each finds out first which HDF5 that is: there may be several in a process.

namespace kompakt::hdf5 {

namespace {

using LentCodec = plugin::LentCodec<ChunkCodec>;

// Of an HDF5 that shows nothing, buffers are malloc's, as they are in all but those built to check its own memory.
void* allocate(Functions const* hdf5, std::size_t bytes) {
  void* const memory = hdf5 != nullptr ? hdf5->H5allocate_memory(bytes, false) : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void release(Functions const* hdf5, void* memory) {
  if (hdf5 == nullptr) return std::free(memory);
  hdf5->H5free_memory(memory);
}

/// HDF5's buffer, of which it says how long it is and how much of it counts.
struct Buffer {
  Functions const* hdf5;
  std::size_t used;
  std::size_t* bytes;
  void** memory;

  std::span<std::byte const> contents() const {
    return {static_cast<std::byte const*>(*memory), used};
  }
  /// Another one in its place.
  void replace(void* other, std::size_t other_bytes) const {
    release(hdf5, *memory);
    *memory = other;
    *bytes = other_bytes;
  }
};

std::size_t write_chunk(ChunkCoding const& coding, Buffer const& buffer) {
  if (buffer.used != coding.shape.bytes()) {
    refuse("a chunk of " + std::to_string(buffer.used) +
               " bytes is to be compressed, but its extents make " +
               std::to_string(coding.shape.bytes()),
           "put no filter before this one");
  }
  LentCodec const codec(target(), buffer.used);
  std::span const stored = codec->compress(coding, *buffer.memory);
  if (stored.size() > *buffer.bytes)
    buffer.replace(allocate(buffer.hdf5, stored.size()), stored.size());
  std::memcpy(*buffer.memory, stored.data(), stored.size());
  return stored.size();
}

std::size_t read_chunk(ChunkCoding const& coding, Buffer const& buffer) {
  std::size_t const bytes = coding.shape.bytes();
  LentCodec const codec(target(), bytes);
  ChunkCodec::Stored const chunk = codec->open(coding, buffer.contents());
  auto const free_it = [&](void* memory) { release(buffer.hdf5, memory); };
  std::unique_ptr<void, decltype(free_it)> values(allocate(buffer.hdf5, bytes), free_it);
  codec->decompress(coding, chunk, values.get());
  buffer.replace(values.release(), bytes);
  return bytes;
}

/// Refuses what cannot be done, before a dataset is created. An HDF5 that shows nothing cannot be asked: the words that
/// the user gives must be complete then.
Result can_apply(Id dcpl, Id type, Id) {
  Functions const* const hdf5 = functions_of(__builtin_return_address(0));
  if (hdf5 == nullptr) return 1;
  return guarded(hdf5, "can_apply", failed, [&] {
    filter_of(*hdf5, dcpl, type);
    return 1;
  });
}

/// Completes the words of a dataset.
Result set_local(Id dcpl, Id type, Id) {
  Functions const* const hdf5 = functions_of(__builtin_return_address(0));
  if (hdf5 == nullptr) return 0;
  return guarded(hdf5, "set_local", failed, [&] {
    DatasetFilter const filter = filter_of_new(*hdf5, dcpl, type);
    // What keeps the filter from working is told now: of an optional one HDF5 would just store the values.
    LentCodec const codec(target(), coding_of(filter.words).shape.bytes());
    return hdf5->H5Pmodify_filter(dcpl, KOMPAKT_H5Z_FILTER_ID, filter.flags,
                                  stored_count(filter.words), filter.words.data());
  });
}

/// Compresses a chunk, or decompresses one.
/// \returns bytes of the buffer that count; 0 for an error, which leaves the buffer as it was
std::size_t filter(unsigned flags, std::size_t count, unsigned const* words, std::size_t bytes,
                   std::size_t* buffer_bytes, void** buffer) {
  Functions const* const hdf5 = functions_of(__builtin_return_address(0));
  return guarded(hdf5, "filter", std::size_t{0}, [&] {
    ChunkCoding const coding = coding_of(words_of({words, count}));
    Buffer const chunk{hdf5, bytes, buffer_bytes, buffer};
    return (flags & reverse_flag) != 0 ? read_chunk(coding, chunk) : write_chunk(coding, chunk);
  });
}

}  // namespace

FilterClass const filter_class{1,     KOMPAKT_H5Z_FILTER_ID, 1, 1, "kompakt", can_apply, set_local,
                               filter};

}  // namespace kompakt::hdf5
