#ifndef KOMPAKT_UNIT_TEST_SUPPORT_BOOK_BITS_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_BOOK_BITS_HPP

#include <coder/huffman/alphabet.hpp>
#include <coder/huffman/choose_books.hpp>
#include <cstdint>

namespace kompakt::test {

/// What an entry takes in a string, worked out by the rules of docs/format.md.
inline std::uint64_t entry_bits(impl::huffman::DictionaryBooks const& d, int entry, int list_bits) {
  using impl::huffman::DictionaryBooks;
  constexpr int radius = impl::huffman::default_radius;
  int const mask = entry - 2 * radius, quad = mask - 256;
  auto const symbol_bits = [&](int s) { return DictionaryBooks::length(d.symbol(s)); };
  auto const quad_bits = [&](int q) {
    int bits = DictionaryBooks::length(d.quad(q));
    if (q != 40 && bits > 0) return bits;
    bits = DictionaryBooks::length(d.quad(40));
    for (int const digit : {q / 27 - 1, q / 9 % 3 - 1, q / 3 % 3 - 1, q % 3 - 1}) {
      bits += symbol_bits(radius + digit);
    }
    return bits;
  };
  int bits;
  if (mask < 0) {
    bits = symbol_bits(entry) > 0 ? symbol_bits(entry) : symbol_bits(0) + list_bits;
  } else if (quad < 0) {
    bits = DictionaryBooks::length(d.mask(mask));
    if (bits == 0) {
      bits = DictionaryBooks::length(d.mask(255));
      for (int q = 0; q < 8; ++q) bits += (mask >> q & 1) == 0 ? quad_bits(40) : 0;
    }
  } else {
    bits = quad == 40 ? DictionaryBooks::length(d.quad(40)) : quad_bits(quad);
  }
  return static_cast<std::uint64_t>(bits);
}

}  // namespace kompakt::test

#endif
