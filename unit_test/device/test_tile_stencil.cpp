#include <support/codec.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>

#include "tile_kernels.hpp"

namespace kompakt::test {

/// The sum of the six neighbours less six times the value; neighbours outside of the field count as 0.
template <class T, class Value>
KOKKOS_INLINE_FUNCTION T seven_points(Value const& value, std::int64_t x, std::int64_t y,
                                      std::int64_t z) {
  T const along_x = value(x - 1, y, z) + value(x + 1, y, z);
  T const along_y = value(x, y - 1, z) + value(x, y + 1, z);
  T const along_z = value(x, y, z - 1) + value(x, y, z + 1);
  return along_x + along_y + along_z - T(6) * value(x, y, z);
}

/// A team decodes a tile and those that share a face with it, and writes the stencil of the tile.
template <class Reader, class T>
struct StencilOfTiles {
  static constexpr int neighbours = 7;
  Reader reader;
  T* result;
  int* unsound;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto& scratch = Reader::scratch(team);
    T* const memory = scratch_values<T>(team, neighbours * device::tile_values);
    auto const here = reader.place(team.league_rank());
    bool sound = true;
    for (int i = 0; i < neighbours; ++i) {
      std::int64_t const tile =
          reader.tile_at(here.x + offset(i, 0), here.y + offset(i, 1), here.z + offset(i, 2));
      if (tile >= 0) sound &= reader.read(team, tile, values(memory, i), scratch);
    }
    if (!sound && team.team_rank() == 0) Kokkos::atomic_inc(unsound);
    auto const value = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
      int const i = tile_of(here, x, y, z);
      std::int64_t const tile = reader.tile_at(x, y, z);
      if (tile < 0) return T(0);
      auto const place = reader.place(tile);
      auto const v = values(memory, i);
      return v.data[(z - place.z) * v.slab_pitch + (y - place.y) * v.row_pitch + x - place.x];
    };
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, here.size()), [&](int i) {
      int const x = i % here.nx, y = i / here.nx % here.ny, z = i / (here.nx * here.ny);
      result[here.origin + z * here.slab_pitch + y * here.row_pitch + x] =
          seven_points<T>(value, here.x + x, here.y + y, here.z + z);
    });
  }

 private:
  // From the first value of a tile to one of its i-th neighbour: behind 8 x 8 x 16 values, or one before.
  KOKKOS_FUNCTION static int offset(int i, int axis) {
    int const extent = axis == 0 ? 16 : 8;
    return i == 2 * axis + 1 ? -1 : (i == 2 * axis + 2 ? extent : 0);
  }
  KOKKOS_FUNCTION static int tile_of(device::TileExtents const& here, std::int64_t x,
                                     std::int64_t y, std::int64_t z) {
    if (x < here.x) return 1;
    if (x >= here.x + 16) return 2;
    if (y < here.y) return 3;
    if (y >= here.y + 8) return 4;
    if (z < here.z) return 5;
    return z >= here.z + 8 ? 6 : 0;
  }
  KOKKOS_FUNCTION static device::TileValues<T> values(T* memory, int i) {
    return {memory + i * device::tile_values, 16, 128};
  }
};

template <class Exec>
class TileStencil : public testing::Test {};
TYPED_TEST_SUITE(TileStencil, Spaces, SpaceName);

TYPED_TEST(TileStencil, OverTilesOfAStream_IsThatOverTheDecompressedField) {
  using Exec = TypeParam;
  using Memory = typename Exec::memory_space;
  Exec const exec;
  Codec<Exec> codec(exec);
  FieldShape const shape = shape_from<float>({21, 40, 61});
  auto const stream = codec.compress(
      make_field<float>(Family::surfaces, shape), shape,
      {ErrorBound::absolute(1e-3), Pipeline::bitshuffle, Variant::nested, Predictor::tile});
  ASSERT_STREQ(codec.info().predictor_word(), "tile 8x8x16");
  auto const whole = codec.template decompress<float>(stream, shape);
  auto const value = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    bool const inside = x >= 0 && y >= 0 && z >= 0 && x < 61 && y < 40 && z < 21;
    return inside ? whole[static_cast<std::size_t>((z * 40 + y) * 61 + x)] : 0.0f;
  };
  std::vector<float> expected;
  for (int z = 0; z < 21; ++z) {
    for (int y = 0; y < 40; ++y) {
      for (int x = 0; x < 61; ++x) expected.push_back(seven_points<float>(value, x, y, z));
    }
  }
  auto const bytes = codec.upload(stream);
  StreamReader<Exec> const opened(exec, Kokkos::View<std::byte const*, Memory>(bytes));
  using Reader = device::TileReader<float, Pipeline::bitshuffle, Variant::nested>;
  using Stencil = StencilOfTiles<Reader, float>;
  Reader const reader(opened);
  for (int const team_size : team_sizes<Exec>()) {
    Kokkos::View<float*, Memory> const result("result", shape.size());
    Kokkos::View<int, Memory> const unsound("unsound");
    Kokkos::parallel_for(
        "kompakt::test::stencil",
        tile_policy<Exec, Reader, float>(exec, reader.tiles(), team_size,
                                         Stencil::neighbours * device::tile_values),
        Stencil{reader, result.data(), unsound.data()});
    auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
    ASSERT_EQ(std::memcmp(found.data(), expected.data(), expected.size() * sizeof(float)), 0);
  }
}

}  // namespace kompakt::test
