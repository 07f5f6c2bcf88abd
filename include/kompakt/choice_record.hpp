#ifndef KOMPAKT_CHOICE_RECORD_HPP
#define KOMPAKT_CHOICE_RECORD_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kompakt {

enum class Pipeline : std::uint8_t;
enum class Variant : std::uint8_t;

/// Goal of a choice of a pipeline. The numbers are part of the format.
enum class Goal : std::uint8_t {
  ratio = 1,     ///< the smallest stream of all pipelines but rans
  speed = 2,     ///< the shortest time on a GPU
  balanced = 3,  ///< a smaller stream where it is much smaller, else the faster pipeline
  smallest = 4   ///< the smallest stream, of rans too: slower
};
/// Whether a goal is about the size of streams alone: large boxes of the field are compared, and streams are packed.
constexpr bool is_for_size(Goal goal) { return goal == Goal::ratio || goal == Goal::smallest; }
char const* to_string(Goal goal) noexcept;
/// \throws Error bad_argument naming the word and the words that are known
Goal parse_goal(std::string_view word);

/// Why choose() took a pipeline, as a stream keeps it: the goal, and for each pipeline the best ratio of the
/// sample, rounded to 7 bits.
class ChoiceRecord {
 public:
  constexpr ChoiceRecord() = default;  ///< nobody chose
  explicit ChoiceRecord(Goal goal) : m_bits(static_cast<std::uint64_t>(goal)) {}
  /// \param ratio  of the sample with this pipeline, above 0; counts if it is the best one yet
  void add(Pipeline pipeline, double ratio);

  std::optional<Goal> goal() const;
  double ratio(Pipeline pipeline) const;  ///< 0: none was looked at
  /// In a line, of what was taken: "huffman: ratio 9.3 in a sample; bitshuffle 8.8, fixedlength 7.38".
  /// Empty if nobody chose.
  std::string text(Pipeline pipeline, Variant variant) const;
  friend bool operator==(ChoiceRecord const&, ChoiceRecord const&) = default;

  /// Record in 48 bits, as the format has it.
  constexpr std::uint64_t bits() const { return m_bits; }
  /// None for bits that no reason has.
  static std::optional<ChoiceRecord> from_bits(std::uint64_t bits);

 private:
  std::uint64_t m_bits = 0;
};

}  // namespace kompakt

#endif
