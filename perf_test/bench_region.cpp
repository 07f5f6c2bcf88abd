#include "support/program.hpp"
#include "support/timing.hpp"
#include <kompakt/compress.hpp>
#include <kompakt/version.hpp>

// Boxes out of a compressed field: a cube of 64, planes across each axis and a row, from the middle of the field.

namespace kompakt::perf {

namespace {

struct Box {
  char const* name;
  std::size_t most[3];  ///< extents, slowest first; the field's if it has less
};
constexpr std::size_t all = ~std::size_t{0};
constexpr Box boxes[] = {{"cube", {64, 64, 64}},
                         {"slowest_plane", {1, all, all}},
                         {"middle_plane", {all, 1, all}},
                         {"fastest_plane", {all, all, 1}},
                         {"row", {1, 1, all}},
                         {"whole", {all, all, all}}};

template <class Exec, class T>
struct Stream {
  using Space = typename Exec::memory_space;
  Exec exec;
  FieldShape shape;
  Workspace<Exec> workspace;
  CompressedStream<Space> stream;
  Kokkos::View<T*, Space> values;

  Stream(Exec const& e, DataSet const& data, Options const& options)
      : exec(e), workspace(e), values("kompakt::perf::region", data.shape.size()) {
    shape = data.shape;
    shape.rank = 3;
    std::array<std::size_t, 3> const extents = three_extents(data.shape);
    std::copy(extents.begin(), extents.end(), shape.extents.begin());
    auto const field = load<T>(exec, data);
    compress(exec, ConstFieldData(field.data(), shape), options, workspace, stream);
  }
  /// Type and extents of a box; where it begins.
  FieldShape shape_of_box(Box const& box, std::array<std::size_t, 3>& begin) const {
    FieldShape region = shape;
    for (std::size_t i = 0; i < 3; ++i) {
      region.extents[i] = std::min(box.most[i], shape.extents[i]);
      begin[i] = (shape.extents[i] - region.extents[i]) / 2;
    }
    return region;
  }
};

template <class Exec, class T>
void register_box(Run& run, Exec const& exec, DataSet const& data, Options const& options,
                  Box const& box) {
  using Subject = Stream<Exec, T>;
  std::string const space = to_string(space_of<Exec>);
  std::string const pipeline =
      std::string(to_string(options.pipeline)) + "/" + to_string(options.predictor);
  register_benchmark(
      run, std::string(box.name) + "/" + data.key() + "/" + pipeline + "/" + space,
      [=, &run](benchmark::State& state) {
        auto& subject = run.subject.get<Subject>(space + "/" + data.key() + "/" + pipeline, [&] {
          return std::make_shared<Subject>(exec, data, options);
        });
        std::array<std::size_t, 3> begin{}, end{};
        FieldShape const region = subject.shape_of_box(box, begin);
        for (std::size_t i = 0; i < 3; ++i) end[i] = begin[i] + region.extents[i];
        double const time_s = median_s(exec, state, [&] {
          decompress(exec, subject.stream, subject.workspace,
                     FieldData{subject.values.data(), region}, kompakt::Box{begin, end});
        });
        state.counters["microseconds"] = 1e6 * time_s;
        state.counters["gbps"] = static_cast<double>(region.bytes()) / time_s / 1e9;
        state.SetLabel("data=" + data.name + "; extents=" + text_of_extents(data.shape) +
                       "; dtype=" + to_string(data.shape.dtype) + "; predictor=" +
                       subject.stream.info().predictor_word() + "; commit=" + git_commit());
      });
}

void register_all(Run& run, std::vector<Options> const& asked) {
  for_each_case(run.settings, [&]<class Exec, class T>(Exec const& exec, T, DataSet const& data) {
    for (Options const& options : asked) {
      for (Box const& box : boxes) register_box<Exec, T>(run, exec, data, options, box);
    }
  });
}

Register take_choices(Flags& flags) {
  return [asked = take_codings(flags)](Run& run) { register_all(run, asked); };
}

char const* const help =
    "  --pipeline WORD,…    (default: all)\n"
    "  --predictor WORD,…   (default: auto)\n";

}  // namespace

}  // namespace kompakt::perf

int main(int argc, char** argv) {
  return kompakt::perf::run_program(argc, argv, "bench_region", kompakt::perf::help,
                                    kompakt::perf::take_choices);
}
