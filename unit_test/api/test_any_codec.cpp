#include "../metrics/expect_stats.hpp"
#include <api/carrier.hpp>
#include <cstring>
#include <kompakt/any_codec.hpp>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>
#include <support/placed.hpp>
#include <support/spaces.hpp>
#include <support/strided.hpp>

// A codec that knows its types at run time alone gives the bytes and values of the templates, wherever fields and
// streams lie.

namespace kompakt::test {

namespace {

/// Values of one of the families, or integers.
template <class T>
std::vector<T> any_values(FieldShape const& shape) {
  if constexpr (std::is_integral_v<T>) {
    return make_integers<T>(shape);
  } else {
    return make_field<T>(Family::nan_islands, shape);
  }
}

}  // namespace

template <class Exec>
class AnyCodecOf : public testing::Test {
 protected:
  using Bytes = Placed<Exec>;

  /// There and back, dense or with gaps, from and to either memory.
  template <class T>
  void round_trip(std::vector<std::size_t> const& extents, Options const& options, bool strided) {
    Random random(3);
    FieldShape shape = shape_from<T>(extents);
    auto const layout =
        strided ? random_strides(random, extents) : std::pair(strides_of(shape), shape.size());
    if (strided) shape.order = impl::order_of(shape, layout.first);
    std::vector<T> const array = any_values<T>(shape_from<T>({layout.second}));
    std::vector<T> const dense = gathered(array, extents, shape, layout.first);
    auto const expected = templates.compress(dense, shape, options);
    auto const decoded = templates.template decompress<T>(expected, shape);
    std::vector<T> restored = array;
    Strides const side_by_side = strides_of(shape);
    for_indices(extents, [&](std::vector<std::size_t> const& index) {
      restored[offset_of(index, layout.first)] = decoded[offset_of(index, side_by_side)];
    });
    for (MemoryOf const field_in : memories) {
      for (MemoryOf const stream_in : memories) {
        Bytes field(field_in, bytes_of(array));
        Bytes stream(stream_in, max_compressed_bytes(shape, options));
        StreamInfo const info = codec.compress({field.data(), shape, layout.first}, field_in,
                                               options, stream.span(), stream_in);
        expect_same_bytes(stream.first(info.bytes), expected, "AnyCodec");
        EXPECT_EQ(info.shape, shape);
        StreamInfo const again = codec.decompress(stream.span().first(info.bytes), stream_in,
                                                  {field.data(), shape, layout.first}, field_in);
        EXPECT_EQ(again.bytes, info.bytes);
        auto const found = field.contents();
        EXPECT_EQ(std::memcmp(found.data(), restored.data(), found.size()), 0);
      }
    }
  }

  /// A choice from either memory is the templates' choice.
  void compare_choices(Goal goal) {
    FieldShape const shape = shape_from<float>({30, 64, 100});
    auto const values = make_field<float>(Family::land, shape);
    auto const memory = templates.upload(bytes_of(values));
    ConstFieldData const field(memory.data(), shape);
    Workspace<Exec> workspace(exec);
    Options const options{.fill = FillValue::automatic()};
    FieldRange const range = kompakt::field_range(exec, field, FillValue::automatic(), workspace);
    Choice const choice = kompakt::choose(exec, ConstStridedData(field), options, goal, workspace);
    for (MemoryOf const in : memories) {
      Placed<Exec> bytes(in, bytes_of(values));
      ConstFieldData const placed(bytes.data(), shape);
      FieldRange const found = codec.field_range(placed, in, FillValue::automatic());
      EXPECT_EQ(found.min, range.min);
      EXPECT_EQ(found.max, range.max);
      EXPECT_EQ(found.fill, range.fill);
      Choice const chosen = codec.choose(placed, in, options, goal);
      EXPECT_EQ(chosen.options.pipeline, choice.options.pipeline);
      EXPECT_EQ(chosen.options.variant, choice.options.variant);
      EXPECT_EQ(chosen.options.predictor, choice.options.predictor);
      EXPECT_EQ(chosen.reason, choice.reason);
      EXPECT_EQ(chosen.sample_values, choice.sample_values);
    }
  }

  template <class T>
  static std::vector<T> gathered(std::vector<T> const& array,
                                 std::vector<std::size_t> const& extents, FieldShape const& shape,
                                 Strides const& strides) {
    std::vector<T> dense(shape.size());
    Strides const side_by_side = strides_of(shape);
    for_indices(extents, [&](std::vector<std::size_t> const& index) {
      dense[offset_of(index, side_by_side)] = array[offset_of(index, strides)];
    });
    return dense;
  }

  Status status_of_decoding(std::vector<std::byte> const& stream, FieldShape const& shape,
                            MemoryOf in) {
    Bytes bytes(in, stream), field(in, shape.bytes());
    return error_of([&] {
             codec.decompress(bytes.span(), in, FieldData{field.data(), shape}, in);
           })
        .status();
  }

  Exec exec;
  Codec<Exec> templates{exec};
  AnyCodec codec{exec};
};
TYPED_TEST_SUITE(AnyCodecOf, Spaces, SpaceName);

TYPED_TEST(AnyCodecOf, FieldsAndStreamsOfEitherMemory_AreThoseOfTheTemplates) {
  for (Coding const& coding : main_codings) {
    for (bool const strided : {false, true}) {
      SCOPED_TRACE(coding.name());
      Options const options = coding.with(ErrorBound::absolute(1e-3));
      this->template round_trip<float>({40, 33, 21}, options, strided);
      this->template round_trip<double>({7000}, options, strided);
      this->template round_trip<float>({5, 0, 3}, options, false);
    }
  }
}

TYPED_TEST(AnyCodecOf, Integers_AreThoseOfTheTemplates) {
  for (bool const strided : {false, true}) {
    Options const options{.bound = ErrorBound::lossless()};
    this->template round_trip<std::uint8_t>({90, 77}, options, strided);
    this->template round_trip<std::int16_t>({90, 77}, options, strided);
    this->template round_trip<std::int32_t>({90, 77}, options, strided);
    this->template round_trip<std::uint64_t>({90, 77}, options, strided);
  }
}

// More than the two pieces of 4 MiB in which a device takes and gives what lies in host memory.
TYPED_TEST(AnyCodecOf, FieldOfManyPieces_IsThatOfTheTemplates) {
  this->template round_trip<float>({130, 160, 170}, {}, false);
  this->template round_trip<float>({130, 160, 170}, {}, true);
}

TYPED_TEST(AnyCodecOf, HostMemoryOfAnyAlignment_IsTaken) {
  FieldShape const shape = shape_from<float>({5000});
  auto const values = make_field<float>(Family::walk, shape);
  auto const expected = this->templates.compress(values, shape, {});
  std::vector<std::byte> memory(max_compressed_bytes(shape) + 3);
  auto const stream = std::span(memory).subspan(3);
  StreamInfo const info = this->codec.compress(ConstFieldData(values.data(), shape), MemoryOf::host,
                                               {}, stream, MemoryOf::host);
  expect_same_bytes({stream.begin(), stream.begin() + static_cast<long>(info.bytes)}, expected,
                    "unaligned");
  std::vector<float> restored(values.size());
  this->codec.decompress(stream.first(info.bytes), MemoryOf::host,
                         FieldData{restored.data(), shape}, MemoryOf::host);
  EXPECT_EQ(restored, (this->templates.template decompress<float>(expected, shape)));
}

TYPED_TEST(AnyCodecOf, BatchIntoHostMemoryOfAnyAlignment_IsTaken) {
  FieldShape const shape = shape_from<double>({4000});
  std::vector<double> const values[2] = {make_field<double>(Family::walk, shape, 1),
                                         make_field<double>(Family::noise, shape, 2)};
  std::size_t const most = max_compressed_bytes(shape);
  std::vector<std::byte> memory(2 * most + 5);
  std::vector<std::span<std::byte>> const streams{std::span(memory).first(most),
                                                  std::span(memory).subspan(most + 5)};
  std::vector<ConstStridedData> fields;
  for (auto const& field : values) fields.emplace_back(ConstFieldData(field.data(), shape));
  auto const infos =
      this->codec.compress_batch(fields, MemoryOf::host, {}, {}, streams, MemoryOf::host);
  for (std::size_t i = 0; i < 2; ++i) {
    auto const found = streams[i].first(infos[i].bytes);
    expect_same_bytes({found.begin(), found.end()}, this->templates.compress(values[i], shape, {}),
                      "unaligned");
  }
}

// How a device takes what metrics compare of host memory; on a host it is not needed, but works.
TYPED_TEST(AnyCodecOf, Carrier_BringsFieldsThere) {
  std::vector<std::size_t> const extents{150, 90, 120};  // more than two pieces
  Random random(9);
  impl::Carrier<TypeParam> carrier(this->exec);
  auto const there = [&]<class T>(T) {
    FieldShape const shape = shape_from<T>(extents);
    auto const [strides, size] = random_strides(random, extents);
    std::vector<T> array(size);
    for (std::size_t i = 0; i < size; ++i) array[i] = static_cast<T>(hash(i));
    auto const dense = this->gathered(array, extents, shape, strides);
    auto const memory = this->templates.upload(std::vector<std::byte>(shape.bytes()));
    carrier.field_in({array.data(), shape, strides}, memory.data());
    auto const found = this->templates.download(memory);
    ASSERT_EQ(std::memcmp(found.data(), dense.data(), found.size()), 0);
  };
  there(std::uint8_t{});
  there(std::uint16_t{});
  there(std::uint32_t{});
  there(std::uint64_t{});
}

TYPED_TEST(AnyCodecOf, Region_IsThatOfTheField) {
  FieldShape const shape = shape_from<double>({30, 40, 50});
  auto const stream =
      this->templates.compress(make_field<double>(Family::smooth, shape), shape, {});
  auto const whole = this->templates.template decompress<double>(stream, shape);
  std::vector<std::size_t> const begin{3, 10, 0}, end{9, 31, 17}, extents{6, 21, 17};
  FieldShape const region = shape_from<double>(extents);
  Random random(5);
  auto const [strides, size] = random_strides(random, extents);
  std::vector<double> const before(size, -77);
  std::vector<double> expected = before;
  for_indices(extents, [&, &steps = strides](std::vector<std::size_t> const& index) {
    std::vector<std::size_t> in_field = index;
    for (std::size_t i = 0; i < index.size(); ++i) in_field[i] += begin[i];
    expected[offset_of(index, steps)] = whole[offset_of(in_field, strides_of(shape))];
  });
  for (MemoryOf const stream_in : memories) {
    for (MemoryOf const region_in : memories) {
      Placed<TypeParam> bytes(stream_in, stream), box(region_in, bytes_of(before));
      StreamInfo const info = this->codec.decompress(
          bytes.span(), stream_in, {box.data(), region, strides}, region_in, Box{begin, end});
      EXPECT_EQ(info.shape, shape);
      auto const found = box.contents();
      EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size()), 0);
    }
  }
}

TYPED_TEST(AnyCodecOf, Batch_IsThatOfTheFieldsAlone) {
  auto const numbers = make_field<float>(Family::walk, shape_from<float>({50, 60}));
  auto const doubles = make_field<double>(Family::smooth, shape_from<double>({9000}));
  auto const integers = make_integers<std::int16_t>(shape_from<std::int16_t>({33, 44}));
  struct Item {
    std::span<std::byte const> values;
    FieldShape shape;
    ErrorBound bound;
  };
  std::vector<Item> const items{
      {bytes_of(numbers), shape_from<float>({50, 60}), ErrorBound::absolute(1e-2)},
      {bytes_of(doubles), shape_from<double>({9000}), ErrorBound::relative_to_range(1e-4)},
      {{}, shape_from<float>({0}), ErrorBound::absolute(1)},
      {bytes_of(integers), shape_from<std::int16_t>({33, 44}), ErrorBound::lossless()}};
  for (MemoryOf const fields_in : memories) {
    for (MemoryOf const streams_in : memories) {
      std::vector<Placed<TypeParam>> fields, streams;
      std::vector<ConstStridedData> data;
      std::vector<ErrorBound> bounds;
      std::vector<std::span<std::byte>> places;
      for (Item const& item : items) {
        fields.emplace_back(fields_in, item.values);
        streams.emplace_back(streams_in, max_compressed_bytes(item.shape, {.bound = item.bound}));
        bounds.push_back(item.bound);
      }
      for (std::size_t i = 0; i < items.size(); ++i) {
        data.emplace_back(ConstFieldData(fields[i].data(), items[i].shape));
        places.push_back(streams[i].span());
      }
      auto const infos =
          this->codec.compress_batch(data, fields_in, bounds, {}, places, streams_in);
      ASSERT_EQ(infos.size(), items.size());
      for (std::size_t i = 0; i < items.size(); ++i) {
        std::vector<std::byte> const values(items[i].values.begin(), items[i].values.end());
        expect_same_bytes(
            streams[i].first(infos[i].bytes),
            this->templates.compress(values, items[i].shape, {.bound = items[i].bound}), "batch");
      }
    }
  }
}

TYPED_TEST(AnyCodecOf, Batch_TakesTheBoundOfTheOptionsForAll) {
  FieldShape const shape = shape_from<float>({3000});
  auto const values = make_field<float>(Family::smooth, shape);
  Options const options{.bound = ErrorBound::absolute(0.125)};
  std::vector<ConstStridedData> const fields(2, ConstFieldData(values.data(), shape));
  std::vector<std::byte> a(max_compressed_bytes(shape)), b(max_compressed_bytes(shape));
  std::vector<std::span<std::byte>> const streams{a, b};
  auto const infos =
      this->codec.compress_batch(fields, MemoryOf::host, {}, options, streams, MemoryOf::host);
  for (StreamInfo const& info : infos) EXPECT_EQ(info.bound, options.bound);

  std::vector<ErrorBound> const one(1, options.bound);
  auto const refused = [&](auto const& bounds, auto const& places) {
    return error_of([&] {
             this->codec.compress_batch(fields, MemoryOf::host, bounds, options, places,
                                        MemoryOf::host);
           })
        .status();
  };
  EXPECT_EQ(refused(one, streams), Status::bad_argument);
  EXPECT_EQ(refused(std::vector<ErrorBound>{}, std::span(streams).first(1)), Status::bad_argument);
}

TYPED_TEST(AnyCodecOf, RangeAndChoice_AreThoseOfTheTemplates) {
  for (Goal const goal : {Goal::ratio, Goal::balanced, Goal::smallest}) {
    SCOPED_TRACE(to_string(goal));
    this->compare_choices(goal);
  }
}

// What a call chooses by itself measures the range once, which must not show in the stream.
TYPED_TEST(AnyCodecOf, CallWithAGoal_MakesTheStreamOfItsChoice) {
  FieldShape const shape = shape_from<float>({30, 64, 100});
  for (Family const family : {Family::land, Family::walk, Family::constant, Family::huge}) {
    auto const values = make_field<float>(family, shape);
    for (ErrorBound const bound :
         {ErrorBound::relative_to_range(1e-3), ErrorBound::psnr(60), ErrorBound::absolute(1e-2)}) {
      SCOPED_TRACE(std::string(name_of(family)) + " " + to_string(bound.mode));
      for (MemoryOf const in : memories) {
        Placed<TypeParam> bytes(in, bytes_of(values));
        ConstFieldData const field(bytes.data(), shape);
        Options options;
        options.bound = bound;
        Choice const choice = this->codec.choose(field, in, options, Goal::balanced);
        auto const compressed = [&](Options const& asked, ChoiceRecord const& reason) {
          std::vector<std::byte> stream(max_compressed_bytes(shape, asked));
          stream.resize(
              this->codec.compress(field, in, asked, std::span(stream), MemoryOf::host, reason)
                  .bytes);
          return stream;
        };
        auto const expected = compressed(choice.options, choice.reason);
        options.goal = Goal::balanced;
        options.pipeline = Pipeline::automatic;
        EXPECT_EQ(compressed(options, {}), expected);
      }
    }
  }
}

TYPED_TEST(AnyCodecOf, Metrics_AreThoseOfTheTemplates) {
  std::vector<std::size_t> const extents{30, 41, 20};
  FieldShape const shape = shape_from<double>(extents);
  Random random(7);
  auto const [strides, size] = random_strides(random, extents);
  auto const x = make_field<double>(Family::smooth, shape_from<double>({size}), 1);
  auto y = x;
  for (std::size_t i = 0; i < y.size(); i += 7) y[i] += 1e-3;
  auto const dense_x = this->gathered(x, extents, shape, strides),
             dense_y = this->gathered(y, extents, shape, strides);
  auto const device_x = this->templates.upload(bytes_of(dense_x)),
             device_y = this->templates.upload(bytes_of(dense_y));
  auto const bound = ErrorBound::absolute(1e-4);
  Metrics const expected =
      kompakt::metrics(this->exec, ConstFieldData(device_x.data(), shape),
                       ConstFieldData(device_y.data(), shape), bound, {.ssim = true});
  ASSERT_GT(expected.violations, 0u);
  for (MemoryOf const x_in : memories) {
    for (MemoryOf const y_in : memories) {
      Placed<TypeParam> a(x_in, bytes_of(x)), b(y_in, bytes_of(dense_y));
      ConstStridedData const original(a.data(), shape, strides);
      ConstFieldData const restored(b.data(), shape);
      expect_same_stats(this->codec.error_stats(original, x_in, restored, y_in, bound), expected,
                        1e-12);
      Metrics const found =
          this->codec.metrics(original, x_in, restored, y_in, bound, {.ssim = true});
      expect_same_stats(found, expected, 1e-12);
      EXPECT_NEAR(found.ssim, expected.ssim, 1e-12);
    }
  }
  FieldShape const other = shape_from<double>({30, 41});
  EXPECT_EQ(error_of([&] {
              this->codec.metrics(ConstFieldData(x.data(), shape), MemoryOf::host,
                                  ConstFieldData(x.data(), other), MemoryOf::host, bound);
            }).status(),
            Status::type_mismatch);
}

TYPED_TEST(AnyCodecOf, WhatCannotBe_IsRefusedAsByTheTemplates) {
  FieldShape const shape = shape_from<float>({6000});
  auto const values = make_field<float>(Family::noise, shape);
  auto const good = this->templates.compress(values, shape, {});
  auto const altered = [&](std::size_t at) {
    auto bytes = good;
    bytes[at] ^= std::byte{0x10};
    return bytes;
  };
  for (MemoryOf const in : memories) {
    EXPECT_EQ(this->status_of_decoding(altered(0), shape, in), Status::bad_magic);
    EXPECT_EQ(this->status_of_decoding(altered(good.size() - 8), shape, in), Status::corrupt);
    EXPECT_EQ(this->status_of_decoding({good.begin(), good.end() - 16}, shape, in),
              Status::corrupt);
    EXPECT_EQ(this->status_of_decoding(good, shape_from<float>({6001}), in), Status::type_mismatch);
    EXPECT_EQ(this->status_of_decoding(good, shape_from<double>({6000}), in),
              Status::type_mismatch);

    Placed<TypeParam> field(in, bytes_of(values)), little(in, std::size_t{512});
    auto const refused = [&](void const* data, FieldShape const& of, Options const& options) {
      return error_of([&] {
               this->codec.compress(ConstFieldData(data, of), in, options, little.span(), in);
             })
          .status();
    };
    EXPECT_EQ(refused(field.data(), shape, {}), Status::buffer_too_small);
    EXPECT_EQ(refused(nullptr, shape, {}), Status::bad_argument);
    EXPECT_EQ(refused(field.data(), shape, {.radius = 7}), Status::bad_argument);
    FieldShape rankless = shape;
    rankless.rank = 0;
    EXPECT_EQ(refused(field.data(), rankless, {}), Status::bad_argument);
    Options masked{ErrorBound::lossless()};
    masked.fill = FillValue::of(1);
    EXPECT_EQ(refused(field.data(), shape_from<std::int32_t>({6000}), masked),
              Status::bad_argument);
  }
}

// What has failed leaves a codec, and what is in host memory on the other side of a device, as they were.
TYPED_TEST(AnyCodecOf, AfterAnError_TheNextCallIsAsEver) {
  FieldShape const shape = shape_from<float>({6000});
  auto const values = make_field<float>(Family::walk, shape);
  auto const good = this->templates.compress(values, shape, {});
  std::vector<std::byte> const bad(good.begin(), good.end() - 16);
  EXPECT_EQ(this->status_of_decoding(bad, shape, MemoryOf::host), Status::corrupt);
  std::vector<float> restored(values.size());
  this->codec.decompress(good, MemoryOf::host, FieldData{restored.data(), shape}, MemoryOf::host);
  EXPECT_EQ(restored, (this->templates.template decompress<float>(good, shape)));
}

TYPED_TEST(AnyCodecOf, SpaceIsChosenByWordAndByValue) {
  Space const space = space_of<TypeParam>;
  EXPECT_EQ(this->codec.space(), space);
  EXPECT_EQ(AnyCodec(space).space(), space);
  EXPECT_EQ(AnyCodec(std::string_view(to_string(space))).space(), space);
  AnyCodec moved(std::move(this->codec));
  EXPECT_EQ(moved.space(), space);
  moved = AnyCodec();
  EXPECT_EQ(moved.space(), default_space());
  moved.fence();
}

TEST(ExecutionSpaces, Words_NameThem) {
  EXPECT_EQ(parse_space(""), default_space());
  EXPECT_EQ(compiled_spaces().front(), default_space());
  for (Space const space : {Space::serial, Space::openmp, Space::cuda}) {
    auto const all = compiled_spaces();
    if (std::find(all.begin(), all.end(), space) != all.end()) {
      EXPECT_EQ(parse_space(to_string(space)), space);
      EXPECT_EQ(with_space(space, []<class Exec>(Exec const&) { return space_of<Exec>; }), space);
      EXPECT_EQ(with_space(space, []<class Exec>(Exec const&) { return is_host_space<Exec>; }),
                is_on_host(space));
    } else {
      EXPECT_EQ(error_of([&] { parse_space(to_string(space)); }).status(), Status::device);
      EXPECT_EQ(error_of([&] { with_space(space, [](auto const&) {}); }).status(), Status::device);
      EXPECT_EQ(error_of([&] { AnyCodec{space}; }).status(), Status::device);
    }
  }
  EXPECT_EQ(error_of([] { parse_space("fpga"); }).status(), Status::bad_argument);
}

}  // namespace kompakt::test
