#include "c_case.hpp"
#include <cmath>
#include <cstring>
#include <functional>
#include <kompakt/version.h>
#include <limits>
#include <map>
#include <support/fields.hpp>
#include <thread>
#include <vector>

// What cannot be used is refused with its status and one line that names it; nothing is written then.

namespace kompakt::test {

namespace {

std::string last_message() { return kompakt_last_message(); }

/// Fails unless the call ended with a status and a message of one line with the words.
void expect_refused(kompakt_status found, kompakt_status expected, std::string const& words) {
  std::string const message = last_message();
  EXPECT_EQ(found, expected) << message;
  EXPECT_NE(message.find(words), std::string::npos) << message << "\nlacks: " << words;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

}  // namespace

class CRefused : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(compress(), KOMPAKT_OK) << last_message();
    stream_bytes = info.bytes;
  }

  kompakt_status compress() {
    return kompakt_compress(context.get(), &field, values.data(), &options, stream.data(),
                            stream.size(), KOMPAKT_HOST, &info);
  }
  kompakt_status decompress() {
    return kompakt_decompress(context.get(), stream.data(), stream_bytes, KOMPAKT_HOST, &field,
                              values.data(), &info);
  }
  /// compress() with one member of something altered.
  template <class T>
  void expect_refused_with(T& member, T wrong, std::string const& words) {
    T const right = std::exchange(member, wrong);
    kompakt_info const before = info;
    expect_refused(compress(), KOMPAKT_BAD_ARGUMENT, words);
    if (reinterpret_cast<char*>(&member) < reinterpret_cast<char*>(&info) ||
        reinterpret_cast<char*>(&member) >= reinterpret_cast<char*>(&info + 1)) {
      EXPECT_EQ(std::memcmp(&info, &before, sizeof info), 0);
    }
    member = right;
  }

  FieldShape shape = shape_from<float>({30, 40});
  std::vector<float> values = make_field<float>(Family::smooth, shape);
  std::vector<std::byte> stream = std::vector<std::byte>(max_compressed_bytes(shape));
  std::uint64_t stream_bytes = 0;
  kompakt_field field = field_of(shape);
  kompakt_options options = kompakt_options_default();
  kompakt_info info = kompakt_info_default();
  Context context = make_context();
};

using std::int32_t;
using std::uint64_t;

TEST_F(CRefused, StridesThatLeadBeyondMemory_AreNamed) {
  std::int64_t const most = std::numeric_limits<std::int64_t>::max();
  std::vector<float> const before = values;
  for (std::int64_t const step : {most, -most, std::numeric_limits<std::int64_t>::min(), most / 4,
                                  most / 4 / 29 + 1, std::int64_t{1} << 32 << 28}) {
    field.strides[0] = step;
    field.strides[1] = 1;
    std::string const words = "index 0 of the field of 30 x 40 values of f32 steps by " +
                              std::to_string(step) + " values, which leads beyond any memory";
    expect_refused(compress(), KOMPAKT_BAD_ARGUMENT, "compress: " + words);
    expect_refused(decompress(), KOMPAKT_BAD_ARGUMENT, "decompress: " + words);
    kompakt_range range = kompakt_range_default();
    expect_refused(kompakt_field_range(context.get(), &field, values.data(), &options, &range),
                   KOMPAKT_BAD_ARGUMENT, words);
    kompakt_quality quality = kompakt_quality_default();
    expect_refused(kompakt_compare(context.get(), &field, values.data(), &field, values.data(),
                                   nullptr, 0, &quality),
                   KOMPAKT_BAD_ARGUMENT, words);
  }
  EXPECT_EQ(values, before);
}

TEST_F(CRefused, PlacesOfSeveralValues_AreReadButNotWritten) {
  std::vector<float> const before = values;
  std::pair<std::int64_t, std::int64_t> const overlapping[] = {{0, 1},  {39, 1}, {-20, 1},
                                                               {1, 29}, {40, 0}, {1, 1}};
  for (auto const& [first, second] : overlapping) {
    field.strides[0] = first;
    field.strides[1] = second;
    std::size_t const begin = first < 0 ? 29 * 20 : 0;
    kompakt_info read = kompakt_info_default();
    std::vector<std::byte> other(stream.size());
    EXPECT_EQ(kompakt_compress(context.get(), &field, values.data() + begin, &options, other.data(),
                               other.size(), KOMPAKT_HOST, &read),
              KOMPAKT_OK)
        << last_message();
    expect_refused(decompress(), KOMPAKT_BAD_ARGUMENT, "would be written to the same place");
    EXPECT_EQ(values, before);
  }
  field.strides[0] = -40;
  field.strides[1] = 1;
  std::vector<float> turned(values.size());
  ASSERT_EQ(kompakt_decompress(context.get(), stream.data(), stream_bytes, KOMPAKT_HOST, &field,
                               turned.data() + 29 * 40, &info),
            KOMPAKT_OK)
      << last_message();
  EXPECT_NEAR(turned[29 * 40], before[0], 0.1);
  EXPECT_NEAR(turned[39], before.back(), 0.1);
}

TEST_F(CRefused, NumbersThatAreNone_AreNamed) {
  expect_refused_with(field.dtype, int32_t{14}, "kompakt_compress: field->dtype is 14");
  expect_refused_with(field.dtype, int32_t{-1}, "field->dtype is -1");
  expect_refused_with(field.dtype, int32_t{256}, "field->dtype is 256");
  expect_refused_with(field.order, int32_t{2}, "field->order is 2");
  expect_refused_with(field.memory, int32_t{2}, "field->memory is 2");
  expect_refused_with(field.rank, int32_t{0}, "field->rank is 0");
  expect_refused_with(field.rank, int32_t{9}, "field->rank is 9");
  expect_refused_with(field.extents[0], uint64_t{1} << 62, "2^60");
  expect_refused_with(options.bound.mode, int32_t{5}, "options->bound.mode is 5");
  expect_refused_with(options.bound.is_default, int32_t{2}, "options->bound.is_default is 2");
  expect_refused_with(options.checksum, int32_t{2}, "options->checksum is 2; use one of 0 and 1");
  expect_refused_with(options.bound.value, -1.0, "bound -1");
  expect_refused_with(options.bound.value, std::numeric_limits<double>::quiet_NaN(), "bound nan");
  expect_refused_with(options.pipeline, int32_t{-1}, "options->pipeline is -1");
  expect_refused_with(options.goal, int32_t{5}, "options->goal is 5");
  expect_refused_with(options.goal, int32_t{KOMPAKT_GOAL_RATIO}, "the goal 'ratio' chooses");
  expect_refused_with(options.pipeline, int32_t{5}, "options->pipeline is 5");
  expect_refused_with(options.pipeline, int32_t{259}, "options->pipeline is 259");
  expect_refused_with(options.variant, int32_t{7}, "options->variant is 7");
  expect_refused_with(options.variant, int32_t{KOMPAKT_VARIANT_NESTED}, "variant 'nested'");
  expect_refused_with(options.predictor, int32_t{4}, "options->predictor is 4");
  expect_refused_with(options.predictor, int32_t{KOMPAKT_PREDICTOR_INTERPOLATE}, "'interpolate'");
  expect_refused_with(options.fill_mode, int32_t{3}, "options->fill_mode is 3");
  expect_refused_with(options.radius, int32_t{33}, "radius 33");
  expect_refused_with(options.reason, uint64_t{77}, "options->reason is 77");
}

TEST_F(CRefused, StructSizesThatCannotBe_AreNamed) {
  for (uint64_t const size : {uint64_t{0}, uint64_t{8}, ~uint64_t{0}}) {
    std::string const number = "struct_size is " + std::to_string(size);
    expect_refused_with(field.struct_size, size, "field->" + number);
    expect_refused_with(options.struct_size, size, "options->" + number);
    expect_refused_with(info.struct_size, size, "info->" + number);
  }
}

TEST_F(CRefused, PointersThatAreNull_AreNamed) {
  std::vector<std::byte> const before = stream;
  auto const status = [&](kompakt_context* c, kompakt_field const* f, void const* v, void* s,
                          kompakt_info* i) {
    return kompakt_compress(c, f, v, nullptr, s, stream.size(), KOMPAKT_HOST, i);
  };
  void* const s = stream.data();
  expect_refused(status(nullptr, &field, values.data(), s, &info), KOMPAKT_BAD_ARGUMENT,
                 "kompakt_compress: context is NULL");
  expect_refused(status(context.get(), nullptr, values.data(), s, &info), KOMPAKT_BAD_ARGUMENT,
                 "field is NULL");
  expect_refused(status(context.get(), &field, nullptr, s, &info), KOMPAKT_BAD_ARGUMENT,
                 "no memory");
  expect_refused(status(context.get(), &field, values.data(), nullptr, &info), KOMPAKT_BAD_ARGUMENT,
                 "stream is NULL");
  expect_refused(status(context.get(), &field, values.data(), s, nullptr), KOMPAKT_BAD_ARGUMENT,
                 "info is NULL");
  EXPECT_EQ(stream, before);
}

// A table of calls, each with one pointer that is NULL.
TEST_F(CRefused, EveryCall_TellsOfANullPointer) {
  kompakt_range range = kompakt_range_default();
  kompakt_quality quality = kompakt_quality_default();
  uint64_t number = 0;
  kompakt_space space = 0;
  void const* const data = values.data();
  void const* const in[] = {data};
  void* const out[] = {stream.data()};
  kompakt_context* const c = context.get();
  std::map<std::string, std::function<kompakt_status()>> const calls{
      {"kompakt_validate_options: options", [&] { return kompakt_validate_options(nullptr); }},
      {"kompakt_max_compressed_bytes: field",
       [&] { return kompakt_max_compressed_bytes(nullptr, nullptr, &number); }},
      {"kompakt_max_compressed_bytes: bytes",
       [&] { return kompakt_max_compressed_bytes(&field, nullptr, nullptr); }},
      {"kompakt_inspect: stream", [&] { return kompakt_inspect(nullptr, 100, &info); }},
      {"kompakt_inspect: info", [&] { return kompakt_inspect(stream.data(), 100, nullptr); }},
      {"kompakt_mark_part: stream",
       [&] { return kompakt_mark_part(nullptr, 100, &number, &number, &info); }},
      {"kompakt_mark_part: origin",
       [&] { return kompakt_mark_part(stream.data(), stream_bytes, nullptr, &number, &info); }},
      {"kompakt_mark_part: total",
       [&] {
         uint64_t const two[] = {0, 0};
         return kompakt_mark_part(stream.data(), stream_bytes, two, nullptr, &info);
       }},
      {"kompakt_context_create: context",
       [&] { return kompakt_context_create(KOMPAKT_SPACE_SERIAL, nullptr, nullptr); }},
      {"kompakt_context_space: context", [&] { return kompakt_context_space(nullptr, &space); }},
      {"kompakt_context_space: space", [&] { return kompakt_context_space(c, nullptr); }},
      {"kompakt_context_bytes: context", [&] { return kompakt_context_bytes(nullptr, &number); }},
      {"kompakt_context_bytes: bytes", [&] { return kompakt_context_bytes(c, nullptr); }},
      {"kompakt_context_fence: context", [&] { return kompakt_context_fence(nullptr); }},
      {"kompakt_decompress: context",
       [&] {
         return kompakt_decompress(nullptr, stream.data(), stream_bytes, 0, &field, values.data(),
                                   nullptr);
       }},
      {"kompakt_decompress: stream",
       [&] { return kompakt_decompress(c, nullptr, 100, 0, &field, values.data(), nullptr); }},
      {"kompakt_decompress: field",
       [&] {
         return kompakt_decompress(c, stream.data(), stream_bytes, 0, nullptr, values.data(),
                                   nullptr);
       }},
      {"kompakt_decompress_region: begin",
       [&] {
         return kompakt_decompress_region(c, stream.data(), stream_bytes, 0, nullptr, &number,
                                          &field, values.data(), nullptr);
       }},
      {"kompakt_decompress_region: end",
       [&] {
         uint64_t const two[] = {0, 0};
         return kompakt_decompress_region(c, stream.data(), stream_bytes, 0, two, nullptr, &field,
                                          values.data(), nullptr);
       }},
      {"kompakt_choose: options",
       [&] { return kompakt_choose(c, &field, data, KOMPAKT_GOAL_RATIO, nullptr); }},
      {"kompakt_choose: context",
       [&] { return kompakt_choose(nullptr, &field, data, KOMPAKT_GOAL_RATIO, &options); }},
      {"kompakt_field_range: range",
       [&] { return kompakt_field_range(c, &field, data, nullptr, nullptr); }},
      {"kompakt_field_range: context",
       [&] { return kompakt_field_range(nullptr, &field, data, nullptr, &range); }},
      {"kompakt_range_width: width", [&] { return kompakt_range_width(0, 1, nullptr); }},
      {"kompakt_options_for_parts: whole",
       [&] { return kompakt_options_for_parts(nullptr, &options); }},
      {"kompakt_options_for_parts: options",
       [&] { return kompakt_options_for_parts(&range, nullptr); }},
      {"kompakt_compare: original_field",
       [&] { return kompakt_compare(c, nullptr, data, &field, data, nullptr, 0, &quality); }},
      {"kompakt_compare: reconstructed_field",
       [&] { return kompakt_compare(c, &field, data, nullptr, data, nullptr, 0, &quality); }},
      {"kompakt_compare: quality",
       [&] { return kompakt_compare(c, &field, data, &field, data, nullptr, 0, nullptr); }},
      {"kompakt_compress_batch: fields",
       [&] {
         return kompakt_compress_batch(c, 1, nullptr, in, nullptr, nullptr, out, &number, 0, &info);
       }},
      {"kompakt_compress_batch: values",
       [&] {
         return kompakt_compress_batch(c, 1, &field, nullptr, nullptr, nullptr, out, &number, 0,
                                       &info);
       }},
      {"kompakt_compress_batch: streams",
       [&] {
         return kompakt_compress_batch(c, 1, &field, in, nullptr, nullptr, nullptr, &number, 0,
                                       &info);
       }},
      {"kompakt_compress_batch: capacities",
       [&] {
         return kompakt_compress_batch(c, 1, &field, in, nullptr, nullptr, out, nullptr, 0, &info);
       }},
      {"kompakt_compress_batch: infos",
       [&] {
         return kompakt_compress_batch(c, 1, &field, in, nullptr, nullptr, out, &number, 0,
                                       nullptr);
       }},
  };
  for (auto const& [who, call] : calls)
    expect_refused(call(), KOMPAKT_BAD_ARGUMENT, who + " is NULL");
}

TEST_F(CRefused, OtherArgumentsThatCannotBe_AreNamed) {
  kompakt_context* other = nullptr;
  expect_refused(kompakt_context_create(3, nullptr, &other), KOMPAKT_BAD_ARGUMENT, "space is 3");
  expect_refused(kompakt_context_create(KOMPAKT_SPACE_SERIAL, &other, &other), KOMPAKT_BAD_ARGUMENT,
                 "serial takes no stream");
  if (kompakt_has_space(KOMPAKT_SPACE_CUDA) == 0) {
    expect_refused(kompakt_context_create(KOMPAKT_SPACE_CUDA, nullptr, &other), KOMPAKT_DEVICE,
                   "'cuda' is not part of this build");
  }
  EXPECT_EQ(other, nullptr);
  EXPECT_EQ(kompakt_has_space(3), 0);
  expect_refused(kompakt_choose(context.get(), &field, values.data(), 5, &options),
                 KOMPAKT_BAD_ARGUMENT, "goal is 5");
  kompakt_quality quality = kompakt_quality_default();
  expect_refused(kompakt_compare(context.get(), &field, values.data(), &field, values.data(),
                                 nullptr, 16, &quality),
                 KOMPAKT_BAD_ARGUMENT, "groups is 16");
  expect_refused(kompakt_compress(context.get(), &field, values.data(), nullptr, stream.data(),
                                  stream.size(), 5, &info),
                 KOMPAKT_BAD_ARGUMENT, "stream_in is 5");
  double width = 7;
  expect_refused(kompakt_range_width(1, 0, &width), KOMPAKT_BAD_ARGUMENT, "min is 1");
  expect_refused(kompakt_range_width(std::nan(""), 1, &width), KOMPAKT_BAD_ARGUMENT, "min is nan");
  EXPECT_EQ(width, 7);
  kompakt_settings settings = kompakt_settings_default();
  settings.threads = -3;
  expect_refused(kompakt_initialize(&settings), KOMPAKT_BAD_ARGUMENT, "settings->threads is -3");
  settings.threads = 1;
  settings.device = 1 << 20;
  expect_refused(kompakt_initialize(&settings), KOMPAKT_BAD_ARGUMENT,
                 "settings->device is 1048576");
  settings.device = -1;
  expect_refused(kompakt_initialize(&settings), KOMPAKT_BAD_ARGUMENT, "initialised already");
  EXPECT_EQ(kompakt_initialize(nullptr), KOMPAKT_OK);
}

TEST_F(CRefused, RangesWithoutFiniteEnds_AreNamed) {
  kompakt_range whole = kompakt_range_default();
  whole.any = 1;
  whole.max = INFINITY;
  ASSERT_EQ(kompakt_options_for_parts(&whole, &options), KOMPAKT_BAD_ARGUMENT);
  EXPECT_NE(last_message().find("the range from 0 to inf is not finite; give the least"),
            std::string::npos)
      << last_message();
}

TEST_F(CRefused, TextsOfSeveralLines_AreShownInOne) {
  ASSERT_EQ(kompakt_options_set(&options, "axis\n", "1"), KOMPAKT_BAD_ARGUMENT);
  EXPECT_NE(last_message().find("no option 'axis\\n'; use one of"), std::string::npos);
  ASSERT_EQ(kompakt_options_set_text(&options, "abs:1\r\n\x1b[2J\xff"), KOMPAKT_BAD_ARGUMENT);
  EXPECT_NE(last_message().find("'1\\r\\n\\x1b[2J\\xff' is no number"), std::string::npos)
      << last_message();
}

TEST_F(CRefused, EveryStatusOfStreams_IsReached) {
  expect_refused(kompakt_compress(context.get(), &field, values.data(), nullptr, stream.data(), 100,
                                  KOMPAKT_HOST, &info),
                 KOMPAKT_BUFFER_TOO_SMALL, "100");
  ASSERT_EQ(compress(), KOMPAKT_OK);
  kompakt_field other = field;
  other.extents[1] = 41;
  expect_refused(kompakt_decompress(context.get(), stream.data(), stream_bytes, KOMPAKT_HOST,
                                    &other, values.data(), nullptr),
                 KOMPAKT_TYPE_MISMATCH, "41");
  auto const with_byte = [&](std::size_t at, std::byte value) {
    std::vector<std::byte> damaged(stream.begin(),
                                   stream.begin() + static_cast<long>(stream_bytes));
    damaged[at] = value;
    return kompakt_decompress(context.get(), damaged.data(), damaged.size(), KOMPAKT_HOST, &field,
                              values.data(), nullptr);
  };
  expect_refused(with_byte(0, std::byte{0}), KOMPAKT_BAD_MAGIC, "");
  expect_refused(with_byte(stream_bytes - 1,
                           static_cast<std::byte>(~std::to_integer<int>(stream[stream_bytes - 1]))),
                 KOMPAKT_CORRUPT, "");
  bool newer = false;  // wherever the format has its version
  for (std::size_t i = 4; i < 64 && !newer; ++i) {
    newer = with_byte(i, std::byte{0x7f}) == KOMPAKT_UNSUPPORTED_VERSION;
  }
  EXPECT_TRUE(newer);
  expect_refused(kompakt_inspect(stream.data(), 50, &info), KOMPAKT_CORRUPT, "");
  expect_refused(kompakt_inspect(nullptr, 0, &info), KOMPAKT_BAD_MAGIC, "");
}

TEST_F(CRefused, OlderOptions_TakeWhatTheyHaveMembersForAndRefuseTheRest) {
  options.struct_size = offsetof(kompakt_options, has_limits);
  EXPECT_EQ(kompakt_options_set_text(&options, "abs:0.5,pack"), KOMPAKT_OK);
  EXPECT_EQ(options.pack, 1);
  kompakt_options const before = options;
  expect_refused(kompakt_options_set_text(&options, "abs:0.25,limits=0:1"), KOMPAKT_BAD_ARGUMENT,
                 "which has no member for this");
  EXPECT_EQ(std::memcmp(&before, &options, sizeof options), 0);
}

TEST_F(CRefused, InfosOfDifferentSizes_AreRefused) {
  kompakt_info infos[2] = {kompakt_info_default(), kompakt_info_default()};
  infos[1].struct_size += 8;
  kompakt_field const fields[] = {field, field};
  void const* const from[] = {values.data(), values.data()};
  void* const to[] = {stream.data(), stream.data()};
  std::uint64_t const capacities[] = {stream.size(), stream.size()};
  expect_refused(kompakt_compress_batch(context.get(), 2, fields, from, nullptr, nullptr, to,
                                        capacities, KOMPAKT_HOST, infos),
                 KOMPAKT_BAD_ARGUMENT, "infos[1] has another struct_size than infos[0]");
}

TEST_F(CRefused, RangeOfAnOptionWithoutAPlace_WritesNothing) {
  double least = 7;
  expect_refused(kompakt_option_range("radius", &least, nullptr), KOMPAKT_BAD_ARGUMENT, "most");
  EXPECT_EQ(least, 7);
}

TEST_F(CRefused, NewerStructures_AreTakenIfWhatIsUnknownIsZero) {
  struct Newer {
    kompakt_options known;
    double unknown;
  } newer{options, 0};
  newer.known.struct_size = sizeof newer;
  EXPECT_EQ(kompakt_validate_options(&newer.known), KOMPAKT_OK);
  newer.unknown = 1;
  expect_refused(kompakt_validate_options(&newer.known), KOMPAKT_BAD_ARGUMENT,
                 "which this library (" KOMPAKT_VERSION_STRING ") does not know");

  struct NewerInfo {
    kompakt_info known;
    uint64_t unknown, behind;
  } result{kompakt_info_default(), 7, 9};
  result.known.struct_size = sizeof(kompakt_info) + 8;
  ASSERT_EQ(kompakt_inspect(stream.data(), stream_bytes, &result.known), KOMPAKT_OK);
  EXPECT_EQ(result.known.struct_size, sizeof(kompakt_info) + 8);
  EXPECT_EQ(result.known.bytes, stream_bytes);
  EXPECT_EQ(result.unknown, 0u);
  EXPECT_EQ(result.behind, 9u);
}

TEST_F(CRefused, LastMessage_IsThatOfTheThread) {
  expect_refused(kompakt_inspect(nullptr, 5, &info), KOMPAKT_BAD_ARGUMENT, "stream is NULL");
  std::thread([] {
    EXPECT_EQ(last_message(), "");
    EXPECT_EQ(kompakt_context_fence(nullptr), KOMPAKT_BAD_ARGUMENT);
    EXPECT_EQ(last_message(), "kompakt_context_fence: context is NULL; pass a valid pointer");
  }).join();
  EXPECT_EQ(decompress(), KOMPAKT_OK);  // which says nothing
  EXPECT_NE(last_message().find("kompakt_inspect: stream is NULL"), std::string::npos);
}

TEST_F(CRefused, LastFailure_HasParts) {
  ASSERT_EQ(kompakt_inspect(nullptr, 5, &info), KOMPAKT_BAD_ARGUMENT);
  EXPECT_STREQ(kompakt_last_where(), "kompakt_inspect");
  EXPECT_STREQ(kompakt_last_problem(), "stream is NULL");
  EXPECT_STREQ(kompakt_last_advice(), "pass a valid pointer");
  // What the library refuses has the name of its own function.
  field.rank = 1;
  ASSERT_EQ(decompress(), KOMPAKT_TYPE_MISMATCH);
  EXPECT_STREQ(kompakt_last_where(), "decompress");
  EXPECT_STREQ(kompakt_last_advice(), "pass one of this type and these extents");
  EXPECT_EQ(last_message(), std::string(kompakt_last_where()) + ": " + kompakt_last_problem() +
                                "; " + kompakt_last_advice());
}

TEST(CWords, EveryStatus_HasItsName) {
  std::map<kompakt_status, std::string> const names{
      {KOMPAKT_OK, "ok"},
      {KOMPAKT_BAD_ARGUMENT, "bad_argument"},
      {KOMPAKT_BUFFER_TOO_SMALL, "buffer_too_small"},
      {KOMPAKT_BAD_MAGIC, "bad_magic"},
      {KOMPAKT_UNSUPPORTED_VERSION, "unsupported_version"},
      {KOMPAKT_CORRUPT, "corrupt"},
      {KOMPAKT_TYPE_MISMATCH, "type_mismatch"},
      {KOMPAKT_BOUND_VIOLATED, "bound_violated"},
      {KOMPAKT_IO, "io"},
      {KOMPAKT_DEVICE, "device"},
      {99, "unknown status"},
      {-1, "unknown status"}};
  for (auto const& [status, name] : names) EXPECT_EQ(kompakt_status_string(status), name);
  EXPECT_STREQ(kompakt_version_string(), KOMPAKT_VERSION_STRING);
  EXPECT_GT(std::strlen(kompakt_git_commit()), 0u);
}

}  // namespace kompakt::test
