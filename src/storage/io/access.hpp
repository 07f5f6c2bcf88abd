#ifndef KOMPAKT_IO_ACCESS_HPP
#define KOMPAKT_IO_ACCESS_HPP

#include <filesystem>
#include <io/descriptor.hpp>

namespace kompakt::impl {

/// Gives a new file the owner, group, mode and access list of the one that it takes the place of, as far as the process may.
/// What it may not give makes the new file less readable than the old one, never more. Nothing happens where there is
/// no file.
void keep_access(Descriptor const& file, std::filesystem::path const& replaced);

}  // namespace kompakt::impl

#endif
