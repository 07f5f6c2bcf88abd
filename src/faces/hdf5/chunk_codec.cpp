#include "chunk_codec.hpp"
#include <algorithm>
#include <array>
#include <container/abridged.hpp>
#include <kompakt/byte_order.hpp>
#include <kompakt/compress.hpp>
#include <kompakt/field_range.hpp>
#include <kompakt/slabs.hpp>

namespace kompakt::hdf5 {

namespace {

// Behind the edge of a dataset HDF5 pads its chunks with the fill value, 0 if there is none. One that is set is left out of the
// range anyway; zeros far from the values would make a bound relative to the range a hundred times as large.

bool is_zero(std::span<std::byte const> value) {
  return std::all_of(value.begin(), value.end(), [](std::byte b) { return b == std::byte{0}; });
}

/// Whether all bits are 0 at the last place of an index within a box that begins at 0.
bool ends_in_zeros(ConstFieldData const& chunk, FieldShape const& box, int index) {
  auto const at_index = static_cast<std::size_t>(index), rank = static_cast<std::size_t>(box.rank);
  std::size_t const bytes = size_of(box.dtype);
  auto const* const values = static_cast<std::byte const*>(chunk.data);
  std::array<std::size_t, max_rank> place{};
  place[at_index] = box.extents[at_index] - 1;
  for (;;) {
    std::size_t offset = 0;
    for (std::size_t i = 0; i < rank; ++i) offset = offset * chunk.shape.extents[i] + place[i];
    if (!is_zero({values + offset * bytes, bytes})) return false;
    std::size_t i = rank;
    while (i-- > 0) {
      if (i == at_index) continue;
      if (++place[i] < box.extents[i]) break;
      place[i] = 0;
    }
    if (i >= rank) return true;
  }
}

FieldShape without_padding(ConstFieldData const& chunk) {
  FieldShape box = chunk.shape;
  for (int i = 0; i < box.rank; ++i) {
    std::size_t& extent = box.extents[static_cast<std::size_t>(i)];
    while (extent > 0 && ends_in_zeros(chunk, box, i)) --extent;
    if (extent == 0) return chunk.shape;
  }
  return box;
}

Options options_for_values(AnyCodec& codec, ConstFieldData const& chunk, Options const& options) {
  if (!options.bound.needs_range() || options.range != 0) return options;
  FieldShape const box = without_padding(chunk);
  if (box.extents == chunk.shape.extents) return options;
  ConstStridedData const values = part_of(ConstStridedData(chunk), Box::at({}, box));
  FieldRange const range = codec.field_range(values, MemoryOf::host, options.fill);
  if (!range.any || (range.min <= 0 && 0 <= range.max)) return options;  // zeros do not widen it
  // The search for a PSNR would count the padding, which has no errors, among the values.
  bool const may_go_by_range = options.bound.mode == ErrorBound::Mode::r2r && range.width() > 0;
  return may_go_by_range ? options_for_parts(range, options)
                         : absolute_options_for_parts(range, options);
}

}  // namespace

std::span<std::byte const> ChunkCodec::compress(ChunkCoding const& coding, void const* values) {
  m_stream.resize(std::max(m_stream.size(), max_compressed_bytes(coding.shape, coding.options)));
  if (coding.is_big_endian) {
    auto const* const bytes = static_cast<std::byte const*>(values);
    m_swapped.assign(bytes, bytes + coding.shape.bytes());
    swap_bytes(m_swapped, coding.shape.dtype);
    values = m_swapped.data();
  }
  ConstFieldData const chunk(values, coding.shape);
  StreamInfo const info =
      m_codec.compress(chunk, MemoryOf::host, options_for_values(m_codec, chunk, coding.options),
                       m_stream, MemoryOf::host);
  std::span const stream = std::span(m_stream).first(info.bytes);
  std::size_t const bytes = impl::abridge(stream, stream.data());
  return bytes == 0 ? stream : stream.first(bytes);
}

ChunkCodec::Stored ChunkCodec::open(ChunkCoding const& coding, std::span<std::byte const> stored) {
  Stored chunk{stored, {}};
  if (impl::is_abridged(stored)) {
    impl::restore(stored, coding.shape, m_restored);
    chunk.stream = m_restored;
  }
  chunk.shape = inspect(chunk.stream).shape;
  chunk.shape.order = Order::last_fastest;
  if (chunk.shape.dtype != coding.shape.dtype || chunk.shape.size() != coding.shape.size()) {
    throw Error(Status::type_mismatch,
                "the filter kompakt: the chunk holds " + std::to_string(chunk.shape.size()) +
                    " values of " + to_string(chunk.shape.dtype) + ", but chunks of the dataset " +
                    std::to_string(coding.shape.size()) + " of " + to_string(coding.shape.dtype));
  }
  return chunk;
}

void ChunkCodec::decompress(ChunkCoding const& coding, Stored const& chunk, void* values) {
  m_codec.decompress(chunk.stream, MemoryOf::host, FieldData{values, chunk.shape}, MemoryOf::host);
  if (!coding.is_big_endian) return;
  swap_bytes({static_cast<std::byte*>(values), coding.shape.bytes()}, coding.shape.dtype);
}

plugin::Target const& target() {
  static plugin::Target const target = plugin::target_of_environment("KOMPAKT_HDF5");
  return target;
}

}  // namespace kompakt::hdf5
