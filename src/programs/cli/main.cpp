#include <CLI/CLI.hpp>
#include <algorithm>
#include <cli/parts/arguments.hpp>
#include <cli/parts/files.hpp>
#include <cli/parts/notes.hpp>
#include <cli/parts/signals.hpp>
#include <cli/parts/standard_files.hpp>
#include <cli/verbs/commands.hpp>
#include <cstdio>
#include <filesystem>
#include <kompakt/error.hpp>
#include <kompakt/printable.hpp>
#include <kompakt/version.hpp>
#include <new>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using kompakt::Status;

/// One line on stderr, whatever the message is made of, and the exit code.
int fail(Status status, std::string const& message) {
  std::fprintf(stderr, "kompakt: %s\n", kompakt::printable(message).c_str());
  return static_cast<int>(status);
}

int run(kompakt::cli::Action const& action) {
  try {
    return action();
  } catch (kompakt::Error const& error) {
    kompakt::cli::end_without_reader(error);
    return fail(error.status(), std::string(error.text()));
  } catch (std::filesystem::filesystem_error const& error) {
    return fail(Status::io, error.what());
  } catch (std::bad_alloc const&) {
    return fail(Status::device, kompakt::cli::about_output(
                                    "out of memory; give a smaller --memory, take a part with "
                                    "'kompakt extract', or use a machine with more of it"));
  } catch (std::exception const& error) {  // Kokkos: its messages name the space and the size
    std::string message = error.what();
    std::ranges::replace(message, '\n', ' ');
    return fail(Status::device, kompakt::cli::about_output(message));
  }
}

/// The exit code of a program that has nothing more to print. What a verb has found out counts more than its text.
int finish(int exit_code) {
  std::string const failure = kompakt::cli::unprinted();
  if (failure.empty()) return exit_code;
  int const code = fail(Status::io, failure);
  return exit_code == 0 ? code : exit_code;
}

/// How many letters must be added, taken away or replaced to make one word of the other.
std::size_t distance(std::string const& a, std::string const& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t before = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      std::size_t const replaced = before + (a[i] == b[j] ? 0 : 1);
      before = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, before + 1});
    }
  }
  return row.back();
}

/// "'compres' is no verb; did you mean compress? There are compress, decompress, …"
std::string text_of_unknown_verb(CLI::App const& app, std::string const& word) {
  std::string verbs, nearest;
  std::size_t least = 3;  // from there on it is another word
  for (CLI::App const* verb : app.get_subcommands({})) {
    std::string const name = verb->get_name();
    verbs += (verbs.empty() ? "" : ", ") + name;
    if (distance(word, name) < least) {
      least = distance(word, name);
      nearest = name;
    }
  }
  return "'" + word + "' is no verb; " + (nearest.empty() ? "" : "did you mean " + nearest + "? ") +
         "there are " + verbs;
}

/// Reads the arguments. Returns false, with an exit code, when there is nothing left to do.
bool parse(CLI::App& app, int argc, char** argv, int& exit_code) {
  try {
    kompakt::cli::require_values(app, {argv + 1, argv + argc});
    app.parse(argc, argv);
    return true;
  } catch (CLI::Success const& help_or_version) {
    std::ostringstream text;
    exit_code = app.exit(help_or_version, text, text);
    kompakt::cli::print(text.str(), stdout);
  } catch (CLI::ExtrasError const& error) {
    std::string const word = argc > 1 ? argv[1] : "";
    bool const verb = !app.get_subcommands().empty() || word.starts_with("-");
    exit_code = fail(Status::bad_argument, (verb ? error.what() : text_of_unknown_verb(app, word)) +
                                               "; see 'kompakt --help' and 'kompakt VERB --help'");
  } catch (CLI::ParseError const& error) {
    exit_code = fail(Status::bad_argument, std::string(error.what()) +
                                               "; see 'kompakt --help' and 'kompakt VERB --help'");
  } catch (kompakt::Error const& error) {  // a word that is refused
    auto const help = kompakt::cli::help_asked_for(app);
    exit_code = help ? 0 : fail(error.status(), std::string(error.text()));
    if (help) kompakt::cli::print(*help, stdout);
  }
  return false;
}

int run_program(int argc, char** argv) {
  CLI::App app("Error-bounded lossy compression of fields of numbers", "kompakt");
  kompakt::cli::Action action;
  app.set_version_flag("--version", std::string("kompakt " KOMPAKT_VERSION_STRING " (") +
                                        kompakt::git_commit() + ")");
  app.require_subcommand(0, 1);
  kompakt::cli::add_compress(app, action);
  kompakt::cli::add_decompress(app, action);
  kompakt::cli::add_extract(app, action);
  kompakt::cli::add_info(app, action);
  kompakt::cli::add_words(app, action);
  kompakt::cli::add_compare(app, action);
  kompakt::cli::add_report(app, action);
  kompakt::cli::add_verify(app, action);
  kompakt::cli::add_repack(app, action);
  kompakt::cli::add_repair(app, action);
  kompakt::cli::add_remove(app, action);
  kompakt::cli::add_compact(app, action);
  kompakt::cli::add_man(app, action);
  kompakt::cli::add_completion(app, action);
  for (CLI::App* const verb : app.get_subcommands({})) {
    verb->add_flag_callback("--quiet", kompakt::cli::be_quiet, "no report, notes or progress");
  }

  int exit_code = 0;
  if (!parse(app, argc, argv, exit_code)) return finish(exit_code);
  if (!action) {
    kompakt::cli::print(app.help(), stdout);
    return finish(static_cast<int>(Status::bad_argument));
  }
  kompakt::cli::install_signal_handlers();
  exit_code = run(action);
  kompakt::cli::end_of_work();
  return finish(exit_code);
}

}  // namespace

int main(int argc, char** argv) {
  kompakt::cli::open_standard_files();
  try {
    return run_program(argc, argv);
  } catch (std::bad_alloc const&) {  // while words are read, or an error is told
    kompakt::cli::end_of_work();
    std::fputs("kompakt: out of memory; use a machine with more of it\n", stderr);
    return static_cast<int>(Status::device);
  }
}
