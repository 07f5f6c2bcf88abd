#include "commands.hpp"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cli/parts/standard_files.hpp>
#include <cli/parts/verb_table.hpp>
#include <cstdio>
#include <kompakt/error.hpp>
#include <memory>
#include <string>
#include <string_view>

namespace kompakt::cli {

namespace {

std::string joined(std::vector<std::string> const& words, std::string_view separator) {
  std::string text;
  for (std::string const& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

/// Between single quotes, as all three shells read them.
std::string in_quotes(std::string_view text) {
  std::string word = "'";
  for (char const letter : text) {
    if (letter == '\'') {
      word += "'\\''";
    } else {
      word += letter;
    }
  }
  return word + "'";
}

bool is_file(OptionRow const& row) { return row.value == "FILE" || row.value == "FOLDER"; }

std::string for_bash(std::vector<VerbRow> const& verbs) {
  std::string names, cases;
  for (VerbRow const& verb : verbs) {
    names += (names.empty() ? "" : " ") + verb.name;
    std::string options, values;
    for (OptionRow const& row : verb.options) {
      options += (options.empty() ? "" : " ") + joined(row.names, " ");
      if (row.value.empty()) continue;
      std::string const words = row.words.empty() ? "" : joined(row.words, " ");
      values += "        " + joined(row.names, "|") + ") ";
      values += is_file(row)
                    ? "COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
                    : "COMPREPLY=($(compgen -W " + in_quotes(words) + " -- \"$word\")) ;;\n";
    }
    cases +=
        "    " + verb.name + ")\n      case $before in\n" + values +
        "        *)\n          if [[ $word == -* ]]; then\n            COMPREPLY=($(compgen -W " +
        in_quotes(options) +
        " -- \"$word\"))\n          else\n            COMPREPLY=($(compgen -f -- \"$word\"))\n"
        "          fi ;;\n      esac ;;\n";
  }
  return "# Completions of kompakt for bash: source this, or put it into bash-completion's "
         "folder.\n"
         "_kompakt() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - "
         "1]}\n"
         "  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W " +
         in_quotes(names + " --help --version") +
         " -- \"$word\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n" + cases +
         "  esac\n}\ncomplete -o filenames -F _kompakt kompakt\n";
}

/// Help inside of brackets of zsh's _arguments.
std::string bracketed(std::string_view text) {
  std::string help;
  for (char const letter : text) {
    if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') help += '\\';
    help += letter;
  }
  return "[" + help + "]";
}

std::string for_zsh(std::vector<VerbRow> const& verbs) {
  std::string list, cases;
  for (VerbRow const& verb : verbs) {
    list += "    " + in_quotes(verb.name + ":" + verb.help) + "\n";
    cases += "    " + verb.name + ")\n      _arguments";
    for (OptionRow const& row : verb.options) {
      for (std::string const& name : row.names) {
        std::string spec = "*" + name + bracketed(row.help);
        if (!row.value.empty()) {
          spec += ":" + row.value + ":";
          spec += is_file(row) ? "_files" : "(" + joined(row.words, " ") + ")";
        }
        cases += " \\\n        " + in_quotes(spec);
      }
    }
    cases += " \\\n        '*:file:_files' ;;\n";
  }
  return "#compdef kompakt\n"
         "# Completions of kompakt for zsh: put this as _kompakt into a folder of fpath.\n"
         "_kompakt() {\n  local -a verbs\n  verbs=(\n" +
         list +
         "  )\n  if ((CURRENT == 2)); then\n    _describe verb verbs\n    return\n  fi\n"
         "  local verb=$words[2]\n  shift words\n  ((CURRENT--))\n  case $verb in\n" +
         cases + "  esac\n}\ncompdef _kompakt kompakt\n";
}

std::string for_fish(std::vector<VerbRow> const& verbs) {
  std::string text =
      "# Completions of kompakt for fish: put this as kompakt.fish into its folder.\n";
  for (VerbRow const& verb : verbs) {
    text += "complete -c kompakt -n __fish_use_subcommand -f -a " + verb.name + " -d " +
            in_quotes(verb.help) + "\n";
    for (OptionRow const& row : verb.options) {
      text += "complete -c kompakt -n '__fish_seen_subcommand_from " + verb.name + "'";
      for (std::string const& name : row.names) {
        bool const is_long = name.starts_with("--");
        text += (is_long ? " -l " : " -s ") + name.substr(is_long ? 2 : 1);
      }
      if (!row.value.empty()) {
        text += is_file(row) ? " -r -F" : " -x";
        if (!row.words.empty()) text += " -a " + in_quotes(joined(row.words, " "));
      }
      text += " -d " + in_quotes(row.help) + "\n";
    }
  }
  return text;
}

struct Shell {
  std::string_view name;
  std::string (*script)(std::vector<VerbRow> const&);
};
constexpr std::array<Shell, 3> shells = {
    {{"bash", for_bash}, {"zsh", for_zsh}, {"fish", for_fish}}};

int print_completion(CLI::App const& app, std::string const& shell) {
  auto const* const found =
      std::ranges::find_if(shells, [&](Shell const& known) { return known.name == shell; });
  if (found == shells.end()) {
    throw Error(Status::bad_argument, "'" + shell + "' is no shell with completions",
                "name bash, zsh or fish");
  }
  print(found->script(verb_table(app)), stdout);
  return 0;
}

}  // namespace

void add_completion(CLI::App& app, Action& action) {
  auto const shell = std::make_shared<std::string>();
  CLI::App& verb =
      *app.add_subcommand("completion", "print completions of verbs and options for a shell");
  verb.add_option("shell", *shell, "bash, zsh or fish")->required()->type_name("SHELL");
  verb.callback(
      [shell, &app, &action] { action = [shell, &app] { return print_completion(app, *shell); }; });
}

}  // namespace kompakt::cli
