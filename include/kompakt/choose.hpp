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
  Options options;  ///< as they were given, with pipeline, variant, predictor and reason set
  Goal goal = Goal::balanced;
  std::size_t sample_values = 0;  ///< 0: none was looked at
  std::vector<Candidate> candidates;

  /// Why, in a line, as every stream keeps it (Reason::text).
  std::string reason() const { return options.reason.text(options.pipeline, options.variant); }
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

/// The streams of the sample that a goal wants to be measured.
std::vector<Options> candidates_for(Goal goal, Options const& options);
/// Sets the pipeline by what has been measured, and the reason.
void decide(Choice& choice);

/// The runs of a sample side by side in the memory of Exec.
template <class Exec>
Kokkos::View<std::byte*, typename Exec::memory_space> gather(Exec const& exec, void const* field,
                                                             FieldSample const& sample) {
  using Memory = typename Exec::memory_space;
  std::size_t const value_bytes = size_of(sample.shape.dtype);
  std::size_t const run_bytes = sample.run_values * value_bytes;
  Kokkos::View<std::byte*, Memory> const values(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "kompakt::choose::sample"),
      sample.shape.bytes());
  using Run = Kokkos::View<std::byte*, Memory, Kokkos::MemoryUnmanaged>;
  using ConstRun = Kokkos::View<std::byte const*, Memory, Kokkos::MemoryUnmanaged>;
  for (std::size_t i = 0; i < sample.starts.size(); ++i) {
    Kokkos::deep_copy(
        exec, Run(values.data() + i * run_bytes, run_bytes),
        ConstRun(static_cast<std::byte const*>(field) + sample.starts[i] * value_bytes, run_bytes));
  }
  return values;
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
template <class Exec>
Choice choose(Exec const& exec, ConstStridedData const& field, Options const& options, Goal goal,
              Workspace<Exec>& workspace) {
  Choice choice;
  choice.goal = goal;
  choice.options = options;
  Options fixed = options;
  if (goal != Goal::speed && field.shape.size() > 0 && options.bound.needs_range() &&
      options.range == 0) {
    FieldRange const range = field_range(exec, field, options.fill, workspace);
    double const width = range.max - range.min;
    if (range.any && width > 0 && width <= std::numeric_limits<double>::max()) fixed.range = width;
    fixed.fill = range.fill ? FillValue::of(*range.fill) : FillValue::none();
  }
  bool const dense = impl::is_dense(field.shape, field.strides);
  impl::FieldSample const sample =
      dense ? impl::FieldSample::of(field.shape) : impl::FieldSample{field.shape, 0, {}};
  std::vector<Options> const candidates =
      field.shape.size() > 0 ? impl::candidates_for(goal, fixed) : std::vector<Options>{};
  if (!candidates.empty()) {
    choice.sample_values = sample.shape.size();
    auto const values = sample.is_whole() ? Kokkos::View<std::byte*, typename Exec::memory_space>()
                                          : impl::gather(exec, field.data, sample);
    CompressedStream<typename Exec::memory_space> stream;
    for (Options const& candidate : candidates) {
      if (sample.is_whole()) {
        compress(exec, field, candidate, workspace, stream);
      } else {
        compress(exec, ConstFieldData(values.data(), sample.shape), candidate, workspace, stream);
      }
      choice.candidates.push_back(
          {candidate.pipeline, candidate.variant,
           static_cast<double>(sample.shape.bytes()) / static_cast<double>(stream.info().bytes)});
    }
  }
  impl::decide(choice);
  return choice;
}
template <class Exec, AnyView V>
Choice choose(Exec const& exec, V const& field, Options const& options, Goal goal,
              Workspace<Exec>& workspace) {
  return choose(exec, impl::readable<Exec>(field), options, goal, workspace);
}

}  // namespace kompakt

#endif
