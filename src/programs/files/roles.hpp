#ifndef KOMPAKT_FILES_ROLES_HPP
#define KOMPAKT_FILES_ROLES_HPP

#include <files/variable.hpp>
#include <vector>

namespace kompakt::files {

/// Marks the variables of a file that say where, when or how other ones are: axes, what the attributes of CF and UGRID name
/// as coordinates, bounds, coefficients, cell measures, grid mappings, flags or meshes, what has units or names of latitude or
/// longitude, or units of dates, what is called as the bounds of another one, and single values. An error in one of them is an error
/// of all data that it belongs to.
/// Source: NetCDF Climate and Forecast (CF) Metadata Conventions 1.11, chapters 3.5, 4 to 7 and appendix A; UGRID 1.0.
/// \param groups  whose attribute "coordinates" names variables, too: xarray writes one for coordinates that no variable names
void mark_supporting(std::vector<Variable>& variables, std::vector<Group> const& groups = {});

}  // namespace kompakt::files

#endif
