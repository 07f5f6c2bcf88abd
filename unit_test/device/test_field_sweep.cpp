#include <kompakt/field_sweep.hpp>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>
#include <support/tools_recorder.hpp>

namespace kompakt::test {

namespace {

/// Adds up the values at a distance of up to `halo` along each axis by itself, as far as they are in the field, with weights
/// that tell them apart, from anything that is indexed as the field.
template <class T, int rank>
struct SumAround {
  std::int64_t extent[rank];
  int halo;

  SumAround(std::vector<std::size_t> const& n, int h) : halo(h) {
    for (std::size_t i = 0; i < n.size(); ++i) extent[i] = static_cast<std::int64_t>(n[i]);
  }
  template <class Values, class... I>
  KOKKOS_FUNCTION T operator()(Values const& values, I... indices) const {
    T sum = values(indices...);
    for (int axis = 0; axis < rank; ++axis) {
      for (int distance = -halo; distance <= halo; ++distance) {
        std::int64_t at[] = {static_cast<std::int64_t>(indices)...};
        at[axis] += distance;
        if (at[axis] < 0 || at[axis] >= extent[axis]) continue;
        sum += static_cast<T>(1 + axis + distance) * value(values, at);
      }
    }
    return sum;
  }

 private:
  template <class Values>
  KOKKOS_FUNCTION static T value(Values const& values, std::int64_t const* at) {
    if constexpr (rank == 1) return values(at[0]);
    if constexpr (rank == 2) return values(at[0], at[1]);
    if constexpr (rank == 3) return values(at[0], at[1], at[2]);
  }
};

template <class V>
V allocate(std::string const& label, std::vector<std::size_t> const& n) {
  if constexpr (V::rank() == 1) return V(label, n[0]);
  if constexpr (V::rank() == 2) return V(label, n[0], n[1]);
  if constexpr (V::rank() == 3) return V(label, n[0], n[1], n[2]);
}

/// result(indices…) = body(values, indices…) for the whole field, one after the other.
template <class V, class Result, class Body>
void visit_all(V const& values, Result const& result, Body const& body) {
  for (std::size_t i = 0; i < values.extent(0); ++i) {
    if constexpr (V::rank() == 1) {
      result(i) = body(values, i);
    } else {
      for (std::size_t j = 0; j < values.extent(1); ++j) {
        if constexpr (V::rank() == 2) {
          result(i, j) = body(values, i, j);
        } else {
          for (std::size_t k = 0; k < values.extent(2); ++k) {
            result(i, j, k) = body(values, i, j, k);
          }
        }
      }
    }
  }
}

}  // namespace

template <class Exec>
class FieldSweepOf : public testing::Test {
 protected:
  using Memory = typename Exec::memory_space;

  /// What passes over a stream give, against what is worked out from what decompress() gives.
  template <class V>
  void expect_pass(std::vector<std::byte> const& bytes, std::vector<std::size_t> const& n,
                   SlabOptions const& options) {
    using T = typename V::value_type;
    SumAround<T, static_cast<int>(V::rank())> const body(n, options.halo);
    auto const stream = codec.upload(bytes);
    StreamReader<Exec> const opened(exec, Kokkos::View<std::byte const*, Memory>(stream));
    auto const whole = allocate<V>("whole", n), result = allocate<V>("result", n);
    decompress(exec, Kokkos::View<std::byte const*, Memory>(stream), workspace, whole);
    auto const values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), whole);
    auto const expected = Kokkos::create_mirror(result);
    visit_all(values, expected, body);
    device::with_coding(opened, [&]<Pipeline p, Variant v>(device::Coding<p, v>) {
      device::FieldSweep<V, p, v> sweep(exec, opened, options);
      kernels += sweep.is_one_kernel() ? 1 : 0;
      EXPECT_LE(sweep.memory_bytes(), whole.size() * sizeof(T));
      for (int pass = 0; pass < 2; ++pass) {
        Kokkos::deep_copy(result, T(-1));
        sweep.run(exec, "kompakt::test::sum_around", result, body);
        sweep.finish(exec);
        auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
        ASSERT_EQ(std::memcmp(found.data(), expected.data(), whole.size() * sizeof(T)), 0);
      }
    });
  }

  template <class V>
  void expect_any_pass(Random& random, int passes, std::size_t longest) {
    using T = typename V::value_type;
    constexpr bool is_left = std::is_same_v<typename V::array_layout, Kokkos::LayoutLeft>;
    for (int i = 0; i < passes; ++i) {
      std::vector<std::size_t> n;
      for (std::size_t axis = 0; axis < V::rank(); ++axis) n.push_back(1 + random.below(longest));
      auto const& coding = tile_codings[random.below(tile_codings.size())];
      SlabOptions options;
      options.halo = static_cast<int>(random.below(6));
      options.slab_bytes = random.one_in(4) ? (1u << 20) : 1 + random.below(60000);
      SCOPED_TRACE(coding.name() + ", " + testing::PrintToString(n) + ", halo " +
                   std::to_string(options.halo) + ", slabs of " +
                   std::to_string(options.slab_bytes));
      FieldShape const shape =
          shape_from<T>(n, is_left && V::rank() > 1 ? Order::first_fastest : Order::last_fastest);
      auto const stream = codec.compress(
          make_field<T>(random.one_in(2) ? Family::surfaces : Family::walk, shape, random.bits()),
          shape, coding.with(ErrorBound::absolute(1e-2), static_cast<Predictor>(random.below(3))));
      expect_pass<V>(stream, n, options);
    }
  }

  Exec exec;
  Codec<Exec> codec{exec};
  Workspace<Exec> workspace{exec};
  int kernels = 0;
};
TYPED_TEST_SUITE(FieldSweepOf, Spaces, SpaceName);

TYPED_TEST(FieldSweepOf, AnyStream_IsSeenWithWhatLiesAround) {
  Random random(1);
  using Right = Kokkos::LayoutRight;
  this->template expect_any_pass<Kokkos::View<float***, Right, TypeParam>>(random, 30, 90);
  this->template expect_any_pass<Kokkos::View<double***, Right, TypeParam>>(random, 8, 70);
  this->template expect_any_pass<Kokkos::View<float***, Kokkos::LayoutLeft, TypeParam>>(random, 8,
                                                                                        90);
  this->template expect_any_pass<Kokkos::View<float**, Right, TypeParam>>(random, 6, 700);
  this->template expect_any_pass<Kokkos::View<double*, Right, TypeParam>>(random, 6, 200000);
  EXPECT_EQ(this->kernels > 5, !is_host_space<TypeParam>);
}

TYPED_TEST(FieldSweepOf, RingThatGoesRoundOften_IsNotOverwrittenTooEarly) {
  using V = Kokkos::View<float***, Kokkos::LayoutRight, TypeParam>;
  bool const on_device = !is_host_space<TypeParam>;
  std::vector<std::size_t> const n{on_device ? 400u : 100u, on_device ? 250u : 30u, 131};
  FieldShape const shape = shape_from<float>(n);
  auto const stream = this->codec.compress(
      make_field<float>(Family::surfaces, shape), shape,
      {ErrorBound::absolute(1e-3), Pipeline::bitshuffle, Variant::nested, Predictor::tile});
  for (int const halo : {1, 4}) {
    this->template expect_pass<V>(stream, n, {.halo = halo, .slab_bytes = 1});
  }
  EXPECT_EQ(this->kernels, on_device ? 2 : 0);
}

TYPED_TEST(FieldSweepOf, Pass_WaitsForNothingAndTakesNoMemory) {
  using V = Kokkos::View<float***, Kokkos::LayoutRight, TypeParam>;
  V const result("result", 64, 64, 64);
  FieldShape const shape = shape_of(result);
  auto const stream = this->codec.upload(
      this->codec.compress(make_field<float>(Family::surfaces, shape), shape,
                           {.pipeline = Pipeline::bitshuffle, .predictor = Predictor::tile}));
  StreamReader<TypeParam> const opened(
      this->exec, Kokkos::View<std::byte const*, typename TypeParam::memory_space>(stream));
  device::FieldSweep<V, Pipeline::bitshuffle> sweep(this->exec, opened,
                                                    {.halo = 1, .slab_bytes = 1});
  EXPECT_EQ(sweep.memory_bytes(), 3u * 8 * 64 * 64 * sizeof(float));
  auto const pass = [&] {
    sweep.run(this->exec, "sums", result, SumAround<float, 3>({64, 64, 64}, 1));
  };
  expect_steady_pass(pass, [&] { sweep.finish(this->exec); });
}

TYPED_TEST(FieldSweepOf, AlteredByte_IsCorruptAtTheEnd) {
  using V = Kokkos::View<float***, Kokkos::LayoutRight, TypeParam>;
  V const result("result", 40, 33, 30);
  FieldShape const shape = shape_of(result);
  auto const good =
      this->codec.compress(make_field<float>(Family::walk, shape), shape,
                           {.pipeline = Pipeline::bitshuffle, .predictor = Predictor::tile});
  for (std::uint64_t i = 0; i < 60; ++i) {
    auto const memory = this->codec.upload(with_altered_byte(good, i, std::byte{16}));
    StreamReader<TypeParam> const opened(
        this->exec, Kokkos::View<std::byte const*, typename TypeParam::memory_space>(memory));
    device::FieldSweep<V, Pipeline::bitshuffle> sweep(this->exec, opened, {.slab_bytes = 1});
    sweep.run(this->exec, "sums", result, SumAround<float, 3>({40, 33, 30}, 0));
    EXPECT_EQ(error_of([&] { sweep.finish(this->exec); }).status(), Status::corrupt);
    sweep.finish(this->exec);  // it was told
  }
}

TYPED_TEST(FieldSweepOf, OfAnotherCoder_IsRefused) {
  using V = Kokkos::View<float***, Kokkos::LayoutRight, TypeParam>;
  FieldShape const shape = shape_from<float>({9, 9, 9});
  auto const memory = this->codec.upload(this->codec.compress(
      make_field<float>(Family::walk, shape), shape, {.pipeline = Pipeline::fixedlength}));
  StreamReader<TypeParam> const opened(
      this->exec, Kokkos::View<std::byte const*, typename TypeParam::memory_space>(memory));
  auto const error =
      error_of([&] { device::FieldSweep<V, Pipeline::bitshuffle>(this->exec, opened); });
  EXPECT_EQ(error.status(), Status::bad_argument);
  EXPECT_NE(std::string(error.what()).find("fixedlength"), std::string::npos) << error.what();
}

TYPED_TEST(FieldSweepOf, FieldWithoutValues_IsNotVisited) {
  using V = Kokkos::View<float***, Kokkos::LayoutRight, TypeParam>;
  FieldShape const shape = shape_from<float>({4, 0, 3});
  auto const memory = this->codec.upload(this->codec.compress(std::vector<float>(), shape, {}));
  StreamReader<TypeParam> const opened(
      this->exec, Kokkos::View<std::byte const*, typename TypeParam::memory_space>(memory));
  device::with_coding(opened, [&]<Pipeline p, Variant v>(device::Coding<p, v>) {
    device::FieldSweep<V, p, v> sweep(this->exec, opened);
    sweep.run(this->exec, "sums", V("none", 4, 0, 3), SumAround<float, 3>({4, 0, 3}, 0));
    sweep.finish(this->exec);
  });
}

}  // namespace kompakt::test
