#include <algorithm>
#include <coder/table.hpp>
#include <kompakt/choose.hpp>
#include <pipeline/sample.hpp>

namespace kompakt {

namespace {

/// Values of a sample, and of how many runs it is.
constexpr std::size_t max_sample_values = std::size_t{1} << 22;
constexpr std::size_t max_runs = 16;

double ratio_of(Choice const& choice, Pipeline pipeline) {
  double best = 0;
  for (Choice::Candidate const& candidate : choice.candidates) {
    if (candidate.pipeline == pipeline) best = std::max(best, candidate.ratio);
  }
  return best;
}

// The last row that gains enough on all before it.
Pipeline balanced_pipeline(Choice const& choice) {
  Pipeline best = choice.candidates.front().pipeline;
  double best_before = 0;
  for (impl::CoderRow const* row : impl::coder_rows()) {
    if (row->balanced_gain == 0) continue;
    double const ratio = ratio_of(choice, row->pipeline);
    if (ratio >= row->balanced_gain * best_before) best = row->pipeline;
    best_before = std::max(best_before, ratio);
  }
  return best;
}

}  // namespace

char const* to_string(Goal goal) noexcept {
  switch (goal) {
    case Goal::ratio: return "ratio";
    case Goal::speed: return "speed";
    case Goal::balanced: break;
  }
  return "balanced";
}

Goal parse_goal(std::string_view word) {
  for (Goal const goal : {Goal::ratio, Goal::speed, Goal::balanced}) {
    if (word == to_string(goal)) return goal;
  }
  throw Error(Status::bad_argument,
              "goal: '" + std::string(word) + "' is not known; use one of ratio, speed, balanced");
}

namespace impl {

FieldSample FieldSample::of(FieldShape const& field) {
  FieldSample sample{field, 0, {}};
  if (field.size() <= max_sample_values) return sample;
  // Extents from the slowest index on. Runs are cut along the slowest one whose slices are small enough.
  auto const rank = static_cast<std::size_t>(field.rank);
  std::vector<std::size_t> extents(field.extents.begin(), field.extents.begin() + field.rank);
  bool const reversed = field.order == Order::first_fastest;
  if (reversed) std::reverse(extents.begin(), extents.end());
  std::size_t axis = 0, outer = 1, slice = field.size() / extents[0];
  while (axis + 1 < rank && slice > max_sample_values / max_runs) {
    outer *= extents[axis];
    slice /= extents[++axis];
  }
  std::size_t thickness =
      std::clamp<std::size_t>(max_sample_values / max_runs / slice, 1, extents[axis]);
  // As many whole tiles as there are.
  if (thickness >= 32) thickness -= thickness % 32;
  std::size_t const cuts = extents[axis] / thickness, parts = outer * cuts;
  std::size_t const runs = std::min(parts, max_runs);
  sample.run_values = thickness * slice;
  for (std::size_t i = 0; i < runs; ++i) {
    auto const part = static_cast<std::size_t>(sampled_part(static_cast<std::int64_t>(i),
                                                            static_cast<std::int64_t>(runs),
                                                            static_cast<std::int64_t>(parts)));
    sample.starts.push_back(part / cuts * extents[axis] * slice + part % cuts * sample.run_values);
  }
  std::vector<std::size_t> shape(extents.begin() + static_cast<std::ptrdiff_t>(axis),
                                 extents.end());
  shape[0] = runs * thickness;
  if (reversed) std::reverse(shape.begin(), shape.end());
  sample.shape.rank = static_cast<int>(shape.size());
  sample.shape.extents = {};
  std::copy(shape.begin(), shape.end(), sample.shape.extents.begin());
  return sample;
}

Choice undecided(Options const& options, Goal goal) {
  if (goal != Goal::ratio && goal != Goal::speed && goal != Goal::balanced) {
    throw Error(Status::bad_argument, "choose: the goal " + std::to_string(static_cast<int>(goal)) +
                                          " is none; use Goal::ratio, speed or balanced");
  }
  Choice choice;
  choice.options = options;
  choice.goal = goal;
  return choice;
}

std::vector<Options> candidates_for(Goal goal, Options const& options) {
  if (goal == Goal::speed || options.bound.mode == ErrorBound::Mode::lossless) return {};
  std::vector<Options> candidates;
  auto const add = [&](Pipeline pipeline, Variant variant) {
    candidates.push_back(options);
    candidates.back().pipeline = pipeline;
    candidates.back().variant = variant;
    candidates.back().predictor = Predictor::automatic;
  };
  auto const& rows = coder_rows();
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {  // of equal ratios the first counts
    if ((*row)->balanced_gain == 0) continue;
    add((*row)->pipeline, Variant::automatic);
    if (goal != Goal::ratio) continue;
    for (Variant const variant : (*row)->ratio_variants) add((*row)->pipeline, variant);
  }
  return candidates;
}

void decide(Choice& choice) {
  Options& options = choice.options;
  choice.reason = Reason(choice.goal);
  for (Choice::Candidate const& candidate : choice.candidates) {
    choice.reason.add(candidate.pipeline, candidate.ratio);
  }
  options.pipeline = Pipeline::fixedlength;
  options.variant = Variant::automatic;
  options.predictor = choice.goal == Goal::speed ? Predictor::chain : Predictor::automatic;
  if (choice.candidates.empty()) return;
  if (choice.goal == Goal::balanced) {
    options.pipeline = balanced_pipeline(choice);
    return;
  }
  auto const best = std::max_element(
      choice.candidates.begin(), choice.candidates.end(),
      [](auto const& a, auto const& b) { return a.ratio < b.ratio; });  // the first of equal ones
  options.pipeline = best->pipeline;
  options.variant = best->variant;
}

}  // namespace impl

}  // namespace kompakt
