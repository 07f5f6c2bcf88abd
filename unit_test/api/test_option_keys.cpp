#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <kompakt/any_codec.hpp>
#include <kompakt/compress.hpp>
#include <kompakt/option_keys.hpp>
#include <limits>
#include <random>
#include <set>
#include <sstream>
#include <support/fields.hpp>
#include <support/rounding_mode.hpp>

namespace kompakt::test {

namespace {

/// All members, each by its own key.
std::string all_words(Options const& options) {
  std::string words;
  for (OptionKey const& key : option_keys()) {
    words += std::string(key.key) + "=" + text_of(options, key.key) + "\n";
  }
  return words;
}

Options parsed(std::string_view text, Options options = {}) {
  set(options, text);
  return options;
}

std::string refusal_of(std::string_view text) {
  Options options;
  std::string const before = all_words(options);
  try {
    set(options, text);
  } catch (Error const& error) {
    EXPECT_EQ(error.status(), Status::bad_argument);
    EXPECT_EQ(error.problem().find("; "), std::string_view::npos)
        << "advice inside: " << error.problem();
    EXPECT_EQ(all_words(options), before);
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << text;
  return {};
}

/// Sets a key to something that it takes, whatever it was.
void set_randomly(Options& options, OptionKey const& key, std::mt19937& random) {
  auto const below = [&](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  double const real = std::ldexp(std::uniform_real_distribution(0.5, 1.0)(random),
                                 std::uniform_int_distribution(-300, 300)(random));
  switch (key.kind) {
    case OptionKey::Kind::word:
      return set(options, key.key, key.words[below(key.words.size())].word);
    case OptionKey::Kind::flag: return set(options, key.key, below(2) == 1 ? "true" : "false");
    case OptionKey::Kind::count:
      return set(options, key.key, std::to_string(key.most < 32 ? below(8) : 32u << below(11)));
    case OptionKey::Kind::number:
    case OptionKey::Kind::either:
    case OptionKey::Kind::pair: break;
  }
  std::ostringstream text;
  text.precision(17);
  text << real;
  if (key.kind == OptionKey::Kind::pair) text << ":" << (below(2) == 1 ? "" : "1e300");
  set(options, key.key, text.str());
}

}  // namespace

TEST(OptionKeys, TextOfAnyOptions_ReadsBackToTheSameWhateverAFaceStartsFrom) {
  std::mt19937 random(1);
  Options const others[] = {{},
                            {.pipeline = Pipeline::automatic},
                            {.pipeline = Pipeline::rans, .fill = FillValue::none()},
                            parsed("lossless,goal=smallest")};
  for (int trial = 0; trial < 2000; ++trial) {
    Options options;
    for (OptionKey const& key : option_keys()) {
      if (random() % 2 == 0) set_randomly(options, key, random);
    }
    if (random() % 4 == 0) options.pipeline = Pipeline::automatic;  // beside a goal or without one
    std::string const text = text_of(options);
    if (!options.goal) options.pipeline = pipeline_of(options);  // which automatic stands for
    for (Options const& other : others) {
      EXPECT_EQ(all_words(parsed(text, other)), all_words(options)) << text;
    }
    EXPECT_EQ(text_of(parsed(text)), text);
  }
}

TEST(OptionKeys, EveryWordOfEveryKey_CanBeSetAndHasALine) {
  std::set<std::string_view> seen;
  for (OptionKey const& key : option_keys()) {
    EXPECT_TRUE(seen.insert(key.key).second) << key.key;
    EXPECT_FALSE(key.help.empty()) << key.key;
    EXPECT_EQ(option_key(key.key).help, key.help);
    for (OptionWord const& word : key.words) {
      EXPECT_FALSE(word.help.empty()) << key.key << " " << word.word;
      Options options;
      set(options, key.key, word.word);
      if (word.word != "auto" || key.key != "pipeline") {
        EXPECT_EQ(text_of(options, key.key), word.word) << key.key;
      }
    }
  }
}

TEST(OptionKeys, Text_SaysWhatPeopleWrite) {
  Options const options = parsed("r2r:1e-4,predictor=interpolate,pack");
  EXPECT_EQ(options.bound, ErrorBound::relative_to_range(1e-4));
  EXPECT_EQ(options.predictor, Predictor::interpolate);
  EXPECT_TRUE(options.pack);
  EXPECT_EQ(parsed("lossless").bound, ErrorBound::lossless());
  EXPECT_EQ(parsed("mode=abs,bound=0.5").bound, ErrorBound::absolute(0.5));
  EXPECT_EQ(parsed("abs:+0.01").bound, ErrorBound::absolute(0.01));
  EXPECT_EQ(parsed("mode=abs,+0.25").bound, ErrorBound::absolute(0.25));
  EXPECT_EQ(parsed("limits=-1:+1").limits, (Limits{-1, 1}));
  EXPECT_EQ(parsed("radius=+64").radius, 64);
  EXPECT_EQ(parsed("0.25,mode=pwr").bound, ErrorBound::relative_to_value(0.25));
  EXPECT_EQ(parsed("fill=1e20").fill, FillValue::of(1e20));
  EXPECT_TRUE(std::isnan(parsed("fill=nan").fill.value));
  EXPECT_EQ(parsed("fill=+7/-inf").fill, FillValue::of(7).with(-INFINITY));
  EXPECT_FALSE(parsed("checksum=false").checksum);
  EXPECT_EQ(parsed("limits=0:100").limits, (Limits{0, 100}));
  EXPECT_EQ(text_of(parsed("limits=:-1.5"), "limits"), ":-1.5");
  EXPECT_EQ(parsed("pipeline=cusz").pipeline, Pipeline::huffman);
  EXPECT_EQ(text_of(Options{}), "r2r:0.001,pipeline=fixedlength,fill=auto");
  EXPECT_EQ(text_of(parsed("psnr:60,goal=ratio,fill=auto")), "psnr:60,goal=ratio,fill=auto");
}

TEST(OptionKeys, HalfOfABound_IsRefusedInATextAndSetByItsKey) {
  EXPECT_EQ(refusal_of("0.010"),
            "options '0.010': the bound 0.01 has no mode; write abs:0.01 or r2r:0.01");
  EXPECT_EQ(refusal_of("pack,bound=1e-3"),
            "options 'pack,bound=1e-3': the bound 0.001 has no mode; write abs:0.001 or r2r:0.001");
  EXPECT_EQ(refusal_of("bound=0"),
            "options 'bound=0': the bound 0 has no mode; write abs:0 or r2r:0");
  EXPECT_EQ(
      refusal_of("abs:0,01"),
      "options 'abs:0,01': '01' is a second bound; write a decimal point, as in abs:0.01, and "
      "one bound");
  EXPECT_NE(refusal_of("r2r:1e-3,fill=-999,5"), "");
  EXPECT_NE(refusal_of("abs:1,lossless"), "");
  EXPECT_EQ(refusal_of("mode=psnr,pack"),
            "options 'mode=psnr,pack': the mode psnr has no bound; write psnr:BOUND");
  Options options;
  set(options, "mode", "abs");
  set(options, "bound", "0.25");
  EXPECT_EQ(options.bound, ErrorBound::absolute(0.25));
}

TEST(OptionKeys, BoundAndMethodOfAText_AreFound) {
  for (char const* text : {"abs:0.01", "pack,pwr:0.5", "bound=abs:0", "abs:nan", "lossless",
                           "mode=lossless", "bound=1,mode=r2r", "psnr:60,mode=abs"}) {
    EXPECT_TRUE(names_bound(text)) << text;
  }
  for (char const* text : {"pack", "pipeline=huffman,predictor=tile", "range=7,fill=auto"}) {
    EXPECT_FALSE(names_bound(text)) << text;
  }
  EXPECT_THROW(names_bound(""), Error);
  EXPECT_THROW(names_bound("mode=r2r"), Error);

  Options const open{.pipeline = Pipeline::automatic};
  for (char const* text :
       {"pipeline=huffman", "pipeline=auto", "goal=speed", "variant=fz", "predictor=tile"}) {
    EXPECT_TRUE(names_method(parsed(text, open))) << text;
  }
  EXPECT_FALSE(names_method(parsed("abs:1,pack,predictor=auto,variant=auto,radius=64", open)));
  EXPECT_TRUE(names_method(Options()));
}

/// Another locale of numbers while it lives: one in which 0,5 is a half, if the machine has such a one.
class DecimalComma {
 public:
  DecimalComma() : m_before(std::setlocale(LC_NUMERIC, nullptr)) {
    for (char const* const name : {"de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "pt_BR.UTF-8"}) {
      m_is_set = m_is_set || std::setlocale(LC_NUMERIC, name) != nullptr;
    }
  }
  ~DecimalComma() { std::setlocale(LC_NUMERIC, m_before.c_str()); }
  DecimalComma(DecimalComma const&) = delete;
  DecimalComma& operator=(DecimalComma const&) = delete;

  bool is_set() const { return m_is_set; }

 private:
  std::string m_before;
  bool m_is_set = false;
};

TEST(OptionKeys, NumbersHaveAPoint_InEveryLocale) {
  DecimalComma const locale;
  if (!locale.is_set()) GTEST_SKIP() << "no locale with a decimal comma is installed";
  ASSERT_STREQ(std::localeconv()->decimal_point, ",");
  Options const options = parsed("abs:0.5,fill=-999.9/1.5,limits=-0.5:2.5");
  EXPECT_EQ(options.fill, FillValue::of(-999.9).with(1.5));
  EXPECT_EQ(options.limits, (Limits{-0.5, 2.5}));
  EXPECT_EQ(text_of(options), "abs:0.5,pipeline=fixedlength,fill=-999.9/1.5,limits=-0.5:2.5");
}

TEST(OptionKeys, NumbersAreTheSame_UnderAnyRounding) {
  for (int const mode : other_rounding_modes) {
    RoundingMode const other(mode);
    EXPECT_EQ(parsed("r2r:0.0125").bound.value, 0.0125);
    EXPECT_EQ(parsed("abs:1e-3,fill=1e20").fill.value, 1e20);
  }
}

TEST(OptionKeys, APipelineIsNamedOrChosen_WhicheverIsSaidLast) {
  EXPECT_EQ(parsed("pipeline=auto").goal, Goal::balanced);
  EXPECT_EQ(parsed("goal=ratio,pipeline=auto").goal, Goal::ratio);
  EXPECT_EQ(parsed("pipeline=huffman,goal=speed").pipeline, Pipeline::automatic);
  EXPECT_EQ(parsed("goal=speed,pipeline=huffman").goal, std::nullopt);
  EXPECT_EQ(pipeline_of(parsed("lossless", {.pipeline = Pipeline::automatic})),
            Pipeline::fixedlength);
  EXPECT_EQ(pipeline_of({.pipeline = Pipeline::automatic}), Pipeline::bitshuffle);
  EXPECT_EQ(pipeline_of({.pipeline = Pipeline::automatic, .variant = Variant::custom}),
            Pipeline::huffman);
}

TEST(OptionKeys, WhatIsNotKnown_IsNamedBesideWhatIs) {
  EXPECT_EQ(refusal_of("predicter=tile"),
            "options 'predicter=tile': there is no option 'predicter'; use one of bound, "
            "mode, pipeline, goal, variant, predictor, fill, range, limits, radius, axis, steps, "
            "pack, checksum");
  EXPECT_EQ(refusal_of("pack,predictor=lorenz"),
            "options 'pack,predictor=lorenz': predictor: 'lorenz' is not known; use one of auto, "
            "chain, tile, interpolate");
  EXPECT_EQ(refusal_of("range=wide"),
            "options 'range=wide': range: 'wide' is no number; write one such as 0.01 or 1e-3");
  std::string const outside = " lies outside of f64, which has numbers from 4.9e-324 to 1.8e+308; ";
  EXPECT_EQ(refusal_of("abs:1e-400"),
            "options 'abs:1e-400': bound: '1e-400'" + outside + "write one such as 0.01 or 1e-3");
  EXPECT_NE(refusal_of("limits=0:1e400").find("limits: '1e400'" + outside), std::string::npos);
  EXPECT_NE(refusal_of("fill=-1e400").find("fill: '-1e400'" + outside), std::string::npos);
  for (char const* text : {"",
                           ",",
                           "r2r:1e-3,",
                           "packed",
                           "abs:",
                           "abs:x",
                           "abs:+-1",
                           "abs:++1",
                           "abs:+",
                           "r2x:1",
                           "pack=maybe",
                           "radius=1.5",
                           "radius=7",
                           "radius=96",
                           "radius=65536",
                           "axis=8",
                           "axis=-2",
                           "lossless:1e-3x",
                           "limits=1",
                           "limits=:",
                           "axis=3:3",
                           "axis=0:1:2:3",
                           "axis=0:",
                           "axis=0:8",
                           "limits=2:1",
                           "limits=a:",
                           "limits=inf:inf",
                           "limits=inf:",
                           "limits=-inf:-inf",
                           "=1",
                           "bound=",
                           "goal=",
                           "1e-3x"}) {
    refusal_of(text);
  }
}

TEST(OptionKeys, FillValueOfAFloat_IsWrittenAsPeopleDo) {
  StreamInfo info;
  info.shape.dtype = Dtype::f32;
  for (char const* text : {"1e+20", "9.96921e+36", "-9999", "0.1", "nan", "inf"}) {
    info.fill = std::strtof(text, nullptr);
    EXPECT_EQ(text_of(options_of(info), "fill"), text);
    EXPECT_TRUE(static_cast<float>(options_of(info).fill.value) == static_cast<float>(*info.fill) ||
                std::isnan(*info.fill));
  }
  info.shape.dtype = Dtype::f64;
  info.fill = static_cast<double>(1e20f);
  EXPECT_EQ(text_of(options_of(info), "fill"), "100000002004087734272");
}

TEST(OptionKeys, GoalBesideANamedPredictor_IsRefused) {
  Options options = parsed("goal=ratio,predictor=tile");
  EXPECT_THROW(validate(options), Error);
  set(options, "predictor", "auto");
  EXPECT_NO_THROW(validate(options));
}

// What has no field to look at refuses a goal; what has one chooses for it and says so in the stream.
TEST(OptionKeys, OptionsWithAGoal_AreChosenForByTheCodec) {
  FieldShape const shape = shape_from<float>({40, 50, 60});
  auto const values = make_field<float>(Family::smooth, shape);
  ConstStridedData const field(values.data(), shape, strides_of(shape));
  AnyCodec codec;
  Options const wanted = parsed("r2r:1e-4,goal=ratio");
  std::vector<std::byte> stream(max_compressed_bytes(shape, wanted));
  StreamInfo const info = codec.compress(field, MemoryOf::host, wanted, stream, MemoryOf::host);
  Choice const choice = codec.choose(field, MemoryOf::host, wanted, Goal::ratio);
  EXPECT_EQ(choice.options.goal, std::nullopt);
  std::vector<std::byte> expected(max_compressed_bytes(shape, choice.options));
  StreamInfo const same = codec.compress(field, MemoryOf::host, choice.options, expected,
                                         MemoryOf::host, choice.reason);
  ASSERT_EQ(info.bytes, same.bytes);
  EXPECT_TRUE(std::equal(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(info.bytes),
                         expected.begin()));
  EXPECT_EQ(info.reason.goal(), Goal::ratio);

  Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::HostSpace> const view("field", 4, 5, 6);
  Kokkos::DefaultHostExecutionSpace const exec;
  Workspace<Kokkos::DefaultHostExecutionSpace> workspace(exec);
  CompressedStream<Kokkos::HostSpace> out;
  try {
    compress(exec, view, wanted, workspace, out);
    FAIL();
  } catch (Error const& error) {
    EXPECT_STREQ(
        error.what(),
        "compress: the options have the goal 'ratio', but no pipeline has been chosen yet; "
        "call choose() first, and pass the options that it returns");
  }
}

}  // namespace kompakt::test
