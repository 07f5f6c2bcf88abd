#ifndef KOMPAKT_CODEBOOKS_HPP
#define KOMPAKT_CODEBOOKS_HPP

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <kompakt/error.hpp>
#include <kompakt/field.hpp>
#include <kompakt/options.hpp>
#include <kompakt/workspace.hpp>
#include <span>
#include <vector>

namespace kompakt {

/// Which codebook a stream of the pipeline huffman has.
struct CodebookInfo {
  int radius = 0;      ///< 0: there is none, as the field has no values
  int dictionary = 0;  ///< id of the dictionary, 0 for a codebook that was made for the field
  bool symbols_only = false;   ///< each value has a code, masks and quads have none
  std::array<int, 3> books{};  ///< of a dictionary: numbers of the books of symbols, masks, quads;
                               ///< of symbols only: the last two are 0
  std::size_t bytes = 0;       ///< of its section

  friend bool operator==(CodebookInfo const&, CodebookInfo const&) = default;
};

/// Reads and checks the codebook of a stream in host memory. Safe on untrusted bytes: header, section
/// and codes are checked as decompress() does; the values are not touched.
/// \param stream  exactly one stream
/// \throws Error bad_magic, unsupported_version, corrupt; bad_argument for a stream of another pipeline
CodebookInfo inspect_codebook(std::span<std::byte const> stream);

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
  char const* predictor =
      "";  ///< of the sample and the stream, as StreamInfo has it; "" without values
  std::uint64_t sample_chunks = 0,
                sample_values = 0;  ///< chunks of 4096 values, and values, counted
  /// Words of 4 bytes of the sample that do not depend on codes: heads, exceptions, wide lists, index; the
  /// widths of pairs are a guess.
  std::uint64_t fixed_words = 0;
  std::array<AlphabetReport, 3> alphabets;  ///< symbols, masks, quads
  AlphabetReport values;                    ///< in their place, every value as a symbol
  /// Whether values take fewer bits than the three alphabets: by their entropies, where no code is shorter
  /// than a bit, which is how compress() decides for codes of its own; and with the books chosen from the
  /// dictionary.
  bool own_symbols_only = false, dictionary_symbols_only = false;
  CodebookInfo codebook;  ///< what compress() stores with the same options

  /// Bits of the codes of the sample, beside the fixed words, of values or the three alphabets: the fewer by the
  /// entropies; with the best codes and with the books chosen from the dictionary (0 without one), of what the
  /// flags tell.
  double ideal_bits() const;
  std::uint64_t own_bits() const;
  std::uint64_t dictionary_bits() const;
};

namespace impl {

template <class Exec>
CodebookReport codebook_report(Exec const& exec, void const* field, FieldShape const& shape,
                               Options const& options, Workspace<Exec>& workspace);

template <class Exec>
inline constexpr bool is_host_space =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;

}  // namespace impl

/// Counts the entries that the pipeline huffman codes, in the sample and by the kernels of compress(), and
/// reports entropy, best own codes and the dictionary's books for each alphabet. Only on the execution
/// spaces of the host: copy a field of a device to the host first.
/// \param exec     Kokkos::Serial or Kokkos::OpenMP
/// \param field    as that of compress()
/// \param options  as those of compress(), pipeline huffman
/// \throws Error bad_argument for a strided View, another pipeline or an unusable option, device if there is
///         no memory
/// \note returns after completion; reads at most 2 million values for each predictor that may be chosen, and
///       the field once for an r2r bound
/// Source: Shah et al., Lightweight Huffman Coding for Efficient GPU Compression, ICS 2023, sec. 4.
template <class Exec>
CodebookReport codebook_report(Exec const& exec, ConstFieldData const& field,
                               Options const& options, Workspace<Exec>& workspace) {
  static_assert(impl::is_host_space<Exec>,
                "codebook_report: Exec must be Kokkos::Serial or Kokkos::OpenMP; deep_copy the "
                "field to the host");
  return impl::codebook_report(exec, field.data, field.shape, options, workspace);
}
template <class Exec, FieldReachableFrom<Exec> V>
CodebookReport codebook_report(Exec const& exec, V const& field, Options const& options,
                               Workspace<Exec>& workspace) {
  impl::require_contiguous("codebook_report", field);
  return codebook_report(exec, ConstFieldData(field.data(), shape_of(field)), options, workspace);
}

}  // namespace kompakt

#endif
