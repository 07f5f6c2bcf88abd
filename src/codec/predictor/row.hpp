#ifndef KOMPAKT_PREDICTOR_ROW_HPP
#define KOMPAKT_PREDICTOR_ROW_HPP

#include <core/tile.hpp>
#include <cstddef>
#include <kompakt/options.hpp>
#include <kompakt/prediction.hpp>
#include <span>
#include <string_view>

// What the library must know of a predictor beside its kernels. src/codec/predictor/table.hpp lists structs with
//
//   row                    a PredictorRow
//   goes_with<CoderSeat>   whether a coder codes its residuals
//   has_warp_form          whether backends/cuda/predictor has it in the form of a warp; if not, the generic bodies run
//                          on CUDA

namespace kompakt::impl {

/// A word that asks for a predictor.
struct PredictorWord {
  Predictor predictor;
  std::string_view word;
  std::string_view help;  ///< what a value is predicted from, in a line
};

struct PredictorRow {
  PredictionMethod method;  ///< its number in a header
  std::string_view word;
  std::span<PredictorWord const>
      asked_by;  ///< beside `automatic`, which asks for the first row of the table
  /// Bytes of its section for a field of these folded extents, a multiple of section_alignment; nullptr: it has none.
  std::size_t (*section_bytes)(Extents3 extents);
};

/// What predictors have in common whose tiles stand alone.
struct TilePredictor {
  template <class Shape>
  using Grid = TileGrid<Shape>;
  template <class T>
  using Scratch = unsigned_t<T>[tile_lanes];
  static constexpr bool has_levels = false;
};

/// The class that predicts; specialised in its own header.
template <class Seat>
struct PredictorAt;
/// What predicts for a coder.
template <class Seat, class CoderSeat>
struct PredictorFor : PredictorAt<Seat> {};
template <class Seat, class CoderSeat>
using predictor_t = typename PredictorFor<Seat, CoderSeat>::type;

}  // namespace kompakt::impl

#endif
