#include "run.hpp"
#include "checkpoints.hpp"
#include "sensitivity.hpp"
#include "snapshots.hpp"
#include "solver.hpp"
#include "states.hpp"
#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <kompakt/kompakt.hpp>
#include <kompakt/mpi_agree.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

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

/// Seconds of the caller's threads.
struct Times {
  double solver = 0, snapshots = 0, checkpoints = 0;

  /// Runs a part and adds the time that it takes.
  template <class Part>
  static void add(double& seconds, Part const& part) {
    Kokkos::Timer const timer;
    part();
    seconds += timer.seconds();
  }
  double percent(double seconds) const { return solver > 0 ? 100 * seconds / solver : 0; }
};

double ratio(std::uint64_t raw_bytes, std::uint64_t bytes) {
  return bytes == 0 ? 0 : static_cast<double>(raw_bytes) / static_cast<double>(bytes);
}

void report_solver(Settings const& settings, Solver const& solver, Times const& times,
                   Report& report) {
  report["solver_s"] = times.solver;
  report["iterations"] = solver.iterations();
  int const steps = std::max(settings.steps, 1);
  report.line("solver: %.4g s a step, %.3g iterations of conjugate gradients a field and step",
              times.solver / steps, static_cast<double>(solver.iterations()) / (2 * steps));
}

void report_snapshots(Settings const& settings, Snapshots const& snapshots, Times const& times,
                      Report& report) {
  report["snapshots"] = snapshots.count();
  report["snapshot_s"] = times.snapshots;
  report["snapshot_bytes"] = snapshots.bytes();
  report["snapshot_raw_bytes"] = snapshots.raw_bytes();
  report.line("snapshots: %" PRIu64 " in %s, ratio %.4g, %.3g %% of the solver's time",
              snapshots.count(), settings.snapshots.c_str(),
              ratio(snapshots.raw_bytes(), snapshots.bytes()), times.percent(times.snapshots));
}

void report_checkpoint(kompakt::SavedCheckpoint const& saved, Times const& times, Report& report) {
  report["checkpoint_s"] = times.checkpoints;
  report["checkpoint_bytes"] = saved.bytes;
  report["checkpoint_raw_bytes"] = saved.raw_bytes;
  report.line("checkpoints: the last one is %s, ratio %.4g, %.3g %% of the solver's time",
              saved.file.string().c_str(), ratio(saved.raw_bytes, saved.bytes),
              times.percent(times.checkpoints));
}

/// Runs forward, with all output that is asked for.
void advance(Exec const& exec, Grid const& grid, Settings const& settings, Solver& solver,
             std::optional<Checkpoints>& checkpoints, State& state, Report& report) {
  std::optional<Snapshots> snapshots;
  if (!settings.snapshots.empty()) {
    kompakt::mpi::together(
        grid.comm(), [&] { snapshots.emplace(exec, grid, settings.snapshots, settings.snapshot); });
  }
  Times times;
  Kokkos::Timer const whole;
  for (int n = 1; n <= settings.steps; ++n) {
    Times::add(times.solver, [&] { solver.step(state); });
    if (snapshots) {
      Times::add(times.snapshots, [&] {
        snapshots->go_on();
        if (n % settings.snapshot_every == 0) snapshots->put(state);
      });
    }
    bool const saves = settings.checkpoint_every > 0 && n % settings.checkpoint_every == 0;
    if (checkpoints && (saves || n == settings.steps)) {
      Times::add(times.checkpoints, [&] { checkpoints->save(); });
    }
  }
  std::optional<kompakt::SavedCheckpoint> saved;
  if (snapshots) Times::add(times.snapshots, [&] { snapshots->finish(); });
  if (checkpoints) Times::add(times.checkpoints, [&] { saved = checkpoints->wait(); });
  report["whole_s"] = whole.seconds();
  report_solver(settings, solver, times, report);
  if (snapshots) report_snapshots(settings, *snapshots, times, report);
  if (saved) report_checkpoint(*saved, times, report);
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
