#ifndef KOMPAKT_TOOLS_CODEBOOKS_REPORT_HPP
#define KOMPAKT_TOOLS_CODEBOOKS_REPORT_HPP

#include "sample.hpp"
#include <array>
#include <cstddef>
#include <cstdint>
#include <kompakt/codebooks.hpp>
#include <kompakt/field.hpp>
#include <kompakt/options.hpp>
#include <kompakt/workspace.hpp>
#include <vector>

namespace kompakt::tools {

/// What the entries of one alphabet take. Bits of a code are exact: those of an entry without one are
/// the bits of what stands for it, codes of other alphabets included.
struct AlphabetReport {
  char const* name = "";              ///< "symbols", "masks", "quads" or "values"
  std::vector<std::uint64_t> counts;  ///< of each entry: 2 * radius symbols, 256 masks or 81 quads
  std::uint64_t total = 0;            ///< sum of the counts
  double entropy = 0;                 ///< bits per entry
  /// With the best codes for these counts, as compress() makes them: every entry counted has one. A book of
  /// the dictionary, which leaves rare entries out, can take fewer bits.
  std::uint64_t own_bits = 0;
  /// With each book of the dictionary, those of quads beside the chosen symbols, those of masks beside
  /// both, of values with the books of symbols; empty unless the radius is 512.
  std::vector<std::uint64_t> book_bits;
  int chosen = -1;  ///< the book with the fewest bits, the first of several; -1 if there are none

  /// Bits per entry with the best codes; 0 if nothing was counted, as the two below.
  double own_length() const { return per_entry(own_bits); }
  /// Bits per entry with a book.
  double cross_entropy(int book) const {
    return per_entry(book_bits.at(static_cast<std::size_t>(book)));
  }
  /// Bits per entry that a book loses against the entropy. Of quads and masks it can fall below 0 where
  /// other alphabets' codes carry what the entries leave open.
  double kl_divergence(int book) const { return cross_entropy(book) - entropy; }

 private:
  double per_entry(std::uint64_t bits) const {
    return total == 0 ? 0 : static_cast<double>(bits) / static_cast<double>(total);
  }
};

/// What codebooks cost the sample of a field from which compress() chooses.
struct CodebookReport {
  SampleCounts sample;
  std::array<AlphabetReport, 3> alphabets;  ///< symbols, masks, quads
  AlphabetReport values;                    ///< in their place, every value as a symbol
  /// Whether values take fewer bits than the three alphabets: by their entropies, where no code is shorter
  /// than a bit, which is how compress() decides for codes of its own; and with the books chosen from the
  /// dictionary.
  bool own_symbols_only = false, dictionary_symbols_only = false;

  /// Bits of the codes of the sample, beside the fixed words, of values or the three alphabets: the fewer by the
  /// entropies; with the best codes and with the books chosen from the dictionary (0 without one), of what the
  /// flags tell.
  double ideal_bits() const;
  std::uint64_t own_bits() const;
  std::uint64_t dictionary_bits() const;
};

/// What the counts of all alphabets come to: entropy, best own codes and the dictionary's books for each.
/// Source: Shah et al., Lightweight Huffman Coding for Efficient GPU Compression, ICS 2023, sec. 4.
CodebookReport report_of(SampleCounts sample);

/// The report of a field, with the arguments of count_sample().
template <class Exec>
CodebookReport codebook_report(Exec const& exec, ConstFieldData const& field,
                               Options const& options, Workspace<Exec>& workspace) {
  return report_of(count_sample(exec, field, options, workspace));
}

}  // namespace kompakt::tools

#endif
