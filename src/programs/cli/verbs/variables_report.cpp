#include "variables_report.hpp"
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
std::string fate_of(files::Variable const& variable, std::string const& label) {
  if (variable.is_empty) return "kept: it has no values";
  if (!variable.refusal.empty()) return "left out: " + variable.refusal;
  if (std::string const own = fate_by_attribute(variable, label); !own.empty()) return own;
  if (variable.is_text) return "lossless: letters";
  if (is_integer(variable.shape.dtype)) {
    return variable.is_packed() ? "lossless: packed integers, to which no bound applies"
                                : "lossless: integers";
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

std::string text_of_variable(files::Variable const& variable) {
  std::string text = to_string(variable.shape.dtype);
  text += variable.is_scalar ? ", a single value"
                             : ", " + joined_extents(slowest_first(variable.shape));
  std::string names;
  for (std::string const& dimension : variable.dimensions) {
    names.append(names.empty() ? "" : ", ").append(dimension);
  }
  if (!names.empty()) text.append(" (").append(names).append(")");
  if (!variable.chunk.empty()) text += ", chunks " + joined_extents(variable.chunk);
  if (auto const* const units = variable.find("units"); units != nullptr && !units->text.empty()) {
    text += ", " + units->text;
  }
  for (double const fill : variable.fills()) text += ", no value: " + text_of(fill);
  Options said;
  said.limits = variable.limits();
  if (said.limits.any()) text += ", limits " + kompakt::text_of(said, "limits");
  return text;
}

}  // namespace

int print_variables(files::FileName const& name, bool as_json) {
  auto const file = files::open_field_file(name);
  std::vector<files::Variable> variables = file->variables();
  files::mark_supporting(variables, file->groups());
  if (!name.variable.empty()) files::choose_variable(*file, name);
  Report report;
  report.values["variables"] = nlohmann::ordered_json::array();
  for (files::Variable const& variable : variables) {
    if (!name.variable.empty() && variable.name != name.variable) continue;
    std::string const label = variable.name.empty() ? "array" : variable.name;
    std::string const fate = fate_of(variable, label);
    if (variable.refusal.empty()) {
      report.lines.emplace_back(label, text_of_variable(variable) + "; " + fate);
    } else {
      report.lines.emplace_back(label, fate);
    }
    report.values["variables"].push_back(
        {{"name", variable.name},
         {"dtype", to_string(variable.shape.dtype)},
         {"shape", variable.is_scalar ? nlohmann::ordered_json::array()
                                      : nlohmann::ordered_json(slowest_first(variable.shape))},
         {"dimensions", variable.dimensions},
         {"unlimited", variable.unlimited},
         {"chunk", variable.chunk},
         {"fill_values", fills_of(variable)},
         {"options", variable.options() == nullptr
                         ? nlohmann::ordered_json()
                         : nlohmann::ordered_json(variable.options()->text)},
         {"compress", fate}});
  }
  report.print(as_json, stdout);
  return 0;
}

}  // namespace kompakt::cli
