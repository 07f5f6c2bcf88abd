#include <core/wide_vectors.hpp>
#include <cstdlib>
#include <kompakt/error.hpp>
#include <string>
#include <string_view>

namespace kompakt::impl {

namespace {

bool is_baseline_wanted() {
  char const* const value = std::getenv("KOMPAKT_VECTORS");
  if (value == nullptr || *value == '\0') return false;
  if (std::string_view(value) == "baseline") return true;
  throw Error(Status::bad_argument, std::string("'KOMPAKT_VECTORS=") + value + "' is no choice",
              "set it to baseline, or unset it");
}

}  // namespace

bool has_wide_vectors() {
  static bool const found = !is_baseline_wanted() && __builtin_cpu_supports("x86-64-v3") != 0;
  return found;
}

}  // namespace kompakt::impl
