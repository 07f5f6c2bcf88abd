#include <algorithm>
#include <archive/bundle.hpp>
#include <archive/findings.hpp>

namespace kompakt::impl {

namespace {

class BlockScan {
 public:
  explicit BlockScan(InputFile& file) : m_file(file), m_size(file.known_bytes()) {}

  Findings take() {
    std::vector<std::byte> piece(std::size_t{1} << 20);
    for (std::uint64_t at = 0; at < m_size; at += piece.size()) {
      std::span<std::byte> const part =
          std::span(piece).first(std::min<std::uint64_t>(piece.size(), m_size - at));
      m_file.read_at(at, part);
      for (std::size_t i = 0; i + 8 <= part.size(); i += block_alignment) {
        if (at + i >= m_found.end && has_archive_magic(part.subspan(i, 8))) look_at(at + i);
      }
    }
    confirm_newest();
    return std::move(m_found);
  }

 private:
  void look_at(std::uint64_t offset) {
    std::optional<FoundBlock> const block = read_block(m_file, offset, m_size);
    if (!block || block->head.version != archive_version) return;
    // Removals belong to the index and the trailer right behind them; the index may be damaged.
    bool const is_trailer = block->head.kind == BlockKind::trailer;
    bool const has_fields =
        block->head.kind == BlockKind::entry || block->head.kind == BlockKind::bundle;
    if (!is_trailer && (m_found.end != offset || has_fields)) {
      m_pending.clear();
    }
    try {
      note(*block);
    } catch (Error const& error) {
      require_corrupt(error);
      // Sound, but of nobody who keeps to the format.
    }
    m_found.end = offset + block->head.bytes;
  }

  static void require_corrupt(Error const& error) {
    if (error.status() != Status::corrupt) throw error;
  }

  void note(FoundBlock const& block) {
    switch (block.head.kind) {
      case BlockKind::entry: return describe(read_entry(block.head, block.bytes));
      case BlockKind::removal: return remove(read_removal(block.head, block.bytes));
      case BlockKind::index: return note_index(block);
      case BlockKind::bundle: return note_bundle(block);
      case BlockKind::trailer: return note_trailer(block);
      default: return;
    }
  }
  void describe(ArchiveEntry&& entry) {
    m_found.described.try_emplace(entry.offset, std::move(entry));
  }
  void remove(Removal const& removal) {
    m_pending.push_back(removal.offset);
    m_found.to_be_removed.insert(removal.offset);
  }
  void note_index(FoundBlock const& block) {
    Listing listing = read_listing(block.head, block.bytes);
    if (listing.previous.is_none() || m_readable.contains(listing.previous.offset)) {
      m_readable.insert(block.head.offset);
    }
    for (Removal const& removal : listing.removals) remove(removal);
    for (ArchiveEntry& field : listing.fields) {
      if (is_bundle(field)) {
        note_listed({{field.offset, field.bytes}, std::move(field.stream)});
      } else {
        describe(std::move(field));
      }
    }
  }
  // The bytes that an index repeats are as good as the block.
  void note_listed(ListedBundle bundle) {
    if (m_found.bundles.contains(bundle.place.offset)) return;
    std::optional<FoundBlock> const repeated =
        named_block(std::move(bundle.repeated), bundle.place, BlockKind::bundle);
    if (repeated) return note_bundle(*repeated);
    m_listed.insert(bundle.place.offset);
  }
  void note_bundle(FoundBlock const& block) {
    FoundBundle bundle{block, {}};
    for (ArchiveEntry& field : read_bundle(block.head, block.bytes)) {
      bundle.members.push_back({field.name, field.offset});
      describe(std::move(field));
    }
    m_found.bundles.try_emplace(block.head.offset, std::move(bundle));
  }
  // Of a damaged index its place alone says whether removals lie right in front of it.
  void note_trailer(FoundBlock const& block) {
    BlockLocation const index = read_trailer(block.head, block.bytes);
    if (m_found.end == index.offset || m_found.end == block.head.offset) {
      m_found.removed.insert(m_pending.begin(), m_pending.end());
    }
    m_pending.clear();
    if (m_readable.contains(index.offset)) m_trailers.push_back(block);
  }

  void confirm_newest() {
    for (; !m_trailers.empty() && m_found.confirmed_end == 0; m_trailers.pop_back()) {
      FoundBlock const& trailer = m_trailers.back();
      std::vector<BlockLocation> lost;
      try {
        m_found.confirmed = read_index(m_file, read_chain(m_file, trailer), &lost);
        m_found.confirmed_end = trailer.head.offset + trailer.head.bytes;
      } catch (Error const& error) {
        require_corrupt(error);
        continue;  // not the trailer of an index that can be read; an older one is as good as before
      }
      for (BlockLocation const& bundle : lost) m_found.lost_bundles.insert(bundle.offset);
    }
    std::map<std::uint64_t, ArchiveEntry>& described = m_found.described;
    // What lies in front of it and is not listed is gone.
    described.erase(described.begin(), described.lower_bound(m_found.confirmed_end));
    for (std::uint64_t const bundle : m_listed) {
      bool const is_lost = bundle >= m_found.confirmed_end && !m_found.bundles.contains(bundle);
      if (is_lost) m_found.lost_bundles.insert(bundle);
    }
  }

  InputFile& m_file;
  std::uint64_t m_size;
  Findings m_found;
  std::vector<std::uint64_t>
      m_pending;  // streams that the removals right in front of this place name
  std::set<std::uint64_t> m_readable;  // indices whose chain is there
  std::vector<FoundBlock> m_trailers;  // of those
  std::set<std::uint64_t> m_listed;    // bundles that an index lists, found or not
};

}  // namespace

Findings find_blocks(InputFile& file) { return BlockScan(file).take(); }

}  // namespace kompakt::impl
