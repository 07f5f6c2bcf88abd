#ifndef KOMPAKT_UNIT_TEST_SUPPORT_STORED_CODEBOOK_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_STORED_CODEBOOK_HPP

#include <container/reader.hpp>
#include <cstddef>
#include <vector>

namespace kompakt::test {

/// Whether the section says that it is of symbols only: by a flag, or by the numbers of books that there are not.
inline bool stored_symbols_only(std::vector<std::byte> const& stream) {
  auto const header = impl::read_header(stream, stream.size());
  std::byte const* const section = stream.data() + header.sections[impl::SectionId::coder].offset;
  bool const of_dictionary = section[0] == std::byte{2};
  return of_dictionary ? section[5] == std::byte{255} : section[6] == std::byte{1};
}

}  // namespace kompakt::test

#endif
