#include "support/context.hpp"
#include "support/data_set.hpp"
#include "support/link_model.hpp"
#include "support/program.hpp"
#include "support/timing.hpp"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <kompakt/metrics.hpp>
#include <kompakt/mpi.hpp>
#include <kompakt/version.hpp>
#include <optional>

// Messages of the benchmark's turbulence, raw and compressed in turn, between ranks of one machine: each sends to the next
// one (ring), adds what has arrived to values of its own besides (ring_sum, a step of a reduction), or the first one has a
// field of which each gets a slab (scatter). After the timed calls every received value is checked against its bound. Loopback is faster than any network, so every
// line also says what would come of it over a link of a stated bandwidth, by support/link_model.hpp and what
// compressing and decompressing took on all ranks at a time. With --rates that alone is done, for figures of another
// machine.

namespace kompakt::perf {

namespace {

constexpr char const* help =
    "usage: mpiexec -n RANKS bench_mpi [flags]\n"
    "  --pattern WORDS      ring, ring_sum, scatter (default: ring,scatter)\n"
    "  --sizes N,N          MiB of values of a message; of a scatter of all ranks together "
    "(default: 1,4,16,64)\n"
    "  --methods WORDS      dictionary, custom, nested, fixedlength, raw (default: "
    "dictionary,custom,raw)\n"
    "  --bound X            relative to the range of the field (default: 5e-3)\n"
    "  --links X,X          GB/s of links to be modelled (default: 12.5,25)\n"
    "  --piece N            KiB of values that are compressed at a time (default: as the library "
    "does)\n"
    "  --rates NAME:COMPRESS:DECOMPRESS:RATIO[:CALLS]\n"
    "                       model only, by GB/s of values each way, and microseconds beside that "
    "of each call\n"
    "                       (repeatable)\n"
    "  --exec WORD          serial, openmp or cuda (default: Kokkos's default)\n"
    "  --samples N          timed calls behind a figure, which is their median (default: 5)\n"
    "  --benchmark_…        Google Benchmark's own, such as --benchmark_out=FILE.json\n"
    "exit code 1 if a received value is outside its bound; 'outside' counts these values\n";

struct Given {
  std::string name;
  CodecRates rates;
};

struct Plan {
  std::vector<std::string> patterns, methods;
  std::vector<std::size_t> sizes;  ///< MiB
  std::vector<double> links;
  std::vector<Given> given;
  double bound = 0;
  mpi::MessageOptions messages;
  std::int64_t samples = 0;
  Space space{};
  int rank = 0, ranks = 1;
};

std::vector<std::string> parts_of(std::string const& text, char at) {
  std::vector<std::string> parts(1);
  for (char const letter : text) {
    if (letter == at) {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

Given parse_rates(std::string const& text) {
  auto const parts = parts_of(text, ':');
  if (parts.size() != 4 && parts.size() != 5) {
    throw Error(Status::bad_argument,
                "--rates " + text + ": give NAME:COMPRESS:DECOMPRESS:RATIO[:CALLS]");
  }
  auto const number = [&](std::size_t i) { return parse_number("--rates", parts[i]); };
  return {parts[0], {number(1), number(2), number(3), parts.size() == 5 ? number(4) : 0}};
}

Plan take_plan(Flags& flags) {
  Plan plan;
  plan.patterns = split_at_commas(flags.take("--pattern", "ring,scatter"));
  plan.methods = split_at_commas(flags.take("--methods", "dictionary,custom,raw"));
  for (auto const& word : plan.patterns) {
    if (word == "ring" || word == "ring_sum" || word == "scatter") continue;
    throw Error(Status::bad_argument, "--pattern " + word + ": give ring, ring_sum or scatter");
  }
  plan.sizes = parse_extents("--sizes", flags.take("--sizes", "1,4,16,64"));
  for (auto const& word : split_at_commas(flags.take("--links", "12.5,25"))) {
    plan.links.push_back(parse_number("--links", word));
  }
  for (auto const& text : flags.take_all("--rates")) plan.given.push_back(parse_rates(text));
  plan.bound = parse_number("--bound", flags.take("--bound", "5e-3"));
  std::string const piece = flags.take("--piece", "");
  if (!piece.empty()) plan.messages.piece_bytes = parse_count("--piece", piece) << 10;
  plan.samples = static_cast<std::int64_t>(parse_count("--samples", flags.take("--samples", "5")));
  plan.space = parse_space(flags.take("--exec", ""));
  MPI_Comm_rank(MPI_COMM_WORLD, &plan.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &plan.ranks);
  return plan;
}

std::optional<Options> options_of(std::string const& method, double bound, double range) {
  Options options;
  options.bound = ErrorBound::relative_to_range(bound);
  options.range = range;
  if (method == "raw") return std::nullopt;
  if (method == "fixedlength") return options;
  options.pipeline = method == "nested" ? Pipeline::bitshuffle : Pipeline::huffman;
  options.variant = parse_variant(method);
  return options;
}

/// Fields of a rank, for the largest of all messages; smaller ones are their first planes.
template <class Exec>
class Bench {
 public:
  using View = Kokkos::View<float***, Kokkos::LayoutRight, typename Exec::memory_space>;
  static constexpr std::size_t plane_side = 512;  ///< planes of 1 MiB

  Bench(Exec const& exec, Plan const& plan)
      : m_exec(exec),
        m_plan(plan),
        m_field("kompakt::perf::field", largest(plan), plane_side, plane_side),
        m_received(Kokkos::view_alloc(Kokkos::WithoutInitializing, "kompakt::perf::received"),
                   largest(plan), plane_side, plane_side),
        m_workspace(exec) {
    fill_turbulence(exec, m_field.data(), {largest(plan), plane_side, plane_side});
    exec.fence("kompakt::perf::field");
    m_range = field_range(exec, m_field, {}, m_workspace);
    if (std::ranges::find(plan.patterns, "ring_sum") == plan.patterns.end()) return;
    m_sum = View("kompakt::perf::sum", largest(plan), plane_side, plane_side);
  }

  Exec const& exec() const { return m_exec; }
  double range() const { return m_range.width(); }
  View sent(std::size_t planes) const { return first(m_field, planes); }
  View sent(std::size_t first, std::size_t planes) const {
    return Kokkos::subview(m_field, std::make_pair(first, first + planes), Kokkos::ALL,
                           Kokkos::ALL);
  }
  View received(std::size_t planes) const { return first(m_received, planes); }
  View sum(std::size_t planes) const { return first(m_sum, planes); }
  /// Received values that were outside their bound until now, of all ranks.
  std::uint64_t outside() const { return m_outside; }

  /// Median seconds of calls that receive a field, as slowest_s(). Then counts the received values outside the bound.
  template <class Call>
  double checked_s(View const& original, View const& received, bool raw, Call const& call) {
    Kokkos::deep_copy(m_exec, received, std::numeric_limits<float>::quiet_NaN());
    double const time_s = slowest_s(call);
    double const bound = raw ? 0 : m_range.bound(m_plan.bound);
    std::uint64_t outside = error_stats(m_exec, original, received, bound).violations;
    MPI_Allreduce(MPI_IN_PLACE, &outside, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    m_outside += outside;
    return time_s;
  }

  mpi::Messenger<Exec> messenger(bool raw) const {
    mpi::MessageOptions options = m_plan.messages;
    options.raw_below = raw ? std::numeric_limits<std::size_t>::max() : 0;
    return mpi::Messenger<Exec>(m_exec, MPI_COMM_WORLD, options);
  }

  /// A piece of a message of so many planes, on all ranks at a time: the slowest one's.
  CodecRates rates(Options const& options, std::size_t planes) {
    std::size_t const most =
        std::max<std::size_t>(m_plan.messages.piece_bytes_of(planes << 20) >> 20, 1);
    auto const piece = sent(std::min(planes, most)), out = received(std::min(planes, most));
    CompressedStream<typename Exec::memory_space> stream;
    double const raw = static_cast<double>(piece.size() * sizeof(float));
    CodecRates rates;
    rates.compress_gbps =
        raw / 1e9 / slowest_s([&] { compress(m_exec, piece, options, m_workspace, stream); });
    rates.decompress_gbps =
        raw / 1e9 / slowest_s([&] { decompress(m_exec, stream, m_workspace, out); });
    rates.ratio = raw / static_cast<double>(stream.info().bytes);
    return rates;
  }

  /// Median seconds of a call that all ranks begin together, until the last one has ended.
  template <class Call>
  double slowest_s(Call const& call) const {
    std::vector<double> times;
    for (std::int64_t i = -warm_up_calls; i < m_plan.samples; ++i) {
      MPI_Barrier(MPI_COMM_WORLD);
      double time_s = elapsed_s(m_exec, call);
      MPI_Allreduce(MPI_IN_PLACE, &time_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (i >= 0) times.push_back(time_s);
    }
    return median(times);
  }

 private:
  static std::size_t largest(Plan const& plan) {
    return *std::max_element(plan.sizes.begin(), plan.sizes.end());
  }
  static View first(View const& field, std::size_t planes) {
    return Kokkos::subview(field, std::make_pair(std::size_t{0}, planes), Kokkos::ALL, Kokkos::ALL);
  }

  Exec m_exec;
  Plan m_plan;
  View m_field, m_received;
  View m_sum;  ///< for ring_sum
  Workspace<Exec> m_workspace;
  FieldRange m_range;
  std::uint64_t m_outside = 0;
};

/// Sum of two fields, value by value.
template <class Exec, class View>
void add(Exec const& exec, View const& a, View const& b, View const& sum) {
  float const *const left = a.data(), *const right = b.data();
  float* const out = sum.data();
  Kokkos::parallel_for(
      "kompakt::perf::add", Kokkos::RangePolicy<Exec>(exec, 0, sum.size()),
      KOKKOS_LAMBDA(std::size_t i) { out[i] = left[i] + right[i]; });
}

/// \param adds  whether each rank then adds what has arrived to what it has sent
template <class Exec>
double ring_s(Bench<Exec>& bench, Plan const& plan, Options const& options, bool raw,
              std::size_t planes, bool adds) {
  auto messenger = bench.messenger(raw);
  auto const field = bench.sent(planes), received = bench.received(planes);
  int const next = (plan.rank + 1) % plan.ranks, before = (plan.rank + plan.ranks - 1) % plan.ranks;
  return bench.checked_s(field, received, raw, [&] {
    auto request = messenger.irecv(received, before, 0);
    messenger.send(field, next, 0, options);
    request.wait();
    if (adds) add(bench.exec(), field, received, bench.sum(planes));
  });
}

template <class Exec>
double scatter_s(Bench<Exec>& bench, Plan const& plan, Options const& options, bool raw,
                 std::size_t planes) {
  auto const parts = mpi::slabs(bench.sent(planes), plan.ranks);
  std::size_t first = 0;
  for (int i = 0; i < plan.rank; ++i) first += parts[static_cast<std::size_t>(i)].shape.extents[0];
  std::size_t const own = parts[static_cast<std::size_t>(plan.rank)].shape.extents[0];
  auto const mine = bench.received(own), original = bench.sent(first, own);
  if (!raw || !is_host_space<Exec>) {
    auto messenger = bench.messenger(raw);
    return bench.checked_s(original, mine, raw,
                           [&] { messenger.scatter(parts, mine, 0, options); });
  }
  std::vector<int> counts, places;
  int place = 0;
  for (auto const& part : parts) {
    counts.push_back(static_cast<int>(part.shape.bytes()));
    places.push_back(std::exchange(place, place + counts.back()));
  }
  return bench.checked_s(original, mine, raw, [&] {
    MPI_Scatterv(parts[0].data, counts.data(), places.data(), MPI_BYTE, mine.data(),
                 counts[static_cast<std::size_t>(plan.rank)], MPI_BYTE, 0, MPI_COMM_WORLD);
  });
}

void report_model(benchmark::State& state, Plan const& plan, std::string const& pattern,
                  CodecRates const& rates, std::size_t bytes) {
  for (double const link : plan.links) {
    char name[32];
    std::snprintf(name, sizeof name, "speedup_at_%g", link);
    std::size_t const piece = plan.messages.piece_bytes_of(bytes);
    state.counters[name] = pattern == "scatter"
                               ? scatter_speedup(rates, bytes, piece, link, plan.ranks)
                               : ring_speedup(rates, bytes, piece, link);
  }
  state.counters["compress_gbps"] = rates.compress_gbps;
  state.counters["decompress_gbps"] = rates.decompress_gbps;
  state.counters["ratio"] = rates.ratio;
}

std::string label(Plan const& plan) {
  return "ranks=" + std::to_string(plan.ranks) + "; commit=" + git_commit();
}

template <class Exec>
void measure(benchmark::State& state, Bench<Exec>& bench, Plan const& plan,
             std::string const& pattern, std::string const& method, std::size_t planes) {
  bool const raw = method == "raw";
  Options const options = options_of(method, plan.bound, bench.range()).value_or(Options{});
  auto const time_s = [&](bool as_it_is) {
    return pattern == "scatter"
               ? scatter_s(bench, plan, options, as_it_is, planes)
               : ring_s(bench, plan, options, as_it_is, planes, pattern == "ring_sum");
  };
  std::uint64_t const outside_before = bench.outside();
  double const raw_s = time_s(true), own_s = raw ? raw_s : time_s(false);
  for ([[maybe_unused]] auto iteration : state) state.SetIterationTime(own_s);
  std::size_t const bytes = planes << 20;
  state.counters["gbps"] = static_cast<double>(bytes) / 1e9 / own_s;
  state.counters["raw_gbps"] = static_cast<double>(bytes) / 1e9 / raw_s;
  state.counters["speedup"] = raw_s / own_s;
  std::uint64_t const outside = bench.outside() - outside_before;
  state.counters["outside"] = static_cast<double>(outside);
  if (outside > 0 && plan.rank == 0) {
    std::fprintf(stderr, "bench_mpi: %s/%s/%zuMiB: received values outside their bound: %llu\n",
                 pattern.c_str(), method.c_str(), planes, static_cast<unsigned long long>(outside));
  }
  if (!raw) report_model(state, plan, pattern, bench.rates(options, planes), bytes);
  state.SetLabel(label(plan));
}

/// Every rank registers the same ones, so that all are in the same one at a time.
template <class Body>
void register_one(std::string const& pattern, std::string const& method, std::size_t mib,
                  Plan const& plan, Body const& body) {
  std::string const name = pattern + "/" + method + "/" + std::to_string(mib) + "MiB/" +
                           std::to_string(plan.ranks) + "ranks";
  benchmark::RegisterBenchmark(name.c_str(), body)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1);
}

void register_given(Plan const& plan) {
  for (auto const& pattern : plan.patterns) {
    for (Given const& given : plan.given) {
      for (std::size_t const mib : plan.sizes) {
        register_one(pattern, given.name, mib, plan, [=, &plan](benchmark::State& state) {
          for ([[maybe_unused]] auto iteration : state) state.SetIterationTime(0);
          report_model(state, plan, pattern, given.rates, mib << 20);
          state.SetLabel(label(plan) + "; modelled by given rates");
        });
      }
    }
  }
}

template <class Exec>
void register_measured(Plan const& plan, Bench<Exec>& bench) {
  for (auto const& pattern : plan.patterns) {
    for (auto const& method : plan.methods) {
      for (std::size_t const mib : plan.sizes) {
        register_one(pattern, method, mib, plan, [=, &plan, &bench](benchmark::State& state) {
          measure(state, bench, plan, pattern, method, mib);
        });
      }
    }
  }
}

/// What ranks other than the first print.
class Nothing final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(Context const&) override { return true; }
  void ReportRuns(std::vector<Run> const&) override {}
};

/// \returns received values that were outside their bound
std::uint64_t run_benchmarks(Plan const& plan, Flags& flags) {
  if (plan.rank != 0) flags.take("--benchmark_out", "");  // the first one writes it
  char** const left = flags.argv();
  benchmark::Initialize(&flags.argc(), left);
  add_context();
  auto const run = [&] {
    Nothing nothing;
    if (plan.rank == 0) {
      benchmark::RunSpecifiedBenchmarks();
    } else {
      benchmark::RunSpecifiedBenchmarks(&nothing);
    }
    benchmark::ClearRegisteredBenchmarks();
  };
  std::uint64_t outside = 0;
  if (!plan.given.empty()) {
    register_given(plan);
    run();
  } else {
    with_space(plan.space, [&]<class Exec>(Exec const& exec) {
      Bench<Exec> bench(exec, plan);
      register_measured(plan, bench);
      run();
      outside = bench.outside();
    });
  }
  benchmark::Shutdown();
  return outside;
}

int run(int argc, char** argv) {
  try {
    Flags flags(argc, argv);
    if (flags.take_switch("--help") || flags.take_switch("-h")) {
      std::printf("%s", help);
      return 0;
    }
    Plan const plan = take_plan(flags);
    flags.require_only_benchmark_flags();
    Kokkos::ScopeGuard const kokkos(Kokkos::InitializationSettings().set_disable_warnings(true));
    return run_benchmarks(plan, flags) == 0 ? 0 : 1;
  } catch (Error const& error) {
    std::fprintf(stderr, "bench_mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(error.status()));  // others may wait for this rank
    return static_cast<int>(error.status());
  }
}

}  // namespace

}  // namespace kompakt::perf

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const result = kompakt::perf::run(argc, argv);
  MPI_Finalize();
  return result;
}
