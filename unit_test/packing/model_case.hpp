#ifndef KOMPAKT_UNIT_TEST_PACKING_MODEL_CASE_HPP
#define KOMPAKT_UNIT_TEST_PACKING_MODEL_CASE_HPP

#include <packing/model.hpp>
#include <support/random.hpp>
#include <vector>

namespace kompakt::test {

/// Words whose bytes are mostly small: of `rarity` 0 any, of 4 nearly all are zero.
inline std::vector<std::uint32_t> make_words(Random& random, std::size_t count, unsigned rarity) {
  std::vector<std::uint32_t> words(count);
  for (std::uint32_t& word : words) {
    for (int b = 0; b < 4; ++b) {
      std::uint64_t byte = random.below(256);
      for (unsigned i = 0; i < rarity; ++i) byte &= random.below(256);
      word |= static_cast<std::uint32_t>(byte) << 8 * b;
    }
  }
  return words;
}

/// What packing counts of a lane.
inline void count(impl::ByteCounts& counts, std::vector<std::uint32_t> const& words) {
  std::uint32_t last = 0;
  for (std::size_t i = 0; i + 2 < 4 * words.size(); ++i) {
    std::uint32_t const byte = impl::rans::byte_of(words[i / 4], static_cast<int>(i % 4));
    ++counts.count[impl::rans::class_of(last)][byte];
    last = byte;
  }
}

}  // namespace kompakt::test

#endif
