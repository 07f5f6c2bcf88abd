#include "limited_memory.hpp"
#include "slabs.hpp"
#include <algorithm>
#include <cmath>
#include <csignal>
#include <fstream>
#include <thread>

namespace kompakt::test {
namespace {

using Names = std::set<std::string>;

template <class T>
class CliSlabsOf : public CliSlabs {
 protected:
  /// Compresses slab by slab, decompresses, and checks every value; returns the number of frames.
  std::size_t check_round_trip(LargeField const& field, Words const& bound) {
    Words const words = compress(field, bound);
    Words slabs = words;
    slabs.insert(slabs.end(), {"--memory", little_memory, "--force"});
    Outcome const outcome = kompakt(slabs);
    EXPECT_TRUE(outcome.is(Status::ok)) << outcome;
    Outcome const back = kompakt({"decompress", "-i", file("x.kpk"), "-o", file("y"), "--force"});
    EXPECT_TRUE(back.is(Status::ok)) << back;
    nlohmann::json const report = info("x.kpk");
    expect_promise(values_of<T>(field.bytes), values_of<T>(contents(file("y"))),
                   report.at("bound_abs").get<double>());
    Outcome const compare = kompakt({"compare", "-i", file("x"), file("x.kpk"), "--json"});
    EXPECT_TRUE(compare.is(Status::ok)) << compare;
    EXPECT_EQ(compare.json().at("values"), field.shape().size());

    // What one frame for the whole field says of its bound.
    Outcome const whole = kompakt([&] {
      Words more = words;
      more.insert(more.end(), {"--force", "--json"});
      return more;
    }());
    std::vector<char const*> keys{"bound_abs", "bound_mode", "bound_value",    "shape",
                                  "dtype",     "order",      "original_bytes", "checksum"};
    // What is chosen by a sample of the first slab may be another choice.
    bool const is_chosen = std::find(bound.begin(), bound.end(), "-c") == bound.end();
    if (!is_chosen) keys.insert(keys.end(), {"pipeline", "variant"});
    for (char const* const key : keys) EXPECT_EQ(report.at(key), whole.json().at(key)) << key;
    EXPECT_EQ(whole.json().at("frames"), 1);
    return report.at("frames");
  }
};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CliSlabsOf, Types);

TYPED_TEST(CliSlabsOf, SmoothFieldOfEveryRank_KeepsTheBoundOfTheWhole) {
  for (std::vector<std::size_t> const& extents : std::initializer_list<std::vector<std::size_t>>{
           {300001}, {701, 433}, {70, 65, 67}, {3, 23, 65, 67}, {1, 1, 1, 300001}, {2, 150001}}) {
    LargeField const field = smooth_field<TypeParam>(extents);
    SCOPED_TRACE(field.shape_word());
    EXPECT_GE(this->check_round_trip(field, {"-m", "r2r", "-e", "1e-3"}), 4u);
    EXPECT_GE(this->check_round_trip(field, {"-m", "abs", "-e", "1e-4"}), 4u);
  }
}

TYPED_TEST(CliSlabsOf, AnyBits_ComeBackWithinTheBoundByEveryPipeline) {
  LargeField const field = random_field<TypeParam>({51, 71, 83});
  for (std::string const pipeline : {"fixedlength", "bitshuffle", "huffman", "rans"}) {
    EXPECT_GE(this->check_round_trip(field, {"-m", "abs", "-e", "1e3", "-c", pipeline}), 4u);
  }
}

TYPED_TEST(CliSlabsOf, FieldsWithoutARange_ComeBackExactly) {
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  for (double const value : {0.0, 77.25, nan}) {
    LargeField const field =
        make_field<TypeParam>({90, 60, 61}, [&](std::size_t i) { return i == 7 ? nan : value; });
    EXPECT_GE(this->check_round_trip(field, {"-m", "r2r", "-e", "1e-3"}), 4u);
    EXPECT_EQ(contents(this->file("y")), field.bytes);
  }
}

TYPED_TEST(CliSlabsOf, LandInSomeSlabs_HasNoPartInTheBoundOfAny) {
  std::size_t const size = 300000;
  LargeField const field = make_field<TypeParam>({size}, [&](std::size_t i) {
    bool const land = i < size / 3 || (i < size * 2 / 3 && i % 100 < 30);
    return land ? 1e20 : std::sin(1e-3 * static_cast<double>(i));
  });
  for (Words bound : {Words{"-m", "r2r", "-e", "1e-3"}, Words{"-m", "abs", "-e", "1e-3"}}) {
    bound.insert(bound.end(), {"-c", "fixedlength"});  // the first slab is not like the others
    EXPECT_GE(this->check_round_trip(field, bound), 4u);
    nlohmann::json const report = this->info("x.kpk");
    EXPECT_LT(report.at("bound_abs").get<double>(), 2.1e-3);
    EXPECT_GT(report.at("ratio").get<double>(), 5);
    EXPECT_LT(report.at("exceptions"), 10) << "fill values are masked";
    nlohmann::json const metrics =
        this->kompakt({"compare", "-i", this->file("x"), this->file("x.kpk"), "--json"}).json();
    EXPECT_LE(metrics.at("max"), 1) << "no metric counts them";
    EXPECT_EQ(metrics.at("fill_values"), 130000u);
    EXPECT_EQ(metrics.at("nonfinite"), 0u);
  }
}

TYPED_TEST(CliSlabsOf, ReasonOfAChoice_IsInEveryFrame) {
  LargeField const field = smooth_field<TypeParam>({61, 66, 67});
  for (std::string const goal : {"ratio", "speed", "smallest"}) {
    Outcome const compress =
        this->kompakt(this->compress(field, {"-m", "r2r", "-e", "1e-4", "--for", goal, "--memory",
                                             little_memory, "--force", "--json"}));
    ASSERT_TRUE(compress.is(Status::ok)) << compress;
    std::vector<std::string> const frames = split_frames(contents(this->file("x.kpk")));
    ASSERT_GE(frames.size(), 4u);
    auto const chosen_by = compress.json().at("chosen_by").get<std::string>();
    for (std::string const& frame : frames) {
      StreamInfo const info = inspect(bytes_of(frame));
      EXPECT_EQ(info.reason.goal(), parse_goal(goal));
      EXPECT_EQ(info.reason.text(info.pipeline, info.variant), chosen_by);
    }
    nlohmann::json const info = this->kompakt({"info", this->file("x.kpk"), "--json"}).json();
    EXPECT_EQ(info.at("chosen_by"), compress.json().at("chosen_by"));
  }
}

TYPED_TEST(CliSlabsOf, Frames_AreTheStreamsOfTheSlabs) {
  LargeField const field = smooth_field<TypeParam>({61, 66, 67});
  for (std::string const pipeline : {"fixedlength", "bitshuffle", "huffman", "rans"}) {
    Words words = this->compress(
        field, {"-m", "r2r", "-e", "1e-4", "-c", pipeline, "--memory", little_memory, "--force"});
    ASSERT_TRUE(this->kompakt(words).is(Status::ok));
    std::string const file = contents(this->file("x.kpk"));
    std::vector<std::string> const frames = split_frames(file);
    EXPECT_EQ(join_frames(frames), file);
    ASSERT_GE(frames.size(), 4u);
    auto const field_values = values_of<TypeParam>(field.bytes);
    auto const [least, most] = std::minmax_element(field_values.begin(), field_values.end());
    Options options;
    options.bound = ErrorBound::relative_to_range(1e-4);
    options.range = static_cast<double>(*most) - static_cast<double>(*least);
    options.magnitude = std::max(std::fabs(*least), std::fabs(*most));
    options.pipeline = parse_pipeline(pipeline);
    std::size_t row = 0;
    for (std::string const& frame : frames) {
      StreamInfo const info = inspect(bytes_of(frame));
      EXPECT_EQ(info.part.origin, (FramePart{{row, 0, 0}, {}}.origin));
      EXPECT_EQ(info.part.total, FramePart::whole(field.shape()).total);
      std::size_t const first = row * 66 * 67, count = info.shape.size();
      std::vector<TypeParam> const slab(
          field_values.begin() + static_cast<std::ptrdiff_t>(first),
          field_values.begin() + static_cast<std::ptrdiff_t>(first + count));
      Codec<Kokkos::DefaultHostExecutionSpace> codec;
      std::vector<std::byte> expected = codec.compress(slab, info.shape, options);
      mark_part(expected, info.part);
      EXPECT_TRUE(std::ranges::equal(expected, bytes_of(frame)));
      row += info.shape.extents[0];
    }
    EXPECT_EQ(row, 61u);
  }
}

TEST_F(CliSlabs, BoundsWithoutOneResolvedForAll_AreKeptByEveryFrame) {
  LargeField const field = smooth_field<float>({61, 66, 67});
  for (Words const& bound : {Words{"-m", "psnr", "-e", "60"}, Words{"-m", "pwr", "-e", "1e-3"}}) {
    Words words = bound;
    words.insert(words.end(), {"--memory", little_memory, "--force"});
    ASSERT_TRUE(kompakt(compress(field, words)).is(Status::ok));
    EXPECT_GE(split_frames(contents(file("x.kpk"))).size(), 4u);
    Words compare{"compare", "-i", file("x"), file("x.kpk")};
    compare.insert(compare.end(), bound.begin(), bound.end());
    Outcome const outcome = kompakt(compare);
    EXPECT_TRUE(outcome.is(Status::ok)) << outcome;
  }
}

/// Slabs without values, of values within their bounds, and one of a single value.
LargeField field_with_gaps(double miss) {
  return make_field<float>({61, 66, 67}, [&](std::size_t i) {
    std::size_t const row = i / (66 * 67);
    bool const missing = row < 20 || (row >= 40 && row < 50);
    return missing ? miss : row < 40 ? std::sin(0.01 * static_cast<double>(i)) : 3.0;
  });
}

TEST_F(CliSlabs, PsnrOfFramesWithoutValues_HasTheBoundOfThoseWithValues) {
  for (double const miss : {std::numeric_limits<double>::quiet_NaN(), 1e20}) {
    for (Words const& more : {Words{}, Words{"--range", "4"}}) {
      Words words = {"-m", "psnr", "-e", "60", "--memory", little_memory, "--force"};
      words.insert(words.end(), more.begin(), more.end());
      LargeField const field = field_with_gaps(miss);
      ASSERT_TRUE(kompakt(compress(field, words)).is(Status::ok));
      auto const all = values_of<float>(field.bytes);
      double largest = 0;
      std::size_t at = 0, without = 0;
      for (std::string const& frame : split_frames(contents(file("x.kpk")))) {
        StreamInfo const frame_info = inspect(bytes_of(frame));
        auto const has_value = [&](float value) { return value <= 3; };
        bool const any = std::any_of(&all[at], &all[at] + frame_info.shape.size(), has_value);
        if (any) largest = std::max(largest, frame_info.abs_bound);
        without += any ? 0 : 1;
        at += frame_info.shape.size();
      }
      EXPECT_GE(without, 2u);
      EXPECT_EQ(info("x.kpk").at("bound_abs"), largest);
      EXPECT_TRUE(shell("$K compare -i x x.kpk").is(Status::ok));
      EXPECT_TRUE(shell("$K compare -i x x.kpk -m psnr -e 60").is(Status::ok));
    }
  }
}

TEST_F(CliSlabs, CompareOfFramesWithBoundsOfTheirOwn_ChecksEachByItsOwn) {
  LargeField field = field_with_gaps(0.0);
  ASSERT_TRUE(kompakt(compress(field, {"-m", "psnr", "-e", "60", "--memory", little_memory}))
                  .is(Status::ok));
  double const largest = info("x.kpk").at("bound_abs"), own = [&] {
    for (std::string const& frame : split_frames(contents(file("x.kpk")))) {
      StreamInfo const frame_info = inspect(bytes_of(frame));
      if (frame_info.part.origin[0] >= 20) return frame_info.abs_bound;
    }
    return 0.0;
  }();
  ASSERT_GT(largest, 2.5 * own);
  std::size_t const position = (30 * 66 + 5) * 67 + 6;
  float value = values_of<float>(field.bytes)[position];
  value += static_cast<float>(2.2 * own);  // within the largest bound, whatever came back
  std::memcpy(field.bytes.data() + 4 * position, &value, 4);
  put(file("x"), field.bytes);
  Outcome const outcome = kompakt({"compare", "-i", file("x"), file("x.kpk"), "--json"});
  EXPECT_TRUE(outcome.is(Status::bound_violated)) << outcome;
  EXPECT_EQ(outcome.json().at("violations"), 1);
  EXPECT_EQ(outcome.json().at("first_violation"), position);
}

TEST_F(CliSlabs, FieldThatFits_IsOneFrameWhateverTheLimit) {
  LargeField const field = smooth_field<float>({20, 66, 67});
  ASSERT_TRUE(kompakt(compress(field, {"-m", "r2r", "-e", "1e-3"})).is(Status::ok));
  std::string const expected = contents(file("x.kpk"));
  for (std::string const memory : {"33M", "34603008", "34000K", "2G", "1T"}) {
    ASSERT_TRUE(kompakt(compress(field, {"-m", "r2r", "-e", "1e-3", "--force", "--memory", memory}))
                    .is(Status::ok));
    EXPECT_EQ(contents(file("x.kpk")), expected) << memory;
  }
}

TEST_F(CliSlabs, EverySpaceAndNumberOfThreads_WritesTheSameFile) {
  LargeField const field = smooth_field<float>({61, 66, 67});
  Words const words = compress(field, {"-m", "r2r", "-e", "1e-3", "--memory", little_memory});
  ASSERT_TRUE(kompakt(words).is(Status::ok));
  std::string const expected = contents(file("x.kpk"));
  for (std::string const space : {"openmp", "cuda"}) {
    Words other = with(words, "--exec", space);
    other.push_back("--force");
    Outcome const outcome = kompakt(other);
    if (outcome.is(Status::device)) continue;  // not in this build, or no such device here
    ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
    EXPECT_EQ(contents(file("x.kpk")), expected);
    Outcome const back =
        kompakt({"decompress", "-i", file("x.kpk"), "-o", file("y"), "--force", "--exec", space});
    ASSERT_TRUE(back.is(Status::ok)) << back;
    expect_promise(values_of<float>(field.bytes), values_of<float>(contents(file("y"))),
                   info("x.kpk").at("bound_abs").get<double>());
  }
}

TEST_F(CliSlabs, Info_SpeaksOfTheWholeFile) {
  LargeField const field = smooth_field<float>({61, 66, 67});
  ASSERT_TRUE(kompakt(compress(field, {"-m", "abs", "-e", "1e-3", "--memory", little_memory}))
                  .is(Status::ok));
  nlohmann::json const json = info("x.kpk");
  std::string const bytes = contents(file("x.kpk"));
  std::vector<std::string> const frames = split_frames(bytes);
  std::uint64_t chunks = 0, exceptions = 0;
  for (std::string const& frame : frames) {
    chunks += inspect(bytes_of(frame)).chunks;
    exceptions += inspect(bytes_of(frame)).exceptions;
  }
  EXPECT_EQ(json.at("frames"), frames.size());
  EXPECT_EQ(json.at("shape"), nlohmann::json({61, 66, 67}));
  EXPECT_EQ(json.at("compressed_bytes"), bytes.size());
  EXPECT_EQ(json.at("chunks"), chunks);
  EXPECT_EQ(json.at("exceptions"), exceptions);
  EXPECT_DOUBLE_EQ(json.at("ratio"),
                   static_cast<double>(field.bytes.size()) / static_cast<double>(bytes.size()));
  Outcome const text = kompakt({"info", file("x.kpk")});
  EXPECT_NE(text.out.find(std::to_string(frames.size()) + ", one after the other"),
            std::string::npos)
      << text;
  expect_refused({"info", "--codebooks", file("x.kpk")}, Status::bad_argument,
                 {"several frames", "--codebooks"});
}

// "3:7" of a random range in an extent.
std::string random_range(Random& random, std::size_t extent, std::size_t& begin, std::size_t& end) {
  begin = random.below(extent);
  end = begin + 1 + random.below(extent - begin);
  return std::to_string(begin) + ":" + std::to_string(end);
}

TEST_F(CliSlabs, AnyRegionOfSeveralFrames_IsTheSliceOfTheField) {
  KOMPAKT_TRACE_SEED(3);
  Random random(3);
  LargeField const field = smooth_field<float>({61, 66, 67});
  ASSERT_TRUE(
      kompakt(compress(field, {"-m", "lossless", "--memory", little_memory})).is(Status::ok));
  ASSERT_GE(split_frames(contents(file("x.kpk"))).size(), 4u);
  for (int trial = 0; trial < 12; ++trial) {
    std::size_t begin[3], end[3];
    std::string ranges;
    for (std::size_t i = 0; i < 3; ++i) {
      if (i > 0) ranges += ',';
      ranges += random_range(random, field.extents[i], begin[i], end[i]);
    }
    Outcome const outcome = kompakt(
        {"extract", "-i", file("x.kpk"), "--roi", ranges, "-o", file("part"), "--force", "--json"});
    ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
    std::string expected;
    for (std::size_t z = begin[0]; z < end[0]; ++z) {
      for (std::size_t y = begin[1]; y < end[1]; ++y) {
        expected += field.bytes.substr(4 * ((z * 66 + y) * 67 + begin[2]), 4 * (end[2] - begin[2]));
      }
    }
    EXPECT_TRUE(contents(file("part")) == expected) << ranges;
    EXPECT_EQ(outcome.json().at("field_shape"), nlohmann::json(field.extents));
  }
  // One value is in one frame: the others' headers are all that is read of them.
  Outcome const one = kompakt({"extract", "-i", file("x.kpk"), "--roi", "60,65,66", "-o",
                               file("part"), "--force", "--json"});
  EXPECT_LT(one.json().at("read_bytes"), contents(file("x.kpk")).size() / 4);
  expect_refused({"extract", "-i", file("x.kpk"), "--roi", "60,65,67", "-o", file("none")},
                 Status::bad_argument, {"60,65,67", "0 to 66"});
}

TEST_F(CliSlabs, CompareWithAWrongValueInALaterFrame_NamesItsPlaceInTheField) {
  LargeField field = smooth_field<float>({61, 66, 67});
  ASSERT_TRUE(kompakt(compress(field, {"-m", "abs", "-e", "1e-3", "--memory", little_memory}))
                  .is(Status::ok));
  std::size_t const position = (40 * 66 + 5) * 67 + 6;
  float const wrong = -77.25f;
  for (std::size_t const at : {position, position + 3}) {
    std::memcpy(field.bytes.data() + 4 * at, &wrong, 4);
  }
  put(file("x"), field.bytes);
  Outcome const outcome = kompakt({"compare", "-i", file("x"), file("x.kpk"), "--json"});
  EXPECT_TRUE(outcome.is(Status::bound_violated)) << outcome;
  EXPECT_EQ(outcome.json().at("violations"), 2);
  EXPECT_EQ(outcome.json().at("first_violation"), position);
  EXPECT_EQ(outcome.json().at("min"), -77.25);
  EXPECT_NE(outcome.err.find("(40, 5, 6): -77.25 became"), std::string::npos) << outcome;
  // Relative to the range of the original, which is then that of the wrong value.
  Outcome const wide =
      kompakt({"compare", "-i", file("x"), file("x.kpk"), "-m", "r2r", "-e", "1", "--json"});
  EXPECT_TRUE(wide.is(Status::ok)) << wide;
  EXPECT_EQ(wide.json().at("bound_abs"),
            wide.json().at("max").get<double>() - wide.json().at("min").get<double>());
  expect_refused({"compare", "-i", file("x.kpk"), file("x.kpk")}, Status::bad_argument,
                 {"61 x 66 x 67"});
}

TEST_F(CliSlabs, UnusableMemory_IsNamed) {
  LargeField const field = smooth_field<float>({4, 4});
  for (std::string const memory :
       {"3", "0", "32M", "1X", "-1", "1.5", "1.2.3G", "1e9K", "99999999T", "M", "1GBs", "1 G"}) {
    expect_refused(compress(field, {"-m", "abs", "-e", "1e-3", "--memory", memory}),
                   Status::bad_argument, {"--memory"});
  }
  EXPECT_EQ(names(), Names({"x"}));
}

TEST_F(CliSlabs, RangeThatOverflows_KeepsTheBoundOfTheWhole) {
  auto const at = [](std::size_t i) {
    return (i % 2 == 0 ? 1.7e308 : -1.7e308) * (1 - 0.1 * static_cast<double>(i % 7));
  };
  LargeField const field = make_field<double>({61, 66, 67}, at);
  Outcome const outcome =
      kompakt(compress(field, {"-m", "r2r", "-e", "1e-3", "--memory", little_memory}));
  ASSERT_TRUE(outcome.is(Status::ok)) << outcome;
  ASSERT_TRUE(kompakt({"decompress", "-i", file("x.kpk"), "-o", file("y")}).is(Status::ok));
  std::string const bytes = contents(file("y"));
  ASSERT_EQ(bytes.size(), 61u * 66 * 67 * sizeof(double));
  long double const bound = 1e-3 * (2 * 1.7e308L);
  for (std::size_t i = 0; i < bytes.size() / sizeof(double); ++i) {
    double value = 0;
    std::memcpy(&value, bytes.data() + i * sizeof(double), sizeof(double));
    ASSERT_LE(std::abs(static_cast<long double>(value) - at(i)), bound) << i;
  }
}

TEST_F(CliSlabs, TerminatedBetweenSlabs_LeavesNothing) {
  put(file("half"), smooth_field<float>({61, 66, 67}).bytes.substr(0, 900000));
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  Program program(
      m_output, {"compress", "-i", file("pipe"), "-t", "f32", "--shape", "61,66,67", "-m", "abs",
                 "-e", "1e-3", "-o", file("x.kpk"), "--memory", little_memory, "--exec", "serial"});
  {
    std::ofstream pipe(file("pipe"), std::ios::binary);
    pipe << contents(file("half")) << std::flush;
    // Three slabs are there; the program waits for more when their file has come into being.
    auto const written = [&] {
      for (auto const& entry : std::filesystem::directory_iterator(m_files.path())) {
        std::error_code error;
        if (entry.path().filename().string().starts_with(".x.kpk")) {
          return entry.file_size(error) > 0;
        }
      }
      return false;
    };
    for (int i = 0; i < 60000 && !written(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(written());
    ::kill(program.pid(), SIGTERM);
    EXPECT_EQ(program.wait().signal, SIGTERM);
  }
  EXPECT_EQ(names(), Names({"half", "pipe"}));
}

TEST_F(CliSlabs, FileLargerThanTheMemory_NeedsNoMoreThanTheLimit) {
  if (auto const why = why_memory_is_not_ours()) GTEST_SKIP() << why;
  ::setenv("OMP_WAIT_POLICY", "passive", 0);  // threads that spin keep those that read from working
  put(file("x"), "");
  std::filesystem::resize_file(file("x"), 200 << 20);
  for (std::string const pipeline : {"fixedlength", "huffman"}) {
    for (Words const& words :
         {Words{"compress", "-i", file("x"), "-t", "f32", "--shape", "200,512,512", "-m", "r2r",
                "-e", "1e-3", "-o", file("x.kpk"), "--memory", "64M", "--force", "-c", pipeline},
          Words{"decompress", "-i", file("x.kpk"), "-o", file("y"), "--force"},
          Words{"compare", "-i", file("x"), file("x.kpk")}}) {
      std::size_t peak = 0;
      Outcome const outcome = watched(words, peak);
      EXPECT_TRUE(outcome.is(Status::ok)) << outcome;
      EXPECT_GT(peak, std::size_t{4} << 20);
      EXPECT_LT(peak, std::size_t{64} << 20) << words[0];
    }
    EXPECT_EQ(shell("cmp x y").exit_code, 0);
  }
}

}  // namespace
}  // namespace kompakt::test
