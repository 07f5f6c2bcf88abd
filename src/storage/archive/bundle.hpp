#ifndef KOMPAKT_ARCHIVE_BUNDLE_HPP
#define KOMPAKT_ARCHIVE_BUNDLE_HPP

#include <archive/blocks.hpp>

// Fields of a few values, such as the scalars of a netCDF file: a stream, its entry and its record in the index would take ten times
// as much as they do. Many of them lie in one block, a bundle, each with its name, its attributes and an abridged stream; an index
// lists the block. docs/format.md, "Bundles".

namespace kompakt::impl {

/// Longer streams are of no small fields.
inline constexpr std::size_t max_small_stream_bytes = 1024;
/// The member of a bundle that keeps a field.
/// \param entry  its name and attributes
/// \returns nothing if the field is not small, or if another stream than this would come back
std::optional<std::vector<std::byte>> bundle_member(ArchiveEntry const& entry,
                                                    std::span<std::byte const> stream);
/// Whether members of so many bytes are enough for a bundle.
constexpr bool is_full_bundle(std::size_t bytes) { return bytes >= 8192; }

std::vector<std::byte> bundle_body(std::uint64_t count, std::span<std::byte const> members);
/// How far behind the start of its block the first member of a bundle lies.
inline constexpr std::size_t bundle_front_bytes = block_header_bytes + 8;

/// The fields of a sound block of this kind, with their streams.
/// \throws Error corrupt, unsupported_version
std::vector<ArchiveEntry> read_bundle(Block const& block, std::span<std::byte const> bytes);

}  // namespace kompakt::impl

#endif
