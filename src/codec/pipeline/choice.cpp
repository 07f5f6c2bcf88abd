#include <algorithm>
#include <bit>
#include <cmath>
#include <coder/table.hpp>
#include <functional>
#include <kompakt/error.hpp>
#include <limits>
#include <numeric>
#include <pipeline/choice.hpp>
#include <pipeline/limits.hpp>
#include <pipeline/sample.hpp>
#include <span>

namespace kompakt {

namespace {

/// What interpolation has to gain on all else to be a balanced choice: it takes a launch for each level. With 1.5 streams of
/// smooth fields were larger than those of SZ3.
constexpr double interpolation_gain = 1.25;
/// A balanced stream of this ratio or a larger one is packed: it has so few bytes that packing them takes little of a call.
/// Beside interpolation packing takes little of any call.
constexpr double packed_ratio = 16;

bool interpolates(Choice::Candidate const& candidate) {
  return candidate.predictor == Predictor::interpolate;
}

double ratio_of(Choice const& choice, Pipeline pipeline) {
  double best = 0;
  for (Choice::Candidate const& candidate : choice.candidates) {
    if (candidate.pipeline == pipeline && !interpolates(candidate)) {
      best = std::max(best, candidate.ratio);
    }
  }
  return best;
}

// The first one with the largest ratio of those that are asked for.
template <class Asked>
Choice::Candidate const* smallest(Choice const& choice, Asked const& asked) {
  Choice::Candidate const* best = nullptr;
  for (Choice::Candidate const& candidate : choice.candidates) {
    if (asked(candidate) && (best == nullptr || candidate.ratio > best->ratio)) best = &candidate;
  }
  return best;
}

Options candidate(Options options, Pipeline pipeline, Variant variant = Variant::automatic,
                  Predictor predictor = Predictor::automatic) {
  options.pipeline = pipeline;
  options.variant = variant;
  options.predictor = predictor;
  return options;
}

// Rows that choices look at, the last one first: of equal ratios the first counts.
std::vector<impl::CoderRow const*> rows_backwards() {
  auto const& rows = impl::coder_rows();
  std::vector<impl::CoderRow const*> backwards;
  std::copy_if(rows.rbegin(), rows.rend(), std::back_inserter(backwards),
               [](impl::CoderRow const* row) { return row->balanced_gain != 0; });
  return backwards;
}

void take(Options& options, Choice::Candidate const& candidate) {
  options.pipeline = candidate.pipeline;
  options.variant = candidate.variant;
  options.predictor = candidate.predictor;
  impl::name_axes(options, impl::named_axes(candidate));
}

// Bits that residuals take: of a magnitude in bins, and a sign.
struct ResidualBits {
  double bins_of_one;  ///< bins in a residual of 1
  std::uint64_t bits = 0, values = 0;

  void add(double residual) {
    double const bins = std::abs(residual) * bins_of_one + 0.5;
    if (!(bins < 0x1p62)) return;  // NaN, infinite, or beyond all codes
    ++values;
    auto const width = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(bins)));
    bits += width + (width > 0 ? 1 : 0);
  }
  double mean() const { return static_cast<double>(bits) / static_cast<double>(values); }
};

// What every second value along an axis of tiles leaves of a cubic through its four neighbours.
template <class T>
ResidualBits between_neighbours(std::span<T const> values, impl::TileSample const& sample, int axis,
                                double bin) {
  std::size_t step = 1;
  for (int i = 0; i < axis; ++i) step *= static_cast<std::size_t>(sample.tile[i]);
  auto const line = static_cast<std::size_t>(sample.tile[axis]);
  ResidualBits residuals{1 / bin};
  for (std::size_t lines = 0; lines < values.size(); lines += line * step) {
    for (std::size_t index = 3; index + 3 < line; index += 2) {
      for (std::size_t i = 0; i < step; ++i) {
        T const* const value = &values[lines + index * step + i];
        double const near = static_cast<double>(*(value - step)) + static_cast<double>(value[step]);
        double const far =
            static_cast<double>(*(value - 3 * step)) + static_cast<double>(value[3 * step]);
        residuals.add(static_cast<double>(*value) - (9 * near - far) / 16);
      }
    }
  }
  return residuals;
}

// The last row that gains enough on all before it; interpolation comes behind them. Streams of few bytes are packed.
void take_balanced(Options& options, Choice const& choice) {
  options.pipeline = choice.candidates.front().pipeline;
  double best_before = 0;
  for (impl::CoderRow const* row : impl::coder_rows()) {
    if (row->balanced_gain == 0) continue;
    double const ratio = ratio_of(choice, row->pipeline);
    if (ratio >= row->balanced_gain * best_before) options.pipeline = row->pipeline;
    best_before = std::max(best_before, ratio);
  }
  Choice::Candidate const* const interpolated = smallest(choice, interpolates);
  bool const is_interpolated =
      interpolated != nullptr && interpolated->ratio >= interpolation_gain * best_before;
  options.pack |= is_interpolated || ratio_of(choice, options.pipeline) >= packed_ratio;
  if (is_interpolated) take(options, *interpolated);
}

}  // namespace

namespace impl {

BoxSample BoxSample::of(FieldSource const& source, std::size_t max_values, std::size_t max_boxes) {
  FieldShape const& field = source.shape;
  BoxSample sample{field, {{}}};
  if (field.size() <= max_values) return sample;
  // Of the three indices that run fastest the shortest is doubled again and again; the others wait until these are whole.
  auto const rank = static_cast<std::size_t>(field.rank);
  bool const reversed = field.order == Order::first_fastest;
  auto const axis_of = [&](std::size_t i) { return reversed ? i : rank - 1 - i; };
  auto& box = sample.box.extents;
  for (std::size_t i = 0; i < rank; ++i) box[axis_of(i)] = 1;
  if (source.has_parts) box[part_axis(field)] = field.extents[part_axis(field)];
  while (2 * sample.box.size() <= max_values / max_boxes) {
    std::size_t grows = rank;
    for (std::size_t i = 0; i < rank; ++i) {
      std::size_t const axis = axis_of(i);
      if (box[axis] == field.extents[axis] || (i >= 3 && grows < rank)) continue;
      if (grows == rank || box[axis] < box[grows]) grows = axis;
    }
    box[grows] = std::min(2 * box[grows], field.extents[grows]);
  }
  std::size_t parts = 1;
  for (std::size_t axis = 0; axis < rank; ++axis) parts *= field.extents[axis] / box[axis];
  std::size_t const boxes = std::min(parts, max_boxes);
  sample.begins.clear();
  for (std::size_t i = 0; i < boxes; ++i) {
    auto part = static_cast<std::size_t>(sampled_part(static_cast<std::int64_t>(i),
                                                      static_cast<std::int64_t>(boxes),
                                                      static_cast<std::int64_t>(parts)));
    auto& begin = sample.begins.emplace_back();
    for (std::size_t k = 0; k < rank; ++k) {
      std::size_t const axis = axis_of(k), along = field.extents[axis] / box[axis];
      begin[axis] = part % along * box[axis];
      part /= along;
    }
  }
  return sample;
}

FieldSource BoxSample::part(FieldSource const& field, std::size_t i) const {
  FieldSource part = field;
  part.shape = box;
  std::size_t offset = 0;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(box.rank); ++axis) {
    offset += begins[i][axis] * static_cast<std::size_t>(field.strides[axis]);
  }
  part.data = static_cast<std::byte const*>(field.data) + offset * size_of(box.dtype);
  return part;
}

Choice undecided(Options const& options, Goal goal) {
  Choice choice;
  choice.options = options;
  choice.options.goal.reset();
  choice.goal = goal;
  return choice;
}

std::int64_t SampleSizes::tiles(std::size_t field_values) {
  // One value of 32 of small fields and one of 64 of large ones: a tenth to a third of the time that a compression takes. Below
  // 8 tiles chance decides, and 160 say it all.
  auto const size = static_cast<std::int64_t>(field_values);
  std::int64_t const few = Kokkos::min<std::int64_t>(size / 32, 32 * tile_values);
  return Kokkos::clamp<std::int64_t>(Kokkos::max(few, size / 64), 8 * tile_values,
                                     160 * tile_values);
}

std::size_t SampleSizes::first_boxes(std::size_t field_values) {
  return std::clamp(std::bit_floor(field_values / 64), std::size_t{1} << 17, std::size_t{1} << 18);
}
std::size_t SampleSizes::last_boxes(std::size_t field_values) {
  return std::clamp(std::bit_floor(field_values / 4), std::size_t{1} << 20, std::size_t{1} << 22);
}

std::size_t SampleSizes::first_box(std::size_t field_values) {
  return std::clamp(std::bit_floor(field_values / 256), std::size_t{1} << 14, std::size_t{1} << 16);
}
std::size_t SampleSizes::second_box(std::size_t field_values) {
  return std::clamp(std::bit_ceil(field_values / 16), std::size_t{1} << 15, std::size_t{1} << 18);
}

Options interpolated_candidate(Options const& options) {
  return candidate(options, Pipeline::bitshuffle, Variant::automatic, Predictor::interpolate);
}

Options large_field_variant(Options candidate) {
  CoderRow const& row = *row_of(candidate.pipeline);
  if (!row.ratio_variants.empty()) candidate.variant = row.ratio_variants.front();
  return candidate;
}

std::vector<Options> balanced_candidates(Options const& options) {
  std::vector<Options> candidates;
  for (CoderRow const* const row : coder_rows()) {
    if (row->balanced_gain != 0) candidates.push_back(candidate(options, row->pipeline));
  }
  return candidates;
}

std::vector<Options> ratio_candidates(Options const& options) {
  Options packed = options;
  packed.pack = true;
  std::vector<Options> candidates;
  bool const is_lossless = options.bound.mode == ErrorBound::Mode::lossless;
  for (CoderRow const* const row : rows_backwards()) {
    if (is_lossless && !row->lossless) continue;
    candidates.push_back(candidate(packed, row->pipeline));
    for (Variant const variant : row->ratio_variants) {
      candidates.push_back(candidate(packed, row->pipeline, variant));
    }
  }
  if (is_lossless) return candidates;
  candidates.push_back(interpolated_candidate(packed));
  for (Variant const variant : {Variant::automatic, Variant::custom}) {
    candidates.push_back(candidate(packed, Pipeline::huffman, variant, Predictor::interpolate));
  }
  return candidates;
}

std::vector<Options> smallest_candidates(Options const& options) {
  std::vector<Options> candidates = ratio_candidates(options);
  bool const is_lossless = options.bound.mode == ErrorBound::Mode::lossless;
  for (Predictor const predictor :
       {Predictor::automatic, Predictor::chain, Predictor::tile, Predictor::interpolate}) {
    if (is_lossless && predictor == Predictor::interpolate) continue;
    candidates.push_back(
        candidate(candidates.front(), Pipeline::rans, Variant::automatic, predictor));
  }
  return candidates;
}

double known_bound(Options const& options) {
  if (options.bound.mode == ErrorBound::Mode::abs) return options.bound.value;
  if (options.bound.mode == ErrorBound::Mode::r2r) {
    return bound_within(options.bound.value, options.range);
  }
  return 0;
}

void note(Choice& choice, Options const& candidate, double ratio) {
  choice.candidates.push_back({candidate.pipeline, candidate.variant, candidate.predictor,
                               candidate.axis, candidate.second_axis, candidate.third_axis, ratio});
}

Choice::Candidate smallest_of(Choice const& choice) {
  return *smallest(choice, [](Choice::Candidate const&) { return true; });
}

std::vector<std::size_t> finalists(std::span<Options const> candidates,
                                   std::span<double const> ratios, std::size_t most) {
  // Of 35 fields at three bounds, the smallest stream along the natural index was among three that came this close to the one that
  // seemed best.
  constexpr double close = 1.12;
  // Levels need room: in larger boxes interpolation gains more.
  constexpr double close_with_levels = 1.3;
  double const best = *std::ranges::max_element(ratios);
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return ratios[i]; });
  auto const has_levels = [&](std::size_t i) {
    return candidates[i].predictor == Predictor::interpolate;
  };
  std::vector<std::size_t> found;
  for (std::size_t const i : order) {
    bool const is_first_with_levels =
        most > 1 && has_levels(i) && std::ranges::none_of(found, has_levels);
    bool const is_close = found.size() < most && close * ratios[i] >= best;
    if (is_close || (is_first_with_levels && close_with_levels * ratios[i] >= best)) {
      found.push_back(i);
    }
  }
  std::ranges::sort(found);
  return found;
}

std::vector<Options> axis_candidates(Choice const& choice, Options const& options) {
  std::vector<Options> candidates;
  for (bool const with_levels : {false, true}) {
    auto const* const best = smallest(choice, [&](Choice::Candidate const& candidate) {
      return interpolates(candidate) == with_levels;
    });
    if (best == nullptr) continue;
    take(candidates.emplace_back(options), *best);
    candidates.back().pack = true;
    if (with_levels) continue;
    // Along one index a chain may be best, along another one tiles.
    for (Predictor const predictor : {Predictor::chain, Predictor::tile}) {
      if (predictor == best->predictor) continue;
      Options& other = candidates.emplace_back(candidates.front());
      other.predictor = predictor;
    }
  }
  return candidates;
}

template <class T>
bool may_interpolate(std::span<T> values, TileSample const& sample, Options const& options,
                     double ratio) {
  double const bin = 2 * known_bound(options);
  if (!(bin > 0)) return true;
  if (options.fill.mode == FillValue::Mode::value || options.fill.others_count > 0) {
    for (T& value : values) {
      if (options.fill.declares(static_cast<double>(value)))
        value = std::numeric_limits<T>::quiet_NaN();
    }
  }
  constexpr std::int64_t shortest_line = 8;
  double least = -1;
  for (int axis = 0; axis < std::min(sample.rank, 3); ++axis) {
    if (sample.tile[axis] < shortest_line) continue;
    ResidualBits const bits = between_neighbours(std::span<T const>(values), sample, axis, bin);
    if (bits.values > 0 && (least < 0 || bits.mean() < least)) least = bits.mean();
  }
  if (least < 0) return true;
  // Records of interpolated residuals take at least so much for such bits; measured over 35 fields at three bounds.
  double const bits = 1.5 * least + 0.1;
  return 8 * sizeof(T) / bits >= interpolation_gain * ratio;
}

template <class T>
std::optional<T> frequent_value(std::span<T> values) {
  constexpr std::size_t least_share = 20;
  auto const end = std::remove_if(values.begin(), values.end(), [](T v) { return std::isnan(v); });
  std::sort(values.begin(), end);
  std::size_t most = values.size() / least_share;
  std::optional<T> found;
  for (auto run = values.begin(); run != end;) {
    auto const behind = std::upper_bound(run, end, *run);
    auto const count = static_cast<std::size_t>(behind - run);
    if (count > most) {
      most = count;
      found = *run == 0 ? T{0} : *run;  // of zeros the one without a sign
    }
    run = behind;
  }
  return found;
}

template <class T>
bool lie_closer_than(double width, std::span<T const> values) {
  constexpr std::size_t few = 512;
  std::vector<T> some;
  std::size_t const stride = stride_to(few, values.size());
  for (std::size_t i = 0; i < values.size(); i += stride) {
    if (std::isfinite(values[i])) some.push_back(values[i]);
  }
  std::ranges::sort(some);
  std::size_t close = 0;
  for (std::size_t i = 1; i < some.size(); ++i) {
    double const gap = static_cast<double>(some[i]) - static_cast<double>(some[i - 1]);
    close += gap > 0 && gap < width / 2 ? 1 : 0;
  }
  return 50 * close > some.size();
}

template bool lie_closer_than(double, std::span<float const>);
template bool lie_closer_than(double, std::span<double const>);
template std::optional<float> frequent_value(std::span<float>);
template std::optional<double> frequent_value(std::span<double>);
template bool may_interpolate(std::span<float>, TileSample const&, Options const&, double);
template bool may_interpolate(std::span<double>, TileSample const&, Options const&, double);

void decide(Choice& choice) {
  Options& options = choice.options;
  choice.reason = ChoiceRecord(choice.goal);
  options.pipeline = Pipeline::fixedlength;
  options.variant = Variant::automatic;
  options.pack |= is_for_size(choice.goal);
  options.predictor = choice.goal == Goal::speed ? Predictor::chain : Predictor::automatic;
  if (choice.candidates.empty()) return;
  if (choice.goal == Goal::balanced) {
    take_balanced(options, choice);
  } else {
    take(options, smallest_of(choice));
  }
  for (Choice::Candidate const& candidate : choice.candidates) {
    // What interpolation would come to is no reason for a choice without it.
    if (interpolates(candidate) && options.predictor != Predictor::interpolate) continue;
    choice.reason.add(candidate.pipeline, candidate.ratio);
  }
}

}  // namespace impl

}  // namespace kompakt
