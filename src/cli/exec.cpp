#include "exec.hpp"
#include <kompakt/error.hpp>

namespace kompakt::cli {

namespace {

// Spaces of this build, the preferred first.
constexpr ExecSpace exec_spaces[] = {
#ifdef KOKKOS_ENABLE_CUDA
    ExecSpace::cuda,
#endif
#ifdef KOKKOS_ENABLE_OPENMP
    ExecSpace::openmp,
#endif
#ifdef KOKKOS_ENABLE_SERIAL
    ExecSpace::serial,
#endif
};

Kokkos::InitializationSettings settings_of(ExecChoice const& choice) {
  Kokkos::InitializationSettings settings;
  // Advice on OMP_PROC_BIND is noise to somebody who compresses a file.
  settings.set_disable_warnings(true);
  if (choice.threads > 0) settings.set_num_threads(choice.threads);
  return settings;
}

}  // namespace

char const* to_string(ExecSpace space) {
  switch (space) {
    case ExecSpace::serial: return "serial";
    case ExecSpace::openmp: return "openmp";
    case ExecSpace::cuda: return "cuda";
  }
  return "unknown";
}

std::string known_exec_spaces() {
  std::string words;
  for (ExecSpace const space : exec_spaces) {
    words += (words.empty() ? "" : ", ") + std::string(to_string(space));
  }
  return words;
}

ExecSpace parse_exec_space(std::string_view word) {
  if (word.empty()) return exec_spaces[0];
  for (ExecSpace const space : exec_spaces) {
    if (word == to_string(space)) return space;
  }
  bool const other_build = word == "serial" || word == "openmp" || word == "cuda";
  throw Error(other_build ? Status::device : Status::bad_argument,
              "--exec: '" + std::string(word) + "' is not " +
                  (other_build ? "part of this build" : "an execution space") + "; choose from " +
                  known_exec_spaces());
}

KokkosSession::KokkosSession(ExecChoice const& choice) : m_guard(settings_of(choice)) {}

}  // namespace kompakt::cli
