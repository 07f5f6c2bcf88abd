#ifndef KOMPAKT_PREDICTION_HPP
#define KOMPAKT_PREDICTION_HPP

#include <cstdint>

namespace kompakt {

/// Shape of the tiles of 1024 values, which are predicted among themselves. The numbers are part of
/// the format.
enum class TileShape : std::uint8_t {
  chain = 0,   ///< 1024 consecutive values
  square = 1,  ///< 32 x 32
  brick = 2,   ///< 8 x 8 x 16, 16 along the fastest index
};
inline constexpr int tile_shapes = 3;

/// From what the values of a tile are predicted. The numbers are part of the format.
enum class PredictionMethod : std::uint8_t {
  lorenzo = 0,  ///< their neighbours along each index; Tian et al., cuSZ, PACT 2020, sec. 3.1.2
  interpolation =
      1,  ///< values on both sides that are reconstructed already, from coarse to fine; Zhao et al., SZ3, ICDE 2021
};

/// Prediction of the values of a stream.
struct Prediction {
  PredictionMethod method = PredictionMethod::lorenzo;
  TileShape shape = TileShape::chain;
  friend constexpr bool operator==(Prediction const&, Prediction const&) = default;
};

/// "chain", "tile 32x32" or "tile 8x8x16"
char const* to_string(Prediction prediction) noexcept;

}  // namespace kompakt

#endif
