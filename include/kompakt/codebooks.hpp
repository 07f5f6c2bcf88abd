#ifndef KOMPAKT_CODEBOOKS_HPP
#define KOMPAKT_CODEBOOKS_HPP

#include <array>
#include <cstddef>
#include <span>

namespace kompakt {

/// Which codebook a stream of the pipeline huffman has.
struct CodebookInfo {
  int radius = 0;      ///< 0: there is none, as the field has no values
  int dictionary = 0;  ///< id of the dictionary, 0 for a codebook that was made for the field
  bool symbols_only = false;   ///< each value has a code, masks and quads have none
  std::array<int, 3> books{};  ///< of a dictionary: numbers of the books of symbols, masks, quads;
                               ///< of symbols only: the last two are 0
  std::size_t bytes = 0;       ///< of its section

  friend bool operator==(CodebookInfo const&, CodebookInfo const&) = default;
};

/// Reads and checks the codebook of a stream in host memory. Safe on untrusted bytes: header, section
/// and codes are checked as decompress() does; the values are not touched.
/// \param stream  exactly one stream
/// \throws Error bad_magic, unsupported_version, corrupt; bad_argument for a stream of another pipeline
CodebookInfo inspect_codebook(std::span<std::byte const> stream);

}  // namespace kompakt

#endif
