#ifndef KOMPAKT_SPACES_HPP
#define KOMPAKT_SPACES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

// The execution spaces that the library is compiled for: the one list of them, and words for those who choose one
// at run time.

namespace kompakt {

/// An execution space that the library may be compiled for.
enum class Space : std::uint8_t {
  serial = 0,  ///< Kokkos::Serial
  openmp = 1,  ///< Kokkos::OpenMP
  cuda = 2,    ///< Kokkos::Cuda
};

namespace impl {

template <class ExecSpace, Space which>
struct CompiledSpace {
  using Exec = ExecSpace;
  static constexpr Space space = which;
};

/// All that Kokkos has of those above, the default first: a device before the host's threads before one of them.
using CompiledSpaces = decltype(std::tuple_cat(
#ifdef KOKKOS_ENABLE_CUDA
    std::tuple<CompiledSpace<Kokkos::Cuda, Space::cuda>>(),
#endif
#ifdef KOKKOS_ENABLE_OPENMP
    std::tuple<CompiledSpace<Kokkos::OpenMP, Space::openmp>>(),
#endif
#ifdef KOKKOS_ENABLE_SERIAL
    std::tuple<CompiledSpace<Kokkos::Serial, Space::serial>>(),
#endif
    std::tuple<>()));

template <class Exec, class... Entries>
constexpr bool has_space(std::tuple<Entries...> const&) {
  return (std::is_same_v<typename Entries::Exec, Exec> || ...);
}
/// Any other would fail only at link time.
template <class Exec>
inline constexpr bool is_supported_space = has_space<Exec>(CompiledSpaces());

template <class Exec, class... Entries>
constexpr Space find_space(std::tuple<Entries...> const&) {
  Space space{};
  ((std::is_same_v<typename Entries::Exec, Exec> ? void(space = Entries::space) : void()), ...);
  return space;
}

/// Calls function(exec) for the space if it is a compiled one; whether it is.
template <class Function, class... Entries>
bool call_with_space(Space space, Function const& function, std::tuple<Entries...> const&) {
  return ((space == Entries::space && (function(typename Entries::Exec()), true)) || ...);
}

/// Throws Error device: the space is not one of this build.
[[noreturn]] void throw_not_compiled(Space space);

}  // namespace impl

/// An execution space of Kokkos that the library is compiled for.
template <class Exec>
concept SupportedSpace = impl::is_supported_space<Exec>;

/// Which one an execution space is.
template <SupportedSpace Exec>
inline constexpr Space space_of = impl::find_space<Exec>(impl::CompiledSpaces());

/// Whether host code can read and write the memory of an execution space.
template <class Exec>
inline constexpr bool is_host_space =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;

/// The spaces of this build, the default first: cuda before openmp before serial. Never empty.
std::span<Space const> compiled_spaces() noexcept;
/// The first of them.
Space default_space() noexcept;

/// Whether host code can read and write the memory of a space.
constexpr bool is_on_host(Space space) { return space != Space::cuda; }

/// "serial", "openmp" or "cuda".
char const* to_string(Space space) noexcept;
/// The reverse.
/// \param word  empty for the default
/// \throws Error bad_argument for a word that is not known, device if this build lacks the space
Space parse_space(std::string_view word);

/// Calls function(exec) with the default instance of a space, which Kokkos must have been initialised for, and
/// returns what it returns.
/// \throws Error device if this build lacks the space; whatever the function throws
template <class Function>
auto with_space(Space space, Function const& function) {
  using First = typename std::tuple_element_t<0, impl::CompiledSpaces>::Exec;
  using Result = std::decay_t<std::invoke_result_t<Function const&, First const&>>;
  if constexpr (std::is_void_v<Result>) {
    if (!impl::call_with_space(space, function, impl::CompiledSpaces())) {
      impl::throw_not_compiled(space);
    }
  } else {
    std::optional<Result> result;
    auto const keep = [&](auto const& exec) { result.emplace(function(exec)); };
    if (!impl::call_with_space(space, keep, impl::CompiledSpaces())) {
      impl::throw_not_compiled(space);
    }
    return Result(std::move(*result));
  }
}

}  // namespace kompakt

#endif
