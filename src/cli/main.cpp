#include "commands.hpp"
#include "signals.hpp"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <kompakt/error.hpp>
#include <kompakt/version.hpp>
#include <new>
#include <string>

namespace {

using kompakt::Status;

/// One line on stderr, whatever the message is made of, and the exit code.
int fail(Status status, std::string message) {
  for (char& c : message) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  std::fprintf(stderr, "kompakt: %s\n", message.c_str());
  return static_cast<int>(status);
}

int run(kompakt::cli::Action const& action) {
  try {
    return action();
  } catch (kompakt::Error const& error) {
    return fail(error.status(), error.what());
  } catch (std::filesystem::filesystem_error const& error) {
    return fail(Status::io, error.what());
  } catch (std::bad_alloc const&) {
    return fail(Status::device, "out of memory; use a machine with more of it");
  } catch (std::exception const& error) {  // Kokkos: its messages name the space and the size
    return fail(Status::device, error.what());
  }
}

/// Reads the arguments. Returns false, with an exit code, when there is nothing left to do.
bool parse(CLI::App& app, int argc, char** argv, int& exit_code) {
  try {
    app.parse(argc, argv);
    return true;
  } catch (CLI::Success const& help_or_version) {
    exit_code = app.exit(help_or_version);
  } catch (CLI::ParseError const& error) {
    exit_code = fail(Status::bad_argument, std::string(error.what()) +
                                               "; 'kompakt --help' and 'kompakt VERB --help' tell "
                                               "what there is");
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Error-bounded lossy compression of floating-point fields", "kompakt");
  kompakt::cli::Action action;
  app.set_version_flag("--version", std::string("kompakt " KOMPAKT_VERSION_STRING " (") +
                                        kompakt::git_commit() + ")");
  app.require_subcommand(0, 1);
  kompakt::cli::add_compress(app, action);
  kompakt::cli::add_decompress(app, action);
  kompakt::cli::add_extract(app, action);
  kompakt::cli::add_info(app, action);
  kompakt::cli::add_compare(app, action);
  kompakt::cli::add_verify(app, action);
  kompakt::cli::add_repair(app, action);
  kompakt::cli::add_remove(app, action);
  kompakt::cli::add_compact(app, action);

  int exit_code = 0;
  if (!parse(app, argc, argv, exit_code)) return exit_code;
  if (!action) {
    std::fputs(app.help().c_str(), stdout);
    return static_cast<int>(Status::bad_argument);
  }
  kompakt::cli::install_signal_handlers();
  exit_code = run(action);
  if (std::fflush(stdout) != 0 && exit_code == 0) {
    return fail(Status::io, "cannot write the report to standard output");
  }
  return exit_code;
}
