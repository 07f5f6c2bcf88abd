#ifndef KOMPAKT_CLI_ARGUMENTS_HPP
#define KOMPAKT_CLI_ARGUMENTS_HPP

#include "exec.hpp"
#include "parse_numbers.hpp"
#include "parser_names.hpp"
#include "source.hpp"
#include <cstddef>
#include <cstdint>
#include <functional>
#include <kompakt/field.hpp>
#include <kompakt/options.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kompakt::cli {

/// Adds an option whose word is read with the command line, by a function that may throw Error. An empty word is none.
CLI::Option* add_read(CLI::App& verb, std::string const& name, std::string const& help,
                      std::function<void(std::string const& word)> read);

/// Help that a command line asks for beside a word that is refused.
std::optional<std::string> help_asked_for(CLI::App const& app);

/// Throws Error bad_argument where another option stands in place of an option's value, before the parser takes it for the value.
/// Where the words ask for help it throws CLI11's call for help.
void require_values(CLI::App& app, std::span<char* const> given);

/// Type and extents of a raw file; of any other they may be given too.
struct FieldArguments {
  std::optional<Dtype> type;         ///< -t
  std::vector<std::size_t> extents;  ///< -l or --shape, slowest first

  void add_to(CLI::App& verb);
  bool given() const { return type || !extents.empty(); }
  /// The field in C order. Type and extents must be there.
  FieldShape shape() const;
  /// Throws Error type_mismatch where they contradict what a file says of its field.
  void require_agreement(FieldShape const& found, std::string const& label) const;

 private:
  // What they say, in place of what a shape says.
  FieldShape in_place_of(FieldShape shape) const;
};

/// A region of a field, such as 10:20,:,5, slowest first.
struct RegionArguments {
  std::string ranges;  ///< --roi

  void add_to(CLI::App& verb);
  /// It lies in the field and is not empty.
  Box region(FieldShape const& field) const;
};

/// Bound of a compression or of a comparison.
struct BoundArguments {
  std::string mode;   ///< -m
  std::string value;  ///< -e
  double of = 0;      ///< --range; 0: not given

  void add_to(CLI::App& verb);
  bool given() const { return !mode.empty() || !value.empty() || of != 0; }
  ErrorBound bound() const;
  double range() const;  ///< 0: not given
};

/// A bound of two words, of any mode but lossless.
/// \param option  names it in messages
/// \throws Error bad_argument
ErrorBound parse_bound(std::string const& option, std::string const& mode,
                       std::string const& value);

/// How much memory the program may use.
struct MemoryArguments {
  std::string bytes;  ///< --memory

  /// \param consequence  what is done with fields that do not fit
  void add_to(CLI::App& verb, std::string const& consequence);
  std::optional<std::uint64_t> given() const;
};

/// Where the work is done.
struct ExecArguments {
  std::optional<Space> space;  ///< --exec
  int threads = 0;             ///< --threads

  void add_to(CLI::App& verb);
  /// \throws Error bad_argument for more threads than this process may have
  ExecChoice choice() const;
};

/// Throws Error type_mismatch for fields of different types or extents, whatever the order of their indices.
/// \param who  says something else, such as "-t and the extents say"
void require_same_shape(std::string const& label, FieldShape const& found, std::string const& who,
                        FieldShape const& said);
/// Extents with the slowest running index first, whatever the order of the indices.
std::vector<std::size_t> slowest_first(FieldShape const& shape);
/// "last_fastest" or "first_fastest"
char const* word_of(Order order);
/// "240 x 37 x 49 slowest first (-l 49x37x240)"
std::string text_of_extents(FieldShape const& shape);

}  // namespace kompakt::cli

#endif
