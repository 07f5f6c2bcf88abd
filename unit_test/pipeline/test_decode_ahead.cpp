#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <coder/rans/record.hpp>
#include <coder/rans/tile_of_thread.hpp>
#include <container/reader.hpp>
#include <kompakt/kompakt.hpp>
#include <pipeline/level_steps.hpp>
#include <predictor/interpolation.hpp>
#include <predictor/lorenzo.hpp>
#include <support/random.hpp>
#include <vector>

// What threads of a device take ahead, by threads of a host: whole fields come back as by the kernels of the space.

namespace kompakt::test {
namespace {

/// What takes records as a device does, by one thread.
struct TakesAhead : impl::residual_books::ByOneThread {
  template <class Coder>
  using Ahead = impl::residual_books::ZigzagsAhead<Coder>;

  template <class Coder, class Order, class Team>
  KOKKOS_INLINE_FUNCTION static bool take_all(Team const& team, impl::CodedTile tile,
                                              typename Coder::Plan const& plan,
                                              std::uint32_t const* in,
                                              typename Coder::Scratch& scratch) {
    return scratch.ahead.template copy<Order>(team, scratch.zigzags) ||
           impl::residual_books::ByOneThread::take_all<Coder, Order>(team, tile, plan, in, scratch);
  }
};

template <class T>
std::vector<T> smooth_field(std::vector<std::size_t> const& extents, Random& random) {
  std::size_t size = 1;
  for (std::size_t const extent : extents) size *= extent;
  std::vector<T> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    auto const x = static_cast<double>(i % extents.back());
    auto const y = static_cast<double>(i / extents.back());
    double const noise = static_cast<double>(random.below(1000)) * 1e-6;
    values[i] = static_cast<T>(std::sin(0.07 * x) + std::cos(0.003 * y) + noise);
  }
  return values;
}

/// Decodes a stream with memory for so many tiles ahead; returns how many of the last ones are known.
template <class Predictor, class T>
std::size_t decode_ahead(std::span<std::byte const> stream, std::size_t tiles, std::vector<T>& to) {
  using Types = impl::CodecTypes<impl::Rans<T, TakesAhead>, Predictor, impl::generic_tag>;
  auto const front = stream.first(std::min(stream.size(), impl::inspect_bytes));
  impl::Header const header = impl::read_header(front, stream.size());
  impl::DecodeResult result{};
  auto args = impl::decode_args<T>(header, stream.data(), to.data(), &result);
  std::vector<std::uint32_t> scratch(tiles * impl::TilesAhead::bytes_of_tile / 4 + 64);
  args.coder_scratch = reinterpret_cast<std::byte*>(scratch.data());
  args.coder_scratch_bytes = tiles * impl::TilesAhead::bytes_of_tile;
  std::vector<std::uint32_t> lattices;
  Kokkos::Serial const exec;
  if constexpr (Predictor::has_levels) {
    impl::with_tile_shape(header.tile_shape, [&]<class Shape>(Shape) {
      impl::LevelParts const whole = impl::LevelGrid<Shape>(args.extents).whole();
      lattices.resize(whole.places() + 16);
      args.levels = whole.in(lattices.data());
    });
    impl::read_levels<Types>(impl::generic_tag{}, exec, args);
  }
  impl::decode<Types>(impl::generic_tag{}, exec, args);
  EXPECT_EQ(result.worst(), impl::DecodeFault::none);
  auto const ahead = impl::TilesAhead::in(args.coder_scratch, args.coder_scratch_bytes);
  return static_cast<std::size_t>(std::count(ahead.known, ahead.known + tiles, 1));
}

template <class Predictor, class T>
void expect_same(std::vector<std::size_t> const& extents, Options options,
                 std::vector<std::size_t> const& tiles) {
  Random random(150);
  auto const values = smooth_field<T>(extents, random);
  options.pipeline = Pipeline::rans;
  AnyCodec codec(Space::serial);
  FieldShape shape;
  shape.dtype = sizeof(T) == 4 ? Dtype::f32 : Dtype::f64;
  shape.rank = static_cast<int>(extents.size());
  std::copy(extents.begin(), extents.end(), shape.extents.begin());
  std::vector<std::byte> stream(max_compressed_bytes(shape, options));
  std::size_t const bytes = codec
                                .compress(ConstFieldData(values.data(), shape), MemoryOf::host,
                                          options, stream, MemoryOf::host)
                                .bytes;
  stream.resize(bytes);
  std::vector<T> expected(values.size());
  codec.decompress(std::span<std::byte const>(stream), MemoryOf::host,
                   FieldData{expected.data(), shape}, MemoryOf::host);
  for (std::size_t const count : tiles) {
    SCOPED_TRACE(count);
    std::vector<T> found(values.size());
    EXPECT_GT((decode_ahead<Predictor, T>(stream, count, found)), 0u);
    EXPECT_EQ(found, expected);
  }
}

TEST(DecodeAhead, OfLevels_IsAsTheirTeamsDecode) {
  Options options{ErrorBound::relative_to_range(1e-3)};
  options.predictor = Predictor::interpolate;
  // All tiles, and some of them.
  expect_same<impl::RuledInterpolation, float>({20, 70, 100}, options, {320, 96});
  expect_same<impl::RuledInterpolation, double>({20, 70, 100}, options, {320});
  expect_same<impl::RuledInterpolation, float>({150, 300}, options, {128});
  expect_same<impl::RuledInterpolation, float>({40000}, options, {96});
}

TEST(DecodeAhead, OfTilesAndChains_IsAsTheirTeamsDecode) {
  Options options{ErrorBound::relative_to_range(1e-3)};
  // Only many tiles are taken ahead.
  options.predictor = Predictor::chain;
  expect_same<impl::Lorenzo, float>({4200 * 1024}, options, {4224, 1024});
  options.predictor = Predictor::tile;
  expect_same<impl::Lorenzo, double>({136, 200, 170}, options, {5632});
  expect_same<impl::Lorenzo, float>({2100, 2050}, options, {2048});
}

}  // namespace
}  // namespace kompakt::test
