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

Space space_of_number(char const* function, kompakt_space number) {
  if (number == KOMPAKT_SPACE_DEFAULT) {
    return lacks_host_threads() ? Space::serial : default_space();
  }
  return enumerator<Space>(function, {"space"}, number, "kompakt_space", KOMPAKT_SPACE_SERIAL,
                           KOMPAKT_SPACE_CUDA);
}

AnyCodec codec_on(char const* function, Space space, void* stream) {
  if (stream == nullptr) return AnyCodec(space);
#ifdef KOKKOS_ENABLE_CUDA
  if (space == Space::cuda) return AnyCodec(Kokkos::Cuda(static_cast<cudaStream_t>(stream)));
#endif
  refuse(function, std::string("the space ") + to_string(space) +
                       " takes no stream; pass NULL, or KOMPAKT_SPACE_CUDA");
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
  constexpr char const* function = "kompakt_context_create";
  return call(function, [&] {
    required(function, "context", context);
    Space const where = space_of_number(function, space);
    require_kokkos();
    *context = std::make_unique<kompakt_context>(codec_on(function, where, stream)).release();
  });
}

void kompakt_context_destroy(kompakt_context* context) { delete context; }

kompakt_status kompakt_context_space(kompakt_context const* context, kompakt_space* space) {
  constexpr char const* function = "kompakt_context_space";
  return call(function, [&] {
    auto const& codec = required(function, "context", context).codec;
    required(function, "space", space) = static_cast<kompakt_space>(codec.space());
  });
}

kompakt_status kompakt_context_bytes(kompakt_context const* context, uint64_t* bytes) {
  constexpr char const* function = "kompakt_context_bytes";
  return call(function, [&] {
    auto const& codec = required(function, "context", context).codec;
    required(function, "bytes", bytes) = codec.capacity_bytes();
  });
}

kompakt_status kompakt_context_fence(kompakt_context* context) {
  constexpr char const* function = "kompakt_context_fence";
  return call(function, [&] { required(function, "context", context).codec.fence(); });
}
