#include <kompakt/any_codec.hpp>
#include <kompakt/slabs.hpp>
#include <pipeline/limits.hpp>
#include <pipeline/region.hpp>

// Fields in several frames.

namespace kompakt {

namespace {

/// The values of a frame in the field.
Box box_of(StreamInfo const& frame) { return Box::at(frame.part.origin, frame.shape); }

}  // namespace

StreamInfo AnyCodec::decompress(FrameReader& frames, StridedData const& field, MemoryOf field_in,
                                std::optional<Box> const& box) {
  if (box) return decompress_box(frames, *box, field, field_in);
  std::vector<std::byte> stream;
  while (frames.next()) {
    impl::named("decompress", [&] {
      impl::require_same_field("the frames are of ", frames.sequence().whole().shape, field.shape);
    });
    frames.read(stream);
    decompress(stream, MemoryOf::host, part_of(field, box_of(frames.frame())), field_in);
  }
  return frames.sequence().whole();
}

StreamInfo AnyCodec::decompress_box(FrameReader& frames, Box const& box, StridedData const& region,
                                    MemoryOf region_in) {
  std::vector<std::byte> stream;
  while (frames.next()) {
    FieldShape const& whole = frames.sequence().whole().shape;
    impl::named("decompress", [&] {
      impl::require_region(whole, box);
      impl::require_region_view(whole, box, region.shape);
    });
    Box const of_frame = box_of(frames.frame()), touched = box.common_with(of_frame);
    if (touched.is_empty()) {
      frames.skip();
      continue;
    }
    Box const in_frame = touched.seen_from(of_frame);
    if (frames.can_rewind()) {
      stream = frames.read_region(in_frame);
    } else {
      frames.read(stream);
    }
    decompress(stream, MemoryOf::host, part_of(region, touched.seen_from(box)), region_in,
               in_frame);
  }
  return frames.sequence().whole();
}

}  // namespace kompakt
