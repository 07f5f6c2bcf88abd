#include "round_trips.hpp"

#include "copy.hpp"
#include "program.hpp"
#include "timing.hpp"
#include <api/generic.hpp>
#include <kompakt/compress.hpp>
#include <kompakt/metrics.hpp>
#include <kompakt/version.hpp>

// Compression and decompression of a field in the memory of the execution space into a stream in
// the same memory, its size known on the host. Throughput counts the bytes of the field. A line whose
// round trip breaks the bound has an error instead of figures.

namespace kompakt::perf {

namespace {

/// Codings that say the most of a pipeline: of several that differ in the record or the codebook each one.
std::vector<Variant> default_variants(Pipeline pipeline) {
  auto const all = variants_of(pipeline).subspan(1);
  if (pipeline == Pipeline::fixedlength || all.empty()) return {Variant::automatic};
  return {all.rbegin(), all.rend()};
}

struct Choices {
  std::vector<Pipeline> pipelines;
  ErrorBound::Mode mode = ErrorBound::Mode::r2r;
  bool generic = false;   ///< by the generic bodies, whatever the backend has
  bool resolved = false;  ///< bounds relative to the range, but given to the calls as absolute ones
  std::vector<BoundWord> bounds;
  std::vector<Predictor> predictors;
  std::vector<Variant> variants;  ///< empty: those that say the most of each pipeline

  std::vector<Variant> of(Pipeline pipeline) const {
    return variants.empty() ? default_variants(pipeline) : variants;
  }
  FillValue fill = FillValue::none();
  bool pack = false;
};

/// A field, room for its reconstruction and stream, and the copy bandwidth measured on them.
template <class Exec, class T>
class Subject {
 public:
  Subject(Exec const& exec, DataSet const& data, std::size_t samples, bool generic)
      : m_exec(exec),
        m_data(data),
        m_generic(generic),
        m_samples(samples),
        m_original(load<T>(exec, data)),
        m_restored("kompakt::perf::restored", data.shape.size()),
        m_workspace(exec) {}

  DataSet const& data() const { return m_data; }
  StreamInfo const& info() const { return m_stream.info(); }

  void compress(Options const& options) {
    if (!m_generic) {
      kompakt::compress(m_exec, ConstFieldData(m_original.data(), m_data.shape), options,
                        m_workspace, m_stream);
      return;
    }
    m_stream.reserve(max_compressed_bytes(m_data.shape, options));
    m_stream.set_info(impl::compress_generic(
        m_exec, ConstFieldData(m_original.data(), m_data.shape), options, m_workspace,
        Kokkos::View<std::byte*, Space>(m_stream.data(), m_stream.capacity_bytes())));
  }
  void decompress() {
    if (!m_generic) {
      kompakt::decompress(m_exec, m_stream, m_workspace,
                          FieldData{m_restored.data(), m_data.shape});
      return;
    }
    impl::decompress_generic(m_exec, Kokkos::View<std::byte const*, Space>(m_stream.bytes()),
                             m_workspace, FieldData{m_restored.data(), m_data.shape});
  }
  /// Uses the room of the reconstruction.
  void copy() { copy_packs(m_exec, m_original.data(), m_restored.data(), m_data.shape.bytes()); }
  /// Options as the timed calls get them.
  Options prepared(Options options, bool resolved) {
    if (!resolved) return options;
    compress(options);
    options.bound = info().resolved();
    return options;
  }
  ErrorStats error_stats() const {
    return kompakt::error_stats(m_exec, m_original, m_restored, info().resolved());
  }

  /// Field bytes copied per second, counted once; measured now unless it is known.
  double copy_gbps() {
    if (m_copy_gbps == 0) set_copy_time(median_s(m_exec, m_samples, [&] { copy(); }));
    return m_copy_gbps;
  }
  void set_copy_time(double time_s) {
    m_copy_gbps = static_cast<double>(copied_bytes(m_data.shape.bytes())) / time_s / 1e9;
  }

 private:
  using Space = typename Exec::memory_space;
  Exec m_exec;
  DataSet m_data;
  bool m_generic;
  std::size_t m_samples;
  Kokkos::View<T*, Space> m_original, m_restored;
  Workspace<Exec> m_workspace;
  CompressedStream<Space> m_stream;
  double m_copy_gbps = 0;
};

template <class Exec, class T>
Subject<Exec, T>& subject_of(Run& run, Exec const& exec, DataSet const& data, bool generic) {
  return run.subject.get<Subject<Exec, T>>(
      std::string(to_string(space_of<Exec>)) + "/" + data.key() + "/" + data.file.string(), [&] {
        auto const samples = static_cast<std::size_t>(run.settings.samples);
        return std::make_shared<Subject<Exec, T>>(exec, data, samples, generic);
      });
}

std::string data_label(DataSet const& data) {
  return "data=" + data.name + "; extents=" + text_of_extents(data.shape) +
         "; dtype=" + to_string(data.shape.dtype) + "; commit=" + git_commit();
}

/// Figures of a round trip that took `time_s` one way.
template <class Exec, class T>
void report(Run& run, benchmark::State& state, Subject<Exec, T>& subject, double time_s,
            Options const& options, std::string const& bound_text) {
  ErrorStats const stats = subject.error_stats();
  if (stats.violations != 0) {
    return run.fail(state, std::to_string(stats.violations) +
                               " values are outside the bound, the first at " +
                               std::to_string(stats.first_violation));
  }
  StreamInfo const& info = subject.info();
  auto const original_bytes = static_cast<double>(info.shape.bytes());
  double const ratio = original_bytes / static_cast<double>(info.bytes);
  double const gbps = original_bytes / time_s / 1e9;
  double const copy_gbps = subject.copy_gbps();
  state.counters["gbps"] = gbps;
  state.counters["copy_gbps"] = copy_gbps;
  state.counters["percent_of_copy"] = 100 * gbps / copy_gbps;
  if (!is_host_space<Exec>) {
    // One pass reads N bytes and writes N/ratio at the copy's rate of bytes moved, 2 copy_gbps.
    state.counters["percent_of_roof"] = 100 * gbps / (2 * copy_gbps / (1 + 1 / ratio));
  }
  state.counters["ratio"] = ratio;
  state.counters["bits_per_value"] = 8 * static_cast<double>(sizeof(T)) / ratio;
  state.counters["abs_bound"] = info.abs_bound;
  if (info.bound.mode != ErrorBound::Mode::pwr) {
    state.counters["max_error_over_bound"] =
        info.abs_bound > 0 ? stats.max_abs_error / info.abs_bound : 0;
  }
  state.counters["exceptions"] = static_cast<double>(info.exceptions);
  state.counters["psnr_db"] = stats.psnr_db();
  std::string const chosen = options.predictor == Predictor::automatic ? "auto: " : "";
  state.SetLabel(data_label(subject.data()) + "; bound=" + bound_text + "; predictor=" + chosen +
                 info.predictor_word() + "; pipeline=" + to_string(options.pipeline) +
                 "; variant=" + to_string(options.variant));
}

template <class Exec, class T>
void register_copy(Run& run, Exec const& exec, DataSet const& data, bool generic) {
  register_benchmark(run, "copy/" + data.key() + "/" + to_string(space_of<Exec>),
                     [&run, exec, data, generic](benchmark::State& state) {
                       auto& subject = subject_of<Exec, T>(run, exec, data, generic);
                       subject.set_copy_time(median_s(exec, state, [&] { subject.copy(); }));
                       state.counters["gbps"] = subject.copy_gbps();
                       state.counters["moved_gbps"] = 2 * subject.copy_gbps();
                       state.SetLabel(data_label(data));
                     });
}

template <class Exec, class T>
void register_round_trip(Run& run, Exec const& exec, DataSet const& data, Options const& asked,
                         BoundWord const& bound_word, bool resolved, bool generic) {
  std::string const mode = resolved ? "resolved" : to_string(asked.bound.mode);
  std::string const bound = mode + " " + bound_word.word;
  std::string const tail = "/" + data.key() + "/" + mode + ":" + bound_word.word + "/" +
                           to_string(asked.predictor) + "/" + to_string(asked.pipeline) + ":" +
                           to_string(asked.variant) + "/" + to_string(space_of<Exec>);
  register_benchmark(run, "compress" + tail, [=, &run](benchmark::State& state) {
    auto& subject = subject_of<Exec, T>(run, exec, data, generic);
    Options const options = subject.prepared(asked, resolved);
    double const time_s = median_s(exec, state, [&] { subject.compress(options); });
    subject.decompress();
    report(run, state, subject, time_s, options, bound);
  });
  register_benchmark(run, "decompress" + tail, [=, &run](benchmark::State& state) {
    auto& subject = subject_of<Exec, T>(run, exec, data, generic);
    Options const options = subject.prepared(asked, resolved);
    subject.compress(options);
    double const time_s = median_s(exec, state, [&] { subject.decompress(); });
    report(run, state, subject, time_s, options, bound);
  });
}

/// The options of every round trip that was asked for, without the bound.
std::vector<Options> asked_options(Choices const& choices) {
  std::vector<Options> asked;
  for (Pipeline const pipeline : choices.pipelines) {
    for (Predictor const predictor : choices.predictors) {
      for (Variant const variant : choices.of(pipeline)) {
        asked.push_back({.pipeline = pipeline, .variant = variant, .predictor = predictor});
        asked.back().fill = choices.fill;
        asked.back().pack = choices.pack;
      }
    }
  }
  return asked;
}

void register_all(Run& run, Choices const& choices) {
  for_each_case(run.settings, [&]<class Exec, class T>(Exec const& exec, T, DataSet const& data) {
    register_copy<Exec, T>(run, exec, data, choices.generic);
    for (BoundWord const& bound : choices.bounds) {
      for (Options options : asked_options(choices)) {
        options.bound = {choices.mode, bound.value};
        validate(options);
        register_round_trip<Exec, T>(run, exec, data, options, bound, choices.resolved,
                                     choices.generic);
      }
    }
  });
}

Choices take_choices(Flags& flags) {
  Choices choices;
  choices.pipelines = take_pipelines(flags);
  choices.generic = flags.take_switch("--generic");
  std::string const mode = flags.take("--mode", "r2r");
  choices.resolved = mode == "resolved";
  choices.mode = parse_mode(choices.resolved ? "r2r" : mode);
  bool const lossless = choices.mode == ErrorBound::Mode::lossless;
  choices.bounds =
      lossless ? std::vector<BoundWord>{{"0", 0}} : take_bounds(flags, "1e-2,1e-3,1e-4");
  choices.predictors = take_predictors(flags);
  for (std::string const& word : split_at_commas(flags.take("--variant", ""))) {
    if (!word.empty()) choices.variants.push_back(parse_variant(word));
  }
  choices.fill = parse_fill(flags.take("--fill", "none"));
  choices.pack = flags.take_switch("--pack");
  return choices;
}

char const* const choices_help =
    "  --pipeline WORD,…    (default: all)\n"
    "  --bounds X,X         error bounds (default: 1e-2,1e-3,1e-4)\n"
    "  --mode WORD          what they mean: r2r, abs, or resolved: as r2r, but the calls that are\n"
    "                       timed get the resolved bound; pwr, psnr, lossless (default: r2r)\n"
    "  --generic            by the bodies that run everywhere, not by the backend's own\n"
    "  --predictor WORD,…   (default: auto)\n"
    "  --variant WORD,…     (default: auto; of bitshuffle and huffman each)\n"
    "  --fill WORD          fill value: none, auto or a number (default: none)\n"
    "  --pack               the bytes of streams are coded once more\n";

}  // namespace

int run_round_trips(int argc, char** argv, char const* name) {
  return run_program(argc, argv, name, choices_help, [](Flags& flags) {
    return [choices = take_choices(flags)](Run& run) { register_all(run, choices); };
  });
}

}  // namespace kompakt::perf
