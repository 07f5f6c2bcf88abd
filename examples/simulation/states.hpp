#ifndef SIMULATION_STATES_HPP
#define SIMULATION_STATES_HPP

#include "gray_scott.hpp"
#include "grid.hpp"
#include <cstddef>
#include <kompakt/kompakt.hpp>
#include <memory>
#include <optional>
#include <vector>

namespace simulation {

/// States of a run in the memory of the device: as they are, or compressed.
class States {
 public:
  /// \param coding        none: they stay as they are
  /// \param budget_bytes  of compressed ones
  States(Exec const& exec, Grid const& grid, std::optional<kompakt::Options> const& coding,
         std::size_t budget_bytes)
      : m_exec(exec), m_grid(grid) {
    if (!coding) return;
    kompakt::SnapshotOptions options;
    options.coding = *coding;
    m_store = std::make_unique<kompakt::SnapshotStore<Exec>>(exec, budget_bytes, options);
  }

  /// \throws kompakt::Error buffer_too_small, with the numbers, if they have no room
  void put(State const& state) {
    if (m_store) {
      m_store->put(state.step, state.u.interior(), "u");
      m_store->put(state.step, state.v.interior(), "v");
    } else {
      copy(m_exec, state, m_raw.emplace_back(m_grid));
    }
  }
  /// The state of a step that was put; the first one that was put is the one of `first`.
  void get(std::uint64_t step, std::uint64_t first, State& state) {
    if (m_store) {
      m_store->get(step, state.u.interior(), "u");
      m_store->get(step, state.v.interior(), "v");
    } else {
      copy(m_exec, m_raw[step - first], state);
    }
  }

  /// Bytes that they take on this rank.
  std::size_t bytes() const {
    if (m_store) return m_store->stats().stored_bytes;
    return m_raw.size() * 2 * m_grid.planes() * m_grid.plane_size() * sizeof(double);
  }

 private:
  Exec m_exec;
  Grid const& m_grid;
  std::unique_ptr<kompakt::SnapshotStore<Exec>> m_store;
  std::vector<State> m_raw;
};

}  // namespace simulation

#endif
