#include <algorithm>
#include <archive/index.hpp>
#include <archive/output.hpp>
#include <io/descriptor.hpp>
#include <kompakt/sequence.hpp>
#include <map>

namespace kompakt {

namespace impl {

namespace {

constexpr char const* function = "repair_archive";

/// What the sound blocks of a file say.
struct Findings {
  std::vector<ArchiveEntry> listed;  // by the newest index that a trailer confirms
  // By any entry block or index, at their places; each index says again what those before it have said.
  std::map<std::uint64_t, ArchiveEntry> described;
  std::uint64_t end = 0;  // of the last block
};

std::vector<ArchiveEntry> entries_of(FoundBlock const& block) {
  try {
    return read_entries(block.head, block.bytes);
  } catch (Error const&) {
    return {};  // sound, but of nobody who keeps to the format
  }
}

void add(Findings& findings, InputFile& file, FoundBlock const& block) {
  findings.end = block.head.offset + block.head.bytes;
  if (block.head.kind == BlockKind::entry || block.head.kind == BlockKind::index) {
    for (ArchiveEntry& entry : entries_of(block)) {
      findings.described.try_emplace(entry.offset, std::move(entry));
    }
  }
  if (block.head.kind != BlockKind::trailer) return;
  try {
    findings.listed = read_index(file, block);
  } catch (Error const&) {
    // Not the trailer of an index that can be read; an older one is as good as before.
  }
}

// Looks for blocks at every place where one may begin. They know their place, so that none is found inside
// of a stream that holds an archive.
Findings find_blocks(InputFile& file) {
  std::uint64_t const size = file.known_bytes();
  Findings findings;
  std::vector<std::byte> piece(std::size_t{1} << 20);
  std::uint64_t next = 0;  // behind the last block
  for (std::uint64_t at = 0; at < size; at += piece.size()) {
    std::span<std::byte> const part =
        std::span(piece).first(std::min<std::uint64_t>(piece.size(), size - at));
    file.read_at(at, part);
    for (std::size_t i = 0; i + 8 <= part.size(); i += block_alignment) {
      if (at + i < next || !has_archive_magic(part.subspan(i, 8))) continue;
      std::optional<FoundBlock> const block = read_block(file, at + i, size);
      if (!block || block->head.version != archive_version) continue;
      next = at + i + block->head.bytes;
      add(findings, file, *block);
    }
  }
  return findings;
}

// Whether the frames of a field are all there; else throws what is wrong with them.
void require_frames(InputFile& file, ArchiveEntry const& entry) {
  FrameSequence sequence;
  std::uint64_t at = 0;
  while (at < entry.bytes) {
    std::vector<std::byte> start(std::min<std::uint64_t>(1024, entry.bytes - at));
    file.read_at(entry.offset + at, start);
    StreamInfo const info = inspect_next(start);
    sequence.add(info);
    if (info.bytes > entry.bytes - at) throw Error(Status::corrupt, "a frame is cut off");
    at += info.bytes;
    at += padding_at(at);
  }
  sequence.finish();
}

/// Calls use(piece) for all of a field's stream.
template <class Use>
void for_each_piece(InputFile& file, ArchiveEntry const& entry, Use const& use) {
  std::vector<std::byte> piece(std::min<std::uint64_t>(piece_bytes, entry.bytes));
  for (std::uint64_t at = 0; at < entry.bytes; at += piece.size()) {
    std::span<std::byte> const part =
        std::span(piece).first(std::min<std::uint64_t>(piece.size(), entry.bytes - at));
    file.read_at(entry.offset + at, part);
    use(part);
  }
}

void require_checksum(InputFile& file, ArchiveEntry const& entry) {
  StreamChecksum checksum;
  for_each_piece(file, entry, [&](std::span<std::byte const> part) { checksum.add(part); });
  if (checksum.value() != entry.checksum) {
    throw Error(Status::corrupt, "the checksum of its stream does not match");
  }
}

bool takes_place_of_any(ArchiveEntry const& entry, std::vector<ArchiveEntry> const& others) {
  return std::any_of(others.begin(), others.end(), [&](ArchiveEntry const& other) {
    return other.name == entry.name ||
           (other.offset < entry.offset + entry.bytes && entry.offset < other.offset + other.bytes);
  });
}

void weigh(ArchiveRepair& repair, InputFile& file, ArchiveEntry const& entry, bool is_listed) {
  try {
    require_frames(file, entry);
    if (!is_listed) require_checksum(file, entry);
    repair.kept.push_back(entry);
  } catch (Error const& error) {
    if (error.status() == Status::io) throw;
    repair.dropped.push_back("'" + entry.name + "': " + error.what());
  }
}

// What a confirmed index lists was on the disk before it; all else may have been lost in part with the power.
ArchiveRepair find_fields(InputFile& file) {
  Findings findings = find_blocks(file);
  if (findings.end == 0) {
    throw Error(Status::bad_magic, std::string(function) + ": '" + file.path().string() +
                                       "' is not an archive; there is no block of one in it");
  }
  ArchiveRepair repair;
  for (ArchiveEntry const& entry : findings.listed) {
    weigh(repair, file, entry, true);
    findings.described.erase(entry.offset);
  }
  for (auto const& [offset, entry] : findings.described) {
    if (!takes_place_of_any(entry, repair.kept)) weigh(repair, file, entry, false);
  }
  std::sort(repair.kept.begin(), repair.kept.end(),
            [](ArchiveEntry const& a, ArchiveEntry const& b) { return a.offset < b.offset; });
  repair.unused_bytes = file.known_bytes() - findings.end;
  return repair;
}

ArchiveRepair examine(InputFile& file) {
  ArchiveRepair repair;
  try {
    repair.kept = read_archive(function, file);
    repair.was_intact = true;
  } catch (Error const& error) {
    if (error.status() == Status::io || error.status() == Status::unsupported_version) throw;
    repair = find_fields(file);
  }
  return repair;
}

void copy_field(InputFile& file, ArchiveOutput& output, ArchiveEntry& entry) {
  output.align();
  std::uint64_t const offset = output.position();
  for_each_piece(file, entry, [&](std::span<std::byte const> part) { output.write(part); });
  entry.offset = offset;
  output.write_entry(entry);
}

}  // namespace

}  // namespace impl

ArchiveRepair repair_archive(std::filesystem::path const& path,
                             std::optional<std::filesystem::path> const& to, Overwrite overwrite) {
  using namespace impl;
  if (to) {
    InputFile input(path, function);
    require_unlocked(function, path);
    ArchiveRepair repair = examine(input);
    ArchiveOutput output(OutputFile(*to, overwrite));
    for (ArchiveEntry& entry : repair.kept) copy_field(input, output, entry);
    output.finish(repair.kept);
    return repair;
  }
  AppendedFile file(function, path);  // locked from here on
  InputFile input(path, function);
  ArchiveRepair const repair = examine(input);
  if (!repair.was_intact) ArchiveOutput(std::move(file)).finish(repair.kept);
  return repair;
}

}  // namespace kompakt
