#ifndef KOMPAKT_CLI_VERB_TABLE_HPP
#define KOMPAKT_CLI_VERB_TABLE_HPP

#include <cli/parts/parser_names.hpp>
#include <string>
#include <vector>

// What --help prints, as a table: manual page and completions of shells are made of it.

namespace kompakt::cli {

/// An option of a verb, or a positional argument, whose names have no dashes.
struct OptionRow {
  std::vector<std::string> names;  ///< such as -l, --shape
  std::string value;               ///< what its value is called, such as BOUND; empty: it is a flag
  std::string fallback;            ///< the default; empty: there is none to tell
  std::string help;
  std::vector<std::string> words;  ///< that the value may be; empty: anything
};

struct VerbRow {
  std::string name;
  std::string help;
  std::vector<OptionRow> positionals;
  std::vector<OptionRow> options;
};

/// Notes the words that the value of an option may be.
void offer_words(CLI::Option const* option, std::vector<std::string> words);

/// All verbs of the program, in its order.
std::vector<VerbRow> verb_table(CLI::App const& app);

}  // namespace kompakt::cli

#endif
