#ifndef SIMULATION_SETTINGS_HPP
#define SIMULATION_SETTINGS_HPP

#include "gray_scott.hpp"
#include <array>
#include <cstddef>
#include <cstdint>
#include <kompakt/options.hpp>
#include <optional>
#include <string>

namespace simulation {

/// What a program is asked for.
struct Settings {
  std::array<std::size_t, 3> points = {64, 64, 64};
  double spacing = 2.5 / 256;
  double dt = 1;
  int steps = 100;
  double tolerance = 1e-10;
  Model model;

  std::optional<kompakt::Options> halo;  ///< none: planes go as they are

  std::string snapshots;  ///< an archive; empty: none
  int snapshot_every = 10;
  kompakt::Options snapshot;

  std::string checkpoints;   ///< a folder; empty: none
  int checkpoint_every = 0;  ///< 0: at the end alone
  kompakt::Options checkpoint;
  bool file_a_rank = false;
  bool restart = false;
  std::optional<std::uint64_t> restart_step;  ///< none: from the newest one

  bool sensitivity = false;
  std::optional<kompakt::Options> states;  ///< none: they stay as they are
  std::size_t memory_bytes = 0;            ///< of compressed states

  std::string json;  ///< a file; empty: none
};

/// Reads a command line.
/// \returns nothing if it has been answered, such as --help
/// \throws kompakt::Error bad_argument naming what cannot be used
std::optional<Settings> read_settings(int argc, char** argv, bool prints);

}  // namespace simulation

#endif
