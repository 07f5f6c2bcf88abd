#ifndef KOMPAKT_CLI_FILL_HPP
#define KOMPAKT_CLI_FILL_HPP

#include <cstddef>
#include <cstdint>
#include <kompakt/field_range.hpp>
#include <kompakt/options.hpp>
#include <kompakt/stream.hpp>
#include <optional>
#include <span>
#include <string>

namespace kompakt::cli {

/// What was masked in a stream, for one that is to be treated in the same way.
FillValue fill_of(std::optional<StreamInfo> const& info);

/// At how many places of a field in host memory the fill value of its stream is.
std::uint64_t count_fill(StreamInfo const& info, std::span<std::byte const> field);

/// What compression has masked.
struct MaskedPlaces {
  std::uint64_t count = 0;
  /// Of the other values, where a bound is relative to it.
  std::optional<FieldRange> range;
};

/// Whether a fill value that was found changes a bound: one that is finite, where the bound goes by the field's range.
bool changes_bound(StreamInfo const& info, Options const& asked);

/// Says in a line if the fill value that was given is nowhere, or if one that was found changes the bound.
/// \param label  of the field
void note_fill(std::string const& label, StreamInfo const& info, Options const& asked,
               MaskedPlaces const& masked);

/// Says in a line if a stream with limits is about as long as its values: nearly all of them lie outside.
/// \param label  of the field
void note_limits(std::string const& label, StreamInfo const& info, Options const& asked);

/// A further fill value, while there is room: what has more of them is stored without loss, where none must be left out.
void add_fill(FillValue& fills, double more);

/// Places that hold a declared fill value in one of two fields alone: readers of the other one see no such value there, or
/// miss one.
struct ChangedFills {
  std::uint64_t became_missing = 0;  ///< values of the original in whose place a fill value is now
  std::uint64_t lost = 0;  ///< fill values of the original in whose place anything else is
  std::optional<std::size_t> first{};  ///< position of the first of them
  double original = 0, restored = 0;   ///< values there

  std::uint64_t count() const { return became_missing + lost; }
};

/// Finds these places, and makes them violations of any bound that count in no metric: infinite in the original, NaN in the
/// reconstruction.
/// \param declared  numbers, as fills that are looked for are guesses; NaN needs no such care
ChangedFills mark_changed_fills(FillValue const& declared, Dtype dtype,
                                std::span<std::byte> original, std::span<std::byte> restored);

/// Turns fill values into NaN wherever they are both in the original and in the reconstruction, so that they count in no
/// metric; a place that has lost one stays a violation. Returns how many there are.
std::uint64_t leave_out_fills(FillValue const& fills, Dtype dtype, std::span<std::byte> original,
                              std::span<std::byte> restored);

}  // namespace kompakt::cli

#endif
