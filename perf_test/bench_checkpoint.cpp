#include "support/program.hpp"
#include "support/timing.hpp"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <kompakt/checkpoint.hpp>
#include <kompakt/io.hpp>
#include <kompakt/snapshot_store.hpp>
#include <kompakt/version.hpp>

// Checkpoints of a field against a raw write of it into the same folder, and states of a SnapshotStore against copies.
// A raw write is what a careful program does: through host memory that is there already, to another name, on the disk, renamed.

namespace kompakt::perf {

namespace {

struct Choice {
  Options options;
  std::string bound;
  std::filesystem::path folder;
  bool waves = false;
};

/// A flow that is smooth over the whole box, as of a solver that resolves all of it: a few waves of different lengths.
template <class Exec, class T>
void fill_waves(Exec const& exec, Kokkos::View<T*, typename Exec::memory_space> const& values,
                std::array<std::size_t, 3> const& extents) {
  std::size_t const ny = extents[1], nz = extents[2];
  double const unit = 2 * 3.14159265358979 / static_cast<double>(nz);
  Kokkos::parallel_for(
      "kompakt::perf::waves", Kokkos::RangePolicy<Exec>(exec, 0, values.extent(0)),
      KOKKOS_LAMBDA(std::size_t index) {
        double const x = unit * static_cast<double>(index / (ny * nz)),
                     y = unit * static_cast<double>(index / nz % ny),
                     z = unit * static_cast<double>(index % nz);
        double sum = 0;
        for (int k = 1; k <= 8; k *= 2) {
          sum += Kokkos::sin(k * x + 1) * Kokkos::cos(k * y + 0.3 * k) * Kokkos::cos(k * z) /
                 Kokkos::pow(k, 5. / 3);
        }
        values(index) = static_cast<T>(sum);
      });
}

template <class Exec, class T>
struct Subject {
  using View = Kokkos::View<T*, typename Exec::memory_space>;
  using Host = typename View::HostMirror;
  Exec exec;
  FieldShape shape;
  View field, copy;
  FieldData data{};

  Subject(Exec const& e, DataSet const& set, Choice const& choice)
      : exec(e),
        shape(set.shape),
        field(load<T>(e, set)),
        copy("kompakt::perf::copy", field.extent(0)) {
    if (choice.waves) fill_waves<Exec, T>(exec, field, three_extents(shape));
    data = {field.data(), shape};
    exec.fence("kompakt::perf::made");
  }
};

/// What is timed.
template <class Exec, class T>
using Timed = std::function<double(Subject<Exec, T>&, benchmark::State&)>;

/// The fastest call too: a machine that others use has no typical one.
template <class Exec, class Call>
double fastest_and_median_s(Exec const& exec, benchmark::State& state, Call const& call) {
  double fastest = 1e300;
  double const time_s = median_s(exec, state, [&] {
    exec.fence("kompakt::perf::begin");
    auto const begin = std::chrono::steady_clock::now();
    call();
    exec.fence("kompakt::perf::end");
    fastest = std::min(
        fastest, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  });
  state.counters["fastest_ms"] = 1e3 * fastest;
  return time_s;
}

template <class Exec, class T>
double raw_write(Choice const& choice, Subject<Exec, T>& subject, benchmark::State& state) {
  auto const path = choice.folder / "kompakt-bench.raw";
  auto const host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, subject.field);
  double const time_s = fastest_and_median_s(subject.exec, state, [&] {
    Kokkos::deep_copy(subject.exec, host, subject.field);
    subject.exec.fence("kompakt::perf::on the host");
    write_file(path, std::as_bytes(std::span(host.data(), host.size())), Overwrite::yes);
  });
  std::filesystem::remove(path);
  return time_s;
}

template <class Exec, class T>
double raw_read(Choice const& choice, Subject<Exec, T>& subject, benchmark::State& state) {
  auto const path = choice.folder / "kompakt-bench.raw";
  auto const host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, subject.copy);
  Kokkos::deep_copy(host, subject.field);
  write_file(path, std::as_bytes(std::span(host.data(), host.size())), Overwrite::yes);
  double const time_s = fastest_and_median_s(subject.exec, state, [&] {
    InputFile(path).read(std::as_writable_bytes(std::span(host.data(), host.size())));
    Kokkos::deep_copy(subject.exec, subject.copy, host);
  });
  std::filesystem::remove(path);
  return time_s;
}

/// A folder of its own for checkpoints, gone at the end.
struct Folder {
  std::filesystem::path path;
  explicit Folder(std::filesystem::path const& in) : path(in / "kompakt-bench-checkpoints") {
    std::filesystem::create_directories(path);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

enum class Operation { save, save_async, restore };

template <class Exec, class T>
double checkpoint(Operation operation, Choice const& choice, Subject<Exec, T>& subject,
                  benchmark::State& state) {
  Folder const folder(choice.folder);
  Checkpoint<Exec> checkpoint(subject.exec, folder.path, "bench", {.keep = 1});
  checkpoint.add("field", subject.data, choice.options);
  std::uint64_t step = 0;
  SavedCheckpoint const saved = checkpoint.save(step);
  state.counters["ratio"] = static_cast<double>(saved.raw_bytes) / static_cast<double>(saved.bytes);
  if (operation == Operation::restore) {  // what is measured next has the field as it was
    checkpoint.rebind("field", FieldData{subject.copy.data(), subject.shape});
  }
  return fastest_and_median_s(subject.exec, state, [&] {
    if (operation == Operation::restore) {
      checkpoint.restore();
    } else {
      checkpoint.save_async(++step);
    }
    if (operation == Operation::save) checkpoint.wait();
  });
}

enum class StateOperation { put, get };

template <class Exec, class T>
double snapshot(StateOperation operation, Choice const& choice, Subject<Exec, T>& subject,
                benchmark::State& state) {
  SnapshotStore<Exec> store(subject.exec, 2 * subject.shape.bytes(), {.coding = choice.options});
  store.put(0, subject.data);
  FieldData const to{subject.copy.data(), subject.shape};
  SnapshotStats const stats = store.stats();
  state.counters["ratio"] = stats.ratio();
  state.counters["workspace_mb"] = static_cast<double>(stats.workspace_bytes) / 1e6;
  return fastest_and_median_s(subject.exec, state, [&] {
    if (operation == StateOperation::get) {
      store.get(0, to);
    } else {
      store.clear();
      store.put(0, subject.data);
    }
  });
}

template <class Exec, class T>
double deep_copy(Subject<Exec, T>& subject, benchmark::State& state) {
  return fastest_and_median_s(
      subject.exec, state, [&] { Kokkos::deep_copy(subject.exec, subject.copy, subject.field); });
}

template <class Exec, class T>
void register_case(Run& run, Exec const& exec, DataSet const& data, Choice const& choice) {
  std::string const space = to_string(space_of<Exec>);
  std::string const name = choice.waves ? "waves" : data.name;
  std::string const coding = "/r2r:" + choice.bound + "/" + to_string(choice.options.pipeline) +
                             ":" + to_string(choice.options.predictor);
  auto const add = [&](std::string const& what, Timed<Exec, T> const& timed) {
    register_benchmark(
        run, what + "/" + name + "/" + text_of_extents(data.shape) + coding + "/" + space,
        [=, &run](benchmark::State& state) {
          auto& subject = run.subject.get<Subject<Exec, T>>(space + data.key(), [&] {
            return std::make_shared<Subject<Exec, T>>(exec, data, choice);
          });
          double const time_s = timed(subject, state);
          state.counters["gbps"] = static_cast<double>(data.shape.bytes()) / time_s / 1e9;
          state.SetLabel("data=" + name + "; dtype=" + to_string(data.shape.dtype) +
                         "; folder=" + choice.folder.string() + "; commit=" + git_commit());
        });
  };
  auto const with = [&](auto function) {
    return Timed<Exec, T>([=](auto& subject, auto& state) { return function(subject, state); });
  };
  add("raw_write", with([=](auto& s, auto& state) { return raw_write(choice, s, state); }));
  add("save",
      with([=](auto& s, auto& state) { return checkpoint(Operation::save, choice, s, state); }));
  add("save_async", with([=](auto& s, auto& state) {
        return checkpoint(Operation::save_async, choice, s, state);
      }));
  add("raw_read", with([=](auto& s, auto& state) { return raw_read(choice, s, state); }));
  add("restore",
      with([=](auto& s, auto& state) { return checkpoint(Operation::restore, choice, s, state); }));
  add("deep_copy", with([=](auto& s, auto& state) { return deep_copy(s, state); }));
  add("put",
      with([=](auto& s, auto& state) { return snapshot(StateOperation::put, choice, s, state); }));
  add("get",
      with([=](auto& s, auto& state) { return snapshot(StateOperation::get, choice, s, state); }));
}

Register take_choices(Flags& flags) {
  std::vector<Choice> choices;
  std::filesystem::path const folder = flags.take("--folder", "/dev/shm");
  bool const waves = flags.take_switch("--waves");
  std::vector<BoundWord> const bounds = take_bounds(flags, "1e-4");
  for (Options options : take_codings(flags)) {
    for (BoundWord const& bound : bounds) {
      options.bound = ErrorBound::relative_to_range(bound.value);
      validate(options);
      choices.push_back({options, bound.word, folder, waves});
    }
  }
  return [choices](Run& run) {
    for_each_case(run.settings, [&]<class Exec, class T>(Exec const& exec, T, DataSet const& data) {
      for (Choice const& choice : choices) register_case<Exec, T>(run, exec, data, choice);
    });
  };
}

char const* const help =
    "  --f32                generate float instead of double\n"
    "  --waves              a smooth flow of a few waves in place of turbulence\n"
    "  --folder PATH        where files go (default: /dev/shm)\n"
    "  --bounds X,X         relative to the range (default: 1e-4)\n"
    "  --pipeline WORD,…    (default: all)\n"
    "  --predictor WORD,…   (default: auto)\n";

/// The values of solvers are double, unless said otherwise.
std::vector<char*> with_double(int argc, char** argv) {
  static char f64[] = "--f64";
  std::vector<char*> words(argv, argv + argc);
  auto const f32 = std::find(words.begin(), words.end(), std::string("--f32"));
  if (f32 == words.end()) {
    words.push_back(f64);
  } else {
    words.erase(f32);
  }
  return words;
}

}  // namespace

}  // namespace kompakt::perf

int main(int argc, char** argv) {
  std::vector<char*> words = kompakt::perf::with_double(argc, argv);
  return kompakt::perf::run_program(static_cast<int>(words.size()), words.data(),
                                    "bench_checkpoint", kompakt::perf::help,
                                    kompakt::perf::take_choices);
}
