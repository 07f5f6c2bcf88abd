#ifndef KOMPAKT_CLI_FILL_HPP
#define KOMPAKT_CLI_FILL_HPP

#include <cstddef>
#include <cstdint>
#include <kompakt/options.hpp>
#include <kompakt/stream.hpp>
#include <optional>
#include <span>

namespace kompakt::cli {

/// What was masked in a stream, for one that is to be treated in the same way.
FillValue fill_of(std::optional<StreamInfo> const& info);

/// Turns the fill value of a stream into NaN wherever it is both in the original and in the reconstruction, so
/// that it counts in no metric; a place that has lost it stays a violation. Returns how many there are.
std::uint64_t leave_out_fill(StreamInfo const& info, std::span<std::byte> original,
                             std::span<std::byte> restored);

}  // namespace kompakt::cli

#endif
