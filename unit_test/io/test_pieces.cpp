#include "temporary_folder.hpp"
#include <array>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <kompakt/files.hpp>
#include <support/errors.hpp>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace kompakt::test {
namespace {

using Names = std::set<std::string>;

std::string read(InputFile& file, std::size_t bytes) {
  std::string text(bytes, '\0');
  text.resize(file.read(std::as_writable_bytes(std::span(text.data(), text.size()))));
  return text;
}

TEST(InputFile, Pieces_FollowOneAnotherAndCanBeReadAgain) {
  TemporaryFolder const folder;
  put(folder / "x", "0123456789");
  InputFile file(folder / "x");
  EXPECT_EQ(file.bytes(), 10u);
  std::uint64_t const before = bytes_read();
  EXPECT_EQ(read(file, 4), "0123");
  EXPECT_EQ(read(file, 4), "4567");
  EXPECT_EQ(read(file, 4), "89");
  EXPECT_EQ(read(file, 4), "");
  EXPECT_EQ(bytes_read() - before, 10u);
  file.seek(3);
  EXPECT_EQ(read(file, 2), "34");
}

TEST(InputFile, PipeThatComesInDrops_FillsThePiece) {
  TemporaryFolder const folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream pipe(folder / "pipe");
    for (char const letter : {'a', 'b', 'c', 'd', 'e'}) pipe << letter << std::flush;
  });
  InputFile file(folder / "pipe");
  EXPECT_FALSE(file.bytes().has_value());
  EXPECT_EQ(read(file, 3), "abc");
  EXPECT_EQ(read(file, 3), "de");
  writer.join();
}

TEST(InputFile, MissingFile_IsNamed) {
  try {
    InputFile("/nowhere/x");
    FAIL() << "opened";
  } catch (Error const& error) {
    EXPECT_EQ(error.status(), Status::io);
    EXPECT_EQ(error.problem(), "cannot open '/nowhere/x': No such file or directory");
  }
}

TEST(InputFile, FileWhoseNameAnotherHasGot_IsRefused) {
  TemporaryFolder const folder;
  put(folder / "x", "old one");
  InputFile const old(folder / "x");
  auto const before = old.identity();
  ASSERT_TRUE(before);
  EXPECT_EQ(before->bytes, 7u);
  EXPECT_NO_THROW(InputFile(folder / "x").require_same(before));
  put(folder / "y", "new one");
  std::filesystem::last_write_time(folder / "y", std::filesystem::last_write_time(folder / "x"));
  std::filesystem::rename(folder / "y", folder / "x");
  Error const error = error_of([&] { InputFile(folder / "x").require_same(before); });
  EXPECT_EQ(error.status(), Status::io);
  EXPECT_EQ(error.problem(),
            "'" + (folder / "x").string() + "' was replaced or changed while it was read");
  EXPECT_EQ(error.advice(), "run the command again");
  InputFile again = old.again();
  EXPECT_EQ(read(again, 9), "old one");
}

TEST(InputFile, FileThatIsWrittenInItsPlace_IsRefused) {
  TemporaryFolder const folder;
  put(folder / "x", "old one");
  auto const before = InputFile(folder / "x").identity();
  auto const time = std::filesystem::last_write_time(folder / "x");
  put(folder / "x", "new one");
  std::filesystem::last_write_time(folder / "x", time + std::chrono::nanoseconds(1));
  EXPECT_EQ(error_of([&] { InputFile(folder / "x").require_same(before); }).status(), Status::io);
}

TEST(InputFile, StandardInputThatIsAFile_HasASecondReader) {
  TemporaryFolder const folder;
  put(folder / "x", "0123456789");
  int const own = ::dup(STDIN_FILENO), file = ::open((folder / "x").c_str(), O_RDONLY);
  ASSERT_EQ(::lseek(file, 2, SEEK_SET), 2);
  ASSERT_EQ(::dup2(file, STDIN_FILENO), STDIN_FILENO);
  {
    InputFile input = InputFile::standard_input();
    EXPECT_EQ(read(input, 3), "234");
    InputFile again = input.again();
    EXPECT_EQ(read(again, 4), "2345");
    EXPECT_EQ(read(input, 9), "56789");
    EXPECT_EQ(read(again, 9), "6789");
  }
  ::dup2(own, STDIN_FILENO);
  ::close(own);
  ::close(file);
}

FieldShape shape_of_bytes(std::size_t values) {
  return {.dtype = Dtype::u8, .rank = 1, .extents = {values}};
}

Status status_of_raw_field(TemporaryFolder const& folder, std::size_t values) {
  return error_of([&] { RawFieldReader(InputFile(folder / "x"), shape_of_bytes(values)); })
      .status();
}

TEST(RawFieldReader, Parts_FollowOneAnotherAndCanBeReadAgain) {
  TemporaryFolder const folder;
  put(folder / "x", "0123456789");
  RawFieldReader field(InputFile(folder / "x"), shape_of_bytes(10));
  ASSERT_TRUE(field.can_rewind());
  std::array<char, 6> first{};
  std::array<char, 4> second{};
  for (int i = 0; i < 2; ++i) {
    field.read(std::as_writable_bytes(std::span(first)));
    field.read(std::as_writable_bytes(std::span(second)));
    EXPECT_EQ(std::string(first.begin(), first.end()), "012345");
    EXPECT_EQ(std::string(second.begin(), second.end()), "6789");
    field.require_end();
    EXPECT_EQ(error_of([&] { field.read(std::as_writable_bytes(std::span(second))); }).status(),
              Status::bad_argument);
    field.rewind();
  }
}

TEST(RawFieldReader, FileOfAnotherSize_IsRefused) {
  TemporaryFolder const folder;
  put(folder / "x", "0123456789");
  EXPECT_EQ(status_of_raw_field(folder, 9), Status::bad_argument);
  EXPECT_EQ(status_of_raw_field(folder, 11), Status::bad_argument);
}

TEST(RawFieldReader, PipeThatGoesOn_IsRefusedBehindTheLastValue) {
  TemporaryFolder const folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(folder / "pipe") << "abcde"; });
  RawFieldReader field(InputFile(folder / "pipe"), shape_of_bytes(3));
  EXPECT_FALSE(field.can_rewind());
  std::array<std::byte, 3> values{};
  field.read(values);
  EXPECT_EQ(error_of([&] { field.require_end(); }).status(), Status::bad_argument);
  writer.join();
}

TEST(OutputFile, Pieces_AppearTogetherWhenCommitted) {
  TemporaryFolder const folder;
  put(folder / "x", "old");
  {
    OutputFile file(folder / "x", Overwrite::yes);
    file.write(bytes_of("new "));
    file.write(bytes_of("text"));
    EXPECT_EQ(contents(folder / "x"), "old");
    file.commit();
  }
  EXPECT_EQ(contents(folder / "x"), "new text");
  EXPECT_EQ(folder.names(), Names({"x"}));
}

TEST(OutputFile, WithoutCommit_LeavesNothing) {
  TemporaryFolder const folder;
  put(folder / "x", "old");
  for (char const* name : {"x", "y"}) {
    OutputFile file(folder / name, Overwrite::yes);
    file.write(bytes_of("new text"));
  }
  EXPECT_EQ(contents(folder / "x"), "old");
  EXPECT_EQ(folder.names(), Names({"x"}));
}

}  // namespace
}  // namespace kompakt::test
