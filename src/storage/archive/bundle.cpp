#include <algorithm>
#include <archive/bundle.hpp>
#include <archive/record_bytes.hpp>
#include <container/abridged.hpp>
#include <container/reader.hpp>
#include <limits>

namespace kompakt::impl {

namespace {

constexpr std::uint64_t max_small_values = 64;
constexpr unsigned says_bound = 0x80;  // beside the rank

// What an abridged stream does not keep: how the bound was stated, and why the pipeline was chosen.
struct Stated {
  ErrorBound::Mode mode{};
  double bound = 0;
  std::uint64_t reason_bits = 0;

  explicit Stated(HeaderFields const& h)
      : mode(h.bound.mode), bound(h.bound.value), reason_bits(h.reason_bits) {}
};

Header header_of(std::span<std::byte const> stream) { return read_header(stream, stream.size()); }

std::vector<std::byte> restored(std::span<std::byte const> abridged, FieldShape const& shape,
                                std::optional<Stated> const& stated) {
  std::vector<std::byte> stream;
  restore(abridged, shape, stream);
  if (!stated) return stream;
  HeaderFields h = header_of(stream);
  h.bound.mode = stated->mode;
  h.bound.value = stated->bound;
  h.reason_bits = stated->reason_bits;
  write_header(h, stream.data());
  return stream;
}

FieldShape read_shape(ByteReader& reader, std::uint64_t dtype, std::size_t rank) {
  FieldShape shape;
  shape.dtype = static_cast<Dtype>(dtype);
  shape.rank = static_cast<int>(rank);
  // Those of complex numbers are stored as their parts.
  if (rank == 0 || rank > max_rank || dtype >= static_cast<std::uint64_t>(Dtype::c64)) {
    refuse_damaged("a small field has a type or a number of indices that no field has");
  }
  std::uint64_t values = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    shape.extents[i] = reader.number(2);
    values *= shape.extents[i];  // eight of 16 bits wrap around, but not before they are too many
    if (values == 0 || values > max_small_values) refuse_damaged("a small field is none");
  }
  return shape;
}

ArchiveEntry read_member(ByteReader& reader) {
  ArchiveEntry entry;
  std::size_t const begin = reader.taken();
  std::size_t const name_bytes = reader.number(2), attributes = reader.number(2);
  std::size_t const abridged_bytes = reader.number(2), dtype = reader.number(1);
  std::size_t const rank = reader.number(1);
  std::optional<Stated> stated;
  if ((rank & says_bound) != 0) {
    stated.emplace(HeaderFields{});
    stated->bound = std::bit_cast<double>(reader.number(8));
    std::uint64_t const mode_and_reason = reader.number(8);
    stated->mode = static_cast<ErrorBound::Mode>(mode_and_reason & 0xff);
    stated->reason_bits = mode_and_reason >> 16;
  }
  FieldShape const shape = read_shape(reader, dtype, rank & ~says_bound);
  read_texts(reader, name_bytes, attributes, entry);
  std::span<std::byte const> const abridged = reader.take(abridged_bytes);
  reader.align(record_alignment);
  try {
    entry.stream = restored(abridged, shape, stated);
    header_of(entry.stream);
  } catch (Error const& error) {
    throw error.about("the small field '" + entry.name + "'");
  }
  entry.bytes = entry.stream.size();
  entry.small_bytes = reader.taken() - begin;
  entry.checksum = checksum_of_frame(entry.stream, 0);
  return entry;
}

std::vector<std::byte> member_of(ArchiveEntry const& entry, FieldShape const& shape,
                                 std::span<std::byte const> abridged,
                                 std::optional<Stated> const& stated) {
  std::vector<std::byte> member;
  append_number(member, entry.name.size(), 2);
  append_number(member, entry.attributes.size(), 2);
  append_number(member, abridged.size(), 2);
  append_number(member, static_cast<std::uint64_t>(shape.dtype), 1);
  append_number(member, static_cast<std::uint64_t>(shape.rank) | (stated ? says_bound : 0), 1);
  if (stated) {
    append_number(member, std::bit_cast<std::uint64_t>(stated->bound), 8);
    append_number(member, static_cast<std::uint64_t>(stated->mode) | stated->reason_bits << 16, 8);
  }
  for (int i = 0; i < shape.rank; ++i) {
    append_number(member, shape.extents[static_cast<std::size_t>(i)], 2);
  }
  append_texts(member, entry);
  append_bytes(member, abridged);
  pad_to(member, record_alignment);
  return member;
}

// Whether a reader of the member gets the very stream: members have no other order, and no second frame.
bool gives_back(std::span<std::byte const> member, std::span<std::byte const> stream) {
  ByteReader reader(member);
  return std::ranges::equal(read_member(reader).stream, stream);
}

}  // namespace

std::optional<std::vector<std::byte>> bundle_member(ArchiveEntry const& entry,
                                                    std::span<std::byte const> stream) {
  if (stream.size() > max_small_stream_bytes) return std::nullopt;
  try {
    Header const h = header_of(stream);
    if (h.shape.size() > max_small_values) return std::nullopt;
    std::vector<std::byte> abridged(stream.size());
    abridged.resize(abridge(stream, abridged.data()));
    if (abridged.empty()) return std::nullopt;
    for (std::optional<Stated> const& stated :
         {std::optional<Stated>(), std::optional(Stated(h))}) {
      std::vector<std::byte> member = member_of(entry, h.shape, abridged, stated);
      if (gives_back(member, stream)) return member;
    }
  } catch (Error const&) {
    // A damaged stream, or one that no member can be of.
  }
  return std::nullopt;
}

std::vector<std::byte> bundle_body(std::uint64_t count, std::span<std::byte const> members) {
  std::vector<std::byte> body;
  append_number(body, count, 8);
  append_bytes(body, members);
  return body;
}

std::vector<ArchiveEntry> read_bundle(Block const& block, std::span<std::byte const> bytes) {
  ByteReader reader(bytes.subspan(block_header_bytes));
  std::uint64_t const count = reader.number(8);
  if (count > bytes.size() / record_alignment) refuse_damaged("a bundle claims more than it has");
  std::vector<ArchiveEntry> fields;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t const offset = block.offset + block_header_bytes + reader.taken();
    fields.push_back(read_member(reader));
    fields.back().offset = offset;
  }
  return fields;
}

}  // namespace kompakt::impl
