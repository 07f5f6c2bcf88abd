#ifndef KOMPAKT_CLI_ARGUMENTS_HPP
#define KOMPAKT_CLI_ARGUMENTS_HPP

#include "exec.hpp"
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <kompakt/field.hpp>
#include <kompakt/options.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace kompakt::cli {

/// The options of the verbs are kept as the words the user typed and are read here, strictly, so
/// that every message can name the word. All functions throw Error bad_argument.

std::uint64_t parse_count(std::string_view option, std::string_view word);
/// A count of bytes, with K, M, G or T behind it for powers of 1024.
std::uint64_t parse_bytes(std::string_view option, std::string_view word);

/// Type and extents of a raw file.
struct FieldArguments {
  std::string type;           ///< -t
  std::string fastest_first;  ///< -l, such as 49x37x240
  std::string slowest_first;  ///< --shape, such as 240,37,49

  void add_to(CLI::App& verb);
  bool given() const { return !type.empty() || !fastest_first.empty() || !slowest_first.empty(); }
  /// The field in C order. Extents must be there, positive, and have a product that can be counted.
  FieldShape shape() const;
};

/// A region of a field, such as 10:20,:,5, slowest first.
struct RegionArguments {
  std::string ranges;  ///< --roi

  void add_to(CLI::App& verb);
  /// For each index of the field where the region begins and what is behind it, first index first. It lies
  /// in the field and is not empty.
  struct Region {
    std::vector<std::size_t> begin, end;
  };
  Region region(FieldShape const& field) const;
};

/// Bound of a compression or of a comparison.
struct BoundArguments {
  std::string mode;   ///< -m
  std::string value;  ///< -e
  std::string of;     ///< --range

  void add_to(CLI::App& verb);
  bool given() const { return !mode.empty() || !value.empty() || !of.empty(); }
  ErrorBound bound() const;
  double range() const;  ///< 0: not given
};

/// Where the work is done.
struct ExecArguments {
  std::string space;    ///< --exec
  std::string threads;  ///< --threads

  void add_to(CLI::App& verb);
  ExecChoice choice() const;
};

/// Extents with the slowest running index first, whatever the order of the indices.
std::vector<std::size_t> slowest_first(FieldShape const& shape);
/// "last_fastest" or "first_fastest"
char const* word_of(Order order);
/// "240 x 37 x 49 slowest first (-l 49x37x240)"
std::string text_of_extents(FieldShape const& shape);

}  // namespace kompakt::cli

#endif
