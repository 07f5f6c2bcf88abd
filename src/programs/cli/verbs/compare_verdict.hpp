#ifndef KOMPAKT_CLI_COMPARE_VERDICT_HPP
#define KOMPAKT_CLI_COMPARE_VERDICT_HPP

#include "compare_arguments.hpp"
#include <cli/parts/fill.hpp>
#include <cstddef>
#include <cstdint>
#include <kompakt/metrics.hpp>
#include <optional>
#include <span>
#include <string>

namespace kompakt::cli {

/// The first value that breaks its bound.
struct Violation {
  ErrorBound bound;
  std::string original, other;
};

/// Of fields in host memory that have been compared.
/// \param changed  what mark_changed_fills() has found in them
Violation first_violation(Metrics const& stats, ErrorBound const& checked, FieldShape const& shape,
                          std::span<std::byte const> original, std::span<std::byte const> other,
                          ChangedFills const& changed);

/// What a comparison came to.
struct Comparison {
  FieldShape shape;
  std::optional<StreamInfo> info;  ///< of the stream
  ErrorBound checked;
  MetricsOptions options;
  Metrics metrics;
  std::uint64_t fill_values = 0;  ///< that were left out, of those that count as not finite
  ChangedFills changed{};         ///< violations that count as not finite, too
  Violation first;
  files::Variable original{};
};

/// Prints the report.
/// \throws Error bound_violated if a value breaks its bound, or all of them miss the PSNR
int conclude(CompareArguments const& arguments, Comparison const& comparison);

}  // namespace kompakt::cli

#endif
