#include "support/graph.hpp"
#include "support/program.hpp"
#include "support/timing.hpp"
#include <functional>
#include <kompakt/compress.hpp>
#include <kompakt/field_sweep.hpp>
#include <kompakt/slab_reader.hpp>
#include <kompakt/version.hpp>
#include <optional>

// A 7-point stencil over a field: over the raw one, over a compressed one that is decompressed first, and over a compressed
// one slab by slab and in one sweep. Every value of the result is compared with that of the second. Where calls can be
// recorded as a graph, the last three are also launched as one.

namespace kompakt::perf {

namespace {

/// Sum of six neighbours less six times the value; the edge values continue outside. A thread goes through `planes` planes
/// of one column.
template <class Field, class Result>
struct SevenPoints {
  using T = typename Result::non_const_value_type;
  static constexpr int planes = 8;

  Field field;
  Result result;
  std::int64_t first, last;  // planes

  std::int64_t threads() const {
    return (last - first + planes - 1) / planes *
           static_cast<std::int64_t>(result.extent(1) * result.extent(2));
  }

  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    int const nx = static_cast<int>(result.extent(2)), ny = static_cast<int>(result.extent(1)),
              nz = static_cast<int>(result.extent(0));
    int const x = static_cast<int>(thread % nx);
    int const row = static_cast<int>(thread / nx), y = row % ny;
    int const begin = static_cast<int>(first) + row / ny * planes;
    int const end = begin + planes < last ? begin + planes : static_cast<int>(last);
    int const west = x > 0 ? x - 1 : 0, east = x + 1 < nx ? x + 1 : x;
    int const south = y > 0 ? y - 1 : 0, north = y + 1 < ny ? y + 1 : y;
    T below = field(begin > 0 ? begin - 1 : 0, y, x), here = field(begin, y, x);
    for (int z = begin; z < end; ++z) {
      T const above = field(z + 1 < nz ? z + 1 : z, y, x);
      T const sum = field(z, y, west) + field(z, y, east) +
                    (field(z, south, x) + field(z, north, x)) + (below + above);
      result(z, y, x) = sum - 6 * here;
      below = here;
      here = above;
    }
  }
};

/// The same of one value, for a sweep.
struct SevenPointsOfValue {
  int nz, ny, nx;

  template <class Field>
  KOKKOS_FUNCTION auto operator()(Field const& field, int z, int y, int x) const {
    int const west = x > 0 ? x - 1 : 0, east = x + 1 < nx ? x + 1 : x;
    int const south = y > 0 ? y - 1 : 0, north = y + 1 < ny ? y + 1 : y;
    int const below = z > 0 ? z - 1 : 0, above = z + 1 < nz ? z + 1 : z;
    auto const sum = field(z, y, west) + field(z, y, east) +
                     (field(z, south, x) + field(z, north, x)) +
                     (field(below, y, x) + field(above, y, x));
    return sum - 6 * field(z, y, x);
  }
};

template <class Exec, class Field, class Result>
void run_stencil(Exec const& exec, Field const& field, Result const& result, std::int64_t first,
                 std::int64_t last) {
  SevenPoints<Field, Result> const stencil{field, result, first, last};
  Kokkos::parallel_for(
      "kompakt::perf::stencil",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, stencil.threads()),
      stencil);
}

/// A field, raw and compressed, and room for results.
template <class Exec, class T>
struct Subject {
  using Space = typename Exec::memory_space;
  using View = Kokkos::View<T***, Kokkos::LayoutRight, Exec>;
  using ConstView = Kokkos::View<T const***, Kokkos::LayoutRight, Exec>;

  Exec exec;
  Workspace<Exec> workspace;
  CompressedStream<Space> stream;
  View raw, decoded, expected, result;
  std::optional<SlabReader<View>> reader;
  std::function<void()> enqueue_sweep,
      finish_sweep;  // none: kernels of this coding are not compiled
  std::size_t sweep_bytes = 0;
  double raw_s;

  Subject(Exec const& e, DataSet const& data, Options const& options, std::size_t samples)
      : exec(e), workspace(e) {
    auto const n = three_extents(data.shape);
    auto const make = [&](std::string const& label) {
      return View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), n[0], n[1], n[2]);
    };
    raw = make("kompakt::perf::raw");
    decoded = make("kompakt::perf::decoded");
    expected = make("kompakt::perf::expected");
    result = make("kompakt::perf::result");
    auto const values = load<T>(exec, data);
    Kokkos::deep_copy(exec, Kokkos::View<T*, Space>(raw.data(), raw.size()), values);
    compress(exec, raw, options, workspace, stream);
    decompress_and_stencil(expected);
    StreamReader<Exec> const opened(exec, stream);
    reader.emplace(exec, opened, SlabOptions{.halo = 1});
    if (options.pipeline == Pipeline::fixedlength) make_sweep<Pipeline::fixedlength>(opened);
    if (options.pipeline == Pipeline::bitshuffle && options.variant != Variant::fz) {
      make_sweep<Pipeline::bitshuffle>(opened);
    }
    raw_s = median_s(exec, samples, [&] { stencil_of_raw(); });
  }

  template <Pipeline pipeline>
  void make_sweep(StreamReader<Exec> const& opened) {
    auto const sweep =
        std::make_shared<device::FieldSweep<View, pipeline>>(exec, opened, SlabOptions{.halo = 1});
    enqueue_sweep = [this, sweep] {
      sweep->run(exec, "kompakt::perf::stencil", result,
                 SevenPointsOfValue{static_cast<int>(planes()), static_cast<int>(raw.extent(1)),
                                    static_cast<int>(raw.extent(2))});
    };
    finish_sweep = [this, sweep] { sweep->finish(exec); };
    sweep_bytes = sweep->memory_bytes();
  }
  std::int64_t planes() const { return static_cast<std::int64_t>(raw.extent(0)); }
  void stencil_of_raw() { run_stencil(exec, ConstView(raw), result, 0, planes()); }
  void decompress_and_stencil(View const& to) {
    auto pending = decompress_async(exec, stream, workspace, decoded);
    run_stencil(exec, ConstView(decoded), to, 0, planes());
    pending.finish();
  }
  void enqueue_slabs() {
    reader->for_each(exec, [&](SlabWindow<View> const& window) {
      run_stencil(exec, window, result, window.first(), window.last());
    });
  }
  /// How many values of the result are not those expected, bit for bit.
  std::int64_t differences() const {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    auto const* const a = reinterpret_cast<Bits const*>(result.data());
    auto const* const b = reinterpret_cast<Bits const*>(expected.data());
    std::int64_t count = 0;
    Kokkos::parallel_reduce(
        "kompakt::perf::compare",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
            exec, 0, static_cast<std::int64_t>(result.size())),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t & sum) { sum += a[i] != b[i] ? 1 : 0; }, count);
    return count;
  }
};

enum class Way { raw, decompressed, slabs, sweep, decompressed_graph, slabs_graph, sweep_graph };
struct NamedWay {
  Way way;
  char const* name;
};
constexpr NamedWay ways[] = {{Way::raw, "raw"},
                             {Way::decompressed, "decompressed"},
                             {Way::slabs, "slabs"},
                             {Way::sweep, "sweep"},
                             {Way::decompressed_graph, "decompressed_graph"},
                             {Way::slabs_graph, "slabs_graph"},
                             {Way::sweep_graph, "sweep_graph"}};

bool is_graph(Way way) { return way >= Way::decompressed_graph; }
bool is_sweep(Way way) { return way == Way::sweep || way == Way::sweep_graph; }

template <class S>
double time_of(S& subject, Way way, benchmark::State& state) {
  using Exec = decltype(subject.exec);
  Exec const& exec = subject.exec;
  switch (way) {
    case Way::raw: return median_s(exec, state, [&] { subject.stencil_of_raw(); });
    case Way::decompressed:
      return median_s(exec, state, [&] { subject.decompress_and_stencil(subject.result); });
    case Way::slabs:
      return median_s(exec, state, [&] {
        subject.enqueue_slabs();
        subject.reader->finish(exec);
      });
    case Way::sweep:
      return median_s(exec, state, [&] {
        subject.enqueue_sweep();
        subject.finish_sweep();
      });
    default: break;
  }
  if constexpr (has_graphs<Exec>) {
    if (way == Way::slabs_graph) {
      Graph<Exec> const graph(exec, [&] { subject.enqueue_slabs(); });
      return median_s(exec, state, [&] {
        graph.launch();
        subject.reader->finish(exec);
      });
    }
    if (way == Way::sweep_graph) {
      Graph<Exec> const graph(exec, [&] { subject.enqueue_sweep(); });
      return median_s(exec, state, [&] {
        graph.launch();
        subject.finish_sweep();
      });
    }
    std::optional<PendingDecompression<Exec>> pending;
    Graph<Exec> const graph(exec, [&] {
      pending = decompress_async(exec, subject.stream, subject.workspace, subject.decoded);
      run_stencil(exec, typename S::ConstView(subject.decoded), subject.result, 0,
                  subject.planes());
    });
    return median_s(exec, state, [&] {
      graph.launch();
      pending->finish();
    });
  }
  return 0;
}

template <class S>
std::size_t memory_of(S const& subject, Way way) {
  if (way == Way::raw) return 0;
  if (is_sweep(way)) return subject.sweep_bytes;
  bool const is_slabs = way == Way::slabs || way == Way::slabs_graph;
  return is_slabs ? subject.reader->memory_bytes()
                  : subject.raw.size() * sizeof(typename S::View::value_type);
}

template <class Exec, class T>
void register_way(Run& run, Exec const& exec, DataSet const& data, Options const& options,
                  NamedWay const& named) {
  using S = Subject<Exec, T>;
  std::string const space = to_string(space_of<Exec>);
  std::string const pipeline = std::string(to_string(options.pipeline)) + "/" +
                               to_string(options.variant) + "/" + to_string(options.predictor);
  register_benchmark(
      run, std::string(named.name) + "/" + data.key() + "/" + pipeline + "/" + space,
      [=, &run](benchmark::State& state) {
        auto& subject = run.subject.get<S>(space + "/" + data.key() + "/" + pipeline, [&] {
          return std::make_shared<S>(exec, data, options,
                                     static_cast<std::size_t>(run.settings.samples));
        });
        if (is_sweep(named.way) && !subject.enqueue_sweep)
          return state.SkipWithError("not compiled");
        Kokkos::deep_copy(subject.result, T(0));
        double const time_s = time_of(subject, named.way, state);
        auto const field_bytes = static_cast<double>(data.shape.bytes());
        std::int64_t const differences = named.way == Way::raw ? 0 : subject.differences();
        if (differences > 0) {
          return run.fail(state, std::to_string(differences) + " values of the result differ");
        }
        state.counters["milliseconds"] = 1e3 * time_s;
        state.counters["gbps"] = field_bytes / time_s / 1e9;
        state.counters["percent_of_raw"] = 100 * subject.raw_s / time_s;
        state.counters["ratio"] = field_bytes / static_cast<double>(subject.stream.info().bytes);
        state.counters["memory_percent"] =
            100 * static_cast<double>(memory_of(subject, named.way)) / field_bytes;
        state.SetLabel("data=" + data.name + "; extents=" + text_of_extents(data.shape) +
                       "; dtype=" + to_string(data.shape.dtype) +
                       "; predictor=" + subject.stream.info().predictor_word() +
                       "; variant=" + to_string(options.variant) + "; commit=" + git_commit());
      });
}

void register_all(Run& run, std::vector<Options> const& asked) {
  for_each_case(run.settings, [&]<class Exec, class T>(Exec const& exec, T, DataSet const& data) {
    for (Options const& options : asked) {
      for (NamedWay const& named : ways) {
        if (is_graph(named.way) && !has_graphs<Exec>) continue;
        register_way<Exec, T>(run, exec, data, options, named);
      }
    }
  });
}

Register take_choices(Flags& flags) {
  return [asked = take_codings(flags)](Run& run) { register_all(run, asked); };
}

char const* const help =
    "  --pipeline WORD,…    (default: all)\n"
    "  --predictor WORD,…   auto, chain, tile (default: auto)\n";

}  // namespace

}  // namespace kompakt::perf

int main(int argc, char** argv) {
  return kompakt::perf::run_program(argc, argv, "bench_stencil", kompakt::perf::help,
                                    kompakt::perf::take_choices);
}
