#include "support/graph.hpp"
#include "support/program.hpp"
#include "support/timing.hpp"
#include <api/chunk.hpp>
#include <kompakt/batch.hpp>
#include <kompakt/compress.hpp>
#include <kompakt/version.hpp>
#include <optional>
#include <span>

// What a call costs beside the work on the values, which rules below about 100 MB: many fields one by
// one and as a batch; a round trip with two waits, with one, and as a CUDA graph; one chunk out of a
// stream. Absolute bounds, so that no pass looks for the range.

namespace kompakt::perf {

namespace {

/// A field that stands for `count` fields, and a stream for each of them.
template <class Exec, class T>
class Subject {
 public:
  Subject(Exec const& exec, DataSet const& data, std::size_t count)
      : m_exec(exec),
        m_data(data),
        m_field(load<T>(exec, data)),
        m_restored("kompakt::perf::restored", data.shape.size()),
        m_compressing(exec),
        m_decompressing(exec),
        m_sources(count, ConstFieldData(m_field.data(), data.shape)),
        m_streams(count) {
    compress_one(0);
    m_options.bound = ErrorBound::absolute(m_streams[0].info().abs_bound);
  }

  DataSet const& data() const { return m_data; }
  std::size_t count() const { return m_sources.size(); }
  StreamInfo const& info() const { return m_streams[0].info(); }

  void compress_one(std::size_t i) {
    compress(m_exec, m_sources[i], m_options, m_compressing, m_streams[i]);
  }
  void compress_one_by_one() {
    for (std::size_t i = 0; i < count(); ++i) compress_one(i);
  }
  void compress_as_batch() {
    compress_batch(m_exec, std::span<ConstFieldData const>(m_sources), m_options, m_compressing,
                   std::span(m_streams));
  }

  void round_trip() {
    compress_one(0);
    decompress(m_exec, m_streams[0], m_decompressing, target());
  }
  void start_round_trip() {
    m_compression = compress_async(m_exec, m_sources[0], m_options, m_compressing, m_streams[0]);
    m_decompression = decompress_async(m_exec, m_streams[0], m_decompressing, target());
  }
  void finish_round_trip() {
    m_compression->finish();
    m_decompression->finish();
  }

  void decompress_middle_chunk() {
    impl::decompress_chunk(m_exec, m_streams[0].data(), info().bytes, m_decompressing, m_data.shape,
                           static_cast<std::int64_t>(info().chunks / 2));
  }

 private:
  using Space = typename Exec::memory_space;
  FieldData target() const { return {m_restored.data(), m_data.shape}; }

  Exec m_exec;
  DataSet m_data;
  Kokkos::View<T*, Space> m_field, m_restored;
  Workspace<Exec> m_compressing, m_decompressing;
  std::vector<ConstFieldData> m_sources;
  std::vector<CompressedStream<Space>> m_streams;
  Options m_options;
  std::optional<PendingCompression<Exec>> m_compression;
  std::optional<PendingDecompression<Exec>> m_decompression;
};

/// Registers one line: run(subject) is timed and treats `fields` fields.
template <class Exec, class T, class Call>
void register_line(Run& run, Exec const& exec, DataSet const& data, std::size_t count,
                   std::string const& name, std::size_t fields, Call const& call) {
  register_benchmark(run, name + "/" + data.key() + "/" + to_string(space_of<Exec>),
                     [=, &run](benchmark::State& state) {
                       auto& subject = run.subject.get<Subject<Exec, T>>(
                           std::string(to_string(space_of<Exec>)) + "/" + data.key(),
                           [&] { return std::make_shared<Subject<Exec, T>>(exec, data, count); });
                       double const time_s = call(subject, state);
                       double const bytes = static_cast<double>(fields * data.shape.bytes());
                       state.counters["fields"] = static_cast<double>(fields);
                       state.counters["microseconds"] = 1e6 * time_s;
                       if (fields > 0) state.counters["gbps"] = bytes / time_s / 1e9;
                       state.SetLabel("data=" + data.name +
                                      "; extents=" + text_of_extents(data.shape) +
                                      "; dtype=" + to_string(data.shape.dtype) + "; predictor=" +
                                      subject.info().predictor_word() + "; commit=" + git_commit());
                     });
}

template <class Exec, class T>
void register_data(Run& run, Exec const& exec, DataSet const& data, std::size_t count) {
  auto const line = [&](std::string const& name, std::size_t fields, auto const& step) {
    register_line<Exec, T>(run, exec, data, count, name, fields,
                           [=](Subject<Exec, T>& subject, benchmark::State& state) {
                             return median_s(exec, state, [&] { step(subject); });
                           });
  };
  line("compress/one_by_one", count, [](auto& s) { s.compress_one_by_one(); });
  line("compress/batch", count, [](auto& s) { s.compress_as_batch(); });
  line("round_trip/calls", 1, [](auto& s) { s.round_trip(); });
  line("round_trip/async", 1, [](auto& s) {
    s.start_round_trip();
    s.finish_round_trip();
  });
  line("chunk", 0, [](auto& s) { s.decompress_middle_chunk(); });
  if constexpr (has_graphs<Exec>) {
    register_line<Exec, T>(run, exec, data, count, "round_trip/graph", 1,
                           [=](Subject<Exec, T>& subject, benchmark::State& state) {
                             Graph<Exec> const graph(exec, [&] { subject.start_round_trip(); });
                             return median_s(exec, state, [&] {
                               graph.launch();
                               subject.finish_round_trip();
                             });
                           });
  }
}

char const* const help = "  --count N            fields of a batch (default: 64)\n";

}  // namespace

}  // namespace kompakt::perf

int main(int argc, char** argv) {
  using namespace kompakt::perf;
  return run_program(argc, argv, "bench_calls", help, [](Flags& flags) {
    std::size_t const count = parse_count("--count", flags.take("--count", "64"));
    return [count](Run& run) {
      for_each_case(run.settings,
                    [&]<class Exec, class T>(Exec const& exec, T, DataSet const& data) {
                      register_data<Exec, T>(run, exec, data, count);
                    });
    };
  });
}
