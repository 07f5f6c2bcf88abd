#ifndef KOMPAKT_C_START_HPP
#define KOMPAKT_C_START_HPP

namespace kompakt::c {

/// Initialises Kokkos unless that has been done, by whomever.
/// \throws Error device if it fails, or if Kokkos has been finalised
void require_kokkos();

}  // namespace kompakt::c

#endif
