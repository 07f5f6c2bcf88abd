#ifndef KOMPAKT_PERF_TEST_SUPPORT_ROUND_TRIPS_HPP
#define KOMPAKT_PERF_TEST_SUPPORT_ROUND_TRIPS_HPP

#include <kompakt/options.hpp>

namespace kompakt::perf {

/// The main function of the benchmark of a pipeline; its name is that of the program.
int run_round_trips(int argc, char** argv, char const* name, Pipeline pipeline);

}  // namespace kompakt::perf

#endif
