#include <cstring>
#include <pipeline/staging.hpp>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>
#include <support/strided.hpp>
#include <support/taken.hpp>

// Fields in host memory and calls on an execution space that does not reach it. What a device must do, an execution
// space of the host can do as well, so these tests mean something everywhere.

namespace kompakt::test {

/// A field in an array in host memory.
template <class T>
struct HostArray {
  FieldShape shape;
  Strides strides{};
  std::vector<T> values;

  HostArray(FieldShape const& of, Strides const& steps, std::size_t size)
      : shape(of), strides(steps), values(walk(shape_from<T>({size}))) {}
  static std::vector<T> walk(FieldShape const& shape) {
    if constexpr (std::is_integral_v<T>) {
      return make_integers<T>(shape);
    } else {
      return make_field<T>(Family::walk, shape);
    }
  }
  static HostArray random(Random& random) {
    std::vector<std::size_t> extents(1 + random.below(4));
    for (std::size_t& n : extents) n = 1 + random.below(extents.size() == 1 ? 9000 : 20);
    FieldShape shape = shape_from<T>(extents, static_cast<Order>(random.below(2)));
    if (random.one_in(3)) return {shape, strides_of(shape), shape.size()};
    auto const [strides, size] = random_strides(random, extents);
    return {shape, strides, size};
  }

  std::vector<std::size_t> extents() const {
    return {shape.extents.begin(), shape.extents.begin() + shape.rank};
  }
  /// Its values, dense in the order of the shape.
  std::vector<T> packed() const {
    std::vector<T> dense(shape.size());
    for_indices(extents(), [&](std::vector<std::size_t> const& index) {
      dense[offset_of(index, strides_of(shape))] = values[offset_of(index, strides)];
    });
    return dense;
  }
  /// The array with other values of the field, dense in this order.
  std::vector<T> with(std::vector<T> const& dense, Order order) const {
    FieldShape from = shape;
    from.order = order;
    std::vector<T> array = values;
    for_indices(extents(), [&](std::vector<std::size_t> const& index) {
      array[offset_of(index, strides)] = dense[offset_of(index, strides_of(from))];
    });
    return array;
  }
  ConstStridedData source() const { return {values.data(), shape, strides}; }
  StridedData target() { return {values.data(), shape, strides}; }
};

template <class Exec>
class Staging : public testing::Test {
 protected:
  using Memory = typename Exec::memory_space;

  template <class T>
  void in_pieces(Random& random) {
    auto array = HostArray<T>::random(random);
    std::size_t const field_bytes = array.shape.bytes();
    std::size_t const one =
        impl::StagingBuffers::bytes_of_one(field_bytes, 16 * (1 + random.below(200)));
    Kokkos::View<std::byte*, typename impl::readback_space<Exec>::type> const memory("buffers",
                                                                                     2 * one);
    impl::StagingBuffers const buffers{memory.data(), one};
    Kokkos::View<T*, Memory> const device("device", array.shape.size());
    std::vector<T> const dense = array.packed();
    impl::stage_in(exec, static_cast<T const*>(array.values.data()), array.shape, array.strides,
                   device.data(), buffers);
    exec.fence();
    auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device);
    ASSERT_EQ(std::memcmp(found.data(), dense.data(), field_bytes), 0);

    std::vector<T> other = dense;
    for (T& value : other) value += 1;
    Kokkos::deep_copy(device, Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                  other.data(), other.size()));
    auto const expected = array.with(other, array.shape.order);
    impl::stage_out(exec, static_cast<T const*>(device.data()), array.shape, array.strides,
                    array.values.data(), buffers);
    ASSERT_EQ(array.values, expected);
  }

  /// The stream is that of a field that kernels reach, and what comes back into an array of any order is what
  /// comes back into one; the workspace holds what the query says.
  template <class T>
  void call(HostArray<T> array, Options const& options) {
    constexpr auto staged = FieldAccess::staged;
    auto const expected_stream = codec.compress(array.packed(), array.shape, options);
    auto const decoded = codec.template decompress<T>(expected_stream, array.shape);
    Workspace<Exec> workspace(exec), decompressing(exec);
    FieldSource const source{array.source(), staged};
    stream.reserve(max_compressed_bytes(array.shape, options));
    StreamInfo const info = impl::finish_compress(impl::start_compress(
        exec, source, options, {}, workspace, stream.data(), stream.capacity_bytes()));
    stream.set_info(info);
    expect_taken(workspace, impl::compress_sizes<Exec>(source, options));
    expect_same_bytes(codec.download(stream.bytes()), expected_stream, "staged");
    for (Order const order : {Order::last_fastest, Order::first_fastest}) {
      HostArray<T> to = array;
      to.shape.order = order;
      auto const expected = to.with(decoded, array.shape.order);
      FieldTarget const target{to.target(), staged};
      auto pending = PendingDecompression<Exec>(impl::start_decompress(
          impl::StreamSource<Exec>(stream).call(exec, decompressing, target)));
      EXPECT_EQ(pending.finish().bytes, info.bytes);
      ASSERT_EQ(to.values, expected);
      expect_taken(decompressing, impl::decompress_sizes<Exec>(array.shape, options, target));
    }
  }

  Exec exec;
  Codec<Exec> codec{exec};
  CompressedStream<Memory> stream;
};
TYPED_TEST_SUITE(Staging, Spaces, SpaceName);

TYPED_TEST(Staging, AnyArrayInPiecesOfAnySize_IsCopiedThereAndBack) {
  Random random(1);
  KOMPAKT_TRACE_SEED(1);
  for (int i = 0; i < 100; ++i) {
    this->template in_pieces<float>(random);
    this->template in_pieces<double>(random);
  }
}

TYPED_TEST(Staging, Calls_AreThoseOfAFieldThatKernelsReach) {
  Random random(2);
  KOMPAKT_TRACE_SEED(2);
  for (Coding const& coding : main_codings) {
    SCOPED_TRACE(coding.name());
    Options const options = coding.with(ErrorBound::relative_to_range(1e-3));
    for (int i = 0; i < 8; ++i) {
      this->call(HostArray<float>::random(random), options);
      this->call(HostArray<double>::random(random), options);
    }
  }
}

TYPED_TEST(Staging, IntegersOfAnySize_AreTheSame) {
  Random random(3);
  KOMPAKT_TRACE_SEED(3);
  Options const lossless{ErrorBound::lossless()};
  for (int i = 0; i < 10; ++i) {
    this->call(HostArray<std::uint8_t>::random(random), lossless);
    this->call(HostArray<std::int16_t>::random(random), lossless);
    this->call(HostArray<std::int64_t>::random(random), lossless);
  }
}

TYPED_TEST(Staging, FieldOfSeveralPieces_IsWhole) {
  FieldShape const shape = shape_from<float>({30, 300, 301});
  ASSERT_GT(shape.bytes(), 2 * impl::StagingBuffers::max_bytes);
  this->call(HostArray<float>(shape, strides_of(shape), shape.size()), {});
  Strides const gaps{400 * 302, 302, 1};
  this->call(HostArray<float>(shape, gaps, 30 * 400 * 302), {});
}

TYPED_TEST(Staging, FieldWithoutValues_IsTaken) {
  FieldShape const shape = shape_from<float>({3, 0});
  this->call(HostArray<float>(shape, strides_of(shape), 1), {});
}

TYPED_TEST(Staging, HostViews_AreFields) {
  using Exec = TypeParam;
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const field("field", 200, 301);
  Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> const restored("restored", 200,
                                                                               300);
  for (std::size_t i = 0; i < field.size(); ++i) field.data()[i] = uniform(i, 5);
  auto const inner = Kokkos::subview(field, Kokkos::ALL, std::pair(1, 301));
  Options const options{.bound = ErrorBound::absolute(1e-3)};
  Workspace<Exec> workspace(this->exec);
  workspace.reserve(this->exec,
                    max(compress_workspace<Exec>(inner, options),
                        decompress_workspace<Exec>(shape_of(inner), options, restored)));
  WorkspaceSizes const sizes = workspace.sizes();
  Kokkos::View<std::byte*, typename Exec::memory_space> const bytes(
      "bytes", max_compressed_bytes(shape_of(inner), options));
  StreamInfo const info = compress(this->exec, inner, options, workspace, bytes);
  compress(this->exec, inner, options, workspace, this->stream);
  EXPECT_EQ(this->stream.info().bytes, info.bytes);
  decompress(this->exec, this->stream, workspace, restored);
  EXPECT_EQ(workspace.sizes(), sizes);
  for (std::size_t i = 0; i < 200; ++i) {
    for (std::size_t j = 0; j < 300; ++j) {
      ASSERT_TRUE(keeps_promise(inner(i, j), restored(i, j), 1e-3)) << i << ", " << j;
    }
  }
  auto const exactly = Kokkos::subview(bytes, std::pair(std::size_t{0}, info.bytes));
  Kokkos::deep_copy(restored, 0);
  decompress(this->exec, Kokkos::View<std::byte const*, typename Exec::memory_space>(exactly),
             workspace, restored);
  EXPECT_TRUE(keeps_promise(inner(100, 100), restored(100, 100), 1e-3));
}

}  // namespace kompakt::test
