#ifndef KOMPAKT_PIPELINE_CHOICE_HPP
#define KOMPAKT_PIPELINE_CHOICE_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <kompakt/choose.hpp>
#include <pipeline/compress.hpp>
#include <pipeline/find_steps.hpp>
#include <pipeline/tile_sample.hpp>
#include <span>
#include <vector>

// Which pipeline suits a field: samples of it are compressed. For `ratio` and `smallest` boxes: a few by all that may win, and
// larger ones by the best of these. For `balanced`, the default, what a choice costs counts: tiles from everywhere tell what the
// pipelines come to, and boxes, which cost more, are looked at only where neighbours say so little of a value's bits that
// interpolation may win by far.

namespace kompakt::impl {

/// Boxes of a field, the same ones everywhere: as much of each index as predictors look at.
struct BoxSample {
  FieldShape box;                                         ///< the shape of each
  std::vector<std::array<std::size_t, max_rank>> begins;  ///< where they start

  /// The whole field, if it has no more values than these. A box of parts of complex numbers has both parts of each.
  static BoxSample of(FieldSource const& source, std::size_t max_values, std::size_t max_boxes);
  std::size_t values() const { return begins.size() * box.size(); }
  /// The i-th box.
  FieldSource part(FieldSource const& field, std::size_t i) const;
};

/// Values of samples.
struct SampleSizes {
  /// Of fields with so many values all are looked at.
  static constexpr std::size_t small_field = std::size_t{1} << 14;
  static constexpr std::size_t boxes_for_size = 8;
  static constexpr std::size_t boxes_of_interpolation = 2;
  /// Of the tiles that are looked at where interpolation is considered, at most.
  static constexpr std::int64_t neighbour_tiles = 16;

  static std::int64_t tiles(std::size_t field_values);
  /// Of the boxes by which all candidates for size are compared, and of those by which the best of these are.
  static std::size_t first_boxes(std::size_t field_values);
  static std::size_t last_boxes(std::size_t field_values);
  /// Of a box in which interpolation is tried: of a first look, which most fields do not get past, and of a second one.
  static std::size_t first_box(std::size_t field_values);
  static std::size_t second_box(std::size_t field_values);
};

/// A choice that is still to be made.
Choice undecided(Options const& options, Goal goal);
/// What `balanced` compares by tiles, and what `ratio` and `smallest` compare by boxes.
std::vector<Options> balanced_candidates(Options const& options);
std::vector<Options> ratio_candidates(Options const& options);
std::vector<Options> smallest_candidates(Options const& options);
Options interpolated_candidate(Options const& options);
/// The variant that `automatic` comes to in a large field, for which a codebook of its own pays.
Options large_field_variant(Options candidate);
/// What `ratio` tries along other axes: the smallest candidates without and with levels.
std::vector<Options> axis_candidates(Choice const& choice, Options const& options);
/// The value that occurs most often in a sample, if it is at least one in 20.
template <class T>
std::optional<T> frequent_value(std::span<T> values);
/// Half the width of bins within an absolute bound, or one by a range that the options have; 0 of other bounds.
double known_bound(Options const& options);
/// The stride by which about so many of some values are taken.
constexpr std::size_t stride_to(std::size_t taken, std::size_t values) {
  return std::max(values / taken, std::size_t{1});
}
/// Whether some of a few values lie so close to each other that they are no steps of such a width: this costs a tenth of a search for
/// steps, and spares it in most fields.
template <class T>
bool lie_closer_than(double width, std::span<T const> values);
/// Notes what a candidate comes to.
void note(Choice& choice, Options const& candidate, double ratio);
/// The one that makes the smallest streams so far.
Choice::Candidate smallest_of(Choice const& choice);
/// Which of some candidates are worth a second look, by what they came to in a first one: where `most` of these stand among them.
/// Besides, if not only the best one counts, the best one with levels.
std::vector<std::size_t> finalists(std::span<Options const> candidates,
                                   std::span<double const> ratios, std::size_t most);
/// Sets the pipeline by what has been measured, and the reason.
void decide(Choice& choice);

/// Whether interpolation may beat a ratio by as much as it has to, by the residuals of values of a sample between their
/// neighbours.
/// \param values   of some tiles of the sample, side by side; fill values become NaN
/// \param options  with the range, where the bound goes by it
template <class T>
bool may_interpolate(std::span<T> values, TileSample const& sample, Options const& options,
                     double ratio);

/// Compresses samples of a field, and notes what comes of it.
template <class Exec>
class Trials {
 public:
  /// \param options  with the range, where the bound goes by it
  Trials(Exec const& exec, FieldSource const& field, Options const& options,
         Workspace<Exec>& workspace, Choice& choice)
      : m_exec(exec),
        m_field(field),
        m_options(options),
        m_workspace(workspace),
        m_choice(choice) {}

  /// \param goal        ratio or smallest
  /// \param tries_axes  whether another index may be coded as the fastest
  void for_size(Goal goal, bool tries_axes) {
    bool const is_exact = m_options.bound.mode == ErrorBound::Mode::lossless;
    ValueSteps steps = ValueSteps::none();
    if (is_exact) {
      try_steps();
      try_mask();
    } else {
      steps = steps_of_nearly_all();
      Options stepped = m_options;
      stepped.steps = steps;
      if (suit_bins(steps) && is_smaller_with(stepped)) take_steps(steps);
    }
    double const first = compare(m_field, goal == Goal::ratio ? ratio_candidates(m_options)
                                                              : smallest_candidates(m_options));
    if (tries_axes) try_axes(first);
    if (!is_exact && (buys_little() || are_wide(steps))) try_lossless(goal, tries_axes);
  }

  void balanced(bool tries_axes) {
    in_each_order(tries_axes, [&] { by_pipelines(); });
    if (m_lossless_ratio <= smallest_of(m_choice).ratio) return;
    take_lossless();
    take_steps(m_lossless_steps);
    pack_few_bytes();
  }

  /// Without loss a balanced choice has one pipeline: steps that nearly all values are made of, whatever comes of them in streams,
  /// and whether these are packed.
  void balanced_without_loss(bool tries_axes) {
    take_steps(steps_of_nearly_all());
    in_each_order(tries_axes, [&] { without_loss(); });
    pack_few_bytes();
  }

 private:
  /// Compares the pipelines of a balanced choice, in the present order of indices.
  void by_pipelines() {
    std::size_t const size = m_field.shape.size();
    if (size <= SampleSizes::small_field) {
      ValueSteps const steps = steps_of_nearly_all();
      if (suit_bins(steps)) take_steps(steps);
      std::vector<Options> candidates = balanced_candidates(m_options);
      candidates.push_back(interpolated_candidate(m_options));
      compare(BoxSample::of(m_field, size, 1), m_field, candidates);
      if (may_be_without_loss(steps)) note_lossless(m_field, steps);
    } else {
      with_word_type(coded(), [&]<class T>(T) {
        if (by_tiles<T>(tiles_of_field(), balanced_candidates(m_options))) try_interpolation();
      });
    }
  }
  TileSample tiles_of_field() const {
    return {m_field.shape, m_field.strides, SampleSizes::tiles(m_field.shape.size())};
  }
  /// Notes what is without loss in the present order of indices.
  void without_loss() {
    if (m_field.shape.size() <= SampleSizes::small_field) return note_lossless(m_field);
    with_word_type(coded(), [&]<class T>(T) {
      with_stored<T>(m_field.shape.dtype, coded(), [&]<class Stored>(Stored) {
        TileSample const sample = tiles_of_field();
        FieldShape const shape = sample.shape(m_field.shape.dtype);
        auto const values = gathered<Stored>(sample);
        m_choice.sample_values += shape.size();
        note_lossless({ConstFieldData(values.data(), shape), FieldAccess::direct});
      });
    });
  }

  /// Measures a balanced choice in the natural order of indices, and with each longer index as the fastest where rows are short:
  /// values side by side in memory may be components of something then. Another order takes a copy of the field in both directions.
  template <class Measure>
  void in_each_order(bool tries_axes, Measure const& measure) {
    constexpr double least_gain = 1.1;
    measure();
    std::vector<int> const axes = long_axes();
    if (!tries_axes || !has_short_rows(axes)) return;
    FieldSource const natural = m_field;
    for (int const axis : axes) {
      if (extent_along(axis) <= extent_along(axes.front())) continue;
      CodedAxes const named{axis, -1, -1};
      Choice const before = m_choice;
      Options const options_before = m_options;
      double const reached_before = reached(), lossless_before = m_lossless_ratio;
      m_choice.candidates.clear();
      m_lossless_ratio = 0;
      m_field =
          coded_field(natural.shape, order_of(natural.shape, named, natural.has_parts), natural);
      measure();
      m_field = natural;
      if (reached() >= least_gain * reached_before) {
        for (Choice::Candidate& candidate : m_choice.candidates) name_axes(candidate, named);
        name_axes(m_choice.options, named);
      } else {
        m_choice = before;
        m_options = options_before;
        m_lossless_ratio = lossless_before;
      }
    }
  }
  bool has_short_rows(std::vector<int> const& axes) const {
    constexpr std::size_t longest = 16;
    return axes.size() > 1 && m_field.shape.size() > SampleSizes::small_field &&
           extent_along(axes.front()) <= longest;
  }
  std::size_t extent_along(int axis) const {
    FieldShape const& shape = m_field.shape;
    return shape
        .extents[static_cast<std::size_t>(axis + entries_before_field(shape, m_field.has_parts))];
  }
  /// The largest ratio of a balanced choice so far.
  double reached() const {
    double const within_bound = m_choice.candidates.empty() ? 0 : smallest_of(m_choice).ratio;
    return std::max(within_bound, m_lossless_ratio);
  }

  /// Whether a bound may buy nothing: below a few times the spacing of values bins are more than these, or too far from 0 to be
  /// coded.
  bool buys_little() const {
    constexpr double little = 3;
    Dtype const dtype = m_field.shape.dtype;
    return (is_number(dtype) || is_half(dtype)) && smallest_of(m_choice).ratio < little;
  }
  /// Whether streams of steps may be so much smaller that it pays to look for steps in a balanced choice.
  bool has_many_bits() const {
    constexpr double bits = 2;
    return 8 * static_cast<double>(size_of(m_field.shape.dtype)) >
           bits * smallest_of(m_choice).ratio;
  }
  /// Whether steps are at least as wide as bins, so that a bound merges no values.
  bool are_wide(ValueSteps const& steps) const {
    double const bin = 2 * known_bound(m_options);
    return bin > 0 && width_of(steps) >= bin;
  }
  /// Whether a balanced choice compares what is without loss. With limits it does not: the stream tells how many values lie outside.
  bool may_be_without_loss(ValueSteps const& steps) const {
    return !m_options.limits.any() && (buys_little() || are_wide(steps));
  }
  /// Whether bins of a width that goes by steps take more values each.
  bool suit_bins(ValueSteps const& steps) const {
    double const bound = known_bound(m_options);
    return bound > 0 &&
           Quantizer<double>::width_on_lattice(bound, lattice_of(steps), m_options.magnitude) > 0;
  }
  Dtype coded() const { return coded_type(m_field.shape.dtype, m_options.bound.mode); }

  /// Compares candidates by the boxes of a sample.
  void compare(BoxSample const& sample, FieldSource const& field,
               std::vector<Options> const& candidates) {
    std::vector<double> const ratios = ratios_in(sample, field, candidates, all_bytes);
    for (std::size_t i = 0; i < candidates.size(); ++i) note(m_choice, candidates[i], ratios[i]);
  }
  /// Compares candidates for size, if none has been: all by some boxes, the best of these by more. Of the others it is noted what
  /// they would come to if more boxes changed as much for them as for the best one.
  /// \param least  the ratio in the first boxes below which none is worth more of them; then none is noted
  /// \param most   how many are worth more of them
  /// \returns the ratio of the smallest one in the first boxes; 0 if there are none
  double compare(FieldSource const& field, std::vector<Options> const& candidates, double least = 0,
                 std::size_t most = 3) {
    BoxSample const some = first_sample(field), more = last_sample(field);
    if (4 * some.values() >= more.values()) {
      compare(more, field, candidates);
      return 0;
    }
    std::vector<double> const ratios = ratios_in(some, field, candidates, bytes_without_once);
    double const best = *std::ranges::max_element(ratios);
    if (best < least) return best;
    std::vector<std::size_t> const close = finalists(candidates, ratios, most);
    std::vector<Options> last;
    for (std::size_t const i : close) last.push_back(candidates[i]);
    compare(more, field, last);
    auto const smallest =
        std::ranges::max_element(m_choice.candidates, {}, &Choice::Candidate::ratio);
    double const reached = smallest->ratio;
    double const first = ratios[close[static_cast<std::size_t>(
        std::distance(m_choice.candidates.begin(), smallest))]];
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (std::ranges::binary_search(close, i)) continue;
      note(m_choice, candidates[i], std::min(reached, ratios[i] * reached / best));
    }
    return first;
  }
  /// What candidates come to in a sample.
  /// \param bytes  of a stream, that count
  std::vector<double> ratios_in(BoxSample const& sample, FieldSource const& field,
                                std::vector<Options> const& candidates,
                                std::size_t (*bytes)(StreamInfo const&)) {
    m_choice.sample_values += sample.values();
    std::vector<double> ratios;
    for (Options const& candidate : candidates) {
      ratios.push_back(quotient(sample.values() * size_of(field.shape.dtype),
                                bytes_of(sample, field, candidate, bytes)));
    }
    return ratios;
  }
  static BoxSample first_sample(FieldSource const& field) {
    return BoxSample::of(field, SampleSizes::first_boxes(field.shape.size()),
                         SampleSizes::boxes_for_size);
  }
  static BoxSample last_sample(FieldSource const& field) {
    return BoxSample::of(field, SampleSizes::last_boxes(field.shape.size()),
                         SampleSizes::boxes_for_size);
  }

  /// Whether other options make packed streams of a sample smaller.
  bool is_smaller_with(Options other) {
    Options present = m_options;
    other.pack = present.pack = true;
    BoxSample const boxes = last_sample(m_field);
    return bytes_of(boxes, m_field, other) < bytes_of(boxes, m_field, present);
  }

  /// Without loss: steps that make streams of a sample smaller, though they leave out some values.
  void try_steps() {
    constexpr double most = 0.9;
    Options stepped = m_options;
    stepped.steps = sampled_steps(most);
    if (stepped.steps.any() && is_smaller_with(stepped)) take_steps(stepped.steps);
  }
  void take_steps(ValueSteps const& steps) {
    if (!steps.any()) return;
    m_options.steps = steps;
    m_choice.options.steps = steps;
  }
  ValueSteps steps_of_nearly_all() { return sampled_steps(nearly_all); }
  ValueSteps sampled_steps(double least_share) {
    FieldShape const& shape = m_field.shape;
    if (!may_look_for_steps()) return ValueSteps::none();
    std::size_t const most = is_for_size(m_choice.goal) ? shape.size() : shape.size() / 64;
    auto const count =
        static_cast<std::int64_t>(std::clamp(most, std::size_t{1} << 11, steps_sample_values));
    return with_word_type(shape.dtype, [&]<class T>(T) {
      std::vector<T> const values = sampled_values<T>(count);
      m_choice.sample_values += values.size();
      return steps_among<T>(values, least_share);
    });
  }
  bool may_look_for_steps() const {
    constexpr std::size_t fewest = 64;
    return m_options.steps.kind == ValueSteps::Kind::automatic && is_number(m_field.shape.dtype) &&
           m_field.shape.size() >= fewest;
  }
  /// Steps that a share of values are made of, by every `stride`-th of these.
  template <class T>
  ValueSteps steps_among(std::span<T const> values, double least_share,
                         std::size_t stride = 1) const {
    std::vector<T> some;
    some.reserve(values.size() / stride + 1);
    for (std::size_t i = 0; i < values.size(); i += stride) {
      if (!m_options.fill.declares(static_cast<double>(values[i]))) some.push_back(values[i]);
    }
    return find_steps(std::span<T>(some), least_share);
  }

  /// Without loss, a value that is scattered over the field costs a bit if it is masked, and disturbs no neighbour.
  void try_mask() {
    FieldShape const& shape = m_field.shape;
    bool const may_mask = m_options.fill.mode == FillValue::Mode::automatic &&
                          is_number(shape.dtype) && shape.size() > SampleSizes::small_field;
    if (!may_mask) return;
    std::optional<double> const frequent =
        with_word_type(shape.dtype, [&]<class T>(T) -> std::optional<double> {
          std::vector<T> values = sampled_values<T>(SampleSizes::tiles(shape.size()));
          auto const found = frequent_value(std::span<T>(values));
          return found ? std::optional<double>(static_cast<double>(*found)) : std::nullopt;
        });
    if (!frequent) return;
    Options masked = m_options;
    masked.fill = FillValue::of(*frequent);
    if (!is_smaller_with(masked)) return;
    m_options.fill = masked.fill;
    m_choice.options.fill = masked.fill;
  }

  void take_lossless() {
    m_choice.options = lossless(m_choice.options);
    m_options = lossless(m_options);
    m_choice.candidates.clear();
  }
  static Options lossless(Options options) {
    options.bound = ErrorBound::lossless();
    options.pipeline = Pipeline::automatic;  // the one that was named may know no codes so long
    options.range = options.magnitude = 0;
    options.limits = {};
    return options;
  }

  /// For a balanced choice: what comes of a sample without loss.
  /// \param shapes  as of EncodeRequest
  void note_lossless(FieldSource const& sample, ValueSteps const& steps = ValueSteps::none(),
                     std::uint32_t shapes = 0) {
    Options exact = lossless(m_options);
    exact.pipeline = Pipeline::fixedlength;
    m_lossless_steps = m_options.steps.any() ? m_options.steps : steps;
    exact.steps = m_lossless_steps;
    m_lossless_ratio =
        quotient(sample.shape.bytes(), bytes_without_once(compressed(sample, exact, shapes)));
  }
  /// Streams without loss that have so few bytes that packing them takes little of a call.
  void pack_few_bytes() {
    constexpr double few = 8;
    m_choice.options.pack |= m_lossless_ratio >= few;
  }

  /// Takes what is without loss if streams of a sample are smaller so.
  void try_lossless(Goal goal, bool tries_axes) {
    Choice const within_bound = m_choice;
    Options const bounded = m_options;
    take_lossless();
    for_size(goal, tries_axes);
    if (smallest_of(m_choice).ratio > smallest_of(within_bound).ratio) return;
    m_choice = within_bound;
    m_options = bounded;
  }

  /// Tries the smallest candidates with each other index as the fastest, in boxes that are long along it; of four indices and more
  /// also what is predicted along besides the best of these.
  /// \param first  the ratio of the smallest candidate in the first boxes, 0 without such
  void try_axes(double first) {
    Choice const natural = m_choice;
    std::vector<int> const axes = long_axes();
    for (int const axis : axes) try_order(natural, {axis, -1, -1}, first);
    if (axes.size() < 4) return;
    int const best = smallest_of(m_choice).axis;
    int const lead = best < 0 ? axes.front() : best;
    for (int const second : axes) {
      for (int const third : axes) {
        if (lead == second || second == third || lead == third) continue;
        IndexOrder const coded =
            order_of(m_field.shape, CodedAxes{lead, second, third}, m_field.has_parts);
        bool const is_new = coded.second != 0 || coded.third != 0;
        if (is_new) try_order(natural, {lead, second, third}, first);
      }
    }
  }

  /// The indices with more than one value, the fastest in memory first; without the one that tells parts of complex numbers.
  std::vector<int> long_axes() const {
    FieldShape const& shape = m_field.shape;
    std::vector<int> axes;
    for (int faster = 0; faster < shape.rank; ++faster) {
      auto const entry = static_cast<std::size_t>(entry_of(shape, faster));
      bool const tells_parts = m_field.has_parts && entry == part_axis(shape);
      if (shape.extents[entry] == 1 || tells_parts) continue;
      axes.push_back(static_cast<int>(entry) - entries_before_field(shape, m_field.has_parts));
    }
    return axes;
  }

  /// Compares the smallest candidates along the natural order of indices in another order.
  void try_order(Choice const& natural, CodedAxes const& axes, double first) {
    constexpr double least_gain = 1.02;  // it takes a copy of the field, in both directions
    IndexOrder const coded = order_of(m_field.shape, axes, m_field.has_parts);
    if (coded.is_natural()) return;
    double const before = smallest_of(natural).ratio;
    Choice along;
    std::swap(along, m_choice);
    // In small boxes an axis gains less than in the field.
    compare(coded_field(m_field.shape, coded, m_field), axis_candidates(natural, m_options),
            first / 1.1, 1);
    std::swap(along, m_choice);
    for (Choice::Candidate candidate : along.candidates) {
      name_axes(candidate, axes);
      if (candidate.ratio >= least_gain * before) m_choice.candidates.push_back(candidate);
    }
  }

  /// Compares candidates by tiles.
  /// \return whether interpolation may be better by far
  template <class T>
  bool by_tiles(TileSample const& sample, std::vector<Options> const& candidates) {
    return with_stored<T>(m_field.shape.dtype, coded(), [&]<class Stored>(Stored) {
      return by_tiles_of<Stored, T>(sample, candidates);
    });
  }
  /// \tparam Stored  as which values lie in the field that kernels take as T
  template <class Stored, class T>
  bool by_tiles_of(TileSample const& sample, std::vector<Options> const& candidates) {
    FieldShape const shape = sample.shape(m_field.shape.dtype);
    auto const values = gathered<Stored>(sample);
    m_choice.sample_values += shape.size();
    FieldSource const tiles{ConstFieldData(values.data(), shape), FieldAccess::direct};
    std::uint32_t const shapes = compare_by(tiles, candidates);
    std::vector<Stored> const stored =
        tiles_on_host(sample, values, Kokkos::min(sample.tiles, SampleSizes::neighbour_tiles));
    ValueSteps const steps = has_many_bits() ? found_steps<Stored>(stored) : ValueSteps::none();
    if (suit_bins(steps)) try_bins_of(steps, tiles, candidates);
    if (may_be_without_loss(steps)) {
      note_lossless(tiles, steps.any() ? steps_of_nearly_all() : steps, shapes);
    }
    std::vector<T> neighbours(stored.size());
    std::ranges::transform(stored, neighbours.begin(),
                           [](Stored value) { return convert_stored<T>(value); });
    // Of what is coded, and per byte of it.
    Options numbers = m_options;
    Dtype const dtype = m_field.shape.dtype;
    numbers.bound = bound_of_numbers(
        dtype, bound_with_range(dtype, m_options.bound, m_options.range), m_field.largest);
    double const bytes = static_cast<double>(sizeof(T)) / sizeof(Stored);
    return may_interpolate(std::span<T>(neighbours), sample, numbers,
                           smallest_of(m_choice).ratio * bytes);
  }

  /// Compares candidates by a sample.
  /// \returns the shape of tiles that is best for them, as EncodeRequest::shapes
  std::uint32_t compare_by(FieldSource const& tiles, std::vector<Options> const& candidates) {
    std::uint32_t shapes = 0;
    for (Options const& candidate : candidates) {
      StreamInfo const info = compressed(tiles, large_field_variant(candidate), shapes);
      // One shape of tiles serves for all: to look for the best one is most of the work in a field of this size.
      if (shapes == 0 && info.prediction) {
        shapes = 1u << static_cast<unsigned>(info.prediction->shape);
      }
      note(m_choice, candidate, quotient(tiles.shape.bytes(), bytes_without_once(info)));
    }
    return shapes;
  }
  /// Takes steps that bins may go by, if streams of a sample are smaller so.
  void try_bins_of(ValueSteps const& steps, FieldSource const& tiles,
                   std::vector<Options> candidates) {
    auto const before = std::exchange(m_choice.candidates, {});
    for (Options& candidate : candidates) candidate.steps = steps;
    compare_by(tiles, candidates);
    double const reached_before = std::ranges::max(before, {}, &Choice::Candidate::ratio).ratio;
    if (smallest_of(m_choice).ratio > reached_before) return take_steps(steps);
    m_choice.candidates = before;
  }
  /// Steps that nearly all values are made of, wide enough to matter within the bound.
  template <class T>
  ValueSteps found_steps(std::span<T const> values) const {
    if constexpr (std::is_floating_point_v<T>) {
      constexpr std::size_t enough = std::size_t{1} << 11;
      bool const may_be = known_bound(m_options) > 0 && may_look_for_steps() &&
                          !lie_closer_than(known_bound(m_options) / 8, values);
      if (may_be) return steps_among(values, nearly_all, stride_to(enough, values.size()));
    }
    return ValueSteps::none();
  }

  /// The values of a sample of tiles, side by side in memory of Exec.
  template <class T>
  Kokkos::View<T*, typename Exec::memory_space> gathered(TileSample const& sample) {
    Kokkos::View<T*, typename Exec::memory_space> const values(
        Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "kompakt::choose: tiles"),
        sample.shape(m_field.shape.dtype).size());
    gather_tiles(m_exec, m_field, sample, values.data());
    return values;
  }
  /// About so many values of tiles from everywhere, on the host.
  template <class T>
  std::vector<T> sampled_values(std::int64_t count) {
    TileSample const sample(m_field.shape, m_field.strides, count);
    return tiles_on_host(sample, gathered<T>(sample), sample.tiles);
  }
  /// The first `tiles` of them.
  template <class T>
  std::vector<T> tiles_on_host(TileSample const& sample,
                               Kokkos::View<T*, typename Exec::memory_space> const& values,
                               std::int64_t tiles) {
    auto const count =
        static_cast<std::size_t>(tiles) * values.size() / static_cast<std::size_t>(sample.tiles);
    std::vector<T> found(count);
    using Host = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(m_exec, Host(found.data(), count),
                      Kokkos::subview(values, std::pair<std::size_t, std::size_t>(0, count)));
    m_exec.fence("kompakt::choose: tiles");
    return found;
  }

  /// Holds interpolation against the smallest candidate, in boxes. Its ratio is noted as if of the tiles.
  void try_interpolation() {
    Choice::Candidate const best = smallest_of(m_choice);
    Options other = m_options;
    other.pipeline = best.pipeline;
    std::size_t const size = m_field.shape.size();
    Options const interpolated = interpolated_candidate(m_options);
    double gained = gain(SampleSizes::first_box(size), interpolated, other);
    // Levels need room: in a small box interpolation gains less than in a field, but where it gains nothing it will not.
    constexpr double least_gain = 1.1;
    if (gained >= least_gain) gained = gain(SampleSizes::second_box(size), interpolated, other);
    note(m_choice, interpolated, best.ratio * gained);
  }
  /// How many times smaller than by other options streams of some boxes are.
  double gain(std::size_t box_values, Options const& candidate, Options const& other) {
    BoxSample const sample =
        BoxSample::of(m_field, SampleSizes::boxes_of_interpolation * box_values,
                      SampleSizes::boxes_of_interpolation);
    m_choice.sample_values += sample.values();
    return quotient(bytes_of(sample, m_field, other), bytes_of(sample, m_field, candidate));
  }

  /// Bytes of a stream without header, tables and codebook, of which a large field has one, too.
  static std::size_t bytes_without_once(StreamInfo const& info) {
    std::size_t const once = 200 + info.codebook.bytes;
    return info.bytes > 2 * once ? info.bytes - once : info.bytes;
  }
  static double quotient(std::size_t bytes, std::size_t of) {
    return static_cast<double>(bytes) / static_cast<double>(of);
  }
  static std::size_t all_bytes(StreamInfo const& info) { return info.bytes; }
  std::size_t bytes_of(BoxSample const& sample, FieldSource const& field, Options const& candidate,
                       std::size_t (*bytes)(StreamInfo const&) = all_bytes) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < sample.begins.size(); ++i) {
      sum += bytes(compressed(sample.part(field, i), candidate));
    }
    return sum;
  }
  /// \param shapes  as of EncodeRequest
  StreamInfo compressed(FieldSource const& part, Options const& candidate,
                        std::uint32_t shapes = 0) {
    m_stream.reserve(max_compressed_bytes(part.shape, candidate));
    EncodeRequest request(part, candidate, {}, m_stream.data(), m_stream.capacity_bytes());
    request.shapes = shapes;
    auto const call = start_compression<backend_tag_t<Exec>>(m_exec, request, m_workspace);
    m_exec.fence("kompakt::choose");
    return result_of(call);
  }

  static constexpr double nearly_all = 0.995;  ///< of values that are steps

  Exec const& m_exec;
  FieldSource m_field;
  Options m_options;
  Workspace<Exec>& m_workspace;
  Choice& m_choice;
  CompressedStream<typename Exec::memory_space> m_stream;
  double m_lossless_ratio = 0;  ///< in a sample of a balanced choice; 0 if it was not tried
  ValueSteps m_lossless_steps = ValueSteps::none();
};

/// A choice for a field.
/// \param measured  if not nullptr: what the choice's options become with the range of the field, for a compression at once
template <class Exec>
Choice choice_for(Exec const& exec, FieldSource const& field, Options const& options, Goal goal,
                  Workspace<Exec>& workspace, Options* measured) {
  bool const has_values = goal != Goal::speed && field.shape.size() > 0;
  Choice choice =
      undecided(has_values ? exact_if_too_large(exec, field, options, workspace) : options, goal);
  bool const is_lossless = choice.options.bound.mode == ErrorBound::Mode::lossless;
  FieldSource known = field;
  Options const ranged =
      has_values ? with_range(exec, known, choice.options, workspace) : choice.options;
  if (has_values) {
    // Samples have indices of their own, so that an axis that is named comes to be the last one before they are taken.
    bool const names_axis = std::ranges::max(named_axes(options)) >= 0;
    IndexOrder const coded = order_of(known.shape, options, known.has_parts);
    Options natural = ranged;
    natural.axis = natural.second_axis = natural.third_axis = -1;
    Trials<Exec> trials(exec, coded_field(known.shape, coded, known), natural, workspace, choice);
    if (is_for_size(goal)) {
      trials.for_size(goal, !names_axis);
    } else if (is_lossless) {
      trials.balanced_without_loss(!names_axis);
    } else {
      trials.balanced(!names_axis);
    }
    for (Choice::Candidate& candidate : choice.candidates) {
      if (names_axis) name_axes(candidate, named_axes(options));
    }
  }
  decide(choice);
  if (measured != nullptr) {
    *measured = choice.options;
    // A PSNR has another bound in a field with a range than in one whose range is given, and so has what became another bound.
    if (ranged.bound.mode == ErrorBound::Mode::r2r && ranged.bound == choice.options.bound) {
      measured->range = ranged.range;
      measured->magnitude = ranged.magnitude;
      measured->fill = ranged.fill;
    }
  }
  return choice;
}

}  // namespace kompakt::impl

#endif
