#ifndef KOMPAKT_IO_READ_ALL_HPP
#define KOMPAKT_IO_READ_ALL_HPP

#include <cstddef>
#include <filesystem>
#include <vector>

namespace kompakt::impl {

/// Reads to the end of a file, pipe or device, but never more than `limit_bytes`.
/// \throws Error io
std::vector<std::byte> read_all(std::filesystem::path const& path, std::size_t limit_bytes);

}  // namespace kompakt::impl

#endif
