#ifndef KOMPAKT_TEST_CLI_ARCHIVES_HPP
#define KOMPAKT_TEST_CLI_ARCHIVES_HPP

#include "program.hpp"
#include <kompakt/archive.hpp>

namespace kompakt::test {

/// A folder with an archive, a.kpk, that tests make.
class CliArchive : public CliTest {
 protected:
  std::string archive() const { return file("a.kpk"); }

  Words store_words(std::string const& type, std::string const& name,
                    Words const& more = {}) const {
    Words words = compress_words(type, archive(), {"--name", name, "--append"});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  void store(std::string const& type, std::string const& name, Words const& more = {}) const {
    Outcome const outcome = kompakt(store_words(type, name, more));
    ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
  }
  /// Two fields, each with a stream of its own beside: f.kpk and g.kpk.
  void store_two() const {
    store("f32", "temperature", {"--attribute", "units=K", "--attribute", "time=0=begin"});
    store("f64", "p");
    ASSERT_TRUE(kompakt(compress_words("f32", file("f.kpk"))).is(Status::ok));
    ASSERT_TRUE(kompakt(compress_words("f64", file("g.kpk"))).is(Status::ok));
  }
  std::string names_of_fields(std::string const& path) const {
    std::string names;
    nlohmann::json const json = kompakt({"info", path, "--json"}).json();
    if (!json.is_object()) return "not readable";
    for (nlohmann::json const& field : json.at("fields")) {
      names += field.at("name").get<std::string>() + " ";
    }
    return names;
  }
};

}  // namespace kompakt::test

#endif
