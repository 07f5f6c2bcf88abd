#ifndef KOMPAKT_OPTION_KEYS_HPP
#define KOMPAKT_OPTION_KEYS_HPP

#include <cstdint>
#include <kompakt/options.hpp>
#include <kompakt/stream.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Options by key and word: the one list of what a compression can be told. Faces ask it for their words, ranges, defaults and
// help texts, and list none of their own. A text such as "r2r:1e-3,predictor=interpolate,pack" says several at once.

namespace kompakt {

/// A word that a key takes.
struct OptionWord {
  std::string_view word;
  std::string_view help;  ///< what it asks for, in a line
};

/// A member of Options that a word can set.
struct OptionKey {
  enum class Kind : std::uint8_t {
    word,    ///< one of `words`
    number,  ///< a real number from `least` to `most`
    count,   ///< an integer from `least` to `most`
    flag,    ///< true or false
    either,  ///< one of `words`, or a real number
    pair,    ///< one of `words`, or two real numbers with : between them; each may be absent
  };
  std::string_view key;
  Kind kind;
  std::string_view help;  ///< what it decides, in a line
  double least, most;     ///< of numbers and counts
  std::vector<OptionWord> words;
};

/// All keys, in the order in which text_of() writes them. Valid until the program ends.
std::span<OptionKey const> option_keys();
/// One of them.
/// \throws Error bad_argument naming the key and those that there are
OptionKey const& option_key(std::string_view key);

/// Sets what a key decides.
/// \param word  as text_of() writes it; of `bound` also MODE:VALUE, such as r2r:1e-3
/// \throws Error bad_argument naming the key, the word and what it could be; options are then as they were
void set(Options& options, std::string_view key, std::string_view word);
/// Sets everything that a text says: items between commas, each KEY=WORD, a flag alone, or a bound: MODE:VALUE, lossless, a
/// number beside mode=MODE. A later item counts more than an earlier one. validate() tells what does not go together.
/// \throws Error bad_argument naming the item, also for a mode or a number alone, which interfaces would complete differently;
/// options are then as they were
void set(Options& options, std::string_view text);

/// Whether a text names a bound, which then takes precedence over any other one.
/// \throws Error bad_argument as set()
bool names_bound(std::string_view text);
/// Whether options name how a field is compressed: a goal, or a pipeline, a variant or a predictor that is not automatic.
bool names_method(Options const& options) noexcept;

/// The word that sets what a key decides as it is here: set() reads it back to the same bits.
std::string text_of(Options const& options, std::string_view key);
/// The shortest text that sets options like these whatever the default of a face is: bound, pipeline or goal, fill value, and
/// everything else that is not as in Options().
std::string text_of(Options const& options);

/// Options that make a stream like this one of its field: what its header says, without the reason of a choice.
Options options_of(StreamInfo const& info);

}  // namespace kompakt

#endif
