#ifndef KOMPAKT_IO_HPP
#define KOMPAKT_IO_HPP

#include <cstddef>
#include <filesystem>
#include <kompakt/box.hpp>
#include <kompakt/error.hpp>
#include <kompakt/field.hpp>
#include <span>
#include <vector>

// Whole files; kompakt/files.hpp has those that are read and written piece by piece. Host only.

namespace kompakt {

/// Reads a whole file.
/// \throws Error io, naming the path and the reason
std::vector<std::byte> read_file(std::filesystem::path const& path);

/// Reads a raw field: the values in memory order, little-endian, no header.
/// \throws Error io if it cannot be read; bad_argument if its size does not fit `shape`
std::vector<std::byte> read_raw_field(std::filesystem::path const& path, FieldShape const& shape);

/// Reads of a stream in a file what decompress() needs for a box: its front, its codebook, and the
/// chunks that the box touches with their entries of the index.
/// \param box  as in decompress()
/// \returns a stream for decompress() of this box or a part of it; its other chunks count as damaged
/// \throws Error io if the file cannot be read in parts; bad_magic, unsupported_version, corrupt;
///         bad_argument for a box that does not lie in the field
std::vector<std::byte> read_region(std::filesystem::path const& path, Box const& box);

/// Whether a file that exists may be replaced.
enum class Overwrite : bool { no = false, yes = true };

/// Writes a file beside `path` and renames it when it is complete and on the disk, so that neither
/// a full disk nor a kill leaves half a file under the real name.
/// \throws Error io if it cannot be written, or if it exists and `overwrite` is `no`; what was
///         there stays as it was
void write_file(std::filesystem::path const& path, std::span<std::byte const> bytes,
                Overwrite overwrite);

}  // namespace kompakt

#endif
