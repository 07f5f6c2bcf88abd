#ifndef KOMPAKT_CLI_CHUNKS_HPP
#define KOMPAKT_CLI_CHUNKS_HPP

#include <cstddef>
#include <files/variable.hpp>
#include <string>
#include <vector>

namespace kompakt::cli {

/// Extents of chunks of the variables of a name, such as "T*=1,64,64" or, of all, "64,64,64".
struct NamedChunk {
  std::string word;  ///< as it was given
  std::string pattern;
  std::vector<std::size_t> extents;  ///< that of the slowest index first
  bool fits = false;                 ///< a variable, so far
};

/// \throws Error bad_argument for words that are none
std::vector<NamedChunk> parse_named_chunks(std::vector<std::string> const& words);

/// Chunks of a variable, that of the slowest index first: the last ones that fit its name and have as many indices, cut
/// off at its extents; else its own, unless they are below 32 KiB or above 16 MiB; else about 1 MiB, of the three fastest
/// indices alike.
/// \throws Error bad_argument for chunks of 4 GiB or more
std::vector<std::size_t> chunk_of(files::Variable const& variable, std::vector<NamedChunk>& chunks);

/// Throws Error bad_argument for chunks that no variable had.
void require_all_fit(std::vector<NamedChunk> const& chunks);

}  // namespace kompakt::cli

#endif
