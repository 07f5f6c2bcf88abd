#include <api/generic.hpp>
#include <cmath>
#include <cstring>
#include <kompakt/option_keys.hpp>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>

namespace kompakt::test {

template <class Visit>
void masked_cases(Family family, double e, Visit const& visit) {
  for (Coding const& coding : main_codings) {
    Options options = coding.with(ErrorBound::relative_to_range(e));
    options.fill = FillValue::automatic();
    visit.template operator()<float>(family, shape_from<float>({30011}), options);
    visit.template operator()<double>(family, shape_from<double>({131, 257}), options);
    options.bound = ErrorBound::absolute(e);
    visit.template operator()<float>(family, shape_from<float>({17, 41, 83}), options);
  }
}

/// Everything that could come out differently: types, ranks, families, bounds.
template <class Visit>
void for_each_case(Visit const& visit) {
  for (Family const family : all_families) {
    for (double const e : {1e-2, 1e-5}) {
      for (Coding const& coding : main_codings) {
        Options const options = coding.with(ErrorBound::relative_to_range(e));
        visit.template operator()<float>(family, shape_from<float>({30011}), options);
        visit.template operator()<float>(family, shape_from<float>({17, 41, 83}), options);
        visit.template operator()<double>(family, shape_from<double>({131, 257}), options);
      }
      if (family == Family::land || family == Family::nan_islands) masked_cases(family, e, visit);
    }
  }
}

template <class Exec>
class SameBytes : public testing::Test {};
TYPED_TEST_SUITE(SameBytes, Spaces, SpaceName);

TYPED_TEST(SameBytes, AsOnTheDefaultHostSpace_AndInTheNextRun) {
  Codec<Kokkos::DefaultHostExecutionSpace> reference;
  Codec<TypeParam> codec;
  for_each_case([&]<class T>(Family family, FieldShape const& shape, Options const& options) {
    SCOPED_TRACE(name_of(family));
    auto const field = make_field<T>(family, shape);
    auto const expected = reference.compress(field, shape, options);
    expect_same_bytes(codec.compress(field, shape, options), expected, "first run");
    expect_same_bytes(codec.compress(field, shape, options), expected, "second run");
  });
}

// The generic bodies on the same execution space, through the same arguments.
template <class Exec, class T>
std::vector<std::byte> compress_generic(Exec const& exec, std::vector<T> const& field,
                                        FieldShape const& shape, Options const& options) {
  using Bytes = Kokkos::View<std::byte*, typename Exec::memory_space>;
  using HostBytes = Kokkos::View<std::byte*, Kokkos::HostSpace>;
  Workspace<Exec> workspace(exec);
  Bytes const values("values", shape.bytes());
  Bytes const stream("stream", max_compressed_bytes(shape, options));
  HostBytes const host_values("values", shape.bytes());
  std::memcpy(host_values.data(), field.data(), shape.bytes());
  Kokkos::deep_copy(values, host_values);
  StreamInfo const info = impl::compress_generic(exec, ConstFieldData(values.data(), shape),
                                                 options, workspace, stream);
  auto const host = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace(), Kokkos::subview(stream, std::make_pair(std::size_t{0}, info.bytes)));
  return {host.data(), host.data() + host.extent(0)};
}

// What the generic bodies make of a stream.
template <class Exec, class T>
std::vector<T> decompress_generic(Exec const& exec, std::vector<std::byte> const& stream,
                                  FieldShape const& shape) {
  using Bytes = Kokkos::View<std::byte*, typename Exec::memory_space>;
  using HostBytes = Kokkos::View<std::byte const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Workspace<Exec> workspace(exec);
  Bytes const values("values", shape.bytes()), bytes("stream", stream.size());
  Kokkos::deep_copy(bytes, HostBytes(stream.data(), stream.size()));
  impl::decompress_generic(exec, bytes, workspace, FieldData{values.data(), shape});
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
  std::vector<T> result(shape.size());
  std::memcpy(result.data(), host.data(), shape.bytes());
  return result;
}

/// Options and extents that random numbers make, small enough that a chunk is clipped in every way.
struct RandomCase {
  FieldShape shape;
  Options options;

  template <class T>
  static RandomCase make(Random& random) {
    std::vector<std::size_t> extents(1 + random.below(3));
    for (std::size_t& extent : extents) {
      extent = 1 + random.below(extents.size() == 1 ? 20000 : (extents.size() == 2 ? 200 : 50));
    }
    constexpr double bounds[] = {1e-1, 1e-3, 1e-6};
    double const bound = bounds[random.below(3)];
    Options options;
    options.bound =
        random.below(2) == 0 ? ErrorBound::absolute(bound) : ErrorBound::relative_to_range(bound);
    Coding const& coding = all_codings[random.below(std::size(all_codings))];
    options.pipeline = coding.pipeline;
    options.variant = coding.variant;
    options.predictor =
        coding.has_own() ? coding.predictor : static_cast<Predictor>(random.below(3));
    options.checksum = random.below(4) != 0;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    FillValue const fills[] = {FillValue::none(), FillValue::automatic(), FillValue::of(fill_value),
                               FillValue::of(0), FillValue::of(nan)};
    options.fill = fills[random.below(std::size(fills))];
    // A range that few values make is refused where fill values are looked for.
    if (options.fill != FillValue::none()) options.bound = ErrorBound::absolute(bound);
    return {shape_from<T>(extents), options};
  }
};

template <class T, class Exec>
void expect_body_agrees(Exec const& exec, Random& random, int rounds) {
  Codec<Exec> codec(exec);
  for (int round = 0; round < rounds; ++round) {
    RandomCase const c = RandomCase::make<T>(random);
    Family const family = all_families[random.below(std::size(all_families))];
    SCOPED_TRACE(std::string(name_of(family)) + ", round " + std::to_string(round) + ", " +
                 text_of(c.options));
    auto const field = make_field<T>(family, c.shape);
    auto const expected = compress_generic(exec, field, c.shape, c.options);
    expect_same_bytes(codec.compress(field, c.shape, c.options), expected, "override");
    auto const decoded = codec.template decompress<T>(expected, c.shape);
    expect_promise(field, decoded, codec.info().resolved());
    auto const decoded_generic = decompress_generic<Exec, T>(exec, expected, c.shape);
    EXPECT_EQ(std::memcmp(decoded.data(), decoded_generic.data(), c.shape.bytes()), 0);
  }
}

/// Streams of the coder whose tiles a host decodes side by side, in place of one by one.
template <class T>
void expect_same_of_damaged(Random& random) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Exec const exec;
  Codec<Exec> codec(exec);
  int refused = 0;
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    RandomCase c = RandomCase::make<T>(random);
    c.options.pipeline = Pipeline::rans;
    c.options.variant = Variant::automatic;
    c.options.predictor = static_cast<Predictor>(random.below(4));
    c.options.checksum = false;
    auto const field = make_field<T>(all_families[random.below(std::size(all_families))], c.shape);
    auto stream = codec.compress(field, c.shape, c.options);
    std::size_t const payload = stream.size() / 3;
    for (std::uint64_t bits = random.below(4); bits > 0; --bits) {
      stream[payload + random.below(stream.size() - payload)] ^= std::byte{1} << random.below(8);
    }
    auto const outcome = [](auto const& call) -> std::pair<Status, std::vector<T>> {
      try {
        return {Status::ok, call()};
      } catch (Error const& error) {
        return {error.status(), {}};
      }
    };
    auto const own = outcome([&] { return codec.template decompress<T>(stream, c.shape); });
    auto const generic =
        outcome([&] { return decompress_generic<Exec, T>(exec, stream, c.shape); });
    EXPECT_EQ(own.first, generic.first);
    ASSERT_EQ(own.second.size(), generic.second.size());
    EXPECT_EQ(std::memcmp(own.second.data(), generic.second.data(), own.second.size() * sizeof(T)),
              0);
    refused += own.first != Status::ok ? 1 : 0;
  }
  EXPECT_GT(refused, 20);
}

TEST(SameBytesOfHosts, DamagedStreams_AreRefusedOrDecodedAsByTheGenericBodies) {
  KOMPAKT_TRACE_SEED(73);
  Random random(73);
  expect_same_of_damaged<float>(random);
}

/// Fields whose residuals need escapes, low bits and means beyond what a host's vectors take, beside such that do not.
TEST(SameBytesOfHosts, ResidualsOfAllSizes_AreCodedAsByTheGenericBodies) {
  KOMPAKT_TRACE_SEED(79);
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Exec const exec;
  Codec<Exec> codec(exec);
  Random random(79);
  for (int round = 0; round < 120; ++round) {
    SCOPED_TRACE(round);
    std::vector<std::size_t> extents(1 + random.below(3));
    for (std::size_t& extent : extents) extent = 1 + random.below(extents.size() == 1 ? 40000 : 70);
    FieldShape const shape = shape_from<float>(extents);
    std::vector<float> field(shape.size());
    // The bound is 1/2, so that a value is its bin. Sizes change from region to region, and some values stand out.
    int bits = 0;
    for (std::size_t i = 0; i < field.size(); ++i) {
      if (random.below(500) == 0) bits = static_cast<int>(random.below(23));
      int const here = random.below(300) == 0 ? static_cast<int>(random.below(24)) : bits;
      field[i] = static_cast<float>(random.below(std::uint64_t{1} << here)) *
                 (random.below(2) == 0 ? 1.0f : -1.0f);
    }
    Options options{ErrorBound::absolute(0.5)};
    options.pipeline = Pipeline::rans;
    options.predictor = static_cast<Predictor>(random.below(4));
    auto const expected = compress_generic(exec, field, shape, options);
    expect_same_bytes(codec.compress(field, shape, options), expected, "own");
    auto const decoded = codec.template decompress<float>(expected, shape);
    expect_promise(field, decoded, codec.info().resolved());
    auto const by_generic = decompress_generic<Exec, float>(exec, expected, shape);
    EXPECT_EQ(std::memcmp(decoded.data(), by_generic.data(), shape.bytes()), 0);
  }
}

TYPED_TEST(SameBytes, AsTheGenericBodies_OfTheSameSpace) {
  KOMPAKT_TRACE_SEED(71);
  Random random(71);
  expect_body_agrees<float>(TypeParam(), random, 100);
  expect_body_agrees<double>(TypeParam(), random, 100);
}

/// A field as those are in which fill values are sought: its values on both sides of the middle of their range or nearly all on
/// one, with a value that repeats far above, far below or among the others, with NaN, or infinite ones; or with none of that.
template <class T>
std::vector<T> with_things_to_find(Random& random, std::size_t size) {
  std::vector<T> field(size);
  auto const skew = static_cast<int>(1 + 7 * random.below(2));
  for (std::size_t i = 0; i < size; ++i) {
    double const wave = 0.5 + 0.5 * std::sin(0.003 * static_cast<double>(i));
    field[i] = static_cast<T>(20 * std::pow(wave, skew));
  }
  constexpr T things[] = {T(1e20),
                          T(-1e20),
                          T(41),
                          T(-21.5),
                          T(7),
                          std::numeric_limits<T>::quiet_NaN(),
                          std::numeric_limits<T>::infinity()};
  for (std::uint64_t kinds = random.below(3); kinds > 0; --kinds) {
    T const thing = things[random.below(std::size(things))];
    std::uint64_t const every = 2 + random.below(std::uint64_t{1} << (1 + random.below(16)));
    for (std::size_t i = random.below(every); i < size; i += every) field[i] = thing;
  }
  return field;
}

/// What compress() makes, or the error's text.
template <class Compress>
std::vector<std::byte> stream_or_error(Compress const& compress) {
  try {
    return compress();
  } catch (Error const& error) {
    std::string const text = error.what();
    auto const* const bytes = reinterpret_cast<std::byte const*>(text.data());
    return {bytes, bytes + text.size()};
  }
}

template <class T, class Exec>
void expect_search_agrees(Random& random, int rounds) {
  Codec<Kokkos::DefaultHostExecutionSpace> reference;
  Codec<Exec> codec;
  constexpr std::size_t sizes[] = {1, 100, 3000, 60000, 700001};
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    std::size_t const size = sizes[random.below(std::size(sizes))];
    auto const field = with_things_to_find<T>(random, size);
    auto const shape = shape_from<T>({size});
    ErrorBound const bounds[] = {ErrorBound::relative_to_range(1e-3), ErrorBound::psnr(60),
                                 ErrorBound::absolute(0.01)};
    Options options = main_codings[random.below(std::size(main_codings))].with(
        bounds[random.below(std::size(bounds))]);
    options.fill = random.one_in(4) ? FillValue::of(std::numeric_limits<double>::quiet_NaN())
                                    : FillValue::automatic();
    auto const expected =
        stream_or_error([&] { return reference.compress(field, shape, options); });
    expect_same_bytes(stream_or_error([&] { return codec.compress(field, shape, options); }),
                      expected, "override");
    auto const generic = [&] { return compress_generic(Exec(), field, shape, options); };
    // The closer look at a range that few values make is behind the call's end.
    if (std::memcmp(expected.data(), "compress", 8) != 0) {
      expect_same_bytes(stream_or_error(generic), expected, "generic");
    }
  }
}

TYPED_TEST(SameBytes, OfASearchForFillValues) {
  KOMPAKT_TRACE_SEED(72);
  Random random(72);
  expect_search_agrees<float, TypeParam>(random, 60);
  expect_search_agrees<double, TypeParam>(random, 60);
}

}  // namespace kompakt::test
