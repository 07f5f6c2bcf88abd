#include "archives.hpp"
#include "slabs.hpp"

namespace kompakt::test {
namespace {

class CliVerify : public CliArchive {
 protected:
  void flip(std::string const& path, std::uint64_t at) const {
    std::string bytes = contents(path);
    bytes[at] ^= 1;
    put(path, bytes);
  }
};

TEST_F(CliVerify, IntactFiles_AreIntact) {
  store_two();
  for (std::string const threads : {"1", "5"}) {
    Outcome const outcome =
        kompakt({"verify", archive(), file("f.kpk"), "--threads", threads, "--json"});
    ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
    nlohmann::json const json = outcome.json();
    EXPECT_EQ(json.at("intact"), true);
    EXPECT_EQ(json.at("files")[0].at("fields")[1].at("name"), "p");
    EXPECT_EQ(json.at("files")[1].at("fields")[0].at("chunks"), 10);
  }
  Outcome const text = kompakt({"verify", archive(), file("f.kpk")});
  EXPECT_TRUE(text.is(Status::ok)) << text;
  EXPECT_NE(text.out.find("intact  " + archive() + ": 2 frames, 20 chunks"), std::string::npos)
      << text;
  expect_refused({"verify", "-"}, Status::bad_argument, {"standard input", "name a file"});
  expect_refused({"verify", archive(), "--threads", "0"}, Status::bad_argument, {"--threads"});
  expect_refused({"verify"}, Status::bad_argument, {"files"});
}

TEST_F(CliVerify, Damage_IsNamedWithFieldFrameAndChunk) {
  store_two();
  ArchiveEntry const field = ArchiveReader(archive()).entry("p");
  flip(archive(), field.offset + field.bytes - 1);
  flip(file("f.kpk"), 70);  // its section table
  Outcome const outcome =
      kompakt({"verify", archive(), file("f.kpk"), file("g.kpk"), file("none"), file("f.f32")});
  EXPECT_TRUE(outcome.is(Status::corrupt)) << outcome;
  for (std::string const& word :
       {archive() + ":p, frame 1, chunk 9: its checksum does not match",
        archive() + ":p, the checksum of its stream does not match",
        file("f.kpk") + ", frame 1: its front: the checksum of the header",
        "intact   " + file("g.kpk"), std::string("'") + file("none"),
        file("f.f32") + "': these bytes are not a kompakt"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << outcome;
  }
  EXPECT_EQ(outcome.out.find(":temperature, "), std::string::npos) << outcome;
  nlohmann::json const json = kompakt({"verify", archive(), "--json"}).json();
  EXPECT_EQ(json.at("intact"), false);
  nlohmann::json const& damages = json.at("files")[0].at("fields")[1].at("damages");
  ASSERT_EQ(damages.size(), 2u);
  EXPECT_EQ(damages[0].at("frame"), nullptr);
  EXPECT_EQ(damages[1].at("chunk"), 9);
  EXPECT_EQ(json.at("files")[0].at("fields")[0].at("intact"), true);
}

TEST_F(CliVerify, AnyByteOfAPackedStream_IsFound) {
  ASSERT_TRUE(kompakt(compress_words("f32", file("n.kpk"), {"--pack"})).is(Status::ok));
  Outcome const sound = kompakt({"verify", file("n.kpk")});
  ASSERT_TRUE(sound.is(Status::ok)) << sound;
  std::uintmax_t const bytes = std::filesystem::file_size(file("n.kpk"));
  for (std::uintmax_t at = 8; at < bytes; at += 1 + bytes / 60) {
    flip(file("n.kpk"), at);
    Outcome const outcome = kompakt({"verify", file("n.kpk")});
    EXPECT_FALSE(outcome.is(Status::ok)) << "byte " << at << " of " << bytes << outcome;
    EXPECT_EQ(outcome.signal, 0);
    flip(file("n.kpk"), at);
  }
}

TEST_F(CliVerify, StreamsWithoutChecksums_AreSaidToHaveNone) {
  ASSERT_TRUE(kompakt(compress_words("f32", file("n.kpk"), {"--no-checksum"})).is(Status::ok));
  Outcome const outcome = kompakt({"verify", file("n.kpk")});
  EXPECT_TRUE(outcome.is(Status::ok)) << outcome;
  EXPECT_NE(outcome.out.find("no checksums"), std::string::npos) << outcome;
  EXPECT_EQ(kompakt({"verify", file("n.kpk"), "--json"})
                .json()
                .at("files")[0]
                .at("fields")[0]
                .at("checksum"),
            false);
}

TEST_F(CliVerify, Repair_KeepsDamagedFieldsAndSaysSoOrDropsThem) {
  store_two();
  ArchiveEntry const field = ArchiveReader(archive()).entry("p");
  flip(archive(), field.offset + field.bytes - 1);
  Outcome const outcome = kompakt({"repair", "-i", archive()});
  EXPECT_TRUE(outcome.is(Status::corrupt)) << outcome;
  EXPECT_NE(outcome.out.find("damaged  'p': "), std::string::npos) << outcome;
  EXPECT_NE(outcome.out.find("; kept"), std::string::npos) << outcome;
  EXPECT_EQ(outcome.out.find("intact, nothing"), std::string::npos) << outcome;
  EXPECT_EQ(names_of_fields(archive()), "temperature p ");
  nlohmann::json const json = kompakt({"repair", "-i", archive(), "--json"}).json();
  EXPECT_EQ(json.at("intact"), false);
  EXPECT_EQ(json.at("damaged").size(), 1u);
  Outcome const dropped = kompakt({"repair", "-i", archive(), "--drop-damaged"});
  EXPECT_TRUE(dropped.is(Status::ok)) << dropped;
  EXPECT_EQ(names_of_fields(archive()), "temperature ");
  EXPECT_TRUE(kompakt({"verify", archive()}).is(Status::ok));
}

TEST_F(CliVerify, FileThatIsNotThere_IsNamedWithoutAFunctionOfTheLibrary) {
  Outcome const outcome = kompakt({"verify", file("nothing.kpk"), "--json"});
  EXPECT_TRUE(outcome.is(Status::io)) << outcome;
  EXPECT_EQ(outcome.json().at("files")[0].at("error").get<std::string>().find("cannot open"), 0u);
}

class CliVerifyOfSlabs : public CliSlabs {};

TEST_F(CliVerifyOfSlabs, FramesOfALargeField_AreCheckedSideBySide) {
  LargeField const field = random_field<float>({200, 100, 100});
  Words const words = compress(field, {"-m", "lossless", "--memory", little_memory});
  ASSERT_TRUE(kompakt(words).is(Status::ok));
  ASSERT_TRUE(kompakt({"verify", file("x.kpk")}).is(Status::ok));
  std::string const sound = contents(file("x.kpk"));
  std::vector<std::string> const frames = split_frames(sound);
  ASSERT_GT(frames.size(), 2u);
  Random random(5);
  for (int trial = 0; trial < 20; ++trial) {
    std::size_t const at = random.below(sound.size());
    std::size_t frame = 0;
    for (std::size_t end = 0; end <= at; ++frame) end = (end + frames[frame].size() + 15) / 16 * 16;
    std::string damaged = sound;
    damaged[at] ^= 16;
    put(file("x.kpk"), damaged);
    Outcome const outcome = kompakt({"verify", file("x.kpk"), "--json"});
    ASSERT_TRUE(outcome.is(Status::corrupt)) << at << outcome;
    ASSERT_EQ(outcome.json().at("files")[0].at("fields")[0].at("damages")[0].at("frame"), frame);
  }
}

}  // namespace
}  // namespace kompakt::test
