#ifndef KOMPAKT_CUDA_ENCODE_TILE_HPP
#define KOMPAKT_CUDA_ENCODE_TILE_HPP

#include <cuda/coder/warp_coder.hpp>
#include <cuda/persistent.hpp>
#include <cuda/predictor/lorenzo.hpp>
#include <cuda/quantize_tile.hpp>
#include <cuda/tile_io.hpp>
#include <pipeline/chunk.hpp>
#include <pipeline/encode_args.hpp>
#include <pipeline/tile_plan.hpp>

// What the encoder does with a tile, by a warp.

namespace kompakt::impl::cuda {

/// Which of a lane's values lie inside the field.
template <class Shape>
__device__ __noinline__ std::uint32_t registers_inside(TileBox box) {
  std::uint32_t inside = 0;
  for (int i = 0; i < lane_values; ++i) {
    bool const in = field_index<Shape>(box, natural_place<Shape>(warp::lane(), i)) >= 0;
    inside |= static_cast<std::uint32_t>(in) << i;
  }
  return inside;
}

/// Whether an encoder works out again for each tile where a lane's values lie, and in rare branches what was worked out before. Kept from tile
/// to tile it spilled: double in chains took 0.57 instead of 0.47 ms (nested), bricks of float by fixedlength 0.44 instead of 0.40.
/// Where there are registers enough it costs: 10 % of bricks of double, 3 % of chains of float (docs/notebook.md).
template <class CodecTypes, class Shape, class T>
constexpr bool works_anew() {
  if (CodecTypes::bins != Bins::linear) return false;
  constexpr bool lacks_registers = WarpCoder<typename CodecTypes::Coder>::encode_blocks > 4;
  return sizeof(T) == 8 ? Shape::shape == TileShape::chain
                        : Shape::shape == TileShape::brick && lacks_registers;
}

/// The residuals of a tile in shared memory, in the lanes' registers; returns its base.
/// \tparam anew   works_anew()
/// \param inside  which of the lane's values lie inside the field
template <class Shape, class CodecTypes, class Predictor, bool anew = false, class T>
__device__ __forceinline__ unsigned_t<T> predict_tile(Quantizer<T> const& quantizer,
                                                      typename Predictor::Context const& context,
                                                      std::uint32_t inside,
                                                      SharedTile<unsigned_t<T>>& tile,
                                                      ExceptionScratch& exceptions,
                                                      unsigned_t<T>* residuals, RecordTail& tail) {
  using U = unsigned_t<T>;
  U const bias =
      quantize_row<CodecTypes, anew>(quantizer, inside, tile, exceptions, residuals, tail);
  WarpPredictor<Predictor>::template difference<Shape, anew>(context, residuals, tile);
  if (CodecTypes::bins == Bins::lossless && warp::any(quantizer.unused_bits != 0)) {
    int const unused = quantizer.unused_bits;
#pragma unroll
    for (int i = 0; i < lane_values; ++i) residuals[i] = Quantizer<T>::fold(residuals[i], unused);
  }
  U const base = warp::from_lane(residuals[0], 0) - bias;
  if (warp::lane() == 0) residuals[0] = 0;
  if (warp::any(inside != ~0u)) [[unlikely]] {
#pragma unroll
    for (int i = 0; i < lane_values; ++i) {
      if ((inside >> i & 1u) == 0) residuals[i] = 0;
    }
  }
  return base;
}

/// Forms of a record and parts of it that are rare.
template <class Shape, class T>
__device__ __noinline__ void write_tail_of(T const* field, TileBox box, RecordTail tail,
                                           ExceptionScratch const& exceptions, std::uint32_t* out) {
  write_tail<Shape>(warp::Team(), field, box, tail, exceptions, out);
}
template <class Shape, class T>
__device__ __noinline__ void write_raw(T const* field, TileBox box, std::uint32_t* out) {
  team_for_values<Shape>(warp::Team(), box, [&](int place, std::int64_t index) {
    store_value(field[index], out + packed_place<Shape>(box, place) * value_words<T>);
  });
}

/// Which tiles of a predictor with levels a kernel has.
enum class LevelKind {
  any,    ///< of all levels
  field,  ///< of level 0
  above   ///< of all above; the lattice of level 1 is stored, the others are there
};

/// What the encoder does with the tiles of a field; specialised for predictors with levels. Tiles have the numbers of a
/// grid, chunk by chunk.
///   Memory   what a warp needs of shared memory for a tile that is under way or in hand
///   Common   what a block knows of the field, in shared memory
template <class CodecTypes, class Shape, class T, LevelKind kind = LevelKind::any,
          bool has_levels = CodecTypes::Predictor::has_levels>
class TileEncoder {
  using U = unsigned_t<T>;
  using Coder = typename CodecTypes::Coder;
  using Warp = WarpCoder<Coder>;

 public:
  using Grid = TileGrid<Shape>;
  using Memory = SharedTile<U>;
  using Common = Quantizer<T>;
  static constexpr bool places_ahead = false;  ///< load() works out where the tile lies
  template <class WarpCoder>
  static constexpr int ring_words = WarpCoder::ring_words;

  /// By a block.
  __device__ __forceinline__ static void prepare(Call<T> const& call, Common& common) {
    if (warp::thread() == 0) common = call.quantizer();
  }

  __device__ __forceinline__ TileEncoder(EncodeArgs<T> const& args, Common const& common)
      : m_field(args.field),
        m_stored(args.stored()),
        m_quantizer(common),
        m_grid(args.extents),
        m_aligned(rows_are_aligned(args.field, Shape::Y > 1 ? m_grid.n.x : Pack<T>::values)) {}

  __device__ __forceinline__ static std::int64_t chunks(EncodeArgs<T> const& args) {
    return Grid(args.extents).chunks();
  }

  /// Starts to load a tile, which is there after wait_for_copies() and a warp::sync(); returns its size.
  __device__ __forceinline__ int load(std::int64_t number, Memory& memory) const {
    TileBox const box = m_grid.box(number);
    int const size = box.size();
    if (size > 0) {
      load_tile<Shape, anew>(reinterpret_cast<U const*>(m_field), box, m_aligned, memory);
    }
    return size;
  }
  /// A plan of a tile that is there; what write() takes is left in the lanes' registers.
  __device__ __forceinline__ TilePlan<Coder, T> measure(
      WarpEncodeContext<CodecTypes> const& context, std::int64_t number, int size, Memory& memory,
      ExceptionScratch& exceptions, U* residuals, typename Warp::Lane& lane,
      WideResiduals<U>& wide) const {
    TilePlan<Coder, T> plan;
    std::uint32_t inside = ~0u;
    if (warp::any(size < tile_values)) [[unlikely]] {
      inside = registers_inside<Shape>(m_grid.box(number));
    }
    plan.base = predict_tile<Shape, CodecTypes, typename CodecTypes::Predictor, anew>(
        m_quantizer, context.predictor, inside, memory, exceptions, residuals, plan.tail);
    if (size == 0) plan.base = 0;  // beyond the last tile: nothing was loaded
    plan.coder = Warp::template measure<anew>(context.coder, residuals, lane, wide);
    choose_form(plan, size);
    return plan;
  }
  __device__ __forceinline__ void write_tail(std::int64_t number, RecordTail tail,
                                             ExceptionScratch const& exceptions,
                                             std::uint32_t* out) const {
    write_tail_of<Shape>(m_stored, m_grid.box(number), tail, exceptions, out);
  }
  __device__ __forceinline__ void write_raw(std::int64_t number, std::uint32_t* out) const {
    cuda::write_raw<Shape>(m_stored, m_grid.box(number), out);
  }

 private:
  static constexpr bool anew = works_anew<CodecTypes, Shape, T>();

  T const *m_field, *m_stored;
  Quantizer<T> const& m_quantizer;
  Grid m_grid;
  bool m_aligned;
};

}  // namespace kompakt::impl::cuda

#endif
