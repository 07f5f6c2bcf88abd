#include <algorithm>
#include <cmath>
#include <iterator>
#include <kompakt/choice_record.hpp>
#include <kompakt/options.hpp>
#include <sstream>

namespace kompakt {

namespace {

// Bits 0 to 2 are the goal; then follow the ratios, as IEEE 754 binary16 without the sign and the lowest four bits.
constexpr int goal_bits = 3, ratio_bits = 11;
constexpr std::uint64_t ratio_mask = (1u << ratio_bits) - 1;
constexpr int fraction_bits = 6;
constexpr std::uint64_t octave_steps = 1u << fraction_bits, largest_ratio = 0x7bf;
// The record has room for the ratios of four pipelines; other ones have none in it.
constexpr Pipeline slots[] = {Pipeline(1), Pipeline(2), Pipeline(3), Pipeline(4)};

bool has_slot(Pipeline pipeline) {
  return std::find(std::begin(slots), std::end(slots), pipeline) != std::end(slots);
}

int shift_of(Pipeline pipeline) {
  return goal_bits + ratio_bits * (static_cast<int>(pipeline) - 1);
}

std::uint64_t ratio_code(std::uint64_t bits, Pipeline pipeline) {
  return bits >> shift_of(pipeline) & ratio_mask;
}

// The nearest number above 0, ties to even. It counts multiples of 2^-20 below 2^-14, above that 64 steps an octave.
std::uint64_t code_of(double ratio) {
  int const octave = std::clamp(std::ilogb(ratio) + 15, 1, 30);
  double const steps = std::min(std::ldexp(ratio, 15 + fraction_bits - octave), 2.0 * octave_steps);
  auto const below = static_cast<std::uint64_t>(steps);
  double const rest = steps - static_cast<double>(below);
  bool const is_up = rest > 0.5 || (rest == 0.5 && below % 2 != 0);
  std::uint64_t const code =
      below + (is_up ? 1 : 0) + static_cast<std::uint64_t>(octave - 1) * octave_steps;
  return std::clamp<std::uint64_t>(code, 1, largest_ratio);
}

double ratio_of(std::uint64_t code) {
  auto const octave = static_cast<int>(code >> fraction_bits);
  auto const steps = static_cast<double>(code % octave_steps);
  constexpr int scale = 15 + fraction_bits;
  return octave == 0 ? std::ldexp(steps, 1 - scale)
                     : std::ldexp(steps + static_cast<double>(octave_steps), octave - scale);
}

// With the digits that are known.
std::string show(double ratio) {
  std::ostringstream text;
  text.precision(ratio < 8 ? 2 : ratio < 64 ? 1 : 0);
  text << std::fixed << ratio;
  return text.str();
}

}  // namespace

std::optional<ChoiceRecord> ChoiceRecord::from_bits(std::uint64_t bits) {
  ChoiceRecord reason;
  reason.m_bits = bits;
  auto const seen = std::count_if(std::begin(slots), std::end(slots),
                                  [&](Pipeline p) { return ratio_code(bits, p) != 0; });
  bool const finite = std::all_of(std::begin(slots), std::end(slots),
                                  [&](Pipeline p) { return ratio_code(bits, p) <= largest_ratio; });
  std::optional<Goal> const goal = reason.goal();
  bool const is_known_goal = !goal || (*goal >= Goal::ratio && *goal <= Goal::smallest);
  bool const looked = goal && *goal != Goal::speed;
  bool const fits = bits >> (goal_bits + ratio_bits * std::ssize(slots)) == 0;
  return finite && is_known_goal && (seen == 0 || looked) && fits ? std::optional(reason)
                                                                  : std::nullopt;
}

void ChoiceRecord::add(Pipeline pipeline, double ratio) {
  if (!has_slot(pipeline)) return;
  std::uint64_t const code = code_of(ratio), best = ratio_code(m_bits, pipeline);
  if (code > best) m_bits += (code - best) << shift_of(pipeline);
}

std::optional<Goal> ChoiceRecord::goal() const {
  std::uint64_t const number = m_bits & ((1u << goal_bits) - 1);
  return number == 0 ? std::nullopt : std::optional(static_cast<Goal>(number));
}

double ChoiceRecord::ratio(Pipeline pipeline) const {
  return has_slot(pipeline) ? ratio_of(ratio_code(m_bits, pipeline)) : 0;
}

std::string ChoiceRecord::text(Pipeline pipeline, Variant variant) const {
  if (!goal()) return "";
  std::string text = to_string(pipeline);
  if (goal() == Goal::speed) return text + " in chains: the fastest on a GPU, whatever the field";
  bool const has_ratio = ratio(pipeline) != 0;
  if (!has_ratio && has_slot(pipeline)) return text + ": there was nothing to compare";
  if (variant == Variant::custom) text += " with its own codebook";
  if (has_ratio) text += ": ratio " + show(ratio(pipeline)) + " in a sample";
  char const* separator = has_ratio ? "; " : ": beside it in a sample ";
  for (Pipeline const other : slots) {
    if (other == pipeline || ratio(other) == 0) continue;
    text += separator + std::string(to_string(other)) + " " + show(ratio(other));
    separator = ", ";
  }
  return text;
}

}  // namespace kompakt
