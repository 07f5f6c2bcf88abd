#include "commands.hpp"
#include <CLI/CLI.hpp>
#include <cli/parts/standard_files.hpp>
#include <cli/parts/verb_table.hpp>
#include <kompakt/error.hpp>
#include <kompakt/version.hpp>
#include <string>
#include <string_view>

namespace kompakt::cli {

namespace {

/// Text of a manual page: nothing in it is a request, and dashes can be copied into a shell.
std::string escaped(std::string_view text) {
  std::string page;
  if (text.starts_with(".") || text.starts_with("'")) page = "\\&";
  for (char const letter : text) {
    if (letter == '\\') {
      page += "\\e";
    } else if (letter == '-') {
      page += "\\-";
    } else {
      page += letter;
    }
  }
  return page;
}

std::string paragraph_of(OptionRow const& row) {
  std::string page = ".TP\n";
  char const* separator = "";
  for (std::string const& name : row.names) {
    page.append(separator).append("\\fB" + escaped(name) + "\\fR");
    separator = ", ";
  }
  if (!row.value.empty()) page += " \\fI" + escaped(row.value) + "\\fR";
  page += "\n" + escaped(row.help);
  if (!row.fallback.empty()) page += " (default: " + escaped(row.fallback) + ")";
  return page + "\n";
}

std::string section_of(VerbRow const& verb) {
  std::string page = ".SS kompakt " + escaped(verb.name) + " [options]";
  for (OptionRow const& row : verb.positionals) page += " [" + escaped(row.names.front()) + "]";
  page += "\n" + escaped(verb.help) + ".\n";
  for (OptionRow const& row : verb.positionals) page += paragraph_of(row);
  for (OptionRow const& row : verb.options) page += paragraph_of(row);
  return page;
}

std::string exit_statuses() {
  std::string page = ".SH EXIT STATUS\n";
  for (Status const status :
       {Status::ok, Status::bad_argument, Status::buffer_too_small, Status::bad_magic,
        Status::unsupported_version, Status::corrupt, Status::type_mismatch, Status::bound_violated,
        Status::io, Status::device}) {
    page += ".TP\n\\fB" + std::to_string(static_cast<int>(status)) + "\\fR\n" +
            escaped(to_string(status)) + "\n";
  }
  return page;
}

std::string manual_of(CLI::App const& app) {
  std::string page = ".TH KOMPAKT 1 \"\" \"kompakt " KOMPAKT_VERSION_STRING
                     "\" \"User Commands\"\n.SH NAME\nkompakt \\- " +
                     escaped(app.get_description()) +
                     "\n.SH SYNOPSIS\n.B kompakt\n\\fIVERB\\fR [\\fIOPTIONS\\fR] [\\fIFILES\\fR]\n"
                     ".br\n.B kompakt \\-\\-version\n.SH VERBS\n";
  for (VerbRow const& verb : verb_table(app)) page += section_of(verb);
  return page + exit_statuses() +
         ".SH ENVIRONMENT\n.TP\n\\fBKOMPAKT_OPTIONS\\fR\nwhat "
         "\\fB\\-\\-options\\fR says where it is not given\n";
}

}  // namespace

void add_man(CLI::App& app, Action& action) {
  CLI::App& verb = *app.add_subcommand("man", "print the manual page of all verbs, for man -l -");
  verb.callback([&app, &action] {
    action = [&app] {
      print(manual_of(app), stdout);
      return 0;
    };
  });
}

}  // namespace kompakt::cli
