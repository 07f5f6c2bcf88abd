#ifndef KOMPAKT_CUDA_SWEEP_HPP
#define KOMPAKT_CUDA_SWEEP_HPP

#include <Kokkos_Core.hpp>
#include <core/bits.hpp>
#include <core/tile.hpp>
#include <cstdint>
#include <cuda/decode.hpp>
#include <cuda/launch.hpp>
#include <cuda/tuning.hpp>
#include <cuda/warp.hpp>

// A pass over a compressed field in one kernel, with memory for some layers of its bricks: a warp decodes a tile into a ring,
// then a user's body visits the values of another one, which was decoded some tiles before and has all its neighbours by now.
//
// Turns are handed out by ticket. What a turn waits for, that its tile's place in the ring is no longer read and that what it
// visits is there, is the work of lower tickets, so a wait always ends, whatever else runs on the device. In a ring of
// three layers that is as many tickets ago as a layer has tiles: the more these are than the warps at work, the less
// is waited.
//
// Launches for each slab, in place of this, cost a GPU more than decoding and the body together (docs/device.md).

namespace kompakt::impl::cuda {

/// How a pass goes over a field of bricks.
struct SweepPlan {
  using Shape = Tile<TileShape::brick>;
  /// Planes on both sides of a value that its body may read: those of half a brick, since what is visited
  /// with a layer lies that far in front of it.
  static constexpr int max_halo = Shape::Z / 2;

  Extents3 extents;
  bool is_countable;  ///< in words of 32 bits, without which what follows means nothing
  std::uint32_t tiles, tiles_x, tiles_y, tiles_of_layer;
  std::uint32_t ring_layers;
  std::uint32_t lag;  ///< from the turn that decodes a tile to the one that visits it
  std::int64_t ring_values;
  int halo;

  /// \param planes  along z that the ring holds: of whole bricks, or all of the field's
  SweepPlan(Extents3 n, std::int64_t planes, int h) : extents(n), halo(h) {
    TileGrid<Shape> const grid(n);
    is_countable =
        grid.tiles < 1 << 30 && n.z < 1 << 30 && planes * n.x * n.y < std::int64_t{1} << 31;
    tiles = static_cast<std::uint32_t>(grid.tiles);
    tiles_x = static_cast<std::uint32_t>(grid.tiles_x);
    tiles_y = static_cast<std::uint32_t>(grid.tiles_y);
    tiles_of_layer = tiles_x * tiles_y;
    ring_layers = static_cast<std::uint32_t>(ceil_div<std::int64_t>(planes, Shape::Z));
    ring_values = planes * n.x * n.y;
    // Half way between the turn that decodes it and the one that needs its place.
    std::uint32_t const half = (ring_layers - 1) * tiles_of_layer / 2;
    lag = half > 2 * tiles_x ? half : 2 * tiles_x;
  }
  /// Whether no turn would wait for a higher one.
  bool is_possible() const {
    bool const is_ring = ring_layers < layers();
    return is_countable && halo <= max_halo && (!is_ring || (ring_layers - 1) * tiles_y >= 4);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t layers() const { return tiles / tiles_of_layer; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t turns() const { return tiles + lag; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t rows() const { return layers() * tiles_y; }
};

/// Where a tile lies.
struct SweepTile {
  std::uint32_t layer, row;
  int x, y, z;  ///< of its first value

  __device__ __forceinline__ SweepTile(SweepPlan const& plan, std::uint32_t tile) {
    std::uint32_t const row_of_all = tile / plan.tiles_x;
    layer = row_of_all / plan.tiles_y;
    row = row_of_all - layer * plan.tiles_y;
    x = static_cast<int>(tile - row_of_all * plan.tiles_x) * SweepPlan::Shape::X;
    y = static_cast<int>(row) * SweepPlan::Shape::Y;
    z = static_cast<int>(layer) * SweepPlan::Shape::Z;
  }
};

/// What the warps of a pass tell each other, zero at first: tickets, and of each row of tiles along x how many
/// are decoded and how many have been visited.
struct SweepCounters {
  static constexpr std::uint32_t behind_ticket = 32;  // words, so that it has a line for itself
  std::uint32_t* words;
  std::uint32_t rows;

  static std::uint32_t count(SweepPlan const& plan) { return behind_ticket + 2 * plan.rows(); }
  __device__ __forceinline__ std::uint32_t* decoded() const { return words + behind_ticket; }
  __device__ __forceinline__ std::uint32_t* visited() const { return decoded() + rows; }
};

/// Tiles one by one, into the ring.
struct SweepItems {
  SweepPlan const& plan;
  std::uint32_t count;

  __device__ __forceinline__ std::uint32_t number(std::uint32_t item) const {
    return item / chunk_tiles;
  }
  __device__ __forceinline__ std::uint32_t chunk(std::uint32_t item) const { return number(item); }
  __device__ __forceinline__ int first_tile(std::uint32_t item) const {
    return static_cast<int>(item % chunk_tiles);
  }
  __device__ __forceinline__ int tiles(std::uint32_t) const { return 1; }
  /// Of a chunk's checksum, which is compared once.
  __device__ __forceinline__ bool judges(std::uint32_t item) const {
    return item % chunk_tiles == 0;
  }
  /// In 32 bits: divisions of 64 took a tenth of a turn.
  template <class Shape, class T>
  __device__ __forceinline__ TileBox target(DecodeArgs<T> const&, std::uint32_t chunk,
                                            std::uint32_t, int t) const {
    TileBox box{0, plan.extents.x, plan.extents.x * plan.extents.y, 0, 0, 0};
    std::uint32_t const tile = chunk * chunk_tiles + static_cast<std::uint32_t>(t);
    if (tile >= plan.tiles) return box;
    SweepTile const at(plan, tile);
    box.origin = (static_cast<std::int64_t>(at.z) * plan.extents.y + at.y) * plan.extents.x + at.x -
                 at.layer / plan.ring_layers * plan.ring_values;
    box.nx = min(static_cast<int>(plan.extents.x) - at.x, Shape::X);
    box.ny = min(static_cast<int>(plan.extents.y) - at.y, Shape::Y);
    box.nz = min(static_cast<int>(plan.extents.z) - at.z, Shape::Z);
    return box;
  }
};

/// The turns of a warp, as StridedTurns: each with the tile that is decoded, and the visit of an earlier one.
/// \tparam Visit  visit(tile of the grid) by a warp
template <class Visit>
class SweepTurns {
 public:
  __device__ __forceinline__ SweepTurns(SweepPlan const& plan, SweepCounters const& counters,
                                        Visit const& visit)
      : m_plan(plan), m_counters(counters), m_visit(visit) {
    take();
    for (int i = 0; i < 3; ++i) go_on();
  }

  std::uint32_t item = 0;
  __device__ __forceinline__ bool are_done() const { return item >= m_plan.turns(); }
  __device__ __forceinline__ std::uint32_t behind(std::uint32_t n) const {
    return n == 1 ? m_next : m_later;
  }
  __device__ __forceinline__ void go_on() {
    item = m_next;
    m_next = m_later;
    m_later = warp::from_lane(m_taken, 0);
    take();
  }

  /// Waits until the turn's work can be done.
  __device__ __forceinline__ void begin() const {
    std::uint32_t const* const word = awaited();
    // What acquires empties the first cache, so it comes once.
    while (warp::any(word != nullptr && warp::load_shared_word(word) < m_plan.tiles_x))
      warp::pause();
    if (word != nullptr) warp::load_acquire(word);
    warp::sync();
  }
  __device__ __forceinline__ void end() const {
    bool const is_visit = item >= m_plan.lag;
    warp::sync();
    if (is_visit) m_visit(item - m_plan.lag);
    warp::sync();
    // Two lanes together, because each such addition by itself waits for all stores.
    std::uint32_t const tile = warp::lane() == 0 ? item : item - m_plan.lag;
    if (warp::lane() < 2 && tile < m_plan.tiles) {
      warp::add_release((warp::lane() == 0 ? m_counters.decoded() : m_counters.visited()) +
                        tile / m_plan.tiles_x);
    }
  }

 private:
  // The first lane's, which others get when it is needed: two turns later.
  __device__ __forceinline__ void take() {
    if (warp::lane() == 0) m_taken = atomicAdd(m_counters.words, 1u);
  }
  // One of the rows that the calling lane waits for, if it is one of those with 6: for the first, those who read what lies
  // where the tile goes; for the second, those who decode what the visit reads.
  __device__ __forceinline__ std::uint32_t const* awaited() const {
    int const lane = warp::lane(), k = lane % 8;
    bool const is_visit = lane >= 8;
    std::uint32_t const tile = is_visit ? item - m_plan.lag : item;
    if (lane >= 16 || k >= 6 || tile >= m_plan.tiles) return nullptr;
    SweepTile const at(m_plan, tile);
    auto const layer = static_cast<int>(at.layer);
    if (!is_visit && at.layer < m_plan.ring_layers) return nullptr;
    int const row = static_cast<int>(at.row) + k % 3 - 1;
    int const from =
        is_visit ? layer - k / 3 : layer - static_cast<int>(m_plan.ring_layers) + k / 3;
    if (from < 0 || row < 0 || row >= static_cast<int>(m_plan.tiles_y)) return nullptr;
    return (is_visit ? m_counters.decoded() : m_counters.visited()) +
           static_cast<std::uint32_t>(from) * m_plan.tiles_y + static_cast<std::uint32_t>(row);
  }

  SweepPlan const& m_plan;
  SweepCounters m_counters;
  Visit const& m_visit;
  std::uint32_t m_next = 0, m_later = 0, m_taken = 0;
};

/// Calls a user's body for the values of a tile, moved towards the first plane by the halo, so that all that they read is in
/// this layer and the one before.
/// \tparam Body  body.value(window, z, y, x) for a window of body.window(first plane, last plane), which body.store() takes
template <class Body>
struct SweepVisit {
  using Shape = SweepPlan::Shape;
  static constexpr int rows_at_once = 32 / Shape::X;
  SweepPlan const& plan;
  Body const& body;

  __device__ __forceinline__ void operator()(std::uint32_t tile) const {
    SweepTile const at(plan, tile);
    int const nx = static_cast<int>(plan.extents.x), ny = static_cast<int>(plan.extents.y),
              nz = static_cast<int>(plan.extents.z);
    int const first = at.layer > 0 ? at.z - plan.halo : 0;
    int const last = at.z + Shape::Z >= nz ? nz : at.z + Shape::Z - plan.halo;
    auto const window = body.window(first, last);
    int const x = at.x + warp::lane() % Shape::X;
    if (x >= nx) return;
#pragma unroll 1
    for (int row = warp::lane() / Shape::X; row < Shape::Y; row += rows_at_once) {
      int const y = at.y + row;
      if (y >= ny) return;
      if (last - first == Shape::Z) {
        // The loads of all planes are under way at once, and those of equal addresses are one: no store is between them.
        decltype(body.value(window, first, y, x)) values[Shape::Z];
#pragma unroll
        for (int z = 0; z < Shape::Z; ++z) values[z] = body.value(window, first + z, y, x);
#pragma unroll
        for (int z = 0; z < Shape::Z; ++z) body.store(values[z], first + z, y, x);
      } else {
#pragma unroll 1
        for (int z = first; z < last; ++z) body.store(body.value(window, z, y, x), z, y, x);
      }
    }
  }
};

/// The kernel of a pass.
template <class CodecTypes, class T, class Body>
struct Sweeper {
  using Coder = WarpCoder<typename CodecTypes::Coder>;
  struct Shared {
    // In front, as in Decoder.
    typename Coder::DecodeTables tables;
    DecoderMemory<T> warp[chunk_tiles];
    DecodeArgs<T> args;
  };
  DecodeArgs<T> args;
  SweepPlan plan;
  SweepCounters counters;
  Body body;

  __device__ __forceinline__ void operator()(Shared& shared, Group) const {
    if (warp::thread() == 0) shared.args = args;
    __syncthreads();
    auto const context = Coder::decode_context(shared.args, shared.tables);
    SweepItems const items{plan, plan.tiles};
    SweepVisit<Body> const visit{plan, body};
    DecoderWalk<CodecTypes, SweepPlan::Shape, T, SweepItems>(shared.args, items, context,
                                                             shared.warp[warp::thread() / 32])
        .run(SweepTurns<SweepVisit<Body>>(plan, counters, visit));
  }
};

/// Enqueues a pass.
/// \param args      of the whole stream, with the ring as its field
/// \param counters  SweepCounters::count() words
template <class CodecTypes, class T, class Body>
void sweep(Kokkos::Cuda const& exec, char const* label, DecodeArgs<T> const& args,
           SweepPlan const& plan, std::uint32_t* counters, Body const& body) {
  require_success(cudaMemsetAsync(counters, 0, sizeof(std::uint32_t) * SweepCounters::count(plan),
                                  exec.cuda_stream()),
                  label);
  launch_resident<tuning::sweep_blocks<T>>(
      exec, label, ceil_div<std::int64_t>(plan.turns(), chunk_tiles),
      Sweeper<CodecTypes, T, Body>{args, plan, {counters, plan.rows()}, body});
}

}  // namespace kompakt::impl::cuda

#endif
