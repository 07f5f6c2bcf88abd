#include "verb_table.hpp"
#include <CLI/CLI.hpp>
#include <map>
#include <utility>

namespace kompakt::cli {

namespace {

std::map<CLI::Option const*, std::vector<std::string>>& words_of_options() {
  static std::map<CLI::Option const*, std::vector<std::string>> words;
  return words;
}

std::vector<std::string> names_of(CLI::Option const& option) {
  std::vector<std::string> names;
  for (std::string const& name : option.get_snames()) names.push_back("-" + name);
  for (std::string const& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

OptionRow row_of(CLI::Option const& option, std::vector<std::string> names) {
  OptionRow row;
  row.names = std::move(names);
  if (option.get_items_expected_max() > 0) row.value = option.get_type_name();
  row.fallback = option.get_default_str();
  row.help = option.get_description();
  auto const words = words_of_options().find(&option);
  if (words != words_of_options().end()) row.words = words->second;
  return row;
}

}  // namespace

void offer_words(CLI::Option const* option, std::vector<std::string> words) {
  words_of_options()[option] = std::move(words);
}

std::vector<VerbRow> verb_table(CLI::App const& app) {
  std::vector<VerbRow> verbs;
  for (CLI::App const* verb : app.get_subcommands([](CLI::App const*) { return true; })) {
    VerbRow row{verb->get_name(), verb->get_description(), {}, {}};
    for (CLI::Option const* option : verb->get_options([](CLI::Option const*) { return true; })) {
      // One may be both, as files that -i names too.
      if (option->get_positional()) {
        row.positionals.push_back(row_of(*option, {option->get_name(true)}));
      }
      std::vector<std::string> names = names_of(*option);
      if (!names.empty()) row.options.push_back(row_of(*option, std::move(names)));
    }
    verbs.push_back(std::move(row));
  }
  return verbs;
}

}  // namespace kompakt::cli
