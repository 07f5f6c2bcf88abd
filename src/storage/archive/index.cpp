#include <algorithm>
#include <archive/bundle.hpp>
#include <archive/index.hpp>
#include <array>
#include <container/damaged.hpp>
#include <limits>
#include <unordered_set>

namespace kompakt::impl {

namespace {

// Blocks of one length that a chain may have before they are replaced by one. With n appends a reader reads at most
// 31 blocks for each digit of n to this base, and a record is written once more for each digit. With 2, as in a
// binary counter, an archive of 10 000 appends has 13 reads, but each record 13 times.
constexpr std::uint64_t max_of_a_length = 32;

// Bundles that lie closer to each other are read together.
constexpr std::uint64_t longest_gap = std::uint64_t{1} << 16;
// Of what lies between two bundles, the share that indices may repeat of the second one. A scalar between fields of 100 kB each
// takes 0.1 %, and the archive of 100 of them is opened by 3 requests instead of 102.
constexpr std::uint64_t repeated_share = 64;

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

std::optional<FoundBlock> named_block(std::vector<std::byte> bytes, BlockLocation const& place,
                                      BlockKind kind) {
  std::optional<Block> const head = read_block_header(bytes, place.offset, place.end());
  if (!head || head->kind != kind || head->bytes != bytes.size() || !is_sound(bytes)) {
    return std::nullopt;
  }
  return FoundBlock{*head, std::move(bytes)};
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

void ArchiveIndex::leave_out(Removal member) {
  m_removals.push_back({std::move(member), std::numeric_limits<std::uint64_t>::max()});
}

void ArchiveIndex::add(ListedBundle bundle) {
  m_bundles.push_back(bundle.place);
  if (!bundle.repeated.empty()) m_repeated[bundle.place.offset] = std::move(bundle.repeated);
}

void ArchiveIndex::add_bundle(BlockLocation const& place, std::span<std::byte const> block) {
  std::uint64_t const gap = place.offset - (m_bundles.empty() ? 0 : m_bundles.back().end());
  ListedBundle bundle{place};
  if (gap > longest_gap && gap / place.bytes >= repeated_share) {
    bundle.repeated.assign(block.begin(), block.end());
  }
  add(std::move(bundle));
}

// Members that the same index removes are left out; their removals are taken from the list.
void ArchiveIndex::take_bundle(ListedBundle bundle, BundleSource const& fields_of,
                               RemovalsByOffset& removals, std::uint64_t listed_at) {
  std::optional<std::vector<ArchiveEntry>> fields = fields_of(bundle);
  if (!fields) return m_lost.push_back(bundle.place);
  add(std::move(bundle));
  for (ArchiveEntry& field : *fields) {
    auto const removal = removals.find(field.offset);
    if (removal == removals.end() || removal->second.name != field.name) {
      add_new(std::move(field));
    } else {
      m_removals.push_back({std::move(removal->second), listed_at});
      removals.erase(removal);
    }
  }
}

// Fields leave the list at once, since each that left alone would move all behind it.
void ArchiveIndex::take_removals(std::vector<Removal> removals, RemovalsByOffset& of_members,
                                 std::uint64_t listed_at) {
  std::unordered_set<std::uint64_t> gone;
  for (Removal& removal : removals) {
    ArchiveEntry const* const field = find(removal.name);
    if (field != nullptr && field->offset == removal.offset) {
      m_offsets.erase(removal.name);
      gone.insert(removal.offset);
      m_removals.push_back({std::move(removal), listed_at});
    } else if (!of_members.emplace(removal.offset, removal).second) {
      refuse_removal(removal);
    }
  }
  if (gone.empty()) return;
  std::erase_if(m_fields, [&](ArchiveEntry const& field) { return gone.contains(field.offset); });
}

void ArchiveIndex::take(Listing listing, BlockLocation const& place,
                        BundleSource const& fields_of) {
  m_chain.push_back({place, listing.records()});
  RemovalsByOffset of_members;
  take_removals(std::move(listing.removals), of_members, place.offset);
  for (ArchiveEntry& field : listing.fields) {
    if (is_bundle(field)) {
      take_bundle({{field.offset, field.bytes}, std::move(field.stream)}, fields_of, of_members,
                  place.offset);
    } else {
      add_new(std::move(field));
    }
  }
  for (auto const& [offset, removal] : of_members) {
    if (block_around(m_lost, offset).is_none()) refuse_removal(removal);
  }
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
      auto const repeated = m_repeated.find(bundles.back().offset);
      listing.fields.push_back(record_of(bundles.back(), repeated == m_repeated.end()
                                                             ? std::vector<std::byte>{}
                                                             : repeated->second));
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

[[noreturn]] void refuse_block(std::string const& what, BlockLocation const& place) {
  refuse_damaged("its " + what + " is damaged at byte " + std::to_string(place.offset));
}

void require_inside(InputFile& file, BlockLocation const& place, std::string const& what) {
  std::uint64_t const size = file.known_bytes();
  if (place.offset > size || place.bytes > size - place.offset) refuse_block(what, place);
}

// The bundles of a chain. Some that lie close to each other are read together.
class Bundles {
 public:
  Bundles(InputFile& file, IndexChain const& chain) : m_file(file) {
    for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
      for (ArchiveEntry const& record : link->first.fields) {
        if (!is_bundle(record) || !record.stream.empty()) continue;
        m_places.push_back({record.offset, record.bytes});
      }
    }
  }

  // In the order of the file.
  std::vector<ArchiveEntry> fields_of(ListedBundle const& bundle) {
    std::optional<FoundBlock> const block =
        named_block(bundle.repeated.empty() ? bytes_of(bundle.place) : bundle.repeated,
                    bundle.place, BlockKind::bundle);
    if (!block) refuse_block(what, bundle.place);
    return read_bundle(block->head, block->bytes);
  }

 private:
  static constexpr char const* what = "bundle of small fields";

  std::vector<std::byte> bytes_of(BlockLocation const& place) {
    if (m_read.is_none() || place.end() > m_read.end()) read_from(place);
    std::span<std::byte const> const bytes =
        std::span(m_bytes).subspan(place.offset - m_read.offset, place.bytes);
    return {bytes.begin(), bytes.end()};
  }
  void read_from(BlockLocation const& first) {
    require_inside(m_file, first, what);
    m_read = first;
    auto next = std::ranges::upper_bound(m_places, first.offset, {}, &BlockLocation::offset);
    for (; next != m_places.end(); ++next) {
      bool const is_close =
          next->offset - m_read.end() <= longest_gap && next->end() <= m_file.known_bytes();
      if (!is_close || next->end() - first.offset > most_at_once) break;
      m_read.bytes = next->end() - first.offset;
    }
    m_bytes.resize(m_read.bytes);
    m_file.read_at(m_read.offset, m_bytes);
  }

  static constexpr std::uint64_t most_at_once = std::uint64_t{1} << 22;

  InputFile& m_file;
  std::vector<BlockLocation> m_places;  // of those that are not repeated
  BlockLocation m_read;                 // where the bytes are from
  std::vector<std::byte> m_bytes;
};

}  // namespace

IndexChain read_chain(InputFile& file, FoundBlock const& trailer) {
  if (trailer.head.version != archive_version) {
    throw Error(Status::unsupported_version,
                "it has version " + std::to_string(trailer.head.version) +
                    ", this library reads version " + std::to_string(archive_version),
                "update kompakt");
  }
  IndexChain chain;
  // Each index lies in front of the one that names it, so that there is an end, and blocks share no bytes.
  for (BlockLocation place = read_trailer(trailer.head, trailer.bytes); !place.is_none();
       place = chain.back().first.previous) {
    require_inside(file, place, "index");
    std::vector<std::byte> bytes(place.bytes);
    file.read_at(place.offset, bytes);
    std::optional<FoundBlock> const index = named_block(std::move(bytes), place, BlockKind::index);
    if (!index) refuse_block("index", place);
    chain.emplace_back(read_listing(index->head, index->bytes), place);
  }
  return chain;
}

ArchiveIndex read_index(InputFile& file, IndexChain chain, std::vector<BlockLocation>* lost) {
  Bundles bundles(file, chain);
  auto const fields_of =
      [&](ListedBundle const& bundle) -> std::optional<std::vector<ArchiveEntry>> {
    try {
      return bundles.fields_of(bundle);
    } catch (Error const& error) {
      if (lost == nullptr || error.status() != Status::corrupt) throw;
      lost->push_back(bundle.place);
      return std::nullopt;
    }
  };
  ArchiveIndex index;
  std::for_each(chain.rbegin(), chain.rend(),
                [&](auto& link) { index.take(std::move(link.first), link.second, fields_of); });
  return index;
}

}  // namespace kompakt::impl
