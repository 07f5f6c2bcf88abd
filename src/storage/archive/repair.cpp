#include <algorithm>
#include <archive/findings.hpp>
#include <archive/output.hpp>
#include <archive/stream_checksum.hpp>
#include <kompakt/sequence.hpp>
#include <kompakt/verify.hpp>
#include <map>
#include <unordered_set>

namespace kompakt {

namespace impl {

namespace {

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

// A bundle's fields have no stream of their own in the file.
std::uint64_t end_of(ArchiveEntry const& field) {
  return field.offset + (field.stream.empty() ? field.bytes : 1);
}

void require_checksum(InputFile& file, ArchiveEntry const& entry) {
  StreamChecksum checksum;
  for_each_piece(file, entry, [&](std::span<std::byte const> part) { checksum.add(part); });
  if (checksum.value() != entry.checksum) {
    throw Error(Status::corrupt, "the checksum of its stream does not match");
  }
}

/// What is known of an archive before it is repaired.
struct Examined {
  ArchiveRepair repair;
  ArchiveIndex index{};                            ///< of one that is intact
  std::map<std::uint64_t, FoundBundle> bundles{};  ///< of one that is not, by their places
};

/// Chooses among what blocks describe. What a trailer confirms was on the disk before it; all else may have been lost
/// in part with the power, and replaces a field only if it is whole.
class Choice {
 public:
  Choice(InputFile& file, Findings findings) : m_file(file), m_findings(std::move(findings)) {}

  Examined take() {
    for (ArchiveEntry const& entry : m_findings.confirmed.fields()) weigh(entry, true);
    for (auto const& [offset, entry] : m_findings.described) weigh(entry, false);
    for (std::uint64_t const place : m_findings.lost_bundles) {
      m_repair.dropped.push_back("the small fields of the bundle at byte " + std::to_string(place) +
                                 ": it is damaged");
    }
    m_repair.kept = m_kept.fields();
    m_repair.unused_bytes = m_file.known_bytes() - m_findings.end;
    return {std::move(m_repair), {}, std::move(m_findings.bundles)};
  }

 private:
  void weigh(ArchiveEntry const& entry, bool is_confirmed) {
    if (m_findings.removed.contains(entry.offset)) return;
    try {
      if (entry.stream.empty()) require_frames(m_file, entry);  // a sound bundle is whole
      if (!is_confirmed) require_checksum(m_file, entry);
      require_room(entry);
      m_kept.add(entry);
    } catch (Error const& error) {
      if (error.status() == Status::io) throw;
      m_repair.dropped.push_back("'" + entry.name + "': " + std::string(error.text()));
    }
  }

  void require_room(ArchiveEntry const& entry) {
    std::vector<ArchiveEntry> const& kept = m_kept.fields();
    if (!kept.empty() && entry.offset < end_of(kept.back())) {
      throw Error(Status::corrupt, "its stream overlaps the stream of '" + kept.back().name + "'");
    }
    ArchiveEntry const* const other = m_kept.find(entry.name);
    if (other == nullptr) return;
    if (!m_findings.to_be_removed.contains(other->offset)) {
      throw Error(Status::corrupt, "there is a field of this name in front of it");
    }
    m_kept.remove(entry.name);
  }

  InputFile& m_file;
  Findings m_findings;
  ArchiveRepair m_repair;
  ArchiveIndex m_kept;
};

Examined find_fields(InputFile& file) {
  Findings findings = find_blocks(file);
  if (findings.end == 0) {
    throw Error(Status::bad_magic,
                "'" + file.path().string() + "' is not an archive; there is no block of one in it");
  }
  return Choice(file, std::move(findings)).take();
}

// The payloads of what is kept.
void examine_streams(InputFile const& file, RepairOptions const& options, ArchiveRepair& repair) {
  std::vector<ArchiveEntry> sound;
  std::vector<VerifiedStream> const streams = verify_fields(file, repair.kept, options.threads);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    bool const keep = streams[i].is_intact() || !options.drop_damaged;
    if (keep) sound.push_back(repair.kept[i]);
    if (streams[i].is_intact()) continue;
    (keep ? repair.damaged : repair.dropped)
        .push_back("'" + streams[i].name + "': " + streams[i].damages.front().text());
  }
  repair.kept = std::move(sound);
}

Examined examine(InputFile& file, RepairOptions const& options) {
  Examined found;
  try {
    found.index = read_archive(file);
    found.repair.kept = found.index.fields();
    found.repair.was_intact = true;
  } catch (Error const& error) {
    if (error.status() == Status::io || error.status() == Status::unsupported_version) throw;
    found = find_fields(file);
  }
  examine_streams(file, options, found.repair);
  return found;
}

void write_fields(InputFile& input, ArchiveOutput output, std::vector<ArchiveEntry>& fields) {
  ArchiveIndex index;
  for (ArchiveEntry& field : fields) {
    output.copy(input, field);
    index.add(field);
  }
  output.finish(index);
}

// Behind a broken end an index of fields that stay where they are.
void list_fields(ArchiveOutput output, Examined const& found) {
  ArchiveIndex index;
  for (ArchiveEntry const& field : found.repair.kept) index.add(field);
  for (auto const& [place, bundle] : found.bundles) {
    auto const is_kept = [&](Removal const& member) {
      ArchiveEntry const* const field = index.find(member.name);
      return field != nullptr && field->offset == member.offset;
    };
    if (std::ranges::none_of(bundle.members, is_kept)) continue;
    index.add_bundle(bundle.place(), bundle.block.bytes);
    for (Removal const& member : bundle.members) {
      if (!is_kept(member)) index.leave_out(member);
    }
  }
  output.close_broken_end();
  output.finish(index);
}

// Of an intact archive.
void remove_dropped(ArchiveOutput output, Examined& found) {
  std::unordered_set<std::uint64_t> kept;
  for (ArchiveEntry const& field : found.repair.kept) kept.insert(field.offset);
  std::vector<std::string> dropped;
  for (ArchiveEntry const& field : found.index.fields()) {
    if (!kept.contains(field.offset)) dropped.push_back(field.name);
  }
  std::vector<Removal> removals;
  for (std::string const& name : dropped) removals.push_back(found.index.remove(name));
  output.finish(found.index, removals);
}

}  // namespace

}  // namespace impl

using namespace impl;

namespace {

ArchiveRepair repair(std::filesystem::path const& path,
                     std::optional<std::filesystem::path> const& to, Overwrite overwrite,
                     RepairOptions const& options) {
  if (to) {
    await_unlocked(path, options.wait);
    InputFile input(path);
    ArchiveRepair repair = examine(input, options).repair;
    write_fields(input, ArchiveOutput(OutputFile(*to, overwrite)), repair.kept);
    return repair;
  }
  AppendedFile file(path, options.wait);  // locked from here on
  InputFile input = file.reader();
  Examined found = examine(input, options);
  if (!found.repair.was_intact) {
    list_fields(ArchiveOutput(std::move(file)), found);
  } else if (!found.repair.dropped.empty()) {
    remove_dropped(ArchiveOutput(std::move(file)), found);
  }
  return std::move(found.repair);
}

std::uint64_t compact(std::filesystem::path const& path,
                      std::optional<std::filesystem::path> const& to, Overwrite overwrite,
                      std::chrono::milliseconds wait) {
  auto const copy = [](InputFile input, auto const& open_output) {
    std::vector<ArchiveEntry> fields = read_archive(input).fields();
    write_fields(input, ArchiveOutput(open_output()), fields);
    return input.known_bytes();
  };
  if (to) {
    await_unlocked(path, wait);
    return copy(InputFile(path), [&] { return OutputFile(*to, overwrite); });
  }
  AppendedFile locked(path, wait);  // nobody appends to what is about to be replaced
  return copy(locked.reader(), [&] { return ReplacingFile(std::move(locked)); });
}

}  // namespace

ArchiveRepair repair_archive(std::filesystem::path const& path,
                             std::optional<std::filesystem::path> const& to, Overwrite overwrite,
                             RepairOptions const& options) {
  return named("repair_archive", [&] { return repair(path, to, overwrite, options); });
}

std::uint64_t compact_archive(std::filesystem::path const& path,
                              std::optional<std::filesystem::path> const& to, Overwrite overwrite,
                              std::chrono::milliseconds wait) {
  return named("compact_archive", [&] { return compact(path, to, overwrite, wait); });
}

}  // namespace kompakt
