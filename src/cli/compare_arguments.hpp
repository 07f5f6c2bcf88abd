#ifndef KOMPAKT_CLI_COMPARE_ARGUMENTS_HPP
#define KOMPAKT_CLI_COMPARE_ARGUMENTS_HPP

#include "arguments.hpp"
#include <functional>
#include <kompakt/field.hpp>
#include <kompakt/field_range.hpp>
#include <kompakt/options.hpp>
#include <kompakt/stream.hpp>
#include <optional>
#include <string>

namespace kompakt::cli {

// What compare compares, and by which bound.

struct CompareArguments {
  std::string input;
  std::string other;
  FieldArguments field;
  SourceArguments source;
  BoundArguments bound;
  MemoryArguments memory;
  ExecArguments exec;
  bool metrics = false;
  bool json = false;

  /// The PSNR to reach in place of a bound of each value.
  bool asks_for_psnr() const { return bound.mode == to_string(ErrorBound::Mode::psnr); }
};

/// The shape of both fields, as the stream and the arguments say it.
/// \param info  of the stream; none: the other file is a raw field
/// \throws Error bad_argument if nobody says it, type_mismatch if they do not agree
FieldShape shape_of_comparison(CompareArguments const& arguments,
                               std::optional<StreamInfo> const& info);

/// Throws Error bad_argument for what only floating-point numbers have.
void require_integers_lossless(CompareArguments const& arguments,
                               std::optional<ErrorBound> const& bound, Dtype dtype);

/// The bound to check: the one that was given, else the stream's own.
/// \param range_of_original  called if the bound is relative to it
ErrorBound resolve_bound(BoundArguments const& arguments, std::optional<ErrorBound> const& given,
                         std::optional<StreamInfo> const& info,
                         std::function<FieldRange()> const& range_of_original);

}  // namespace kompakt::cli

#endif
