#include <api/chunk.hpp>
#include <container/reader.hpp>
#include <cstring>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>

namespace kompakt::test {

/// Compares a decoded chunk with what lies in its tiles of the decoded field.
template <class Shape, class T>
void expect_chunk(std::vector<T> const& field, FieldShape const& shape, std::int64_t chunk,
                  T const* values) {
  impl::TileGrid<Shape> const grid(impl::fold_shape(shape));
  for (int t = 0; t < impl::chunk_tiles; ++t) {
    impl::TileBox const box = grid.box(chunk * impl::chunk_tiles + t);
    T const* packed = values + t * impl::tile_values;
    for (int z = 0; z < box.nz; ++z) {
      for (int y = 0; y < box.ny; ++y) {
        T const* const row =
            &field[static_cast<std::size_t>(box.origin + z * box.slab_pitch + y * box.row_pitch)];
        auto const bytes = static_cast<std::size_t>(box.nx) * sizeof(T);
        ASSERT_EQ(std::memcmp(packed, row, bytes), 0) << "tile " << t << ", row " << y << ", " << z;
        packed += box.nx;
      }
    }
  }
}

template <class Exec>
class Chunk : public testing::Test {
 protected:
  template <class T>
  void every_chunk(FieldShape const& shape, Predictor predictor) {
    for (Coding const& coding : tile_codings) {
      SCOPED_TRACE(coding.name());
      every_chunk<T>(shape, coding.with(ErrorBound::relative_to_range(1e-3), predictor));
    }
  }
  template <class T>
  void every_chunk(FieldShape const& shape, Options const& options) {
    Codec<Exec> codec(exec);
    auto const bytes = codec.compress(make_field<T>(Family::nan_islands, shape), shape, options);
    auto const field = codec.template decompress<T>(bytes, shape);
    auto const stream = CompressedStream<typename Exec::memory_space>::from_host(bytes);
    auto const header = impl::read_header(bytes, bytes.size());
    for (std::int64_t c = 0; c < header.chunks(); ++c) {
      SCOPED_TRACE("chunk " + std::to_string(c));
      auto const* const values = static_cast<T const*>(
          impl::decompress_chunk(exec, stream.data(), bytes.size(), workspace, shape, c));
      impl::with_tile_shape(header.tile_shape, [&](auto tile) {
        expect_chunk<decltype(tile)>(field, shape, c, values);
      });
    }
  }

  Exec exec;
  Workspace<Exec> workspace{exec};
};
TYPED_TEST_SUITE(Chunk, Spaces, SpaceName);

TYPED_TEST(Chunk, Decoded_IsTheSameAsInTheField) {
  this->template every_chunk<float>(shape_from<float>({30000}), Predictor::chain);
  this->template every_chunk<float>(shape_from<float>({100, 129}), Predictor::tile);
  this->template every_chunk<double>(shape_from<double>({17, 30, 40}), Predictor::tile);
  this->template every_chunk<double>(shape_from<double>({16, 16, 64}), Predictor::tile);
}

TYPED_TEST(Chunk, BeyondTheLast_IsRefused) {
  FieldShape const shape = shape_from<float>({5000});
  Codec<TypeParam> codec(this->exec);
  auto const bytes = codec.compress(make_field<float>(Family::walk, shape), shape, {});
  auto const stream = CompressedStream<typename TypeParam::memory_space>::from_host(bytes);
  for (std::int64_t const chunk : {std::int64_t{2}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    EXPECT_THROW(impl::decompress_chunk(this->exec, stream.data(), bytes.size(), this->workspace,
                                        shape, chunk),
                 Error)
        << chunk;
  }
}

}  // namespace kompakt::test
