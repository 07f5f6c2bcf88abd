#ifndef KOMPAKT_ARCHIVE_NAMES_HPP
#define KOMPAKT_ARCHIVE_NAMES_HPP

#include <kompakt/archive.hpp>
#include <string_view>

namespace kompakt::impl {

/// Whether a field may have this name and these attributes.
/// \throws Error bad_argument
void require_usable(std::string_view name, Attributes const& attributes);

}  // namespace kompakt::impl

#endif
