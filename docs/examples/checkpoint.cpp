// A simulation that saves what it has, is restored from it, and keeps old states in memory. Exit code 0 if every value is
// within its bound.

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <kompakt/kompakt.hpp>
#include <optional>
#include <sstream>
#include <string>

using Exec = Kokkos::DefaultExecutionSpace;
using Field = Kokkos::View<double***, Kokkos::LayoutRight, Exec>;

constexpr double bound = 1e-4;

void advance(Exec const& exec, Field const& field, int step) {
  Kokkos::parallel_for(
      "advance", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>(exec, {0, 0, 0}, {40, 50, 60}),
      KOKKOS_LAMBDA(int i, int j, int k) {
        field(i, j, k) = Kokkos::sin(0.1 * i + 0.01 * step) * Kokkos::cos(0.07 * j) + 0.02 * k;
      });
}

bool is_of(Exec const& exec, Field const& field, int step) {
  Field const exact("exact", 40, 50, 60);
  advance(exec, exact, step);
  return kompakt::error_stats(exec, exact, field, bound).violations == 0;
}

bool saves_and_restores(Exec const& exec, std::filesystem::path const& folder) {
  Field const velocity("velocity", 40, 50, 60);
  Kokkos::View<std::int64_t*, Exec> const particles("particles", 1000);
  int step = 0;

  // [checkpoint register]
  kompakt::Checkpoint<Exec> checkpoint(exec, folder, "flow", {.schema = "flow solver 3"});
  kompakt::Options lossy;
  lossy.bound = kompakt::ErrorBound::absolute(1e-4);  // in the units of the field
  checkpoint.add("velocity", velocity, lossy);
  checkpoint.add_lossless("particles", particles);
  // [/checkpoint]

  // [checkpoint loop]
  for (; step < 20; ++step) {
    if (step % 5 == 0) checkpoint.save_async(step, {{"time", std::to_string(0.01 * step)}});
    advance(exec, velocity, step + 1);  // while a thread writes
  }
  checkpoint.wait();  // throws if the last save has failed
  // [/checkpoint]

  // [checkpoint restore]
  kompakt::RestoredCheckpoint const restored = checkpoint.restore();
  std::printf("%s\n", restored.text().c_str());  // names newer ones that were damaged or missing
  step = static_cast<int>(restored.step);
  // [/checkpoint]
  return step == 15 && is_of(exec, velocity, 15);
}

bool takes_turns(Exec const& exec, std::filesystem::path const& folder) {
  Field before("before", 40, 50, 60), now("now", 40, 50, 60);
  kompakt::Checkpoint<Exec> checkpoint(exec, folder, "turns");
  kompakt::Options const options{.bound = kompakt::ErrorBound::absolute(bound)};
  checkpoint.add("now", now, options);
  advance(exec, before, 8);
  // [checkpoint turns]
  std::swap(before, now);
  checkpoint.rebind("now", now);
  // [/checkpoint]
  checkpoint.save(8);
  checkpoint.rebind("now", before);
  checkpoint.restore();
  return is_of(exec, before, 8);
}

// A library that is given functions, as VELOC's client is by mem_protect(id, serializer, deserializer).
struct Protected {
  std::function<void(std::ostream&)> serializer;
  std::function<bool(std::istream&)> deserializer;
};

bool is_called_by_others(Exec const& exec) {
  Field const velocity("velocity", 40, 50, 60);
  kompakt::Options lossy;
  lossy.bound = kompakt::ErrorBound::absolute(bound);
  // [checkpoint functions]
  kompakt::FieldStreams<Exec> fields(exec);
  auto const write = [&](std::ostream& out) { fields.write(out, velocity, lossy); };
  auto const read = [&](std::istream& in) {
    fields.read(in, velocity);
    return true;
  };
  // [/checkpoint]
  Protected const region{write, read};
  std::stringstream file;
  advance(exec, velocity, 3);
  region.serializer(file);
  advance(exec, velocity, 4);
  return region.deserializer(file) && is_of(exec, velocity, 3);
}

// [checkpoint archive]
// What Boost.Serialization and cereal call of a class, with their archives as Archive.
struct State {
  Field velocity;
  double time = 0;

  template <class Archive>
  void save(Archive& archive, unsigned /*version*/) const {
    std::ostringstream bytes;
    kompakt::FieldStreams<Exec>(Exec()).write(bytes, velocity,
                                              {.bound = kompakt::ErrorBound::absolute(1e-4)});
    std::string const text = bytes.str();
    archive << time << text;
  }
  template <class Archive>
  void load(Archive& archive, unsigned /*version*/) {
    std::string text;
    archive >> time >> text;
    std::istringstream bytes(text);
    kompakt::FieldStreams<Exec>(Exec()).read(bytes, velocity);
  }
};
// [/checkpoint]

// As little of an archive as that takes.
struct OutputArchive {
  std::ostream& out;
  OutputArchive& operator<<(double value) {
    out.write(reinterpret_cast<char const*>(&value), sizeof(value));
    return *this;
  }
  OutputArchive& operator<<(std::string const& text) {
    *this << static_cast<double>(text.size());
    out << text;
    return *this;
  }
};
struct InputArchive {
  std::istream& in;
  InputArchive& operator>>(double& value) {
    in.read(reinterpret_cast<char*>(&value), sizeof(value));
    return *this;
  }
  InputArchive& operator>>(std::string& text) {
    double size = 0;
    *this >> size;
    text.resize(static_cast<std::size_t>(size));
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    return *this;
  }
};

bool is_a_member(Exec const& exec) {
  State state{Field("velocity", 40, 50, 60), 0.5};
  std::stringstream file;
  advance(exec, state.velocity, 6);
  OutputArchive output{file};
  state.save(output, 0);
  state.time = 0;
  advance(exec, state.velocity, 7);
  InputArchive input{file};
  state.load(input, 0);
  return state.time == 0.5 && is_of(exec, state.velocity, 6);
}

bool keeps_old_states(Exec const& exec) {
  Field const velocity("velocity", 40, 50, 60), old("old", 40, 50, 60);
  bool good = true;
  // [checkpoint states]
  kompakt::SnapshotOptions options;
  options.coding.bound = kompakt::ErrorBound::absolute(1e-4);
  kompakt::SnapshotStore<Exec> store(exec, std::size_t{8} << 20, options);
  for (int step = 0; step < 40; ++step) {
    store.put(step, velocity);
    advance(exec, velocity, step + 1);
  }
  for (int step = 39; step > 0; --step) {
    store.get(step, old);  // in reverse, as an adjoint solver goes
    good = good && is_of(exec, old, step);
  }
  kompakt::SnapshotStats const stats = store.stats();
  std::printf("%zu states, %.1f times as many as fit raw\n", stats.states, stats.ratio());
  // [/checkpoint]
  return good;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Exec const exec;
  std::filesystem::path const folder = argc > 1 ? argv[1] : "checkpoints";
  std::filesystem::create_directories(folder);
  bool const good = saves_and_restores(exec, folder) && takes_turns(exec, folder) &&
                    is_called_by_others(exec) && is_a_member(exec) && keeps_old_states(exec);
  return good ? 0 : 1;
}
