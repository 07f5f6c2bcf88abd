#ifndef KOMPAKT_CODER_HUFFMAN_DICTIONARY_HPP
#define KOMPAKT_CODER_HUFFMAN_DICTIONARY_HPP

#include <Kokkos_Macros.hpp>
#include <cstdint>

// The dictionary of codebooks, whose numbers tools/codebooks/make-codebooks makes from distributions and writes
// into dictionary.inc: its sizes, which the type below needs first, or its members in the order of the type.
// Source: Shah et al., Lightweight Huffman Coding for Efficient GPU Compression, ICS 2023, sec. 4.

namespace kompakt::impl::huffman {

struct DictionarySizes {
  int id;       ///< what streams call the dictionary
  int books;    ///< of each alphabet
  int symbols;  ///< codes of all books of symbols together
};
inline constexpr DictionarySizes dictionary_sizes = {
#define KOMPAKT_DICTIONARY_SIZES
#include <coder/huffman/dictionary.inc>
#undef KOMPAKT_DICTIONARY_SIZES
};

/// Books by alphabet, those of the lowest entropy first. Of each entry the code, its first bit lowest, above four
/// bits of its length; 0: no code. A book of symbols lists the escape, then the residuals -last ... last.
struct Dictionary {
  static constexpr int id = dictionary_sizes.id, books = dictionary_sizes.books;
  std::uint16_t symbol_last[books];
  std::uint16_t symbol_offsets[books + 1];  // of each book among symbols
  std::uint16_t symbols[dictionary_sizes.symbols];
  std::uint16_t masks[books * 256];
  std::uint16_t quads[books * 81];
};

KOKKOS_INLINE_FUNCTION Dictionary const& dictionary() {
  static constexpr Dictionary made = {
#include <coder/huffman/dictionary.inc>
  };
  return made;
}

}  // namespace kompakt::impl::huffman

#endif
