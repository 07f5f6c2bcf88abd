#include "target.hpp"
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <kompakt/error.hpp>
#include <kompakt/kompakt.h>
#include <kompakt/threads.hpp>

namespace kompakt::plugin {

namespace {

// Of less a team of threads gains little where cores are idle. Where another program has one of them, threads wait for each other:
// for chunks of 64 KiB 7 times as long as one thread takes.
constexpr std::size_t small_bytes = 128 << 10;

std::string_view value_of(std::string const& variable) {
  char const* const text = std::getenv(variable.c_str());
  return text == nullptr ? "" : text;
}

Space threads_of_the_host() {
  auto const compiled = compiled_spaces();
  bool const has_openmp =
      std::find(compiled.begin(), compiled.end(), Space::openmp) != compiled.end();
  return has_openmp ? Space::openmp : Space::serial;
}

}  // namespace

int parse_threads(std::string const& name, std::string_view text) {
  int threads = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  if (error == std::errc() && end == text.data() + text.size() && threads > 0) return threads;
  throw Error(Status::bad_argument, name + " is \"" + std::string(text) + "\"",
              "set a number from 1 on, or nothing");
}

Target target_of_environment(std::string const& prefix) {
  Target target;
  std::string const threads = prefix + "_THREADS";
  if (std::string_view const text = value_of(threads); !text.empty()) {
    target.threads = parse_threads(threads, text);
  }
  if (std::string_view const text = value_of(prefix + "_SPACE"); !text.empty()) {
    target.space = parse_space(text);
  }
  return target;
}

void require_kokkos(int threads) {
  if (Kokkos::is_initialized()) return;
  kompakt_settings settings = kompakt_settings_default();
  settings.threads = threads;
  kompakt_status const status = kompakt_initialize(&settings);
  if (status == KOMPAKT_OK || Kokkos::is_initialized()) return;
  throw Error(static_cast<Status>(status), kompakt_last_where(), kompakt_last_problem(),
              kompakt_last_advice());
}

Space space_for(Target const& target, std::size_t bytes) {
  if (lacks_host_threads()) return Space::serial;
  Space const space = target.space ? *target.space : threads_of_the_host();
  return is_on_host(space) && bytes < small_bytes ? Space::serial : space;
}

}  // namespace kompakt::plugin
