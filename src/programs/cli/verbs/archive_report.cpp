#include "archive_report.hpp"
#include <algorithm>
#include <array>
#include <cli/parts/arguments.hpp>
#include <cli/parts/source.hpp>
#include <cli/parts/text.hpp>
#include <cmath>
#include <files/variable.hpp>
#include <filesystem>

namespace kompakt::cli {

namespace {

// What the table says of a field, beside its name.
using Row = std::array<std::string, 7>;

std::string text_of_attributes(Attributes const& attributes) {
  std::string text;
  for (auto const& [key, value] : attributes)
    text += (text.empty() ? "" : ", ") + key + "=" + shortened(value);
  return text;
}

// As --shape takes them.
std::string text_of_shape(FieldShape const& shape) {
  std::string text;
  for (std::size_t const extent : slowest_first(shape)) {
    if (!text.empty()) text += ",";
    text += std::to_string(extent);
  }
  return text;
}

Row row_of(ArchiveEntry const& field, StreamInfo const& info) {
  double const ratio = static_cast<double>(info.shape.bytes()) / static_cast<double>(info.bytes);
  return {to_string(info.shape.dtype),
          text_of_shape(info.shape),
          to_string(info.pipeline),
          info.bound.mode == ErrorBound::Mode::lossless
              ? to_string(info.bound.mode)
              : std::string(to_string(info.bound.mode)) + " " + text_of(info.bound.value),
          std::to_string(info.bytes),
          text_of(ratio, 5),
          text_of_attributes(field.attributes)};
}

// The rows as lines with aligned columns; numbers to the right.
std::vector<std::string> lines_of(std::vector<Row> const& rows) {
  std::array<std::size_t, std::tuple_size_v<Row>> widths{};
  for (Row const& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::vector<std::string> lines;
  for (Row const& row : rows) {
    std::string line;
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      std::string const gap(widths[i] - row[i].size(), ' ');
      bool const right = i == 4 || i == 5;
      line += (right ? gap + row[i] : row[i] + gap) + "  ";
    }
    line += row.back();
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  return lines;
}

nlohmann::ordered_json json_of(Attributes const& attributes) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (auto const& [key, value] : attributes) object[key] = value;
  return object;
}

}  // namespace

void describe(Report& report, ArchiveEntry const& field) {
  report.values["name"] = field.name;
  report.values["attributes"] = json_of(field.attributes);
  report.lines.emplace_back("name", field.name);
  for (auto const& [key, value] : field.attributes) {
    report.lines.emplace_back("attribute", key + "=" + shortened(value));
  }
}

void describe_packing(Report& report, ArchiveEntry const& field, StreamInfo const& info) {
  auto const packing = files::variable_of(field.name, info.shape, field.attributes).packing();
  if (!packing || info.resolved().mode != ErrorBound::Mode::abs) return;
  double const bound = info.abs_bound * std::fabs(packing->scale);
  report.values["bound_unpacked"] = bound;
  report.lines.emplace_back("unpacked", text_of(info.abs_bound) + " steps of scale_factor " +
                                            text_of(packing->scale) + " are " + text_of(bound));
}

int print_archive(std::string const& path, bool as_json) {
  auto const archive = std::make_shared<ArchiveReader>(path);
  std::vector<ArchiveEntry> const& entries = archive->entries();
  nlohmann::ordered_json fields = nlohmann::ordered_json::array();
  std::vector<Row> rows{{"type", "extents", "pipeline", "bound", "bytes", "ratio", "attributes"}};
  std::string damage;
  for (ArchiveEntry const& entry : entries) {
    Report field;
    describe(field, entry);
    try {
      FrameSequence const frames = scan_frames({path, archive, entry});
      describe(field, frames);
      describe_packing(field, entry, frames.whole());
      rows.push_back(row_of(entry, frames.whole()));
    } catch (Error const& error) {
      if (error.status() == Status::io) throw;
      if (damage.empty()) damage = error.text();
      field.values["error"] = std::string(error.text());
      rows.push_back({"damaged", "", "", "", std::to_string(entry.bytes), "",
                      text_of_attributes(entry.attributes)});
    }
    fields.push_back(std::move(field.values));
  }
  Report report;
  std::uint64_t const bytes = std::filesystem::file_size(path);
  report.values = {{"archive_bytes", bytes}, {"fields", std::move(fields)}};
  report.lines.emplace_back("file", path + ", archive of " + std::to_string(entries.size()) +
                                        (entries.size() == 1 ? " field, " : " fields, ") +
                                        text_of_bytes(static_cast<double>(bytes)));
  std::vector<std::string> const lines = lines_of(rows);
  report.lines.emplace_back("name", lines.front());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    report.lines.emplace_back(entries[i].name, lines[i + 1]);
  }
  report.print(as_json, stdout);
  if (!damage.empty()) throw Error(Status::corrupt, damage);
  return 0;
}

}  // namespace kompakt::cli
