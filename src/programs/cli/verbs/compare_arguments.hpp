#ifndef KOMPAKT_CLI_COMPARE_ARGUMENTS_HPP
#define KOMPAKT_CLI_COMPARE_ARGUMENTS_HPP

#include <cli/parts/arguments.hpp>
#include <cli/parts/field_input.hpp>
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
  std::vector<std::string> files;  ///< as they stand on the command line
  std::string other;               ///< what the input is compared with
  FieldArguments field;
  SourceArguments source;
  BoundArguments bound;
  FillValue fill = FillValue::automatic();  ///< --fill
  MemoryArguments memory;
  ExecArguments exec;
  bool metrics = false;
  bool json = false;

  /// Sets input and other from the files.
  /// \throws Error bad_argument unless there are two, one of which -i may name
  void tell_files_apart();

  /// The PSNR to reach in place of a bound of each value.
  bool asks_for_psnr() const { return bound.mode == to_string(ErrorBound::Mode::psnr); }
};

/// The original, whose type and extents its file, the other one or the arguments say.
/// \param other  shape of what it is compared with; none: that is a raw field
/// \throws Error bad_argument if nobody says it, type_mismatch if they do not agree
FieldInput open_original(CompareArguments const& arguments, std::optional<FieldShape> const& other);

/// The bound that was given, of packed integers in their own units; none if none was given.
std::optional<ErrorBound> bound_for(CompareArguments const& arguments, FieldInput const& original);
/// Throws Error bad_argument for metrics of integers without a bound.
/// \param dtype  of what is compared
void require_numbers_for_metrics(CompareArguments const& arguments, Dtype dtype);

/// The fill values that --fill says, the one of a stream, and those that the file of the original declares, while there is room.
/// They are looked for in a field without a stream; --fill none and numbers say all that there are.
FillValue fills_of(CompareArguments const& arguments, FieldInput const& original,
                   std::optional<StreamInfo> const& info);
/// Whether a field whose stream has masked one value is searched for others, which are then left out of metrics.
/// \param fills  of fills_of()
bool may_mask_more(CompareArguments const& arguments, FillValue const& fills,
                   std::optional<StreamInfo> const& info);

/// The bound to check: the one that was given, else the stream's own.
/// \param range_of_original  called if the bound is relative to it
ErrorBound resolve_bound(BoundArguments const& arguments, std::optional<ErrorBound> const& given,
                         std::optional<StreamInfo> const& info,
                         std::function<FieldRange()> const& range_of_original);

}  // namespace kompakt::cli

#endif
