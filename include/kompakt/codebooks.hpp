#ifndef KOMPAKT_CODEBOOKS_HPP
#define KOMPAKT_CODEBOOKS_HPP

#include <cstddef>
#include <kompakt/stream.hpp>
#include <span>

namespace kompakt {

/// Reads and checks the codebook of a stream in host memory. Safe on untrusted bytes: header, section
/// and codes are checked as decompress() does; the values are not touched.
/// \param stream  exactly one stream
/// \throws Error bad_magic, unsupported_version, corrupt; bad_argument for a stream of another pipeline
CodebookInfo inspect_codebook(std::span<std::byte const> stream);

}  // namespace kompakt

#endif
