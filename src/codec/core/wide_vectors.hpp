#ifndef KOMPAKT_CORE_WIDE_VECTORS_HPP
#define KOMPAKT_CORE_WIDE_VECTORS_HPP

namespace kompakt::impl {

/// Levels of x86-64 that kernels of hosts are compiled for beside the baseline.
enum class HostVectors { baseline, x86_64_v3, x86_64_v4 };

/// Whether this processor runs what is compiled for a level, and KOMPAKT_VECTORS names no lower one. Found once.
/// \throws Error bad_argument if KOMPAKT_VECTORS is no level
bool has_vectors(HostVectors level);

}  // namespace kompakt::impl

#endif
