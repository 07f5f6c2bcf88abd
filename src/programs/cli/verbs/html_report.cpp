#include "commands.hpp"
#include <CLI/CLI.hpp>
#include <cerrno>
#include <cli/parts/files.hpp>
#include <cli/parts/notes.hpp>
#include <cstdlib>
#include <cstring>
#include <kompakt/error.hpp>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace kompakt::cli {

namespace {

// What `-m kompakt.report` does, with a line of ours where there is no such package.
constexpr char program_text[] = R"(import importlib.util, runpy, sys
if sys.path and sys.path[0] == "":
    del sys.path[0]  # the folder that somebody stands in has no modules of ours
try:
    found = importlib.util.find_spec("kompakt.report")
except ImportError:
    found = None
if found is None:
    print("kompakt: '" + sys.executable + "' has no Python package kompakt, which makes the report; install it with "
          "'pip install ./python' in the sources of kompakt, or name a Python that has it by --python or KOMPAKT_PYTHON",
          file=sys.stderr)
    sys.exit(1)
runpy.run_module("kompakt.report", run_name="__main__", alter_sys=True)
)";

std::string chosen_python(std::string const& option) {
  if (!option.empty()) return option;
  char const* const variable = std::getenv("KOMPAKT_PYTHON");
  return variable != nullptr && *variable != '\0' ? variable : "python3";
}

// Becomes Python; returns only if it cannot.
int run_python(std::string const& option, std::vector<std::string> words) {
  std::string const python = chosen_python(option);
  std::vector<std::string> all = {python, "-c", program_text};
  if (is_quiet()) all.emplace_back("--quiet");
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::setenv("KOMPAKT_REPORT_COMMAND", "kompakt report", 1);
  ::execvp(python.c_str(), argv.data());
  throw Error(Status::io, "cannot run '" + python + "': " + std::strerror(errno),
              "name a Python by --python or KOMPAKT_PYTHON");
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  auto const python = std::make_shared<std::string>();
  CLI::App& verb = *app.add_subcommand(
      "report", "write a page with pictures of a field, its reconstruction and the errors");
  verb.add_option("--python", *python,
                  "Python that has the package kompakt (default: $KOMPAKT_PYTHON, python3)")
      ->type_name("PROGRAM");
  verb.set_help_flag();  // all other words are the package's, which knows its options
  verb.allow_extras();
  verb.callback([python, &verb, &action] {
    action = [python, words = verb.remaining()] { return run_python(*python, words); };
  });
}

}  // namespace kompakt::cli
