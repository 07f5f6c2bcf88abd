#ifndef KOMPAKT_CONTAINER_READER_HPP
#define KOMPAKT_CONTAINER_READER_HPP

#include <array>
#include <container/header.hpp>
#include <cstddef>
#include <kompakt/stream.hpp>
#include <span>
#include <string>
#include <vector>

namespace kompakt::impl {

/// Reads and checks all that lies in front of the chunk index: every number of the header is one that this library
/// knows, sections lie inside the stream and apart from each other.
/// \param front         the stream's first bytes: all of it or at least inspect_bytes
/// \param stream_bytes  how long the stream is, or 0 if that is not known
/// \throws Error bad_magic, unsupported_version, corrupt
Header read_header(std::span<std::byte const> front, std::size_t stream_bytes);

/// What is wrong with the place of a part in a field, in words; empty if nothing is.
/// \param part  with a total of 0 the whole is not yet known
std::string fault_of_part(FieldShape const& shape, FramePart const& part);

/// What a sound header tells a user; of one that was written rather than read, sections need not be known.
StreamInfo info_of(Header const& header);
/// The part of it that is known before a field is looked at, and back.
HeaderAsked asked_of(StreamInfo const& info);

/// How many indices the extents of a stream have in front of those of its field: the one of the parts of complex numbers, if it is the
/// first.
constexpr int entries_before_field(FieldShape const& shape, bool has_parts) {
  return has_parts && part_axis(shape) == 0 ? 1 : 0;
}

/// Whether the features of a header say that bins have a width of their own.
constexpr bool says_width(Header const& header) {
  return (header.features >> feature::steps_shift & 7u) == feature::width_of_bins;
}

/// Entries of the extents of the indices that are coded first, second and third; negative: the next one in memory that is not named.
using CodedAxes = std::array<int, 3>;

/// The axes that options, the description of a stream or a candidate name.
template <class Named>
constexpr CodedAxes named_axes(Named const& named) {
  return {named.axis, named.second_axis, named.third_axis};
}
template <class Named>
constexpr void name_axes(Named& named, CodedAxes const& axes) {
  named.axis = axes[0];
  named.second_axis = axes[1];
  named.third_axis = axes[2];
}
/// How many axes there are up to the last one that is named; the first one counts always.
constexpr int count_named(CodedAxes const& axes) { return axes[2] >= 0 ? 3 : axes[1] >= 0 ? 2 : 1; }

/// The order that some axes name. The extents of the shape may have the index of the parts of complex numbers, which no axis counts.
IndexOrder order_of(FieldShape const& shape, CodedAxes const& axes, bool has_parts = false);
/// The reverse. The first axis is always named, the others if they are not the next ones in memory.
CodedAxes axes_of(FieldShape const& shape, IndexOrder const& coded, bool has_parts = false);
/// What choices may come to in a field of that rank, of orders with the same extents one.
std::vector<CodedAxes> axes_to_try(int rank);
/// Axes as a text such as 3:0:1, as far as they are named.
std::string text_of_axes(CodedAxes const& axes);

}  // namespace kompakt::impl

#endif
