#include "context.hpp"
#include "arguments.hpp"
#include "start.hpp"
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <kompakt/spaces.hpp>
#include <kompakt/threads.hpp>
#include <memory>

using namespace kompakt;
using namespace kompakt::c;

namespace {

Space space_of_number(kompakt_space number) {
  if (number == KOMPAKT_SPACE_DEFAULT) {
    return lacks_host_threads() ? Space::serial : default_space();
  }
  return enumerator<Space>({"space"}, number, "kompakt_space", KOMPAKT_SPACE_SERIAL,
                           KOMPAKT_SPACE_CUDA);
}

AnyCodec codec_on(Space space, void* stream) {
  if (stream == nullptr) return AnyCodec(space);
#ifdef KOKKOS_ENABLE_CUDA
  if (space == Space::cuda) return AnyCodec(Kokkos::Cuda(static_cast<cudaStream_t>(stream)));
#endif
  refuse(std::string("the space ") + to_string(space) + " takes no stream",
         "pass NULL, or KOMPAKT_SPACE_CUDA");
}

}  // namespace

int32_t kompakt_has_space(kompakt_space space) {
  auto const all = compiled_spaces();
  return std::any_of(all.begin(), all.end(),
                     [&](Space s) { return static_cast<kompakt_space>(s) == space; })
             ? 1
             : 0;
}

kompakt_status kompakt_context_create(kompakt_space space, void* stream,
                                      kompakt_context** context) {
  return call("kompakt_context_create", [&] {
    required("context", context);
    Space const where = space_of_number(space);
    require_kokkos();
    *context = std::make_unique<kompakt_context>(codec_on(where, stream)).release();
  });
}

void kompakt_context_destroy(kompakt_context* context) { delete context; }

kompakt_status kompakt_context_space(kompakt_context const* context, kompakt_space* space) {
  return call("kompakt_context_space", [&] {
    auto const& codec = required("context", context).codec;
    required("space", space) = static_cast<kompakt_space>(codec.space());
  });
}

kompakt_status kompakt_context_bytes(kompakt_context const* context, uint64_t* bytes) {
  return call("kompakt_context_bytes", [&] {
    auto const& codec = required("context", context).codec;
    required("bytes", bytes) = codec.capacity_bytes();
  });
}

kompakt_status kompakt_context_fence(kompakt_context* context) {
  return call("kompakt_context_fence", [&] { required("context", context).codec.fence(); });
}
