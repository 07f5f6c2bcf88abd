#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>
#include <support/tools_recorder.hpp>

namespace kompakt::test {

/// The sum of the values in a window's planes from halo before one to halo behind it, and the value itself.
template <class V, class Out>
struct SumOfPlanes {
  SlabWindow<V> window;
  Out values, sums;
  int halo;
  std::int64_t planes;

  KOKKOS_FUNCTION void operator()(std::int64_t plane, int j, int k) const {
    typename SlabWindow<V>::value_type sum = 0;
    std::int64_t const first = plane > halo ? plane - halo : 0;
    std::int64_t const last = plane + halo < planes ? plane + halo : planes - 1;
    for (std::int64_t i = first; i <= last; ++i) sum += at(window, i, j, k);
    at(values, plane, j, k) = at(window, plane, j, k);
    at(sums, plane, j, k) = sum;
  }
  template <class Array>
  KOKKOS_FUNCTION static decltype(auto) at(Array const& array, std::int64_t plane, int j, int k) {
    if constexpr (std::is_same_v<typename V::array_layout, Kokkos::LayoutLeft>) {
      return array(k, j, plane);
    } else {
      return array(plane, j, k);
    }
  }
};

template <class Exec>
class SlabReaderOf : public testing::Test {
 protected:
  using Memory = typename Exec::memory_space;
  template <class V>
  using Window = SlabWindow<V>;

  template <class T, class Layout>
  struct Field {
    using View = Kokkos::View<T***, Layout, Exec>;
    static constexpr bool is_left = std::is_same_v<Layout, Kokkos::LayoutLeft>;
    static constexpr std::size_t slowest = is_left ? 2 : 0;
  };

  /// What a pass over a stream sees in every plane, against what decompress() gives.
  template <class T, class Layout>
  void expect_pass(std::vector<std::byte> const& bytes, std::vector<std::size_t> const& n,
                   SlabOptions const& options) {
    using V = typename Field<T, Layout>::View;
    auto const stream = codec.upload(bytes);
    StreamReader<Exec> const opened(exec, Kokkos::View<std::byte const*, Memory>(stream));
    SlabReader<V> reader(exec, opened, options);
    V const whole("whole", n[0], n[1], n[2]), values("values", n[0], n[1], n[2]),
        sums("sums", n[0], n[1], n[2]), expected("expected", n[0], n[1], n[2]);
    decompress(exec, Kokkos::View<std::byte const*, Memory>(stream), workspace, whole);
    auto const planes = static_cast<std::int64_t>(n[Field<T, Layout>::slowest]);
    for (int pass = 0; pass < 2; ++pass) {
      std::int64_t next = 0, steps = 0;
      reader.for_each(exec, [&](SlabWindow<V> const& window) {
        EXPECT_EQ(window.first(), next);
        next = window.last();
        ++steps;
        run(SumOfPlanes<V, V>{window, values, sums, options.halo, planes}, n, window.first(),
            window.last());
      });
      reader.finish(exec);
      EXPECT_EQ(next, planes);
      EXPECT_EQ(steps, reader.steps());
      max_steps = std::max(max_steps, steps);
      expect_equal(values, whole);
    }
    run_whole<T, Layout>(whole, expected, n, options.halo);
    expect_equal(sums, expected);
    EXPECT_LE(reader.memory_bytes(), whole.size() * sizeof(T));
  }

  template <class Body>
  void run(Body const& body, std::vector<std::size_t> const& n, std::int64_t first,
           std::int64_t last) {
    if (first == last) return;
    using V = decltype(body.values);
    constexpr bool is_left = std::is_same_v<typename V::array_layout, Kokkos::LayoutLeft>;
    Kokkos::parallel_for(
        "kompakt::test::sums",
        Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>, Kokkos::IndexType<std::int64_t>>(
            exec, {first, 0, 0},
            {last, static_cast<std::int64_t>(n[1]), static_cast<std::int64_t>(n[is_left ? 0 : 2])}),
        body);
  }

  template <class T, class Layout, class V>
  void run_whole(V const& whole, V const& sums, std::vector<std::size_t> const& n, int halo) {
    auto const field = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), whole);
    auto const host = Kokkos::create_mirror_view(sums);
    using Body = SumOfPlanes<V, V>;
    auto const planes = static_cast<std::int64_t>(n[Field<T, Layout>::slowest]);
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      for (int j = 0; j < static_cast<int>(n[1]); ++j) {
        for (int k = 0; k < static_cast<int>(n[Field<T, Layout>::is_left ? 0 : 2]); ++k) {
          T sum = 0;
          for (std::int64_t i = std::max<std::int64_t>(plane - halo, 0);
               i <= std::min(plane + halo, planes - 1); ++i) {
            sum += Body::at(field, i, j, k);
          }
          Body::at(host, plane, j, k) = sum;
        }
      }
    }
    Kokkos::deep_copy(sums, host);
  }

  template <class V>
  void expect_equal(V const& found, V const& expected) {
    auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
    auto const b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
    ASSERT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(typename V::value_type)), 0);
  }

  template <class T, class Layout>
  void expect_any_pass(Random& random) {
    for (int i = 0; i < 12; ++i) {
      std::vector<std::size_t> const n{1 + random.below(90), 1 + random.below(40),
                                       1 + random.below(90)};
      auto const& coding = tile_codings[random.below(tile_codings.size())];
      SlabOptions options;
      options.halo = static_cast<int>(random.below(4));
      options.slab_bytes = random.one_in(4) ? (1u << 20) : 1 + random.below(60000);
      SCOPED_TRACE(coding.name() + ", " + testing::PrintToString(n) + ", halo " +
                   std::to_string(options.halo) + ", slabs of " +
                   std::to_string(options.slab_bytes));
      FieldShape const shape =
          shape_from<T>(n, Field<T, Layout>::is_left ? Order::first_fastest : Order::last_fastest);
      auto const stream = codec.compress(
          make_field<T>(random.one_in(2) ? Family::surfaces : Family::walk, shape, random.bits()),
          shape, coding.with(ErrorBound::absolute(1e-2), static_cast<Predictor>(random.below(3))));
      predictors.insert(codec.info().predictor_word());
      expect_pass<T, Layout>(stream, n, options);
    }
  }

  Exec exec;
  Codec<Exec> codec{exec};
  Workspace<Exec> workspace{exec};
  std::int64_t max_steps = 0;
  std::set<std::string> predictors;
};
TYPED_TEST_SUITE(SlabReaderOf, Spaces, SpaceName);

TYPED_TEST(SlabReaderOf, PassOverAnyStream_SeesTheFieldAndItsHalos) {
  Random random(1);
  this->template expect_any_pass<float, Kokkos::LayoutRight>(random);
  this->template expect_any_pass<double, Kokkos::LayoutRight>(random);
  this->template expect_any_pass<float, Kokkos::LayoutLeft>(random);
  EXPECT_GT(this->max_steps, 4) << "the ring did not go round";
  EXPECT_GE(this->predictors.size(), 3u);
}

TYPED_TEST(SlabReaderOf, Chain_IsCutWhereChunksEnd) {
  using T = float;
  std::vector<std::size_t> const n{50, 64, 64};
  FieldShape const shape = shape_from<T>(n);
  auto const stream =
      this->codec.compress(make_field<T>(Family::walk, shape), shape,
                           {.bound = ErrorBound::absolute(1e-2), .predictor = Predictor::chain});
  this->template expect_pass<T, Kokkos::LayoutRight>(stream, n, {.halo = 1, .slab_bytes = 1});
  EXPECT_EQ(this->max_steps, 25);  // a plane is a chunk, a slab two halos
}

TYPED_TEST(SlabReaderOf, Pass_WaitsForNothingAndTakesNoMemory) {
  using V = Kokkos::View<float***, Kokkos::LayoutRight, TypeParam>;
  V const result("result", 64, 64, 64);
  FieldShape const shape = shape_of(result);
  auto const stream = this->codec.upload(
      this->codec.compress(make_field<float>(Family::surfaces, shape), shape,
                           {.pipeline = Pipeline::bitshuffle, .predictor = Predictor::tile}));
  ASSERT_STREQ(this->codec.info().predictor_word(), "tile 8x8x16");
  StreamReader<TypeParam> const opened(
      this->exec, Kokkos::View<std::byte const*, typename TypeParam::memory_space>(stream));
  SlabReader<V> reader(this->exec, opened, {.halo = 1, .slab_bytes = 1});
  EXPECT_EQ(reader.steps(), 8);
  EXPECT_EQ(reader.memory_bytes(), 3u * 8 * 64 * 64 * sizeof(float));
  auto const pass = [&] {
    reader.for_each(this->exec, [&](SlabWindow<V> const& window) {
      this->run(SumOfPlanes<V, V>{window, result, result, 1, 64}, {64, 64, 64}, window.first(),
                window.last());
    });
  };
  expect_steady_pass(pass, [&] { reader.finish(this->exec); });
}

TYPED_TEST(SlabReaderOf, AlteredByte_IsCorruptAtTheEnd) {
  using V = Kokkos::View<float***, Kokkos::LayoutRight, TypeParam>;
  FieldShape const shape = shape_from<float>({40, 33, 30});
  auto const good =
      this->codec.compress(make_field<float>(Family::walk, shape), shape,
                           {.pipeline = Pipeline::bitshuffle, .predictor = Predictor::tile});
  for (std::uint64_t i = 0; i < 60; ++i) {
    auto const memory = this->codec.upload(with_altered_byte(good, i, std::byte{16}));
    StreamReader<TypeParam> const opened(
        this->exec, Kokkos::View<std::byte const*, typename TypeParam::memory_space>(memory));
    SlabReader<V> reader(this->exec, opened, {.slab_bytes = 1});
    reader.for_each(this->exec, [](SlabWindow<V> const&) {});
    EXPECT_EQ(error_of([&] { reader.finish(this->exec); }).status(), Status::corrupt);
    reader.finish(this->exec);  // it was told
  }
}

TYPED_TEST(SlabReaderOf, AnotherView_IsRefused) {
  FieldShape const shape = shape_from<float>({40, 33, 30});
  auto const memory =
      this->codec.upload(this->codec.compress(make_field<float>(Family::walk, shape), shape, {}));
  StreamReader<TypeParam> const opened(
      this->exec, Kokkos::View<std::byte const*, typename TypeParam::memory_space>(memory));
  auto const status = [&]<class V>(V const&, SlabOptions const& options) {
    return error_of([&] { SlabReader<V>(this->exec, opened, options); }).status();
  };
  using Kokkos::LayoutLeft, Kokkos::LayoutRight;
  EXPECT_EQ(status(Kokkos::View<double***, LayoutRight, TypeParam>(), {}), Status::type_mismatch);
  EXPECT_EQ(status(Kokkos::View<float**, LayoutRight, TypeParam>(), {}), Status::type_mismatch);
  EXPECT_EQ(status(Kokkos::View<float***, LayoutLeft, TypeParam>(), {}), Status::type_mismatch);
  EXPECT_EQ(status(Kokkos::View<float***, LayoutRight, TypeParam>(), {.halo = -1}),
            Status::bad_argument);
}

TYPED_TEST(SlabReaderOf, FieldWithoutValues_HasNoSteps) {
  using V = Kokkos::View<float***, Kokkos::LayoutRight, TypeParam>;
  FieldShape const shape = shape_from<float>({4, 0, 3});
  auto const memory = this->codec.upload(this->codec.compress(std::vector<float>(), shape, {}));
  StreamReader<TypeParam> const opened(
      this->exec, Kokkos::View<std::byte const*, typename TypeParam::memory_space>(memory));
  SlabReader<V> reader(this->exec, opened);
  reader.for_each(this->exec, [](SlabWindow<V> const&) { ADD_FAILURE(); });
  reader.finish(this->exec);
  EXPECT_EQ(reader.steps(), 0);
}

}  // namespace kompakt::test
