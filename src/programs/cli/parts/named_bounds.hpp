#ifndef KOMPAKT_CLI_NAMED_BOUNDS_HPP
#define KOMPAKT_CLI_NAMED_BOUNDS_HPP

#include "arguments.hpp"
#include <files/variable.hpp>
#include <string>
#include <vector>

namespace kompakt::cli {

/// A bound of the variables of a name, such as "T*=r2r:1e-4": * stands for any letters, ? for one.
struct NamedBound {
  std::string word;  ///< as it was given
  std::string pattern;
  BoundArguments bound{};
  bool fits = false;  ///< a variable, so far

  bool is_exact() const { return pattern.find_first_of("*?[") == std::string::npos; }
};

/// Whether a pattern, in which * stands for any letters and ? for one, means a variable. Letters of the file's name, with which
/// names in an archive of several files begin, only count where that name is given whole.
/// \param own   path of the variable in its file
/// \param name  in the archive
bool fits(std::string const& pattern, std::string const& own, std::string const& name);

/// \throws Error bad_argument for words that are none
std::vector<NamedBound> parse_named_bounds(std::vector<std::string> const& words);

/// The last bound that fits a variable; integers and what describes other variables are only meant by their whole name. Null if
/// there is none.
NamedBound const* find_bound(std::vector<NamedBound>& bounds, files::Variable const& variable,
                             std::string const& name);

/// Whether a variable that describes others is one that nobody would expect among these: neither an axis nor a single value.
bool needs_note(files::Variable const& variable);
/// Says which variables keep every bit because they describe others.
std::string note_of_supporting(std::vector<std::string> const& names);

/// Throws Error bad_argument for a bound that no variable had.
void require_all_fit(std::vector<NamedBound> const& bounds, std::vector<std::string> const& names);

/// Variables that are left out or stay as they are, --skip.
class SkippedNames {
 public:
  explicit SkippedNames(std::vector<std::string> const& words);

  /// \param own  of the variable in its file, which may have another one in an archive
  bool has(std::string const& own, std::string const& name);
  /// Throws Error bad_argument for a word that no variable had.
  void require_all_fit(std::vector<std::string> const& names) const;

 private:
  struct Word {
    std::string pattern;
    bool fits = false;  ///< a variable, so far
  };
  std::vector<Word> m_words;
};

}  // namespace kompakt::cli

#endif
