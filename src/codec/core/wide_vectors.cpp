#include <core/wide_vectors.hpp>
#include <cstdlib>
#include <kompakt/error.hpp>
#include <string>
#include <string_view>

// The section that holds the initializers of the objects for wide vectors (cmake/KompaktWide.cmake). The linker makes these
// names; both are null if there is no such section.
using Initializer = void (*)();
extern "C" {
[[gnu::weak, gnu::visibility("hidden")]] extern Initializer const __start_kompakt_wide_init[];
[[gnu::weak, gnu::visibility("hidden")]] extern Initializer const __stop_kompakt_wide_init[];
}

namespace kompakt::impl {

namespace {

bool is_baseline_wanted() {
  char const* const value = std::getenv("KOMPAKT_VECTORS");
  if (value == nullptr || *value == '\0') return false;
  if (std::string_view(value) == "baseline") return true;
  throw Error(Status::bad_argument, std::string("'KOMPAKT_VECTORS=") + value + "' is no choice",
              "set it to baseline, or unset it");
}

// Not every processor runs the initializers of the objects for wide vectors, so that they cannot run as a program starts.
bool find_and_initialize() {
  if (is_baseline_wanted() || !__builtin_cpu_supports("x86-64-v3")) return false;
  for (Initializer const* each = __start_kompakt_wide_init; each != __stop_kompakt_wide_init;
       ++each) {
    (*each)();
  }
  return true;
}

}  // namespace

bool has_wide_vectors() {
  static bool const found = find_and_initialize();
  return found;
}

}  // namespace kompakt::impl
