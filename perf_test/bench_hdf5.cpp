#include "support/program.hpp"
#include "support/timing.hpp"
#include <bit>
#include <chrono>
#include <dlfcn.h>
#include <filesystem>
#include <hdf5.h>
#include <kompakt/any_codec.hpp>
#include <kompakt/compress.hpp>
#include <kompakt/h5z_values.h>
#include <kompakt/version.hpp>
#include <map>
#include <stdexcept>

// Writing and reading a dataset through the plugin: beside the library on the same chunks and HDF5 without a filter, whose
// times together it should take, and beside the filters SZ3 and ZFP where HDF5 finds them. And what one small chunk costs
// in the filter alone. All take turns in one run; medians.

namespace kompakt::perf {

namespace {

void require(bool succeeded, char const* what) {
  if (!succeeded) throw std::runtime_error(std::string("HDF5 fails to ") + what);
}

double seconds_of(std::function<void()> const& call) {
  auto const begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct Filter {
  std::string word;
  H5Z_filter_t id;  ///< negative: none
  std::vector<unsigned> words;
};

/// Those that HDF5 has or finds, with one absolute bound.
std::vector<Filter> filters_with(double bound) {
  auto const bits = std::bit_cast<std::uint64_t>(bound);
  auto const low = static_cast<unsigned>(bits), high = static_cast<unsigned>(bits >> 32);
  std::vector<Filter> all{{"unfiltered", -1, {}},
                          {"kompakt", KOMPAKT_H5Z_FILTER_ID, {1, KOMPAKT_BOUND_ABS, low, high}},
                          {"sz3", 32024, {0, high, low, 0, 0, 0, 0, 0, 0}},
                          {"zfp", 32013, {3, 0, low, high, 0, 0}}};
  std::erase_if(all, [](Filter const& f) { return f.id >= 0 && H5Zfilter_avail(f.id) <= 0; });
  return all;
}

/// A field, cut into cubes.
template <class T>
class Subject {
 public:
  Subject(DataSet const& data, std::size_t edge, std::string const& folder)
      : m_shape(data.shape),
        m_edge(edge),
        m_path(folder + "/bench_hdf5.h5"),
        m_values(load<T>(Kokkos::DefaultHostExecutionSpace(), data)),
        m_restored("kompakt::perf::restored", m_values.extent(0)) {
    if (m_shape.rank != 3) throw std::runtime_error("a field of three extents is needed");
    Kokkos::DefaultHostExecutionSpace const exec;
    Workspace<Kokkos::DefaultHostExecutionSpace> workspace(exec);
    m_bound = field_range(exec, m_values, FillValue::none(), workspace).bound(1e-3);
    m_chunk = m_shape;
    for (std::size_t i = 0; i < 3; ++i) m_chunk.extents[i] = std::min(edge, m_shape.extents[i]);
    cut();
  }
  ~Subject() { std::filesystem::remove(m_path); }
  Subject(Subject const&) = delete;
  Subject& operator=(Subject const&) = delete;

  double bound() const { return m_bound; }
  std::size_t bytes() const { return m_shape.bytes(); }
  double stored_bytes() const { return static_cast<double>(std::filesystem::file_size(m_path)); }

  /// Compresses all chunks, each of which lies in memory as HDF5 gives it to a filter.
  void compress(AnyCodec& codec) {
    Options const options = this->options();
    for (std::size_t i = 0; i < m_streams.size(); ++i) {
      m_streams[i].resize(std::max(m_streams[i].size(), max_compressed_bytes(m_chunk, options)));
      m_bytes[i] = codec
                       .compress(FieldData{m_chunks.data() + i * m_chunk.size(), m_chunk},
                                 MemoryOf::host, options, m_streams[i], MemoryOf::host)
                       .bytes;
    }
  }
  void decompress(AnyCodec& codec) {
    for (std::size_t i = 0; i < m_streams.size(); ++i) {
      codec.decompress(std::span<std::byte const>(m_streams[i]).first(m_bytes[i]), MemoryOf::host,
                       FieldData{m_chunks.data() + i * m_chunk.size(), m_chunk}, MemoryOf::host);
    }
  }

  void write(Filter const& filter) {
    hid_t const file = H5Fcreate(m_path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t const dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hid_t const space = H5Screate_simple(3, dims(m_shape).data(), nullptr);
    H5Pset_chunk(dcpl, 3, dims(m_chunk).data());
    H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER);
    if (filter.id >= 0) {
      H5Pset_filter(dcpl, filter.id, H5Z_FLAG_MANDATORY, filter.words.size(), filter.words.data());
    }
    hid_t const dataset = H5Dcreate2(file, "x", type(), space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    require(dataset >= 0, "create a dataset");
    require(H5Dwrite(dataset, type(), H5S_ALL, H5S_ALL, H5P_DEFAULT, m_values.data()) >= 0,
            "write");
    H5Dclose(dataset);
    H5Sclose(space);
    H5Pclose(dcpl);
    require(H5Fclose(file) >= 0, "close a file");
  }
  void read() {
    hid_t const file = H5Fopen(m_path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t const dataset = H5Dopen2(file, "x", H5P_DEFAULT);
    require(H5Dread(dataset, type(), H5S_ALL, H5S_ALL, H5P_DEFAULT, m_restored.data()) >= 0,
            "read");
    H5Dclose(dataset);
    H5Fclose(file);
  }
  std::uint64_t violations() const {
    return error_stats(Kokkos::DefaultHostExecutionSpace(), m_values, m_restored, m_bound)
        .violations;
  }

 private:
  static hid_t type() { return sizeof(T) == 4 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE; }
  static std::array<hsize_t, 3> dims(FieldShape const& shape) {
    return {shape.extents[0], shape.extents[1], shape.extents[2]};
  }
  Options options() const {
    Options options;
    options.bound = ErrorBound::absolute(m_bound);
    options.pipeline = Pipeline::bitshuffle;
    return options;
  }
  void cut() {
    auto const& n = m_shape.extents;
    auto const& c = m_chunk.extents;
    if (n[0] % c[0] + n[1] % c[1] + n[2] % c[2] != 0) {
      throw std::runtime_error("the extents must be multiples of those of a chunk");
    }
    m_chunks.reserve(m_values.extent(0));
    for (std::size_t z = 0; z < n[0]; z += c[0])
      for (std::size_t y = 0; y < n[1]; y += c[1])
        for (std::size_t x = 0; x < n[2]; x += c[2]) take({z, y, x});
    m_streams.resize(m_chunks.size() / m_chunk.size());
    m_bytes.resize(m_streams.size());
  }
  void take(std::array<std::size_t, 3> at) {
    auto const& n = m_shape.extents;
    for (std::size_t z = at[0]; z < at[0] + m_chunk.extents[0]; ++z) {
      for (std::size_t y = at[1]; y < at[1] + m_chunk.extents[1]; ++y) {
        T const* const row = m_values.data() + (z * n[1] + y) * n[2] + at[2];
        m_chunks.insert(m_chunks.end(), row, row + m_chunk.extents[2]);
      }
    }
  }

  FieldShape m_shape, m_chunk{};
  std::size_t m_edge;
  std::string m_path;
  Kokkos::View<T*, Kokkos::HostSpace> m_values, m_restored;
  double m_bound = 0;
  std::vector<T> m_chunks;
  std::vector<std::vector<std::byte>> m_streams;
  std::vector<std::size_t> m_bytes;
};

/// Times of everybody, by word: "write kompakt", "read library" and so on.
using Times = std::map<std::string, std::vector<double>>;

template <class T>
void time_all(Subject<T>& subject, AnyCodec& codec, Filter const& filter, Times& times,
              std::map<std::string, double>& ratios) {
  times["write " + filter.word].push_back(seconds_of([&] { subject.write(filter); }));
  times["read " + filter.word].push_back(seconds_of([&] { subject.read(); }));
  ratios[filter.word] = static_cast<double>(subject.bytes()) / subject.stored_bytes();
  if (filter.word != "zfp" && subject.violations() > 0) {
    throw std::runtime_error(filter.word + " breaks the bound");
  }
  if (filter.word != "unfiltered") return;
  times["write library"].push_back(seconds_of([&] { subject.compress(codec); }));
  times["read library"].push_back(seconds_of([&] { subject.decompress(codec); }));
}

template <class T>
void register_case(Run& run, DataSet const& data, std::size_t edge, std::string const& folder,
                   std::string const& direction) {
  std::string const chunk = std::to_string(edge) + "^3";
  auto const body = [=, &run](benchmark::State& state) {
    struct Measured {
      Times times;
      std::map<std::string, double> ratios;
    };
    // Both directions are measured at once, and reported as two lines.
    auto& measured = run.subject.get<Measured>(data.key() + chunk, [&] {
      auto result = std::make_shared<Measured>();
      Subject<T> subject(data, edge, folder);
      AnyCodec codec(default_space());
      for (std::int64_t round = -1; round < run.settings.samples; ++round) {
        for (Filter const& filter : filters_with(subject.bound())) {
          time_all(subject, codec, filter, result->times, result->ratios);
        }
        if (round < 0) result->times.clear();
      }
      return result;
    });
    auto const time = [&](std::string const& who) {
      auto const found = measured.times.find(direction + " " + who);
      return found == measured.times.end() ? 0.0 : median(found->second);
    };
    for ([[maybe_unused]] auto iteration : state) state.SetIterationTime(time("kompakt"));
    for (char const* who : {"library", "unfiltered", "kompakt", "sz3", "zfp"}) {
      state.counters[std::string(who) + "_s"] = time(who);
    }
    state.counters["of_parts"] = time("kompakt") / (time("library") + time("unfiltered"));
    state.counters["sz3_times"] = time("sz3") / time("kompakt");
    state.counters["zfp_times"] = time("zfp") / time("kompakt");
    for (auto const& [who, ratio] : measured.ratios) state.counters[who + "_ratio"] = ratio;
    state.SetLabel("data=" + data.name + "; extents=" + text_of_extents(data.shape) + "; dtype=" +
                   to_string(data.shape.dtype) + "; chunk=" + chunk + "; commit=" + git_commit());
  };
  register_benchmark(run, direction + "/" + data.key() + "/" + chunk, body);
}

/// H5Z_class2_t::filter of the plugin, called as HDF5 does.
class LoadedFilter {
 public:
  LoadedFilter() {
    void* const plugin = dlopen(KOMPAKT_PERF_PLUGIN, RTLD_NOW);
    if (plugin == nullptr) throw std::runtime_error(dlerror());
    auto const info = reinterpret_cast<void const* (*)()>(dlsym(plugin, "H5PLget_plugin_info"));
    m_filter = static_cast<H5Z_class2_t const*>(info())->filter;
  }
  /// \param buffer  malloc's; may be replaced
  /// \returns bytes of it that count
  std::size_t call(bool reads, std::vector<unsigned> const& words, std::size_t bytes,
                   std::size_t& buffer_bytes, void*& buffer) const {
    std::size_t const result = m_filter(reads ? H5Z_FLAG_REVERSE : 0, words.size(), words.data(),
                                        bytes, &buffer_bytes, &buffer);
    require(result > 0, "filter");
    return result;
  }

 private:
  H5Z_func_t m_filter = nullptr;
};

/// Compresses and decompresses all chunks of a field by the filter alone.
void register_chunks(Run& run, std::array<std::size_t, 3> chunk) {
  FieldShape shape;
  shape.rank = 3;
  std::copy(chunk.begin(), chunk.end(), shape.extents.begin());
  std::string const text = text_of_extents(shape);
  register_benchmark(run, "chunk/turbulence/" + text, [=, &run](benchmark::State& state) {
    DataSet const data = generated_data_set("128,128,128", Dtype::f64);
    auto const values = load<double>(Kokkos::DefaultHostExecutionSpace(), data);
    Workspace<Kokkos::DefaultHostExecutionSpace> workspace{Kokkos::DefaultHostExecutionSpace()};
    double const bound =
        field_range(Kokkos::DefaultHostExecutionSpace(), values, FillValue::none(), workspace)
            .bound(1e-3);
    std::vector<unsigned> words(KOMPAKT_H5Z_WORDS);
    kompakt_h5z_words_of_bound(kompakt_absolute(bound), words.data());
    words[KOMPAKT_H5Z_TYPE] = 1 + KOMPAKT_F64;
    kompakt_h5z_put_extents(static_cast<unsigned>(chunk[0]), static_cast<unsigned>(chunk[1]),
                            static_cast<unsigned>(chunk[2]), words.data());
    LoadedFilter const filter;
    std::size_t const bytes = shape.size() * sizeof(double);
    std::vector<double> write_s, read_s;
    double stored = 0, count = 0;
    for ([[maybe_unused]] auto iteration : state) {
      double round_write = 0, round_read = 0;
      stored = count = 0;
      for (std::size_t z = 0; z < 128; z += chunk[0]) {
        for (std::size_t y = 0; y < 128; y += chunk[1]) {
          for (std::size_t x = 0; x < 128; x += chunk[2], ++count) {
            void* buffer = std::malloc(bytes);
            std::size_t buffer_bytes = bytes, used = 0;
            auto* to = static_cast<double*>(buffer);
            for (std::size_t k = 0; k < chunk[0]; ++k)
              for (std::size_t j = 0; j < chunk[1]; ++j)
                to = std::copy_n(values.data() + ((z + k) * 128 + y + j) * 128 + x, chunk[2], to);
            round_write +=
                seconds_of([&] { used = filter.call(false, words, bytes, buffer_bytes, buffer); });
            stored += static_cast<double>(used);
            round_read += seconds_of([&] { filter.call(true, words, used, buffer_bytes, buffer); });
            std::free(buffer);
          }
        }
      }
      write_s.push_back(round_write / count);
      read_s.push_back(round_read / count);
      state.SetIterationTime(round_write);
    }
    state.counters["write_us"] = 1e6 * median(write_s);
    state.counters["read_us"] = 1e6 * median(read_s);
    state.counters["ratio"] = count * static_cast<double>(bytes) / stored;
    state.SetLabel("data=turbulence; extents=128x128x128; dtype=f64; chunk=" + text +
                   "; commit=" + git_commit());
  });
}

}  // namespace

}  // namespace kompakt::perf

int main(int argc, char** argv) {
  using namespace kompakt::perf;
  char const* const help =
      "  --chunk N            edge of the cubes that are chunks (repeatable; default: 64 and 128)\n"
      "  --folder FOLDER      where the file is written (default: /dev/shm)\n"
      "HDF5_PLUGIN_PATH says where the plugin is, and those of SZ3 and ZFP if they are to be "
      "measured.\n";
  return run_program(argc, argv, "bench_hdf5", help,
                     [](Flags& flags) {
                       std::vector<std::string> edges = flags.take_all("--chunk");
                       if (edges.empty()) edges = {"64", "128"};
                       std::string const folder = flags.take("--folder", "/dev/shm");
                       return [=](Run& run) {
                         for (DataSet const& data : run.settings.data) {
                           for (std::string const& edge : edges) {
                             std::size_t const n = parse_count("--chunk", edge);
                             for (char const* direction : {"write", "read"}) {
                               data.shape.dtype == kompakt::Dtype::f32
                                   ? register_case<float>(run, data, n, folder, direction)
                                   : register_case<double>(run, data, n, folder, direction);
                             }
                           }
                         }
                         register_chunks(run, {8, 8, 16});
                         register_chunks(run, {32, 64, 64});
                       };
                     },
                     {"1024,512,512"});
}
