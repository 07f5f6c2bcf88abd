#include <algorithm>
#include <cmath>
#include <iterator>
#include <kompakt/choice_record.hpp>
#include <kompakt/options.hpp>
#include <sstream>

namespace kompakt {

namespace {

// Bits 0 and 1 are the goal; then follow the ratios, as IEEE 754 binary16 without the sign, 15 bits each.
constexpr int goal_bits = 2, ratio_bits = 15;
constexpr std::uint64_t ratio_mask = (1u << ratio_bits) - 1;
constexpr std::uint64_t largest_ratio = 0x7bff;
// The format has room for the ratios of three pipelines.
constexpr Pipeline slots[] = {Pipeline(1), Pipeline(2), Pipeline(3)};

int shift_of(Pipeline pipeline) {
  return goal_bits + ratio_bits * (static_cast<int>(pipeline) - 1);
}

std::uint64_t ratio_code(std::uint64_t bits, Pipeline pipeline) {
  return bits >> shift_of(pipeline) & ratio_mask;
}

// The nearest binary16 above 0. It counts multiples of 2^-24 below 2^-14, above that 1024 steps an octave.
std::uint64_t code_of(double ratio) {
  int const octave = std::clamp(std::ilogb(ratio) + 15, 1, 30);
  double const steps = std::min(std::ldexp(ratio, 25 - octave), 2048.0);
  auto const code =
      static_cast<std::uint64_t>(steps + 0.5) + (static_cast<std::uint64_t>(octave - 1) << 10);
  return std::clamp<std::uint64_t>(code, 1, largest_ratio);
}

double ratio_of(std::uint64_t code) {
  auto const octave = static_cast<int>(code >> 10);
  auto const steps = static_cast<double>(code & 0x3ff);
  return octave == 0 ? std::ldexp(steps, -24) : std::ldexp(steps + 1024, octave - 25);
}

// With the digits that are known.
std::string show(double ratio) {
  std::ostringstream text;
  text.precision(ratio < 32 ? 2 : ratio < 256 ? 1 : 0);
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
  bool const looked = goal == Goal::ratio || goal == Goal::balanced;
  bool const complete = seen == 0 || (looked && seen == std::ssize(slots));
  bool const fits = bits >> (goal_bits + ratio_bits * std::ssize(slots)) == 0;
  return finite && complete && fits ? std::optional(reason) : std::nullopt;
}

void ChoiceRecord::add(Pipeline pipeline, double ratio) {
  std::uint64_t const code = code_of(ratio), best = ratio_code(m_bits, pipeline);
  if (code > best) m_bits += (code - best) << shift_of(pipeline);
}

std::optional<Goal> ChoiceRecord::goal() const {
  std::uint64_t const number = m_bits & ((1u << goal_bits) - 1);
  return number == 0 ? std::nullopt : std::optional(static_cast<Goal>(number));
}

double ChoiceRecord::ratio(Pipeline pipeline) const {
  return ratio_of(ratio_code(m_bits, pipeline));
}

std::string ChoiceRecord::text(Pipeline pipeline, Variant variant) const {
  if (!goal()) return "";
  std::string text = to_string(pipeline);
  if (goal() == Goal::speed) return text + " in chains: the fastest on a GPU, whatever the field";
  if (ratio(pipeline) == 0) return text + ": there was nothing to compare";
  if (variant == Variant::custom) text += " with its own codebook";
  text += ": ratio " + show(ratio(pipeline)) + " in a sample";
  char const* separator = "; ";
  for (Pipeline const other : slots) {
    if (other == pipeline) continue;
    text += separator + std::string(to_string(other)) + " " + show(ratio(other));
    separator = ", ";
  }
  return text;
}

}  // namespace kompakt
