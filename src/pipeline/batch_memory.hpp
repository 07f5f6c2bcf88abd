#ifndef KOMPAKT_PIPELINE_BATCH_MEMORY_HPP
#define KOMPAKT_PIPELINE_BATCH_MEMORY_HPP

#include <container/format.hpp>
#include <cstddef>
#include <utility>

namespace kompakt::impl {

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
