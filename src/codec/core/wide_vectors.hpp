#ifndef KOMPAKT_CORE_WIDE_VECTORS_HPP
#define KOMPAKT_CORE_WIDE_VECTORS_HPP

namespace kompakt::impl {

/// Whether this processor runs what is compiled for x86-64-v3, and KOMPAKT_VECTORS is not "baseline". Found once.
/// \throws Error bad_argument for any other word in KOMPAKT_VECTORS
bool has_wide_vectors();

}  // namespace kompakt::impl

#endif
