#include "archive_case.hpp"

#include <kompakt/verify.hpp>

namespace kompakt::test {
namespace {

TEST(Verify, IntactStreams_AreIntact) {
  TemporaryFolder const folder;
  std::size_t count = 0;
  for (auto const& file : std::filesystem::directory_iterator(KOMPAKT_GOLDEN_FOLDER)) {
    if (file.path().extension() != ".kpk") continue;
    std::vector<VerifiedStream> const found = verify_file(file.path());
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].is_intact()) << file.path() << found[0].damages[0].text();
    StreamInfo const info = inspect(bytes_of(contents(file.path())));
    EXPECT_EQ(found[0].chunks, info.chunks);
    EXPECT_EQ(found[0].has_checksums, info.checksum);
    ++count;
  }
  EXPECT_GT(count, 20u);
}

TEST(Verify, EveryByteDamaged_IsFoundAtItsPlace) {
  TemporaryFolder const folder;
  std::string const stream = golden("brick_3d_f32");
  std::string const file = repeated(stream, 2);
  std::size_t const second = (stream.size() + 15) / 16 * 16;
  StreamInfo const info = inspect(bytes_of(stream));
  ASSERT_TRUE(info.checksum);
  int unused = 0;
  for (std::size_t at = 0; at < file.size(); at += 1 + file.size() / 500) {
    if (at >= stream.size() && at < second + 8) continue;
    SCOPED_TRACE(at);
    std::string damaged = file;
    damaged[at] ^= 0x20;
    put(folder / "a", damaged);
    std::vector<VerifiedStream> found;
    Refusal const refusal = refusal_of([&] { found = verify_file(folder / "a", 2); });
    if (refusal.status != Status::ok) {
      ASSERT_LT(at, 24u) << refusal.what;  // its first bytes say what it is
      continue;
    }
    ASSERT_EQ(found.size(), 1u);
    if (found[0].is_intact()) {  // zeros between sections
      ASSERT_EQ(file[at], 0);
      ++unused;
      continue;
    }
    ASSERT_EQ(found[0].damages[0].frame, at < second ? 1u : 2u) << found[0].damages[0].text();
  }
  EXPECT_LT(unused, 10);
}

TEST(Verify, DamagedChunks_AreNamed) {
  TemporaryFolder const folder;
  std::string stream = golden("lossless_fill_f32");
  StreamInfo const info = inspect(bytes_of(stream));
  ASSERT_GT(info.chunks, 3u);
  stream.back() ^= 1;
  put(folder / "a", stream);
  VerifiedStream const found = verify_file(folder / "a").front();
  ASSERT_EQ(found.damage_count, 1u);
  EXPECT_EQ(found.damages[0].chunk, info.chunks - 1);
  EXPECT_EQ(found.damages[0].text(),
            "frame 1, chunk " + std::to_string(info.chunks - 1) + ": its checksum does not match");
}

TEST(Verify, FramesMissingOrCutOff_AreDamage) {
  TemporaryFolder const folder;
  std::string const stream = golden("constant_f32"), file = repeated(stream, 3);
  std::size_t const frame = (stream.size() + 15) / 16 * 16;
  for (std::string const& bytes :
       {file.substr(0, 2 * frame), file.substr(0, file.size() - 1), file + file, file + "x",
        file + std::string(64, '\0'), stream.substr(0, 80)}) {
    put(folder / "a", bytes);
    EXPECT_FALSE(verify_file(folder / "a").front().is_intact()) << bytes.size();
  }
  put(folder / "a", "no stream");
  EXPECT_EQ(refusal_of([&] { verify_file(folder / "a"); }).status, Status::bad_magic);
  EXPECT_EQ(refusal_of([&] { verify_file(folder / "none"); }).status, Status::io);
  EXPECT_EQ(refusal_of([&] { verify_file("/dev/null"); }).status, Status::io);
}

TEST(Verify, FieldsOfAnArchive_AreCheckedEachWithItsOwnChecksum) {
  TemporaryFolder const folder;
  SmallArchive const archive;
  put(folder / "a", archive.bytes);
  std::vector<ArchiveEntry> const entries = ArchiveReader(folder / "a").entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (std::size_t at = 0; at < entries[i].bytes; at += 3) {
      std::string damaged = archive.bytes;
      damaged[entries[i].offset + at] ^= 4;
      put(folder / "a", damaged);
      std::vector<VerifiedStream> const found = verify_file(folder / "a", 1);
      ASSERT_EQ(found.size(), 3u);
      for (std::size_t k = 0; k < 3; ++k) {
        ASSERT_EQ(found[k].name, archive.fields[k].name);
        ASSERT_EQ(found[k].is_intact(), k != i) << at;
      }
      ASSERT_EQ(found[i].damages[0].text(), "the checksum of its stream does not match");
    }
  }
}

// Of a field in many chunks and one in many frames.
TEST(Verify, Archives_AreReadOnce) {
  TemporaryFolder const folder;
  write_archive(folder / "a", {{"chunks", {}, golden("lossless_fill_f64")},
                               {"frames", {}, repeated(golden("lossless_fill_f32"), 3)}});
  std::size_t const bytes = contents(folder / "a").size();
  std::vector<ArchiveEntry> const entries = ArchiveReader(folder / "a").entries();
  std::uint64_t const before = bytes_read();
  for (VerifiedStream const& stream : verify_fields(folder / "a", entries, 2)) {
    EXPECT_TRUE(stream.is_intact());
  }
  // Fronts are looked at first, and entries of the index for their chunks.
  EXPECT_LT(bytes_read() - before, bytes + bytes / 5);
}

TEST(Verify, DamagedPayload_IsKeptByARepairOrDropped) {
  TemporaryFolder const folder;
  SmallArchive const archive;
  put(folder / "a", archive.bytes);
  ArchiveEntry const field = ArchiveReader(folder / "a").entry("p");
  std::string damaged = archive.bytes;
  damaged[field.offset + field.bytes - 1] ^= 1;
  put(folder / "a", damaged);
  ArchiveRepair repair = repair_archive(folder / "a");
  EXPECT_TRUE(repair.was_intact);
  EXPECT_EQ(repair.kept.size(), 3u);
  ASSERT_EQ(repair.damaged.size(), 1u);
  EXPECT_EQ(repair.damaged[0].rfind("'p': ", 0), 0u) << repair.damaged[0];
  EXPECT_EQ(contents(folder / "a"), damaged);
  RepairOptions options;
  options.drop_damaged = true;
  for (std::optional<std::filesystem::path> const& to :
       {std::optional(folder / "b"), std::optional<std::filesystem::path>()}) {
    repair = repair_archive(folder / "a", to, Overwrite::no, options);
    EXPECT_EQ(repair.dropped.size(), 1u);
    EXPECT_EQ(read_archive(to.value_or(folder / "a")),
              std::vector<StoredField>({archive.fields[0], archive.fields[2]}));
  }
  EXPECT_EQ(contents(folder / "a").substr(0, damaged.size()), damaged);
  EXPECT_TRUE(repair_archive(folder / "a").damaged.empty());
}

TEST(Verify, ArchiveWhoseNameAnotherHasGot_IsCheckedAsItWasOpened) {
  TemporaryFolder const folder;
  SmallArchive const archive;
  put(folder / "a", archive.bytes);
  InputFile const file(folder / "a");
  ArchiveReader const reader(file.again());
  put(folder / "b", std::string(archive.bytes.size(), 'x'));
  std::filesystem::rename(folder / "b", folder / "a");
  EXPECT_TRUE(is_archive(file));
  for (VerifiedStream const& stream : verify_fields(file, reader.entries())) {
    EXPECT_TRUE(stream.is_intact()) << stream.name;
  }
  EXPECT_FALSE(verify_fields(folder / "a", reader.entries()).front().is_intact());
}

}  // namespace
}  // namespace kompakt::test
