#include "../io/temporary_folder.hpp"
#include <algorithm>
#include <cmath>
#include <container/reader.hpp>
#include <cstring>
#include <kompakt/any_codec.hpp>
#include <kompakt/files.hpp>
#include <kompakt/io.hpp>
#include <kompakt/stream_reader.hpp>
#include <numeric>
#include <set>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>
#include <support/strided.hpp>

// Fields whose indices are coded in another order (Options::axis): records are those of a field whose indices lie in that order, and
// all else is as in any stream.

namespace kompakt::test {

namespace {

std::size_t entry(int axis) { return static_cast<std::size_t>(axis); }

/// Indices that are coded first, the fastest one first; the others follow as in memory.
using Axes = std::vector<int>;

Axes any_axes(Random& random, int rank) {
  Axes axes(entry(rank));
  std::iota(axes.begin(), axes.end(), 0);
  for (std::size_t i = axes.size(); i > 1; --i) std::swap(axes[i - 1], axes[random.below(i)]);
  axes.resize(std::min(axes.size(), 1 + random.below(3)));
  return axes;
}

void set_axes(Options& options, Axes const& axes) {
  options.axis = axes[0];
  if (axes.size() > 1) options.second_axis = axes[1];
  if (axes.size() > 2) options.third_axis = axes[2];
}

/// The order of a shape's indices in which these run fastest.
std::vector<std::size_t> moved(FieldShape const& shape, Axes const& axes) {
  bool const is_last = shape.order == Order::last_fastest;
  std::vector<std::size_t> fastest_first(axes.begin(), axes.end());
  for (int i = 0; i < shape.rank; ++i) {
    int const next = is_last ? shape.rank - 1 - i : i;
    if (std::ranges::count(axes, next) == 0) fastest_first.push_back(entry(next));
  }
  if (is_last) std::ranges::reverse(fastest_first);
  return fastest_first;
}

FieldShape moved_shape(FieldShape const& shape, Axes const& axis) {
  FieldShape result = shape;
  auto const order = moved(shape, axis);
  for (std::size_t i = 0; i < order.size(); ++i) result.extents[i] = shape.extents[order[i]];
  return result;
}

std::vector<std::size_t> extents_of(FieldShape const& shape) {
  return {shape.extents.begin(), shape.extents.begin() + shape.rank};
}

/// The values of a field in the memory order of moved_shape().
template <class T>
std::vector<T> moved_values(std::vector<T> const& field, FieldShape const& shape,
                            Axes const& axis) {
  FieldShape const to = moved_shape(shape, axis);
  Strides const from_strides = strides_of(shape), to_strides = strides_of(to);
  auto const order = moved(shape, axis);
  std::vector<T> values(field.size());
  for_indices(extents_of(to), [&](std::vector<std::size_t> const& index) {
    std::vector<std::size_t> from(index.size());
    for (std::size_t i = 0; i < order.size(); ++i) from[order[i]] = index[i];
    values[offset_of(index, to_strides)] = field[offset_of(from, from_strides)];
  });
  return values;
}

std::span<std::byte const> payload_of(std::vector<std::byte> const& stream) {
  impl::Header const header = impl::read_header(stream, stream.size());
  auto const& section = header.sections[impl::SectionId::payload];
  return std::span(stream).subspan(section.offset, section.bytes);
}

FieldShape any_shape(Random& random, int rank, Order order) {
  std::vector<std::size_t> extents;
  for (int i = 0; i < rank; ++i) extents.push_back(1 + random.below(rank < 4 ? 44 : 9));
  return shape_from<float>(extents, order);
}

}  // namespace

template <class Exec>
class Axis : public testing::Test {
 protected:
  Exec exec;
  Codec<Exec> codec;
  Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(Axis, Spaces, SpaceName);

TYPED_TEST(Axis, Records_AreThoseOfAFieldInThatOrder) {
  Random random(71);
  for (int rank = 1; rank <= 6; ++rank) {
    for (Order const order : {Order::last_fastest, Order::first_fastest}) {
      FieldShape const shape = any_shape(random, rank, order);
      auto const field = make_field<float>(Family::nan_islands, shape, 3);
      for (Coding const& coding : all_codings) {
        SCOPED_TRACE(coding.name() + ", rank " + std::to_string(rank));
        Options options = coding.with(ErrorBound::absolute(1e-3));
        Axes const axis = any_axes(random, rank);
        auto const plain = this->codec.compress(moved_values(field, shape, axis),
                                                moved_shape(shape, axis), options);
        set_axes(options, axis);
        auto const stream = expect_round_trip(this->codec, field, shape, options);
        EXPECT_EQ(this->codec.info().axis, axis[0]);
        EXPECT_EQ(this->codec.info().shape, shape);
        EXPECT_EQ(inspect(stream).axis, axis[0]);
        ASSERT_TRUE(std::ranges::equal(payload_of(stream), payload_of(plain)));
      }
    }
  }
}

TYPED_TEST(Axis, RegionsAndViewsOfAnyStrides_AreThoseOfTheField) {
  Random random(72);
  for (int rank = 2; rank <= 5; ++rank) {
    for (Order const order : {Order::last_fastest, Order::first_fastest}) {
      FieldShape const shape = any_shape(random, rank, order);
      auto const field = make_field<float>(Family::smooth, shape, 4);
      for (Coding const& coding : main_codings) {
        Options options = coding.with(ErrorBound::absolute(1e-3));
        set_axes(options, any_axes(random, rank));
        auto const stream = this->codec.compress(field, shape, options);
        auto const whole = this->codec.template decompress<float>(stream, shape);
        Box box;
        box.rank = rank;
        FieldShape part = shape;
        for (std::size_t i = 0; i < entry(rank); ++i) {
          box.begin[i] = random.below(shape.extents[i]);
          box.end[i] = box.begin[i] + 1 + random.below(shape.extents[i] - box.begin[i]);
          part.extents[i] = box.end[i] - box.begin[i];
        }
        auto const [strides, size] = random_strides(random, extents_of(part));
        std::vector<float> expected(size, -77.f);
        auto const memory = this->codec.upload(std::as_bytes(std::span(expected)));
        Kokkos::View<std::byte const*, typename TypeParam::memory_space> const bytes(
            this->codec.upload(stream));
        decompress(this->exec, bytes, this->workspace, StridedData(memory.data(), part, strides),
                   box);
        Strides const dense = strides_of(shape);
        for_indices(extents_of(part), [&](std::vector<std::size_t> const& index) {
          std::vector<std::size_t> in_field = index;
          for (std::size_t i = 0; i < index.size(); ++i) in_field[i] += box.begin[i];
          expected[offset_of(index, strides)] = whole[offset_of(in_field, dense)];
        });
        auto const found = this->codec.download(memory);
        ASSERT_EQ(std::memcmp(found.data(), expected.data(), found.size()), 0) << coding.name();
      }
    }
  }
}

TYPED_TEST(Axis, OfTheOtherOrder_ComesBackAsItsOwn) {
  FieldShape const shape = shape_from<float>({7, 30, 20});
  FieldShape other = shape;
  other.order = Order::first_fastest;
  auto const field = make_field<float>(Family::smooth, shape, 5);
  Options options = main_codings[0].with(ErrorBound::absolute(1e-3));
  options.axis = 0;
  auto const stream = this->codec.compress(field, shape, options);
  auto const same = this->codec.template decompress<float>(stream, shape);
  auto const turned = this->codec.template decompress<float>(stream, other);
  for_indices({7, 30, 20}, [&](std::vector<std::size_t> const& index) {
    ASSERT_EQ(same[offset_of(index, strides_of(shape))],
              turned[offset_of(index, strides_of(other))]);
  });
}

TYPED_TEST(Axis, OfIntegersAndAllBounds_KeepsThePromise) {
  FieldShape const shape = shape_from<float>({5, 9, 40, 7});
  auto const field = make_field<float>(Family::land, shape, 6);
  for (auto const bound : {ErrorBound::relative_to_range(1e-3), ErrorBound::relative_to_value(1e-2),
                           ErrorBound::psnr(60), ErrorBound::lossless()}) {
    Options options;
    options.pipeline = Pipeline::automatic;
    options.bound = bound;
    options.axis = 1;
    options.fill = FillValue::automatic();
    if (bound.mode != ErrorBound::Mode::lossless) options.limits = {-100, 100};
    expect_round_trip(this->codec, field, shape, options);
  }
  FieldShape words = shape;
  words.dtype = Dtype::i16;
  std::vector<std::int16_t> integers(shape.size());
  for (std::size_t i = 0; i < integers.size(); ++i) {
    integers[i] = static_cast<std::int16_t>(i * i % 3001);
  }
  Options options;
  options.bound = ErrorBound::lossless();
  options.axis = 0;
  auto const stream = this->codec.compress(integers, words, options);
  EXPECT_EQ(this->codec.template decompress<std::int16_t>(stream, words), integers);
}

TEST(AxesOfAField, OfLowerRank_AreRefused) {
  Codec<Kokkos::DefaultHostExecutionSpace> codec;
  FieldShape const shape = shape_from<float>({40, 50});
  Options options = main_codings[0].with(ErrorBound::absolute(1e-3));
  options.second_axis = 1;
  options.third_axis = 0;
  Error const error = error_of(
      [&] { codec.compress(make_field<float>(Family::smooth, shape, 7), shape, options); });
  EXPECT_EQ(error.status(), Status::bad_argument);
  EXPECT_NE(std::string(error.what()).find("-1:1:0"), std::string::npos) << error.what();
}

TYPED_TEST(Axis, ThatTheFieldDoesNotHave_IsRefused) {
  FieldShape const shape = shape_from<float>({40, 50});
  auto const field = make_field<float>(Family::smooth, shape, 7);
  Options options = main_codings[0].with(ErrorBound::absolute(1e-3));
  options.axis = 2;
  Error const error = error_of([&] { this->codec.compress(field, shape, options); });
  EXPECT_EQ(error.status(), Status::bad_argument);
  EXPECT_NE(std::string(error.what()).find("axis 2"), std::string::npos) << error.what();
  for (int const axis : {-2, 8}) {
    options.axis = axis;
    EXPECT_EQ(error_of([&] { validate(options); }).status(), Status::bad_argument);
  }
}

// Along the first index nothing changes, along the last one everything.
TYPED_TEST(Axis, ThatMakesTheSmallestStream_IsChosen) {
  FieldShape const shape = shape_from<float>({60, 40, 30});
  std::vector<float> field(shape.size());
  for (std::size_t i = 0; i < field.size(); ++i) {
    field[i] = static_cast<float>(uniform(i % 1200, 8) + 1e-4 * static_cast<double>(i / 1200));
  }
  for (auto const bound : {ErrorBound::absolute(1e-3), ErrorBound::lossless()}) {
    Options options;
    options.bound = bound;
    options.pipeline = Pipeline::automatic;
    auto const memory = this->codec.upload(std::as_bytes(std::span(field)));
    ConstFieldData const values(memory.data(), shape);
    Choice const choice = choose(this->exec, values, options, Goal::ratio, this->workspace);
    EXPECT_EQ(choice.options.axis, 0) << to_string(bound.mode);
    auto const stream = expect_round_trip(this->codec, field, shape, choice.options);
    this->codec.compress(field, shape, choice.options, choice.reason);
    EXPECT_EQ(this->codec.info().reason.goal(), Goal::ratio);
    options.axis = 2;
    Choice const named = choose(this->exec, values, options, Goal::ratio, this->workspace);
    EXPECT_EQ(named.options.axis, 2) << "a named one stays";
    auto const along_last = expect_round_trip(this->codec, field, shape, named.options);
    EXPECT_LT(11 * stream.size(), 10 * along_last.size());
    options.goal = Goal::ratio;
    EXPECT_LE(stream.size(), max_compressed_bytes(shape, options));
  }
}

// Values change along the third index and the first one only slowly, along the others as they like.
TYPED_TEST(Axis, PairOfFourIndicesThatMakesTheSmallestStream_IsChosen) {
  FieldShape const shape = shape_from<float>({24, 9, 40, 11});
  std::vector<float> field(shape.size());
  for (std::size_t i = 0; i < field.size(); ++i) {
    auto const first = static_cast<double>(i / 3960), third = static_cast<double>(i / 11 % 40);
    double const other = uniform(i / 440 % 9 * 11 + i % 11, 8);
    field[i] = static_cast<float>(10 * other + std::sin(first / 9 + third / 7 + 6 * other));
  }
  Options options;
  options.bound = ErrorBound::absolute(1e-3);
  options.pipeline = Pipeline::automatic;
  auto const memory = this->codec.upload(std::as_bytes(std::span(field)));
  ConstFieldData const values(memory.data(), shape);
  Choice const choice = choose(this->exec, values, options, Goal::ratio, this->workspace);
  EXPECT_EQ(std::set({choice.options.axis, choice.options.second_axis}), std::set({0, 2}));
  auto const stream = expect_round_trip(this->codec, field, shape, choice.options);
  options = choice.options;
  options.second_axis = options.third_axis = -1;
  EXPECT_LT(11 * stream.size(), 10 * expect_round_trip(this->codec, field, shape, options).size());
}

TEST(AxisOfAStream, NamesWhatIsNotTheNextInMemory) {
  for (Order const order : {Order::last_fastest, Order::first_fastest}) {
    for (int rank = 1; rank <= 5; ++rank) {
      FieldShape const shape = shape_from<float>(std::vector<std::size_t>(entry(rank), 2), order);
      for (int code = 0; code < 216; ++code) {
        impl::CodedAxes const axes{code / 36 - 1, code / 6 % 6 - 1, code % 6 - 1};
        int const named = axes[2] >= 0 ? 3 : axes[1] >= 0 ? 2 : 1;
        auto const is_twice = [&](int a, int b) { return a >= 0 && a == b; };
        if (*std::ranges::max_element(axes) >= rank || named > rank || is_twice(axes[0], axes[1]) ||
            is_twice(axes[0], axes[2]) || is_twice(axes[1], axes[2])) {
          continue;
        }
        impl::IndexOrder const coded = impl::order_of(shape, axes);
        EXPECT_EQ(impl::order_of(shape, impl::axes_of(shape, coded)), coded);
        std::vector<int> numbers(max_rank + 2);
        for (int i = 0; i < rank; ++i) numbers[entry(i)] = impl::entry_of(shape, i);
        coded.arrange(numbers.data());
        for (std::size_t i = 0; i < std::min<std::size_t>(3, entry(rank)); ++i) {
          EXPECT_TRUE(axes[i] < 0 || numbers[i] == axes[i]) << impl::text_of_axes(axes);
        }
      }
    }
  }
}

TEST(AxisOfAStream, IsToldByItsOptions) {
  Codec<Kokkos::DefaultHostExecutionSpace> codec;
  FieldShape const shape = shape_from<float>({6, 50, 40});
  auto const field = make_field<float>(Family::smooth, shape, 9);
  Options options;
  set(options, "abs:1e-3,pipeline=huffman,axis=1");
  EXPECT_EQ(options.axis, 1);
  auto const stream = codec.compress(field, shape, options);
  EXPECT_EQ(options_of(inspect(stream)).axis, 1);
  EXPECT_NE(text_of(options_of(inspect(stream))).find("axis=1"), std::string::npos);
  options.axis = 2;
  EXPECT_EQ(options_of(inspect(codec.compress(field, shape, options))).axis, -1);
  set(options, "axis=2:0:1");
  EXPECT_EQ(options.axis, 2);
  EXPECT_EQ(options.second_axis, 0);
  EXPECT_EQ(options.third_axis, 1);
  EXPECT_NE(text_of(options).find("axis=2:0:1"), std::string::npos);
  set(options, "axis=1");
  EXPECT_EQ(options.second_axis, -1);
  for (char const* const word : {"auto", "x", "", "1.5", "1:", "1:0:2:3", "1:x", "1:1", "0:2:0"}) {
    EXPECT_EQ(error_of([&] { set(options, "axis", word); }).status(), Status::bad_argument) << word;
  }
}

/// A stream that says to code other indices first, with sound checksums.
std::vector<std::byte> with_first(std::vector<std::byte> bytes, int lead, int second = 0,
                                  int third = 0) {
  impl::Header const header = impl::read_header(bytes, bytes.size());
  auto const& section = header.sections[impl::SectionId::shape];
  bytes[section.offset] |= static_cast<std::byte>(third << 4);
  bytes[section.offset + 1] |= static_cast<std::byte>(lead << 4 | second << 1);
  constexpr auto id = static_cast<std::uint32_t>(impl::SectionId::shape);
  impl::put(bytes.data() + impl::header_bytes + 4,
            impl::checksum_bytes(bytes.data() + section.offset, section.bytes, id), 4);
  impl::put(bytes.data() + impl::at::checksum, 0, 4);
  impl::put(bytes.data() + impl::at::checksum,
            impl::checksum_bytes(bytes.data(), impl::table_end_of(bytes.data()), 0), 4);
  return bytes;
}

TEST(AxisOfAStream, BeyondItsRank_IsCorrupt) {
  Codec<Kokkos::DefaultHostExecutionSpace> codec;
  FieldShape const shape = shape_from<float>({50, 40});
  auto const stream = codec.compress(make_field<float>(Family::smooth, shape, 1), shape,
                                     main_codings[0].with(ErrorBound::absolute(1e-3)));
  EXPECT_EQ(inspect(with_first(stream, 1)).axis, 0);
  for (auto const& altered : {with_first(stream, 2), with_first(stream, 0, 1),
                              with_first(stream, 0, 0, 1), with_first(stream, 0, 0, 15)}) {
    EXPECT_EQ(error_of([&] { inspect(altered); }).status(), Status::corrupt);
  }
}

TEST(AxisOfAStream, ThatTellsPartsOfComplexNumbers_IsCorrupt) {
  for (Order const order : {Order::last_fastest, Order::first_fastest}) {
    FieldShape shape = shape_from<float>({64, 64}, order);
    shape.dtype = Dtype::c64;
    auto const values = make_field<float>(Family::smooth, shape_from<float>({64, 64, 2}), 1);
    Options const options{.bound = ErrorBound::absolute(1e-3), .predictor = Predictor::chain};
    std::vector<std::byte> stream(max_compressed_bytes(shape));
    AnyCodec codec(Space::serial);
    StreamInfo const info = codec.compress(ConstFieldData(values.data(), shape), MemoryOf::host,
                                           options, stream, MemoryOf::host);
    stream.resize(info.bytes);
    EXPECT_EQ(inspect(with_first(stream, 1)).axis, order == Order::last_fastest ? 0 : 1);
    for (auto const& altered :
         {with_first(stream, 2), with_first(stream, 0, 1), with_first(stream, 1, 1)}) {
      EXPECT_EQ(error_of([&] { inspect(altered); }).status(), Status::corrupt);
    }
  }
}

TEST(AxisOfAStream, RegionsOfAFile_TakeFewOfItsBytes) {
  TemporaryFolder const folder;
  Codec<Kokkos::DefaultHostExecutionSpace> codec;
  FieldShape const shape = shape_from<float>({64, 64, 64});
  Options options = main_codings[0].with(ErrorBound::absolute(1e-3));
  options.axis = 0;
  auto const stream = codec.compress(make_field<float>(Family::smooth, shape, 2), shape, options);
  write_file(folder / "f.kpk", stream, Overwrite::yes);
  Box const box({0, 3, 5}, {64, 5, 9});
  std::uint64_t const before = bytes_read();
  auto const part = read_region(folder / "f.kpk", box);
  EXPECT_LT(8 * (bytes_read() - before), stream.size());
  FieldShape const of_part = shape_from<float>({64, 2, 4});
  std::vector<float> values(of_part.size());
  AnyCodec any(Space::serial);
  any.decompress(part, MemoryOf::host, FieldData{values.data(), of_part}, MemoryOf::host, box);
  auto const whole = codec.decompress<float>(stream, shape);
  for_indices({64, 2, 4}, [&](std::vector<std::size_t> const& index) {
    ASSERT_EQ(values[offset_of(index, strides_of(of_part))],
              whole[offset_of({index[0], index[1] + 3, index[2] + 5}, strides_of(shape))]);
  });
}

TEST(AxisOfAStream, OfReadersOfPlanes_IsRefused) {
  Kokkos::DefaultHostExecutionSpace const exec;
  Workspace<Kokkos::DefaultHostExecutionSpace> workspace(exec);
  FieldShape const shape = shape_from<float>({20, 30, 40});
  auto const field = make_field<float>(Family::smooth, shape, 2);
  Options options = main_codings[0].with(ErrorBound::absolute(1e-3));
  options.axis = 0;
  CompressedStream<Kokkos::HostSpace> stream;
  compress(exec, ConstFieldData(field.data(), shape), options, workspace, stream);
  Error const error =
      error_of([&] { StreamReader<Kokkos::DefaultHostExecutionSpace> reader(exec, stream); });
  EXPECT_EQ(error.status(), Status::bad_argument);
}

}  // namespace kompakt::test
