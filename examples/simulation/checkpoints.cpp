#include "checkpoints.hpp"
#include <cstdio>
#include <cstdlib>

namespace simulation {
namespace {

/// Says what the values mean: a checkpoint of another version of this program is not taken.
constexpr char const* schema = "gray-scott 1";

}  // namespace

Checkpoints::Checkpoints(Exec const& exec, Grid const& grid, State& state,
                         std::filesystem::path const& folder, kompakt::Options const& coding,
                         kompakt::mpi::CheckpointFiles files)
    : m_state(state),
      m_checkpoint(exec, grid.comm(), folder, "gray-scott", {.schema = schema}, files) {
  m_checkpoint.add("u", state.u.interior(), grid.place(), coding);
  m_checkpoint.add("v", state.v.interior(), grid.place(), coding);
}

void Checkpoints::save() {
  char time[40];
  std::snprintf(time, sizeof(time), "%.17g", m_state.time);
  m_checkpoint.save_async(m_state.step, {{"time", time}});
}

kompakt::RestoredCheckpoint Checkpoints::restore(std::optional<std::uint64_t> step) {
  auto restored = step ? m_checkpoint.restore(*step) : m_checkpoint.restore();
  m_state.step = restored.step;
  for (auto const& [name, value] : restored.attributes) {
    if (name == "time") m_state.time = std::strtod(value.c_str(), nullptr);
  }
  return restored;
}

}  // namespace simulation
