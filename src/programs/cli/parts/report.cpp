#include "report.hpp"
#include "arguments.hpp"
#include "notes.hpp"
#include "standard_files.hpp"
#include "text.hpp"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <kompakt/option_keys.hpp>
#include <kompakt/printable.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace kompakt::cli {

namespace {

/// GB/s of original bytes.
double gigabytes_per_second(std::uint64_t bytes, double elapsed_s) {
  return elapsed_s > 0 ? static_cast<double>(bytes) / elapsed_s / 1e9 : 0;
}

std::string text_of_bound(StreamInfo const& info, files::Variable const& variable) {
  std::string const mode = to_string(info.bound.mode);
  switch (info.bound.mode) {
    case ErrorBound::Mode::lossless: return text_of_resolved(info.bound);
    case ErrorBound::Mode::pwr: return mode + " " + text_of(info.bound.value) + ", of each value";
    default: break;
  }
  std::string const asked = mode + " " + text_of(info.bound.value);
  if (variable.packing()) return asked + ", " + text_of_distance(info.abs_bound, variable);
  return asked + ", in the units of the field " + text_of(info.abs_bound);
}

/// The fill value; as a word where JSON has no number for it.
nlohmann::ordered_json fill_of(StreamInfo const& info) {
  if (!info.fill) return nullptr;
  if (std::isfinite(*info.fill)) return *info.fill;
  return text_of(*info.fill);
}

/// JSON in which control characters that it takes as they are, but no terminal should, are escapes, too.
std::string without_raw_controls(std::string const& json) {
  std::string text;
  for (std::size_t i = 0; i < json.size(); ++i) {
    auto const byte = static_cast<unsigned char>(json[i]);
    auto const next = static_cast<unsigned char>(i + 1 < json.size() ? json[i + 1] : 0);
    unsigned const letter = byte == 0xc2 && next >= 0x80 && next < 0xa0 ? next : byte;
    if (letter != 0x7f && letter == byte) {
      text += json[i];
      continue;
    }
    std::array<char, 8> escape{};
    std::snprintf(escape.data(), escape.size(), "\\u%04x", letter);
    text += escape.data();
    if (byte == 0xc2) ++i;
  }
  return text;
}

// Of a pipeline that was chosen.
void describe(Report& report, ChoiceRecord const& reason, Pipeline pipeline, Variant variant) {
  if (!reason.goal()) return;
  std::string const goal = to_string(*reason.goal()), text = reason.text(pipeline, variant);
  report.lines.emplace_back("chosen", "for " + goal + ", " + text);
  report.values["chosen_for"] = goal;
  report.values["chosen_by"] = text;
}

/// What people look at first: sizes, bound and pipeline.
std::vector<std::pair<std::string, std::string>> brief_lines(std::string const& files,
                                                             StreamInfo const& info,
                                                             files::Variable const& variable) {
  auto const original = static_cast<double>(info.shape.bytes());
  auto const stored = static_cast<double>(info.bytes);
  std::string pipeline = std::string(to_string(info.pipeline)) + (info.packed ? ", packed" : "");
  if (info.reason.goal()) pipeline.append(", chosen for ").append(to_string(*info.reason.goal()));
  return {{"file", files + ", " + text_of_bytes(original) + " -> " + text_of_bytes(stored) +
                       ", ratio " + text_of(original / stored, 5)},
          {"bound",
           text_of_bound(info, variable) + (info.fill ? "; masked is " + text_of(*info.fill) : "")},
          {"pipeline", pipeline}};
}

}  // namespace

void Report::print(bool as_json, std::FILE* file) const {
  if (is_quiet()) return;
  std::string text;
  if (as_json) {
    // File names need not be UTF-8; a report with a replaced letter is better than none.
    text = without_raw_controls(
        values.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  } else {
    std::size_t width = 0;
    std::vector<std::string> labels;
    for (auto const& [label, value] : lines) {
      labels.push_back(printable(label));
      width = std::max(width, columns_of(labels.back()));
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::string const gap(width + 2 - columns_of(labels[i]), ' ');
      text += labels[i] + gap + printable(lines[i].second) + "\n";
    }
  }
  cli::print(text, file);
}

nlohmann::ordered_json bound_abs_of(StreamInfo const& info) {
  if (info.bound.mode == ErrorBound::Mode::pwr) return nullptr;
  return info.abs_bound;
}

std::string text_of_distance(double distance, files::Variable const& variable) {
  auto const packing = variable.packing();
  if (!packing) return text_of(distance) + " in the units of the field";
  files::VariableAttribute const* const units = variable.find("units");
  bool const has_units = units != nullptr && !units->type && !units->text.empty();
  double const steps = std::floor(distance);  // no integers are further apart
  return text_of(steps) + " integer steps, " + text_of(steps * std::fabs(packing->scale)) +
         (has_units ? " " + in_one_line(units->text) : " in the unpacked numbers");
}

std::string text_of_resolved(ErrorBound const& bound, files::Variable const& variable) {
  if (bound.mode == ErrorBound::Mode::lossless) return "lossless, bit for bit";
  if (bound.mode == ErrorBound::Mode::psnr) {
    return "a PSNR of " + text_of(bound.value) + " dB, of all values together";
  }
  if (bound.mode == ErrorBound::Mode::pwr) return text_of(bound.value) + " of each value";
  return text_of_distance(bound.value, variable);
}

void describe(Report& report, FrameSequence const& frames, files::Variable const& variable) {
  StreamInfo const& info = frames.whole();
  FieldShape const& shape = info.shape;
  double const ratio = static_cast<double>(shape.bytes()) / static_cast<double>(info.bytes);
  report.values.update({
      {"ratio", ratio},
      {"bound_abs", bound_abs_of(info)},
      {"compressed_bytes", info.bytes},
      {"exceptions", info.exceptions},
      {"fill", fill_of(info)},
      {"original_bytes", shape.bytes()},
      {"dtype", to_string(shape.dtype)},
      {"shape", slowest_first(shape)},
      {"order", word_of(shape.order)},
      {"bound_mode", to_string(info.bound.mode)},
      {"bound_value", info.bound.value},
      {"pipeline", to_string(info.pipeline)},
      {"variant", to_string(info.variant)},
      {"predictor", info.predictor_word()},
      {"axis", info.axis},
      {"second_axis", info.second_axis},
      {"third_axis", info.third_axis},
      {"steps", info.steps.any() ? nlohmann::ordered_json(text_of(options_of(info), "steps"))
                                 : nlohmann::ordered_json()},
      {"chunks", info.chunks},
      {"checksum", info.checksum},
      {"packed", info.packed},
      {"options", text_of(options_of(info))},
      {"frames", frames.count()},
      {"version", info.version},
  });
  std::string const original = std::to_string(shape.bytes());
  report.lines.insert(
      report.lines.end(),
      {{"field", std::string(to_string(shape.dtype)) + ", " + text_of_extents(shape) + ", " +
                     text_of_bytes(static_cast<double>(shape.bytes()))},
       {"bound", text_of_bound(info, variable)},
       {"pipeline", std::string(to_string(info.pipeline)) + ", variant " + to_string(info.variant) +
                        ", predictor " + info.predictor_word() + (info.packed ? ", packed" : "")},
       {"options", text_of(options_of(info))},
       {"bytes", original + " -> " + std::to_string(info.bytes)},
       {"ratio", text_of(ratio, 5)},
       {"exceptions", std::to_string(info.exceptions) + " values kept bit for bit"}});
  describe(report, info.reason, info.pipeline, info.variant);
  if (info.steps.any()) {
    report.lines.emplace_back(
        "steps", text_of(options_of(info), "steps") + ", the numbers that values are made of");
  }
  if (info.limits.any()) {
    report.lines.emplace_back("limits", text_of(options_of(info), "limits") +
                                            ", between which values come back that lay there");
  }
  if (info.fill) report.lines.emplace_back("fill value", text_of(*info.fill) + ", masked");
  if (frames.count() > 1) {
    report.lines.emplace_back("frames", std::to_string(frames.count()) + ", one after the other");
  }
}

void describe(Report& report, MemoryLimit const& memory) {
  report.values["memory_bytes"] = memory.bytes;
  report.values["memory_limit"] = memory.source;
}

void add_report_detail(CLI::App& verb) {
  verb.add_flag_callback("--verbose", be_verbose, "report everything about the stream");
}

Report codec_report(std::string const& input, std::string const& output,
                    FrameSequence const& frames, char const* exec, double elapsed_s,
                    char const* speed_key, files::Variable const& variable) {
  // A call on less than this is over before its time says anything.
  constexpr std::uint64_t least_timed = std::uint64_t{1} << 24;
  Report report;
  std::uint64_t const bytes = frames.whole().shape.bytes();
  double const gbps = gigabytes_per_second(bytes, elapsed_s);
  report.lines.emplace_back("file", input + " -> " + output);
  describe(report, frames, variable);
  if (bytes >= least_timed) {
    report.lines.emplace_back(
        "speed", text_of(gbps, 4) + " GB/s on " + exec +
                     (frames.count() > 1 ? ", without files" : ", first call, without files"));
  }
  if (!is_verbose()) report.lines = brief_lines(input + " -> " + output, frames.whole(), variable);
  report.values[speed_key] = gbps;
  report.values["exec"] = exec;
  return report;
}

std::FILE* report_file(std::filesystem::path const& output) {
  if (output == "-") return stderr;
  struct stat target {};
  struct stat standard {};
  if (::stat(output.c_str(), &target) != 0 || ::fstat(STDOUT_FILENO, &standard) != 0) return stdout;
  bool const same = target.st_dev == standard.st_dev && target.st_ino == standard.st_ino;
  return same && !S_ISCHR(target.st_mode) ? stderr : stdout;
}

}  // namespace kompakt::cli
