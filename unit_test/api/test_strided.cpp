#include <cstring>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>
#include <support/strided.hpp>
#include <support/tools_recorder.hpp>

// Views whose values do not lie side by side: the stream is that of a copy without gaps, and what lies in
// the gaps stays as it is.

namespace kompakt::test {

template <class Exec>
class Strided : public testing::Test {
 protected:
  using Memory = typename Exec::memory_space;

  std::vector<std::byte> stream_bytes() const { return codec.download(stream.bytes()); }

  template <class T>
  void any_array(Random& random, int rank, Options const& options) {
    std::vector<std::size_t> extents;
    for (int i = 0; i < rank; ++i) extents.push_back(1 + random.below(rank < 4 ? 40 : 6));
    auto const layout = random_strides(random, extents);
    Strides const& strides = layout.first;
    FieldShape shape = shape_from<T>(extents);
    shape.order = impl::order_of(shape, strides);

    std::vector<T> const array = make_field<T>(Family::nan_islands, shape_from<T>({layout.second}));
    std::vector<T> dense(shape.size());
    Strides const side_by_side = strides_of(shape);
    for_indices(extents, [&](std::vector<std::size_t> const& index) {
      dense[offset_of(index, side_by_side)] = array[offset_of(index, strides)];
    });
    auto const memory = codec.upload(std::as_bytes(std::span(array)));
    compress(exec, ConstStridedData(memory.data(), shape, strides), options, workspace, stream);
    auto const expected_stream = codec.compress(dense, shape, options);
    ASSERT_TRUE(stream_bytes() == expected_stream);

    std::vector<T> const decoded = codec.template decompress<T>(expected_stream, shape);
    std::vector<T> expected = array;
    for_indices(extents, [&](std::vector<std::size_t> const& index) {
      expected[offset_of(index, strides)] = decoded[offset_of(index, side_by_side)];
    });
    decompress(exec, stream, workspace, StridedData(memory.data(), shape, strides));
    auto const found = codec.download(memory);
    ASSERT_EQ(std::memcmp(found.data(), expected.data(), found.size()), 0);
  }

  /// The View's stream and what comes back in its place are those of a copy in this layout.
  template <class Layout, class V>
  void as_compact(V const& view) {
    ASSERT_FALSE(view.span_is_contiguous());
    using T = typename V::value_type;
    using Compact = Kokkos::View<T***, Layout, Memory>;
    Compact const compact("compact", view.extent(0), view.extent(1), view.extent(2));
    Kokkos::deep_copy(exec, compact, view);
    exec.fence();
    Options const options{.bound = ErrorBound::absolute(1e-2)};
    compress(exec, compact, options, workspace, stream);
    auto const expected = stream_bytes();
    compress(exec, view, options, workspace, stream);
    EXPECT_TRUE(stream_bytes() == expected);
    EXPECT_EQ(stream.info().shape, shape_of(compact));
    decompress(exec, stream, workspace, compact);
    decompress(exec, stream, workspace, view);
    Compact const restored("restored", view.extent(0), view.extent(1), view.extent(2));
    Kokkos::deep_copy(exec, restored, view);
    exec.fence();
    auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), compact);
    auto const b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), restored);
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.span() * sizeof(T)), 0);
  }

  /// A View of numbers from -1 to 1.
  template <class V>
  void fill(V const& view) {
    auto const host = Kokkos::create_mirror_view(view);
    for (std::size_t i = 0; i < host.span(); ++i) {
      host.data()[i] = static_cast<typename V::value_type>(uniform(i, 5));
    }
    Kokkos::deep_copy(view, host);
  }

  Exec exec;
  Codec<Exec> codec{exec};
  Workspace<Exec> workspace{exec};
  CompressedStream<Memory> stream;
};
TYPED_TEST_SUITE(Strided, Spaces, SpaceName);

TYPED_TEST(Strided, AnyStepsOfAnyRank_AreTheSameAsWithoutGaps) {
  Random random(1);
  for (int rank = 1; rank <= max_rank; ++rank) {
    for (Coding const& coding : main_codings) {
      SCOPED_TRACE(coding.name() + ", rank " + std::to_string(rank));
      Options const options = coding.with(ErrorBound::relative_to_range(1e-3));
      this->template any_array<float>(random, rank, options);
      this->template any_array<double>(random, rank, options);
    }
  }
}

TYPED_TEST(Strided, GhostCells_AreLeftOut) {
  using Space = typename TypeParam::memory_space;
  auto const inner = [](auto const& frame) {
    return Kokkos::subview(frame, std::pair(2, 32), std::pair(2, 42), std::pair(2, 52));
  };
  Kokkos::View<float***, Kokkos::LayoutRight, Space> const right("right", 34, 44, 54);
  Kokkos::View<double***, Kokkos::LayoutLeft, Space> const left("left", 34, 44, 54);
  this->fill(right);
  this->fill(left);
  this->template as_compact<Kokkos::LayoutRight>(inner(right));
  this->template as_compact<Kokkos::LayoutLeft>(inner(left));
}

TYPED_TEST(Strided, MembersOfStructures_AreFields) {
  using Space = typename TypeParam::memory_space;
  // 20 blocks of 5 members in vectors of 8, twice.
  Kokkos::View<float** [5][8], Kokkos::LayoutRight, Space> const blocks("blocks", 2, 20);
  this->fill(blocks);
  this->template as_compact<Kokkos::LayoutRight>(
      Kokkos::subview(blocks, Kokkos::ALL, Kokkos::ALL, 3, Kokkos::ALL));
  this->template as_compact<Kokkos::LayoutLeft>(Kokkos::View<float***, Kokkos::LayoutStride, Space>(
      blocks.data(), Kokkos::LayoutStride(5, 2, 8, 12, 10, 110)));
}

TYPED_TEST(Strided, LayoutStrideWithoutGaps_IsNotCopied) {
  using Space = typename TypeParam::memory_space;
  Kokkos::View<float*, Space> const memory("memory", 64 * 70);
  this->fill(memory);
  Kokkos::View<float const**, Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged> const left(
      memory.data(), Kokkos::LayoutStride(64, 1, 70, 64));
  Kokkos::View<float**, Kokkos::LayoutStride, Space, Kokkos::MemoryUnmanaged> const right(
      memory.data(), Kokkos::LayoutStride(64, 70, 70, 1));
  EXPECT_EQ(shape_of(left).order, Order::first_fastest);
  EXPECT_EQ(shape_of(right).order, Order::last_fastest);
  ToolsRecorder const recorder;
  compress(this->exec, left, {}, this->workspace, this->stream);
  compress(this->exec, right, {}, this->workspace, this->stream);
  decompress(this->exec, this->stream, this->workspace, right);
  for (auto const& kernel : recorder.kernels) EXPECT_EQ(kernel.find("copy"), std::string::npos);
  for (auto const& label : recorder.allocations) {
    EXPECT_EQ(label.find("workspace::field"), std::string::npos) << label;
  }
}

TYPED_TEST(Strided, SecondCall_AllocatesNothing) {
  using Space = typename TypeParam::memory_space;
  Kokkos::View<float**, Kokkos::LayoutRight, Space> const frame("frame", 100, 300);
  auto const inner = Kokkos::subview(frame, Kokkos::ALL, std::pair(1, 299));
  this->fill(frame);
  auto const call = [&] {
    compress(this->exec, inner, {}, this->workspace, this->stream);
    decompress(this->exec, this->stream, this->workspace, inner);
  };
  call();
  ToolsRecorder const recorder;
  call();
  EXPECT_TRUE(recorder.allocations.empty()) << recorder.allocations.front();
  EXPECT_GE(this->workspace.capacity_bytes(), inner.size() * sizeof(float));
}

TEST(OrderOfSteps, IsLeftOnlyWhereNoStepGetsShorter) {
  auto const order = [](std::vector<std::size_t> const& extents, Strides const& strides) {
    return impl::order_of(shape_from<float>(extents), strides);
  };
  EXPECT_EQ(order({5, 6, 7}, {1, 9, 80}), Order::first_fastest);
  EXPECT_EQ(order({5, 6, 7}, {80, 9, 1}), Order::last_fastest);
  EXPECT_EQ(order({5, 6, 7}, {9, 1, 80}), Order::last_fastest);
  EXPECT_EQ(order({5, 6, 7}, {1, 80, 9}), Order::last_fastest);
  EXPECT_EQ(order({5, 1, 7}, {1, 99, 9}), Order::first_fastest);
  EXPECT_EQ(order({5, 1, 1}, {1, 99, 9}), Order::last_fastest);
  EXPECT_EQ(order({5}, {3}), Order::last_fastest);
}

}  // namespace kompakt::test
