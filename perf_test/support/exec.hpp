#ifndef KOMPAKT_PERF_SUPPORT_EXEC_HPP
#define KOMPAKT_PERF_SUPPORT_EXEC_HPP

#include <Kokkos_Core.hpp>
#include <kompakt/error.hpp>
#include <string>
#include <type_traits>

namespace kompakt::perf {

/// The word of an execution space on the command line.
template <class Exec>
char const* exec_word() {
#ifdef KOKKOS_ENABLE_CUDA
  if (std::is_same_v<Exec, Kokkos::Cuda>) return "cuda";
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  if (std::is_same_v<Exec, Kokkos::OpenMP>) return "openmp";
#endif
  return "serial";
}

template <class Exec>
inline constexpr bool is_host_exec =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;

/// Calls function(exec) with an instance of the space that `word` names.
/// \throws Error device if this build has no such space
template <class Function>
void with_exec(std::string const& word, Function const& function) {
#ifdef KOKKOS_ENABLE_CUDA
  if (word == "cuda") return function(Kokkos::Cuda());
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  if (word == "openmp") return function(Kokkos::OpenMP());
#endif
#ifdef KOKKOS_ENABLE_SERIAL
  if (word == "serial") return function(Kokkos::Serial());
#endif
  throw Error(Status::device, "--exec: this build has no execution space '" + word + "'");
}

}  // namespace kompakt::perf

#endif
