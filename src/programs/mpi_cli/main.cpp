#include "verbs.hpp"
#include <algorithm>
#include <cli/parts/arguments.hpp>
#include <cli/parts/files.hpp>
#include <cli/parts/notes.hpp>
#include <cli/parts/signals.hpp>
#include <cli/parts/standard_files.hpp>
#include <cstdio>
#include <kompakt/error.hpp>
#include <kompakt/printable.hpp>
#include <kompakt/version.hpp>
#include <sstream>
#include <string>

namespace {

using kompakt::Status;

/// One line on stderr, by rank 0 alone, and the exit code of all.
int fail(int rank, Status status, std::string const& message) {
  if (rank == 0) std::fprintf(stderr, "kompakt-mpi: %s\n", kompakt::printable(message).c_str());
  return static_cast<int>(status);
}

int run(int rank, CLI::App& app, int argc, char** argv, kompakt::cli::Action const& action) {
  try {
    kompakt::cli::require_values(app, {argv + 1, argv + argc});
    app.parse(argc, argv);
    kompakt::cli::install_signal_handlers();
    return action();
  } catch (CLI::Success const& help_or_version) {
    std::ostringstream text;
    int const code = app.exit(help_or_version, text, text);
    if (rank == 0) kompakt::cli::print(text.str(), stdout);
    return code;
  } catch (CLI::ParseError const& error) {
    return fail(rank, Status::bad_argument,
                std::string(error.what()) + "; see 'kompakt-mpi --help'");
  } catch (kompakt::Error const& error) {
    auto const help = kompakt::cli::help_asked_for(app);
    if (!help) return fail(rank, error.status(), std::string(error.text()));
    if (rank == 0) kompakt::cli::print(*help, stdout);
    return 0;
  } catch (std::exception const& error) {
    // Of this rank alone: the others may wait for it.
    std::string message = error.what();  // Kokkos's may have several lines
    std::ranges::replace(message, '\n', ' ');
    int const code = fail(0, Status::device, "rank " + std::to_string(rank) + ": " + message);
    kompakt::cli::undo_unfinished_files();
    kompakt::cli::end_of_work();
    MPI_Abort(MPI_COMM_WORLD, code);
    return code;
  }
}

/// The exit code of all ranks: the highest one.
int finish(int rank, int exit_code) {
  std::string const failure = kompakt::cli::unprinted();
  if (!failure.empty()) exit_code = std::max(exit_code, fail(rank, Status::io, failure));
  MPI_Allreduce(MPI_IN_PLACE, &exit_code, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  kompakt::cli::open_standard_files();
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) kompakt::cli::be_quiet();
  CLI::App app("Error-bounded lossy compression of raw fields on the ranks of MPI", "kompakt-mpi");
  kompakt::cli::Action action;
  app.set_version_flag("--version", std::string("kompakt-mpi " KOMPAKT_VERSION_STRING));
  app.require_subcommand(1);
  kompakt::cli::add_mpi_compress(app, action);
  kompakt::cli::add_mpi_decompress(app, action);
  int exit_code = run(rank, app, argc, argv, action);
  kompakt::cli::end_of_work();
  exit_code = finish(rank, exit_code);
  MPI_Finalize();
  return exit_code;
}
