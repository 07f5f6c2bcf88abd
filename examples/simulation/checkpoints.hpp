#ifndef SIMULATION_CHECKPOINTS_HPP
#define SIMULATION_CHECKPOINTS_HPP

#include "gray_scott.hpp"
#include "grid.hpp"
#include <cstdint>
#include <filesystem>
#include <kompakt/mpi_checkpoint.hpp>
#include <kompakt/options.hpp>
#include <optional>

namespace simulation {

/// States in files, from which a run goes on: on any number of ranks, on another backend. All calls are collective.
class Checkpoints {
 public:
  /// \param state   that is saved, and restored into
  /// \param folder  that exists
  /// \param coding  of u and v
  Checkpoints(Exec const& exec, Grid const& grid, State& state, std::filesystem::path const& folder,
              kompakt::Options const& coding, kompakt::mpi::CheckpointFiles files);

  /// Begins to save the state, which may be changed when it returns.
  /// \throws kompakt::Error also of the save before
  void save();
  /// Waits for what has been begun.
  std::optional<kompakt::SavedCheckpoint> wait() { return m_checkpoint.wait(); }
  /// Restores the checkpoint of a step, or the newest one that is sound.
  kompakt::RestoredCheckpoint restore(std::optional<std::uint64_t> step);

 private:
  State& m_state;
  kompakt::mpi::Checkpoint<Exec> m_checkpoint;
};

}  // namespace simulation

#endif
