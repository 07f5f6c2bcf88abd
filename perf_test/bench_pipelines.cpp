#include "support/round_trips.hpp"

int main(int argc, char** argv) {
  return kompakt::perf::run_round_trips(argc, argv, "bench_pipelines");
}
