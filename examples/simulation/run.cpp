#include "run.hpp"
#include "checkpoints.hpp"
#include "sensitivity.hpp"
#include "snapshots.hpp"
#include "solver.hpp"
#include "states.hpp"
#include <cinttypes>
#include <cstdio>
#include <kompakt/kompakt.hpp>
#include <kompakt/mpi_agree.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

namespace simulation {
namespace {

using nlohmann::json;

/// What is measured, and printed where there is one reader.
class Report {
 public:
  explicit Report(bool prints) : m_prints(prints) {}
  json& operator[](char const* name) { return m_values[name]; }
  template <class... Values>
  void line(char const* format, Values... values) const {
    if (!m_prints) return;
    std::printf(format, values...);
    std::printf("\n");
    std::fflush(stdout);
  }
  void write(std::string const& file) const {
    if (!m_prints || file.empty()) return;
    std::string const text = m_values.dump(1) + "\n";
    kompakt::write_file(file, std::as_bytes(std::span(text)), kompakt::Overwrite::yes);
  }

 private:
  bool m_prints;
  json m_values;
};

void report_state(Exec const& exec, Grid const& grid, State const& state, Report& report) {
  Means const means = means_of(exec, grid, state);
  report.line("step %" PRIu64 ", time %g: mean u %.12g, v %.12g, reaction %.12g", state.step,
              state.time, means.u, means.v, means.reaction);
  report["step"] = state.step;
  report["time"] = state.time;
  report["mean_u"] = means.u;
  report["mean_v"] = means.v;
  report["mean_reaction"] = means.reaction;
}

/// Runs forward, with all output that is asked for.
void advance(Exec const& exec, Grid const& grid, Settings const& settings, Solver& solver,
             std::optional<Checkpoints>& checkpoints, State& state, Report& report) {
  std::optional<Snapshots> snapshots;
  if (!settings.snapshots.empty()) {
    snapshots.emplace(exec, grid, settings.snapshots, settings.snapshot);
  }
  double solver_s = 0, snapshot_s = 0, checkpoint_s = 0;
  Kokkos::Timer whole;
  // Runs a part and adds the time that it takes.
  auto const timed = [](double& seconds, auto const& part) {
    Kokkos::Timer const timer;
    part();
    seconds += timer.seconds();
  };
  for (int n = 1; n <= settings.steps; ++n) {
    timed(solver_s, [&] { solver.step(state); });
    if (snapshots) {
      timed(snapshot_s, [&] {
        snapshots->go_on();
        if (n % settings.snapshot_every == 0) snapshots->put(state);
      });
    }
    bool const saves = settings.checkpoint_every > 0 && n % settings.checkpoint_every == 0;
    if (checkpoints && (saves || n == settings.steps)) {
      timed(checkpoint_s, [&] { checkpoints->save(); });
    }
  }
  if (snapshots) timed(snapshot_s, [&] { snapshots->finish(); });
  std::optional<kompakt::SavedCheckpoint> saved;
  if (checkpoints) timed(checkpoint_s, [&] { saved = checkpoints->wait(); });
  double const whole_s = whole.seconds();

  report["solver_s"] = solver_s;
  report["whole_s"] = whole_s;
  report["iterations"] = solver.iterations();
  report.line("solver: %.4g s a step, %.3g iterations of conjugate gradients a field and step",
              solver_s / std::max(settings.steps, 1),
              static_cast<double>(solver.iterations()) / std::max(2 * settings.steps, 1));
  if (snapshots) {
    report["snapshots"] = snapshots->count();
    report["snapshot_s"] = snapshot_s;
    report["snapshot_bytes"] = snapshots->bytes();
    report["snapshot_raw_bytes"] = snapshots->raw_bytes();
    report.line("snapshots: %" PRIu64 " in %s, ratio %.4g, %.3g %% of the solver's time",
                snapshots->count(), settings.snapshots.c_str(),
                static_cast<double>(snapshots->raw_bytes()) /
                    static_cast<double>(std::max<std::uint64_t>(snapshots->bytes(), 1)),
                100 * snapshot_s / solver_s);
  }
  if (saved) {
    report["checkpoint_s"] = checkpoint_s;
    report["checkpoint_bytes"] = saved->bytes;
    report["checkpoint_raw_bytes"] = saved->raw_bytes;
    report.line("checkpoints: %s, ratio %.4g, %.3g %% of the solver's time",
                saved->file.string().c_str(),
                static_cast<double>(saved->raw_bytes) / static_cast<double>(saved->bytes),
                100 * checkpoint_s / solver_s);
  }
}

void differentiate(Exec const& exec, Grid const& grid, Settings const& settings, Solver& solver,
                   State& state, Report& report) {
  auto states = kompakt::mpi::together(grid.comm(), [&] {
    return std::make_unique<States>(exec, grid, settings.states, settings.memory_bytes);
  });
  State gradient(grid);
  std::size_t const raw_bytes =
      2 * grid.size() * sizeof(double) * static_cast<std::size_t>(settings.steps);
  Sensitivity const result =
      sensitivity_of(exec, grid, solver, *states, settings.steps, state, gradient);
  report["by_feed"] = result.by_feed;
  report["state_bytes"] = result.state_bytes;
  report["state_raw_bytes"] = raw_bytes;
  report["forward_s"] = result.forward_s;
  report["backward_s"] = result.backward_s;
  report.line("the mean of v changes by %.12g a unit of the feed rate", result.by_feed);
  report.line("states: %.4g of %.4g MiB, forward %.4g s, backward %.4g s",
              static_cast<double>(result.state_bytes) / (1 << 20),
              static_cast<double>(raw_bytes) / (1 << 20), result.forward_s, result.backward_s);
}

}  // namespace

void run(MPI_Comm comm, Settings const& settings) {
  Exec const exec;
  Grid const grid(comm, settings.points, settings.spacing);
  Report report(grid.rank() == 0);
  Halo halo(exec, grid, settings.halo);
  Solver solver(exec, grid, halo, settings.model, settings.dt, settings.tolerance);
  State state(grid);
  set_initial(exec, grid, state);
  std::optional<Checkpoints> checkpoints;
  if (!settings.checkpoints.empty()) {
    using kompakt::mpi::CheckpointFiles;
    checkpoints.emplace(exec, grid, state, settings.checkpoints, settings.checkpoint,
                        settings.file_a_rank ? CheckpointFiles::one_a_rank : CheckpointFiles::one);
  }
  if (settings.restart) {
    report.line("%s", checkpoints->restore(settings.restart_step).text().c_str());
  }
  report_state(exec, grid, state, report);
  if (settings.sensitivity) {
    differentiate(exec, grid, settings, solver, state, report);
  } else {
    advance(exec, grid, settings, solver, checkpoints, state, report);
  }
  report_state(exec, grid, state, report);
  kompakt::mpi::Traffic const traffic = halo.traffic();
  report["halo_value_bytes"] = grid.sum(static_cast<double>(traffic.value_bytes));
  report["halo_sent_bytes"] = grid.sum(static_cast<double>(traffic.sent_bytes));
  report["ranks"] = grid.ranks();
  report["exec"] = Exec::name();
  kompakt::mpi::together(comm, [&] { report.write(settings.json); });
}

}  // namespace simulation
