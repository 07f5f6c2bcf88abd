#include <algorithm>
#include <kompakt/any_codec.hpp>
#include <pipeline/limits.hpp>
#include <pipeline/region.hpp>

// Fields in several frames.

namespace kompakt {

namespace {

/// A box of an array.
StridedData part_of(StridedData const& field, Box const& box) {
  std::int64_t first = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(box.rank); ++i) {
    first += static_cast<std::int64_t>(box.begin[i]) * field.strides[i];
  }
  first *= static_cast<std::int64_t>(size_of(field.shape.dtype));
  auto* const data = static_cast<std::byte*>(field.data);
  return {data == nullptr ? nullptr : data + first, box.shape_in(field.shape), field.strides};
}

/// The values of a frame in the field.
Box box_of(StreamInfo const& frame) {
  Box box;
  box.rank = frame.shape.rank;
  for (std::size_t i = 0; i < static_cast<std::size_t>(box.rank); ++i) {
    box.begin[i] = frame.part.origin[i];
    box.end[i] = box.begin[i] + frame.shape.extents[i];
  }
  return box;
}

Box common(Box const& a, Box const& b) {
  Box box = a;
  for (std::size_t i = 0; i < static_cast<std::size_t>(box.rank); ++i) {
    box.begin[i] = std::max(a.begin[i], b.begin[i]);
    box.end[i] = std::max(box.begin[i], std::min(a.end[i], b.end[i]));
  }
  return box;
}

/// A box in terms of another one that it lies in.
Box seen_from(Box box, Box const& outer) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(box.rank); ++i) {
    box.begin[i] -= outer.begin[i];
    box.end[i] -= outer.begin[i];
  }
  return box;
}

}  // namespace

StreamInfo AnyCodec::decompress(FrameReader& frames, StridedData const& field, MemoryOf field_in) {
  std::vector<std::byte> stream;
  while (frames.next()) {
    impl::require_same_field("decompress: the frames are of ", frames.sequence().whole().shape,
                             field.shape);
    frames.read(stream);
    decompress(stream, MemoryOf::host, part_of(field, box_of(frames.frame())), field_in);
  }
  return frames.sequence().whole();
}

StreamInfo AnyCodec::decompress_region(FrameReader& frames, Box const& box,
                                       StridedData const& region, MemoryOf region_in) {
  std::vector<std::byte> stream;
  while (frames.next()) {
    FieldShape const& whole = frames.sequence().whole().shape;
    impl::require_region("decompress_region", whole, box);
    impl::require_region_view(whole, box, region.shape);
    Box const of_frame = box_of(frames.frame()), touched = common(box, of_frame);
    if (touched.is_empty()) {
      frames.skip();
      continue;
    }
    Box const in_frame = seen_from(touched, of_frame);
    if (frames.can_rewind()) {
      stream = frames.read_region(in_frame);
    } else {
      frames.read(stream);
    }
    decompress_region(stream, MemoryOf::host, in_frame, part_of(region, seen_from(touched, box)),
                      region_in);
  }
  return frames.sequence().whole();
}

}  // namespace kompakt
