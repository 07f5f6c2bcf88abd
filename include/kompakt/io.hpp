#ifndef KOMPAKT_IO_HPP
#define KOMPAKT_IO_HPP

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <kompakt/error.hpp>
#include <kompakt/field.hpp>
#include <span>
#include <vector>

namespace kompakt {

/// Reads a whole file.
/// \throws Error io, naming the path and the reason
std::vector<std::byte> read_file(std::filesystem::path const& path);

/// Reads a raw field: the values in memory order, little-endian, no header.
/// \throws Error io if it cannot be read; bad_argument if its size is not that of `shape`
std::vector<std::byte> read_raw_field(std::filesystem::path const& path, FieldShape const& shape);

enum class Overwrite : bool { no = false, yes = true };

/// Writes a file beside `path` and renames it when it is complete and on the disk, so that neither
/// a full disk nor a kill leaves half a file under the real name.
/// \throws Error io if it cannot be written, or if it exists and `overwrite` is `no`; what was
///         there stays as it was
void write_file(std::filesystem::path const& path, std::span<std::byte const> bytes,
                Overwrite overwrite);

namespace impl {

// For a program that shows progress and cleans up when it is interrupted, as the command line does.

/// Removes the file that write_file() is writing at this moment, if any. Safe in a signal handler.
void remove_partial_file() noexcept;
/// Bytes that the functions above have moved since the program started.
std::uint64_t transferred_bytes() noexcept;

}  // namespace impl

}  // namespace kompakt

#endif
