#ifndef KOMPAKT_CUDA_ENCODE_LEVEL_TILE_HPP
#define KOMPAKT_CUDA_ENCODE_LEVEL_TILE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cuda/encode_tile.hpp>
#include <cuda/launch.hpp>
#include <cuda/persistent.hpp>
#include <cuda/predictor/interpolation.hpp>
#include <pipeline/level_steps.hpp>

// What the encoder does with a tile of a predictor with levels, by a warp.

namespace kompakt::impl::cuda {

/// What a block knows of a field in levels, in shared memory, because it is looked up by level.
template <class T>
struct LevelsOfField {
  LatticeScale<T> scale;
  Quantizer<T> coarsest;  ///< whose bins are those of the coarsest level
  bool has_pairs;         ///< whether values of whole tiles of level 0 can be loaded in pairs
  LevelOfField of[max_levels + 1];
};

/// All levels of a field, made by the host.
template <class Shape>
struct LevelTable {
  static constexpr int levels = LevelGrid<Shape>::levels;
  LevelOfField of[levels + 1];

  template <class T>
  KOKKOS_INLINE_FUNCTION static LevelTable make(EncodeArgs<T> const& args) {
    LevelTable table;
    LevelGrid<Shape> const grid(args.extents);
    for (int level = 0; level <= levels; ++level) {
      table.of[level] = LevelOfField::of(grid, level, args.levels);
    }
    return table;
  }
};

/// How the tiles of the coarsest level are quantised.
struct CoarsestWalk {
  static constexpr Bins bins = Bins::linear;
};
template <>
inline constexpr bool may_be_relative<CoarsestWalk> = true;

/// Stores what bins of the coarsest level, each `bias` too large, are reconstructed as.
/// \param inside  which of the lane's lie inside the level
template <class Shape, class T, class U>
__device__ __forceinline__ void store_coarsest(LatticeScale<T> const& scale, U const* bins, U bias,
                                               std::uint32_t inside, LevelPart const& part,
                                               LevelTile const& tile) {
  constexpr int steps = bin_steps(LevelGrid<Shape>::levels);
#pragma unroll
  for (int i = 0; i < lane_values; ++i) {
    if ((inside >> i & 1u) == 0) continue;
    int const place = natural_place<Shape>(warp::lane(), i);
    std::int64_t const x = tile.at.x + place % Shape::X,
                       y = tile.at.y + place / Shape::X % Shape::Y,
                       z = tile.at.z + place / (Shape::X * Shape::Y);
    U const bin = scale.bin_from_origin(bins[i] - bias, steps);
    part.values[part.index(x, y, z)] = static_cast<std::uint32_t>(bin) * steps;
  }
}

/// Starts to load a tile of the coarsest level.
template <class Shape, class T>
__device__ __noinline__ void load_coarsest(T const* field, LevelTile tile,
                                           SharedTile<unsigned_t<T>>& to) {
#pragma unroll 1
  for (int natural = warp::lane(); natural < tile_values; natural += 32) {
    int const place = place_in_lanes<Shape>(natural);
    unsigned_t<T>& value = to.value(place / lane_values, place % lane_values);
    int const x = natural % Shape::X, y = natural / Shape::X % Shape::Y,
              z = natural / (Shape::X * Shape::Y);
    if (x < tile.nx && y < tile.ny && z < tile.nz) {
      warp::copy_async<sizeof(T)>(&value, field + tile.origin + x * tile.x_pitch +
                                              y * tile.row_pitch + z * tile.slab_pitch);
    } else {
      value = 0;
    }
  }
}

/// What the encoder keeps of a tile from its loading on.
template <class T>
struct EncodedLevelTile : LevelValues<T> {
  /// The window; when that is in registers, residuals in lanes.
  alignas(16) std::uint32_t window[tile_values];
  /// Where it lies, and where the next one will.
  struct Slot {
    LevelTile tile;
    bool is_inside;  ///< its window in its level
  } places[2];
  int slot;  ///< of the one in hand

  __device__ __forceinline__ LevelTile const& place() const { return places[slot].tile; }
  __device__ __forceinline__ bool is_inside() const { return places[slot].is_inside; }
  __device__ __forceinline__ SharedTile<std::uint32_t>& residuals() {
    return *reinterpret_cast<SharedTile<std::uint32_t>*>(window);
  }
};

/// Notes where a tile lies, by one thread.
template <class Shape, class T>
__device__ __forceinline__ void place_level_tile(LevelTile const& tile, int slot,
                                                 EncodedLevelTile<T>& memory) {
  memory.places[slot] = {tile, InterpolationAxes<Shape>::lie_inside(tile)};
}
/// Starts to load the tile that has been noted in a slot.
/// \param has_pairs  whether values can be loaded in pairs
template <class Shape, class T>
__device__ __forceinline__ void load_level_tile(T const* field, bool has_pairs,
                                                LevelPart const& above, int slot,
                                                EncodedLevelTile<T>& memory) {
  if (warp::lane() == 0) memory.slot = slot;
  auto const& place = memory.places[slot];
  LevelTile const& tile = place.tile;
  if (!warp::any(tile.size() > 0)) return;
  if (warp::any(tile.level == LevelGrid<Shape>::levels)) {
    return load_coarsest<Shape>(field, tile, memory.tile);
  }
  load_window<Shape>(above, tile, place.is_inside, memory.window);
  load_values<Shape>(field, tile, has_pairs, memory);
}

/// Quantises a tile of a level above that of the field and stores what it is reconstructed as: take_bin(number, bin) for
/// every point of the lane, for some twice, of which the last counts.
template <class Shape, class T, class Target, class TakeBin>
__device__ __forceinline__ ColumnFound quantize_to(Target const& target,
                                                   LatticeScale<T> const& scale,
                                                   InterpolatedColumn<Shape> const& known, int size,
                                                   int level, EncodedLevelTile<T>& memory,
                                                   TakeBin const& take_bin) {
  std::uint32_t points[lane_values];
  auto const store = [&](int number, std::uint32_t value) {
    points[number] = value;
    if (number % 2 != 0) target.store(number, points);
  };
  ColumnFound found;
  if (quantize_plain<Shape>(scale, known, size, level, false, memory, found,
                            [&](int number, std::uint32_t bin, std::uint32_t value) {
                              take_bin(number, bin);
                              store(number, value);
                            })) {
    return found;
  }
  found = quantize_any<Shape>(scale, known, memory.place(), memory);
  reconstruct_column(
      known, level, [&](int number) { return memory.bin(number); }, store);
#pragma unroll
  for (int i = 0; i < lane_values; ++i) take_bin(i, memory.bin(i));
  return found;
}

/// The exact check of the values of a tile of level 0, which its residuals bring back: what its tail will be.
/// \param above  the level that the residuals have taken the window of
template <class Shape, class T>
__device__ __noinline__ RecordTail classify_reconstructed(LatticeScale<T> const& scale,
                                                          LevelPart above, T const* field,
                                                          EncodedLevelTile<T>& memory,
                                                          ExceptionScratch& exceptions) {
  using Cells = CellColumns<Shape>;
  auto const residual = Cells::residual_of(memory.residuals());
#pragma unroll
  for (int i = 0; i < lane_values; ++i) memory.bin(i) = residual(i);
  warp::sync();
  load_window<Shape>(above, memory.place(), memory.is_inside(), memory.window);
  warp::wait_for_copies();
  warp::sync();
  reconstruct_column(
      interpolate_window<Shape>(memory.place(), memory.is_inside(), memory.window), 0,
      [&](int number) { return memory.bin(number); },
      [&](int number, std::uint32_t value) {
        int const cell = number / Cells::classes, c = number % Cells::classes, lane = warp::lane();
        memory.window[c * Cells::Half::values + Cells::row(lane, cell) * Cells::Half::X +
                      Cells::x(lane, cell)] = value;
      });
  warp::sync();
  RecordTail const tail = TileSteps<Interpolation, cuda_tag>::classify<Shape>(
      warp::Team(), scale, field, memory.place(), memory.window, exceptions);
  warp::sync();
#pragma unroll
  for (int i = 0; i < lane_values; ++i) residual(i) = memory.bin(i);
  return tail;
}

/// The raw record of a tile of a level above 0.
template <class Shape, class T>
__device__ __noinline__ void write_raw_points(LevelPart part, LevelTile tile, std::uint32_t* out) {
#pragma unroll 1
  for (int place = warp::lane(); place < tile_values; place += 32) {
    int const x = place % Shape::X, y = place / Shape::X % Shape::Y,
              z = place / (Shape::X * Shape::Y);
    if (x >= tile.nx || y >= tile.ny || z >= tile.nz) continue;
    std::uint32_t* const words = out + packed_place<Shape>(tile, place) * value_words<T>;
    words[0] = part.values[part.index(tile.at.x + x, tile.at.y + y, tile.at.z + z)];
    if constexpr (sizeof(T) > 4) words[1] = 0;
  }
}

template <class CodecTypes, class Shape, class T, LevelKind kind>
class TileEncoder<CodecTypes, Shape, T, kind, true> {
  using U = unsigned_t<T>;
  using Coder = typename CodecTypes::Coder;
  using Warp = WarpCoder<Coder>;
  using Cells = CellColumns<Shape>;

 public:
  using Grid = LevelGrid<Shape>;
  using Memory = EncodedLevelTile<T>;
  using Common = LevelsOfField<T>;
  /// place() works it out for load_placed(): by a lane a tile, where each warp would for its own.
  static constexpr bool places_ahead = true;
  template <class WarpCoder>
  static constexpr int ring_words = tuning::level_ring_words<T>;

  /// By a block: a level a thread, where one would take one after the other.
  __device__ __forceinline__ static void prepare(Call<T> const& call, Common& common,
                                                 LevelTable<Shape> const& table) {
#pragma unroll
    for (int level = 0; level <= Grid::levels; ++level) {
      if (warp::thread() == 32 + level) common.of[level] = table.of[level];
    }
    if (warp::thread() != 0) return;
    Extents3 const n = Shape::fold(call.args.extents);
    common.scale = LatticeScale<T>::of(call.quantizer());
    common.coarsest = common.scale.quantizer_of_bins(bin_steps(Grid::levels));
    common.has_pairs = has_aligned_pairs<Shape>(call.args.field, n.x, n.x * n.y);
  }

  __device__ __forceinline__ TileEncoder(EncodeArgs<T> const& args, Common const& common)
      : m_field(args.field), m_stored(args.stored()), m_levels(common) {}

  __device__ __forceinline__ static std::int64_t chunks(EncodeArgs<T> const& args) {
    return Grid(args.extents).chunks();
  }

  /// Of a tile that will be loaded: where it lies, by one thread.
  __device__ __forceinline__ void place(std::int64_t number, int slot, Memory& memory) const {
    place_level_tile<Shape>(tile_of(number), slot, memory);
  }
  /// Starts to load it.
  __device__ __forceinline__ int load_placed(int slot, Memory& memory) const {
    LevelTile const& tile = memory.places[slot].tile;
    int const level = tile.level;
    load_level_tile<Shape>(m_field, m_levels.has_pairs && level == 0, m_levels.of[level].above,
                           slot, memory);
    return tile.size();
  }
  __device__ __forceinline__ int load(std::int64_t number, Memory& memory) const {
    if (warp::lane() == 0) place(number, 0, memory);
    warp::sync();
    return load_placed(0, memory);
  }

  __device__ __forceinline__ TilePlan<Coder, T> measure(
      WarpEncodeContext<CodecTypes> const& context, std::int64_t, int size, Memory& memory,
      ExceptionScratch& exceptions, U* residuals, typename Warp::Lane& lane,
      WideResiduals<U>& wide) const {
    TilePlan<Coder, T> plan;
    if (!warp::any(size > 0)) return plan;
    if (kind != LevelKind::field && warp::any(memory.place().level == Grid::levels)) {
      plan.base = predict_coarsest(size, memory, exceptions, residuals);
    } else if (!predict(size, memory, exceptions, residuals, plan.tail)) {
      return plan;
    }
    plan.coder = Warp::measure(context.coder, residuals, lane, wide);
    choose_form(plan, size);
    return plan;
  }

  __device__ __forceinline__ void write_tail(std::int64_t number, RecordTail tail,
                                             ExceptionScratch const& exceptions,
                                             std::uint32_t* out) const {
    write_tail_of<Shape>(m_stored, tile_of(number), tail, exceptions, out);
  }
  __device__ __forceinline__ void write_raw(std::int64_t number, std::uint32_t* out) const {
    LevelTile const tile = tile_of(number);
    if (tile.level == 0) return cuda::write_raw<Shape>(m_stored, tile, out);
    write_raw_points<Shape, T>(m_levels.of[tile.level].part, tile, out);
  }

 private:
  __device__ __forceinline__ LevelTile tile_of(std::int64_t number) const {
    std::int64_t const chunk = number / sparse_chunk_tiles;
    int level = kind == LevelKind::above ? 1 : 0;
    while (chunk < m_levels.of[level].first_chunk) ++level;
    return m_levels.of[level].template tile<Shape>(chunk,
                                                   static_cast<int>(number % sparse_chunk_tiles));
  }

  // Of a tile of the coarsest level the residuals and the base.
  __device__ __forceinline__ U predict_coarsest(int size, Memory& memory,
                                                ExceptionScratch& exceptions, U* residuals) const {
    std::uint32_t inside = ~0u;
    if (warp::any(size < tile_values)) inside = registers_inside<Shape>(memory.place());
    RecordTail unused;
    U const base = predict_tile<Shape, CoarsestWalk, Lorenzo>(
        m_levels.coarsest, {}, inside, memory.tile, exceptions, residuals, unused);
    return m_levels.scale.bin_from_origin(base, bin_steps(Grid::levels));
  }

  // The residuals of a tile below the coarsest level; whether there is something to code.
  __device__ __forceinline__ bool predict(int size, Memory& memory, ExceptionScratch& exceptions,
                                          U* residuals, RecordTail& tail) const {
    LatticeScale<T> const& scale = m_levels.scale;
    int const level = kind == LevelKind::field ? 0 : memory.place().level;
    auto const known = interpolate_window<Shape>(memory.place(), memory.is_inside(), memory.window);
    auto const residual = Cells::residual_of(memory.residuals());
    ColumnFound found;
    if constexpr (kind == LevelKind::above) {
      LevelPart part = m_levels.of[level].part;
      if (level > 1) part.extents = {0, 0, 0};  // of which no point is stored
      with_target_in_part<Shape>(
          part, memory.place(), size == tile_values && level == 1, [&](auto const& target) {
            found = quantize_to(target, scale, known, size, level, memory,
                                [&](int number, std::uint32_t bin) { residual(number) = bin; });
          });
    } else if (!quantize_plain<Shape>(scale, known, size, level, level == 0, memory, found,
                                      [&](int number, std::uint32_t bin, std::uint32_t) {
                                        residual(number) = bin;
                                      })) [[unlikely]] {
      found = quantize_any<Shape>(scale, known, memory.place(), memory);
#pragma unroll
      for (int i = 0; i < lane_values; ++i) residual(i) = memory.bin(i);
    }
    if (kind != LevelKind::above && warp::any(level == 0 && found.refused)) [[unlikely]] {
      tail =
          classify_reconstructed<Shape>(scale, m_levels.of[0].above, m_field, memory, exceptions);
    }
    if (!warp::any(found.any || tail.any())) return false;
    warp::sync();
    std::uint32_t row[lane_values];
    memory.residuals().load_row(warp::lane(), row);
#pragma unroll
    for (int i = 0; i < lane_values; ++i) residuals[i] = widen<U>(row[i]);
    return true;
  }

  T const *m_field, *m_stored;
  Common const& m_levels;
};

/// A warp quantises a tile of a level above 0 and stores what it is reconstructed as.
template <class Shape, class T>
struct LevelBuilder {
  struct Shared {
    LatticeScale<T> scale;
    EncodedLevelTile<T> tile[chunk_tiles];
    ExceptionScratch exceptions[chunk_tiles];
  };
  Call<T> call;
  LevelOfField level;

  __device__ __forceinline__ void operator()(Shared& shared, Group group) const {
    if (warp::thread() == 0) shared.scale = LatticeScale<T>::of(call.quantizer());
    int const mine = warp::thread() / 32;
    std::uint32_t const number = group.block * chunk_tiles + mine;
    LevelTile const tile = level.tile<Shape>(level.first_chunk + number / sparse_chunk_tiles,
                                             static_cast<int>(number % sparse_chunk_tiles));
    if (warp::lane() == 0) place_level_tile<Shape>(tile, 0, shared.tile[mine]);
    warp::sync();
    load_level_tile<Shape>(call.args.field, false, level.above, 0, shared.tile[mine]);
    warp::wait_for_copies();
    __syncthreads();
    if (tile.size() == 0) return;
    if (level.level == LevelGrid<Shape>::levels) {
      build_coarsest(shared.scale, shared.tile[mine], shared.exceptions[mine]);
    } else {
      build(shared.scale, shared.tile[mine]);
    }
  }

 private:
  __device__ __forceinline__ void build(LatticeScale<T> const& scale,
                                        EncodedLevelTile<T>& memory) const {
    auto const known = interpolate_window<Shape>(memory.place(), memory.is_inside(), memory.window);
    LevelTile const& tile = memory.place();
    with_target_in_part<Shape>(level.part, tile, tile.size() == tile_values,
                               [&](auto const& target) {
                                 quantize_to(target, scale, known, tile.size(), level.level, memory,
                                             [](int, std::uint32_t) {});
                               });
  }
  __device__ __forceinline__ void build_coarsest(LatticeScale<T> const& scale,
                                                 EncodedLevelTile<T>& memory,
                                                 ExceptionScratch& exceptions) const {
    LevelTile const& tile = memory.place();
    constexpr int steps = bin_steps(LevelGrid<Shape>::levels);
    std::uint32_t inside = ~0u;
    if (warp::any(tile.size() < tile_values)) inside = registers_inside<Shape>(tile);
    RecordTail unused;
    unsigned_t<T> bins[lane_values];
    unsigned_t<T> const bias = quantize_row<CoarsestWalk>(scale.quantizer_of_bins(steps), inside,
                                                          memory.tile, exceptions, bins, unused);
    store_coarsest<Shape>(scale, static_cast<unsigned_t<T> const*>(bins), bias, inside, level.part,
                          tile);
  }
};

/// The lattices of the levels from the coarsest to the lowest that is asked for, a launch for each.
template <class T>
void build_levels_down_to(int lowest, Kokkos::Cuda const& exec, EncodeArgs<T> const& args) {
  with_tile_shape(level_shape(args.extents), [&](auto shape) {
    using Shape = decltype(shape);
    LevelGrid<Shape> const grid(args.extents);
    for (int level = grid.levels; level >= lowest; --level) {
      launch<tuning::level_blocks<T>>(
          exec, "kompakt::build_levels::tiles",
          grid.chunks_of(level) * (sparse_chunk_tiles / chunk_tiles),
          LevelBuilder<Shape, T>{Call<T>(args), LevelOfField::of(grid, level, args.levels)});
    }
  });
}

}  // namespace kompakt::impl::cuda

namespace kompakt::impl {

/// The lattices, for a coder that makes a book from a sample of all levels; for others encode() builds them.
template <class CodecTypes, class T>
void build_levels(cuda_tag, [[maybe_unused]] Kokkos::Cuda const& exec,
                  [[maybe_unused]] EncodeArgs<T> const& args) {
  using Coder = cuda::WarpCoder<typename CodecTypes::Coder>;
  if constexpr (!std::is_base_of_v<cuda::WithoutTables, Coder>) {
    Kokkos::Profiling::ScopedRegion const region("kompakt::build_levels[cuda]");
    cuda::build_levels_down_to(1, exec, args);
  }
}

}  // namespace kompakt::impl

#endif
