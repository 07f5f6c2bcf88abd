#include "target.hpp"

#include <kompakt/option_keys.hpp>
#include <kompakt/spaces.hpp>
#include <string_view>

// Options by key and word, one item a line. What is taken reads back, by its key and as a text, and what is refused changes nothing.

namespace kompakt::fuzz {

namespace {

void take_item(Options& options, std::string_view key, std::string_view word) {
  std::string const before = text_of(options);
  if (!succeeds([&] { set(options, key, word); })) {
    require(text_of(options) == before, "a word that is refused changes options");
    return;
  }
  require(succeeds([&] { option_key(key); }), "a key that is taken is not known");
  std::string const canonical = text_of(options, key), whole = text_of(options);
  Options again = options;
  require(succeeds([&] { set(again, key, canonical); }), "the word of a key is refused");
  require(text_of(again, key) == canonical, "the word of a key does not read back");
  require(text_of(again) == whole, "the word of a key changes others");
  Options anew;
  require(succeeds([&] { set(anew, whole); }), "what text_of() writes is refused");
  require(text_of(anew) == whole, "a text does not read back");
}

/// A word that is taken is the word of what it stands for, or another name of it.
template <class Parse>
void take_word(std::string_view word, Parse const& parse) {
  succeeds([&] {
    auto const value = parse(word);
    require(parse(to_string(value)) == value, "a word does not read back");
  });
}

}  // namespace

void take(std::span<std::byte const> bytes) {
  std::string_view const text(reinterpret_cast<char const*>(bytes.data()), bytes.size());
  Options options;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t const end = std::min(text.find('\n', at), text.size());
    std::string_view const line = text.substr(at, end - at);
    at = end + 1;
    std::size_t const equals = std::min(line.find('='), line.size());
    std::string_view const key = line.substr(0, equals),
                           word = line.substr(std::min(line.size(), equals + 1));
    take_item(options, key, word);
    take_word(word, parse_mode);
    take_word(word, parse_goal);
    take_word(word, parse_variant);
    take_word(word, parse_predictor);
    take_word(word, parse_pipeline);
    take_word(word, parse_space);
    succeeds([&] { parse_fill(word); });
  }
  succeeds([&] { validate(options); });
}

std::vector<Bytes> seeds() {
  std::vector<Bytes> result;
  for (std::string_view const text :
       {"bound=r2r:1e-3\npipeline=huffman\nradius=512", "mode=lossless\nsteps=rounded:0.5:20",
        "fill=auto/1e20/-9999\ngoal=smallest", "limits=0:100\nrange=12\naxis=1\npack=true",
        "variant=nested\npredictor=interpolate\nchecksum=FALSE", "space=openmp\nbound=psnr:60"}) {
    auto const letters = std::as_bytes(std::span(text.data(), text.size()));
    result.emplace_back(letters.begin(), letters.end());
  }
  return result;
}

// A line more, of a key and of pieces that words are made of.
void repair(Bytes& bytes) {
  static std::vector<std::string> const pieces = [] {
    std::vector<std::string> found{"0",      "1",
                                   "-1",     "512",
                                   "0.5",    "1e-3",
                                   "1e308",  "1e309",
                                   "-0",     "+7",
                                   "5e-324", "inf",
                                   "-inf",   "nan",
                                   "-nan",   "0x10",
                                   "true",   "FALSE",
                                   "",       "abs:",
                                   "none",   "auto",
                                   "bits:",  "multiples:",
                                   "32768",  "17976931348623157e292"};
    for (OptionKey const& key : option_keys()) {
      for (OptionWord const& word : key.words) found.emplace_back(word.word);
    }
    return found;
  }();
  Choices choose(bytes);
  auto const keys = option_keys();
  std::string line = "\n" + std::string(keys[choose.below(keys.size())].key) + "=";
  for (std::size_t count = 1 + choose.below(3); count > 0; --count) {
    line += pieces[choose.below(pieces.size())];
    if (count > 1) line += std::string_view(":/:/, ")[choose.below(6)];
  }
  auto const letters = std::as_bytes(std::span(line.data(), line.size()));
  bytes.insert(bytes.end(), letters.begin(), letters.end());
}

}  // namespace kompakt::fuzz
