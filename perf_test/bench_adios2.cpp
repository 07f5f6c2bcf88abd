#include "support/program.hpp"
#include "support/timing.hpp"
#include <adios2.h>
#include <adios2/plugin/PluginOperatorInterface.h>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <kompakt/any_codec.hpp>
#include <kompakt/compress.hpp>
#include <kompakt/version.hpp>
#include <map>
#include <stdexcept>

// Putting and getting a variable in blocks with the operator: beside the library on the same blocks, the operator called
// without ADIOS2, and ADIOS2 without an operator. All take turns in one run; medians.

namespace kompakt::perf {

namespace {

double seconds_of(std::function<void()> const& call) {
  auto const begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

adios2::Params parameters_for(double bound) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", bound);
  return {{"PluginName", "kompakt"}, {"PluginLibrary", "kompakt_adios2"}, {"bound", text}};
}

/// The operator, without ADIOS2.
class DirectOperator {
 public:
  explicit DirectOperator(double bound) {
    void* const plugin = dlopen(KOMPAKT_PERF_PLUGIN "/libkompakt_adios2.so", RTLD_NOW);
    if (plugin == nullptr) throw std::runtime_error(dlerror());
    using Create = adios2::plugin::PluginOperatorInterface*(adios2::Params const&);
    m_destroy = reinterpret_cast<Destroy*>(dlsym(plugin, "OperatorDestroy"));
    adios2::Params parameters = parameters_for(bound);
    parameters["interface"] = std::to_string(ADIOS2_PLUGIN_OPERATOR_INTERFACE);
    parameters.erase("PluginName");
    parameters.erase("PluginLibrary");
    m_operator = reinterpret_cast<Create*>(dlsym(plugin, "OperatorCreate"))(parameters);
  }
  ~DirectOperator() { m_destroy(m_operator); }
  DirectOperator(DirectOperator const&) = delete;
  DirectOperator& operator=(DirectOperator const&) = delete;

  adios2::plugin::PluginOperatorInterface* operator->() const { return m_operator; }

 private:
  using Destroy = void(adios2::plugin::PluginOperatorInterface*);
  Destroy* m_destroy = nullptr;
  adios2::plugin::PluginOperatorInterface* m_operator = nullptr;
};

/// A field in blocks, slabs of the slowest index.
template <class T>
class Subject {
 public:
  Subject(DataSet const& data, std::size_t slab, std::string const& folder)
      : m_shape(data.shape),
        m_path(folder + "/bench_adios2.bp"),
        m_values(load<T>(Kokkos::DefaultHostExecutionSpace(), data)),
        m_restored("kompakt::perf::restored", m_values.extent(0)),
        m_bound(bound_of(m_values)),
        m_operator(m_bound) {
    if (m_shape.rank != 3 || m_shape.extents[0] % slab != 0) {
      throw std::runtime_error(
          "a field of three extents is needed, the first a multiple of --slab");
    }
    m_block = m_shape;
    m_block.extents[0] = slab;
    m_options.bound = ErrorBound::absolute(m_bound);
    m_options.pipeline = Pipeline::bitshuffle;
    m_stored.resize(m_shape.extents[0] / slab);
    m_bytes.resize(m_stored.size());
    std::size_t const most =
        std::max(max_compressed_bytes(m_block, m_options),
                 m_operator->GetEstimatedSize(m_block.size(), sizeof(T), 3, nullptr));
    for (auto& stored : m_stored) stored.resize(most);
  }
  ~Subject() { remove(); }
  Subject(Subject const&) = delete;
  Subject& operator=(Subject const&) = delete;

  std::size_t bytes() const { return m_shape.bytes(); }
  double stored_bytes() const {
    return static_cast<double>(std::filesystem::file_size(m_path + "/data.0"));
  }
  std::uint64_t violations() const {
    return error_stats(Kokkos::DefaultHostExecutionSpace(), m_values, m_restored, m_bound)
        .violations;
  }

  void compress(AnyCodec& codec) {
    for_blocks([&](std::size_t i, std::size_t at) {
      m_bytes[i] = codec
                       .compress(FieldData{m_values.data() + at, m_block}, MemoryOf::host,
                                 m_options, m_stored[i], MemoryOf::host)
                       .bytes;
    });
  }
  void decompress(AnyCodec& codec) {
    for_blocks([&](std::size_t i, std::size_t at) {
      codec.decompress(std::span<std::byte const>(m_stored[i]).first(m_bytes[i]), MemoryOf::host,
                       FieldData{m_restored.data() + at, m_block}, MemoryOf::host);
    });
  }
  void operate() {
    auto const type = sizeof(T) == 4 ? adios2::DataType::Float : adios2::DataType::Double;
    for_blocks([&](std::size_t i, std::size_t at) {
      m_bytes[i] = m_operator->Operate(reinterpret_cast<char const*>(m_values.data() + at), {},
                                       count(), type, bytes_of(i));
    });
  }
  void inverse_operate() {
    for_blocks([&](std::size_t i, std::size_t at) {
      m_operator->InverseOperate(bytes_of(i), m_bytes[i],
                                 reinterpret_cast<char*>(m_restored.data() + at));
    });
  }

  /// Away with a file that was written: to replace it takes as long as its pages are many.
  void remove() const { std::filesystem::remove_all(m_path); }
  /// \returns seconds of Put alone, without opening, ending the step, which writes the file, and closing
  double put(bool with_operator) {
    adios2::ADIOS adios;
    adios2::IO io = adios.DeclareIO("put");
    io.SetEngine("BP5");
    io.SetParameters({{"StatsLevel", "0"}});
    auto variable = io.DefineVariable<T>("x", shape(), {0, 0, 0}, count());
    if (with_operator) {
      variable.AddOperation(adios.DefineOperator("kompakt", "plugin", parameters_for(m_bound)));
    }
    adios2::Engine engine = io.Open(m_path, adios2::Mode::Write);
    engine.BeginStep();
    double const put_s = seconds_of([&] {
      for_blocks([&](std::size_t i, std::size_t at) {
        variable.SetSelection({{i * m_block.extents[0], 0, 0}, count()});
        engine.Put(variable, m_values.data() + at);
      });
    });
    engine.EndStep();
    engine.Close();
    return put_s;
  }
  /// \returns seconds of Get alone, which reads the file
  double get() {
    adios2::ADIOS adios;
    adios2::IO io = adios.DeclareIO("get");
    adios2::Engine engine = io.Open(m_path, adios2::Mode::ReadRandomAccess);
    auto variable = io.InquireVariable<T>("x");
    double const get_s = seconds_of([&] {
      for_blocks([&](std::size_t i, std::size_t at) {
        variable.SetSelection({{i * m_block.extents[0], 0, 0}, count()});
        engine.Get(variable, m_restored.data() + at);
      });
      engine.PerformGets();  // by threads of ADIOS2, which take turns with the operator
    });
    engine.Close();
    return get_s;
  }

 private:
  static double bound_of(Kokkos::View<T*, Kokkos::HostSpace> const& values) {
    Kokkos::DefaultHostExecutionSpace const exec;
    Workspace<Kokkos::DefaultHostExecutionSpace> workspace(exec);
    return field_range(exec, values, FillValue::none(), workspace).bound(1e-3);
  }
  template <class Body>
  void for_blocks(Body const& body) {
    for (std::size_t i = 0; i < m_stored.size(); ++i) body(i, i * m_block.size());
  }
  static adios2::Dims dims(FieldShape const& shape) {
    return {shape.extents[0], shape.extents[1], shape.extents[2]};
  }
  adios2::Dims shape() const { return dims(m_shape); }
  adios2::Dims count() const { return dims(m_block); }
  char* bytes_of(std::size_t block) { return reinterpret_cast<char*>(m_stored[block].data()); }

  FieldShape m_shape, m_block{};
  std::string m_path;
  Kokkos::View<T*, Kokkos::HostSpace> m_values, m_restored;
  double m_bound;
  DirectOperator m_operator;
  Options m_options{};
  std::vector<std::vector<std::byte>> m_stored;
  std::vector<std::size_t> m_bytes;
};

/// Times by word: "put kompakt", "get library" and so on.
struct Measured {
  std::map<std::string, std::vector<double>> times;
  double ratio = 0;
};

template <class T>
void time_all(Subject<T>& subject, AnyCodec& codec, Measured& measured) {
  auto const time = [&](std::string const& what, auto const& call) {
    measured.times[what].push_back(seconds_of(call));
  };
  time("put library", [&] { subject.compress(codec); });
  time("get library", [&] { subject.decompress(codec); });
  time("put operator", [&] { subject.operate(); });
  time("get operator", [&] { subject.inverse_operate(); });
  for (std::string const who : {"plain", "kompakt"}) {
    subject.remove();
    double alone_s = 0;
    time("put " + who, [&] { alone_s = subject.put(who == "kompakt"); });
    measured.times["put alone " + who].push_back(alone_s);
    time("get " + who, [&] { alone_s = subject.get(); });
    measured.times["get alone " + who].push_back(alone_s);
  }
  measured.ratio = static_cast<double>(subject.bytes()) / subject.stored_bytes();
  if (subject.violations() > 0) throw std::runtime_error("what ADIOS2 got breaks the bound");
}

template <class T>
void register_case(Run& run, DataSet const& data, std::size_t slab, std::string const& folder,
                   std::string const& direction) {
  auto const body = [=, &run](benchmark::State& state) {
    // Both directions are measured at once, and reported as two lines.
    auto& measured = run.subject.get<Measured>(data.key() + std::to_string(slab), [&] {
      auto result = std::make_shared<Measured>();
      Subject<T> subject(data, slab, folder);
      AnyCodec codec(default_space());
      for (std::int64_t round = -1; round < run.settings.samples; ++round) {
        time_all(subject, codec, *result);
        if (round < 0) result->times.clear();
      }
      return result;
    });
    auto const time = [&](std::string const& who) {
      return median(measured.times.at(direction + " " + who));
    };
    for ([[maybe_unused]] auto iteration : state) state.SetIterationTime(time("kompakt"));
    for (char const* who : {"library", "operator", "plain", "kompakt"}) {
      state.counters[std::string(who) + "_s"] = time(who);
    }
    state.counters["call_s"] = time("alone kompakt");
    state.counters["call_of_library"] = time("library") / time("alone kompakt");
    state.counters["operator_of_library"] = time("library") / time("operator");
    state.counters["of_library"] = time("library") / time("kompakt");
    state.counters["of_parts"] = time("kompakt") / (time("library") + time("plain"));
    state.counters["ratio"] = measured.ratio;
    state.SetLabel("data=" + data.name + "; extents=" + text_of_extents(data.shape) +
                   "; dtype=" + to_string(data.shape.dtype) + "; slab=" + std::to_string(slab) +
                   "; commit=" + git_commit());
  };
  register_benchmark(run, direction + "/" + data.key() + "/" + std::to_string(slab), body);
}

}  // namespace

}  // namespace kompakt::perf

int main(int argc, char** argv) {
  using namespace kompakt::perf;
  char const* const help =
      "  --slab N             extent of a block along the slowest index (repeatable; default: 16)\n"
      "  --folder FOLDER      where the file is written (default: /dev/shm)\n";
  setenv("ADIOS2_PLUGIN_PATH", KOMPAKT_PERF_PLUGIN, 0);
  return run_program(argc, argv, "bench_adios2", help,
                     [](Flags& flags) {
                       std::vector<std::string> slabs = flags.take_all("--slab");
                       if (slabs.empty()) slabs = {"16"};
                       std::string const folder = flags.take("--folder", "/dev/shm");
                       return [=](Run& run) {
                         for (DataSet const& data : run.settings.data) {
                           for (std::string const& slab : slabs) {
                             std::size_t const n = parse_count("--slab", slab);
                             for (char const* direction : {"put", "get"}) {
                               data.shape.dtype == kompakt::Dtype::f32
                                   ? register_case<float>(run, data, n, folder, direction)
                                   : register_case<double>(run, data, n, folder, direction);
                             }
                           }
                         }
                       };
                     },
                     {"1024,512,512"});
}
