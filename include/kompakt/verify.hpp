#ifndef KOMPAKT_VERIFY_HPP
#define KOMPAKT_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <kompakt/archive.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

// Whether files are what they were when they were written, by all of their checksums and without decompressing.
// Host only; Kokkos need not be initialised.

namespace kompakt {

/// Something that is wrong with a stream.
struct Damage {
  std::uint64_t frame = 0;             ///< from 1 on; 0: of the stream as a whole
  std::optional<std::uint64_t> chunk;  ///< from 0 on; none: of what is in front of the chunks
  std::string what;

  /// In a line: "frame 2, chunk 17: its checksum does not match".
  std::string text() const;
};

/// Result of the checksums of a stream.
struct VerifiedStream {
  static constexpr std::size_t max_damages = 100;

  std::string name;          ///< of the field of an archive, else empty
  std::uint64_t bytes = 0;   ///< of the stream
  std::uint64_t frames = 0;  ///< with a header that is sound
  std::uint64_t chunks = 0;  ///< of these
  bool has_checksums =
      true;  ///< of all their chunks; without, only lengths and places can be checked
  std::uint64_t damage_count = 0;
  std::vector<Damage> damages;  ///< in the order of the file; of more than max_damages some

  bool is_intact() const { return damage_count == 0; }
};

/// Checks header, sections, chunk index and chunks of a file of one stream or several frames, or of all fields of
/// an archive, and of these the checksum of the whole stream. Reads all of a file, of an archive twice, part by part
/// in memory that does not depend on its size.
/// \param threads  that read and check side by side; 0: as many as there are cores
/// \returns one element, or one for each field
/// \throws Error io if the file cannot be read out of order; bad_magic if it is neither; as ArchiveReader for an
///         archive without its index
std::vector<VerifiedStream> verify_file(std::filesystem::path const& path, int threads = 0);

/// Checks some fields of an archive as verify_file() does all of them.
std::vector<VerifiedStream> verify_fields(std::filesystem::path const& path,
                                          std::span<ArchiveEntry const> fields, int threads = 0);
/// verify_fields() of the archive that was opened, even if another file has its name by now.
std::vector<VerifiedStream> verify_fields(InputFile const& file,
                                          std::span<ArchiveEntry const> fields, int threads = 0);

}  // namespace kompakt

#endif
