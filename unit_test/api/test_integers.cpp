#include <array>
#include <cstdint>
#include <kompakt/batch.hpp>
#include <kompakt/choose.hpp>
#include <kompakt/option_keys.hpp>
#include <support/codec.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>

// Views of integers, which only a lossless stream keeps.

namespace kompakt::test {

namespace {

constexpr Options lossless{ErrorBound::lossless()};

/// Calls the function, which must refuse an argument with a message that has these words.
template <class Call>
void expect_refused(Call const& call, std::vector<std::string> const& words) {
  try {
    call();
    ADD_FAILURE() << "nothing was refused";
  } catch (Error const& error) {
    EXPECT_EQ(error.status(), Status::bad_argument);
    for (std::string const& word : words) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }
}

}  // namespace

template <class Exec>
class Integers : public testing::Test {
 protected:
  using Memory = typename Exec::memory_space;

  template <class V>
  static void fill(V const& view) {
    auto const host = Kokkos::create_mirror_view(view);
    for (std::size_t i = 0; i < host.span(); ++i) {
      host.data()[i] = static_cast<typename V::value_type>(i * i / 50 - 30);
    }
    Kokkos::deep_copy(view, host);
  }
  template <class A, class B>
  static void expect_same(A const& a, B const& b) {
    auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
    auto const y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
    for (std::size_t i = 0; i < x.extent(0); ++i) {
      for (std::size_t j = 0; j < x.extent(1); ++j) {
        for (std::size_t k = 0; k < x.extent(2); ++k) ASSERT_EQ(x(i, j, k), y(i, j, k));
      }
    }
  }

  /// From the one layout to the other, a part of it, and every other value of it.
  template <class N>
  void round_trip() {
    Kokkos::View<N***, Kokkos::LayoutLeft, Memory> const left("left", 12, 22, 35);
    Kokkos::View<N***, Kokkos::LayoutRight, Memory> const right("right", 12, 22, 35);
    fill(left);
    compress(exec, left, lossless, workspace, stream);
    EXPECT_EQ(stream.info().shape.dtype, impl::dtype_of<N>());
    decompress(exec, stream, workspace, right);
    expect_same(left, right);

    Kokkos::View<N***, Kokkos::LayoutRight, Memory> const box("box", 3, 20, 7);
    decompress(exec, stream, workspace, box, Box{{5, 1, 20}, {8, 21, 27}});
    auto const part = Kokkos::subview(left, std::pair(5, 8), std::pair(1, 21), std::pair(20, 27));
    Kokkos::View<N***, Kokkos::LayoutRight, Memory> const expected("expected", 3, 20, 7);
    Kokkos::deep_copy(exec, expected, part);
    exec.fence();
    expect_same(expected, box);

    compress(exec, part, lossless, workspace, stream);
    Kokkos::deep_copy(exec, box, N{1});
    decompress(exec, stream, workspace, box);
    expect_same(expected, box);
  }

  Exec exec;
  Workspace<Exec> workspace{exec};
  CompressedStream<Memory> stream;
};
TYPED_TEST_SUITE(Integers, Spaces, SpaceName);

TYPED_TEST(Integers, ViewsOfEveryType_AndTheirParts_ComeBack) {
  this->template round_trip<signed char>();
  this->template round_trip<std::uint8_t>();
  this->template round_trip<short>();
  this->template round_trip<std::uint16_t>();
  this->template round_trip<int>();
  this->template round_trip<unsigned>();
  this->template round_trip<long>();
  this->template round_trip<unsigned long long>();
}

// A field with gaps becomes words in the workspace, on a device every one; on a host one without gaps is read and
// written where it is. Both have the same streams and values, whatever the tiles.
template <class Exec, class N>
void expect_same_with_gaps(Exec const& exec, std::array<std::size_t, 3> extents, int noise) {
  using Cube = Kokkos::View<N***, Kokkos::LayoutRight, typename Exec::memory_space>;
  auto const [nz, ny, nx] = extents;
  Cube const dense("dense", nz, ny, nx), outer("outer", nz, ny, nx + 3);
  auto const gaps =
      Kokkos::subview(outer, Kokkos::ALL, Kokkos::ALL, std::pair(std::size_t{1}, nx + 1));
  auto const host = Kokkos::create_mirror_view(dense);
  for (std::size_t i = 0; i < host.size(); ++i) {
    auto const random = static_cast<std::size_t>(hash(i) % static_cast<std::uint64_t>(noise));
    host.data()[i] = static_cast<N>(i / 50 + random);
  }
  Kokkos::deep_copy(dense, host);
  Kokkos::deep_copy(exec, gaps, dense);
  exec.fence();
  Workspace<Exec> workspace(exec);
  CompressedStream<typename Exec::memory_space> stream, of_gaps;
  compress(exec, dense, lossless, workspace, stream);
  compress(exec, gaps, lossless, workspace, of_gaps);
  Codec<Exec> const codec;
  ASSERT_TRUE(codec.download(stream.bytes()) == codec.download(of_gaps.bytes()));
  Cube const back("back", nz, ny, nx);
  decompress(exec, stream, workspace, back);
  auto const values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), back);
  ASSERT_TRUE(std::equal(host.data(), host.data() + host.size(), values.data()));
  Kokkos::deep_copy(exec, outer, N{7});
  decompress(exec, stream, workspace, gaps);
  Kokkos::deep_copy(exec, back, gaps);
  exec.fence();
  Kokkos::deep_copy(values, back);
  ASSERT_TRUE(std::equal(host.data(), host.data() + host.size(), values.data()));
}

TYPED_TEST(Integers, NarrowOnesWithAndWithoutGaps_AreTheSame) {
  using Extents = std::array<std::size_t, 3>;
  for (Extents const& extents : {Extents{1, 1, 1}, Extents{1, 1, 5000}, Extents{1, 70, 61},
                                 Extents{17, 21, 36}, Extents{3, 1100, 2}, Extents{16, 32, 64}}) {
    for (int const noise : {1, 6, 65536}) {  // empty tiles, coded ones and raw ones
      SCOPED_TRACE(testing::PrintToString(extents) + ", " + std::to_string(noise));
      expect_same_with_gaps<TypeParam, signed char>(this->exec, extents, noise);
      expect_same_with_gaps<TypeParam, std::uint8_t>(this->exec, extents, noise);
      expect_same_with_gaps<TypeParam, short>(this->exec, extents, noise);
      expect_same_with_gaps<TypeParam, std::uint16_t>(this->exec, extents, noise);
    }
  }
}

TYPED_TEST(Integers, NarrowOnesOnAHost_TakeNoMemoryOfTheirOwn) {
  using Space = typename TypeParam::memory_space;
  Kokkos::View<std::uint8_t**, Kokkos::LayoutRight, Space> const narrow("narrow", 500, 600);
  bool const on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space>::accessible;
  std::size_t const words_of_all = on_host ? 0 : 4 * narrow.size();
  EXPECT_EQ(compress_workspace<TypeParam>(narrow, lossless).field, words_of_all);
  EXPECT_EQ(decompress_workspace<TypeParam>(shape_of(narrow), lossless, narrow).field,
            words_of_all);
  compress(this->exec, narrow, lossless, this->workspace, this->stream);
  decompress(this->exec, this->stream, this->workspace, narrow);
  EXPECT_EQ(this->workspace.sizes().field, words_of_all);
}

// A checkpoint: numbers within a bound, integers of any size, what has gaps.
TYPED_TEST(Integers, Batch_TakesThemBesideNumbers) {
  using Space = typename TypeParam::memory_space;
  Kokkos::View<int*, Space> const words("words", 5000);
  Kokkos::View<short**, Kokkos::LayoutRight, Space> const narrow("narrow", 50, 60);
  Kokkos::View<double***, Kokkos::LayoutRight, Space> const frame("frame", 14, 24, 34);
  this->fill(words);
  this->fill(narrow);
  this->fill(frame);
  auto const inner = Kokkos::subview(frame, std::pair(2, 12), std::pair(2, 22), std::pair(2, 32));
  auto const odd = Kokkos::subview(narrow, Kokkos::ALL, std::pair(1, 59));
  std::vector<ConstStridedData> const fields{
      impl::source_of<TypeParam>(words), impl::source_of<TypeParam>(narrow),
      impl::source_of<TypeParam>(inner), impl::source_of<TypeParam>(odd)};
  std::vector<ErrorBound> const bounds{ErrorBound::lossless(), ErrorBound::lossless(),
                                       ErrorBound::absolute(0.5), ErrorBound::lossless()};
  Options options;
  options.fill = FillValue::automatic();
  std::vector<CompressedStream<Space>> streams(fields.size());
  Workspace<TypeParam> of_batch(this->exec);
  compress_batch(this->exec, std::span(fields), options, of_batch, std::span(streams), bounds);
  EXPECT_EQ(of_batch.sizes(), compress_batch_workspace<TypeParam>(std::span(fields), options));
  Codec<TypeParam> const codec;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    options.bound = bounds[i];
    options.fill = is_integer(fields[i].shape.dtype) ? FillValue::none() : FillValue::automatic();
    compress(this->exec, fields[i], options, this->workspace, this->stream);
    EXPECT_TRUE(codec.download(streams[i].bytes()) == codec.download(this->stream.bytes())) << i;
  }
}

TYPED_TEST(Integers, WhatIsNotForThem_IsRefused) {
  Kokkos::View<int**, typename TypeParam::memory_space> const view("view", 30, 40);
  auto const with = [&](Options const& options) {
    return [&, options] { compress(this->exec, view, options, this->workspace, this->stream); };
  };
  Options filled = lossless;
  filled.fill = FillValue::of(-1);
  expect_refused(with(filled), {"i32", "fill"});
  expect_refused([&] { error_stats(this->exec, view, view, 1.0); },
                 {"error_stats", "i32", "f32 and f64"});
}

TYPED_TEST(Integers, AreNotTakenForNumbersOfTheirSize) {
  Kokkos::View<int*, typename TypeParam::memory_space> const words("words", 5000);
  Kokkos::View<float*, typename TypeParam::memory_space> const numbers("numbers", 5000);
  compress(this->exec, words, lossless, this->workspace, this->stream);
  EXPECT_THROW(decompress(this->exec, this->stream, this->workspace, numbers), Error);
}

// What nobody has said destroys no labels, whatever method is named.
TYPED_TEST(Integers, WithoutAChosenBound_ComeBackExactly) {
  using Cube = Kokkos::View<int***, Kokkos::LayoutRight, typename TypeParam::memory_space>;
  Cube const view("view", 20, 30, 40), back("back", 20, 30, 40);
  this->fill(view);
  Options by_levels, by_goal, filled, packed;
  by_levels.pipeline = Pipeline::huffman;
  by_levels.predictor = Predictor::interpolate;
  by_goal.goal = Goal::ratio;
  by_goal.pipeline = Pipeline::automatic;
  filled.fill = FillValue::of(-30);
  packed.pipeline = Pipeline::rans;
  packed.pack = true;
  for (Options const& options : {Options{}, by_levels, by_goal, filled, packed}) {
    Options chosen = options;
    if (options.goal) {
      chosen = choose(this->exec, view, options, *options.goal, this->workspace).options;
    }
    WorkspaceSizes const sizes = compress_workspace<TypeParam>(view, chosen);
    Workspace<TypeParam> own(this->exec);
    compress(this->exec, view, chosen, own, this->stream);
    if (!chosen.pack) {
      EXPECT_EQ(own.sizes(), sizes);  // packing goes by the values
    }
    EXPECT_EQ(this->stream.info().bound, ErrorBound::lossless());
    EXPECT_LE(this->stream.info().bytes, max_compressed_bytes(shape_of(view), options));
    Kokkos::deep_copy(back, 1);
    decompress(this->exec, this->stream, this->workspace, back);
    this->expect_same(view, back);
  }
  EXPECT_EQ(options_for_type(Dtype::i32, packed).pipeline, Pipeline::rans);
  EXPECT_EQ(options_for_type(Dtype::i32, by_goal).goal, Goal::ratio);
}

TYPED_TEST(Integers, WithoutAChosenBound_ComeBackExactlyFromABatch) {
  using Space = typename TypeParam::memory_space;
  Kokkos::View<short**, Kokkos::LayoutRight, Space> const labels("labels", 50, 60),
      back("back", 50, 60);
  Kokkos::View<float**, Kokkos::LayoutRight, Space> const numbers("numbers", 50, 60);
  this->fill(labels);
  this->fill(numbers);
  std::vector<ConstStridedData> const fields{impl::source_of<TypeParam>(labels),
                                             impl::source_of<TypeParam>(numbers)};
  Options options;
  options.pipeline = Pipeline::bitshuffle;
  std::vector<CompressedStream<Space>> streams(2);
  Workspace<TypeParam> of_batch(this->exec);
  compress_batch(this->exec, std::span(fields), options, of_batch, std::span(streams));
  EXPECT_EQ(of_batch.sizes(), compress_batch_workspace<TypeParam>(std::span(fields), options));
  EXPECT_EQ(streams[0].info().bound, ErrorBound::lossless());
  EXPECT_EQ(streams[1].info().bound, ErrorBound::relative_to_range(1e-3));
  decompress(this->exec, streams[0], this->workspace, back);
  auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), labels);
  auto const y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), back);
  EXPECT_TRUE(std::equal(x.data(), x.data() + x.size(), y.data()));
}

TYPED_TEST(Integers, WithAChosenBound_ComeBackWithinIt) {
  Kokkos::View<int**, Kokkos::LayoutRight, typename TypeParam::memory_space> const view("view", 50,
                                                                                        60);
  this->fill(view);
  Options as_the_default, with_a_value, of_text;
  as_the_default.bound = ErrorBound::relative_to_range(1e-3);
  with_a_value.bound.value = 2e-3;
  set(of_text, "r2r:1e-3");
  for (Options const& options : {as_the_default, with_a_value, of_text}) {
    compress(this->exec, view, options, this->workspace, this->stream);
    EXPECT_EQ(this->stream.info().bound, options.bound);
    EXPECT_FALSE(this->stream.info().bound == ErrorBound::lossless());
  }
}

TEST(LosslessOptions, OnlyTheOneThatCanKeepEveryBit_IsTaken) {
  validate(lossless);
  for (Pipeline const pipeline : {Pipeline::huffman, Pipeline::bitshuffle}) {
    Options options = lossless;
    options.pipeline = pipeline;
    expect_refused([&] { validate(options); }, {"lossless", "fixedlength", to_string(pipeline)});
  }
  Options by_rans = lossless;
  by_rans.pipeline = Pipeline::rans;
  validate(by_rans);
  by_rans.predictor = Predictor::interpolate;
  expect_refused([&] { validate(by_rans); }, {"lossless", "interpolate", "chain"});
  Options bounded = lossless;
  bounded.bound.value = 0.5;
  expect_refused([&] { validate(bounded); }, {"lossless", "0.5"});
  Options ranged = lossless;
  ranged.range = 3;
  expect_refused([&] { validate(ranged); }, {"range", "lossless"});
  EXPECT_LT(max_compressed_bytes(shape_from<std::int8_t>({100000}), lossless),
            max_compressed_bytes(shape_from<std::int16_t>({100000}), lossless));
}

TYPED_TEST(Integers, EveryGoal_TakesWhatIsLossless) {
  Kokkos::View<short**, typename TypeParam::memory_space> const view("view", 60, 70);
  this->fill(view);
  for (Goal const goal : {Goal::ratio, Goal::speed, Goal::balanced, Goal::smallest}) {
    Choice const choice = choose(this->exec, view, lossless, goal, this->workspace);
    EXPECT_EQ(choice.options.pipeline, Pipeline::fixedlength);
    compress(this->exec, view, choice.options, this->workspace, this->stream, choice.reason);
    EXPECT_EQ(this->stream.info().reason.goal(), goal);
  }
}

TEST(LosslessOptions, EveryTypeHasAWord) {
  for (int i = 0; i < dtype_count; ++i) {
    auto const dtype = static_cast<Dtype>(i);
    EXPECT_EQ(parse_dtype(to_string(dtype)), dtype);
    std::string const word = to_string(dtype), bits = std::to_string(8 * size_of(dtype));
    EXPECT_EQ(word.substr(word.size() - bits.size()), bits);
    EXPECT_EQ(is_integer(dtype), word[0] == 'i' || word[0] == 'u');
  }
  EXPECT_THROW(parse_dtype("f8"), Error);
}

}  // namespace kompakt::test
