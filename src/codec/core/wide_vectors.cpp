#include <algorithm>
#include <core/wide_vectors.hpp>
#include <cstdlib>
#include <kompakt/error.hpp>
#include <string>
#include <string_view>

// The sections that hold the initializers of the objects for wide vectors (cmake/KompaktWide.cmake). The linker makes these
// names; those of a section that is not there are null.
using Initializer = void (*)();
extern "C" {
[[gnu::weak, gnu::visibility("hidden")]] extern Initializer const __start_kompakt_wide_init[];
[[gnu::weak, gnu::visibility("hidden")]] extern Initializer const __stop_kompakt_wide_init[];
[[gnu::weak, gnu::visibility("hidden")]] extern Initializer const __start_kompakt_widest_init[];
[[gnu::weak, gnu::visibility("hidden")]] extern Initializer const __stop_kompakt_widest_init[];
}

namespace kompakt::impl {

namespace {

HostVectors highest_wanted() {
  char const* const value = std::getenv("KOMPAKT_VECTORS");
  std::string_view const word = value == nullptr ? "" : value;
  if (word == "baseline") return HostVectors::baseline;
  if (word == "x86-64-v3") return HostVectors::x86_64_v3;
  if (word.empty() || word == "x86-64-v4") return HostVectors::x86_64_v4;
  throw Error(Status::bad_argument, "'KOMPAKT_VECTORS=" + std::string(word) + "' is no choice",
              "set it to baseline, x86-64-v3 or x86-64-v4, or unset it");
}

HostVectors highest_of_processor() {
  if (__builtin_cpu_supports("x86-64-v4")) return HostVectors::x86_64_v4;
  if (__builtin_cpu_supports("x86-64-v3")) return HostVectors::x86_64_v3;
  return HostVectors::baseline;
}

void initialize(Initializer const* begin, Initializer const* end) {
  for (Initializer const* each = begin; each != end; ++each) (*each)();
}

// Not every processor runs the initializers of the objects for wide vectors, so that they cannot run as a program starts.
HostVectors find_and_initialize() {
  HostVectors const found = std::min(highest_wanted(), highest_of_processor());
  if (found >= HostVectors::x86_64_v3) {
    initialize(__start_kompakt_wide_init, __stop_kompakt_wide_init);
  }
  if (found >= HostVectors::x86_64_v4) {
    initialize(__start_kompakt_widest_init, __stop_kompakt_widest_init);
  }
  return found;
}

}  // namespace

bool has_vectors(HostVectors level) {
  static HostVectors const found = find_and_initialize();
  return found >= level;
}

}  // namespace kompakt::impl
