#include "report.hpp"
#include <Kokkos_Core.hpp>
#include <array>
#include <cli/parts/text.hpp>
#include <cstdio>
#include <exception>
#include <kompakt/compress.hpp>
#include <kompakt/error.hpp>
#include <kompakt/io.hpp>
#include <kompakt/stream.hpp>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What codebooks cost the field of a stream of the pipeline huffman: it is decompressed on the host and counted
// anew, with the stream's bound and predictor.

namespace kompakt::tools {

namespace {

/// Which give the sample of a field's reconstruction the counts of the original's.
Options options_of(StreamInfo const& info, int radius) {
  Options options;
  options.pipeline = Pipeline::huffman;
  options.radius = radius;
  // A constant field has no bound; any bound relative to its range finds that out again.
  if (info.abs_bound > 0) options.bound = info.resolved();
  if (info.fill) options.fill = FillValue::of(*info.fill);
  if (!info.constant) {
    bool const chain = info.prediction->shape == TileShape::chain;
    options.predictor = chain ? Predictor::chain : Predictor::tile;
  }
  return options;
}

CodebookReport report_of_stream(std::span<std::byte const> stream) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  StreamInfo const info = inspect(stream);
  if (info.is_part()) {
    throw Error(Status::bad_argument,
                "several frames, each with a codebook of its own; give a stream of one frame");
  }
  CodebookInfo const book = inspect_codebook(stream);
  if (book.radius == 0) {
    throw Error(Status::bad_argument, "a stream of no values, which has no codebook");
  }
  Exec const exec;
  Workspace<Exec> workspace(exec);
  std::vector<std::byte> field(info.shape.bytes());
  Kokkos::View<std::byte const*, Exec::memory_space> const bytes(stream.data(), stream.size());
  decompress(exec, bytes, workspace, FieldData{field.data(), info.shape});
  return codebook_report(exec, ConstFieldData(field.data(), info.shape),
                         options_of(info, book.radius), workspace);
}

/// "+1.25 %": how much more `bits` are than `ideal`.
std::string text_of_loss(double bits, double ideal) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+.2f %%", 100 * (bits - ideal) / ideal);
  return ideal > 0 ? text.data() : "-";
}

/// Bits per entry, with the point in one column.
std::string text_of_bits(double bits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4f", bits);
  return text.data();
}

void print_line(char const* label, std::string const& text) {
  std::printf("%-9s  %s\n", label, text.c_str());
}

/// A row of the table of alphabets, beside its name.
struct Row {
  std::string entries, entropy, own, own_loss, book, cross_entropy, divergence, loss;

  std::string text() const {
    std::array<char, 160> line{};
    std::snprintf(line.data(), line.size(), "%10s %8s %10s %9s %5s %14s %14s %9s", entries.c_str(),
                  entropy.c_str(), own.c_str(), own_loss.c_str(), book.c_str(),
                  cross_entropy.c_str(), divergence.c_str(), loss.c_str());
    return line.data();
  }
};

Row row_of(AlphabetReport const& a) {
  Row row{std::to_string(a.total),
          text_of_bits(a.entropy),
          text_of_bits(a.own_length()),
          text_of_loss(a.own_length(), a.entropy),
          "-",
          "-",
          "-",
          "-"};
  if (a.chosen >= 0) {
    row.book = std::to_string(a.chosen);
    row.cross_entropy = text_of_bits(a.cross_entropy(a.chosen));
    row.divergence = text_of_bits(a.kl_divergence(a.chosen));
    row.loss = text_of_loss(a.cross_entropy(a.chosen), a.entropy);
  }
  return row;
}

bool has_dictionary(CodebookReport const& report) { return report.alphabets[0].chosen >= 0; }

/// What own codes and those of the dictionary lose, `rest` bits beside them.
std::string text_of_losses(CodebookReport const& report, double rest) {
  double const ideal = report.ideal_bits() + rest;
  auto const loss = [&](bool symbols_only, std::uint64_t bits) {
    return (symbols_only ? " of symbols only " : " ") +
           text_of_loss(static_cast<double>(bits) + rest, ideal);
  };
  std::string text = cli::text_of_bytes(ideal / 8) + " by the entropies; own codes" +
                     loss(report.own_symbols_only, report.own_bits());
  if (has_dictionary(report)) {
    text += ", dictionary" + loss(report.dictionary_symbols_only, report.dictionary_bits());
  }
  return text;
}

void print_table(CodebookReport const& report) {
  SampleCounts const& sample = report.sample;
  print_line("sample", std::to_string(sample.chunks) + " chunks, " + std::to_string(sample.values) +
                           " values, predictor " + sample.predictor);
  Row const head{"entries", "entropy",       "own codes",     "loss",
                 "book",    "cross entropy", "KL divergence", "loss"};
  print_line("bits", head.text());
  for (AlphabetReport const& a : report.alphabets) print_line(a.name, row_of(a).text());
  print_line(report.values.name, row_of(report.values).text());
  print_line("all codes", text_of_losses(report, 0));
  // With all that is in records, chunks and index.
  print_line("all bytes", text_of_losses(report, 32 * static_cast<double>(sample.fixed_words)));
}

nlohmann::ordered_json values_of(AlphabetReport const& a) {
  nlohmann::ordered_json values = {{"name", a.name},          {"entries", a.total},
                                   {"entropy", a.entropy},    {"own_length", a.own_length()},
                                   {"chosen", nullptr},       {"cross_entropy", nullptr},
                                   {"kl_divergence", nullptr}};
  if (a.chosen < 0) return values;
  values["chosen"] = a.chosen;
  for (int book = 0; book < static_cast<int>(a.book_bits.size()); ++book) {
    values["cross_entropy"].push_back(a.cross_entropy(book));
    values["kl_divergence"].push_back(a.kl_divergence(book));
  }
  return values;
}

void print_json(CodebookReport const& report) {
  SampleCounts const& sample = report.sample;
  nlohmann::ordered_json values = {{"predictor", sample.predictor},
                                   {"sample_chunks", sample.chunks},
                                   {"sample_values", sample.values},
                                   {"fixed_words", sample.fixed_words},
                                   {"ideal_bits", report.ideal_bits()},
                                   {"own_bits", report.own_bits()},
                                   {"own_symbols_only", report.own_symbols_only},
                                   {"dictionary_bits", nullptr},
                                   {"dictionary_symbols_only", nullptr}};
  if (has_dictionary(report)) {
    values["dictionary_bits"] = report.dictionary_bits();
    values["dictionary_symbols_only"] = report.dictionary_symbols_only;
  }
  for (AlphabetReport const& a : report.alphabets) values["alphabets"].push_back(values_of(a));
  values["values"] = values_of(report.values);
  std::printf("%s\n", values.dump().c_str());
}

int fail(std::string const& input, Status status, char const* what) {
  std::fprintf(stderr, "codebook_report: '%s': %s\n", input.c_str(), what);
  return static_cast<int>(status);
}

int run(std::string const& input, bool as_json) {
  try {
    std::vector<std::byte> const stream = read_file(input);
    CodebookReport const report = report_of_stream(stream);
    as_json ? print_json(report) : print_table(report);
    return 0;
  } catch (Error const& error) {
    return fail(input, error.status(), error.what());
  } catch (std::exception const& error) {
    return fail(input, Status::device, error.what());
  }
}

}  // namespace

}  // namespace kompakt::tools

int main(int argc, char** argv) {
  bool const as_json = argc == 3 && std::string_view(argv[2]) == "--json";
  if (argc != 2 && !as_json) {
    std::fprintf(stderr, "usage: codebook_report STREAM [--json]\n");
    return static_cast<int>(kompakt::Status::bad_argument);
  }
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);  // advice on threads is noise beside a table
  Kokkos::ScopeGuard const kokkos(settings);
  return kompakt::tools::run(argv[1], as_json);
}
