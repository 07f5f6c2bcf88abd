#ifndef KOMPAKT_CLI_CODING_ARGUMENTS_HPP
#define KOMPAKT_CLI_CODING_ARGUMENTS_HPP

#include "arguments.hpp"
#include "named_bounds.hpp"
#include "parser_names.hpp"
#include <files/variable.hpp>
#include <kompakt/choose.hpp>
#include <kompakt/options.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kompakt::cli {

/// The options of a field, and whether the pipeline among them is still to be chosen, and for what.
struct AskedOptions {
  Options options;
  bool chooses = false;
  Goal goal = Goal::balanced;
};

/// How values are coded, whatever their bound.
struct CodingArguments {
  std::string text;      ///< --options; what the others say counts more
  std::string pipeline;  ///< -c
  std::string goal;      ///< --for
  /// What options with the name of a key of the library say; empty: nothing.
  std::map<std::string_view, std::string> by_key;
  bool no_checksum = false;
  bool pack = false;

  static constexpr char const* automatic = "auto";
  /// All but --radius.
  void add_to(CLI::App& verb);
  Goal chosen_goal() const;
  /// \param bound  what -m and -e say; if nothing, --options must say a bound
  AskedOptions options_with(BoundArguments const& bound) const;
  /// The options of a variable: by the bound that names it, else by its attribute kompakt_options, else by the bound of all
  /// variables.
  /// \param named  the bound that names it, or null
  /// \param bound  of all variables, also for an attribute that says none
  /// \param label  of the variable, for messages
  /// \returns none if it stays exact, or if nothing says a bound
  /// \throws Error bad_argument for an attribute that cannot be used, with the variable and the text
  std::optional<AskedOptions> options_of(files::Variable const& variable, NamedBound const* named,
                                         BoundArguments const& bound,
                                         std::string const& label) const;
  /// Whether --options says a bound.
  bool says_bound() const;
  /// Those of values that are kept as they are, whatever is said of others.
  Options lossless() const;

 private:
  Options options_of_text() const;
  /// None without the attribute, and if it says no bound where none is needed or the call has none.
  std::optional<AskedOptions> options_by_attribute(files::Variable const& variable,
                                                   BoundArguments const& bound,
                                                   std::string const& label) const;
  void set_bound(Options& options, BoundArguments const& bound) const;
  void set_separate(Options& options) const;
};

}  // namespace kompakt::cli

#endif
