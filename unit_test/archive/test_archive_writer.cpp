#include "archive_case.hpp"

#include <chrono>
#include <fstream>
#include <kompakt/sequence.hpp>
#include <sys/file.h>
#include <thread>
#include <utility>

namespace kompakt::test {
namespace {

using Fields = std::vector<StoredField>;
using namespace std::chrono_literals;

std::string const stream = golden("constant_f32");

void expect_out_of_turn(std::function<void()> const& call, std::string const& needed) {
  Refusal const refusal = refusal_of(call);
  EXPECT_EQ(refusal.status, Status::bad_argument) << refusal.what;
  EXPECT_NE(refusal.what.find(needed), std::string::npos) << refusal.what;
}

TEST(ArchiveWriter, FieldWithoutItsEnd_IsNeitherLostNorTakenForComplete) {
  TemporaryFolder const folder;
  ArchiveWriter writer(folder / "a", Overwrite::no);
  writer.begin("x", {});
  writer.add_frame(bytes_of(stream));
  for (auto const& call : std::vector<std::function<void()>>{
           [&] { writer.commit(); }, [&] { writer.begin("y", {}); },
           [&] { writer.append("y", {}, bytes_of(stream)); }, [&] { writer.remove("x"); }}) {
    expect_out_of_turn(call, "'x' is not complete; call end() first");
  }
  EXPECT_TRUE(folder.names().size() == 1);  // which has no name yet
  writer.end();
  writer.commit();
  EXPECT_EQ(read_archive(folder / "a"), Fields({{"x", {}, stream}}));
}

TEST(ArchiveWriter, FramesWithoutABegin_AreRefused) {
  TemporaryFolder const folder;
  ArchiveWriter writer(folder / "a", Overwrite::no);
  for (int round = 0; round < 2; ++round) {
    expect_out_of_turn([&] { writer.add_frame(bytes_of(stream)); }, "call begin() first");
    expect_out_of_turn([&] { writer.end(); }, "call begin() first");
    writer.append(std::to_string(round), {}, bytes_of(stream));
  }
  writer.commit();
  EXPECT_EQ(read_archive(folder / "a").size(), 2u);
}

TEST(ArchiveWriter, FieldThatIsGivenUp_LeavesNothingButUnusedBytes) {
  TemporaryFolder const folder;
  ArchiveWriter writer(folder / "a", Overwrite::no);
  expect_out_of_turn([&] { writer.give_up(); }, "call begin() first");
  writer.append("before", {}, bytes_of(stream));
  for (int frames = 0; frames < 2; ++frames) {
    writer.begin("x", {{"units", "K"}});
    for (int i = 0; i < frames; ++i) writer.add_frame(bytes_of(stream));
    writer.give_up();
  }
  writer.append("behind", {}, bytes_of(stream));
  writer.commit();
  Fields const expected{{"before", {}, stream}, {"behind", {}, stream}};
  EXPECT_EQ(read_archive(folder / "a"), expected);
  // No trace of it is found where the index is lost, either.
  std::string const whole = contents(folder / "a");
  put(folder / "cut", whole.substr(0, whole.size() - 16));
  EXPECT_EQ(repair_archive(folder / "cut", folder / "repaired").kept.size(), 2u);
  EXPECT_EQ(read_archive(folder / "repaired"), expected);
}

TEST(ArchiveWriter, AnythingAfterCommit_IsRefusedAndChangesNothing) {
  TemporaryFolder const folder;
  ArchiveWriter writer(folder / "a", Overwrite::no);
  writer.append("x", {}, bytes_of(stream));
  writer.commit();
  std::string const bytes = contents(folder / "a");
  for (auto const& call :
       std::vector<std::function<void()>>{[&] { writer.commit(); }, [&] { writer.begin("y", {}); },
                                          [&] { writer.append("y", {}, bytes_of(stream)); },
                                          [&] { writer.add_frame(bytes_of(stream)); },
                                          [&] { writer.end(); }, [&] { writer.remove("x"); }}) {
    expect_out_of_turn(call, "append_to()");
  }
  EXPECT_EQ(contents(folder / "a"), bytes);
}

TEST(ArchiveWriter, EndThatIsRefused_GivesTheFieldUp) {
  TemporaryFolder const folder;
  ArchiveWriter writer(folder / "a", Overwrite::no);
  std::string const parts = repeated(stream, 2);
  writer.begin("x", {});
  writer.add_frame(bytes_of(parts).first(inspect_next(bytes_of(parts)).bytes));
  EXPECT_EQ(refusal_of([&] { writer.end(); }).status, Status::corrupt);  // half of the field
  writer.append("x", {}, bytes_of(stream));
  writer.commit();
  EXPECT_EQ(read_archive(folder / "a"), Fields({{"x", {}, stream}}));
}

/// Adds a stream frame by frame, as ranks of MPI do: somebody else writes the bytes, the last ones first.
void add_written_frames(ArchiveWriter& writer, std::string const& frames,
                        std::uint32_t damage = 0) {
  struct Written {
    std::uint64_t offset;
    std::string bytes;
  };
  std::vector<Written> written;
  std::uint64_t const begin = writer.frame_offset();
  for (std::size_t at = 0; at < frames.size(); at += padding_at(at)) {
    StreamInfo const info = inspect_next(bytes_of(frames).subspan(at));
    EXPECT_EQ(writer.frame_offset(), begin + at);
    written.push_back({begin + at, frames.substr(at, info.bytes)});
    writer.add_written_frame(
        info, checksum_of_frame(bytes_of(written.back().bytes), at) + std::exchange(damage, 0));
    at += info.bytes;
  }
  std::fstream file(writer.file(), std::ios::in | std::ios::out | std::ios::binary);
  for (auto frame = written.rbegin(); frame != written.rend(); ++frame) {
    file.seekp(static_cast<std::streamoff>(frame->offset));
    file << frame->bytes;
  }
}

TEST(ArchiveWriter, FramesThatOthersWrite_MakeTheSameArchive) {
  TemporaryFolder const folder;
  std::string const parts = repeated(golden("constant_f64"), 3);
  Fields const fields = {{"x", {}, parts}, {"y", {{"a", "b"}}, stream}, {"z", {}, parts}};
  write_archive(folder / "a", fields);
  ArchiveWriter writer(folder / "b", Overwrite::no);
  for (StoredField const& field : {fields[0], fields[1]}) {
    writer.begin(field.name, field.attributes);
    add_written_frames(writer, field.stream);
    writer.end();
  }
  append(writer, fields[2]);
  writer.commit();
  EXPECT_EQ(contents(folder / "b"), contents(folder / "a"));
  EXPECT_EQ(read_archive(folder / "b"), fields);
}

TEST(ArchiveWriter, FramesThatOthersAppend_MakeTheSameArchive) {
  TemporaryFolder const folder;
  StoredField const old{"old", {}, stream},
      added{"added", {}, repeated(golden("raw_tiles_f64"), 2)};
  for (char const* name : {"a", "b"}) write_archive(folder / name, {old});
  append_to_archive(folder / "a", added);
  ArchiveWriter writer = ArchiveWriter::append_to(folder / "b");
  writer.begin(added.name, {});
  add_written_frames(writer, added.stream);
  writer.end();
  writer.commit();
  EXPECT_EQ(contents(folder / "b"), contents(folder / "a"));
}

TEST(ArchiveWriter, FramesThatOthersWriteWithAWrongChecksum_AreFoundDamaged) {
  TemporaryFolder const folder;
  ArchiveWriter writer(folder / "a", Overwrite::no);
  writer.begin("x", {});
  add_written_frames(writer, repeated(stream, 2), 1);
  writer.end();
  writer.commit();
  EXPECT_EQ(refusal_of([&] { ArchiveReader(folder / "a").read("x"); }).status, Status::corrupt);
}

TEST(ArchiveWriter, FramesThatOthersWriteOutOfTurn_AreRefused) {
  TemporaryFolder const folder;
  ArchiveWriter writer(folder / "a", Overwrite::no);
  std::string const parts = repeated(stream, 2);
  StreamInfo const first = inspect_next(bytes_of(parts));
  expect_out_of_turn([&] { writer.add_written_frame(first, 0); }, "call begin() first");
  expect_out_of_turn([&] { writer.frame_offset(); }, "call begin() first");
  writer.begin("x", {});
  writer.add_written_frame(first, 0);
  EXPECT_EQ(refusal_of([&] { writer.add_written_frame(first, 0); }).status, Status::corrupt)
      << "the same part twice";
  EXPECT_EQ(refusal_of([&] { writer.end(); }).status, Status::corrupt) << "half of the field";
}

TEST(ArchiveWriter, WhoWaits_AppendsWhenTheLockIsFree) {
  TemporaryFolder const folder;
  write_archive(folder / "a", {});
  auto first = std::make_unique<ArchiveWriter>(ArchiveWriter::append_to(folder / "a"));
  first->append("x", {}, bytes_of(stream));
  std::thread other([&] {
    std::this_thread::sleep_for(100ms);
    first->commit();
    first.reset();
  });
  ArchiveWriter second = ArchiveWriter::append_to(folder / "a", 60s);
  other.join();
  second.append("y", {}, bytes_of(stream));
  second.commit();
  EXPECT_EQ(read_archive(folder / "a").size(), 2u);
}

TEST(ArchiveWriter, LockThatStays_IsToldWithItsHolder) {
  TemporaryFolder const folder;
  write_archive(folder / "a", {});
  ArchiveWriter const first = ArchiveWriter::append_to(folder / "a");
  auto const begin = std::chrono::steady_clock::now();
  Refusal const refusal = refusal_of([&] { ArchiveWriter::append_to(folder / "a", 1s); });
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 1s);
  EXPECT_EQ(refusal.status, Status::io);
  EXPECT_NE(refusal.what.find("after 1 s"), std::string::npos) << refusal.what;
  // Not every system tells.
  bool const named = refusal.what.find("process " + std::to_string(::getpid())) < std::string::npos;
  EXPECT_TRUE(named || refusal.what.find("another program") < std::string::npos) << refusal.what;
}

TEST(ArchiveWriter, ArchiveThatSomebodyAppendsTo_IsNotReplaced) {
  TemporaryFolder const folder;
  write_archive(folder / "a", {{"old", {}, stream}});
  ArchiveWriter appender = ArchiveWriter::append_to(folder / "a");
  appender.append("x", {}, bytes_of(stream));
  for (auto const& replace : {std::function([&] { write_archive(folder / "a", {}); }),
                              std::function([&] { compact_archive(folder / "a"); })}) {
    Refusal const refusal = refusal_of(replace);
    EXPECT_EQ(refusal.status, Status::io);
    EXPECT_NE(refusal.what.find("locked"), std::string::npos) << refusal.what;
  }
  appender.commit();
  EXPECT_EQ(read_archive(folder / "a").size(), 2u);
}

TEST(ArchiveWriter, ArchiveThatIsRemovedReplacedOrCutOff_IsNotCommitted) {
  TemporaryFolder const folder;
  auto const path = folder / "a";
  std::function<void()> const changes[] = {[&] { std::filesystem::remove(path); },
                                           [&] {
                                             write_archive(folder / "b", {});
                                             std::filesystem::rename(folder / "b", path);
                                           },
                                           [&] { std::filesystem::resize_file(path, 100); }};
  for (auto const& change : changes) {
    write_archive(path, {{"old", {}, stream}});
    ArchiveWriter appender = ArchiveWriter::append_to(path);
    appender.append("x", {}, bytes_of(stream));
    change();
    Refusal const refusal = refusal_of([&] { appender.commit(); });
    EXPECT_EQ(refusal.status, Status::io);
    EXPECT_NE(refusal.what.find("while it was appended to"), std::string::npos) << refusal.what;
  }
}

TEST(ArchiveWriter, ArchiveThatSomebodyElseMakesFirst_IsAppendedTo) {
  TemporaryFolder const folder;
  ArchiveWriter slow = ArchiveWriter::append_to_or_create(folder / "a");
  slow.append("x", {{"k", "v"}}, bytes_of(stream));
  slow.append("y", {}, bytes_of(repeated(stream, 3)));
  write_archive(folder / "a", {{"z", {}, golden("zeros_f32")}});
  slow.commit();
  EXPECT_EQ(read_archive(folder / "a"), Fields({{"z", {}, golden("zeros_f32")},
                                                {"x", {{"k", "v"}}, stream},
                                                {"y", {}, repeated(stream, 3)}}));
  EXPECT_EQ(folder.names(), std::set<std::string>({"a"}));
}

TEST(ArchiveWriter, NameThatSomebodyElseTakesFirst_IsRefusedAndTheOtherStays) {
  TemporaryFolder const folder;
  {
    ArchiveWriter slow = ArchiveWriter::append_to_or_create(folder / "a");
    slow.append("x", {}, bytes_of(stream));
    write_archive(folder / "a", {{"x", {}, golden("zeros_f32")}});
    EXPECT_EQ(refusal_of([&] { slow.commit(); }).status, Status::bad_argument);
    EXPECT_EQ(refusal_of([&] { slow.commit(); }).status, Status::io);
  }
  EXPECT_EQ(read_archive(folder / "a"), Fields({{"x", {}, golden("zeros_f32")}}));
  EXPECT_EQ(folder.names(), std::set<std::string>({"a"}));
}

TEST(ArchiveWriter, NewArchiveNotCommitted_IsNotThere) {
  TemporaryFolder const folder;
  {
    ArchiveWriter writer = ArchiveWriter::append_to_or_create(folder / "a");
    writer.append("x", {}, bytes_of(stream));
  }
  EXPECT_TRUE(folder.names().empty());
  ArchiveWriter writer = ArchiveWriter::append_to_or_create(folder / "a");
  writer.append("x", {}, bytes_of(stream));
  writer.commit();
  EXPECT_EQ(read_archive(folder / "a").size(), 1u);
}

}  // namespace
}  // namespace kompakt::test
