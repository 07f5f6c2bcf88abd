#include <checkpoint/value_frames.hpp>
#include <kompakt/compress.hpp>

namespace kompakt::impl {

std::size_t ValueFrames::max_bytes(std::uint64_t number) const {
  return max_compressed_bytes(m_slabs.shape(number), m_value.options);
}

Options ValueFrames::resolved(AnyCodec& codec) const {
  Options const& options = m_value.options;
  if (count() <= 1 || !options.bound.needs_range() || options.range != 0) return options;
  return options_for_parts(codec.field_range(m_value.field, m_value.memory(), options.fill),
                           options);
}

StreamInfo ValueFrames::compress(AnyCodec& codec, std::uint64_t number, Options const& options,
                                 std::span<std::byte> room) const {
  ConstStridedData const field(m_value.field);
  StreamInfo const info = codec.compress(part_of(field, m_slabs.box(number)), m_value.memory(),
                                         options, room, MemoryOf::host);
  if (count() <= 1) return info;
  return mark_part(room.first(info.bytes), m_slabs.part(number));
}

}  // namespace kompakt::impl
