#include "codebook_times.hpp"
#include "report.hpp"
#include <kompakt/error.hpp>
#include <kompakt/io.hpp>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <support/program.hpp>
#include <vector>

// Codebooks of the pipeline huffman: what making or choosing one takes, on fields of the size of a chunk of a
// file; or what they are chosen by, counts of fields, as a file for those who fit and judge dictionaries.

namespace kompakt::perf {

namespace {

struct Choices {
  std::string counts;  ///< file to write, in place of measuring
  std::vector<BoundWord> bounds;
};

/// The counts of a field at every bound.
template <class T>
void append_counts(nlohmann::ordered_json& list, DataSet const& data,
                   std::vector<BoundWord> const& bounds) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Exec const exec;
  auto const field = load<T>(exec, data);
  Workspace<Exec> workspace(exec);
  Options options;
  options.pipeline = Pipeline::huffman;
  for (BoundWord const& bound : bounds) {
    options.bound = ErrorBound::relative_to_range(bound.value);
    tools::CodebookReport const report =
        tools::codebook_report(exec, ConstFieldData(field.data(), data.shape), options, workspace);
    nlohmann::ordered_json counts = {{"field", data.name},
                                     {"dtype", to_string(data.shape.dtype)},
                                     {"bound", bound.word},
                                     {"values", data.shape.size()},
                                     {"sample_values", report.sample.values},
                                     {"predictor", report.sample.predictor},
                                     {"fixed_words", report.sample.fixed_words}};
    for (tools::AlphabetReport const& alphabet : report.alphabets) {
      counts[alphabet.name] = alphabet.counts;
    }
    list.push_back(std::move(counts));
  }
}

void write_counts(std::vector<DataSet> const& fields, Choices const& choices) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (DataSet const& data : fields) {
    if (data.shape.dtype == Dtype::f32) {
      append_counts<float>(list, data, choices.bounds);
    } else {
      append_counts<double>(list, data, choices.bounds);
    }
  }
  std::string const text = list.dump() + "\n";
  write_file(choices.counts, std::as_bytes(std::span(text)), Overwrite::yes);
}

Choices take_choices(Flags& flags) {
  std::string const counts = flags.take("--counts", "");
  return {counts, take_bounds(flags, counts.empty() ? "1e-3" : "1e-1,1e-2,1e-3,1e-4,1e-5")};
}

char const* const help =
    "  --bounds X,X         error bounds relative to the range (default: 1e-3)\n"
    "  --counts FILE        write how often each entry of the codebooks occurs in the sample of\n"
    "                       compress, for every field and bound (default: "
    "1e-1,1e-2,1e-3,1e-4,1e-5),\n"
    "                       as JSON; measures nothing\n";

}  // namespace

}  // namespace kompakt::perf

int main(int argc, char** argv) {
  using namespace kompakt::perf;
  auto const setup = [](Flags& flags) {
    return [choices = take_choices(flags)](Run& run) {
      run.measures = choices.counts.empty();
      if (run.measures) {
        register_codebook_times(run, choices.bounds);
      } else {
        write_counts(run.settings.data, choices);
      }
    };
  };
  return run_program(argc, argv, "bench_codebook", help, setup,
                     {"64,64,64", "80,80,80", "128,128,128", "256,256,256"});
}
