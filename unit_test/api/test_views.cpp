#include <support/codec.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>

namespace kompakt::test {

template <class Exec>
class Views : public testing::Test {
 protected:
  using Memory = typename Exec::memory_space;
  Exec exec;
  Workspace<Exec> workspace{exec};
  CompressedStream<Memory> stream;

  /// Compresses a View of the given type and decompresses it into one of another layout; every
  /// element is compared by its indices.
  template <class Data, class From, class To>
  void between_layouts() {
    using Source = Kokkos::View<Data, From, Memory>;
    using Target = Kokkos::View<Data, To, Memory>;
    auto const layout = []<class Layout>(Layout*) { return Layout(3, 4, 5, 2, 3, 2, 2, 3); };
    Source const source = make<Source>(layout(static_cast<From*>(nullptr)));
    Target const target = make<Target>(layout(static_cast<To*>(nullptr)));
    auto const host = Kokkos::create_mirror_view(source);
    FieldShape const shape = shape_of(source);
    auto const values = make_field<typename Source::non_const_value_type>(Family::walk, shape);
    std::copy(values.begin(), values.end(), host.data());
    Kokkos::deep_copy(source, host);

    compress(exec, source, {.bound = ErrorBound::absolute(1e-3)}, workspace, stream);
    EXPECT_EQ(stream.info().shape, shape);
    decompress(exec, stream, workspace, target);
    // A deep_copy between layouts moves elements by their indices.
    Source const back = make<Source>(layout(static_cast<From*>(nullptr)));
    auto const target_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), target);
    auto const back_host = Kokkos::create_mirror_view(back);
    Kokkos::deep_copy(back_host, target_host);
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_TRUE(keeps_promise(host.data()[i], back_host.data()[i], 1e-3)) << "element " << i;
    }
  }

  template <class View, class Layout>
  static View make(Layout layout) {
    for (std::size_t i = View::rank(); i < 8; ++i) {
      layout.dimension[i] = KOKKOS_IMPL_CTOR_DEFAULT_ARG;
    }
    return View("view", layout);
  }

  template <class Data>
  void all_layouts() {
    between_layouts<Data, Kokkos::LayoutRight, Kokkos::LayoutRight>();
    between_layouts<Data, Kokkos::LayoutRight, Kokkos::LayoutLeft>();
    between_layouts<Data, Kokkos::LayoutLeft, Kokkos::LayoutRight>();
    between_layouts<Data, Kokkos::LayoutLeft, Kokkos::LayoutLeft>();
  }
};
TYPED_TEST_SUITE(Views, Spaces, SpaceName);

TYPED_TEST(Views, RanksOneToFourInBothLayouts_KeepTheirElements) {
  this->template all_layouts<float*>();
  this->template all_layouts<float**>();
  this->template all_layouts<double***>();
  this->template all_layouts<float****>();
}

TYPED_TEST(Views, RanksFiveToEightInBothLayouts_KeepTheirElements) {
  this->template all_layouts<double*****>();
  this->template all_layouts<float******>();
  this->template all_layouts<float*******>();
  this->template all_layouts<double********>();
}

TYPED_TEST(Views, ConstUnmanagedSource_IsTaken) {
  using Space = typename TypeParam::memory_space;
  Kokkos::View<float*, Space> const owner("owner", 5000);
  Kokkos::View<float const*, Space, Kokkos::MemoryUnmanaged> const source(owner.data(), 5000);
  compress(this->exec, source, {}, this->workspace, this->stream);
  decompress(this->exec, this->stream, this->workspace, owner);
  EXPECT_EQ(this->stream.info().shape.extents[0], 5000u);
}

TYPED_TEST(Views, StreamThroughTheHost_DecodesTheSame) {
  using Space = typename TypeParam::memory_space;
  Kokkos::View<float**, Kokkos::LayoutRight, Space> const source("source", 30, 40),
      target("target", 30, 40);
  compress(this->exec, source, {}, this->workspace, this->stream);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), this->stream.bytes());
  auto const copy = CompressedStream<Space>::from_host({host.data(), host.extent(0)});
  EXPECT_EQ(copy.info().bytes, this->stream.info().bytes);
  decompress(this->exec, copy, this->workspace, target);
}

}  // namespace kompakt::test
