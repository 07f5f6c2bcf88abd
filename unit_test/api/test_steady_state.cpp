#include <support/codec.hpp>
#include <support/codings.hpp>
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
  std::uint64_t const beyond =
      recorder.allocated_bytes - max_compressed_bytes(shape_from<float>({128, 128, 128}));
  EXPECT_LE(static_cast<double>(beyond), 0.02 * 128 * 128 * 128 * 4);
  EXPECT_GT(this->workspace.capacity_bytes(), 0u);
}

TYPED_TEST(SteadyState, Labels_NameTheLibrary) {
  ToolsRecorder const recorder;
  this->call();
  expect_labels_of_the_library(recorder);
}

TYPED_TEST(SteadyState, AnyPipeline_NamesAllItDoesAndWaitsForItsInstanceAlone) {
  Kokkos::View<float***, Kokkos::LayoutRight, typename TypeParam::memory_space> const corner(
      "corner", 9, 20, 33);
  for (Coding const& coding : all_codings) {
    SCOPED_TRACE(coding.name());
    auto const options = coding.with(ErrorBound::relative_to_range(1e-3));
    auto const calls = [&] {
      compress(this->exec, this->field, options, this->workspace, this->stream);
      decompress(this->exec, this->stream, this->workspace, this->decoded);
      Box const box{{3, 4, 5}, {12, 24, 38}};
      decompress(this->exec, this->stream, this->workspace, corner, box);
      error_stats(this->exec, this->field, this->decoded, this->stream.info().resolved());
    };
    {
      ToolsRecorder const recorder;
      calls();
      expect_labels_of_the_library(recorder);
    }
    ToolsRecorder const recorder;
    calls();
    expect_labels_of_the_library(recorder);
    expect_no_global_fence(recorder);
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
