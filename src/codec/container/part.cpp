#include <container/reader.hpp>

namespace kompakt {

using namespace impl;

namespace {

StreamInfo marked(std::span<std::byte> stream, FramePart part) {
  Header const header = read_header(stream, stream.size());
  FieldShape const& shape = header.shape;
  if (header.has_parts) {
    part = {with_part(shape, part.origin, std::size_t{0}),
            with_part(shape, part.total, std::size_t{2})};
  }
  // The stream is the caller's only one: what no reader takes is refused before a byte changes.
  if (std::string const fault = fault_of_part(shape, part); !fault.empty()) {
    throw Error(Status::bad_argument, fault, "give its place and the extents of the whole field");
  }
  std::byte* const section = stream.data() + header.sections[SectionId::shape].offset;
  for (int i = 0; i < shape.rank; ++i) {
    auto const axis = static_cast<std::size_t>(i);
    put(section + 8 + 24 * axis + 8, part.origin[axis], 8);
    put(section + 8 + 24 * axis + 16, part.total[axis], 8);
  }
  constexpr auto id = static_cast<std::uint32_t>(SectionId::shape);
  put(stream.data() + header_bytes + 4,
      checksum_bytes(section, shape_section_bytes(shape.rank), id), 4);
  put(stream.data() + at::checksum, 0, 4);
  put(stream.data() + at::checksum, checksum_bytes(stream.data(), table_end_of(stream.data()), 0),
      4);
  return info_of(read_header(stream, stream.size()));
}

}  // namespace

StreamInfo mark_part(std::span<std::byte> stream, FramePart const& part) {
  return named("mark_part", [&] { return marked(stream, part); });
}

}  // namespace kompakt
