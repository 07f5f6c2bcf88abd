#ifndef KOMPAKT_PIPELINE_CALL_MEMORY_HPP
#define KOMPAKT_PIPELINE_CALL_MEMORY_HPP

#include <core/carver.hpp>
#include <kompakt/workspace.hpp>

namespace kompakt::impl {

/// The parts of a workspace, cut into what a call takes of them. A call writes down what it takes once, as a function
/// of a CallMemory; without addresses that is the size query.
struct CallMemory {
  Carver scratch, field, persistent, readback;

  WorkspaceSizes sizes() const {
    WorkspaceSizes sizes;
    sizes.scratch = scratch.bytes();
    sizes.field = field.bytes();
    sizes.persistent = persistent.bytes();
    sizes.readback = readback.bytes();
    return sizes;
  }
};

/// What place(CallMemory&) takes of a workspace.
template <class Place>
WorkspaceSizes sizes_of(Place const& place) {
  CallMemory memory;
  place(memory);
  return memory.sizes();
}

/// Calls place() with the memory of a workspace, which it makes large enough.
/// \param sizes  what place() takes, and maybe more
template <class Exec, class Place>
void place_in(Workspace<Exec>& workspace, Exec const& exec, WorkspaceSizes const& sizes,
              Place const& place) {
  workspace.reserve(exec, sizes);
  CallMemory memory{Carver(workspace.device_bytes(sizes.scratch)),
                    Carver(workspace.field_bytes(sizes.field)),
                    Carver(workspace.persistent_bytes(exec, sizes.persistent)),
                    Carver(workspace.readback_bytes(sizes.readback))};
  place(memory);
}
template <class Exec, class Place>
void place_in(Workspace<Exec>& workspace, Exec const& exec, Place const& place) {
  place_in(workspace, exec, sizes_of(place), place);
}

}  // namespace kompakt::impl

#endif
