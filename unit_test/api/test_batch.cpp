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
    compress_batch(exec, std::span<ConstFieldData const>(data), std::span<ErrorBound const>(bounds),
                   options, workspace, std::span(streams));
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      SCOPED_TRACE(coding.name() + ", " + to_string(bounds[i].mode));
      auto const bytes =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), streams[i].bytes());
      expect_same_bytes({bytes.data(), bytes.data() + bytes.extent(0)}, fields[i].expected,
                        "batch");
    }
    EXPECT_THROW(compress_batch(exec, std::span<ConstFieldData const>(data),
                                std::span<ErrorBound const>(bounds).first(1), options, workspace,
                                std::span(streams)),
                 Error);
  }
}

TYPED_TEST(Batch, FewerStreamsThanFields_AreRefused) {
  TypeParam const exec;
  Workspace<TypeParam> workspace(exec);
  std::vector<ConstFieldData> const fields(2, ConstFieldData(nullptr, shape_from<float>({0})));
  std::vector<CompressedStream<typename TypeParam::memory_space>> streams(1);
  EXPECT_THROW(compress_batch(exec, std::span(fields), {}, workspace, std::span(streams)), Error);
}

}  // namespace kompakt::test
