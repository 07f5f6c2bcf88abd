#ifndef KOMPAKT_PERF_TEST_SUPPORT_ROUND_TRIPS_HPP
#define KOMPAKT_PERF_TEST_SUPPORT_ROUND_TRIPS_HPP

namespace kompakt::perf {

/// The main function of the benchmark of pipelines; its name is that of the program.
int run_round_trips(int argc, char** argv, char const* name);

}  // namespace kompakt::perf

#endif
