#include <algorithm>
#include <archive/blocks.hpp>
#include <archive/record_bytes.hpp>
#include <container/damaged.hpp>

namespace kompakt::impl {

namespace {

constexpr std::size_t record_head_bytes = 24;
// In place of a number of attributes: the block of the bundle follows.
constexpr std::size_t repeats_bundle = 0xffff;

/// Byte positions of a block header's members.
namespace block_at {
constexpr std::size_t magic = 0;      // u64
constexpr std::size_t version = 8;    // u16
constexpr std::size_t kind = 10;      // u16
constexpr std::size_t checksum = 12;  // u32, of the block (this member 0), seeded with the kind
constexpr std::size_t offset = 16;    // u64, of the block in the file
constexpr std::size_t bytes = 24;     // u64, of the block
}  // namespace block_at

void append_record(std::vector<std::byte>& body, ArchiveEntry const& entry) {
  append_number(body, entry.offset, 8);
  append_number(body, entry.bytes, 8);
  append_number(body, entry.checksum, 4);
  append_number(body, entry.name.size(), 2);
  bool const is_repeated = is_bundle(entry) && !entry.stream.empty();
  append_number(body, is_repeated ? repeats_bundle : entry.attributes.size(), 2);
  append_texts(body, entry);
  if (is_repeated) append_bytes(body, entry.stream);
  pad_to(body, record_alignment);
}

// As a record a removal is a field of no bytes.
ArchiveEntry record_of(Removal const& removal) {
  return {removal.name, {}, removal.offset, 0, 0, {}};
}

bool is_removal(ArchiveEntry const& record) { return record.bytes == 0; }

ArchiveEntry read_record(ByteReader& reader) {
  ArchiveEntry entry;
  entry.offset = reader.number(8);
  entry.bytes = reader.number(8);
  entry.checksum = static_cast<std::uint32_t>(reader.number(4));
  std::size_t const name_bytes = reader.number(2), count = reader.number(2);
  bool const has_no_text = name_bytes == 0 && entry.bytes > 0 && entry.checksum == 0;
  if (has_no_text && count == repeats_bundle) {
    std::span<std::byte const> const block = reader.take(entry.bytes);
    entry.stream.assign(block.begin(), block.end());
  } else if (!has_no_text || count != 0) {
    read_texts(reader, name_bytes, count, entry);
  }
  reader.align(record_alignment);
  if (is_removal(entry) && (!entry.attributes.empty() || entry.checksum != 0)) {
    refuse_damaged("'" + entry.name + "' has attributes, but no bytes");
  }
  return entry;
}

// The stream of a record, or its bundle, must lie between `begin` and `end`. Removals also name members of bundles.
void require_between(ArchiveEntry const& entry, std::uint64_t begin, std::uint64_t end) {
  std::size_t const alignment = is_removal(entry) ? record_alignment : block_alignment;
  if (entry.offset % alignment == 0 && entry.offset >= begin && entry.offset < end &&
      entry.bytes <= end - entry.offset) {
    return;
  }
  refuse_damaged("the stream of '" + entry.name + "' lies outside its part of the file");
}

ByteReader body_of(std::span<std::byte const> block) {
  return ByteReader(block.subspan(block_header_bytes));
}

BlockLocation read_place(ByteReader& reader, std::uint64_t end) {
  BlockLocation place;
  place.offset = reader.number(8);
  place.bytes = reader.number(8);
  if (place.offset > end || place.bytes > end - place.offset) {
    refuse_damaged("an index lies behind the block that refers to it");
  }
  return place;
}

// What is removed lies in front of the index that is continued, or in a bundle that is listed.
void require_removable(Listing const& listing) {
  std::vector<BlockLocation> bundles;
  for (ArchiveEntry const& field : listing.fields) {
    if (is_bundle(field)) bundles.push_back({field.offset, field.bytes});
  }
  for (Removal const& removal : listing.removals) {
    bool const is_before = removal.offset < listing.previous.end();
    if (is_before || !block_around(bundles, removal.offset).is_none()) continue;
    refuse_damaged("the stream of '" + removal.name + "' lies outside its part of the file");
  }
}

}  // namespace

BlockLocation block_around(std::span<BlockLocation const> blocks, std::uint64_t place) {
  auto const behind = std::upper_bound(
      blocks.begin(), blocks.end(), place,
      [](std::uint64_t at, BlockLocation const& block) { return at < block.offset; });
  if (behind == blocks.begin() || place >= std::prev(behind)->end()) return {};
  return *std::prev(behind);
}

std::vector<std::byte> make_block(BlockKind kind, std::uint64_t offset,
                                  std::span<std::byte const> body) {
  std::vector<std::byte> block(block_header_bytes + body.size());
  std::copy(body.begin(), body.end(), block.begin() + block_header_bytes);
  pad_to(block, block_alignment);
  put(block.data() + block_at::magic, archive_magic, 8);
  put(block.data() + block_at::version, archive_version, 2);
  put(block.data() + block_at::kind, static_cast<std::uint64_t>(kind), 2);
  put(block.data() + block_at::offset, offset, 8);
  put(block.data() + block_at::bytes, block.size(), 8);
  put(block.data() + block_at::checksum,
      checksum_bytes(block.data(), block.size(), static_cast<std::uint32_t>(kind)), 4);
  return block;
}

std::vector<std::byte> entry_body(ArchiveEntry const& entry) {
  std::vector<std::byte> body;
  append_record(body, entry);
  return body;
}

std::vector<std::byte> removal_body(Removal const& removal) {
  return entry_body(record_of(removal));
}

std::vector<std::byte> index_body(Listing const& listing) {
  std::vector<std::byte> body;
  append_number(body, listing.previous.offset, 8);
  append_number(body, listing.previous.bytes, 8);
  append_number(body, listing.records(), 8);
  for (Removal const& removal : listing.removals) append_record(body, record_of(removal));
  for (ArchiveEntry const& field : listing.fields) append_record(body, field);
  return body;
}

std::vector<std::byte> trailer_body(BlockLocation const& index) {
  std::vector<std::byte> body;
  append_number(body, index.offset, 8);
  append_number(body, index.bytes, 8);
  return body;
}

bool is_bundle(ArchiveEntry const& record) { return record.name.empty(); }

ArchiveEntry record_of(BlockLocation const& bundle, std::vector<std::byte> block) {
  return {{}, {}, bundle.offset, bundle.bytes, 0, std::move(block)};
}

bool has_archive_magic(std::span<std::byte const> bytes) {
  return bytes.size() >= 8 && ByteReader(bytes).number(8) == archive_magic;
}

bool has_stream_magic(std::span<std::byte const> bytes) {
  return bytes.size() >= 8 && ByteReader(bytes).number(8) == format_magic;
}

std::optional<Block> read_block_header(std::span<std::byte const> start, std::uint64_t offset,
                                       std::uint64_t bytes_of_file) {
  if (start.size() < block_header_bytes || !has_archive_magic(start)) return std::nullopt;
  ByteReader reader(start.subspan(block_at::version));
  Block block{};
  block.version = static_cast<std::uint16_t>(reader.number(2));
  block.kind = static_cast<BlockKind>(reader.number(2));
  reader.number(4);
  block.offset = reader.number(8);
  block.bytes = reader.number(8);
  bool const fits = block.offset == offset && offset % block_alignment == 0 &&
                    offset <= bytes_of_file && block.bytes >= block_header_bytes &&
                    block.bytes % block_alignment == 0 && block.bytes <= bytes_of_file - offset;
  if (!fits) return std::nullopt;
  return block;
}

bool is_sound(std::span<std::byte const> block) {
  ByteReader reader(block.subspan(block_at::kind));
  auto const kind = static_cast<std::uint32_t>(reader.number(2));
  auto const stored = static_cast<std::uint32_t>(reader.number(4));
  // The stored checksum counts as 0.
  std::uint32_t const position = block_at::checksum / word_bytes;
  return checksum_bytes(block.data(), block.size(), kind) - checksum_word(stored, position, kind) +
             checksum_word(0, position, kind) ==
         stored;
}

ArchiveEntry read_entry(Block const& block, std::span<std::byte const> bytes) {
  ByteReader reader = body_of(bytes);
  ArchiveEntry entry = read_record(reader);
  if (is_removal(entry)) refuse_damaged("'" + entry.name + "' has no bytes");
  if (is_bundle(entry)) refuse_damaged("an entry has no name");
  require_between(entry, 0, block.offset);
  return entry;
}

Removal read_removal(Block const& block, std::span<std::byte const> bytes) {
  ByteReader reader = body_of(bytes);
  ArchiveEntry entry = read_record(reader);
  if (!is_removal(entry)) refuse_damaged("'" + entry.name + "' is removed, but has bytes");
  require_between(entry, 0, block.offset);
  return {std::move(entry.name), entry.offset};
}

Listing read_listing(Block const& block, std::span<std::byte const> bytes) {
  ByteReader reader = body_of(bytes);
  Listing listing;
  listing.previous = read_place(reader, block.offset);
  std::uint64_t const count = reader.number(8);
  if (count > bytes.size() / record_head_bytes) refuse_damaged("it claims more fields than fit");
  std::uint64_t begin = listing.previous.end();
  for (std::uint64_t i = 0; i < count; ++i) {
    ArchiveEntry record = read_record(reader);
    if (is_removal(record)) {
      if (!listing.fields.empty()) {
        refuse_damaged("'" + record.name + "' is removed after a field was added");
      }
      require_between(record, 0, block.offset);
      listing.removals.push_back({std::move(record.name), record.offset});
      continue;
    }
    require_between(record, begin, block.offset);
    begin = record.offset + record.bytes;
    listing.fields.push_back(std::move(record));
  }
  require_removable(listing);
  return listing;
}

BlockLocation read_trailer(Block const& block, std::span<std::byte const> bytes) {
  ByteReader reader = body_of(bytes);
  BlockLocation const index = read_place(reader, block.offset);
  if (index.is_none() || index.end() != block.offset) {
    refuse_damaged("its trailer gives another place for its index");
  }
  return index;
}

}  // namespace kompakt::impl
