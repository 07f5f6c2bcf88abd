#ifndef KOMPAKT_FILES_CALENDAR_UNITS_HPP
#define KOMPAKT_FILES_CALENDAR_UNITS_HPP

#include <string>

namespace kompakt::files {

/// Whether units say points in time, not durations: "days since 1990-01-01", "day as %Y%m%d.%f", "YYYYMMDD", "julian day".
/// \param units  in small letters, one blank between two words
bool are_units_of_dates(std::string const& units);

}  // namespace kompakt::files

#endif
