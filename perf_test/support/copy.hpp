#ifndef KOMPAKT_PERF_SUPPORT_COPY_HPP
#define KOMPAKT_PERF_SUPPORT_COPY_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace kompakt::perf {

/// What a device loads and stores in one instruction of a thread.
struct alignas(16) Pack {
  std::uint32_t words[4];
};

/// One thread copies one pack: 16 bytes read, 16 written. On a host a thread's range becomes a loop
/// of vector moves.
struct CopyPacks {
  Pack const* from;
  Pack* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = from[i]; }
};

/// Copies `bytes` rounded down to whole packs; both places aligned to 16 bytes. Asynchronous.
template <class Exec>
void copy_packs(Exec const& exec, void const* from, void* to, std::size_t bytes) {
  Kokkos::parallel_for("kompakt::perf::copy",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                           exec, 0, static_cast<std::int64_t>(bytes / sizeof(Pack))),
                       CopyPacks{static_cast<Pack const*>(from), static_cast<Pack*>(to)});
}

/// Bytes that copy_packs() copies.
inline std::size_t copied_bytes(std::size_t bytes) { return bytes / sizeof(Pack) * sizeof(Pack); }

}  // namespace kompakt::perf

#endif
