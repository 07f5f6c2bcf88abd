#ifndef KOMPAKT_FILES_ZIP_HPP
#define KOMPAKT_FILES_ZIP_HPP

#include "byte_source.hpp"
#include <cstdint>
#include <string>
#include <vector>

namespace kompakt::files {

// Files of zip and zip64, whose members are stored or deflated.
// Source: PKWARE, APPNOTE.TXT - .ZIP File Format Specification 6.3.10, sections 4.3 to 4.5.

/// The first bytes of a file with a member, and of one without any.
inline constexpr std::string_view zip_magic = "PK\3\4", empty_zip_magic = "PK\5\6";

struct ZipMember {
  std::string name;
  std::uint64_t bytes = 0;         ///< when it is restored
  std::uint64_t stored_bytes = 0;  ///< in the file
  std::uint64_t header_offset = 0;
  std::uint32_t crc = 0;
  unsigned method = 0;  ///< 0 stored, 8 deflated
  bool is_encrypted = false;
};

/// The members of a file, in the order of its directory.
/// \throws Error corrupt for a damaged directory; io
std::vector<ZipMember> zip_members(InputFile const& file);

/// Why a member cannot be read; empty if it can.
std::string why_unreadable(ZipMember const& member);

/// The bytes of a member, which are checked.
/// \throws Error corrupt; io
std::unique_ptr<ByteSource> read_member(InputFile const& file, ZipMember const& member);

}  // namespace kompakt::files

#endif
