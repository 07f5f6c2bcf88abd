#include "temporary_folder.hpp"
#include <array>
#include <gtest/gtest.h>
#include <kompakt/files.hpp>
#include <sys/stat.h>
#include <thread>

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
  InputFile file(folder / "x", "test");
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
  InputFile file(folder / "pipe", "test");
  EXPECT_FALSE(file.bytes().has_value());
  EXPECT_EQ(read(file, 3), "abc");
  EXPECT_EQ(read(file, 3), "de");
  writer.join();
}

TEST(InputFile, MissingFile_IsNamed) {
  try {
    InputFile("/nowhere/x", "test");
    FAIL() << "opened";
  } catch (Error const& error) {
    EXPECT_EQ(error.status(), Status::io);
    EXPECT_EQ(std::string(error.what()).rfind("test: cannot open '/nowhere/x'", 0), 0u);
  }
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
