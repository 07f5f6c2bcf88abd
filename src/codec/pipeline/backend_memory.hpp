#ifndef KOMPAKT_PIPELINE_BACKEND_MEMORY_HPP
#define KOMPAKT_PIPELINE_BACKEND_MEMORY_HPP

#include <container/format.hpp>
#include <cstddef>
#include <pipeline/dispatch.hpp>
#include <utility>

// Memory that the bodies of a backend ask for; the generic ones need none.

namespace kompakt::impl {

/// Bytes that a backend keeps between the calls of a workspace, for fields of so many EncodeArgs::max_turns().
inline std::size_t persistent_bytes(generic_tag, std::int64_t) { return 0; }

/// Bytes that a backend takes from a BatchMemory for each call of a batch.
inline std::size_t batch_entry_bytes(generic_tag) { return 0; }
inline std::size_t batch_decode_entry_bytes(generic_tag) { return 0; }

/// Memory for the arguments of launches: pieces of two arrays, one that the host writes and one on the
/// device; and a counter on the device that is 0 between launches.
struct BatchMemory {
  std::byte* staging = nullptr;
  std::byte* device = nullptr;
  std::byte* counter = nullptr;
  std::size_t taken = 0;

  std::pair<std::byte*, std::byte*> take(std::size_t bytes) {
    std::size_t const at = taken;
    taken += align_section(bytes);
    return {staging + at, device + at};
  }
};

}  // namespace kompakt::impl

#endif
