#include <cstdint>
#include <cstring>
#include <kompakt/byte_order.hpp>

namespace kompakt {

namespace {

template <class Word>
void swap_words(std::span<std::byte> values, Word (*swapped)(Word)) {
  for (std::size_t at = 0; at + sizeof(Word) <= values.size(); at += sizeof(Word)) {
    Word word = 0;
    std::memcpy(&word, values.data() + at, sizeof(Word));
    word = swapped(word);
    std::memcpy(values.data() + at, &word, sizeof(Word));
  }
}

}  // namespace

void swap_bytes(std::span<std::byte> values, Dtype dtype) {
  switch (is_complex(dtype) ? size_of(dtype) / 2 : size_of(dtype)) {
    case 2:
      return swap_words<std::uint16_t>(
          values, [](std::uint16_t word) { return std::uint16_t{__builtin_bswap16(word)}; });
    case 4:
      return swap_words<std::uint32_t>(
          values, [](std::uint32_t word) { return std::uint32_t{__builtin_bswap32(word)}; });
    case 8:
      return swap_words<std::uint64_t>(
          values, [](std::uint64_t word) { return std::uint64_t{__builtin_bswap64(word)}; });
    default: return;
  }
}

}  // namespace kompakt
