#include "archives.hpp"
#include "slabs.hpp"

namespace kompakt::test {
namespace {

using Names = std::set<std::string>;

class CliArchiveFolder : public CliArchive {
 protected:
  /// compress() of f.f32 into the archive is slow to repeat: one stream under many names.
  void store_as(std::vector<std::string> const& names_of_fields) const {
    ASSERT_TRUE(kompakt(compress_words("f32", file("f.kpk"), {"--force"})).is(Status::ok));
    ASSERT_TRUE(kompakt({"decompress", "-i", file("f.kpk"), "-o", file("f.back"), "--force"})
                    .is(Status::ok));
    std::string const stream = contents(file("f.kpk"));
    ArchiveWriter writer(archive(), Overwrite::yes);
    for (std::string const& name : names_of_fields) writer.append(name, {}, bytes_of(stream));
    writer.commit();
  }
  Names names_in(std::string const& folder) const {
    Names result;
    for (auto const& entry : std::filesystem::directory_iterator(file(folder))) {
      result.insert(entry.path().filename().string());
    }
    return result;
  }
};

TEST_F(CliArchiveFolder, AllFields_AreFilesOfTheirNamesInsideOfTheFolder) {
  store_as({"p", "..", ".", "a/b", "a%2Fb", "../../etc/passwd", "/abs", ".hidden", "Größe", "a b"});
  Outcome const outcome = kompakt({"decompress", "-i", archive(), "-o", file("out/"), "--json"});
  ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
  EXPECT_EQ(names_in("out"),
            Names({"p", "%2E.", "%2E", "a%2Fb", "a%252Fb", "%2E.%2F..%2Fetc%2Fpasswd", "%2Fabs",
                   "%2Ehidden", "Größe", "a b"}));
  std::string const field = contents(file("f.back"));
  for (nlohmann::json const& one : outcome.json().at("fields")) {
    EXPECT_EQ(contents(one.at("file").get<std::string>()), field) << one;
  }
  EXPECT_EQ(names(), Names({"a.kpk", "f.back", "f.f32", "f.f64", "f.kpk", "out"}));
}

TEST_F(CliArchiveFolder, FilesThatAreThere_NeedForce) {
  store_as({"x", "y"});
  std::filesystem::create_directory(file("out"));
  put(file("out/y"), "mine");
  expect_refused({"decompress", "-i", archive(), "-o", file("out")}, Status::io,
                 {"out/y", "--force"});
  EXPECT_EQ(names_in("out"), Names({"y"}));  // not even the first one
  EXPECT_EQ(contents(file("out/y")), "mine");
  ASSERT_TRUE(
      kompakt({"decompress", "-i", archive(), "-o", file("out"), "--force"}).is(Status::ok));
  EXPECT_EQ(contents(file("out/y")), contents(file("f.back")));
}

TEST_F(CliArchiveFolder, WhatCannotBeWritten_LeavesNothing) {
  store_as({"x", std::string(255, '/')});
  expect_refused({"decompress", "-i", archive(), "-o", file("out/")}, Status::bad_argument,
                 {"765 bytes", "--name"});
  store_as({"x", "y"});
  Words const words = {"decompress", "-i", archive(), "-o", file("out/")};
  Words limited = words;
  limited.insert(limited.end(), {"--max-output", "1000"});
  expect_refused(limited, Status::buffer_too_small, {"a.kpk:x", "--max-output"});
  std::string bytes = contents(archive());
  bytes[ArchiveReader(archive()).entry("y").offset + 20] ^= 1;
  put(archive(), bytes);
  expect_refused(words, Status::corrupt, {"a.kpk:y"});
  EXPECT_FALSE(std::filesystem::exists(file("out")));
  expect_refused(with(words, "-o", file("no/such/")), Status::io, {"no/such/"});
}

TEST_F(CliArchiveFolder, ArchiveFromAPipe_IsRefusedWithTheReason) {
  store_as({"x"});
  for (std::string const verb : {"info -", "decompress -i - -o x"}) {
    std::string const line = std::string("cat '") + archive() + "' | " KOMPAKT_CLI_PATH " " + verb +
                             " 2>'" + file("err") + "' >'" + file("said") + "'";
    int const status = std::system(line.c_str());
    EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(Status::bad_argument));
    std::string const error = contents(file("err"));
    for (char const* word : {"standard input", "is an archive", "index is at its end", "file"}) {
      EXPECT_NE(error.find(word), std::string::npos) << error;
    }
    EXPECT_EQ(contents(file("said")), "");
  }
}

TEST_F(CliArchiveFolder, AttributesWithLines_AreOneLineOfTextAndWholeInJson) {
  std::string const text = "first\tline\nsecond\r\n\\n is no end";
  store("f32", "x", {"--attribute", "note=" + text});
  for (Words const& words : {Words{"info", archive()}, Words{"info", archive(), "--name", "x"}}) {
    Outcome const outcome = kompakt(words);
    EXPECT_NE(outcome.out.find("note=first\\tline\\nsecond\\r\\n\\\\n is no end\n"),
              std::string::npos)
        << outcome;
  }
  EXPECT_EQ(
      kompakt({"info", archive(), "--json"}).json().at("fields")[0].at("attributes").at("note"),
      text);
}

}  // namespace
}  // namespace kompakt::test
