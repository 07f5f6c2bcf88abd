#include "archives.hpp"

namespace kompakt::test {
namespace {

TEST_F(CliArchive, WithoutAppend_ReplacesAnArchiveOnlyWhenThatIsMeant) {
  store_two();
  std::string const bytes = contents(archive());
  for (Words const& more : {Words{"--name", "x"}, Words{}}) {
    Words words = compress_words("f32", archive(), more);
    expect_refused(words, Status::io, {archive(), "2 fields", "--append", "--force"});
    words.push_back("--force");
    expect_refused(words, Status::io, {archive(), "2 fields", "--append", "--replace-archive"});
  }
  expect_refused(compress_words("f32", archive(), {"--replace-archive"}), Status::bad_argument,
                 {"--replace-archive", "--force"});
  put(archive(), bytes.substr(0, bytes.size() - 1));  // broken, and still worth a repair
  expect_refused(compress_words("f32", archive(), {"--force"}), Status::io, {"cannot be listed"});
  put(archive(), bytes);
  Words const meant = {"--name", "x", "--force", "--replace-archive"};
  EXPECT_TRUE(kompakt(compress_words("f32", archive(), meant)).is(Status::ok));
  EXPECT_EQ(names_of_fields(archive()), "x ");
}

TEST_F(CliArchive, ForceOfAnyVerb_ReplacesAnArchiveOnlyWhenThatIsMeant) {
  store_two();
  std::string const bytes = contents(archive());
  put(file("b.kpk"), bytes);
  for (Words words : {Words{"decompress", "-i", file("f.kpk")},
                      Words{"extract", "-i", file("f.kpk"), "--roi", "3,:,:"},
                      Words{"repair", "-i", file("b.kpk")}, Words{"compact", file("b.kpk")}}) {
    words.insert(words.end(), {"-o", archive()});
    expect_refused(words, Status::io, {archive(), "2 fields", "--force and --replace-archive"});
    words.push_back("--force");
    expect_refused(words, Status::io, {archive(), "2 fields", "give --replace-archive"});
    EXPECT_EQ(contents(archive()), bytes) << words[0];
    words.push_back("--replace-archive");
    Outcome const outcome = kompakt(words);
    EXPECT_TRUE(outcome.is(Status::ok)) << outcome;
    put(archive(), bytes);
  }
  expect_refused({"decompress", "-i", archive(), "--name", "p", "-o", archive(), "--force"},
                 Status::io, {"is the input"});
  // A field of the archive would be written to a file of its name, which is another archive.
  std::filesystem::create_directory(file("all"));
  put(file("all/p"), bytes);
  Words const all = {"decompress", "-i", archive(), "-o", file("all"), "--force"};
  expect_refused(all, Status::io, {file("all/p"), "2 fields", "--replace-archive"});
  EXPECT_EQ(contents(file("all/p")), bytes);
  EXPECT_FALSE(std::filesystem::exists(file("all/temperature")));
}

TEST_F(CliArchive, Replace_PutsAnotherFieldInItsPlace) {
  store_two();
  store("f64", "temperature", {"--replace", "--attribute", "units=C"});
  store("f64", "new", {"--replace"});
  EXPECT_EQ(names_of_fields(archive()), "p temperature new ");
  nlohmann::json const field =
      kompakt({"info", archive(), "--name", "temperature", "--json"}).json();
  EXPECT_EQ(field.at("dtype"), "f64");
  EXPECT_EQ(field.at("attributes"), nlohmann::json({{"units", "C"}}));
  std::string const bytes = contents(archive());
  // What fails leaves the old one.
  expect_refused(with(store_words("f32", "p", {"--replace"}), "-l", "40x30x21"),
                 Status::bad_argument, {"100800"});
  expect_refused(compress_words("f32", archive(), {"--name", "p", "--replace"}),
                 Status::bad_argument, {"--append"});
  EXPECT_EQ(contents(archive()), bytes);
}

TEST_F(CliArchive, Remove_TakesFieldsOutAndCompactTheirBytes) {
  store_two();
  store("f32", "x");
  std::string const bytes = contents(archive());
  expect_refused({"remove", archive(), "p", "salt"}, Status::bad_argument, {"'salt'", "'x'"});
  EXPECT_EQ(contents(archive()), bytes);
  Outcome const removed = kompakt({"remove", archive(), "p", "x", "--json"});
  ASSERT_TRUE(removed.is(Status::ok)) << removed;
  EXPECT_EQ(removed.json().at("removed"), nlohmann::json({"p", "x"}));
  EXPECT_EQ(names_of_fields(archive()), "temperature ");
  EXPECT_EQ(contents(archive()).substr(0, bytes.size()), bytes);
  put(archive(), contents(archive()) + "an append that was not finished");
  ASSERT_TRUE(kompakt({"repair", "-i", archive()}).is(Status::ok));
  EXPECT_EQ(names_of_fields(archive()), "temperature ");

  Outcome const copy = kompakt({"compact", archive(), "-o", file("b.kpk"), "--json"});
  ASSERT_TRUE(copy.is(Status::ok)) << copy;
  EXPECT_EQ(copy.json().at("old_bytes"), contents(archive()).size());
  EXPECT_EQ(copy.json().at("new_bytes"), contents(file("b.kpk")).size());
  ASSERT_TRUE(kompakt({"compact", archive()}).is(Status::ok));
  EXPECT_EQ(contents(archive()), contents(file("b.kpk")));
  EXPECT_LT(contents(archive()).size(), bytes.size() / 2);
  expect_refused({"compact", archive(), "-o", file("b.kpk")}, Status::io, {"b.kpk", "--force"});
  expect_refused({"compact", archive(), "-o", archive(), "--force"}, Status::io, {"is the input"});
  expect_refused({"compact", file("f.kpk")}, Status::bad_magic, {"f.kpk"});
  expect_refused({"remove", file("f.kpk"), "x"}, Status::bad_magic, {"f.kpk"});
}

}  // namespace
}  // namespace kompakt::test
