#include <cstring>
#include <support/codec.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>

// A simulation goes on while its last step is compressed: kernels of its own on another instance.

namespace kompakt::test {

/// A kernel of a simulation: advances some numbers by many steps, exactly.
template <class Exec>
struct Advance {
  static constexpr int steps = 1000;
  Kokkos::View<std::uint64_t*, typename Exec::memory_space> state;

  KOKKOS_FUNCTION static std::uint64_t advanced(std::uint64_t x) {
    for (int i = 0; i < steps; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
    return x;
  }
  KOKKOS_FUNCTION void operator()(int i) const { state(i) = advanced(state(i)); }
};

/// What holds an instance up until it is opened. On a host instances are not held up: they are through with a
/// kernel when its launch returns.
template <class Exec>
struct Gate {
  explicit Gate(Exec const&) {}
  void open() const {}
  bool was_opened() const { return true; }
};
#ifdef KOKKOS_ENABLE_CUDA
struct WaitAtGate {
  static constexpr std::int64_t patience = 4000000;  // looks at host memory, of a microsecond each
  int const volatile* is_open;
  int* was_opened;

  KOKKOS_FUNCTION void operator()(int) const {
    for (std::int64_t i = 0; i < patience; ++i) {
      if (*is_open != 0) {
        *was_opened = 1;
        return;
      }
    }
  }
};
template <>
struct Gate<Kokkos::Cuda> {
  Kokkos::View<int[2], Kokkos::CudaHostPinnedSpace> words{"gate"};

  explicit Gate(Kokkos::Cuda const& exec) {
    Kokkos::fence();
    Kokkos::parallel_for("test::gate", Kokkos::RangePolicy<Kokkos::Cuda>(exec, 0, 1),
                         WaitAtGate{&words(0), &words(1)});
  }
  void open() const { *const_cast<int volatile*>(&words(0)) = 1; }
  /// Whether the instance got on because of that, and did not lose its patience before; once it is through.
  bool was_opened() const { return words(1) == 1; }
};
#endif

template <class Exec>
class Overlap : public testing::Test {};
TYPED_TEST_SUITE(Overlap, Spaces, SpaceName);

// The calls must return while the instance is held up: had one of them waited for it, nobody would have opened
// the gate. The kernel on the other instance is through before the compression has begun.
TYPED_TEST(Overlap, KernelsOfASimulation_RunWhileACompressionIsUnderWay) {
  using Memory = typename TypeParam::memory_space;
  auto const instances = Kokkos::Experimental::partition_space(TypeParam(), 1, 1);
  TypeParam const &compressing = instances[0], &simulating = instances[1];
  FieldShape const shape = shape_from<float>({60, 70, 80});
  auto const values = make_field<float>(Family::walk, shape);
  Codec<TypeParam> codec(compressing);
  auto const field = codec.upload(std::as_bytes(std::span(values)));
  Kokkos::View<std::byte*, Memory> const decoded("decoded", shape.bytes());
  FieldData const target{decoded.data(), shape};
  Workspace<TypeParam> workspace(compressing), other(compressing);
  CompressedStream<Memory> stream;
  Kokkos::View<std::uint64_t*, Memory> const words("state", 100000);
  Advance<TypeParam> const advance{words};
  auto const simulate = [&] {
    Kokkos::parallel_for("test::advance", Kokkos::RangePolicy<TypeParam>(simulating, 0, 100000),
                         advance);
  };
  auto const state = Kokkos::create_mirror_view(advance.state);
  // Memory is there and kernels are loaded before they meet.
  compress(compressing, ConstFieldData(field.data(), shape), {}, workspace, stream);
  decompress(compressing, stream, other, target);
  simulate();
  simulating.fence();
  Kokkos::deep_copy(advance.state, 1);
  Kokkos::deep_copy(decoded, std::byte{0});

  Gate<TypeParam> const gate(compressing);
  auto compression =
      compress_async(compressing, ConstFieldData(field.data(), shape), {}, workspace, stream);
  auto decompression = decompress_async(compressing, stream, other, target);
  simulate();
  simulating.fence();
  Kokkos::deep_copy(simulating, state, advance.state);
  simulating.fence();
  gate.open();
  StreamInfo const info = compression.finish();
  decompression.finish();

  EXPECT_TRUE(gate.was_opened()) << "a call waited for the kernel in front of it";
  std::uint64_t const expected = Advance<TypeParam>::advanced(1);
  for (std::size_t i = 0; i < state.extent(0); ++i) ASSERT_EQ(state(i), expected) << i;
  expect_same_bytes(codec.download(stream.bytes()), codec.compress(values, shape, {}), "overlap");
  std::vector<float> back(shape.size());
  auto const bytes = codec.download(decoded);
  std::memcpy(back.data(), bytes.data(), bytes.size());
  expect_promise(values, back, info.abs_bound);
}

}  // namespace kompakt::test
