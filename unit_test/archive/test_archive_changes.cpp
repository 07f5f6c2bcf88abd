#include "archive_case.hpp"
#include <io/appended_file.hpp>

namespace kompakt::test {
namespace {

using Fields = std::vector<StoredField>;

void remove_from(std::filesystem::path const& path, std::string const& name) {
  ArchiveWriter writer = ArchiveWriter::append_to(path);
  writer.remove(name);
  writer.commit();
}

void replace_in(std::filesystem::path const& path, StoredField const& field) {
  ArchiveWriter writer = ArchiveWriter::append_to(path);
  writer.remove(field.name);
  append(writer, field);
  writer.commit();
}

/// The archive of three fields, without the first one, and with another second one.
struct ChangedArchive {
  SmallArchive before;
  StoredField replacement{"p", {{"units", "Pa"}}, golden("zeros_f64")};
  Fields fields{before.fields[2], replacement};
  std::size_t removed_at = 0;   // length when the first one was removed
  std::size_t replaced_at = 0;  // where the removal of the second one ends
  std::string bytes;

  ChangedArchive() {
    TemporaryFolder const folder;
    put(folder / "a", before.bytes);
    remove_from(folder / "a", "temperature");
    removed_at = contents(folder / "a").size();
    replace_in(folder / "a", replacement);
    bytes = contents(folder / "a");
    for (std::size_t at = removed_at; at + 32 <= bytes.size(); at += 16) {
      // docs/format.md: a removal is a block of kind 5.
      if (bytes.substr(at, 11) != std::string("\x89KPA\r\n\x1a\n\x01\0\x05", 11)) continue;
      std::uint64_t length = 0;
      std::memcpy(&length, bytes.data() + at + 24, 8);
      replaced_at = at + length;
    }
  }
  Fields after(std::size_t size) const {
    if (size >= bytes.size()) return fields;
    if (size >= removed_at) return {before.fields[1], before.fields[2]};
    return before.fields;
  }
};

TEST(ArchiveChanges, RemovedAndReplacedFields_AreNotListed) {
  ChangedArchive const archive;
  TemporaryFolder const folder;
  put(folder / "a", archive.bytes);
  EXPECT_EQ(archive.bytes.substr(0, archive.before.bytes.size()), archive.before.bytes);
  EXPECT_EQ(read_archive(folder / "a"), archive.fields);
  EXPECT_EQ(refusal_of([&] { remove_from(folder / "a", "temperature"); }).status,
            Status::bad_argument);
  StoredField const again{"temperature", {}, golden("zeros_f32")};
  append_to_archive(folder / "a", again);
  Fields all = archive.fields;
  all.push_back(again);
  EXPECT_EQ(read_archive(folder / "a"), all);
}

TEST(ArchiveChanges, ReaderOpenedBefore_ReadsWhatItOpened) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  put(folder / "a", archive.bytes);
  ArchiveReader reader(folder / "a");
  remove_from(folder / "a", archive.fields[0].name);
  compact_archive(folder / "a");
  for (StoredField const& field : archive.fields) {
    InputFile stream = reader.open(field.name);
    std::vector<std::byte> bytes(stream.known_bytes());
    stream.read_at(0, bytes);
    EXPECT_TRUE(std::ranges::equal(bytes, bytes_of(field.stream))) << field.name;
    EXPECT_TRUE(std::ranges::equal(reader.read(field.name), bytes_of(field.stream))) << field.name;
  }
  std::filesystem::remove(folder / "a");
  EXPECT_EQ(reader.open(archive.fields[0].name).bytes(), archive.fields[0].stream.size());
}

TEST(ArchiveChanges, FileThatIsOverwrittenInItsPlace_IsRefused) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  put(folder / "a", archive.bytes);
  ArchiveReader reader(folder / "a");
  remove_from(folder / "a", archive.fields[0].name);
  compact_archive(folder / "a", folder / "b");
  put(folder / "c", archive.bytes);
  ArchiveReader of_another(folder / "c");
  std::ofstream(folder / "c", std::ios::binary)
      << contents(folder / "b");  // the same file, other bytes
  for (StoredField const& field : archive.fields) {
    EXPECT_TRUE(std::ranges::equal(reader.read(field.name), bytes_of(field.stream)));
    EXPECT_EQ(refusal_of([&] { of_another.open(field.name); }).status, Status::corrupt);
    EXPECT_EQ(refusal_of([&] { of_another.read(field.name); }).status, Status::corrupt);
  }
}

TEST(ArchiveChanges, RemovedInTheSameCommit_NeverWasThere) {
  TemporaryFolder const folder;
  ArchiveWriter writer(folder / "a", Overwrite::no);
  writer.append("x", {}, bytes_of(golden("zeros_f32")));
  writer.remove("x");
  writer.append("x", {}, bytes_of(golden("zeros_f64")));
  writer.append("y", {}, bytes_of(golden("zeros_f32")));
  writer.remove("y");
  writer.commit();
  EXPECT_EQ(read_archive(folder / "a"), Fields({{"x", {}, golden("zeros_f64")}}));
  put(folder / "a", contents(folder / "a") + "x");
  EXPECT_EQ(repair_archive(folder / "a").kept.size(), 1u);
}

TEST(ArchiveChanges, WithoutCommit_StayUndone) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  put(folder / "a", archive.bytes);
  {
    ArchiveWriter writer = ArchiveWriter::append_to(folder / "a");
    writer.remove("p");
    EXPECT_EQ(writer.entries().size(), 2u);
    EXPECT_EQ(read_archive(folder / "a"), archive.fields);
  }
  EXPECT_EQ(contents(folder / "a"), archive.bytes);
}

/// Names of fields of which nothing is said twice, with the stream that is kept of each.
std::map<std::string, std::string> by_name(Fields const& fields) {
  std::map<std::string, std::string> streams;
  for (StoredField const& field : fields) streams.emplace(field.name, field.stream);
  EXPECT_EQ(streams.size(), fields.size());
  return streams;
}

TEST(ArchiveChanges, Interrupted_AreDoneOrNotAndNothingElseIsLost) {
  ChangedArchive const archive;
  TemporaryFolder const folder;
  // Each repair waits for the disk. Every third byte is tried, and where a block may end.
  for (std::size_t size = archive.before.bytes.size(); size <= archive.bytes.size(); ++size) {
    if (size % 3 != 0 && size % 16 != 0) continue;
    SCOPED_TRACE(size);
    put(folder / "a", archive.bytes.substr(0, size));
    bool const complete = size == archive.before.bytes.size() || size == archive.removed_at ||
                          size == archive.bytes.size();
    ASSERT_EQ(refusal_of([&] { ArchiveReader reader(folder / "a"); }).status,
              complete ? Status::ok : Status::corrupt);
    // The new field, if its removal of the old one is not there.
    ASSERT_LE(repair_archive(folder / "a", folder / "b", Overwrite::yes).dropped.size(), 1u);
    Fields const repaired = read_archive(folder / "b");
    if (repaired == archive.after(size)) continue;
    // The new field is whole, and its removal of the old one was written.
    ASSERT_GE(size, archive.replaced_at);
    ASSERT_GT(archive.replaced_at, archive.removed_at);
    ASSERT_EQ(by_name(repaired), by_name(archive.fields));
  }
}

TEST(ArchiveChanges, AnyByteDamagedBehindThem_BringNothingBack) {
  ChangedArchive const archive;
  TemporaryFolder const folder;
  // What follows is damaged: the commits of the changes are there.
  put(folder / "a", archive.bytes);
  append_to_archive(folder / "a", {"new", {}, golden("constant_f64")});
  std::string const bytes = contents(folder / "a");
  for (std::size_t at = archive.bytes.size(); at < bytes.size(); at += 7) {
    SCOPED_TRACE(at);
    std::string damaged = bytes;
    damaged[at] ^= 1;
    put(folder / "a", damaged);
    repair_archive(folder / "a", folder / "b", Overwrite::yes);
    ArchiveReader reader(folder / "b");
    ASSERT_LE(reader.entries().size(), 3u);
    ASSERT_EQ(refusal_of([&] { reader.entry("temperature"); }).status, Status::bad_argument);
    ASSERT_EQ(reader.read("p").size(), archive.replacement.stream.size());
  }
}

TEST(ArchiveChanges, AnyByteOfTheirOwnDamaged_LosesNoOtherFieldAndBringsNothingBack) {
  ChangedArchive const archive;
  TemporaryFolder const folder;
  put(folder / "a", archive.bytes);
  append_to_archive(folder / "a", {"new", {}, golden("constant_f64")});
  std::string const bytes = contents(folder / "a");
  for (std::size_t at = archive.before.bytes.size(); at < archive.bytes.size(); at += 7) {
    SCOPED_TRACE(at);
    std::string damaged = bytes;
    damaged[at] ^= 1;
    put(folder / "a", damaged);
    ArchiveRepair const repair = repair_archive(folder / "a", folder / "b", Overwrite::yes);
    std::set<std::string> names;
    for (ArchiveEntry const& entry : repair.kept) names.insert(entry.name);
    // Each removal is said twice and confirmed by a trailer: one of the three may be damaged.
    ASSERT_FALSE(names.contains("temperature"));
    ASSERT_TRUE(names.contains("new"));
    ASSERT_TRUE(names.contains("Größe"));
  }
}

TEST(ArchiveChanges, RepairAfterAnInterruptedRemoval_HoldsAgainstALaterRepair) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  put(folder / "a", archive.bytes);
  remove_from(folder / "a", "p");
  std::string const removed = contents(folder / "a");
  // Among others where a block may end.
  for (std::size_t size = archive.bytes.size() + 8; size < removed.size(); size += 8) {
    SCOPED_TRACE(size);
    put(folder / "a", removed.substr(0, size));
    repair_archive(folder / "a");
    ASSERT_EQ(read_archive(folder / "a"), archive.fields);
    // The index of the repair is lost: its trailer is still not that of the removal.
    std::string bytes = contents(folder / "a");
    bytes[bytes.size() - 60] ^= 1;
    put(folder / "a", bytes);
    repair_archive(folder / "a");
    ASSERT_EQ(read_archive(folder / "a"), archive.fields);
  }
}

TEST(ArchiveChanges, Compact_LeavesTheLiveFieldsAlone) {
  ChangedArchive const archive;
  TemporaryFolder const folder;
  put(folder / "a", archive.bytes);
  EXPECT_EQ(compact_archive(folder / "a", folder / "b"), archive.bytes.size());
  EXPECT_EQ(contents(folder / "a"), archive.bytes);
  EXPECT_EQ(refusal_of([&] { compact_archive(folder / "a", folder / "b"); }).status, Status::io);
  write_archive(folder / "c", archive.fields);  // by one commit
  EXPECT_EQ(contents(folder / "b"), contents(folder / "c"));
  compact_archive(folder / "a");
  EXPECT_EQ(contents(folder / "a"), contents(folder / "c"));
  EXPECT_EQ(folder.names(), std::set<std::string>({"a", "b", "c"}));
  append_to_archive(folder / "a", archive.before.fields[0]);
  EXPECT_EQ(read_archive(folder / "a").size(), 3u);
}

TEST(ArchiveChanges, CompactWhileSomebodyAppends_IsRefused) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  put(folder / "a", archive.bytes);
  ArchiveWriter const writer = ArchiveWriter::append_to(folder / "a");
  EXPECT_EQ(refusal_of([&] { compact_archive(folder / "a"); }).status, Status::io);
  EXPECT_EQ(contents(folder / "a"), archive.bytes);
}

TEST(ArchiveWriter, ToWhoseNameAnotherFileHasGot_TellsNobodyThePath) {
  TemporaryFolder const folder;
  SmallArchive const archive;
  put(folder / "a", archive.bytes);
  ArchiveWriter const writer = ArchiveWriter::append_to(folder / "a");
  EXPECT_EQ(writer.file(), folder / "a");
  put(folder / "b", "of others");
  std::filesystem::rename(folder / "b", folder / "a");
  EXPECT_EQ(refusal_of([&] { writer.file(); }).status, Status::io);
}

TEST(AppendedFile, WhoseNameAnotherHasGot_HasNoReader) {
  TemporaryFolder const folder;
  put(folder / "a", "old");
  impl::AppendedFile file(folder / "a");
  EXPECT_EQ(file.reader().known_bytes(), 3u);
  put(folder / "b", "new");
  std::filesystem::rename(folder / "b", folder / "a");
  Refusal const refusal = refusal_of([&] { file.reader(); });
  EXPECT_EQ(refusal.status, Status::io);
  EXPECT_NE(refusal.what.find("was replaced or changed while it was read"), std::string::npos)
      << refusal.what;
}

}  // namespace
}  // namespace kompakt::test
