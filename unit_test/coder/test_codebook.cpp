#include <gtest/gtest.h>

#include <coder/huffman/make_book.hpp>
#include <cstdint>
#include <limits>
#include <support/book_bits.hpp>
#include <support/random.hpp>
#include <support/single_thread_team.hpp>
#include <vector>

namespace kompakt::test {

namespace huffman = impl::huffman;
using huffman::BookNumbers;
using huffman::CodebookHead;
using huffman::DictionaryBooks;

namespace {

constexpr int radius = huffman::default_radius;
constexpr int books = huffman::Dictionary::books;

// Measured without memory: a compiler that evaluates it refuses to advance a null pointer.
static_assert(huffman::EncodeMemory::bytes(radius, 2) > huffman::BookMemory::bytes(radius));

using Counts = std::vector<std::uint32_t>;

Counts random_counts(Random& random) {
  Counts counts(static_cast<std::size_t>(huffman::entry_count(radius)));
  for (std::uint32_t& count : counts) {
    count = random.below(3) == 0
                ? 0
                : static_cast<std::uint32_t>(random.bits() >> random.between(50, 63));
  }
  return counts;
}

/// A dictionary's section makes tables in which every entry with a length is found.
bool makes_tables(BookNumbers numbers) {
  CodebookHead const head = CodebookHead::of_books(numbers);
  std::vector<std::uint32_t> section(head.section_bytes() / 4);
  std::uint32_t checksum = 0;
  huffman::store_codebook(SingleThreadTeam{}, head, nullptr, 0, section.data(), checksum);
  std::vector<std::uint64_t> memory(huffman::DecodeBook::bytes(radius) / 8 + 1);
  std::vector<std::uint32_t> scratch(huffman::DecodeBookMemory::bytes(radius) / 4 + 1);
  auto* const book = reinterpret_cast<huffman::DecodeBook*>(memory.data());
  return book->make(SingleThreadTeam{}, head, reinterpret_cast<std::byte const*>(section.data()),
                    reinterpret_cast<std::byte*>(scratch.data()));
}

std::uint64_t cost(Counts const& counts, BookNumbers numbers, int first, int last) {
  std::uint64_t bits = 0;
  for (int i = first; i < last; ++i) {
    bits += counts[static_cast<std::size_t>(i)] * entry_bits(DictionaryBooks{numbers}, i, 48);
  }
  return bits;
}

BookNumbers choose(Counts const& counts, std::uint64_t* bits = nullptr) {
  huffman::BookChoice choice;
  for (int b = 0; b < books; ++b) {
    choice.costs[b] = huffman::weigh_books(SingleThreadTeam{}, counts.data(), b, 48);
  }
  std::uint64_t least = 0;
  BookNumbers const chosen = huffman::choose_books(
      SingleThreadTeam{}, choice,
      huffman::ideal_bits(SingleThreadTeam{}, radius, counts.data()).digits, least);
  if (bits != nullptr) *bits = least;
  return chosen;
}

}  // namespace

TEST(CodebookHead, AnyWord_IsRefusedOrComesBack) {
  Random random(11);
  int accepted = 0;
  for (int i = 0; i < 200000; ++i) {
    // Small numbers where a head has small ones.
    std::uint64_t const word = random.below(4) | (3 + random.below(15)) << 8 |
                               random.below(1200) << 16 | random.below(1200) << 32 |
                               random.below(2) << 48 |
                               (random.below(8) == 0 ? random.bits() << 48 : 0);
    CodebookHead const head = CodebookHead::of(word);
    if (head.radius == 0) continue;
    ++accepted;
    ASSERT_EQ(head.word(), word);
    ASSERT_LE(head.section_bytes(), huffman::max_codebook_bytes(head.radius));
    ASSERT_GE(head.radius, 32);
    ASSERT_LE(head.radius, 32768);
    if (head.of_dictionary) continue;
    for (int place = 0; place < head.listed(); ++place) {
      ASSERT_EQ(head.place(head.entry(place)), place);
      ASSERT_LT(head.entry(place), huffman::entry_count(head.radius));
    }
  }
  EXPECT_GT(accepted, 1000);
}

TEST(CodebookHead, OfAnotherDictionaryOrABookBeyondIt_IsRefused) {
  std::uint64_t const sound = CodebookHead::of_books({24, 3, 7}).word();
  EXPECT_EQ(CodebookHead::of(sound).radius, radius);
  EXPECT_EQ(CodebookHead::of(sound + (1u << 16)).radius, 0) << "another dictionary";
  EXPECT_EQ(CodebookHead::of(sound + (1u << 24)).radius, 0) << "symbols";
  EXPECT_EQ(CodebookHead::of(CodebookHead::of_books({0, books, 0}).word()).radius, 0) << "masks";
  EXPECT_EQ(CodebookHead::of(CodebookHead::of_books({0, 0, books}).word()).radius, 0) << "quads";
  EXPECT_EQ(CodebookHead::of(CodebookHead::of_books({0, 0, 255}).word()).radius, 0) << "no quads";
  EXPECT_EQ(CodebookHead::of(CodebookHead::of_books({0, 255, 0}).word()).radius, 0) << "no masks";
  EXPECT_TRUE(CodebookHead::of(CodebookHead::of_books({0, 255, 255}).word()).symbols_only);
  EXPECT_EQ(CodebookHead::of(sound - (1u << 8)).radius, 0) << "another radius";
}

TEST(Dictionary, EveryBook_IsACompleteCodeThatCodesWhatItMust) {
  huffman::Alphabets const set = huffman::alphabets_of(radius);
  for (int b = 0; b < books; ++b) {
    EXPECT_TRUE(makes_tables({b, b, b})) << b;
    EXPECT_TRUE(makes_tables({b, BookNumbers::none, BookNumbers::none})) << b;
    DictionaryBooks const d{{b, b, b}};
    for (int i = 0; i < huffman::entry_count(radius); ++i) {
      EXPECT_LE(DictionaryBooks::length(d.entry(i)), set.get(set.of(i)).length_limit);
      if (huffman::always_coded(i, radius)) {
        EXPECT_GT(d.entry(i), 0u) << i;
      }
    }
  }
}

TEST(Dictionary, CodesOfABook_AreThoseOfItsLengths) {
  for (int b = 0; b < books; ++b) {
    DictionaryBooks const d{{b, b, b}};
    std::vector<std::uint8_t> lengths;
    for (int i = 0; i < huffman::entry_count(radius); ++i) {
      lengths.push_back(static_cast<std::uint8_t>(DictionaryBooks::length(d.entry(i))));
    }
    std::vector<huffman::CodeWord> words(lengths.size());
    huffman::Numbering numbering;
    huffman::CanonicalCode codes[huffman::alphabet_count];
    std::vector<std::uint16_t> sorted(lengths.size());
    huffman::make_code_words(SingleThreadTeam{}, huffman::alphabets_of(radius), lengths.data(),
                             numbering, codes, sorted.data(), words.data());
    for (int i = 0; i < huffman::entry_count(radius); ++i) {
      ASSERT_EQ(words[static_cast<std::size_t>(i)].bits(), d.entry(i) >> 4);
    }
  }
}

TEST(Dictionary, CountsWithFewSmallResiduals_GetABookOfSymbolsOnly) {
  Random random(13);
  for (int round = 0; round < 20; ++round) {
    // As of lanes whose quads all have a larger residual, but for a few.
    Counts counts(static_cast<std::size_t>(huffman::entry_count(radius)));
    int const masks = 2 * radius, quads = masks + 256;
    std::vector<std::uint32_t> values(static_cast<std::size_t>(2 * radius));
    for (int i = 0; i < 40000; ++i) {
      auto const symbol = static_cast<std::size_t>(radius - 8 + random.below(8) + random.below(8));
      ++counts[symbol];
      ++values[symbol];
    }
    counts[static_cast<std::size_t>(masks + 255)] = 1250 - 40;
    counts[static_cast<std::size_t>(masks + 127)] = 40;  // with a quad of zeros
    values[radius] += 160;
    counts[static_cast<std::size_t>(quads + 40)] = 10000;
    auto const few = static_cast<std::uint32_t>(random.below(300));
    counts[static_cast<std::size_t>(quads + 27 + 2)] = few;  // 0 -1 -1 1
    values[radius] += few;
    values[radius - 1] += 2 * few;
    values[radius + 1] += few;
    BookNumbers const chosen = choose(counts);
    ASSERT_TRUE(chosen.symbols_only());
    for (int b = 0; b < books; ++b) {
      std::uint64_t const bits = cost(values, {b, 0, 0}, 0, masks);
      std::uint64_t const least = cost(values, {chosen.symbols, 0, 0}, 0, masks);
      ASSERT_TRUE(b < chosen.symbols ? bits > least : bits >= least) << b;
    }
  }
}

TEST(Dictionary, ChosenBooks_AreTheCheapest) {
  Random random(12);
  for (int round = 0; round < 20; ++round) {
    auto const counts = random_counts(random);
    std::uint64_t bits = 0;
    BookNumbers const chosen = choose(counts, &bits);
    int const masks = 2 * radius, quads = masks + 256, end = quads + 81;
    std::uint64_t const of_symbols = cost(counts, chosen, 0, masks);
    std::uint64_t const of_masks = cost(counts, chosen, masks, quads);
    std::uint64_t const of_quads = cost(counts, chosen, quads, end);
    ASSERT_FALSE(chosen.symbols_only()) << "random counts have too many masks for that";
    ASSERT_EQ(bits, of_symbols + of_masks + of_quads);
    for (int b = 0; b < books; ++b) {
      BookNumbers const symbols{b, 0, 0}, with_masks{chosen.symbols, b, chosen.quads},
          with_quads{chosen.symbols, 0, b};
      ASSERT_GE(cost(counts, symbols, 0, masks), of_symbols);
      ASSERT_GE(cost(counts, with_quads, quads, end), of_quads);
      ASSERT_GE(cost(counts, with_masks, masks, quads), of_masks);
      if (b < chosen.symbols) {
        ASSERT_GT(cost(counts, symbols, 0, masks), of_symbols) << "ties go to the lowest";
      }
    }
  }
}

}  // namespace kompakt::test
