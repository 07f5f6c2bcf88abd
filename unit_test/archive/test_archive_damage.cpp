#include "archive_case.hpp"

#include <algorithm>

namespace kompakt::test {
namespace {

using Fields = std::vector<StoredField>;

/// How many fields are complete, with the block that names them, in the first so many bytes.
std::size_t complete_fields(SmallArchive const& archive, std::size_t bytes) {
  TemporaryFolder const folder;
  put(folder / "a", archive.bytes);
  std::size_t count = 0;
  ArchiveReader const reader(folder / "a");
  for (ArchiveEntry const& entry : reader.entries()) {
    // docs/format.md: a block begins at a multiple of 16; its length is at byte 24.
    std::size_t const block = (entry.offset + entry.bytes + 15) / 16 * 16;
    std::uint64_t length = 0;
    std::memcpy(&length, archive.bytes.data() + block + 24, 8);
    count += block + length <= bytes ? 1 : 0;
  }
  return count;
}

TEST(ArchiveDamage, TruncatedAtEveryByte_IsAnOlderStateOrSaysRepairWhichFindsAllThatIsThere) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  for (std::size_t size = 0; size < archive.bytes.size(); ++size) {
    SCOPED_TRACE(size);
    put(folder / "a", archive.bytes.substr(0, size));
    auto const state = std::find(archive.lengths.begin(), archive.lengths.end(), size);
    if (state != archive.lengths.end()) {
      std::size_t const count = static_cast<std::size_t>(state - archive.lengths.begin());
      ASSERT_EQ(read_archive(folder / "a"), archive.first(count));
      continue;
    }
    Refusal const refusal = refusal_of([&] { ArchiveReader reader(folder / "a"); });
    // Less than the block at the start is no sign of an archive.
    if (size < 32) {
      ASSERT_EQ(refusal.status, Status::bad_magic) << refusal.what;
      continue;
    }
    ASSERT_EQ(refusal.status, Status::corrupt) << refusal.what;
    ASSERT_NE(refusal.what.find("kompakt repair -i"), std::string::npos) << refusal.what;
    ASSERT_EQ(refusal_of([&] { ArchiveWriter::append_to(folder / "a"); }).status, Status::corrupt);

    Fields const expected = archive.first(complete_fields(archive, size));
    // Each repair waits for the disk: every size of the last append is tried, and some of the others, in one
    // of the two ways.
    if (size < archive.lengths[2] && size % 5 != 0) continue;
    bool const copies = size % 3 == 0;
    ArchiveRepair const repair = copies ? repair_archive(folder / "a", folder / "b", Overwrite::yes)
                                        : repair_archive(folder / "a");
    ASSERT_FALSE(repair.was_intact);
    ASSERT_EQ(repair.kept.size(), expected.size());
    ASSERT_EQ(contents(folder / "a").substr(0, size), archive.bytes.substr(0, size));
    ASSERT_EQ(read_archive(folder / (copies ? "b" : "a")), expected);
  }
}

TEST(ArchiveDamage, AppendBehindARepairedEnd_SurvivesAnotherRepair) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  std::size_t const last = archive.lengths[2];
  for (std::size_t size = last + 1; size < archive.bytes.size(); size += 7) {
    SCOPED_TRACE(size);
    put(folder / "a", archive.bytes.substr(0, size));
    repair_archive(folder / "a");
    Fields expected = read_archive(folder / "a");
    expected.push_back({"new", {{"k", "v"}}, golden("zeros_f64")});
    append_to_archive(folder / "a", expected.back());
    ASSERT_EQ(read_archive(folder / "a"), expected);
    put(folder / "a", contents(folder / "a") + "an append that was not finished");
    ASSERT_EQ(refusal_of([&] { ArchiveReader reader(folder / "a"); }).status, Status::corrupt);
    ArchiveRepair const repair = repair_archive(folder / "a");
    ASSERT_EQ(repair.unused_bytes, 31u);
    ASSERT_EQ(read_archive(folder / "a"), expected);
  }
}

TEST(ArchiveDamage, EveryBitOfEveryByteFlipped_IsAnErrorOrTheSameFields) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  for (std::size_t bit = 0; bit < 8 * archive.bytes.size(); bit += bit % 8 == 3 ? 5 : 3) {
    SCOPED_TRACE(bit);
    std::string damaged = archive.bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    put(folder / "a", damaged);
    Fields fields;
    Refusal const refusal = refusal_of([&] { fields = read_archive(folder / "a"); });
    if (refusal.status == Status::ok) {
      ASSERT_EQ(fields, archive.fields);
      continue;
    }
    // One damaged block, or one damaged stream: of all else nothing is lost.
    ASSERT_TRUE(refusal.status == Status::corrupt || refusal.status == Status::bad_magic ||
                refusal.status == Status::unsupported_version)
        << refusal.what;
    ArchiveRepair const repair = repair_archive(folder / "a", folder / "b", Overwrite::yes);
    ASSERT_EQ(repair.kept.size(), archive.fields.size());
  }
}

TEST(ArchiveDamage, StreamAltered_IsFoundWhenItIsRead) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  put(folder / "a", archive.bytes);
  ArchiveReader const reader(folder / "a");
  for (ArchiveEntry const& entry : reader.entries()) {
    for (std::size_t at = 0; at < entry.bytes; ++at) {
      std::string damaged = archive.bytes;
      damaged[entry.offset + at] = static_cast<char>(damaged[entry.offset + at] ^ 0x10);
      put(folder / "a", damaged);
      ASSERT_EQ(refusal_of([&] { ArchiveReader(folder / "a").read(entry.name); }).status,
                Status::corrupt)
          << at;
    }
  }
}

TEST(ArchiveDamage, LostIndexAndDamagedField_KeepsTheOthersAndNamesIt) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  // All is written but not confirmed: each stream is checked whole.
  write_archive(folder / "a", archive.fields);
  std::string const sound = contents(folder / "a");
  std::vector<ArchiveEntry> const entries = ArchiveReader(folder / "a").entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::string damaged = sound.substr(0, sound.size() - 1);
    damaged[entries[i].offset + entries[i].bytes - 1] ^= 1;
    put(folder / "a", damaged);
    ArchiveRepair const repair = repair_archive(folder / "a", folder / "b", Overwrite::yes);
    ASSERT_EQ(repair.dropped.size(), 1u);
    EXPECT_EQ(repair.dropped[0].rfind("'" + entries[i].name + "': ", 0), 0u) << repair.dropped[0];
    Fields expected = archive.fields;
    expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(read_archive(folder / "b"), expected);
  }
}

TEST(ArchiveDamage, IntactArchive_IsLeftAloneOrCopied) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  put(folder / "a", archive.bytes);
  ArchiveRepair const repair = repair_archive(folder / "a");
  EXPECT_TRUE(repair.was_intact);
  EXPECT_EQ(repair.kept.size(), 3u);
  EXPECT_EQ(contents(folder / "a"), archive.bytes);
  EXPECT_TRUE(repair_archive(folder / "a", folder / "b").was_intact);
  EXPECT_EQ(read_archive(folder / "b"), archive.fields);
  EXPECT_LT(contents(folder / "b").size(), archive.bytes.size());  // one index instead of four
  EXPECT_EQ(refusal_of([&] { repair_archive(folder / "a", folder / "b"); }).status, Status::io);
}

TEST(ArchiveDamage, ArchiveInsideOfAStream_IsNotTakenForTheOuterOne) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  put(folder / "a", golden("constant_f32") + archive.bytes);
  EXPECT_EQ(refusal_of([&] { repair_archive(folder / "a"); }).status, Status::bad_magic);
  put(folder / "a", archive.bytes + archive.bytes + "x");
  EXPECT_EQ(repair_archive(folder / "a").kept.size(), 3u);
  EXPECT_EQ(read_archive(folder / "a"), archive.fields);
}

}  // namespace
}  // namespace kompakt::test
