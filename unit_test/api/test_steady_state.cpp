#include <support/codec.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>
#include <support/tools_recorder.hpp>

namespace kompakt::test {

template <class Exec>
class SteadyState : public testing::Test {
 protected:
  using Memory = typename Exec::memory_space;
  Exec exec;
  Workspace<Exec> workspace{exec};
  CompressedStream<Memory> stream;
  Kokkos::View<float***, Kokkos::LayoutRight, Memory> field{"field", 128, 128, 128};
  Kokkos::View<float***, Kokkos::LayoutRight, Memory> decoded{"decoded", 128, 128, 128};

  void SetUp() override {
    auto const host = Kokkos::create_mirror_view(field);
    auto const values = make_field<float>(Family::walk, shape_of(field));
    std::copy(values.begin(), values.end(), host.data());
    Kokkos::deep_copy(field, host);
  }
  void call() {
    compress(exec, field, {}, workspace, stream);
    decompress(exec, stream, workspace, decoded);
  }
};
TYPED_TEST_SUITE(SteadyState, Spaces, SpaceName);

TYPED_TEST(SteadyState, SecondCall_AllocatesNothing) {
  this->call();
  ToolsRecorder const recorder;
  this->call();
  EXPECT_TRUE(recorder.allocations.empty()) << recorder.allocations.front();
}

TYPED_TEST(SteadyState, Memory_IsTheStreamAndTwoPercent) {
  ToolsRecorder const recorder;
  this->call();
  std::size_t const extents[] = {128, 128, 128};
  std::uint64_t const beyond =
      recorder.allocated_bytes - max_compressed_bytes(extents, sizeof(float));
  EXPECT_LE(static_cast<double>(beyond), 0.02 * 128 * 128 * 128 * 4);
  EXPECT_GT(this->workspace.capacity_bytes(), 0u);
}

TYPED_TEST(SteadyState, Labels_NameTheLibrary) {
  ToolsRecorder const recorder;
  this->call();
  for (auto const& label : recorder.kernels) {
    EXPECT_NE(label.find("kompakt::"), std::string::npos) << label;
  }
  for (auto const& label : recorder.allocations) {
    // Kokkos's own scratch memory keeps its own names.
    bool const own = label.rfind("kompakt::", 0) == 0 || label.rfind("Kokkos", 0) == 0;
    EXPECT_TRUE(own) << label;
  }
}

TYPED_TEST(SteadyState, Bodies_AreTheOnesOfTheBackend) {
  ToolsRecorder const recorder;
  this->call();
  std::string encode = "kompakt::encode[generic]", decode = "kompakt::decode[generic]";
#ifdef KOKKOS_ENABLE_OPENMP
  if (std::is_same_v<TypeParam, Kokkos::OpenMP>) encode = "kompakt::encode[openmp]";
#endif
#ifdef KOKKOS_ENABLE_CUDA
  if (std::is_same_v<TypeParam, Kokkos::Cuda>) {
    encode = "kompakt::encode[cuda]";
    decode = "kompakt::decode[cuda]";
  }
#endif
  EXPECT_EQ(recorder.regions.count("kompakt::copy_strided[generic]"), 0u);
  EXPECT_EQ(recorder.regions.count(encode), 1u);
  EXPECT_EQ(recorder.regions.count(decode), 1u);
}

}  // namespace kompakt::test
