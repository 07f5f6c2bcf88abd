#include <kompakt/batch.hpp>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>

namespace kompakt::test {

/// A field of any type in the memory of Exec.
template <class Exec>
struct BatchField {
  Kokkos::View<std::byte*, typename Exec::memory_space> memory;
  FieldShape shape;
  std::vector<std::byte> expected;  ///< its stream when compressed alone
};

template <class T, class Exec>
BatchField<Exec> make_batch_field(Codec<Exec>& codec, Random& random, Options const& options) {
  std::vector<std::size_t> extents(1 + random.below(3));
  for (std::size_t& extent : extents) extent = random.below(extents.size() == 1 ? 9000 : 40);
  FieldShape const shape = shape_from<T>(extents);
  auto const values = make_field<T>(all_families[random.below(std::size(all_families))], shape);
  using Bytes = Kokkos::View<std::byte*, typename Exec::memory_space>;
  BatchField<Exec> const field{Bytes("field", shape.bytes()), shape,
                               codec.compress(values, shape, options)};
  Kokkos::deep_copy(field.memory,
                    Kokkos::View<std::byte const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                        reinterpret_cast<std::byte const*>(values.data()), shape.bytes()));
  return field;
}

template <class Exec>
class Batch : public testing::Test {};
TYPED_TEST_SUITE(Batch, Spaces, SpaceName);

// Numbers of fields and their sizes change from call to call, the workspace stays.
TYPED_TEST(Batch, EveryStream_IsThatOfTheFieldAlone) {
  using Memory = typename TypeParam::memory_space;
  KOMPAKT_TRACE_SEED(5);
  Random random(5);
  TypeParam const exec;
  Workspace<TypeParam> workspace(exec);
  Codec<TypeParam> codec(exec);
  for (std::size_t const count : {1u, 40u, 7u, 0u, 25u}) {
    Coding const& coding = main_codings[random.below(std::size(main_codings))];
    Options const options =
        coding.with(random.below(2) == 0 ? ErrorBound::absolute(1e-2) : ErrorBound{});
    std::vector<BatchField<TypeParam>> fields;
    std::vector<ConstFieldData> data;
    for (std::size_t i = 0; i < count; ++i) {
      fields.push_back(random.below(2) == 0 ? make_batch_field<float>(codec, random, options)
                                            : make_batch_field<double>(codec, random, options));
      data.push_back({fields[i].memory.data(), fields[i].shape});
    }
    std::vector<CompressedStream<Memory>> streams(count);
    compress_batch(exec, std::span<ConstFieldData const>(data), options, workspace,
                   std::span(streams));
    for (std::size_t i = 0; i < count; ++i) {
      SCOPED_TRACE("field " + std::to_string(i) + " of " + std::to_string(count));
      auto const bytes =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), streams[i].bytes());
      expect_same_bytes({bytes.data(), bytes.data() + bytes.extent(0)}, fields[i].expected,
                        "batch");
    }
  }
}

TYPED_TEST(Batch, BoundsOfTheirOwn_AreThoseOfTheFields) {
  using Memory = typename TypeParam::memory_space;
  Random random(6);
  KOMPAKT_TRACE_SEED(6);
  TypeParam const exec;
  Workspace<TypeParam> workspace(exec);
  Codec<TypeParam> codec(exec);
  std::vector<ErrorBound> bounds;
  for (double const size : {1e-1, 1e-2, 1e-4}) {
    bounds.insert(bounds.end(), {ErrorBound::absolute(size), ErrorBound::relative_to_range(size),
                                 ErrorBound::relative_to_value(size), ErrorBound::psnr(7 / size)});
  }
  bounds.erase(bounds.end() - 1);  // beyond 1000 dB
  for (Coding const& coding : tile_codings) {
    Options const options = coding.with({});
    std::vector<BatchField<TypeParam>> fields;
    std::vector<ConstFieldData> data;
    for (ErrorBound const& bound : bounds) {
      fields.push_back(make_batch_field<float>(codec, random, coding.with(bound)));
      data.push_back({fields.back().memory.data(), fields.back().shape});
    }
    std::vector<CompressedStream<Memory>> streams(bounds.size());
    compress_batch(exec, std::span<ConstFieldData const>(data), options, workspace,
                   std::span(streams), bounds);
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      SCOPED_TRACE(coding.name() + ", " + to_string(bounds[i].mode));
      auto const bytes =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), streams[i].bytes());
      expect_same_bytes({bytes.data(), bytes.data() + bytes.extent(0)}, fields[i].expected,
                        "batch");
    }
    EXPECT_THROW(compress_batch(exec, std::span<ConstFieldData const>(data), options, workspace,
                                std::span(streams), std::span<ErrorBound const>(bounds).first(1)),
                 Error);
  }
}

TYPED_TEST(Batch, FewerStreamsThanFields_AreRefused) {
  TypeParam const exec;
  Workspace<TypeParam> workspace(exec);
  std::vector<ConstFieldData> const fields(2, ConstFieldData(nullptr, shape_from<float>({0})));
  std::vector<FieldData> const targets(2, FieldData(nullptr, shape_from<float>({0})));
  std::vector<CompressedStream<typename TypeParam::memory_space>> streams(1);
  EXPECT_THROW(compress_batch(exec, std::span(fields), {}, workspace, std::span(streams)), Error);
  EXPECT_THROW(decompress_batch(exec, streams, workspace, targets), Error);
}

/// Streams of any coding, and where they are decompressed to.
template <class Exec>
struct StreamBatch {
  using Bytes = Kokkos::View<std::byte*, typename Exec::memory_space>;
  Codec<Exec> codec;
  std::vector<Kokkos::View<std::byte const*, typename Exec::memory_space>> streams;
  std::vector<std::vector<std::byte>> on_host;
  std::vector<Bytes> memory;
  std::vector<FieldData> fields;
  std::vector<std::vector<std::byte>> expected;  ///< values, when decompressed alone

  template <class T>
  void add(Random& random) {
    std::vector<std::size_t> extents(1 + random.below(3));
    for (std::size_t& extent : extents) extent = random.below(extents.size() == 1 ? 9000 : 40);
    FieldShape shape = shape_from<T>(extents);
    Coding const& coding = main_codings[random.below(std::size(main_codings))];
    auto const values = make_field<T>(all_families[random.below(std::size(all_families))], shape);
    on_host.push_back(codec.compress(values, shape, coding.with(ErrorBound::absolute(1e-2))));
    streams.push_back(codec.upload(on_host.back()));
    shape.order = static_cast<Order>(random.below(2));
    memory.push_back(Bytes("field", shape.bytes()));
    fields.push_back({memory.back().data(), shape});
    auto const alone = codec.template decompress<T>(on_host.back(), shape);
    auto const bytes = std::as_bytes(std::span(alone));
    expected.push_back({bytes.begin(), bytes.end()});
  }
  void add_some(Random& random, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      random.below(2) == 0 ? add<float>(random) : add<double>(random);
    }
  }
};

// Numbers, codings and sizes change from call to call, the workspace stays.
TYPED_TEST(Batch, EveryField_IsThatOfTheStreamAlone) {
  KOMPAKT_TRACE_SEED(7);
  Random random(7);
  TypeParam const exec;
  Workspace<TypeParam> workspace(exec);
  for (std::size_t const count : {1u, 40u, 0u, 25u}) {
    StreamBatch<TypeParam> batch;
    batch.add_some(random, count);
    auto const infos = decompress_batch(exec, batch.streams, workspace, batch.fields);
    ASSERT_EQ(infos.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      SCOPED_TRACE("stream " + std::to_string(i) + " of " + std::to_string(count));
      EXPECT_EQ(infos[i].bytes, batch.on_host[i].size());
      expect_same_bytes(batch.codec.download(batch.memory[i]), batch.expected[i], "values");
    }
  }
}

// Stream objects tell their coding, so that none has to be decoded a second time.
TYPED_TEST(Batch, StreamObjects_AreDecompressedWithOneFence) {
  using Memory = typename TypeParam::memory_space;
  Random random(8);
  TypeParam const exec;
  Codec<TypeParam> codec(exec);
  for (Coding const& coding : tile_codings) {
    std::vector<BatchField<TypeParam>> fields;
    std::vector<ConstFieldData> sources;
    std::vector<FieldData> targets;
    for (int i = 0; i < 20; ++i) {
      fields.push_back(make_batch_field<float>(codec, random, coding.with({})));
      sources.push_back({fields.back().memory.data(), fields.back().shape});
    }
    Workspace<TypeParam> workspace(exec), other(exec);
    std::vector<CompressedStream<Memory>> streams(fields.size());
    compress_batch(exec, sources, coding.with({}), workspace, std::span(streams));
    std::vector<std::vector<std::byte>> alone;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      targets.push_back({fields[i].memory.data(), fields[i].shape});
      decompress(exec, streams[i], other, targets[i]);
      alone.push_back(codec.download(fields[i].memory));
      Kokkos::deep_copy(fields[i].memory, std::byte{0x55});
    }
    auto pending = decompress_batch_async(exec, streams, workspace, targets);
    exec.fence();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      expect_same_bytes(codec.download(fields[i].memory), alone[i], "before finish()");
    }
    pending.finish();
  }
}

TYPED_TEST(Batch, DamagedStream_IsNamed_AndTheNextBatchIsSound) {
  Random random(9);
  KOMPAKT_TRACE_SEED(9);
  TypeParam const exec;
  Workspace<TypeParam> workspace(exec);
  for (int round = 0; round < 20; ++round) {
    StreamBatch<TypeParam> batch;
    batch.add_some(random, 6);
    std::size_t const damaged = random.below(6);
    std::vector<std::byte> bytes = batch.on_host[damaged];
    bytes[random.below(bytes.size())] ^= std::byte{0x10};
    auto streams = batch.streams;
    streams[damaged] = batch.codec.upload(bytes);
    try {
      decompress_batch(exec, streams, workspace, batch.fields);
      ADD_FAILURE() << "a damaged stream was taken";
    } catch (Error const& error) {
      EXPECT_NE(std::string(error.what()).find("stream " + std::to_string(damaged + 1) + " of 6"),
                std::string::npos)
          << error.what();
    }
    decompress_batch(exec, batch.streams, workspace, batch.fields);
    for (std::size_t i = 0; i < batch.fields.size(); ++i) {
      expect_same_bytes(batch.codec.download(batch.memory[i]), batch.expected[i], "values");
    }
  }
}

}  // namespace kompakt::test
