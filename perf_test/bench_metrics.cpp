#include "support/copy.hpp"
#include "support/program.hpp"
#include "support/timing.hpp"
#include <kompakt/compress.hpp>
#include <kompakt/metrics.hpp>
#include <kompakt/version.hpp>

// The metrics of a field and its reconstruction, in the memory of the execution space. The basic ones read as
// many bytes as a copy reads and writes, so `percent_of_copy` is that of the memory's rate.

namespace kompakt::perf {

namespace {

/// A field and its reconstruction within 1e-3 of its range.
template <class Exec, class T>
struct Reconstruction {
  using Space = typename Exec::memory_space;
  Exec exec;
  Kokkos::View<T*, Space> original, restored;
  double abs_bound = 0, copy_gbps = 0;
  FieldShape shape;

  Reconstruction(Exec const& e, DataSet const& data, std::size_t samples)
      : exec(e),
        original(load<T>(e, data)),
        restored("kompakt::perf::restored", data.shape.size()),
        shape(data.shape) {
    double const time_s = median_s(
        exec, samples, [&] { copy_packs(exec, original.data(), restored.data(), shape.bytes()); });
    copy_gbps = static_cast<double>(copied_bytes(shape.bytes())) / time_s / 1e9;
    Workspace<Exec> workspace(exec);
    CompressedStream<Space> stream;
    compress(exec, ConstFieldData(original.data(), shape), {}, workspace, stream);
    decompress(exec, stream, workspace, FieldData{restored.data(), shape});
    abs_bound = stream.info().abs_bound;
  }
  Metrics metrics(MetricsOptions const& options) const {
    return kompakt::metrics(exec, ConstFieldData(original.data(), shape),
                            ConstFieldData(restored.data(), shape), abs_bound, options);
  }
};

struct Group {
  char const* name;
  MetricsOptions options;
};
constexpr Group groups[] = {{"basic", {}},
                            {"ssim", {.ssim = true}},
                            {"autocorrelation", {.autocorrelation = true}},
                            {"histogram", {.histogram = true}},
                            {"entropy", {.entropy = true}}};

template <class Exec, class T>
void register_group(Run& run, Exec const& exec, DataSet const& data, Group const& group) {
  using Fields = Reconstruction<Exec, T>;
  std::string const space = to_string(space_of<Exec>);
  register_benchmark(
      run, std::string(group.name) + "/" + data.key() + "/" + space,
      [&run, exec, data, group, space](benchmark::State& state) {
        auto const& fields =
            run.subject.get<Fields>(space + "/" + data.key() + "/" + data.file.string(), [&] {
              auto const samples = static_cast<std::size_t>(run.settings.samples);
              return std::make_shared<Fields>(exec, data, samples);
            });
        double const time_s = median_s(exec, state, [&] { fields.metrics(group.options); });
        double const gbps = static_cast<double>(data.shape.bytes()) / time_s / 1e9;
        state.counters["gbps"] = gbps;
        state.counters["copy_gbps"] = fields.copy_gbps;
        state.counters["percent_of_copy"] = 100 * gbps / fields.copy_gbps;
        state.SetLabel("data=" + data.name + "; extents=" + text_of_extents(data.shape) +
                       "; dtype=" + to_string(data.shape.dtype) + "; commit=" + git_commit());
      });
}

void register_all(Run& run) {
  for_each_case(run.settings,
                [&run]<class Exec, class T>(Exec const& exec, T, DataSet const& data) {
                  for (Group const& group : groups) register_group<Exec, T>(run, exec, data, group);
                });
}

}  // namespace

}  // namespace kompakt::perf

int main(int argc, char** argv) {
  return kompakt::perf::run_program(argc, argv, "bench_metrics", "", [](kompakt::perf::Flags&) {
    return kompakt::perf::register_all;
  });
}
