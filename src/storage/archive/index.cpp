#include <algorithm>
#include <archive/bundle.hpp>
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

[[noreturn]] void refuse_removal(Removal const& removal) {
  refuse_damaged("its index removes a field '" + removal.name + "' that is not there");
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

// Members that the same index removes are left out; their removals are taken from the list.
void ArchiveIndex::take_bundle(BlockLocation const& bundle, std::vector<ArchiveEntry> fields,
                               RemovalsByOffset& removals, std::uint64_t listed_at) {
  m_bundles.push_back(bundle);
  for (ArchiveEntry& field : fields) {
    auto const removal = removals.find(field.offset);
    if (removal == removals.end() || removal->second.name != field.name) {
      add_new(std::move(field));
    } else {
      m_removals.push_back({std::move(removal->second), listed_at});
      removals.erase(removal);
    }
  }
}

void ArchiveIndex::take(Listing listing, BlockLocation const& place,
                        BundleSource const& fields_of) {
  m_chain.push_back({place, listing.records()});
  RemovalsByOffset of_members;
  for (Removal& removal : listing.removals) {
    ArchiveEntry const* const field = find(removal.name);
    if (field != nullptr && field->offset == removal.offset) {
      remove(removal.name);
      m_removals.back().listed_at = place.offset;
    } else if (!of_members.emplace(removal.offset, removal).second) {
      refuse_removal(removal);
    }
  }
  for (ArchiveEntry& field : listing.fields) {
    if (is_bundle(field)) {
      BlockLocation const bundle{field.offset, field.bytes};
      take_bundle(bundle, fields_of(bundle), of_members, place.offset);
    } else {
      add_new(std::move(field));
    }
  }
  if (!of_members.empty()) refuse_removal(of_members.begin()->second);
}

void ArchiveIndex::add_new(ArchiveEntry field) {
  if (find(field.name) != nullptr) refuse_damaged("there are two fields '" + field.name + "'");
  add(std::move(field));
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

// Of a bundle all members are listed, those that have been removed with their removals.
Listing ArchiveIndex::since(std::uint64_t begin) const {
  Listing listing;
  std::vector<BlockLocation> bundles;
  auto const first = std::lower_bound(
      m_fields.begin(), m_fields.end(), begin,
      [](ArchiveEntry const& field, std::uint64_t offset) { return field.offset < offset; });
  for (auto field = first; field != m_fields.end(); ++field) {
    if (field->stream.empty()) {
      listing.fields.push_back(*field);
    } else if (bundles.empty() || field->offset >= bundles.back().end()) {
      bundles.push_back(block_around(m_bundles, field->offset));
      listing.fields.push_back(record_of(bundles.back()));
    }
  }
  for (auto const& [removal, listed_at] : m_removals) {
    bool const was_there = listed_at >= begin && removal.offset < begin;
    if (was_there || !block_around(bundles, removal.offset).is_none()) {
      listing.removals.push_back(removal);
    }
  }
  return listing;
}

Listing ArchiveIndex::next() const {
  Listing const newest = since(m_chain.empty() ? 0 : m_chain.back().place.end());
  std::size_t const kept = links_to_keep(newest.records());
  BlockLocation const previous = kept > 0 ? m_chain[kept - 1].place : BlockLocation{};
  Listing listing = since(previous.end());
  listing.previous = previous;
  return listing;
}

namespace {

// A block that a trailer or an index names.
FoundBlock read_named(InputFile& file, BlockLocation const& place, BlockKind kind,
                      std::string const& what) {
  std::optional<FoundBlock> block = read_block(file, place.offset, place.end());
  if (!block || block->head.kind != kind || block->head.bytes != place.bytes) {
    refuse_damaged("its " + what + " is damaged at byte " + std::to_string(place.offset));
  }
  return std::move(*block);
}

}  // namespace

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
    FoundBlock const index = read_named(file, place, BlockKind::index, "index");
    chain.emplace_back(read_listing(index.head, index.bytes), place);
  }
  auto const fields_of = [&](BlockLocation const& place) {
    FoundBlock const bundle = read_named(file, place, BlockKind::bundle, "bundle of small fields");
    return read_bundle(bundle.head, bundle.bytes);
  };
  ArchiveIndex index;
  std::for_each(chain.rbegin(), chain.rend(),
                [&](auto& link) { index.take(std::move(link.first), link.second, fields_of); });
  return index;
}

}  // namespace kompakt::impl
