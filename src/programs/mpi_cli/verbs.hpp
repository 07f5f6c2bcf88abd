#ifndef KOMPAKT_MPI_CLI_VERBS_HPP
#define KOMPAKT_MPI_CLI_VERBS_HPP

#include <CLI/CLI.hpp>
#include <cli/parts/parse_numbers.hpp>
#include <cli/verbs/commands.hpp>
#include <cstdint>
#include <kompakt/error.hpp>
#include <mpi.h>
#include <string>

namespace kompakt::cli {

/// How large the parts are that ranks take in turn.
struct SlabArguments {
  std::string bytes = "64M";  ///< --slab

  void add_to(CLI::App& verb) {
    verb.add_option("--slab", bytes,
                    "bytes of values that a rank takes at a time, at most 1G; it needs about five "
                    "times as much memory")
        ->capture_default_str()
        ->type_name("BYTES");
  }
  std::uint64_t given() const {
    constexpr std::uint64_t least = std::uint64_t{1} << 10, most = std::uint64_t{1} << 30;
    std::uint64_t const count = parse_bytes("--slab", bytes);
    if (count >= least && count <= most) return count;
    throw Error(Status::bad_argument, "--slab: " + bytes + " is not possible", "give 1K to 1G");
  }
};

/// The ranks of the program.
struct Ranks {
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0, count = 1;

  Ranks() {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &count);
  }
  std::uint64_t rounds(std::uint64_t slabs) const {
    auto const ranks = static_cast<std::uint64_t>(count);
    return (slabs + ranks - 1) / ranks;
  }
  /// The slab that this rank takes in a round; there may be none of this number.
  std::uint64_t slab(std::uint64_t round) const {
    return round * static_cast<std::uint64_t>(count) + static_cast<std::uint64_t>(rank);
  }
  double most(double seconds) const {
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    return seconds;
  }
};

void add_mpi_compress(CLI::App& app, Action& action);
void add_mpi_decompress(CLI::App& app, Action& action);

}  // namespace kompakt::cli

#endif
