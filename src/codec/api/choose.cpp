#include <algorithm>
#include <api/checks.hpp>
#include <coder/table.hpp>
#include <kompakt/choose.hpp>
#include <pipeline/sample.hpp>

namespace kompakt {

namespace {

/// Values of a sample, and of how many boxes it is.
constexpr std::size_t max_sample_values = std::size_t{1} << 22;
constexpr std::size_t max_boxes = 8;

/// What interpolation has to gain on all else to be a balanced choice: it takes a launch for each level.
constexpr double interpolation_gain = 1.5;

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

void take(Options& options, Choice::Candidate const& candidate) {
  options.pipeline = candidate.pipeline;
  options.variant = candidate.variant;
  options.predictor = candidate.predictor;
}

// The last row that gains enough on all before it; interpolation comes behind them.
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
  if (interpolated != nullptr && interpolated->ratio >= interpolation_gain * best_before) {
    take(options, *interpolated);
  }
}

}  // namespace

namespace impl {

FieldSample FieldSample::of(FieldShape const& field) {
  require_shape(field);
  FieldSample sample{field, {{}}};
  if (field.size() <= max_sample_values) return sample;
  // Of the three indices that run fastest the shortest is doubled again and again; the others wait until these are whole.
  auto const rank = static_cast<std::size_t>(field.rank);
  bool const reversed = field.order == Order::first_fastest;
  auto const axis_of = [&](std::size_t i) { return reversed ? i : rank - 1 - i; };
  auto& box = sample.box.extents;
  for (std::size_t i = 0; i < rank; ++i) box[axis_of(i)] = 1;
  while (2 * sample.box.size() <= max_sample_values / max_boxes) {
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

FieldSource FieldSample::part(FieldSource const& field, std::size_t i) const {
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
  if (!is_known(goal)) {
    throw Error(Status::bad_argument, "choose",
                "the goal " + std::to_string(static_cast<int>(goal)) + " is none",
                "use Goal::ratio, speed or balanced");
  }
  Choice choice;
  choice.options = options;
  choice.options.goal.reset();
  choice.goal = goal;
  return choice;
}

std::vector<Options> candidates_for(Goal goal, Options const& options) {
  if (goal == Goal::speed || options.bound.mode == ErrorBound::Mode::lossless) return {};
  std::vector<Options> candidates;
  auto const add = [&](Pipeline pipeline, Variant variant,
                       Predictor predictor = Predictor::automatic) {
    candidates.push_back(options);
    candidates.back().pipeline = pipeline;
    candidates.back().variant = variant;
    candidates.back().predictor = predictor;
    candidates.back().pack |= goal == Goal::ratio;
  };
  auto const& rows = coder_rows();
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {  // of equal ratios the first counts
    if ((*row)->balanced_gain == 0) continue;
    add((*row)->pipeline, Variant::automatic);
    if (goal != Goal::ratio) continue;
    for (Variant const variant : (*row)->ratio_variants) add((*row)->pipeline, variant);
  }
  add(Pipeline::bitshuffle, Variant::automatic, Predictor::interpolate);
  if (goal == Goal::ratio) {
    add(Pipeline::huffman, Variant::automatic, Predictor::interpolate);
    add(Pipeline::huffman, Variant::custom, Predictor::interpolate);
  }
  return candidates;
}

void decide(Choice& choice) {
  Options& options = choice.options;
  choice.reason = ChoiceRecord(choice.goal);
  options.pipeline = Pipeline::fixedlength;
  options.variant = Variant::automatic;
  options.pack |= choice.goal == Goal::ratio;
  options.predictor = choice.goal == Goal::speed ? Predictor::chain : Predictor::automatic;
  if (choice.candidates.empty()) return;
  if (choice.goal == Goal::balanced) {
    take_balanced(options, choice);
  } else {
    take(options, *smallest(choice, [](Choice::Candidate const&) { return true; }));
  }
  for (Choice::Candidate const& candidate : choice.candidates) {
    // What interpolation would come to is no reason for a choice without it.
    if (interpolates(candidate) && options.predictor != Predictor::interpolate) continue;
    choice.reason.add(candidate.pipeline, candidate.ratio);
  }
}

}  // namespace impl

}  // namespace kompakt
