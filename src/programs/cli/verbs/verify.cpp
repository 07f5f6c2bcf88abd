#include "commands.hpp"
#include <CLI/CLI.hpp>
#include <cli/parts/arguments.hpp>
#include <cli/parts/files.hpp>
#include <cli/parts/progress.hpp>
#include <cli/parts/report.hpp>
#include <cli/parts/text.hpp>
#include <kompakt/verify.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kompakt::cli {

namespace {

using nlohmann::ordered_json;

struct VerifyArguments {
  std::vector<std::string> files;
  int threads = 0;  ///< 0: all cores
  bool json = false;
};

/// What is said of all files, and the first error.
class VerifyReport {
 public:
  VerifyReport() { m_report.values = {{"intact", true}, {"files", ordered_json::array()}}; }

  void add(std::string const& path, std::vector<VerifiedStream> const& streams) {
    ordered_json values = {{"file", path}, {"intact", true}, {"fields", ordered_json::array()}};
    std::uint64_t frames = 0, chunks = 0, damages = 0, bytes = 0;
    for (VerifiedStream const& stream : streams) {
      values["fields"].push_back(json_of(stream));
      add_lines(stream.name.empty() ? path : path + ":" + stream.name, stream);
      frames += stream.frames;
      chunks += stream.chunks;
      damages += stream.damage_count;
      bytes += stream.bytes;
    }
    values["intact"] = damages == 0;
    close(std::move(values));
    std::string const what = std::to_string(frames) + (frames == 1 ? " frame, " : " frames, ") +
                             std::to_string(chunks) + (chunks == 1 ? " chunk, " : " chunks, ") +
                             text_of_bytes(static_cast<double>(bytes));
    m_report.lines.emplace_back(
        damages == 0 ? "intact" : "damaged",
        path + ": " + what + (damages == 0 ? "" : ", " + std::to_string(damages) + " damaged"));
  }

  void add(std::string const& path, Error const& error) {
    close({{"file", path}, {"intact", false}, {"error", std::string(error.text())}});
    m_report.lines.emplace_back("error", std::string(error.text()));
    note(error.status(), std::string(error.text()));
  }

  int finish(bool as_json) {
    m_report.print(as_json, stdout);
    if (m_error) throw *m_error;
    return 0;
  }

 private:
  static ordered_json json_of(VerifiedStream const& stream) {
    ordered_json values;
    if (!stream.name.empty()) values["name"] = stream.name;
    values.update({{"intact", stream.is_intact()},
                   {"bytes", stream.bytes},
                   {"frames", stream.frames},
                   {"chunks", stream.chunks},
                   {"checksum", stream.has_checksums},
                   {"damage_count", stream.damage_count},
                   {"damages", ordered_json::array()}});
    for (Damage const& damage : stream.damages) {
      ordered_json one = {{"frame", nullptr}, {"chunk", nullptr}, {"what", damage.what}};
      if (damage.frame > 0) one["frame"] = damage.frame;
      if (damage.chunk) one["chunk"] = *damage.chunk;
      values["damages"].push_back(std::move(one));
    }
    return values;
  }

  void add_lines(std::string const& label, VerifiedStream const& stream) {
    for (Damage const& damage : stream.damages) {
      m_report.lines.emplace_back("damaged", label + ", " + damage.text());
    }
    if (stream.damage_count > stream.damages.size()) {
      m_report.lines.emplace_back(
          "damaged",
          label + ", " + std::to_string(stream.damage_count - stream.damages.size()) + " more");
    }
    if (!stream.has_checksums) {
      m_report.lines.emplace_back(
          "unchecked", label + ", its chunks have no checksums; damage inside of one is not seen" +
                           (stream.name.empty() ? "" : " but by the archive's checksum"));
    }
    if (stream.is_intact()) return;
    note(Status::corrupt, "'" + label + "' is damaged: " + stream.damages.front().text() +
                              "; copy the file again or compress its field again");
  }

  void note(Status status, std::string const& what) {
    if (!m_error) m_error.emplace(status, what);
  }
  void close(ordered_json values) {
    if (!values["intact"].get<bool>()) m_report.values["intact"] = false;
    m_report.values["files"].push_back(std::move(values));
  }

  Report m_report;
  std::optional<Error> m_error;
};

std::uint64_t bytes_to_read(std::vector<std::string> const& files) {
  std::uint64_t bytes = 0;
  for (std::string const& file : files) {
    std::error_code error;
    std::uintmax_t const size = std::filesystem::file_size(file, error);
    if (!error) bytes += size;
  }
  return bytes;
}

int verify_files(VerifyArguments const& arguments) {
  VerifyReport report;
  during("verifying", bytes_to_read(arguments.files), Progress::Shows::read, [&] {
    for (std::string const& file : arguments.files) {
      if (file == "-") {
        throw Error(Status::bad_argument,
                    "standard input cannot be verified, as it is not read in order", "name a file");
      }
      try {
        report.add(file, verify_file(file, arguments.threads));
      } catch (Error const& error) {
        report.add(file, error);
      }
    }
  });
  return report.finish(arguments.json);
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<VerifyArguments>();
  CLI::App& verb = *app.add_subcommand(
      "verify", "check all checksums of streams and archives, without decompressing");
  verb.add_option("files", arguments->files, "streams or archives")->required()->type_name("FILE");
  add_read(verb, "--threads", "threads that read and check (default: all cores)",
           [arguments](std::string const& word) {
             arguments->threads = static_cast<int>(parse_count("--threads", word, 1, 1024));
           })
      ->type_name("N");
  verb.add_flag("--json", arguments->json, "report as JSON");
  verb.callback(
      [arguments, &action] { action = [arguments] { return verify_files(*arguments); }; });
}

}  // namespace kompakt::cli
