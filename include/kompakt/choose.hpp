#ifndef KOMPAKT_CHOOSE_HPP
#define KOMPAKT_CHOOSE_HPP

#include <Kokkos_Core.hpp>
#include <array>
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
    double ratio;  ///< of the sample
  };
  Options options;      ///< the given ones, with pipeline, variant and predictor set
  ChoiceRecord reason;  ///< pass it to compress(), which stores it in the stream
  Goal goal = Goal::balanced;
  std::size_t sample_values = 0;  ///< 0: no sample was compressed
  std::vector<Candidate> candidates;

  /// The reason in a line (ChoiceRecord::text).
  std::string reason_text() const { return reason.text(options.pipeline, options.variant); }
};

namespace impl {

/// Boxes of a field, the same ones everywhere: as much of each index as predictors look at.
struct FieldSample {
  FieldShape box;                                         ///< the shape of each
  std::vector<std::array<std::size_t, max_rank>> begins;  ///< where they start

  /// The whole field, if it is small.
  static FieldSample of(FieldShape const& field);
  std::size_t values() const { return begins.size() * box.size(); }
  /// The i-th box.
  FieldSource part(FieldSource const& field, std::size_t i) const;
};

/// A choice that is still to be made.
/// \throws Error bad_argument for an unknown goal
Choice undecided(Options const& options, Goal goal);
/// The streams of the sample that a goal wants to be measured.
std::vector<Options> candidates_for(Goal goal, Options const& options);
/// Sets the pipeline by what has been measured, and the reason.
void decide(Choice& choice);

/// The options with what a bound relative to the range takes, as measured on the whole field.
template <class Exec>
Options with_range(Exec const& exec, FieldSource const& field, Options options,
                   Workspace<Exec>& workspace) {
  if (field.shape.size() == 0 || !options.bound.needs_range() || options.range != 0) return options;
  return options_for_parts(field_range(exec, field, options.fill, workspace), options);
}

/// Compresses a sample with every candidate and notes the ratios.
template <class Exec>
void try_candidates(Exec const& exec, FieldSource const& field, FieldSample const& sample,
                    std::vector<Options> const& candidates, Workspace<Exec>& workspace,
                    Choice& choice) {
  CompressedStream<typename Exec::memory_space> stream;
  for (Options const& candidate : candidates) {
    stream.reserve(max_compressed_bytes(sample.box, candidate));
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < sample.begins.size(); ++i) {
      bytes += finish_compress(start_compress(exec, sample.part(field, i), candidate, {}, workspace,
                                              stream.data(), stream.capacity_bytes()))
                   .bytes;
    }
    std::size_t const raw = sample.values() * size_of(field.shape.dtype);
    choice.candidates.push_back({candidate.pipeline, candidate.variant, candidate.predictor,
                                 static_cast<double>(raw) / static_cast<double>(bytes)});
  }
}

template <class Exec>
Choice choose(Exec const& exec, FieldSource const& field, Options const& options, Goal goal,
              Workspace<Exec>& workspace) {
  Choice choice = undecided(options, goal);
  if (goal != Goal::speed && field.shape.size() > 0) {
    Options const fixed = with_range(exec, field, choice.options, workspace);
    std::vector<Options> const candidates = candidates_for(goal, fixed);
    FieldSample const sample = FieldSample::of(field.shape);
    if (!candidates.empty()) choice.sample_values = sample.values();
    try_candidates(exec, field, sample, candidates, workspace, choice);
  }
  decide(choice);
  return choice;
}

}  // namespace impl

/// Chooses pipeline, variant and predictor for a goal by compressing a deterministic sample: up to 4 million
/// values, in 8 boxes, with every candidate. The bound is the bound of the whole field. Every execution
/// space makes the same choice.
///
///   ratio     the smallest of fixedlength, bitshuffle and huffman with both kinds of codebooks, the last two also with
///             interpolation
///   speed     fixedlength in chains, without a sample: the fastest on a GPU in both directions
///   balanced  bitshuffle; huffman if it saves 15 %, fixedlength if bitshuffle does not save 3 %;
///             bitshuffle with interpolation if its ratio is 1.5 times as large as any of these
///
/// \param field    as in compress()
/// \param options  the options of the next call; choose() sets their pipeline, variant and predictor, and resets their goal
/// \throws Error as compress()
/// \note returns after completion; takes memory for the sample and its streams
template <class Exec, FieldLike F>
Choice choose(Exec const& exec, F const& field, Options const& options, Goal goal,
              Workspace<Exec>& workspace) {
  return impl::choose(exec, impl::source_of<Exec>(field), options, goal, workspace);
}

}  // namespace kompakt

#endif
