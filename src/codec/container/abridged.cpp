#include <bit>
#include <container/abridged.hpp>
#include <container/reader.hpp>
#include <cstring>
#include <limits>
#include <predictor/table.hpp>
#include <string>

namespace kompakt::impl {

namespace {

constexpr std::uint64_t form_number = 1;
constexpr std::uint64_t has_exceptions = 0x8000;  // among the features, beside those of a header
constexpr int index_entry_bytes = 4;
constexpr std::uint32_t checksum_seed = 8;

[[noreturn]] void fail(std::string const& what) {
  throw Error(Status::corrupt, "restore", what, "");
}

/// Bytes one after the other.
class Writer {
 public:
  explicit Writer(std::byte* out) : m_out(out) {}
  void put(std::uint64_t value, int bytes) {
    impl::put(m_out + m_size, value, bytes);
    m_size += static_cast<std::size_t>(bytes);
  }
  void copy(std::byte const* from, std::size_t bytes) {
    std::memmove(m_out + m_size, from, bytes);
    m_size += bytes;
  }
  std::size_t size() const { return m_size; }

 private:
  std::byte* m_out;
  std::size_t m_size = 0;
};
class Reader {
 public:
  explicit Reader(std::span<std::byte const> bytes) : m_bytes(bytes) {}
  std::byte const* take(std::size_t bytes) {
    if (bytes > m_bytes.size() - m_at) {
      fail("the chunk ends after " + std::to_string(m_bytes.size()) + " bytes; it is truncated");
    }
    m_at += bytes;
    return m_bytes.data() + m_at - bytes;
  }
  std::uint64_t number(int bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, take(static_cast<std::size_t>(bytes)), static_cast<std::size_t>(bytes));
    return value;
  }
  std::size_t at() const { return m_at; }

 private:
  std::span<std::byte const> m_bytes;
  std::size_t m_at = 0;
};

// Of everything in front of the payload, and of what is not there: the payload's length, type and folded extents.
std::uint32_t checksum_of(std::byte const* front, std::size_t bytes, std::size_t payload_bytes,
                          FieldShape const& shape) {
  Extents3 const n = fold_shape(shape);
  std::uint64_t const known[] = {payload_bytes, static_cast<std::uint64_t>(shape.dtype),
                                 static_cast<std::uint64_t>(n.x), static_cast<std::uint64_t>(n.y),
                                 static_cast<std::uint64_t>(n.z)};
  std::byte rest[sizeof known];
  for (std::size_t i = 0; i < std::size(known); ++i) put(rest + 8 * i, known[i], 8);
  return checksum_bytes(front, bytes, checksum_seed) +
         checksum_bytes(rest, sizeof rest, checksum_seed + 1);
}

bool is_whole_in_c_order(Header const& h) {
  return info_of(h).part == FramePart::whole(h.shape) &&
         (h.shape.order == Order::last_fastest || h.shape.rank == 1) && h.shape.size() > 0;
}

// The mode that decides how values are made; how the user stated an absolute bound does not.
ErrorBound::Mode mode_of(ErrorBound::Mode stated) { return resolved_bound(stated, 0).mode; }

// What a header says beside lengths and places, in 16 bytes and up to three numbers.
void put_head(Header const& h, Writer& to) {
  to.put(form_number, 1);
  to.put(static_cast<std::uint64_t>(h.pipeline), 1);
  to.put(static_cast<std::uint64_t>(h.tile_shape) | static_cast<std::uint64_t>(h.method)
                                                        << predictor_shift,
         1);
  to.put(static_cast<std::uint64_t>(h.variant) | static_cast<std::uint64_t>(mode_of(h.bound.mode))
                                                     << 4,
         1);
  to.put(h.features | (h.exceptions > 0 ? has_exceptions : 0), 2);
  to.put(h.extra.coder / section_alignment, 2);
  to.put(std::bit_cast<std::uint64_t>(h.stored_bound()), 8);
  if (h.constant || h.has_reference() || h.has_width() || h.steps.any())
    to.put(h.stored_constant(), 8);
  if (h.has_fill) to.put(h.fill_bits, 8);
  if (h.extra.limits > 0) {
    to.put(std::bit_cast<std::uint64_t>(h.limits.lower), 8);
    to.put(std::bit_cast<std::uint64_t>(h.limits.upper), 8);
  }
  if (h.exceptions > 0) to.put(h.exceptions, 8);
}

// The reverse. What would lead this file astray is refused; the rest is the business of who reads the header.
Header head_of(Reader& from, FieldShape const& shape) {
  Header h;
  if (from.number(1) != form_number) fail("the chunk does not begin like a chunk of this filter");
  h.shape = shape;
  h.pipeline = static_cast<Pipeline>(from.number(1));
  std::uint64_t const tiling = from.number(1), coding = from.number(1), features = from.number(2);
  h.tile_shape = static_cast<TileShape>(tiling & tile_shape_mask);
  h.method = static_cast<PredictionMethod>(tiling >> predictor_shift);
  h.variant = static_cast<Variant>(coding & 0xf);
  h.bound.mode = static_cast<ErrorBound::Mode>(coding >> 4);
  constexpr std::uint64_t known = (feature::known & ~feature::packed) | has_exceptions;
  if ((features & ~known) != 0 || row_of(h.method) == nullptr ||
      static_cast<int>(h.tile_shape) >= tile_shapes) {
    throw Error(Status::unsupported_version, "restore",
                "the chunk needs a feature that this library does not know", "update kompakt");
  }
  h.checksum = (features & feature::chunk_checksum) != 0;
  h.constant = (features & feature::constant) != 0;
  h.has_fill = (features & feature::fill) != 0;
  h.extra.coder = from.number(2) * section_alignment;
  h.features = static_cast<std::uint32_t>(features);
  h.abs_bound = std::bit_cast<double>(from.number(8));
  bool const has_steps = (features & feature::steps) != 0;
  if (h.constant || h.has_reference() || has_steps) h.constant_bits = from.number(8);
  h.take_steps();
  if (says_width(h) != h.has_width()) fail("the width of bins does not fit the chunk");
  h.bound.value = h.abs_bound;
  if (h.has_fill) h.fill_bits = from.number(8);
  if ((features & feature::limits) != 0) {
    h.extra.limits = limits_section_bytes;
    h.limits.lower = std::bit_cast<double>(from.number(8));
    h.limits.upper = std::bit_cast<double>(from.number(8));
  }
  if ((features & has_exceptions) != 0) h.exceptions = from.number(8);
  return h;
}

// The coder's section, which the header tells of.
std::byte const* take_coder(Reader& from, HeaderFields& h) {
  if (h.extra.coder == 0) return nullptr;
  std::byte const* const section = from.take(h.extra.coder);
  h.coder_checksum =
      checksum_bytes(section, h.extra.coder, static_cast<std::uint32_t>(SectionId::coder));
  std::memcpy(&h.coder_head, section, sizeof h.coder_head);
  return section;
}

void restore_index(std::byte const* entries, HeaderFields const& h, std::byte* index) {
  put(index, 0, 8);
  auto const chunks = static_cast<std::size_t>(h.chunks());
  for (std::size_t chunk = 1; chunk < chunks; ++chunk) {
    std::uint32_t words;
    std::memcpy(&words, entries + (chunk - 1) * index_entry_bytes, sizeof words);
    put(index + 8 * chunk, std::uint64_t{words} * word_bytes, 8);
  }
  put(index + 8 * chunks, h.payload_bytes, 8);
}

}  // namespace

bool is_abridged(std::span<std::byte const> bytes) {
  return !bytes.empty() && std::to_integer<std::uint64_t>(bytes[0]) == form_number;
}

std::size_t abridge(std::span<std::byte const> stream, std::byte* out) {
  Header const h = named("abridge", [&] { return read_header(stream, stream.size()); });
  StreamLayout const layout = h.layout();
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  if (!is_whole_in_c_order(h) || !is_as_written(h, h.shape, stream.size(), true) ||
      h.extra.predictor > 0 || h.extra.coder / section_alignment > 0xffff ||
      h.payload_bytes / word_bytes > most) {
    return 0;
  }
  Writer to(out);
  put_head(h, to);
  to.copy(stream.data() + layout.coder, h.extra.coder);
  // Without the first entry, which is 0, and the last one, the payload's length.
  for (std::int64_t chunk = 1; chunk < h.chunks(); ++chunk) {
    std::uint64_t begin;
    std::memcpy(&begin, stream.data() + layout.index + 8 * static_cast<std::size_t>(chunk), 8);
    to.put(begin / word_bytes, index_entry_bytes);
  }
  to.put(checksum_of(out, to.size(), h.payload_bytes, h.shape), 4);
  to.copy(stream.data() + layout.payload, h.payload_bytes);
  return to.size();
}

void restore(std::span<std::byte const> abridged, FieldShape const& shape,
             std::vector<std::byte>& stream) {
  Reader from(abridged);
  HeaderFields h = head_of(from, shape);
  std::byte const* const coder = take_coder(from, h);
  std::byte const* const entries =
      from.take(static_cast<std::size_t>(h.chunks() - 1) * index_entry_bytes);
  std::size_t const front = from.at();
  std::uint64_t const stored = from.number(4);
  h.payload_bytes = abridged.size() - from.at();
  if (checksum_of(abridged.data(), front, h.payload_bytes, shape) != stored) {
    fail(
        "the checksum in front of the chunk does not match; it, its type or its extents were "
        "altered");
  }
  StreamLayout const layout = h.layout();
  stream.resize(layout.payload + h.payload_bytes);
  write_header(h, stream.data());
  if (coder != nullptr) std::memcpy(stream.data() + layout.coder, coder, h.extra.coder);
  restore_index(entries, h, stream.data() + layout.index);
  std::size_t const index_end = layout.index + layout.index_bytes;
  std::memset(stream.data() + index_end, 0, layout.payload - index_end);
  std::memcpy(stream.data() + layout.payload, abridged.data() + from.at(), h.payload_bytes);
}

}  // namespace kompakt::impl
