#include "temporary_folder.hpp"
#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <io/partial_file.hpp>
#include <kompakt/io.hpp>
#include <support/errors.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace kompakt::test {
namespace {

using Names = std::set<std::string>;

/// The message has every one of `words`, and the status is `status`.
void expect_error(Error const& error, Status status, std::vector<std::string> const& words) {
  EXPECT_EQ(error.status(), status) << error.what();
  for (std::string const& word : words) {
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
        << "no '" << word << "' in: " << error.what();
  }
}

FieldShape shape_of_f32(std::vector<std::size_t> const& extents) {
  FieldShape shape;
  shape.rank = static_cast<int>(extents.size());
  std::copy(extents.begin(), extents.end(), shape.extents.begin());
  return shape;
}

// Longer than one piece of reading or writing, and no multiple of it.
std::string long_text() {
  std::string text(impl::piece_bytes * 2 + 12345, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 7 + i / 1000);
  return text;
}

TEST(ReadFile, FileOfSeveralPieces_ComesBackWhole) {
  TemporaryFolder const folder;
  std::string const text = long_text();
  put(folder / "long", text);
  std::vector<std::byte> const bytes = read_file(folder / "long");
  ASSERT_EQ(bytes.size(), text.size());
  EXPECT_EQ(std::memcmp(bytes.data(), text.data(), text.size()), 0);
}

TEST(ReadFile, EmptyFile_GivesNoBytes) {
  TemporaryFolder const folder;
  put(folder / "empty", "");
  EXPECT_TRUE(read_file(folder / "empty").empty());
}

TEST(ReadFile, FileWithoutKnownSize_ComesBackWhole) {
  // The kernel says 0 bytes for it.
  EXPECT_GT(read_file("/proc/self/status").size(), 100u);
}

TEST(ReadFile, MissingFile_NamesPathAndReason) {
  expect_error(error_of([] { read_file("/nowhere/x.kpk"); }), Status::io,
               {"read_file: cannot open '/nowhere/x.kpk'", "No such file or directory; "});
}

TEST(ReadFile, Folder_IsRefused) {
  TemporaryFolder const folder;
  expect_error(error_of([&] { read_file(folder.path()); }), Status::io,
               {folder.path().string(), "Is a directory"});
}

TEST(ReadRawField, SizeOfShape_IsRead) {
  TemporaryFolder const folder;
  put(folder / "f.f32", std::string(800, 'x'));
  EXPECT_EQ(read_raw_field(folder / "f.f32", shape_of_f32({10, 20})).size(), 800u);
}

TEST(ReadRawField, OtherSize_NamesBothSizes) {
  TemporaryFolder const folder;
  for (std::size_t const size : {0, 400, 799, 801, 1600}) {
    put(folder / "f.f32", std::string(size, 'x'));
    expect_error(
        error_of([&] {
          read_raw_field(folder / "f.f32", shape_of_f32({10, 20}));
        }),
        Status::bad_argument,
        {"read_raw_field: '" + (folder / "f.f32").string() + "' has " + std::to_string(size) +
             " bytes, but 10 x 20 values (-l 20x10) of f32 make 800",
         "check -l / --shape and -t"});
  }
}

TEST(ReadRawField, EndlessDevice_IsRefusedAfterTheField) {
  expect_error(error_of([] {
                 read_raw_field("/dev/zero", shape_of_f32({10, 20}));
               }),
               Status::bad_argument, {"more than 800 bytes"});
}

TEST(ReadRawField, ImpossibleShape_IsRefused) {
  std::size_t const big = std::size_t{1} << 32;
  expect_error(error_of([&] {
                 read_raw_field("/dev/zero", shape_of_f32({big, big}));
               }),
               Status::bad_argument, {"4294967296 x 4294967296", "2^60"});
  FieldShape shape = shape_of_f32({10});
  shape.rank = 9;
  expect_error(error_of([&] { read_raw_field("/dev/zero", shape); }), Status::bad_argument,
               {"rank 9"});
}

TEST(WriteFile, NewFile_HasTheBytesAndNothingIsLeftBeside) {
  TemporaryFolder const folder;
  std::string const text = long_text();
  write_file(folder / "x", bytes_of(text), Overwrite::no);
  EXPECT_EQ(contents(folder / "x"), text);
  EXPECT_EQ(folder.names(), Names({"x"}));
}

TEST(WriteFile, ExistingFileWithoutOverwrite_StaysAsItWas) {
  TemporaryFolder const folder;
  put(folder / "x", "old");
  expect_error(error_of([&] { write_file(folder / "x", bytes_of("new"), Overwrite::no); }),
               Status::io, {"write_file", (folder / "x").string(), "File exists"});
  EXPECT_EQ(contents(folder / "x"), "old");
  EXPECT_EQ(folder.names(), Names({"x"}));
}

TEST(WriteFile, ExistingFileWithOverwrite_IsReplacedAndKeepsItsPermissions) {
  TemporaryFolder const folder;
  put(folder / "x", "old and longer");
  ASSERT_EQ(::chmod((folder / "x").c_str(), 0640), 0);
  write_file(folder / "x", bytes_of("new"), Overwrite::yes);
  EXPECT_EQ(contents(folder / "x"), "new");
  EXPECT_EQ(std::filesystem::status(folder / "x").permissions(), std::filesystem::perms(0640));
  EXPECT_EQ(folder.names(), Names({"x"}));
}

TEST(WriteFile, NameTakenWhileWriting_IsNotReplaced) {
  TemporaryFolder const folder;
  impl::PartialFile partial(folder / "x");
  impl::write_all(partial.file(), bytes_of("new"), folder / "x");
  put(folder / "x", "somebody else's");
  expect_error(error_of([&] { partial.commit(Overwrite::no); }), Status::io,
               {(folder / "x").string(), "File exists"});
  EXPECT_EQ(contents(folder / "x"), "somebody else's");
}

TEST(WriteFile, TwoFilesAtOnce_DoNotMeet) {
  TemporaryFolder const folder;
  {
    impl::PartialFile first(folder / "x");
    impl::PartialFile second(folder / "x");
    EXPECT_EQ(folder.names().size(), 2u);
    impl::write_all(first.file(), bytes_of("first"), folder / "x");
    first.commit(Overwrite::no);
  }
  EXPECT_EQ(contents(folder / "x"), "first");
  EXPECT_EQ(folder.names(), Names({"x"}));
}

TEST(WriteFile, MissingFolder_SaysSo) {
  TemporaryFolder const folder;
  expect_error(error_of([&] { write_file(folder / "no/x.kpk", bytes_of("new"), Overwrite::no); }),
               Status::io,
               {"write_file: cannot create '" + (folder / "no/x.kpk").string() +
                "': No such file or directory; create the folder or choose another place"});
}

TEST(WriteFile, NameOfAFolder_IsRefused) {
  TemporaryFolder const folder;
  for (std::filesystem::path const& path : {folder.path(), folder / "", folder / "no/"}) {
    expect_error(error_of([&] { write_file(path, bytes_of("new"), Overwrite::yes); }), Status::io,
                 {path.string(), "name a file in it"});
  }
  EXPECT_TRUE(folder.names().empty());
}

TEST(WriteFile, SymbolicLink_StaysAndItsTargetIsWritten) {
  TemporaryFolder const folder;
  put(folder / "x", "old");
  std::filesystem::create_symlink("x", folder / "link");
  error_of([&] { write_file(folder / "link", bytes_of("new"), Overwrite::no); });
  EXPECT_EQ(contents(folder / "x"), "old");
  write_file(folder / "link", bytes_of("new"), Overwrite::yes);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(contents(folder / "x"), "new");
}

TEST(WriteFile, LinkToNowhereWithoutOverwrite_StaysAsItWas) {
  TemporaryFolder const folder;
  std::filesystem::create_symlink("nowhere", folder / "link");
  expect_error(error_of([&] { write_file(folder / "link", bytes_of("new"), Overwrite::no); }),
               Status::io, {"File exists"});
  EXPECT_EQ(folder.names(), Names({"link"}));
}

TEST(WriteFile, LinksToNowhere_StayAndTheFileThatTheyNameIsMade) {
  TemporaryFolder const folder;
  std::filesystem::create_symlink("second", folder / "link");
  std::filesystem::create_symlink("nowhere", folder / "second");
  write_file(folder / "link", bytes_of("new"), Overwrite::yes);
  EXPECT_EQ(folder.names(), Names({"link", "nowhere", "second"}));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "second"));
  EXPECT_EQ(contents(folder / "nowhere"), "new");
  std::filesystem::create_symlink("round", folder / "round");
  expect_error(error_of([&] { write_file(folder / "round", bytes_of("new"), Overwrite::yes); }),
               Status::io, {"/round'"});
  std::filesystem::create_symlink("gone/x", folder / "far");
  error_of([&] { write_file(folder / "far", bytes_of("new"), Overwrite::yes); });
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "far"));
}

// As /dev/stdout leads to a file that was deleted: renaming would replace the link, for all programs of the machine.
TEST(WriteFile, LinkToAFileWithoutAName_StaysAndTheFileIsWritten) {
  TemporaryFolder const folder;
  put(folder / "x", "something older");
  int const descriptor = ::open((folder / "x").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  std::filesystem::remove(folder / "x");
  std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(descriptor), folder / "link");
  expect_error(error_of([&] { write_file(folder / "link", bytes_of("new"), Overwrite::no); }),
               Status::io, {"File exists"});
  write_file(folder / "link", bytes_of("new"), Overwrite::yes);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(folder.names(), Names({"link"}));
  std::string bytes(16, ' ');
  bytes.resize(static_cast<std::size_t>(::pread(descriptor, bytes.data(), bytes.size(), 0)));
  EXPECT_EQ(bytes, "new");
  ::close(descriptor);
}

TEST(WriteFile, LongestPossibleName_IsWritten) {
  TemporaryFolder const folder;
  std::string const name(255, 'n');
  write_file(folder / name, bytes_of("new"), Overwrite::no);
  EXPECT_EQ(folder.names(), Names({name}));
}

TEST(WriteFile, Devices_AreWrittenInPlace) {
  write_file("/dev/null", bytes_of("new"), Overwrite::no);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  expect_error(error_of([] { write_file("/dev/full", bytes_of("new"), Overwrite::no); }),
               Status::io, {"/dev/full", "No space left on device"});
}

}  // namespace
}  // namespace kompakt::test
