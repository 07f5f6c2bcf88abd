#include <algorithm>
#include <archive/index.hpp>
#include <array>
#include <container/damaged.hpp>
#include <limits>

namespace kompakt::impl {

namespace {

// Blocks of one length that a chain may have before they are replaced by one. With n appends a reader reads at most
// 31 blocks for each digit of n to this base, and a record is written once more for each digit. With 2, as in a
// binary counter, an archive of 10 000 appends has 13 reads, but each record 13 times.
constexpr std::uint64_t max_of_a_length = 32;

// Digits of the number of records but the first.
int length_class(std::uint64_t records) {
  int digits = 0;
  for (; records >= max_of_a_length; records /= max_of_a_length) ++digits;
  return digits;
}

}  // namespace

std::optional<FoundBlock> read_block(InputFile& file, std::uint64_t offset,
                                     std::uint64_t bytes_of_file) {
  std::array<std::byte, block_header_bytes> start{};
  if (offset > bytes_of_file || bytes_of_file - offset < start.size()) return std::nullopt;
  file.read_at(offset, start);
  std::optional<Block> const head = read_block_header(start, offset, bytes_of_file);
  if (!head) return std::nullopt;
  FoundBlock block{*head, std::vector<std::byte>(head->bytes)};
  file.read_at(offset, block.bytes);
  if (!is_sound(block.bytes)) return std::nullopt;
  return block;
}

ArchiveEntry const* ArchiveIndex::find(std::string_view name) const {
  auto const found = m_offsets.find(std::string(name));
  if (found == m_offsets.end()) return nullptr;
  auto const place = std::lower_bound(
      m_fields.begin(), m_fields.end(), found->second,
      [](ArchiveEntry const& field, std::uint64_t offset) { return field.offset < offset; });
  return &*place;
}

void ArchiveIndex::add(ArchiveEntry field) {
  m_offsets.emplace(field.name, field.offset);
  m_fields.push_back(std::move(field));
}

Removal ArchiveIndex::remove(std::string_view name) {
  ArchiveEntry const* const field = find(name);
  Removal removal{field->name, field->offset};
  m_offsets.erase(removal.name);
  m_fields.erase(m_fields.begin() + (field - m_fields.data()));
  m_removals.push_back({removal, std::numeric_limits<std::uint64_t>::max()});
  return removal;
}

void ArchiveIndex::take(Listing listing, BlockLocation const& place) {
  m_chain.push_back({place, listing.records()});
  for (Removal const& removal : listing.removals) {
    ArchiveEntry const* const field = find(removal.name);
    if (field == nullptr || field->offset != removal.offset) {
      refuse_damaged("its index removes a field '" + removal.name + "' that is not there");
    }
    remove(removal.name);
    m_removals.back().listed_at = place.offset;
  }
  for (ArchiveEntry& field : listing.fields) {
    if (find(field.name) != nullptr) refuse_damaged("there are two fields '" + field.name + "'");
    add(std::move(field));
  }
}

// The newest blocks are replaced when there are enough that are no longer than what the new one would say.
std::size_t ArchiveIndex::links_to_keep(std::uint64_t new_records) const {
  std::size_t kept = m_chain.size();
  for (;;) {
    std::size_t first = kept;
    std::uint64_t records = new_records;
    while (first > 0 && length_class(m_chain[first - 1].records) <= length_class(new_records)) {
      records += m_chain[--first].records;
    }
    if (kept - first + 1 < max_of_a_length) return kept;
    kept = first;
    new_records = records;
  }
}

Listing ArchiveIndex::next() const {
  auto const since = [&](std::uint64_t place) {
    Listing listing;
    for (auto const& [removal, listed_at] : m_removals) {
      if (listed_at >= place && removal.offset < place) listing.removals.push_back(removal);
    }
    auto const first = std::lower_bound(
        m_fields.begin(), m_fields.end(), place,
        [](ArchiveEntry const& field, std::uint64_t begin) { return field.offset < begin; });
    listing.fields.assign(first, m_fields.end());
    return listing;
  };
  Listing const newest = since(m_chain.empty() ? 0 : m_chain.back().place.end());
  std::size_t const kept = links_to_keep(newest.records());
  BlockLocation const previous = kept > 0 ? m_chain[kept - 1].place : BlockLocation{};
  Listing listing = since(previous.end());
  listing.previous = previous;
  return listing;
}

ArchiveIndex read_index(InputFile& file, FoundBlock const& trailer) {
  if (trailer.head.version != archive_version) {
    throw Error(Status::unsupported_version,
                "it has version " + std::to_string(trailer.head.version) +
                    ", this library reads version " + std::to_string(archive_version),
                "update kompakt");
  }
  std::vector<std::pair<Listing, BlockLocation>> chain;  // newest first
  // Each index lies in front of the one that names it, so that there is an end, and blocks share no bytes.
  for (BlockLocation place = read_trailer(trailer.head, trailer.bytes); !place.is_none();
       place = chain.back().first.previous) {
    std::optional<FoundBlock> const index = read_block(file, place.offset, place.end());
    if (!index || index->head.kind != BlockKind::index || index->head.bytes != place.bytes) {
      refuse_damaged("its index is damaged at byte " + std::to_string(place.offset));
    }
    chain.emplace_back(read_listing(index->head, index->bytes), place);
  }
  ArchiveIndex index;
  std::for_each(chain.rbegin(), chain.rend(),
                [&](auto& link) { index.take(std::move(link.first), link.second); });
  return index;
}

}  // namespace kompakt::impl
