#ifndef KOMPAKT_CODER_ROW_HPP
#define KOMPAKT_CODER_ROW_HPP

#include <cstddef>
#include <cstdint>
#include <kompakt/options.hpp>
#include <kompakt/stream.hpp>
#include <span>
#include <string_view>

// What the library must know of a coder beside its kernels. A coder's folder has a seat.hpp with a struct:
//
//   row                 a CoderRow, one for each pipeline
//   codes(variant)      whether its records are those of a variant
//   has_warp_form       whether backends/cuda/coder has a WarpCoder for it; if not, the generic bodies run on CUDA
//   has_team_form       if true, these have its BackendCoder of backends/cuda/team_coder, for teams that are warps
//
// src/codec/coder/table.hpp lists the seats. Their kernels are found by the struct's type (pipeline/kernels.hpp).

namespace kompakt::impl {

struct VariantRow {
  Variant variant;
  std::string_view word;
  std::string_view help;     ///< what it is, in a line
  std::string_view alias{};  ///< an older word that is understood too
};

/// What a pipeline is in streams, on the command line and in reports.
struct CoderRow {
  Pipeline pipeline;  ///< its number in a header
  std::string_view word;
  std::string_view help;  ///< what it is good for, in a line
  std::span<std::string_view const> aliases;
  std::span<VariantRow const> variants;  ///< beside `automatic`, which every pipeline has
  Variant stored_automatic;              ///< what a header says where `automatic` was asked for
  bool lossless;                         ///< whether residuals of any width have a code
  std::string_view section;              ///< what its section is called; empty: it has none

  /// Where choose() tries it: as the goal `balanced` goes, it is taken if it makes streams so many times smaller than
  /// all rows before it in the table. 0: it is not tried.
  double balanced_gain;
  std::span<Variant const> ratio_variants;  ///< that the goal `ratio` tries beside `automatic`

  // Only if it has a section; radius as in Options.

  /// Throws Error bad_argument for options that the pipeline cannot take; nullptr: it takes all.
  void (*validate)(Options const& options);
  /// Bytes of the longest section, a multiple of section_alignment.
  std::size_t (*max_section_bytes)(int radius);
  /// Tells what the first bytes of an untrusted section of so many bytes say; false if they are not those of one.
  bool (*tell)(std::uint64_t head, std::size_t bytes, StreamInfo& info);
};

/// The class that reads and writes the records of a seat; specialised in its record.hpp.
template <class Seat, class T>
struct CoderAt;
template <class Seat, class T>
using coder_t = typename CoderAt<Seat, T>::type;

}  // namespace kompakt::impl

#endif
