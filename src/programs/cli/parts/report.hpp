#ifndef KOMPAKT_CLI_REPORT_HPP
#define KOMPAKT_CLI_REPORT_HPP

#include "frames.hpp"
#include "memory_limits.hpp"
#include "parser_names.hpp"
#include <cstdint>
#include <cstdio>
#include <files/variable.hpp>
#include <filesystem>
#include <kompakt/stream.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace kompakt::cli {

/// What a verb has to say: aligned lines for people, one object for machines. Numbers that are not
/// finite become null in JSON.
struct Report {
  std::vector<std::pair<std::string, std::string>> lines;  ///< label, text
  nlohmann::ordered_json values = nlohmann::ordered_json::object();

  /// \param as_json  the object instead of the lines
  void print(bool as_json, std::FILE* file) const;
};

/// Adds everything that the header of a stream says, or those of the frames of a file together.
/// \param variable  that it is of, where more is known
void describe(Report& report, FrameSequence const& frames, files::Variable const& variable = {});

/// Adds how much memory was allowed, and by what.
void describe(Report& report, MemoryLimit const& memory);

/// The resolved bound of a stream in the units of its field, null if it is relative to each value.
nlohmann::ordered_json bound_abs_of(StreamInfo const& info);
/// "0.001 in the units of the field"; of packed integers "60 integer steps, 0.102 K".
std::string text_of_distance(double distance, files::Variable const& variable);
/// text_of_distance(), "0.001 of each value" and the like.
std::string text_of_resolved(ErrorBound const& bound, files::Variable const& variable = {});

/// Adds --verbose to a verb with a codec_report().
void add_report_detail(CLI::App& verb);

/// What compress and decompress say: three lines, or with --verbose all.
/// \param elapsed_s  of the calls of the library
/// \param exec       word of the execution space
/// \param speed_key  name of the GB/s in JSON
/// \param variable   as of describe()
Report codec_report(std::string const& input, std::string const& output,
                    FrameSequence const& frames, char const* exec, double elapsed_s,
                    char const* speed_key, files::Variable const& variable = {});

/// Standard output, or standard error when the verb's result goes to standard output.
std::FILE* report_file(std::filesystem::path const& output);

}  // namespace kompakt::cli

#endif
