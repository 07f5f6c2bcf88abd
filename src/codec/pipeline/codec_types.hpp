#ifndef KOMPAKT_PIPELINE_CODEC_TYPES_HPP
#define KOMPAKT_PIPELINE_CODEC_TYPES_HPP

#include <core/exceptions.hpp>
#include <core/types.hpp>
#include <pipeline/dispatch.hpp>

namespace kompakt::impl {

/// What a walk over the tiles of a field is made of.
/// \tparam C  turns residuals into records: FixedLength, …
/// \tparam P  turns bins into residuals: Lorenzo, …
/// \tparam B  tag of the backend whose TileSteps do what lies between the values of a tile and its residuals
template <class C, class P, class B = generic_tag>
struct CodecTypes {
  using Coder = C;
  using Predictor = P;
  using Body = B;
};

/// What codes records in the place of a coder in the walks of a backend: itself, if there is no specialisation.
template <class Coder, class Tag>
struct BackendCoder {
  using type = Coder;
};

/// How a walk cuts a field into chunks and tiles.
template <class CodecTypes, class Shape>
using grid_t = typename CodecTypes::Predictor::template Grid<Shape>;

/// Whether a coder's scratch lies over what a predictor does not need while a tile is coded: there are more teams on a device then.
template <class CodecTypes, class T>
inline constexpr bool shares_scratch = [] {
  using Coder = typename CodecTypes::Coder;
  using Scratch = typename CodecTypes::Predictor::template Scratch<T>;
  if constexpr (
      requires { requires Coder::forgets_tiles; } && requires { Scratch::free_bytes; }) {
    return sizeof(typename Coder::Scratch) <= Scratch::free_bytes;
  } else {
    return false;
  }
}();

/// Team scratch of encode and decode: one tile.
template <class CodecTypes, class T, bool shares = shares_scratch<CodecTypes, T>>
struct TileBuffer {
  unsigned_t<T> bins[tile_values];  // natural order; residuals after prediction
  typename CodecTypes::Predictor::template Scratch<T> predictor;
  ExceptionScratch exceptions;
  typename CodecTypes::Coder::Scratch coder;
};
template <class CodecTypes, class T>
struct TileBuffer<CodecTypes, T, true> {
  unsigned_t<T> bins[tile_values];
  union {
    typename CodecTypes::Predictor::template Scratch<T> predictor;
    typename CodecTypes::Coder::Scratch coder;
  };
  ExceptionScratch exceptions;
};

/// Bytes of a TileBuffer that a decoder needs: a coder's scratch may end in what its encoder alone uses.
template <class CodecTypes, class T>
inline constexpr std::size_t decoder_buffer_bytes = [] {
  std::size_t bytes = sizeof(TileBuffer<CodecTypes, T>);
  if constexpr (shares_scratch<CodecTypes, T>) return bytes;
  if constexpr (requires { CodecTypes::Coder::encoder_scratch_bytes; }) {
    bytes -= CodecTypes::Coder::encoder_scratch_bytes;
  }
  return bytes;
}();

/// Whether the residuals of a tile lie by classes: on all levels but the coarsest.
template <class CodecTypes, class Shape, class Box>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool has_classes([[maybe_unused]] Box const& box) {
  if constexpr (CodecTypes::Predictor::has_levels) {
    return box.level < CodecTypes::Predictor::template Grid<Shape>::levels;
  } else {
    return false;
  }
}

}  // namespace kompakt::impl

#endif
