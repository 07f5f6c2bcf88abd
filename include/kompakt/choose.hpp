#ifndef KOMPAKT_CHOOSE_HPP
#define KOMPAKT_CHOOSE_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <kompakt/choice_record.hpp>
#include <kompakt/compress.hpp>
#include <kompakt/field_range.hpp>
#include <kompakt/options.hpp>
#include <string>
#include <vector>

namespace kompakt {

/// Result of choose().
struct Choice {
  struct Candidate {
    Pipeline pipeline;
    Variant variant;
    Predictor predictor;
    int axis, second_axis, third_axis;  ///< as in Options
    double ratio;                       ///< of the sample
  };
  Options options;      ///< the given ones, with pipeline, variant and predictor set
  ChoiceRecord reason;  ///< pass it to compress(), which stores it in the stream
  Goal goal = Goal::balanced;
  std::size_t sample_values = 0;  ///< number of values compressed by candidates; 0 for `speed`
  std::vector<Candidate> candidates;

  /// The reason in a line (ChoiceRecord::text).
  std::string reason_text() const { return reason.text(options.pipeline, options.variant); }
};

namespace impl {
template <class Exec>
Choice choose(Exec const& exec, FieldSource const& field, Options const& options, Goal goal,
              Workspace<Exec>& workspace, Options* measured = nullptr);
}  // namespace impl

/// Chooses pipeline, variant, predictor and axis for a goal by compressing a deterministic sample with every candidate. The
/// bound is the bound of the whole field. Every execution space makes the same choice.
///
///   ratio     the smallest of fixedlength, bitshuffle and huffman with both kinds of codebooks, the last two also with
///             interpolation, and of the smallest of these along each other index; by up to 4 million values in 8 boxes.
///             Without loss fixedlength along each index
///   speed     fixedlength in chains, without a sample: the fastest on a GPU in both directions
///   smallest  as ratio, with rans and each of its predictors too
///   balanced  bitshuffle; huffman if it saves 15 %, fixedlength if bitshuffle does not save 3 %;
///             bitshuffle with interpolation if its ratio is 1.25 times as large as any other; by one value of 32 to 64
///             in tiles from everywhere, which takes a tenth to a third of the time of a compression
///
/// \param field    as in compress()
/// \param options  the options of the next call; choose() sets their pipeline, variant and predictor, resets their goal,
///                 and sets an axis unless they name one
/// \throws Error as compress()
/// \note returns after completion; takes memory for the sample and its streams
template <class Exec, FieldLike F>
Choice choose(Exec const& exec, F const& field, Options const& options, Goal goal,
              Workspace<Exec>& workspace) {
  return impl::choose(exec, impl::source_of<Exec>(field), options, goal, workspace);
}

}  // namespace kompakt

#endif
