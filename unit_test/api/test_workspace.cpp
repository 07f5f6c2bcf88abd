#include <algorithm>
#include <array>
#include <kompakt/batch.hpp>
#include <optional>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>
#include <support/strided.hpp>
#include <support/taken.hpp>
#include <support/tools_recorder.hpp>

// What a workspace holds: as many bytes as the queries say beforehand, of its own or of the user's memory.

namespace kompakt::test {

/// An array with a field in it, and what is done with it.
template <class T>
struct WorkspaceCase {
  std::vector<T> array;
  FieldShape shape;
  Strides strides{};
  Options options;
};

template <class T>
WorkspaceCase<T> random_case(Random& random) {
  std::vector<std::size_t> extents(1 + random.below(4));
  for (std::size_t& n : extents) n = 1 + random.below(extents.size() == 1 ? 20000 : 30);
  if (random.one_in(12)) extents[0] = 0;
  WorkspaceCase<T> c;
  c.shape = shape_from<T>(extents, static_cast<Order>(random.below(2)));
  c.strides = strides_of(c.shape);
  std::size_t size = c.shape.size();
  if (random.one_in(2)) std::tie(c.strides, size) = random_strides(random, extents);
  c.array = make_field<T>(all_families[random.below(std::size(all_families))],
                          shape_from<T>({std::max<std::size_t>(size, 1)}));
  Coding const& coding = all_codings[random.below(std::size(all_codings))];
  constexpr ErrorBound bounds[] = {ErrorBound::absolute(1e-3), ErrorBound::relative_to_range(1e-3),
                                   ErrorBound::relative_to_value(1e-3), ErrorBound::psnr(60)};
  c.options = coding.with(bounds[random.below(std::size(bounds))],
                          static_cast<Predictor>(random.below(3)), random.one_in(2));
  // A range that few values may make is looked at in memory of its own.
  bool const goes_by_range = c.options.bound.needs_range();
  if (!goes_by_range && random.one_in(3)) c.options.fill = FillValue::automatic();
  if (coding.variant == Variant::custom) c.options.radius = 32 << random.below(8);
  return c;
}

template <class Exec>
class WorkspaceOf : public testing::Test {
 protected:
  using Memory = typename Exec::memory_space;
  using Device = typename Workspace<Exec>::DeviceBytes;
  using Readback = typename Workspace<Exec>::ReadbackBytes;

  /// Exactly as much memory as sizes take, and some behind it, all of it `garbage`.
  struct Given {
    static constexpr std::size_t behind = 1000;
    static constexpr std::byte garbage{0xa5};
    WorkspaceSizes sizes;
    Device device{"device", sizes.device_bytes() + behind};
    Readback readback{"readback", sizes.readback + behind};

    explicit Given(WorkspaceSizes const& wanted) : sizes(wanted) {
      Kokkos::deep_copy(device, garbage);
      Kokkos::deep_copy(readback, garbage);
    }
    Workspace<Exec> workspace(Exec const& exec) const {
      return {exec, sizes, Kokkos::subview(device, std::pair(std::size_t{0}, sizes.device_bytes())),
              Kokkos::subview(readback, std::pair(std::size_t{0}, sizes.readback))};
    }
    template <class View>
    static bool is_garbage(View const& view, std::size_t from, std::size_t to) {
      auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
      return std::all_of(host.data() + from, host.data() + to,
                         [](std::byte b) { return b == garbage; });
    }
    bool is_intact_behind() const {
      return is_garbage(device, sizes.device_bytes(), device.extent(0)) &&
             is_garbage(readback, sizes.readback, readback.extent(0));
    }
  };

  template <class T>
  void any_case(WorkspaceCase<T> const& c) {
    SCOPED_TRACE(std::string(to_string(c.options.pipeline)) + " " + to_string(c.options.variant) +
                 ", radius " + std::to_string(c.options.radius) + ", " +
                 testing::PrintToString(c.shape.extents));
    Device const array = codec.upload(std::as_bytes(std::span(c.array)));
    ConstStridedData const field(array.data(), c.shape, c.strides);
    FieldShape other = c.shape;
    other.order = static_cast<Order>(1 - static_cast<int>(other.order));
    Device const dense("dense", c.shape.bytes());
    FieldData const target{dense.data(), other};

    WorkspaceSizes const compressing = compress_workspace<Exec>(field, c.options);
    WorkspaceSizes const decompressing = decompress_workspace<Exec>(
        c.shape, c.options, StridedData(array.data(), c.shape, c.strides));
    WorkspaceSizes const transposing = decompress_workspace<Exec>(c.shape, c.options, target);
    Workspace<Exec> first(exec), second(exec), third(exec);
    compress(exec, field, c.options, first, stream);
    decompress(exec, stream, second, StridedData(array.data(), c.shape, c.strides));
    decompress(exec, stream, third, target);
    expect_taken(first, compressing);
    expect_taken(second, decompressing);
    expect_taken(third, transposing);

    Given const given(max(max(compressing, decompressing), transposing));
    Workspace<Exec> workspace = given.workspace(exec);
    Device const again("again", max_compressed_bytes(c.shape, c.options));
    auto const decoded = codec.download(array), decoded_dense = codec.download(dense);
    Kokkos::deep_copy(array, codec.upload(std::as_bytes(std::span(c.array))));
    std::optional<ToolsRecorder> recorder(std::in_place);
    StreamInfo const info = compress(exec, field, c.options, workspace, again);
    decompress(exec, stream, workspace, StridedData(array.data(), c.shape, c.strides));
    decompress(exec, stream, workspace, target);
    std::vector<std::string> const allocations = recorder->allocations;
    recorder.reset();
    EXPECT_TRUE(allocations.empty()) << allocations.front();
    EXPECT_TRUE(given.is_intact_behind());
    expect_same_bytes(codec.download(Kokkos::subview(again, std::pair(std::size_t{0}, info.bytes))),
                      codec.download(stream.bytes()), "in given memory");
    EXPECT_TRUE(codec.download(array) == decoded);
    EXPECT_TRUE(codec.download(dense) == decoded_dense);
  }

  Exec exec;
  Codec<Exec> codec{exec};
  CompressedStream<Memory> stream;
};
TYPED_TEST_SUITE(WorkspaceOf, Spaces, SpaceName);

TYPED_TEST(WorkspaceOf, AnyCall_TakesWhatTheQuerySays_AndNoMoreOfGivenMemory) {
  for (std::uint64_t const seed : {1, 2, 3}) {
    KOMPAKT_TRACE_SEED(seed);
    Random random(seed);
    for (int i = 0; i < 25; ++i) {
      this->any_case(random_case<float>(random));
      this->any_case(random_case<double>(random));
    }
  }
}

TYPED_TEST(WorkspaceOf, Batch_TakesWhatTheQuerySays) {
  using Exec = TypeParam;
  Random random(4);
  for (Coding const& coding : main_codings) {
    SCOPED_TRACE(coding.name());
    Options const options = coding.with({});
    std::vector<typename TestFixture::Device> memory;
    std::vector<ConstFieldData> fields;
    for (int i = 0; i < 7; ++i) {
      FieldShape const shape = i % 2 == 0 ? shape_from<float>({30, 1 + random.below(400)})
                                          : shape_from<double>({random.below(3000)});
      memory.emplace_back("field", shape.bytes());
      fields.push_back({memory.back().data(), shape});
    }
    std::span<ConstFieldData const> const some(fields);
    WorkspaceSizes const sizes = compress_batch_workspace<Exec>(some, options);
    std::vector<CompressedStream<typename Exec::memory_space>> streams(fields.size()),
        again(fields.size());
    Workspace<Exec> managed(this->exec);
    compress_batch(this->exec, some, options, managed, std::span(streams));
    expect_taken(managed, sizes);

    typename TestFixture::Given const given(sizes);
    Workspace<Exec> workspace = given.workspace(this->exec);
    // Slots of one field may be larger than those of seven.
    compress_batch(this->exec, some.first(1), options, workspace, std::span(again).first(1));
    compress_batch(this->exec, some, options, workspace, std::span(again));
    compress_batch(this->exec, some.last(2), options, workspace, std::span(again).last(2));
    EXPECT_TRUE(given.is_intact_behind());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      expect_same_bytes(this->codec.download(again[i].bytes()),
                        this->codec.download(streams[i].bytes()), "batch in given memory");
    }
  }
}

TYPED_TEST(WorkspaceOf, GivenMemory_IsClearWhereItMustBe_AndElsewhereAsItWas) {
  WorkspaceSizes sizes;
  sizes.scratch = 100;
  sizes.field = 200;
  sizes.persistent = 300;
  sizes.batch = 70;
  sizes.readback = 10;
  EXPECT_EQ(sizes.device_bytes(), 128u + 256 + 320 + 128);
  typename TestFixture::Given const given(sizes);
  Workspace<TypeParam> workspace = given.workspace(this->exec);
  this->exec.fence();
  EXPECT_TRUE(given.is_garbage(given.device, 0, 384));
  EXPECT_TRUE(given.is_intact_behind());
  auto const host = this->codec.download(given.device);
  for (std::size_t i = 384; i < 684; ++i) ASSERT_EQ(host[i], std::byte{0}) << i;
  for (std::size_t i = 704; i < 774; ++i) ASSERT_EQ(host[i], std::byte{0}) << i;
  EXPECT_EQ(workspace.device_bytes(100), given.device.data());
  EXPECT_EQ(workspace.field_bytes(200), given.device.data() + 128);
  EXPECT_EQ(workspace.readback_bytes(10), given.readback.data());
}

TYPED_TEST(WorkspaceOf, OneByteLess_IsRefused_AndNothingIsWritten) {
  using Exec = TypeParam;
  Options const options{.bound = ErrorBound::absolute(1e-3), .pipeline = Pipeline::huffman};
  Kokkos::View<float***, Kokkos::LayoutRight, typename Exec::memory_space> const frame("frame", 20,
                                                                                       30, 41);
  auto const field = Kokkos::subview(frame, Kokkos::ALL, Kokkos::ALL, std::pair(0, 40));
  Workspace<Exec> managed(this->exec);
  compress(this->exec, field, options, managed, this->stream);
  auto const before = this->codec.download(this->stream.bytes());
  Kokkos::deep_copy(frame, -77.0f);

  int refused = 0;
  auto const expect_refusal = [&](WorkspaceSizes const& sizes, auto const& call) {
    using Part = std::size_t WorkspaceSizes::*;
    for (Part const part : {&WorkspaceSizes::scratch, &WorkspaceSizes::field,
                            &WorkspaceSizes::persistent, &WorkspaceSizes::readback}) {
      if (sizes.*part == 0) continue;
      WorkspaceSizes less = sizes;
      less.*part -= 1;
      typename TestFixture::Given const given(less);
      Workspace<Exec> workspace = given.workspace(this->exec);
      auto const error = error_of([&] { call(workspace); });
      EXPECT_EQ(error.status(), Status::buffer_too_small);
      std::string const text = error.what(), needed = std::to_string(sizes.*part) + " bytes";
      EXPECT_NE(text.find(needed), std::string::npos) << text;
      EXPECT_NE(text.find(std::to_string(less.*part)), std::string::npos) << text;
      EXPECT_TRUE(given.is_intact_behind());
      EXPECT_TRUE(given.is_garbage(given.device, 0, WorkspaceSizes::aligned(less.scratch)));
      ++refused;
    }
    typename TestFixture::Given const given(sizes);
    Workspace<Exec> workspace = given.workspace(this->exec);
    call(workspace);
  };
  typename TestFixture::Device const bytes("bytes", 200000);
  Kokkos::deep_copy(bytes, TestFixture::Given::garbage);
  expect_refusal(compress_workspace<Exec>(field, options), [&](Workspace<Exec>& workspace) {
    EXPECT_TRUE(TestFixture::Given::is_garbage(bytes, 0, bytes.extent(0)));
    compress(this->exec, field, options, workspace, bytes);
  });
  expect_refusal(
      decompress_workspace<Exec>(shape_of(field), options, field), [&](Workspace<Exec>& workspace) {
        auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), frame);
        EXPECT_TRUE(std::all_of(host.data(), host.data() + host.size(),
                                [](float value) { return value == -77.0f; }));
        decompress(this->exec, this->stream, workspace, field);
      });
  EXPECT_GE(refused, 6);
}

TYPED_TEST(WorkspaceOf, RegionInGivenMemory_TakesWhatItTakesOfItsOwn) {
  using Exec = TypeParam;
  FieldShape const shape = shape_from<float>({40, 50, 60}), box = shape_from<float>({3, 50, 2});
  std::array<std::size_t, 3> const begin{7, 0, 11}, end{10, 50, 13};
  auto const host = make_field<float>(Family::walk, shape);
  auto const values = this->codec.upload(std::as_bytes(std::span(host)));
  Options const options{.pipeline = Pipeline::huffman, .predictor = Predictor::tile};
  Workspace<Exec> compressing(this->exec), managed(this->exec);
  compress(this->exec, ConstFieldData(values.data(), shape), options, compressing, this->stream);
  typename TestFixture::Device const expected("expected", box.bytes()), found("found", box.bytes());
  decompress(this->exec, this->stream, managed, FieldData{expected.data(), box}, Box{begin, end});

  typename TestFixture::Given const given(managed.sizes());
  Workspace<Exec> workspace = given.workspace(this->exec);
  decompress(this->exec, this->stream, workspace, FieldData{found.data(), box}, Box{begin, end});
  EXPECT_TRUE(this->codec.download(found) == this->codec.download(expected));
  EXPECT_TRUE(given.is_intact_behind());
  WorkspaceSizes less = managed.sizes();
  less.scratch -= 1;
  typename TestFixture::Given const too_little(less);
  Workspace<Exec> small = too_little.workspace(this->exec);
  auto const error = error_of([&] {
    decompress(this->exec, this->stream, small, FieldData{found.data(), box}, Box{begin, end});
  });
  EXPECT_EQ(error.status(), Status::buffer_too_small) << error.what();
  EXPECT_TRUE(this->codec.download(found) == this->codec.download(expected));
}

TYPED_TEST(WorkspaceOf, LessMemoryThanTheSizes_IsRefusedWithBothNumbers) {
  WorkspaceSizes sizes;
  sizes.scratch = 1000;
  sizes.readback = 500;
  typename TestFixture::Given const given(sizes);
  auto const start = [](auto const& view, std::size_t from, std::size_t to) {
    return Kokkos::subview(view, std::pair(from, to));
  };
  auto const make = [&](auto const& device, auto const& readback) {
    return error_of([&] { Workspace<TypeParam>(this->exec, sizes, device, readback); });
  };
  auto const enough = start(given.device, 0, 1024), less = start(given.device, 0, 1023);
  auto const back = start(given.readback, 0, 500), less_back = start(given.readback, 0, 499);
  for (Error const& error : {make(less, back), make(enough, less_back)}) {
    EXPECT_EQ(error.status(), Status::buffer_too_small) << error.what();
  }
  EXPECT_NE(std::string(make(less, back).what()).find("has 1023 bytes, but these sizes need 1024"),
            std::string::npos);
  EXPECT_NE(std::string(make(enough, less_back).what()).find("has 499 bytes"), std::string::npos);
  EXPECT_EQ(make(start(given.device, 16, 1100), back).status(), Status::bad_argument);
  EXPECT_EQ(make(enough, start(given.readback, 8, 600)).status(), Status::bad_argument);
}

TYPED_TEST(WorkspaceOf, ReservedMemory_IsNotAllocatedByCalls) {
  using Exec = TypeParam;
  Kokkos::View<double**, Kokkos::LayoutLeft, typename Exec::memory_space> const field("field", 300,
                                                                                      70);
  Workspace<Exec> workspace(this->exec), other(this->exec);
  compress(this->exec, field, {}, other, this->stream);
  decompress(this->exec, this->stream, other, field);
  WorkspaceSizes const sizes =
      max(compress_workspace<Exec>(field), decompress_workspace<Exec>(shape_of(field)));
  workspace.reserve(this->exec, sizes);
  expect_taken(workspace, sizes);
  ToolsRecorder const recorder;
  compress(this->exec, field, {}, workspace, this->stream);
  decompress(this->exec, this->stream, workspace, field);
  EXPECT_TRUE(recorder.allocations.empty()) << recorder.allocations.front();
}

TYPED_TEST(WorkspaceOf, QueryOfWhatNoCallTakes_IsRefused) {
  FieldShape huge = shape_from<float>({std::size_t{1} << 40, std::size_t{1} << 40});
  EXPECT_EQ(error_of([&] { compress_workspace<TypeParam>(huge); }).status(), Status::bad_argument);
  FieldShape const shape = shape_from<float>({10, 20});
  EXPECT_EQ(error_of([&] {
              compress_workspace<TypeParam>(shape, {.bound = ErrorBound::absolute(0)});
            }).status(),
            Status::bad_argument);
  EXPECT_EQ(error_of([&] {
              decompress_workspace<TypeParam>(shape, {},
                                              ConstFieldData(nullptr, shape_from<float>({20, 10})));
            }).status(),
            Status::type_mismatch);
}

}  // namespace kompakt::test
