#include "archive_case.hpp"

#include <algorithm>
#include <cli/parts/signals.hpp>
#include <csignal>
#include <cstring>
#include <kompakt/frames.hpp>
#include <stdexcept>
#include <support/child.hpp>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

namespace kompakt::test {
namespace {

using Names = std::set<std::string>;
using Fields = std::vector<StoredField>;

StoredField any_field(Random& random, std::size_t number) {
  std::vector<std::string> const streams = small_streams();
  StoredField field{"field " + std::to_string(number), {}, streams[random.below(streams.size())]};
  for (std::uint64_t i = random.below(4); i > 0; --i) {
    field.attributes.emplace_back("key " + std::to_string(i), std::string(random.below(40), 'v'));
  }
  return field;
}

TEST(Archive, AnySequenceOfAppends_ReadsBack) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    KOMPAKT_TRACE_SEED(seed);
    Random random(seed);
    TemporaryFolder const folder;
    Fields fields;
    write_archive(folder / "a", {});
    EXPECT_EQ(read_archive(folder / "a"), fields);
    for (std::uint64_t commits = random.below(6); commits > 0; --commits) {
      ArchiveWriter writer = ArchiveWriter::append_to(folder / "a");
      for (std::uint64_t appends = random.below(4); appends > 0; --appends) {
        fields.push_back(any_field(random, fields.size()));
        append(writer, fields.back());
      }
      writer.commit();
      EXPECT_EQ(read_archive(folder / "a"), fields);
    }
    EXPECT_EQ(folder.names(), Names({"a"}));
  }
}

TEST(Archive, Entries_SayWhereStreamsLie) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  put(folder / "a", archive.bytes);
  ArchiveReader const reader(folder / "a");
  ASSERT_EQ(reader.entries().size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    ArchiveEntry const& entry = reader.entries()[i];
    EXPECT_EQ(entry.offset % 16, 0u);
    EXPECT_EQ(archive.bytes.substr(entry.offset, entry.bytes), archive.fields[i].stream);
    EXPECT_EQ(reader.entry(entry.name), entry);
  }
  EXPECT_TRUE(is_archive(folder / "a"));
}

TEST(Archive, OfCalls_ReadsWhatIsAskedFor) {
  SmallArchive const archive;
  auto const file_of = [](std::string const& bytes, bool const& fails) {
    return InputFile::of_calls(
        bytes.size(),
        [&](std::uint64_t position, std::span<std::byte> destination) {
          if (fails) throw std::runtime_error("the store is gone");
          std::memcpy(destination.data(), bytes.data() + position, destination.size());
        },
        "store/run.kpk");
  };
  bool fails = false;
  ArchiveReader reader(file_of(archive.bytes, fails));
  ASSERT_EQ(reader.entries().size(), 3u);
  for (StoredField const& field : archive.fields) {
    std::vector<std::byte> const stream = reader.read(field.name);
    EXPECT_TRUE(std::ranges::equal(stream, bytes_of(field.stream)));
    EXPECT_EQ(FrameReader(reader.open(field.name)).next(), true);
  }
  fails = true;
  EXPECT_THROW(reader.read("p"), std::runtime_error);
  EXPECT_THROW(ArchiveReader(file_of(archive.bytes, fails)), std::runtime_error);
  fails = false;
  std::string const other(400, 'x');
  Refusal const refusal = refusal_of([&] { ArchiveReader(file_of(other, fails)); });
  EXPECT_EQ(refusal.status, Status::bad_magic);
  EXPECT_NE(refusal.what.find("'store/run.kpk'"), std::string::npos) << refusal.what;
}

TEST(Archive, FrameByFrame_IsTheSameFile) {
  TemporaryFolder const folder;
  std::string const stream = repeated(golden("constant_f32"), 3);
  write_archive(folder / "a", {{"x", {{"k", "v"}}, stream}});
  ArchiveWriter writer(folder / "b", Overwrite::no);
  writer.begin("x", {{"k", "v"}});
  for (std::size_t at = 0; at < stream.size(); at = (at + 15) / 16 * 16) {
    std::string const rest = stream.substr(at);
    std::size_t const bytes = inspect_next(bytes_of(rest)).bytes;
    writer.add_frame(bytes_of(rest).first(bytes));
    at += bytes;
  }
  writer.end();
  writer.commit();
  EXPECT_EQ(contents(folder / "b"), contents(folder / "a"));
}

TEST(Archive, WithoutCommit_StaysAsItWas) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  put(folder / "a", archive.bytes);
  {
    ArchiveWriter writer = ArchiveWriter::append_to(folder / "a");
    writer.append("new", {}, bytes_of(golden("zeros_f32")));
    EXPECT_GT(contents(folder / "a").size(), archive.bytes.size());
    ArchiveWriter created(folder / "b", Overwrite::no);
    created.append("new", {}, bytes_of(golden("zeros_f32")));
  }
  EXPECT_EQ(contents(folder / "a"), archive.bytes);
  EXPECT_EQ(folder.names(), Names({"a"}));
}

TEST(Archive, NoRoomWhileAppending_StaysAsItWas) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  put(folder / "a", archive.bytes);
  std::string const stream = golden("huffman_large_radius_f32");
  int const status = status_of_child([&] {
    rlimit const limit{archive.bytes.size() + stream.size() / 2,
                       archive.bytes.size() + stream.size() / 2};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    Refusal const refusal = refusal_of([&] {
      append_to_archive(folder / "a", {"large", {}, stream});
    });
    return refusal.status;
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(Status::io));
  EXPECT_EQ(contents(folder / "a"), archive.bytes);
}

TEST(Archive, SignalWhileAppending_RestoresTheLength) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  put(folder / "a", archive.bytes);
  int const status = status_of_child([&] {
    cli::install_signal_handlers();
    ArchiveWriter writer = ArchiveWriter::append_to(folder / "a");
    writer.append("new", {}, bytes_of(golden("zeros_f32")));
    ::raise(SIGTERM);
    return 0;
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_EQ(contents(folder / "a"), archive.bytes);
}

TEST(Archive, WriterInAForkedProcess_LeavesTheFileAlone) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  put(folder / "a", archive.bytes);
  std::optional<ArchiveWriter> writer(ArchiveWriter::append_to(folder / "a"));
  writer->append("first", {}, bytes_of(golden("zeros_f32")));
  int const status = status_of_child([&] {
    auto const refusal =
        refusal_of([&] { writer->append("of the child", {}, bytes_of(golden("zeros_f32"))); });
    writer.reset();
    return refusal.status;
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(Status::io));
  writer->append("second", {}, bytes_of(golden("zeros_f32")));
  writer->commit();
  ArchiveReader const reader(folder / "a");
  EXPECT_EQ(reader.entries().size(), archive.fields.size() + 2);
}

TEST(Archive, SecondWriter_IsRefusedUntilTheFirstIsDone) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  put(folder / "a", archive.bytes);
  {
    ArchiveWriter writer = ArchiveWriter::append_to(folder / "a");
    writer.append("new", {}, bytes_of(golden("zeros_f32")));
    for (Refusal const& refusal :
         {refusal_of([&] { ArchiveWriter::append_to(folder / "a"); }),
          refusal_of([&] { repair_archive(folder / "a"); }),
          refusal_of([&] { repair_archive(folder / "a", folder / "b"); })}) {
      EXPECT_EQ(refusal.status, Status::io) << refusal.what;
      EXPECT_NE(refusal.what.find("try again"), std::string::npos) << refusal.what;
    }
    EXPECT_EQ(read_archive(folder / "a"), archive.fields);  // as it was before
    writer.commit();
  }
  EXPECT_EQ(read_archive(folder / "a").size(), 4u);
  append_to_archive(folder / "a", {"newer", {}, golden("zeros_f32")});
  EXPECT_EQ(read_archive(folder / "a").size(), 5u);
}

TEST(Archive, ReadWhileALargeFieldIsAppended_IsAsItWasBefore) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  put(folder / "a", archive.bytes);
  ArchiveWriter writer = ArchiveWriter::append_to(folder / "a");
  std::string const stream = golden("huffman_large_radius_f64");
  for (int i = 0; i < 50; ++i) {
    writer.append("large " + std::to_string(i), {}, bytes_of(stream));
    ASSERT_EQ(read_archive(folder / "a"), archive.fields) << i;
  }
  EXPECT_GT(contents(folder / "a").size(), std::size_t{2} << 20);
  writer.commit();
  EXPECT_EQ(read_archive(folder / "a").size(), 53u);
}

TEST(Archive, TakenNameOrMissingField_IsNamed) {
  SmallArchive const archive;
  TemporaryFolder const folder;
  put(folder / "a", archive.bytes);
  Refusal refusal = refusal_of([&] { append_to_archive(folder / "a", archive.fields[0]); });
  EXPECT_EQ(refusal.status, Status::bad_argument);
  EXPECT_NE(refusal.what.find("'temperature'"), std::string::npos) << refusal.what;
  refusal = refusal_of([&] { ArchiveReader(folder / "a").read("salt"); });
  EXPECT_EQ(refusal.status, Status::bad_argument);
  for (char const* name : {"'salt'", "'temperature'", "'p'", "'Größe'"}) {
    EXPECT_NE(refusal.what.find(name), std::string::npos) << refusal.what;
  }
  EXPECT_EQ(contents(folder / "a"), archive.bytes);
}

TEST(Archive, WhatIsNotAStream_IsRefused) {
  TemporaryFolder const folder;
  ArchiveWriter writer(folder / "a", Overwrite::no);
  std::string const stream = golden("constant_f32"), parts = repeated(stream, 3);
  for (std::string const& bad :
       {std::string(), std::string(500, 'x'), stream.substr(0, stream.size() - 1), stream + "x",
        stream + stream, parts.substr(0, parts.size() / 2)}) {
    Refusal const refusal = refusal_of([&] { writer.append("x", {}, bytes_of(bad)); });
    EXPECT_TRUE(refusal.status == Status::corrupt || refusal.status == Status::bad_magic)
        << bad.size() << refusal.what;
  }
  EXPECT_EQ(refusal_of([&] {
              writer.begin("x", {});
              writer.end();
            }).status,
            Status::bad_argument);
  writer.append("x", {}, bytes_of(stream));
  writer.commit();
  EXPECT_EQ(read_archive(folder / "a"), Fields({{"x", {}, stream}}));
}

TEST(Archive, OtherFiles_AreNoArchives) {
  TemporaryFolder const folder;
  for (std::string const& bytes : {std::string(), std::string("x"), std::string(4096, 'x'),
                                   golden("constant_f32"), golden("brick_3d_f32")}) {
    put(folder / "a", bytes);
    EXPECT_FALSE(is_archive(folder / "a"));
    for (Refusal const& refusal : {refusal_of([&] { ArchiveReader reader(folder / "a"); }),
                                   refusal_of([&] { ArchiveWriter::append_to(folder / "a"); }),
                                   refusal_of([&] { repair_archive(folder / "a"); })}) {
      EXPECT_EQ(refusal.status, Status::bad_magic) << refusal.what;
    }
    EXPECT_EQ(contents(folder / "a"), bytes);
  }
  EXPECT_EQ(refusal_of([&] { ArchiveReader reader("/nowhere/a"); }).status, Status::io);
  EXPECT_FALSE(is_archive("/dev/null"));
}

}  // namespace
}  // namespace kompakt::test
