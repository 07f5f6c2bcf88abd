// Tiles of a compressed field in a kernel: each team decodes one into its scratch memory, changes its values and codes them
// again. Links kompakt::device.

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <kompakt/device.hpp>
#include <kompakt/kompakt.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Teams = Kokkos::TeamPolicy<Exec>;

// [device types]
using Reader = kompakt::device::TileReader<float, kompakt::Pipeline::bitshuffle>;
using Codec = kompakt::device::TileCodec<float, kompakt::Pipeline::bitshuffle>;
constexpr int tile_bytes = kompakt::device::tile_values * sizeof(float);
// [/device]

// [device kernel]
struct DoubleTiles {
  Reader reader;
  Codec codec;
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, Exec>
      records;                     // Codec::max_words for each tile
  Kokkos::View<int*, Exec> words;  // of each record; -1: damaged

  KOKKOS_FUNCTION void operator()(Teams::member_type const& team) const {
    auto& scratch = Reader::scratch(team);
    auto* const memory =
        static_cast<float*>(team.team_scratch(0).get_shmem_aligned(tile_bytes, 16));
    int const tile = team.league_rank();
    auto const place = reader.place(tile);
    auto const values = kompakt::device::TileValues<float>::packed(memory, place);
    if (!reader.read(team, tile, values, scratch)) {
      Kokkos::single(Kokkos::PerTeam(team), [&] { words(tile) = -1; });
      return;
    }
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, place.size()),
                         [&](int i) { memory[i] *= 2; });
    team.team_barrier();
    int const count = codec.encode(team, {memory, values.row_pitch, values.slab_pitch}, place,
                                   &records(tile, 0), scratch);
    Kokkos::single(Kokkos::PerTeam(team), [&] { words(tile) = count; });
  }
};
// [/device]

int run() {
  Exec const exec;
  int const n = 100;
  Kokkos::View<float***, Kokkos::LayoutRight, Exec> const field("field", n, n, n);
  Kokkos::parallel_for(
      "fill", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>(exec, {0, 0, 0}, {n, n, n}),
      KOKKOS_LAMBDA(int k, int j, int i) {
        field(k, j, i) = Kokkos::sin(0.05f * k) + 0.01f * j * i;
      });
  kompakt::Options options;
  options.bound = kompakt::ErrorBound::absolute(1e-3);
  options.pipeline = kompakt::Pipeline::bitshuffle;
  kompakt::Workspace<Exec> workspace(exec);
  kompakt::CompressedStream<Space> stream;
  kompakt::compress(exec, field, options, workspace, stream);

  // [device launch]
  kompakt::StreamReader<Exec> const opened(exec, stream);
  opened.check(exec);  // checksums, once; throws if one does not match
  Reader const reader(opened);
  auto const tiles = static_cast<int>(reader.tiles());
  DoubleTiles const kernel{reader,
                           Codec(options, reader.shape()),
                           {"records", reader.tiles(), Codec::max_words},
                           {"words", reader.tiles()}};
  int const bytes = static_cast<int>(Reader::scratch_bytes) + tile_bytes + 16;
  // A warp of CUDA for each tile; one thread of a host.
  int const threads = std::is_same_v<Space, Kokkos::HostSpace> ? 1 : 32;
  Kokkos::parallel_for(
      "double", Teams(exec, tiles, threads).set_scratch_size(0, Kokkos::PerTeam(bytes)), kernel);
  // [/device]

  auto const words = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kernel.words);
  std::size_t coded = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    if (words(tile) < 0) return 1;
    coded += 4 * static_cast<std::size_t>(words(tile));
  }
  std::printf("%d tiles: %zu bytes became %zu of records\n", tiles, field.size() * sizeof(float),
              coded);
  return coded < field.size() * sizeof(float) ? 0 : 1;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  return run();
}
