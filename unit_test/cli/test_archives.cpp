#include "archives.hpp"
#include "slabs.hpp"

#include <sys/file.h>

namespace kompakt::test {
namespace {

using Names = std::set<std::string>;

TEST_F(CliArchive, FieldAppended_IsTheStreamOfItsOwnFile) {
  store_two();
  ArchiveReader reader(archive());
  ASSERT_EQ(reader.entries().size(), 2u);
  for (auto const& [name, path] :
       {std::pair{"temperature", file("f.kpk")}, std::pair{"p", file("g.kpk")}}) {
    std::vector<std::byte> const stream = reader.read(name);
    std::string const text(reinterpret_cast<char const*>(stream.data()), stream.size());
    EXPECT_EQ(text, contents(path));
  }
  EXPECT_EQ(names(), Names({"a.kpk", "f.f32", "f.f64", "f.kpk", "g.kpk"}));
}

TEST_F(CliArchive, Info_ListsFieldsOrShowsOne) {
  store_two();
  nlohmann::json const json = kompakt({"info", archive(), "--json"}).json();
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json.at("archive_bytes"), contents(archive()).size());
  ASSERT_EQ(json.at("fields").size(), 2u);
  nlohmann::json const& field = json.at("fields")[0];
  EXPECT_EQ(field.at("name"), "temperature");
  EXPECT_EQ(field.at("attributes"), nlohmann::json({{"units", "K"}, {"time", "0=begin"}}));
  EXPECT_EQ(field.at("shape"), nlohmann::json({20, 30, 40}));
  EXPECT_EQ(json.at("fields")[1].at("dtype"), "f64");

  nlohmann::json one = kompakt({"info", archive(), "--name", "temperature", "--json"}).json();
  EXPECT_EQ(one, field);
  one.erase("name");
  one.erase("attributes");
  EXPECT_EQ(one, kompakt({"info", file("f.kpk"), "--json"}).json());

  Outcome const table = kompakt({"info", archive()});
  EXPECT_TRUE(table.is(Status::ok)) << table;
  for (char const* word : {"2 fields", "temperature  f32", "20,30,40", "fixedlength", "abs 0.001",
                           "units=K, time=0=begin", "f64"}) {
    EXPECT_NE(table.out.find(word), std::string::npos) << word << table;
  }
  Outcome const text = kompakt({"info", archive(), "--name", "temperature"});
  for (char const* word : {"a.kpk:temperature", "units=K", "20 x 30 x 40"}) {
    EXPECT_NE(text.out.find(word), std::string::npos) << word << text;
  }
}

TEST_F(CliArchive, EveryVerb_WorksOnAFieldAsOnItsStream) {
  store_two();
  auto const run = [&](Words words, std::string const& input, Words const& more) {
    std::replace(words.begin(), words.end(), std::string("IN"), input);
    words.insert(words.end(), more.begin(), more.end());
    std::filesystem::remove(file("out"));
    Outcome const outcome = kompakt(words);
    EXPECT_TRUE(outcome.is(Status::ok)) << outcome;
    return std::pair(outcome, contents(file("out")));
  };
  for (auto const& [name, type, stream] :
       {std::tuple{"temperature", "f32", "f.kpk"}, std::tuple{"p", "f64", "g.kpk"}}) {
    Words const decompress = {"decompress", "-i", "IN", "-o", file("out")};
    EXPECT_EQ(run(decompress, archive(), {"--name", name}).second,
              run(decompress, file(stream), {}).second);
    Words const extract = {"extract", "-i", "IN", "--roi", "3:7,:,5", "-o", file("out")};
    EXPECT_EQ(run(extract, archive(), {"--name", name}).second,
              run(extract, file(stream), {}).second);
    Words const compare = {"compare", "-i", file(std::string("f.") + type), "IN", "--metrics"};
    EXPECT_EQ(run(compare, archive(), {"--name", name}).first.out,
              run(compare, file(stream), {}).first.out);
  }
}

TEST_F(CliArchive, OnlyField_NeedsNoName) {
  store("f32", "x");
  EXPECT_TRUE(kompakt({"decompress", "-i", archive(), "-o", file("out")}).is(Status::ok));
  EXPECT_TRUE(kompakt({"compare", "-i", file("f.f32"), archive()}).is(Status::ok));
  EXPECT_TRUE(
      kompakt({"extract", "-i", archive(), "--roi", "1,:,:", "-o", file("part")}).is(Status::ok));
}

TEST_F(CliArchive, NameMissingOrUnknown_IsRefusedWithTheKnownOnes) {
  store_two();
  std::set<std::string> const before = names();
  for (Words const& words : {Words{"decompress", "-i", archive(), "-o", file("out")},
                             Words{"extract", "-i", archive(), "--roi", "1,2,3", "-o", file("out")},
                             Words{"compare", "-i", file("f.f32"), archive()},
                             Words{"info", archive(), "--codebooks"}}) {
    expect_refused(words, Status::bad_argument,
                   {archive(), "2 fields", "--name", "'temperature'", "'p'"});
    Words named = words;
    named.insert(named.end(), {"--name", "salt"});
    expect_refused(named, Status::bad_argument, {archive(), "'salt'", "'temperature'", "'p'"});
  }
  expect_refused({"info", file("f.kpk"), "--name", "x"}, Status::bad_magic,
                 {file("f.kpk"), "not an archive but the stream of one field"});
  expect_refused({"info", file("none"), "--name", "x"}, Status::io, {file("none")});
  expect_refused({"decompress", "-i", "-", "--name", "x", "-o", file("out")}, Status::bad_argument,
                 {"--name", "standard input"});
  EXPECT_EQ(names(), before);
}

TEST_F(CliArchive, UnusableNamesAndAttributes_AreRefused) {
  store_two();
  std::string const bytes = contents(archive());
  std::set<std::string> const before = names();
  auto const refused = [&](std::string const& name, Words const& more, Words const& mentions) {
    expect_refused(store_words("f32", name, more), Status::bad_argument, mentions);
  };
  refused("p", {}, {"'p'", "choose another name", "--replace"});
  refused("", {}, {"name", "1 to 255"});
  refused("a\nb", {}, {"name", "control characters"});
  refused("\xff", {}, {"name", "UTF-8"});
  refused(std::string(256, 'n'), {}, {"256 bytes"});
  refused("x", {"--attribute", "units"}, {"--attribute", "'units'", "units=K"});
  refused("x", {"--attribute", "=K"}, {"--attribute", "'=K'"});
  refused("x", {"--attribute", "u=K", "--attribute", "u=m"}, {"'u'", "twice"});
  refused("x", {"--force"}, {"--append", "--force"});
  expect_refused(compress_words("f32", file("new"), {"--append"}), Status::bad_argument,
                 {"--append", "--name"});
  expect_refused(compress_words("f32", file("new"), {"--attribute", "u=K"}), Status::bad_argument,
                 {"--attribute", "--name"});
  expect_refused(with(store_words("f32", "x"), "-o", "-"), Status::bad_argument, {"--append"});
  EXPECT_EQ(contents(archive()), bytes);
  EXPECT_EQ(names(), before);
}

TEST_F(CliArchive, AppendToOtherFiles_IsRefused) {
  ASSERT_TRUE(kompakt(compress_words("f32", file("f.kpk"))).is(Status::ok));
  for (std::string const name : {"f.kpk", "f.f64"}) {
    std::string const bytes = contents(file(name));
    expect_refused(with(store_words("f32", "x"), "-o", file(name)), Status::bad_magic,
                   {file(name), "not an archive"});
    EXPECT_EQ(contents(file(name)), bytes);
  }
  expect_refused(with(store_words("f32", "x"), "-o", file("f.f32")), Status::io,
                 {"it is the input"});
}

TEST_F(CliArchive, ErrorInTheMiddle_LeavesTheArchive) {
  store_two();
  std::string const bytes = contents(archive());
  expect_refused(with(store_words("f32", "x"), "-l", "40x30x21"), Status::bad_argument, {"100800"});
  expect_refused(with(store_words("f32", "x"), "-i", file("none")), Status::io, {"none"});
  EXPECT_EQ(contents(archive()), bytes);
}

TEST_F(CliArchive, LockedArchive_IsRefusedAndUntouched) {
  store_two();
  std::string const bytes = contents(archive());
  int const fd = ::open(archive().c_str(), O_RDONLY);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  for (Words words : {store_words("f32", "x"), Words{"repair", "-i", archive()},
                      Words{"remove", archive(), "p"}, Words{"compact", archive()}}) {
    words.insert(words.end(), {"--wait", "0"});
    expect_refused(words, Status::io, {archive(), "locked", "try again"});
  }
  EXPECT_EQ(names_of_fields(archive()), "temperature p ");  // which is still complete
  ::close(fd);
  EXPECT_EQ(contents(archive()), bytes);
  store("f32", "x");
  EXPECT_EQ(names_of_fields(archive()), "temperature p x ");
}

TEST_F(CliArchive, AppendsAtTheSameTime_AreAllKept) {
  Names expected;
  for (int round = 0; round < 3; ++round) {  // in the first one there is no archive yet
    TemporaryFolder const outputs[4];
    std::vector<Program> programs;
    for (int i = 0; i < 4; ++i) {
      programs.emplace_back(outputs[i], store_words("f32", std::to_string(4 * round + i)));
    }
    for (int i = 0; i < 4; ++i) {
      Outcome const outcome = programs[static_cast<std::size_t>(i)].wait();
      EXPECT_TRUE(outcome.is(Status::ok)) << outcome;
      expected.insert(std::to_string(4 * round + i));
    }
    ArchiveReader reader(archive());
    Names found;
    for (ArchiveEntry const& entry : reader.entries()) {
      found.insert(entry.name);
      EXPECT_FALSE(reader.read(entry.name).empty());
    }
    EXPECT_EQ(found, expected);
  }
}

TEST_F(CliArchive, BrokenEnd_IsToldAndRepaired) {
  store_two();
  std::string const sound = contents(archive());
  for (std::size_t const missing : {std::size_t{1}, std::size_t{48}, std::size_t{100}}) {
    put(archive(), sound.substr(0, sound.size() - missing));
    for (Words const& words :
         {Words{"info", archive()}, Words{"decompress", "-i", archive(), "-o", file("out")},
          Words{"info", archive(), "--name", "p"}, store_words("f32", "x")}) {
      expect_refused(words, Status::corrupt, {archive(), "kompakt repair -i " + archive()});
    }
    std::string const broken = contents(archive());
    Outcome const copy = kompakt({"repair", "-i", archive(), "-o", file("b.kpk"), "--json"});
    ASSERT_TRUE(copy.is(Status::ok)) << copy;
    EXPECT_EQ(copy.json().at("kept"), nlohmann::json({"temperature", "p"}));
    EXPECT_EQ(copy.json().at("intact"), false);
    EXPECT_EQ(contents(archive()), broken);
    Outcome const repair = kompakt({"repair", "-i", archive()});
    ASSERT_TRUE(repair.is(Status::ok)) << repair;
    EXPECT_NE(repair.out.find("temperature"), std::string::npos) << repair;
    EXPECT_EQ(names_of_fields(archive()), "temperature p ");
    EXPECT_EQ(names_of_fields(file("b.kpk")), "temperature p ");
    expect_refused({"repair", "-i", archive(), "-o", file("b.kpk")}, Status::io,
                   {"b.kpk", "--force"});
    std::filesystem::remove(file("b.kpk"));
  }
  Outcome const again = kompakt({"repair", "-i", archive()});
  EXPECT_NE(again.out.find("intact"), std::string::npos) << again;
  expect_refused({"repair", "-i", file("f.kpk")}, Status::bad_magic, {"f.kpk", "not an archive"});
}

TEST_F(CliArchive, DamagedField_DoesNotHideTheOthers) {
  store_two();
  std::string bytes = contents(archive());
  bytes[ArchiveReader(archive()).entry("p").offset + 20] ^= 1;  // the checksum of its header
  put(archive(), bytes);
  Outcome const outcome = kompakt({"info", archive()});
  EXPECT_TRUE(outcome.is(Status::corrupt)) << outcome;
  EXPECT_NE(outcome.out.find("temperature  f32"), std::string::npos) << outcome;
  EXPECT_NE(outcome.err.find("a.kpk:p"), std::string::npos) << outcome;
  EXPECT_TRUE(kompakt({"decompress", "-i", archive(), "--name", "temperature", "-o", file("out")})
                  .is(Status::ok));
}

class CliArchiveOfSlabs : public CliSlabs {};

TEST_F(CliArchiveOfSlabs, LargeField_IsStoredAndReadFrameByFrame) {
  LargeField const field = smooth_field<float>({64, 64, 64});
  Words const bound = {"-m", "r2r", "-e", "1e-3", "--memory", little_memory};
  ASSERT_TRUE(kompakt(compress(field, bound)).is(Status::ok));
  Words words = with(compress(field, bound), "-o", file("a.kpk"));
  words.insert(words.end(), {"--name", "x", "--append"});
  ASSERT_TRUE(kompakt(words).is(Status::ok));
  ASSERT_TRUE(kompakt(with(words, "--name", "y")).is(Status::ok));
  EXPECT_GT(info("x.kpk").at("frames"), 1);
  for (std::string const name : {"x", "y"}) {
    std::vector<std::byte> const stream = ArchiveReader(file("a.kpk")).read(name);
    EXPECT_TRUE(
        std::equal(stream.begin(), stream.end(), bytes_of(contents(file("x.kpk"))).begin()));
    Words const compare = {"compare", "-i", file("x"), file("a.kpk"), "--name", name};
    EXPECT_TRUE(kompakt(compare).is(Status::ok));
  }
  Outcome const piped = shell("$K decompress -i a.kpk --name y -o - | cmp - x.back");
  EXPECT_FALSE(piped.is(Status::ok));  // there is no x.back yet
  ASSERT_TRUE(shell("$K decompress -i x.kpk -o x.back").is(Status::ok));
  EXPECT_TRUE(shell("$K decompress -i a.kpk --name y -o - | cmp - x.back").is(Status::ok));
  Words const one = {"extract", "-i",    file("a.kpk"), "--name",   "y",
                     "--roi",   "1,2,3", "-o",          file("out")};
  EXPECT_TRUE(kompakt(one).is(Status::ok));
  std::size_t const place = (1 * 64 + 2) * 64 + 3;
  EXPECT_EQ(contents(file("out")),
            contents(file("x.back")).substr(place * sizeof(float), sizeof(float)));
}

TEST_F(CliArchiveOfSlabs, ArchiveThroughAPipe_IsTheSame) {
  LargeField const field = smooth_field<float>({16, 16, 16});
  Words words = compress(field, {"-m", "abs", "-e", "1e-3", "--name", "x"});
  ASSERT_TRUE(kompakt(words).is(Status::ok));
  Outcome const outcome = shell(
      "$K compress -i - -t f32 --shape 16,16,16 -m abs -e 1e-3 --name x -o - < x > piped.kpk");
  EXPECT_EQ(outcome.exit_code, 0) << outcome;
  EXPECT_EQ(contents(file("piped.kpk")), contents(file("x.kpk")));
}

/// Appends a field from a pipe that stays open, so that the program is in the middle when `signal` comes.
TEST_F(CliArchiveOfSlabs, AppendKilledInTheMiddle_LosesNothing) {
  LargeField const first = smooth_field<float>({16, 16, 16});
  for (int const signal : {SIGKILL, SIGTERM}) {
    Words words =
        compress(first, {"-m", "abs", "-e", "1e-3", "--name", "x", "--force", "--replace-archive"});
    ASSERT_TRUE(kompakt(with(words, "-o", file("a.kpk"))).is(Status::ok));
    std::string const before = contents(file("a.kpk"));

    std::filesystem::remove(file("pipe"));
    ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
    Program program(m_output, {"compress", "-i",          file("pipe"),  "-t",     "f32",
                               "--shape",  "64,64,64",    "-m",          "abs",    "-e",
                               "1e-3",     "--memory",    little_memory, "--exec", "serial",
                               "-o",       file("a.kpk"), "--name",      "y",      "--append"});
    {
      LargeField const field = smooth_field<float>({64, 64, 64});
      std::ofstream pipe(file("pipe"));
      pipe << field.bytes.substr(0, field.bytes.size() - 4) << std::flush;
      for (int i = 0; i < 60000 && contents(file("a.kpk")).size() == before.size(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      EXPECT_GT(contents(file("a.kpk")).size(), before.size());
      Outcome const other = kompakt({"info", file("a.kpk")});
      EXPECT_TRUE(other.is(Status::ok)) << other;  // as it was before
      EXPECT_NE(other.out.find("1 field,"), std::string::npos) << other;
      ::kill(program.pid(), signal);
      EXPECT_EQ(program.wait().signal, signal);
    }
    EXPECT_EQ(contents(file("a.kpk")).substr(0, before.size()), before);
    if (signal == SIGTERM) {
      EXPECT_EQ(contents(file("a.kpk")), before);
      continue;
    }
    expect_refused({"info", file("a.kpk")}, Status::corrupt, {"kompakt repair"});
    Outcome const repair = kompakt({"repair", "-i", file("a.kpk"), "--json"});
    EXPECT_TRUE(repair.is(Status::ok)) << repair;
    EXPECT_EQ(repair.json().at("kept"), nlohmann::json({"x"}));
    EXPECT_GT(repair.json().at("unused_bytes"), 0);
    EXPECT_TRUE(kompakt({"compare", "-i", file("x"), file("a.kpk"), "--name", "x"}).is(Status::ok));
  }
}

}  // namespace
}  // namespace kompakt::test
