#include "support/program.hpp"
#include "support/timing.hpp"
#include <kompakt/batch.hpp>
#include <kompakt/version.hpp>
#include <numeric>
#include <vector>

// What a write of a dataset in chunks is, and its reading: all chunks of a field one by one and as a batch, with codebooks of
// the dictionary and of their own, as Shah et al. (Lightweight Huffman Coding, ICS 2023) measure for HDF5; and by the other
// pipelines. The bound is that of the whole field.

namespace kompakt::perf {

namespace {

using Extents = std::array<std::size_t, 3>;

/// The chunks of a field, each dense.
template <class Exec, class T>
class Subject {
 public:
  /// \param chunk  extents of one, slowest first
  Subject(Exec const& exec, DataSet const& data, Options const& options, Extents chunk)
      : m_exec(exec), m_workspace(exec), m_options(options) {
    auto const field = load<T>(exec, data);
    auto const extents = three_extents(data.shape);
    FieldShape const whole = shape_of(extents);
    CompressedStream<Space> stream;
    m_options.bound = ErrorBound::absolute(
        compress(exec, ConstFieldData(field.data(), whole), options, m_workspace, stream)
            .abs_bound);
    for (std::size_t i = 0; i < chunk.size(); ++i) chunk[i] = std::min(chunk[i], extents[i]);
    cut(field, whole, shape_of(chunk));
    m_streams.resize(m_sources.size());
    compress_as_batch();
  }

  std::size_t count() const { return m_sources.size(); }
  std::size_t raw_bytes() const { return m_values.extent(0) * sizeof(T); }
  std::size_t stream_bytes() const {
    return std::accumulate(m_streams.begin(), m_streams.end(), std::size_t{0},
                           [](std::size_t sum, auto const& s) { return sum + s.info().bytes; });
  }

  void compress_one_by_one() {
    for (std::size_t i = 0; i < count(); ++i) {
      compress(m_exec, m_sources[i], m_options, m_workspace, m_streams[i]);
    }
  }
  void compress_as_batch() {
    compress_batch(m_exec, m_sources, m_options, m_workspace, std::span(m_streams));
  }
  void decompress_one_by_one() {
    for (std::size_t i = 0; i < count(); ++i) {
      decompress(m_exec, m_streams[i], m_workspace, m_targets[i]);
    }
  }
  void decompress_as_batch() { decompress_batch(m_exec, m_streams, m_workspace, m_targets); }

 private:
  using Space = typename Exec::memory_space;
  using Values = Kokkos::View<T*, Space>;

  static FieldShape shape_of(Extents const& extents) {
    FieldShape shape;
    shape.dtype = sizeof(T) == sizeof(double) ? Dtype::f64 : Dtype::f32;
    shape.rank = 3;
    std::copy(extents.begin(), extents.end(), shape.extents.begin());
    return shape;
  }

  // Copies whole chunks side by side; what is left over at the ends is not taken.
  void cut(Values const& field, FieldShape const& whole, FieldShape const& chunk) {
    Extents counts;
    for (std::size_t i = 0; i < 3; ++i) counts[i] = whole.extents[i] / chunk.extents[i];
    std::size_t const number = counts[0] * counts[1] * counts[2];
    m_values = Values("kompakt::perf::chunks", number * chunk.size());
    m_restored = Values("kompakt::perf::restored", number * chunk.size());
    Kokkos::View<T const***, Kokkos::LayoutRight, Space, Kokkos::MemoryUnmanaged> const from(
        field.data(), whole.extents[0], whole.extents[1], whole.extents[2]);
    for (std::size_t n = 0; n < number; ++n) {
      std::size_t const index[3] = {n / (counts[1] * counts[2]), n / counts[2] % counts[1],
                                    n % counts[2]};
      auto const range = [&](int i) {
        std::size_t const size = chunk.extents[static_cast<std::size_t>(i)];
        return std::pair(index[i] * size, (index[i] + 1) * size);
      };
      T* const to = m_values.data() + n * chunk.size();
      Kokkos::deep_copy(m_exec,
                        Kokkos::View<T***, Kokkos::LayoutRight, Space, Kokkos::MemoryUnmanaged>(
                            to, chunk.extents[0], chunk.extents[1], chunk.extents[2]),
                        Kokkos::subview(from, range(0), range(1), range(2)));
      m_sources.push_back({to, chunk});
      m_targets.push_back({m_restored.data() + n * chunk.size(), chunk});
    }
  }

  Exec m_exec;
  Workspace<Exec> m_workspace;
  Options m_options;
  Values m_values, m_restored;
  std::vector<ConstFieldData> m_sources;
  std::vector<FieldData> m_targets;
  std::vector<CompressedStream<Space>> m_streams;
};

std::string text_of_chunk(Extents const& chunk) {
  return std::to_string(chunk[0]) + "x" + std::to_string(chunk[1]) + "x" + std::to_string(chunk[2]);
}

template <class Exec, class T, class Step>
void register_line(Run& run, Exec const& exec, DataSet const& data, Options const& options,
                   Extents const& chunk, std::string const& name, Step const& step) {
  std::string const chunk_text = text_of_chunk(chunk);
  std::string const key = data.key() + "/" + chunk_text + "/" + to_string(options.pipeline) + "/" +
                          to_string(options.variant) + "/" + to_string(space_of<Exec>);
  register_benchmark(run, name + "/" + key, [=, &run](benchmark::State& state) {
    auto& subject = run.subject.get<Subject<Exec, T>>(
        key, [&] { return std::make_shared<Subject<Exec, T>>(exec, data, options, chunk); });
    double const time_s = median_s(exec, state, [&] { step(subject); });
    auto const bytes = static_cast<double>(subject.raw_bytes());
    state.counters["chunks"] = static_cast<double>(subject.count());
    state.counters["milliseconds"] = 1e3 * time_s;
    state.counters["gbps"] = bytes / time_s / 1e9;
    state.counters["ratio"] = bytes / static_cast<double>(subject.stream_bytes());
    state.SetLabel("data=" + data.name + "; extents=" + text_of_extents(data.shape) +
                   "; chunk=" + chunk_text + "; dtype=" + to_string(data.shape.dtype) +
                   "; pipeline=" + to_string(options.pipeline) +
                   "; codebook=" + to_string(options.variant) + "; commit=" + git_commit());
  });
}

template <class Exec, class T>
void register_data(Run& run, Exec const& exec, DataSet const& data, Options const& options,
                   Extents const& chunk) {
  auto const line = [&](char const* name, auto const& step) {
    register_line<Exec, T>(run, exec, data, options, chunk, name, step);
  };
  line("compress/one_by_one", [](auto& s) { s.compress_one_by_one(); });
  line("compress/batch", [](auto& s) { s.compress_as_batch(); });
  line("decompress/one_by_one", [](auto& s) { s.decompress_one_by_one(); });
  line("decompress/batch", [](auto& s) { s.decompress_as_batch(); });
}

/// What is asked for of each pipeline.
std::vector<Options> options_of(Pipeline pipeline, double r2r) {
  Options options{.bound = ErrorBound::relative_to_range(r2r), .pipeline = pipeline};
  if (pipeline != Pipeline::huffman) return {options};
  Options own = options;
  options.variant = Variant::dictionary;
  own.variant = Variant::custom;
  return {options, own};
}

std::vector<Extents> take_chunks(Flags& flags) {
  std::vector<std::string> texts = flags.take_all("--chunk");
  if (texts.empty()) texts = {"64,64,64"};
  std::vector<Extents> chunks;
  for (std::string const& text : texts) {
    std::vector<std::size_t> const numbers = parse_extents("--chunk", text);
    if (numbers.size() != 3) {
      throw Error(Status::bad_argument, "--chunk " + text + ": a chunk has 3 extents");
    }
    chunks.push_back({numbers[0], numbers[1], numbers[2]});
  }
  return chunks;
}

Register take_choices(Flags& flags) {
  std::vector<Pipeline> const pipelines = take_pipelines(flags);
  std::vector<Extents> const chunks = take_chunks(flags);
  return [=](Run& run) {
    for_each_case(run.settings, [&]<class Exec, class T>(Exec const& exec, T, DataSet const& data) {
      for (Pipeline const pipeline : pipelines) {
        for (Options const& options : options_of(pipeline, 1e-3)) {
          for (Extents const& chunk : chunks)
            register_data<Exec, T>(run, exec, data, options, chunk);
        }
      }
    });
  };
}

char const* const help =
    "  --pipeline WORD,…  (default: all)\n"
    "  --chunk N,N,N      extents of a chunk, slowest first (repeatable; default: 64,64,64)\n";

}  // namespace

}  // namespace kompakt::perf

int main(int argc, char** argv) {
  return kompakt::perf::run_program(argc, argv, "bench_chunks", kompakt::perf::help,
                                    kompakt::perf::take_choices);
}
