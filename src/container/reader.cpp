#include <algorithm>
#include <bit>
#include <cmath>
#include <container/reader.hpp>
#include <container/writer.hpp>
#include <initializer_list>
#include <optional>
#include <string>

namespace kompakt::impl {

namespace {

[[noreturn]] void fail(Status status, std::string const& what) { throw Error(status, what); }

std::uint64_t get(std::span<std::byte const> bytes, std::size_t offset, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) {
    value |= static_cast<std::uint64_t>(bytes[offset + static_cast<std::size_t>(i)]) << (8 * i);
  }
  return value;
}

struct Section {
  std::uint32_t checksum;
  std::size_t offset, bytes;
};

void check_identity(std::span<std::byte const> front) {
  if (front.size() < 8 || get(front, at::magic, 8) != format_magic) {
    fail(Status::bad_magic, "these bytes are not a kompakt stream (the first eight differ)");
  }
  if (front.size() < header_bytes) {
    fail(Status::corrupt, "the stream ends inside its header, after " +
                              std::to_string(front.size()) + " bytes; it is truncated");
  }
  auto const version = get(front, at::version, 2);
  if (version != format_version) {
    fail(Status::unsupported_version, "the stream has format version " + std::to_string(version) +
                                          ", this library reads version 1; update kompakt");
  }
}

// Header and section table; the checksum's own member counts as 0.
void check_table_checksum(std::span<std::byte const> front, std::size_t table_end) {
  std::byte copy[header_bytes + 255 * section_entry_bytes];
  std::copy_n(front.begin(), table_end, copy);
  put(copy + at::checksum, 0, 4);
  if (checksum_bytes(copy, table_end, 0) != get(front, at::checksum, 4)) {
    fail(Status::corrupt, "the checksum of the header does not match; the stream was altered");
  }
}

Section find_section(std::span<std::byte const> front, SectionId id, std::size_t stream_bytes) {
  auto const count = get(front, at::sections, 1);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t const entry = header_bytes + i * section_entry_bytes;
    if (get(front, entry, 4) != static_cast<std::uint32_t>(id)) continue;
    Section const s{static_cast<std::uint32_t>(get(front, entry + 4, 4)), get(front, entry + 8, 8),
                    get(front, entry + 16, 8)};
    if (s.offset % section_alignment != 0 || s.offset > stream_bytes ||
        s.bytes > stream_bytes - s.offset) {
      fail(Status::corrupt, "section " + std::to_string(static_cast<std::uint32_t>(id)) +
                                " does not lie inside the stream");
    }
    return s;
  }
  fail(Status::corrupt,
       "section " + std::to_string(static_cast<std::uint32_t>(id)) + " is missing");
}

bool overlap(Section const& a, Section const& b) {
  return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

template <class E>
E get_enum(std::span<std::byte const> front, std::size_t offset, int last, char const* name) {
  auto const value = get(front, offset, 1);
  if (value > static_cast<std::uint64_t>(last)) {
    fail(Status::unsupported_version, std::string("the stream has ") + name + " " +
                                          std::to_string(value) +
                                          ", which this library does not know; update kompakt");
  }
  return static_cast<E>(value);
}

// Multiplies a product of extents by one more.
void multiply(std::uint64_t& product, std::uint64_t extent) {
  if (extent != 0 && product > (std::uint64_t{1} << 60) / extent) {
    fail(Status::corrupt, "the extents' product does not fit in 60 bits");
  }
  product *= extent;
}

void read_shape(std::span<std::byte const> front, Section const& s, StreamInfo& info) {
  std::span<std::byte const> const bytes = front.subspan(s.offset, s.bytes);
  FieldShape& shape = info.shape;
  shape.rank = static_cast<int>(get(bytes, 0, 1));
  if (shape.rank < 1 || shape.rank > max_rank || s.bytes != shape_section_bytes(shape.rank)) {
    fail(Status::corrupt, "the shape section is damaged (rank " + std::to_string(shape.rank) + ")");
  }
  shape.order = get_enum<Order>(bytes, 1, 1, "index order");
  std::optional<Reason> const reason = Reason::from_bits(get(bytes, shape_head_bits / 8, 6));
  if (!reason) fail(Status::corrupt, "the stored reason for the pipeline is not one");
  info.reason = *reason;
  std::uint64_t size = 1, whole_size = 1;
  for (int i = 0; i < shape.rank; ++i) {
    std::size_t const axis = 8 + 24 * static_cast<std::size_t>(i);
    std::uint64_t const extent = get(bytes, axis, 8), origin = get(bytes, axis + 8, 8),
                        total = get(bytes, axis + 16, 8);
    multiply(size, extent);
    multiply(whole_size, std::max(total, extent));
    // With a total of 0 the whole is not yet known, but no smaller than what is here.
    std::uint64_t const most = total > 0 ? total : std::uint64_t{1} << 60;
    if (origin > most || extent > most - origin) {
      fail(Status::corrupt, "the stream is said to hold " + std::to_string(extent) + " from " +
                                std::to_string(origin) + " on of index " + std::to_string(i) +
                                ", which has an extent of " + std::to_string(total));
    }
    shape.extents[static_cast<std::size_t>(i)] = extent;
    info.part.origin[static_cast<std::size_t>(i)] = origin;
    info.part.total[static_cast<std::size_t>(i)] = total;
  }
}

void read_members(std::span<std::byte const> front, CheckedHeader& h) {
  StreamInfo& info = h.info;
  auto const features = static_cast<std::uint32_t>(get(front, at::features, 4));
  if ((features & ~feature::known) != 0) {
    fail(Status::unsupported_version, "the stream needs features " +
                                          std::to_string(features & ~feature::known) +
                                          ", which this library does not know; update kompakt");
  }
  auto const pipeline = get(front, at::pipeline, 1);
  if (!is_pipeline(pipeline)) {
    fail(Status::unsupported_version, "the stream has pipeline " + std::to_string(pipeline) +
                                          ", which this library does not know; update kompakt");
  }
  info.version = format_version;
  info.pipeline = static_cast<Pipeline>(pipeline);
  info.variant = get_enum<Variant>(front, at::variant, variant_count - 1, "variant");
  if (!has_variant(info.pipeline, info.variant)) {
    fail(Status::corrupt, std::string("the stream has variant ") + to_string(info.variant) +
                              ", which is not one of " + to_string(info.pipeline));
  }
  info.shape.dtype = get_enum<Dtype>(front, at::dtype, dtype_count - 1, "value type");
  info.bound.mode = get_enum<ErrorBound::Mode>(front, at::mode, 4, "bound mode");
  info.bound.value = std::bit_cast<double>(get(front, at::bound_value, 8));
  info.abs_bound = std::bit_cast<double>(get(front, at::abs_bound, 8));
  if (!(info.abs_bound >= 0) || !std::isfinite(info.abs_bound)) {
    fail(Status::corrupt, "the stored bound is not a number >= 0");
  }
  bool const relative = info.bound.mode == ErrorBound::Mode::pwr;
  if (relative && !(info.abs_bound > 0 && info.abs_bound < 1)) {
    fail(Status::corrupt, "the stored bound is not one relative to each value, between 0 and 1");
  }
  bool const lossless = info.bound.mode == ErrorBound::Mode::lossless;
  if (is_integer(info.shape.dtype) && (!lossless || (features & feature::fill) != 0)) {
    fail(Status::corrupt, std::string("the stream has a bound or a fill value for ") +
                              to_string(info.shape.dtype) + ", which are only kept lossless");
  }
  if (lossless && (info.abs_bound != 0 || info.pipeline != Pipeline::fixedlength ||
                   (features & feature::constant) != 0)) {
    fail(Status::corrupt,
         "the header of a lossless stream has a bound, a constant or a pipeline "
         "other than fixedlength");
  }
  info.exceptions = get(front, at::exceptions, 8);
  info.checksum = (features & feature::chunk_checksum) != 0;
  h.front.pipeline = info.pipeline;
  h.front.variant = info.variant;
  h.front.dtype = info.shape.dtype;
  h.front.checksum = info.checksum;
  h.front.constant = (features & feature::constant) != 0;
  h.front.has_fill = (features & feature::fill) != 0;
  h.front.constant_bits = get(front, at::constant, 8);
  h.front.tile_kind = get_enum<TileKind>(front, at::tile_kind, tile_kinds - 1, "tile kind");
  h.front.bound = resolved_bound(info.bound.mode, info.abs_bound);
  info.predictor = predictor_name(h.front.tile_kind, h.front.constant);
}

double fill_as_double(std::uint64_t bits, Dtype dtype) {
  return size_of(dtype) == 4
             ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
             : std::bit_cast<double>(bits);
}

// The fill value, from its section, which must keep away from the others.
void read_fill(std::span<std::byte const> front, std::size_t table_end,
               std::initializer_list<Section> others, CheckedHeader& h) {
  Section const s = find_section(front, SectionId::fill, h.info.bytes);
  if (s.offset < table_end ||
      std::any_of(others.begin(), others.end(), [&](Section const& o) { return overlap(s, o); })) {
    fail(Status::corrupt, "the fill value overlaps another section of the stream");
  }
  if (s.bytes != fill_section_bytes || s.offset + s.bytes > front.size()) {
    fail(Status::corrupt, "the fill value does not lie in the first " +
                              std::to_string(inspect_bytes) + " bytes of the stream");
  }
  if (checksum_bytes(front.data() + s.offset, s.bytes,
                     static_cast<std::uint32_t>(SectionId::fill)) != s.checksum) {
    fail(Status::corrupt, "the checksum of the fill value does not match; the stream was altered");
  }
  h.front.fill_bits = get(front, s.offset, 8);
  if (h.info.shape.dtype == Dtype::f32 && h.front.fill_bits >> 32 != 0) {
    fail(Status::corrupt, "the fill value is not one of f32");
  }
  h.info.fill = fill_as_double(h.front.fill_bits, h.info.shape.dtype);
}

CheckedHeader read_front(std::span<std::byte const> front, std::size_t stream_bytes) {
  check_identity(front);
  std::size_t const table_end = header_bytes + get(front, at::sections, 1) * section_entry_bytes;
  if (table_end > front.size()) {
    fail(Status::corrupt, "the stream ends inside its section table; it is truncated");
  }
  check_table_checksum(front, table_end);

  CheckedHeader h;
  read_members(front, h);
  h.info.bytes = get(front, at::bytes, 8);
  if (stream_bytes != 0 && h.info.bytes != stream_bytes) {
    fail(Status::corrupt, "the header speaks of " + std::to_string(h.info.bytes) +
                              " bytes, but there are " + std::to_string(stream_bytes) +
                              (stream_bytes < h.info.bytes ? "; the stream is truncated" : ""));
  }
  Section const shape = find_section(front, SectionId::shape, h.info.bytes);
  if (shape.offset + shape.bytes > front.size()) {
    fail(Status::corrupt, "the stream ends inside its shape section; it is truncated");
  }
  if (shape.bytes < 8 || shape.bytes % 4 != 0 ||
      checksum_bytes(front.data() + shape.offset, shape.bytes,
                     static_cast<std::uint32_t>(SectionId::shape)) != shape.checksum) {
    fail(Status::corrupt, "the checksum of the shape does not match; the stream was altered");
  }
  read_shape(front, shape, h.info);
  if (h.info.shape.size() > 0) {  // with an extent of 0 the others are not bounded
    h.extents = fold_shape(h.info.shape);
    h.info.chunks = static_cast<std::uint64_t>(chunk_count(h.front.tile_kind, h.extents));
  }

  Section const index = find_section(front, SectionId::chunk_index, h.info.bytes);
  Section const payload = find_section(front, SectionId::payload, h.info.bytes);
  if (std::min({shape.offset, index.offset, payload.offset}) < table_end || overlap(shape, index) ||
      overlap(shape, payload) || overlap(index, payload)) {
    fail(Status::corrupt, "two sections of the stream overlap");
  }
  // The minimal size of an index entry also bounds what a short stream can claim to decode to.
  if (index.bytes / 8 != h.info.chunks + 1 || index.bytes % 8 != 0) {
    fail(Status::corrupt, "the chunk index has " + std::to_string(index.bytes) + " bytes, but " +
                              std::to_string(h.info.chunks) + " chunks need " +
                              std::to_string(8 * (h.info.chunks + 1)));
  }
  if (h.info.pipeline == Pipeline::huffman && h.info.shape.size() > 0) {
    Section const book = find_section(front, SectionId::codebook, h.info.bytes);
    if (book.offset < table_end || overlap(book, shape) || overlap(book, index) ||
        overlap(book, payload)) {
      fail(Status::corrupt, "the codebook overlaps another section of the stream");
    }
    h.front.codebook = book.offset;
    h.front.codebook_bytes = book.bytes;
    h.front.codebook_checksum = book.checksum;
    if (book.bytes < 8 || book.offset + 8 > front.size()) {
      fail(Status::corrupt, "the codebook does not begin in the first " +
                                std::to_string(inspect_bytes) + " bytes of the stream");
    }
    h.front.codebook_head = get(front, book.offset, 8);
  }
  if (h.front.has_fill) read_fill(front, table_end, {shape, index, payload}, h);
  h.front.index = index.offset;
  h.front.payload = payload.offset;
  h.front.payload_bytes = payload.bytes;
  return h;
}

}  // namespace

char const* predictor_name(TileKind kind, bool constant) {
  if (constant) return "constant";
  switch (kind) {
    case TileKind::chain: return "chain";
    case TileKind::square: return "tile 32x32";
    case TileKind::brick: return "tile 8x8x16";
  }
  return "";
}

StreamInfo header_info(std::byte const* header, std::uint64_t fill_bits, Reason const& reason,
                       FieldShape const& shape) {
  CheckedHeader h;
  std::span<std::byte const> const bytes(header, header_bytes);
  read_members(bytes, h);
  h.info.bytes = get(bytes, at::bytes, 8);
  h.info.shape = shape;
  h.info.reason = reason;
  if (h.front.has_fill) h.info.fill = fill_as_double(fill_bits, shape.dtype);
  h.info.part = FramePart::whole(shape);
  if (shape.size() > 0) {
    h.info.chunks = static_cast<std::uint64_t>(chunk_count(h.front.tile_kind, fold_shape(shape)));
  }
  return h.info;
}

CheckedHeader read_header(char const* function, std::span<std::byte const> front,
                          std::size_t stream_bytes) {
  try {
    return read_front(front, stream_bytes);
  } catch (Error const& e) {
    throw Error(e.status(), std::string(function) + ": " + e.what());
  }
}

}  // namespace kompakt::impl

namespace kompakt {

StreamInfo inspect(std::span<std::byte const> stream) {
  bool const all = stream.size() < impl::inspect_bytes;
  return impl::read_header("inspect", stream, all ? stream.size() : 0).info;
}

StreamInfo inspect_next(std::span<std::byte const> start) {
  if (start.size() < impl::header_bytes) return inspect(start);
  std::uint64_t const bytes = impl::get(start, impl::at::bytes, 8);
  return inspect(start.first(std::min<std::uint64_t>(start.size(), bytes)));
}

}  // namespace kompakt
