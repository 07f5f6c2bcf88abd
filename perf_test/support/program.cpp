#include "program.hpp"
#include "context.hpp"
#include <cstdio>
#include <kompakt/error.hpp>

namespace kompakt::perf {

namespace {

char const* const common_help =
    "  --exec WORD          serial, openmp or cuda (repeatable; default: Kokkos's default)\n"
    "  --threads N          host threads (default: as the environment says)\n"
    "  --samples N          timed calls behind a figure, which is their median (default: 15)\n"
    "  --benchmark_…        Google Benchmark's own, such as --benchmark_out=FILE.json,\n"
    "                       --benchmark_filter=REGEX, --benchmark_list_tests\n";

Settings take_settings(Flags& flags, std::vector<std::string> const& default_extents) {
  Settings settings;
  settings.data = take_data_sets(flags, default_extents);
  settings.execs = flags.take_all("--exec");
  if (settings.execs.empty()) settings.execs = {to_string(default_space())};
  settings.samples =
      static_cast<std::int64_t>(parse_count("--samples", flags.take("--samples", "15")));
  return settings;
}

Kokkos::InitializationSettings take_kokkos_settings(Flags& flags) {
  Kokkos::InitializationSettings settings;
  // Advice on OMP_PROC_BIND; what it is set to stands in the context of the report.
  settings.set_disable_warnings(true);
  std::string const threads = flags.take("--threads", "");
  if (!threads.empty()) {
    settings.set_num_threads(static_cast<int>(parse_count("--threads", threads)));
  }
  return settings;
}

}  // namespace

int run_program(int argc, char** argv, std::string const& name, std::string const& help,
                std::function<Register(Flags&)> const& setup,
                std::vector<std::string> const& default_extents) {
  try {
    Flags flags(argc, argv);
    if (flags.take_switch("--help") || flags.take_switch("-h")) {
      std::printf("usage: %s [flags]\n%s%s%s", name.c_str(), data_set_help, help.c_str(),
                  common_help);
      return 0;
    }
    Run run;
    run.settings = take_settings(flags, default_extents);
    Register const register_benchmarks = setup(flags);
    Kokkos::ScopeGuard const kokkos(take_kokkos_settings(flags));
    flags.require_only_benchmark_flags();

    char** const left = flags.argv();
    benchmark::Initialize(&flags.argc(), left);
    add_context();
    register_benchmarks(run);
    if (run.measures) benchmark::RunSpecifiedBenchmarks();
    benchmark::ClearRegisteredBenchmarks();
    benchmark::Shutdown();
    run.subject = {};  // its memory must be free before Kokkos ends
    return run.failed ? 1 : 0;
  } catch (Error const& error) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
    return static_cast<int>(error.status());
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
    return static_cast<int>(Status::device);
  }
}

}  // namespace kompakt::perf
