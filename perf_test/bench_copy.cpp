#include "support/copy.hpp"
#include "support/program.hpp"
#include "support/timing.hpp"
#include <kompakt/version.hpp>

// The ceiling of every compressor: copying the field. `gbps` counts the bytes of the field once, as
// the throughput of a compressor does; `moved_gbps` counts them read and written.

namespace kompakt::perf {

namespace {

template <class Exec, class T>
struct FieldPair {
  using values_type = Kokkos::View<T*, typename Exec::memory_space>;
  values_type from, to;
};

template <class Exec, class T>
FieldPair<Exec, T>& field_pair(Run& run, Exec const& exec, DataSet const& data) {
  using Pair = FieldPair<Exec, T>;
  return run.subject.get<Pair>(std::string(to_string(space_of<Exec>)) + "/" + data.key(), [&] {
    auto const from = load<T>(exec, data);
    typename Pair::values_type const to("kompakt::perf::copy", from.extent(0));
    return std::make_shared<Pair>(Pair{from, to});
  });
}

void report(benchmark::State& state, DataSet const& data, std::size_t bytes, double time_s) {
  double const gbps = static_cast<double>(bytes) / time_s / 1e9;
  state.counters["gbps"] = gbps;
  state.counters["moved_gbps"] = 2 * gbps;
  state.SetLabel("data=" + data.name + "; extents=" + text_of_extents(data.shape) +
                 "; dtype=" + to_string(data.shape.dtype) + "; commit=" + git_commit());
}

template <class Exec, class T>
void register_copies(Run& run, Exec const& exec, DataSet const& data) {
  std::string const tail = "/" + data.key() + "/" + to_string(space_of<Exec>);
  register_benchmark(run, "copy" + tail, [&run, exec, data](benchmark::State& state) {
    auto const& pair = field_pair<Exec, T>(run, exec, data);
    std::size_t const bytes = data.shape.bytes();
    double const time_s =
        median_s(exec, state, [&] { copy_packs(exec, pair.from.data(), pair.to.data(), bytes); });
    report(state, data, copied_bytes(bytes), time_s);
  });
  register_benchmark(run, "deep_copy" + tail, [&run, exec, data](benchmark::State& state) {
    auto const& pair = field_pair<Exec, T>(run, exec, data);
    double const time_s =
        median_s(exec, state, [&] { Kokkos::deep_copy(exec, pair.to, pair.from); });
    report(state, data, data.shape.bytes(), time_s);
  });
}

void register_all(Run& run) {
  for_each_case(run.settings,
                [&run]<class Exec, class T>(Exec const& exec, T, DataSet const& data) {
                  register_copies<Exec, T>(run, exec, data);
                });
}

}  // namespace

}  // namespace kompakt::perf

int main(int argc, char** argv) {
  return kompakt::perf::run_program(argc, argv, "bench_copy", "", [](kompakt::perf::Flags&) {
    return kompakt::perf::register_all;
  });
}
