#ifndef KOMPAKT_PIPELINE_DISPATCH_HPP
#define KOMPAKT_PIPELINE_DISPATCH_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <type_traits>

namespace kompakt::impl {

// An operation is a set of overloads on a tag. A backend that has no overload of its own falls back
// to the generic body by the conversion to the base; encode(generic_tag{}, exec, …) forces that
// body on any execution space.
struct generic_tag {};
struct openmp_tag : generic_tag {};
struct cuda_tag : generic_tag {};
/// Generic kernels on CUDA, with a coder's own form for their teams.
struct cuda_team_tag : generic_tag {};

/// The bodies of a tag, compiled for wider vectors than the rest of a host's library (cmake/KompaktWide.cmake): for x86-64-v3,
/// and those that gain from it for x86-64-v4.
template <class Tag>
struct wide_tag : Tag {};
template <class Tag>
struct widest_tag : Tag {};
template <class Tag>
struct narrow {  // the tag of the bodies themselves
  using type = Tag;
};
template <class Tag>
struct narrow<wide_tag<Tag>> : narrow<Tag> {};
template <class Tag>
struct narrow<widest_tag<Tag>> : narrow<Tag> {};

template <class Exec>
struct backend {
  using tag = generic_tag;
};
#ifdef KOKKOS_ENABLE_OPENMP
template <>
struct backend<Kokkos::OpenMP> {
  using tag = openmp_tag;
};
#endif
#ifdef KOKKOS_ENABLE_CUDA
template <>
struct backend<Kokkos::Cuda> {
  using tag = cuda_tag;
};
#endif

template <class Exec>
using backend_tag_t = typename backend<Exec>::tag;

/// Whether a backend's bodies decode a stream whose header the host has not seen.
template <class Tag>
inline constexpr bool decodes_speculatively = false;
template <>
inline constexpr bool decodes_speculatively<cuda_tag> = true;

/// Whether a backend's bodies share launches between the calls of a batch.
template <class Tag>
inline constexpr bool shares_launches = false;
template <>
inline constexpr bool shares_launches<cuda_tag> = true;

namespace detail {

/// The tag of the bodies that run on CUDA.
template <class CoderSeat, class PredictorSeat>
constexpr auto cuda_body_tag() {
  if constexpr (CoderSeat::has_warp_form && PredictorSeat::has_warp_form) {
    return cuda_tag{};
  } else if constexpr (requires { requires CoderSeat::has_team_form; }) {
    return cuda_team_tag{};
  } else {
    return generic_tag{};
  }
}

}  // namespace detail

/// The tag of the bodies that run a coder and a predictor, given by their seats: those of CUDA need both in the form of
/// a warp.
template <class Tag, class CoderSeat, class PredictorSeat>
using body_tag_t = typename std::conditional_t<
    std::is_same_v<Tag, cuda_tag>,
    std::type_identity<decltype(detail::cuda_body_tag<CoderSeat, PredictorSeat>())>,
    std::type_identity<Tag>>::type;

/// Threads of the generic kernels' teams: a warp on a device, one thread on a host.
template <class Exec>
inline constexpr int generic_team_size =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible ? 1 : 32;

/// Level that scratch memory is asked for at; teams take it from level 0. A host has both levels in one piece, and Kokkos 5
/// gives no more than 32 KiB there at level 0, less than tiles of double take.
template <class Exec>
inline constexpr int scratch_level = generic_team_size<Exec> == 1 ? 1 : 0;

/// A team policy of `league` teams with `scratch_bytes` of scratch each.
template <class Exec>
auto generic_policy(Exec const& exec, std::int64_t league, std::size_t scratch_bytes) {
  return Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(league), generic_team_size<Exec>)
      .set_scratch_size(scratch_level<Exec>, Kokkos::PerTeam(static_cast<int>(scratch_bytes)));
}

/// Teams of so many threads on a device.
/// \tparam blocks  of them that a multiprocessor must have registers for. Kokkos refuses a launch whose shared memory leaves room for
///                 fewer blocks than its bounds ask for, so these name a block of all their threads
template <int threads, int blocks = 1, class Exec>
auto sized_team_policy(Exec const& exec, int league, std::size_t scratch_bytes) {
  return Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<threads * blocks, 1>>(
             exec, league, generic_team_size<Exec> == 1 ? 1 : threads)
      .set_scratch_size(scratch_level<Exec>, Kokkos::PerTeam(static_cast<int>(scratch_bytes) + 8));
}
/// Few teams, with scratch; large ones on a device (of 1024 threads half wait for little work), whose
/// registers the compiler keeps to what so many threads have.
template <class Exec>
auto large_team_policy(Exec const& exec, int league, std::size_t scratch_bytes) {
  return sized_team_policy<512>(exec, league, scratch_bytes);
}

/// body(0) by one thread of the execution space.
template <class Exec, class Body>
void run_single(Exec const& exec, char const* label, Body const& body) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, 1), body);
}

/// The team's scratch as an object of type Buffer; contents undefined.
/// \param bytes  of the object that the team has, the first ones
template <class Buffer, class Team>
KOKKOS_FORCEINLINE_FUNCTION Buffer& team_buffer(Team const& team,
                                                std::size_t bytes = sizeof(Buffer)) {
  return *static_cast<Buffer*>(
      team.team_scratch(0).get_shmem_aligned(static_cast<std::ptrdiff_t>(bytes), 64));
}
inline constexpr std::size_t team_buffer_margin = 64;  ///< what its place may take beside its bytes
template <class Buffer>
inline constexpr std::size_t team_buffer_bytes = sizeof(Buffer) + team_buffer_margin;

}  // namespace kompakt::impl

#endif
