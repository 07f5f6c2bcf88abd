#include "archive_report.hpp"
#include "codec.hpp"
#include "commands.hpp"
#include "exec.hpp"
#include "files.hpp"
#include "frames.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "text.hpp"
#include <array>
#include <cstdio>
#include <memory>
#include <string>

namespace kompakt::cli {

namespace {

struct InfoArguments {
  std::string input;
  SourceArguments source;
  bool codebooks = false;
  bool json = false;
};

void describe_file(Report& report, StreamSource const& source, FrameSequence const& frames) {
  StreamInfo const& info = frames.whole();
  report.lines.emplace_back("file",
                            source.label() + ", format version " + std::to_string(info.version));
  if (source.field) describe(report, *source.field);
  describe(report, frames);
  report.lines.emplace_back(
      "chunks", std::to_string(info.chunks) + ", checksums " + (info.checksum ? "yes" : "no"));
}

void describe(Report& report, CodebookInfo const& book) {
  auto const& [symbols, masks, quads] = book.books;
  bool const of_dictionary = book.dictionary > 0;
  report.values["codebook"] = {{"dictionary", nullptr},
                               {"symbols_only", book.symbols_only},
                               {"books", nullptr},
                               {"radius", book.radius},
                               {"section_bytes", book.bytes}};
  std::string source =
      book.symbols_only ? "made for the field, symbols only" : "made for the field";
  if (of_dictionary) {
    nlohmann::ordered_json& values = report.values["codebook"];
    values["dictionary"] = book.dictionary;
    values["books"] = {symbols};
    source = "dictionary " + std::to_string(book.dictionary);
    if (book.symbols_only) {
      source += ", book " + std::to_string(symbols) + " of symbols only";
    } else {
      values["books"] = book.books;
      source += ", books " + std::to_string(symbols) + " (symbols), " + std::to_string(masks) +
                " (masks), " + std::to_string(quads) + " (quads)";
    }
  }
  report.lines.emplace_back("codebook", source + "; radius " + std::to_string(book.radius) +
                                            ", section of " + std::to_string(book.bytes) +
                                            " bytes");
}

// "+1.25 %": how much more `bits` are than `ideal`.
std::string text_of_loss(double bits, double ideal) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+.2f %%", 100 * (bits - ideal) / ideal);
  return ideal > 0 ? text.data() : "-";
}

// Bits per entry, with the point in one column.
std::string text_of_bits(double bits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4f", bits);
  return text.data();
}

// A row of the table of alphabets, beside its name.
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

void describe(Report& report, CodebookReport const& books) {
  bool const has_dictionary = books.alphabets[0].chosen >= 0;
  nlohmann::ordered_json& values = report.values["codebooks"];
  values = {{"predictor", books.predictor},
            {"sample_chunks", books.sample_chunks},
            {"sample_values", books.sample_values},
            {"fixed_words", books.fixed_words},
            {"ideal_bits", books.ideal_bits()},
            {"own_bits", books.own_bits()},
            {"own_symbols_only", books.own_symbols_only},
            {"dictionary_bits", nullptr},
            {"dictionary_symbols_only", nullptr}};
  if (has_dictionary) {
    values["dictionary_bits"] = books.dictionary_bits();
    values["dictionary_symbols_only"] = books.dictionary_symbols_only;
  }
  report.lines.emplace_back("sample", std::to_string(books.sample_chunks) + " chunks, " +
                                          std::to_string(books.sample_values) +
                                          " values, predictor " + books.predictor);
  Row const head{"entries", "entropy",       "own codes",     "loss",
                 "book",    "cross entropy", "KL divergence", "loss"};
  report.lines.emplace_back("bits", head.text());
  for (AlphabetReport const& a : books.alphabets) {
    report.lines.emplace_back(a.name, row_of(a).text());
    values["alphabets"].push_back(values_of(a));
  }
  report.lines.emplace_back(books.values.name, row_of(books.values).text());
  values["values"] = values_of(books.values);
  // Without the codes, and with all that is in records, chunks and index.
  double const fixed_bits = 32 * static_cast<double>(books.fixed_words);
  for (auto const& [label, rest] : {std::pair{"all codes", 0.0}, {"all bytes", fixed_bits}}) {
    double const ideal = books.ideal_bits() + rest;
    auto const loss = [&](bool symbols_only, std::uint64_t bits) {
      return (symbols_only ? " of symbols only " : " ") +
             text_of_loss(static_cast<double>(bits) + rest, ideal);
    };
    std::string const of_dictionary =
        ", dictionary" + loss(books.dictionary_symbols_only, books.dictionary_bits());
    report.lines.emplace_back(label, text_of_bytes(ideal / 8) + " by the entropies; own codes" +
                                         loss(books.own_symbols_only, books.own_bits()) +
                                         (has_dictionary ? of_dictionary : ""));
  }
}

int print_info(InfoArguments const& arguments) {
  if (!arguments.source.name && names_archive(arguments.input)) {
    return print_archive(arguments.input, arguments.json);
  }
  StreamSource const source = arguments.source.find(arguments.input);
  Report report;
  describe_file(report, source, scan_frames(source));
  report.print(arguments.json, stdout);
  return 0;
}

int print_codebooks(InfoArguments const& arguments) {
  StreamSource const source = arguments.source.find(arguments.input);
  FrameReader input(source);
  input.next();
  StreamInfo const info = input.frame();
  if (info.is_part()) {
    throw Error(Status::bad_argument, "'" + source.label() +
                                          "' has several frames, each with a codebook of its own; "
                                          "leave out --codebooks");
  }
  if (info.pipeline != Pipeline::huffman) {
    throw Error(Status::bad_argument,
                "'" + source.label() + "' is a stream of the pipeline " + to_string(info.pipeline) +
                    ", which has no codebook; leave out --codebooks, or name a stream that "
                    "'kompakt compress -c huffman' has written");
  }
  std::vector<std::byte> stream;
  during("reading", info.bytes, Progress::Shows::read, [&] { input.read(stream); });
  input.next();
  CodebookInfo const book = naming(source.label(), [&] { return inspect_codebook(stream); });
  if (book.radius == 0) {
    throw Error(Status::bad_argument, "'" + source.label() +
                                          "' is a stream of no values, which has no codebook; "
                                          "leave out --codebooks");
  }
  KokkosSession const kokkos(ExecChoice{});
  CodebookReport const books =
      during("counting", info.shape.bytes(), Progress::Shows::activity, [&] {
        return naming(source.label(), [&] { return report_codebooks(stream, info, book.radius); });
      });
  Report report;
  describe_file(report, source, input.sequence());
  describe(report, book);
  describe(report, books);
  report.print(arguments.json, stdout);
  return 0;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<InfoArguments>();
  CLI::App& verb =
      *app.add_subcommand("info", "print what the header of a stream says, or list an archive");
  verb.add_option("stream", arguments->input, "stream or archive")->required()->type_name("FILE");
  arguments->source.add_to(verb);
  verb.add_flag("--codebooks", arguments->codebooks,
                "also what codebooks cost a stream of the pipeline huffman");
  verb.add_flag("--json", arguments->json, "report as JSON");
  verb.callback([arguments, &action] {
    action = [arguments] {
      return arguments->codebooks ? print_codebooks(*arguments) : print_info(*arguments);
    };
  });
}

}  // namespace kompakt::cli
