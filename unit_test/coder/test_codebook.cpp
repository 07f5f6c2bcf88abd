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

std::vector<std::uint32_t> random_counts(Random& random) {
  std::vector<std::uint32_t> counts(static_cast<std::size_t>(huffman::entry_count(radius)));
  for (std::uint32_t& count : counts) {
    count = random.below(3) == 0
                ? 0
                : static_cast<std::uint32_t>(random.bits() >> random.between(48, 63));
  }
  return counts;
}

/// A dictionary's section makes tables in which every entry with a length is found.
bool makes_tables(BookNumbers numbers) {
  CodebookHead const head = CodebookHead::of_books(numbers);
  std::vector<std::uint32_t> section(head.section_bytes() / 4);
  huffman::store_codebook(SingleThreadTeam{}, head, nullptr, 0, section.data());
  std::vector<std::uint64_t> memory(huffman::DecodeBook::bytes(radius) / 8 + 1);
  std::vector<std::uint32_t> scratch(huffman::DecodeBookMemory::bytes(radius) / 4 + 1);
  auto* const book = reinterpret_cast<huffman::DecodeBook*>(memory.data());
  return book->make(SingleThreadTeam{}, head, reinterpret_cast<std::byte const*>(section.data()),
                    reinterpret_cast<std::byte*>(scratch.data()));
}

std::uint64_t cost(std::vector<std::uint32_t> const& counts, BookNumbers numbers, int first,
                   int last) {
  std::uint64_t bits = 0;
  for (int i = first; i < last; ++i) {
    bits += counts[static_cast<std::size_t>(i)] * entry_bits(DictionaryBooks{numbers}, i, 48);
  }
  return bits;
}

}  // namespace

TEST(CodebookHead, AnyWord_IsRefusedOrComesBack) {
  Random random(11);
  int accepted = 0;
  for (int i = 0; i < 200000; ++i) {
    // Small numbers where a head has small ones.
    std::uint64_t const word = random.below(4) | (3 + random.below(15)) << 8 |
                               random.below(1200) << 16 | random.below(1200) << 32 |
                               (random.below(8) == 0 ? random.bits() << 48 : 0);
    CodebookHead const head = CodebookHead::of(word);
    if (head.radius == 0) continue;
    ++accepted;
    ASSERT_EQ(head.word(), word);
    ASSERT_LE(head.section_bytes(), huffman::most_codebook_bytes(head.radius));
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
  EXPECT_EQ(CodebookHead::of(sound - (1u << 8)).radius, 0) << "another radius";
}

TEST(Dictionary, EveryBook_IsACompleteCodeThatCodesWhatItMust) {
  for (int b = 0; b < books; ++b) {
    EXPECT_TRUE(makes_tables({b, b, b})) << b;
    DictionaryBooks const d{{b, b, b}};
    for (int i = 0; i < huffman::entry_count(radius); ++i) {
      EXPECT_LE(DictionaryBooks::length(d.entry(i)), huffman::alphabet_of(i, radius).length_limit);
      if (huffman::always_coded(i, radius)) {
        EXPECT_GT(d.entry(i), 0u) << i;
      }
    }
  }
}

TEST(Dictionary, CodesOfABook_AreThoseOfItsLengths) {
  for (int b = 0; b < books; ++b) {
    DictionaryBooks const d{{b, b, b}};
    for (int k = 0; k < huffman::alphabet_count; ++k) {
      huffman::Alphabet const a = huffman::nth_alphabet(k, radius);
      std::vector<std::uint8_t> lengths;
      for (int i = 0; i < a.count; ++i) {
        lengths.push_back(static_cast<std::uint8_t>(DictionaryBooks::length(d.entry(a.first + i))));
      }
      std::vector<huffman::CodeWord> words(lengths.size());
      huffman::Numbering numbering;
      huffman::CanonicalCode code;
      huffman::make_code_words(SingleThreadTeam{}, lengths.data(), a.count, a.length_limit,
                               numbering, code, words.data());
      for (int i = 0; i < a.count; ++i) {
        ASSERT_EQ(words[static_cast<std::size_t>(i)].bits(), d.entry(a.first + i) >> 4);
      }
    }
  }
}

TEST(Dictionary, ChosenBooks_AreTheCheapest) {
  Random random(12);
  for (int round = 0; round < 20; ++round) {
    auto const counts = random_counts(random);
    huffman::BookCosts costs;
    std::uint64_t bits = 0;
    BookNumbers const chosen =
        huffman::choose_books(SingleThreadTeam{}, counts.data(), 48, costs, bits);
    int const masks = 2 * radius, quads = masks + 256, end = quads + 81;
    std::uint64_t const of_symbols = cost(counts, chosen, 0, masks);
    std::uint64_t const of_masks = cost(counts, chosen, masks, quads);
    std::uint64_t const of_quads = cost(counts, chosen, quads, end);
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
