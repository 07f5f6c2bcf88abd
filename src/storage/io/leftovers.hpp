#ifndef KOMPAKT_IO_LEFTOVERS_HPP
#define KOMPAKT_IO_LEFTOVERS_HPP

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace kompakt::impl {

/// What the names of partial files of a target begin with; two numbers with a dash between them follow.
std::string partial_prefix(std::filesystem::path const& target);

/// Removes what killed processes have left of a target: regular files beside it with exactly such a name, with no
/// other name, of the same user, older than a day, and of a process that is no more. Others stay, and so does what
/// cannot be removed.
void remove_leftovers(std::filesystem::path const& target) noexcept;

/// Removes what killed processes have left in a folder, however old it is, of targets whose names nobody else writes.
/// \param is_own  whether a target of this name, without its folder, is one of them
void remove_leftovers(std::filesystem::path const& folder,
                      std::function<bool(std::string_view target)> const& is_own) noexcept;

}  // namespace kompakt::impl

#endif
