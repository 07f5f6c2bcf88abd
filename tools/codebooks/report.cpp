#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <coder/huffman/choose_books.hpp>
#include <coder/huffman/make_book.hpp>
#include <core/team.hpp>
#include <utility>

namespace kompakt::tools {

namespace {

namespace huffman = impl::huffman;
using impl::SingleThreadTeam;

/// Lengths of the codes that compress() would make for these counts, of one of both kinds.
std::vector<std::uint8_t> own_lengths(SampleCounts const& sample, huffman::Digits const& digits,
                                      bool symbols_only) {
  int const radius = sample.radius;
  std::vector<std::uint64_t> words(huffman::BookMemory::bytes(radius) / sizeof(std::uint64_t) + 1);
  auto const memory = huffman::BookMemory::in(reinterpret_cast<std::byte*>(words.data()), radius);
  huffman::take_counts(SingleThreadTeam{}, sample.entries.data(), radius, digits, symbols_only,
                       memory);
  huffman::make_lengths(SingleThreadTeam{}, memory, radius, symbols_only);
  return {memory.lengths, memory.lengths + huffman::alphabets_of(radius, symbols_only).entries()};
}

double entropy_of(AlphabetReport const& alphabet) {
  auto const total = static_cast<double>(alphabet.total);
  double bits = 0;
  for (std::uint64_t const count : alphabet.counts) {
    if (count > 0)
      bits += static_cast<double>(count) * std::log2(total / static_cast<double>(count));
  }
  return alphabet.total == 0 ? 0 : bits / total;
}

/// What needs the counts only.
AlphabetReport report_of_entries(char const* name, std::vector<std::uint64_t> counts,
                                 std::uint8_t const* own_lengths) {
  AlphabetReport alphabet;
  alphabet.name = name;
  alphabet.counts = std::move(counts);
  for (std::size_t i = 0; i < alphabet.counts.size(); ++i) {
    alphabet.total += alphabet.counts[i];
    alphabet.own_bits += alphabet.counts[i] * own_lengths[i];
  }
  alphabet.entropy = entropy_of(alphabet);
  return alphabet;
}

/// Alphabets and values with the codes that compress() would make for them.
void add_own_books(CodebookReport& report, huffman::Digits const& digits) {
  constexpr char const* names[huffman::alphabet_count] = {"symbols", "masks", "quads"};
  SampleCounts const& sample = report.sample;
  auto const lengths = own_lengths(sample, digits, false);
  for (int a = 0; a < huffman::alphabet_count; ++a) {
    huffman::Alphabet const range = huffman::alphabets_of(sample.radius).get(a);
    auto const first = sample.entries.begin() + range.first;
    report.alphabets[static_cast<std::size_t>(a)] =
        report_of_entries(names[a], {first, first + range.count}, lengths.data() + range.first);
  }
  std::vector<std::uint64_t> values = report.alphabets[0].counts;
  for (int s = 0; s < huffman::symbol_count(sample.radius); ++s) {
    values[static_cast<std::size_t>(s)] += huffman::told_by_quads(digits, s, sample.radius);
  }
  report.values =
      report_of_entries("values", std::move(values), own_lengths(sample, digits, true).data());
}

/// Bits with every book of the dictionary, as compress() weighs and chooses them.
void add_dictionary(CodebookReport& report, huffman::Digits const& digits) {
  using huffman::BookChoice;
  SampleCounts const& sample = report.sample;
  BookChoice choice{};
  for (int b = 0; b < huffman::Dictionary::books; ++b) {
    choice.costs[b] =
        huffman::weigh_books(SingleThreadTeam{}, sample.entries.data(), b, sample.list_bits);
  }
  std::uint64_t bits = 0;
  report.dictionary_symbols_only =
      huffman::choose_books(SingleThreadTeam{}, choice, digits, bits).symbols_only();
  auto const take = [&](AlphabetReport& alphabet, BookChoice::Step step) {
    alphabet.book_bits.assign(std::begin(choice.bits[step]), std::end(choice.bits[step]));
    alphabet.chosen = choice.cheapest[step];
  };
  auto& [symbols, masks, quads] = report.alphabets;
  take(symbols, BookChoice::of_symbols);
  take(masks, BookChoice::of_masks);
  take(quads, BookChoice::of_quads);
  take(report.values, BookChoice::of_values);
}

/// Adds bits_of(alphabet) up.
template <class BitsOf>
auto sum_of(std::array<AlphabetReport, 3> const& alphabets, BitsOf const& bits_of) {
  return bits_of(alphabets[0]) + bits_of(alphabets[1]) + bits_of(alphabets[2]);
}

}  // namespace

CodebookReport report_of(SampleCounts sample) {
  CodebookReport report;
  report.sample = std::move(sample);
  int const radius = report.sample.radius;
  huffman::IdealBits const ideal =
      huffman::ideal_bits(SingleThreadTeam{}, radius, report.sample.entries.data());
  report.own_symbols_only = ideal.prefers_symbols_only();
  add_own_books(report, ideal.digits);
  if (radius == huffman::default_radius) add_dictionary(report, ideal.digits);
  return report;
}

double CodebookReport::ideal_bits() const {
  auto const bits = [](AlphabetReport const& a) {
    return a.entropy * static_cast<double>(a.total);
  };
  return std::min(sum_of(alphabets, bits), bits(values));
}

std::uint64_t CodebookReport::own_bits() const {
  auto const bits = [](AlphabetReport const& a) { return a.own_bits; };
  return own_symbols_only ? bits(values) : sum_of(alphabets, bits);
}

std::uint64_t CodebookReport::dictionary_bits() const {
  auto const bits = [](AlphabetReport const& a) {
    return a.chosen < 0 ? 0 : a.book_bits[static_cast<std::size_t>(a.chosen)];
  };
  return dictionary_symbols_only ? bits(values) : sum_of(alphabets, bits);
}

}  // namespace kompakt::tools
