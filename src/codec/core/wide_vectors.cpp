#include <core/wide_vectors.hpp>
#include <cstdlib>
#include <kompakt/error.hpp>
#include <string>
#include <string_view>

namespace kompakt::impl {

namespace {

bool processor_has_them() {
#if defined(__x86_64__)
  // AVX2 came with the rest of x86-64-v3, but may be switched off without it.
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

bool is_baseline_wanted() {
  char const* const value = std::getenv("KOMPAKT_VECTORS");
  if (value == nullptr || *value == '\0') return false;
  if (std::string_view(value) == "baseline") return true;
  throw Error(Status::bad_argument, std::string("'KOMPAKT_VECTORS=") + value + "' is no choice",
              "set it to baseline, or unset it");
}

}  // namespace

bool has_wide_vectors() {
  static bool const found = !is_baseline_wanted() && processor_has_them();
  return found;
}

}  // namespace kompakt::impl
