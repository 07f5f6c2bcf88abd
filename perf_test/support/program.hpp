#ifndef KOMPAKT_PERF_SUPPORT_PROGRAM_HPP
#define KOMPAKT_PERF_SUPPORT_PROGRAM_HPP

#include "data_set.hpp"
#include "flags.hpp"
#include <benchmark/benchmark.h>
#include <cstdint>
#include <functional>
#include <kompakt/spaces.hpp>
#include <memory>
#include <string>
#include <vector>

namespace kompakt::perf {

/// What every benchmark program takes.
struct Settings {
  std::vector<DataSet> data;
  std::vector<std::string> execs;
  std::int64_t samples = 0;  ///< timed calls behind a figure
};

/// Holds the field of the benchmark that runs. Made when the first benchmark asks for it and given
/// up when one asks for another, so that only one field is in memory.
class OneAtATime {
 public:
  /// \param key   names the object; must differ where S differs
  /// \param make  returns a std::shared_ptr<S>
  template <class S, class Make>
  S& get(std::string const& key, Make const& make) {
    if (key != m_key) {
      m_object.reset();
      m_key.clear();
      m_object = std::shared_ptr<S>(make());
      m_key = key;
    }
    return *static_cast<S*>(m_object.get());
  }

 private:
  std::string m_key;
  std::shared_ptr<void> m_object;
};

/// What the benchmarks of a run share.
struct Run {
  Settings settings;
  OneAtATime subject;
  bool failed = false;
  bool measures = true;  ///< false once the program has done what it was asked for instead

  /// Ends a benchmark with a message in place of figures.
  void fail(benchmark::State& state, std::string const& message) {
    failed = true;
    state.SkipWithError(message.c_str());
  }
};

using Register = std::function<void(Run&)>;

/// main() of a benchmark program.
/// \param help   the lines that tell the program's own flags
/// \param setup  takes the program's own flags; returns the function that registers benchmarks
/// \param default_extents  of the fields to generate if the command line names none
/// \returns exit code: 0, a Status after a kompakt::Error, 1 if a benchmark failed
int run_program(int argc, char** argv, std::string const& name, std::string const& help,
                std::function<Register(Flags&)> const& setup,
                std::vector<std::string> const& default_extents = {"256,256,256"});

/// Calls function(exec, value, data) for each execution space and data set; `value` is a T.
template <class Function>
void for_each_case(Settings const& settings, Function const& function) {
  for (std::string const& word : settings.execs) {
    with_space(parse_space(word), [&](auto const& exec) {
      for (DataSet const& data : settings.data) {
        if (data.shape.dtype == Dtype::f32) {
          function(exec, float{}, data);
        } else {
          function(exec, double{}, data);
        }
      }
    });
  }
}

/// Registers a benchmark with manual time. Exceptions of `body(state)` become its error message.
template <class Body>
void register_benchmark(Run& run, std::string const& name, Body const& body) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [&run, body](benchmark::State& state) {
                                 try {
                                   body(state);
                                 } catch (std::exception const& error) {
                                   run.fail(state, error.what());
                                 }
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(run.settings.samples);
}

}  // namespace kompakt::perf

#endif
