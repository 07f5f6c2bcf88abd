#include "archive_case.hpp"

#include <chrono>
#include <sys/file.h>
#include <thread>

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
  EXPECT_TRUE(named || refusal.what.find("somebody else") < std::string::npos) << refusal.what;
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
