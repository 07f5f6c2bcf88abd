#ifndef KOMPAKT_CHECKPOINT_MANIFEST_HPP
#define KOMPAKT_CHECKPOINT_MANIFEST_HPP

#include <cstddef>
#include <cstdint>
#include <kompakt/any_codec.hpp>
#include <kompakt/archive.hpp>
#include <span>
#include <string>
#include <vector>

// The last field of a checkpoint, which makes an archive one: its value is the step, and its attributes say what the
// checkpoint is. docs/format.md, "Checkpoints".

namespace kompakt::impl {

inline constexpr char const* manifest_name = "kompakt.checkpoint";

struct Manifest {
  std::uint64_t step = 0;
  std::string schema;
  std::uint64_t values = 0;  ///< fields of the archive before it, or of those of the ranks
  std::uint64_t ranks = 0;   ///< whose archives hold the values; 0: this one does
  Attributes attributes;     ///< the user's

  /// Those of its field.
  /// \throws Error bad_argument for attributes of the user's that cannot be used
  Attributes to_attributes() const;
  /// The reverse.
  /// \throws Error corrupt, unsupported_version
  static Manifest from_attributes(Attributes const& attributes);

  friend bool operator==(Manifest const&, Manifest const&) = default;
};

/// Of an archive.
/// \throws Error corrupt if it is no checkpoint, or fields are missing; unsupported_version
Manifest manifest_of(std::vector<ArchiveEntry> const& entries);

/// The stream of its field.
std::vector<std::byte> manifest_stream(AnyCodec& codec, Manifest const& manifest);

}  // namespace kompakt::impl

#endif
