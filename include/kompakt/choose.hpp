#ifndef KOMPAKT_CHOOSE_HPP
#define KOMPAKT_CHOOSE_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <kompakt/compress.hpp>
#include <kompakt/field_range.hpp>
#include <kompakt/options.hpp>
#include <kompakt/reason.hpp>
#include <limits>
#include <string>
#include <vector>

namespace kompakt {

/// What choose() found.
struct Choice {
  struct Candidate {
    Pipeline pipeline;
    Variant variant;
    double ratio;  ///< of the sample
  };
  Options options;  ///< as they were given, with pipeline, variant and predictor set
  Reason reason;    ///< to be handed to compress(), which keeps it in the stream
  Goal goal = Goal::balanced;
  std::size_t sample_values = 0;  ///< 0: none was looked at
  std::vector<Candidate> candidates;

  /// The reason in a line (Reason::text).
  std::string reason_text() const { return reason.text(options.pipeline, options.variant); }
};

namespace impl {

/// Runs of neighbouring values of a field that together make a smaller one: whole rows, or planes, as large
/// tiles as the field has, the same ones everywhere.
struct FieldSample {
  FieldShape shape;                 ///< of all runs, one after the other
  std::size_t run_values = 0;       ///< of a run
  std::vector<std::size_t> starts;  ///< of the runs, in values

  static FieldSample of(FieldShape const& field);
  bool is_whole() const { return starts.empty(); }
};

/// A choice that is still to be made.
/// \throws Error bad_argument for a goal that is none
Choice undecided(Options const& options, Goal goal);
/// The streams of the sample that a goal wants to be measured.
std::vector<Options> candidates_for(Goal goal, Options const& options);
/// Sets the pipeline by what has been measured, and the reason.
void decide(Choice& choice);

/// The runs of a sample side by side in the memory of Exec.
/// \tparam FieldMemory  space of the field's memory
template <class FieldMemory, class Exec>
Kokkos::View<std::byte*, typename Exec::memory_space> gather(Exec const& exec, void const* field,
                                                             FieldSample const& sample) {
  using Memory = typename Exec::memory_space;
  std::size_t const value_bytes = size_of(sample.shape.dtype);
  std::size_t const run_bytes = sample.run_values * value_bytes;
  Kokkos::View<std::byte*, Memory> const values(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "kompakt::choose::sample"),
      sample.shape.bytes());
  using Run = Kokkos::View<std::byte*, Memory, Kokkos::MemoryUnmanaged>;
  using ConstRun = Kokkos::View<std::byte const*, FieldMemory, Kokkos::MemoryUnmanaged>;
  for (std::size_t i = 0; i < sample.starts.size(); ++i) {
    Kokkos::deep_copy(
        exec, Run(values.data() + i * run_bytes, run_bytes),
        ConstRun(static_cast<std::byte const*>(field) + sample.starts[i] * value_bytes, run_bytes));
  }
  return values;
}

/// The options with what a bound relative to the range takes, as measured on the whole field.
template <class Exec>
Options with_range(Exec const& exec, FieldSource const& field, Options options,
                   Workspace<Exec>& workspace) {
  if (field.shape.size() == 0 || !options.bound.needs_range() || options.range != 0) return options;
  FieldRange const range = field_range(exec, field, options.fill, workspace);
  double const width = range.width();
  if (width > 0 && width <= std::numeric_limits<double>::max()) options.range = width;
  options.fill = range.fill ? FillValue::of(*range.fill) : FillValue::none();
  return options;
}

/// Compresses a field with every candidate and notes the ratios.
template <class Exec>
void try_candidates(Exec const& exec, FieldSource const& field,
                    std::vector<Options> const& candidates, Workspace<Exec>& workspace,
                    Choice& choice) {
  CompressedStream<typename Exec::memory_space> stream;
  if (!candidates.empty()) choice.sample_values = field.shape.size();
  for (Options const& candidate : candidates) {
    stream.reserve(max_compressed_bytes(field.shape, candidate));
    StreamInfo const info = finish_compress(start_compress(exec, field, candidate, {}, workspace,
                                                           stream.data(), stream.capacity_bytes()));
    choice.candidates.push_back(
        {candidate.pipeline, candidate.variant,
         static_cast<double>(field.shape.bytes()) / static_cast<double>(info.bytes)});
  }
}

template <class Exec>
Choice choose(Exec const& exec, FieldSource const& field, Options const& options, Goal goal,
              Workspace<Exec>& workspace) {
  Choice choice = undecided(options, goal);
  if (goal != Goal::speed && field.shape.size() > 0) {
    Options const fixed = with_range(exec, field, options, workspace);
    std::vector<Options> const candidates = candidates_for(goal, fixed);
    FieldSample const sample = is_dense(field.shape, field.strides)
                                   ? FieldSample::of(field.shape)
                                   : FieldSample{field.shape, 0, {}};
    if (sample.is_whole() || candidates.empty()) {
      try_candidates(exec, field, candidates, workspace, choice);
    } else {
      auto const values = field.access == FieldAccess::staged
                              ? gather<Kokkos::HostSpace>(exec, field.data, sample)
                              : gather<typename Exec::memory_space>(exec, field.data, sample);
      try_candidates(exec, {ConstFieldData(values.data(), sample.shape)}, candidates, workspace,
                     choice);
    }
  }
  decide(choice);
  return choice;
}

}  // namespace impl

/// Chooses pipeline, variant and predictor for a goal by compressing a deterministic sample: up to 4 million
/// values, 16 runs of neighbouring rows or planes, with every candidate. The bound is that of the whole
/// field. The same choice on every execution space.
///
///   ratio     fixedlength, bitshuffle and huffman, that with either kind of codebook: the smallest
///   speed     fixedlength in chains, without a look at the field: the fastest on a GPU each way
///   balanced  bitshuffle; huffman where that saves 15 %, fixedlength where bitshuffle does not save 3 %
///
/// \param field    as that of compress(); of one whose values do not lie side by side all are compressed
/// \param options  those of the call that is to follow; pipeline, variant and predictor do not matter
/// \throws Error as compress()
/// \note returns after completion; takes memory for the sample and its streams
template <class Exec, FieldLike F>
Choice choose(Exec const& exec, F const& field, Options const& options, Goal goal,
              Workspace<Exec>& workspace) {
  return impl::choose(exec, impl::source_of<Exec>(field), options, goal, workspace);
}

}  // namespace kompakt

#endif
