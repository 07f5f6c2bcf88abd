#include "variables_report.hpp"
#include <algorithm>
#include <cli/parts/coding_arguments.hpp>
#include <cli/parts/report.hpp>
#include <cli/parts/text.hpp>
#include <cmath>
#include <cstdio>
#include <files/roles.hpp>
#include <kompakt/option_keys.hpp>
#include <string>

namespace kompakt::cli {

namespace {

/// What an attribute makes of it; nothing if there is none, or it leaves the bound to the call.
std::string fate_by_attribute(files::Variable const& variable, std::string const& label) {
  try {
    auto const own = CodingArguments().options_of(variable, nullptr, {}, label);
    if (!own) return "";
    bool const is_lossless = own->options.bound.mode == ErrorBound::Mode::lossless;
    return std::string(is_lossless ? "lossless" : "within its own bound") + ": " +
           files::options_key + " '" + variable.options()->text + "'";
  } catch (Error const& error) {
    return "refused: " + std::string(error.text());
  }
}

// What `kompakt compress FILE` makes of it.
/// \param rest  of its file
std::string fate_of(files::Variable const& variable, files::RestOfFile const& rest,
                    std::string const& label) {
  if (variable.is_empty) return "kept: it has no values";
  if (!variable.refusal.empty()) return "left out: " + variable.refusal;
  std::string const missing = rest.missing_for(variable.name);
  if (!missing.empty()) return "left out: " + missing;
  if (std::string const own = fate_by_attribute(variable, label); !own.empty()) return own;
  if (variable.is_text) return "lossless: letters";
  if (is_integer(variable.shape.dtype)) {
    std::string const why = variable.why_no_packing();
    if (variable.packing() && !variable.is_supporting) {
      return "within the bound, in the numbers that its integers stand for";
    }
    return why.empty() ? "lossless: integers" : "lossless: " + why;
  }
  if (variable.is_supporting) return "lossless: it locates or describes other variables";
  auto const* const own = variable.options();
  return own == nullptr
             ? "within the bound"
             : std::string("within the bound: ") + files::options_key + " '" + own->text + "'";
}

std::string joined_extents(std::vector<std::size_t> const& chunk) {
  std::string text;
  for (std::size_t const extent : chunk) {
    text.append(text.empty() ? "" : " x ").append(std::to_string(extent));
  }
  return text;
}

nlohmann::ordered_json fills_of(files::Variable const& variable) {
  auto fills = nlohmann::ordered_json::array();
  for (double const fill : variable.fills()) {
    if (std::isfinite(fill)) {
      fills.push_back(fill);
    } else {
      fills.push_back(text_of(fill));
    }
  }
  return fills;
}

/// The words of a list with commas between them, behind `before`; nothing of an empty list.
std::string list_of(std::vector<std::string> const& words, std::string const& before) {
  std::string text;
  for (std::string const& word : words) text.append(text.empty() ? before : ", ").append(word);
  return text;
}

/// \param growing  names of variables that can grow along an index without a name
std::string text_of_variable(files::Variable const& variable,
                             std::vector<std::string> const& growing) {
  std::string text = to_string(variable.shape.dtype);
  text += variable.is_scalar ? ", a single value"
                             : ", " + joined_extents(slowest_first(variable.shape));
  if (!variable.dimensions.empty()) text += list_of(variable.dimensions, " (") + ")";
  text += list_of(variable.unlimited, ", unlimited ");
  if (std::ranges::count(growing, variable.name) > 0) text += ", unlimited";
  if (!variable.chunk.empty()) text += ", chunks " + joined_extents(variable.chunk);
  if (auto const* const units = variable.find("units"); units != nullptr && !units->text.empty()) {
    text += ", " + units->text;
  }
  for (double const fill : variable.fills()) text += ", no value: " + text_of(fill);
  for (char const* const key : {"scale_factor", "add_offset"}) {
    auto const* const factor = variable.find(key);
    if (factor != nullptr) text.append(", ").append(key).append(" ").append(factor->text);
  }
  Options said;
  said.limits = variable.limits();
  if (said.limits.any()) text += ", limits " + kompakt::text_of(said, "limits");
  return text;
}

nlohmann::ordered_json json_of(files::Variable const& variable, std::string const& fate) {
  auto const* const options = variable.options();
  return {{"name", variable.name},
          {"dtype", to_string(variable.shape.dtype)},
          {"shape", variable.is_scalar ? nlohmann::ordered_json::array()
                                       : nlohmann::ordered_json(slowest_first(variable.shape))},
          {"dimensions", variable.dimensions},
          {"unlimited", variable.unlimited},
          {"chunk", variable.chunk},
          {"fill_values", fills_of(variable)},
          {"options",
           options == nullptr ? nlohmann::ordered_json() : nlohmann::ordered_json(options->text)},
          {"compress", fate}};
}

/// \param rest  of its file
void report_variable(Report& report, files::Variable const& variable,
                     files::RestOfFile const& rest) {
  std::string const label = variable.name.empty() ? "array" : variable.name;
  std::string const fate = fate_of(variable, rest, label);
  bool const is_field = variable.refusal.empty();
  report.lines.emplace_back(
      label, is_field ? text_of_variable(variable, rest.growing).append("; ").append(fate) : fate);
  report.values["variables"].push_back(json_of(variable, fate));
}

void report_links(Report& report, std::vector<files::FileLink> const& links) {
  report.values["links"] = nlohmann::ordered_json::array();
  for (files::FileLink const& link : links) {
    report.lines.emplace_back(link.name, "left out: a link to " + link.target);
    report.values["links"].push_back(
        {{"name", link.name},
         {"target", link.target},
         {"object",
          link.object.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(link.object)}});
  }
}

}  // namespace

int print_variables(files::FileName const& name, bool as_json) {
  auto const file = files::open_field_file(name);
  std::vector<files::Variable> variables = file->variables();
  files::mark_supporting(variables, file->groups());
  Report report;
  report.values["variables"] = nlohmann::ordered_json::array();
  files::RestOfFile const rest = file->rest();
  if (name.variable.empty()) {
    for (files::Variable const& variable : variables) {
      report_variable(report, variable, rest);
    }
    for (files::Variable const& variable : rest.unseen) {
      report_variable(report, variable, rest);
    }
    report_links(report, rest.links);
  } else {
    std::string const own = files::choose_variable(*file, name).name;
    auto const chosen = std::ranges::find(variables, own, &files::Variable::name);
    report_variable(report, *chosen, rest);
  }
  report.print(as_json, stdout);
  return 0;
}

}  // namespace kompakt::cli
