#include <algorithm>
#include <api/checks.hpp>
#include <api/codebooks.hpp>
#include <cmath>
#include <coder/huffman/make_book.hpp>
#include <container/reader.hpp>
#include <container/writer.hpp>
#include <string>
#include <utility>

namespace kompakt {

namespace impl {

namespace {

using huffman::DictionaryBooks;

// What an entry takes with books of a dictionary, by the rules of docs/format.md.
struct EntryBits {
  huffman::BookNumbers books;
  int list_bits;

  int of(int entry) const {
    int const mask = entry - huffman::symbol_count(huffman::default_radius);
    int const quad = mask - huffman::mask_count;
    int const length = DictionaryBooks::length(codes().entry(entry));
    if (length > 0) return length;
    if (mask < 0) return symbol(huffman::escape) + list_bits;
    return quad < 0 ? without_mask(mask) : without_quad(static_cast<std::uint32_t>(quad));
  }

 private:
  DictionaryBooks codes() const { return {books}; }
  int symbol(std::uint32_t s) const {
    return DictionaryBooks::length(codes().symbol(static_cast<int>(s)));
  }
  int without_quad(std::uint32_t quad) const {
    std::uint32_t residuals[huffman::quad_values];
    huffman::residuals_of_quad(quad, residuals);
    int bits = DictionaryBooks::length(codes().quad(static_cast<int>(huffman::other_quad)));
    for (std::uint32_t const r : residuals) {
      bits += symbol(huffman::symbol_of(r, huffman::default_radius));
    }
    return bits;
  }
  // The full mask names all quads: those without a bit are then four zeros.
  int without_mask(int mask) const {
    int const zeros = huffman::lane_quads - popcount(static_cast<std::uint32_t>(mask));
    return DictionaryBooks::length(codes().mask(static_cast<int>(huffman::full_mask))) +
           zeros * without_quad(huffman::other_quad);
  }
};

// Tries every book for an alphabet that begins with entry `first`; leaves the cheapest one in `number`.
void weigh_books(AlphabetReport& alphabet, int first, int huffman::BookNumbers::*number,
                 EntryBits& bits) {
  for (int b = 0; b < huffman::Dictionary::books; ++b) {
    bits.books.*number = b;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < alphabet.counts.size(); ++i) {
      if (alphabet.counts[i] == 0) continue;
      sum += alphabet.counts[i] * static_cast<std::uint64_t>(bits.of(first + static_cast<int>(i)));
    }
    alphabet.book_bits.push_back(sum);
  }
  auto const least = std::min_element(alphabet.book_bits.begin(), alphabet.book_bits.end());
  alphabet.chosen = static_cast<int>(least - alphabet.book_bits.begin());
  bits.books.*number = alphabet.chosen;
}

// Lengths of the codes that compress() would make for these counts, of one of both kinds.
std::vector<std::uint8_t> own_lengths(std::vector<std::uint32_t> const& counts, int radius,
                                      huffman::Digits const& digits, bool symbols_only) {
  std::vector<std::uint64_t> words(huffman::BookMemory::bytes(radius) / sizeof(std::uint64_t) + 1);
  auto const memory = huffman::BookMemory::in(reinterpret_cast<std::byte*>(words.data()), radius);
  huffman::take_counts(SingleThreadTeam{}, counts.data(), radius, digits, symbols_only, memory);
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

// What needs the counts only.
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

std::uint64_t chosen_bits(AlphabetReport const& a) {
  return a.chosen < 0 ? 0 : a.book_bits[static_cast<std::size_t>(a.chosen)];
}

// Adds bits_of(alphabet) up.
template <class BitsOf>
auto sum_of(std::array<AlphabetReport, 3> const& alphabets, BitsOf const& bits_of) {
  return bits_of(alphabets[0]) + bits_of(alphabets[1]) + bits_of(alphabets[2]);
}

}  // namespace

void require_codebook_pipeline(char const* function, Pipeline pipeline) {
  if (pipeline == Pipeline::huffman) return;
  throw Error(Status::bad_argument, std::string(function) + ": the pipeline " +
                                        to_string(pipeline) +
                                        " has no codebook; only huffman does");
}

CodebookInfo codebook_info(huffman::CodebookHead head) {
  CodebookInfo info;
  info.radius = head.radius;
  info.bytes = head.section_bytes();
  info.symbols_only = head.symbols_only;
  if (head.of_dictionary) {
    info.dictionary = huffman::Dictionary::id;
    info.books[0] = head.books.symbols;
    if (!head.symbols_only) info.books = {head.books.symbols, head.books.masks, head.books.quads};
  }
  return info;
}

CodebookReport report_of_counts(std::vector<std::uint32_t> const& counts, int radius,
                                int list_bits) {
  constexpr char const* names[huffman::alphabet_count] = {"symbols", "masks", "quads"};
  CodebookReport report;
  huffman::IdealBits const ideal = huffman::ideal_bits(SingleThreadTeam{}, radius, counts.data());
  report.own_symbols_only = ideal.prefers_symbols_only();
  auto const lengths = own_lengths(counts, radius, ideal.digits, false);
  for (int a = 0; a < huffman::alphabet_count; ++a) {
    huffman::Alphabet const range = huffman::alphabets_of(radius).get(a);
    auto const first = counts.begin() + range.first;
    report.alphabets[static_cast<std::size_t>(a)] =
        report_of_entries(names[a], {first, first + range.count}, lengths.data() + range.first);
  }
  std::vector<std::uint64_t> values = report.alphabets[0].counts;
  for (int s = 0; s < huffman::symbol_count(radius); ++s) {
    values[static_cast<std::size_t>(s)] += huffman::told_by_quads(ideal.digits, s, radius);
  }
  report.values = report_of_entries("values", std::move(values),
                                    own_lengths(counts, radius, ideal.digits, true).data());
  if (radius != huffman::default_radius) return report;
  auto& [symbols, masks, quads] = report.alphabets;
  using Numbers = huffman::BookNumbers;
  EntryBits bits{{}, list_bits}, bits_of_values = bits;
  weigh_books(symbols, huffman::symbols_of(radius).first, &Numbers::symbols, bits);
  weigh_books(quads, huffman::quads_of(radius).first, &Numbers::quads, bits);
  weigh_books(masks, huffman::masks_of(radius).first, &Numbers::masks, bits);
  weigh_books(report.values, huffman::symbols_of(radius).first, &Numbers::symbols, bits_of_values);
  report.dictionary_symbols_only =
      chosen_bits(report.values) < sum_of(report.alphabets, chosen_bits);
  return report;
}

}  // namespace impl

double CodebookReport::ideal_bits() const {
  auto const bits = [](AlphabetReport const& a) {
    return a.entropy * static_cast<double>(a.total);
  };
  return std::min(impl::sum_of(alphabets, bits), bits(values));
}

std::uint64_t CodebookReport::own_bits() const {
  auto const bits = [](AlphabetReport const& a) { return a.own_bits; };
  return own_symbols_only ? bits(values) : impl::sum_of(alphabets, bits);
}

std::uint64_t CodebookReport::dictionary_bits() const {
  return dictionary_symbols_only ? impl::chosen_bits(values)
                                 : impl::sum_of(alphabets, impl::chosen_bits);
}

CodebookInfo inspect_codebook(std::span<std::byte const> stream) {
  char const* const function = "inspect_codebook";
  impl::CheckedHeader const header =
      impl::read_header(function, stream.first(impl::front_bytes(stream.size())), stream.size());
  impl::require_codebook_pipeline(function, header.info.pipeline);
  if (header.info.shape.size() == 0) return {};
  impl::huffman::CodebookHead const head = impl::require_codebook_head(function, header.front);
  std::byte const* const section = stream.data() + header.front.codebook;
  using Words = std::vector<std::uint64_t>;
  Words book_memory(impl::huffman::DecodeBook::bytes(head.radius) / 8 + 1);
  Words scratch(impl::huffman::DecodeBookMemory::bytes(impl::huffman::default_radius) / 8 + 1);
  auto* const book = reinterpret_cast<impl::huffman::DecodeBook*>(book_memory.data());
  bool const sound = book->make(impl::SingleThreadTeam{}, head, section,
                                reinterpret_cast<std::byte*>(scratch.data()));
  if (!sound || impl::checksum_bytes(section, head.section_bytes(),
                                     static_cast<std::uint32_t>(impl::SectionId::codebook)) !=
                    header.front.codebook_checksum) {
    throw Error(Status::corrupt,
                std::string(function) + ": the codebook is damaged; the stream was altered");
  }
  return impl::codebook_info(head);
}

}  // namespace kompakt
