#ifndef KOMPAKT_CODER_BITSHUFFLE_PLANES_HPP
#define KOMPAKT_CODER_BITSHUFFLE_PLANES_HPP

#include <Kokkos_Core.hpp>
#include <core/bits.hpp>
#include <core/lanes.hpp>
#include <core/types.hpp>
#include <cstdint>

// What both ways of elimination start from: 16-bit codes of residuals, as bit planes of lanes.

namespace kompakt::impl::bitshuffle {

/// Planes of a lane; residuals whose code needs more are listed apart.
inline constexpr int max_planes = 16;

/// Code of a residual: zig-zag, or twice its magnitude and its sign as FZ-GPU has it. Whether it has
/// max_planes bits or fewer; if not it is 0.
template <class U>
KOKKOS_FORCEINLINE_FUNCTION bool code_of(U residual, bool sign_magnitude, std::uint32_t& code) {
  U const wide = zigzag(residual);
  U const negative = residual >> (sizeof(U) * 8 - 1);
  // 2|r| - 1 and 2|r| + 1 for r < 0: 2^16 - 1 is the one zig-zag that has no code of the other kind.
  bool const fits = wide < U{65536} - (sign_magnitude ? 2 * negative : U{0});
  U const narrow = sign_magnitude ? wide + 2 * negative : wide;
  code = fits ? static_cast<std::uint32_t>(narrow) : 0u;
  return fits;
}

/// Any code of 16 bits comes from a residual.
template <class U>
KOKKOS_FORCEINLINE_FUNCTION U residual_of(std::uint32_t code, bool sign_magnitude) {
  U const magnitude = code >> 1, negative = code & 1u;
  return sign_magnitude ? (magnitude ^ (U{0} - negative)) + negative : unzigzag(U{code});
}

/// Bit planes of a tile's codes: bit i of lane[l][p] is bit p of code i of lane l.
struct TilePlanes {
  std::uint32_t lane[tile_lanes][max_planes];
};

/// A lane's residuals (natural order) to planes and back.
struct PlanesOfLane {
  /// Makes max_planes planes of the residuals' codes; `wide` has a bit for each residual that has none.
  /// Returns the number of planes up to the last that is not zero.
  template <class Shape, bool sign_magnitude, class U>
  KOKKOS_FORCEINLINE_FUNCTION static int make(U const* residuals, int lane, std::uint32_t* planes,
                                              std::uint32_t& wide) {
    std::uint32_t codes[lane_values];
    std::uint32_t const all = make_codes<Shape, sign_magnitude>(residuals, lane, codes, wide);
    int const width = bit_width(all);
    if (width <= 8) {
      codes_to_planes<8>(codes, planes);
      for (int p = 8; p < max_planes; ++p) planes[p] = 0;
    } else {
      codes_to_planes<16>(codes, planes);
    }
    return width;
  }
  /// The codes of a lane; returns the bits that occur in them.
  template <class Shape, bool sign_magnitude, class U>
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t make_codes(U const* residuals, int lane,
                                                              std::uint32_t* codes,
                                                              std::uint32_t& wide) {
    U values[lane_values];
    load_lane<Shape>(residuals, lane, values, [](U residual) { return residual; });
    std::uint32_t all = 0;
    wide = 0;
    for (int i = 0; i < lane_values; ++i) {
      bool const fits = code_of(values[i], sign_magnitude, codes[i]);
      wide |= static_cast<std::uint32_t>(!fits) << i;
      all |= codes[i];
    }
    return all;
  }

  /// The residuals of the first `count` planes; uses the others as working memory.
  template <class Shape, bool sign_magnitude, class U>
  KOKKOS_FORCEINLINE_FUNCTION static void read(std::uint32_t* planes, int count, int lane,
                                               U* residuals) {
    std::uint32_t codes[lane_values];
    for (int p = count; p < max_planes; ++p) planes[p] = 0;
    if (count <= 8) {
      planes_to_codes<8>(planes, codes);
    } else {
      planes_to_codes<16>(planes, codes);
    }
    store_lane<Shape>(codes, lane, residuals,
                      [](std::uint32_t code) { return residual_of<U>(code, sign_magnitude); });
  }
};

/// Bit b is set where byte b of the word is not zero.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t nonzero_bytes(std::uint32_t word) {
  std::uint32_t const top = ((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word;
  return (top & 0x80808080u) * 0x00204081u >> 28;  // no two of the products' bits meet
}
/// The inverse: all bits of the bytes that `marks` has bits for.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t byte_mask(std::uint32_t marks) {
  return (marks * 0x00204081u & 0x01010101u) * 0xffu;
}

/// The bytes of a word that `marks` has bits for, all others being zero, side by side from the lowest up:
/// first in each half, then the halves.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t squeeze_bytes(std::uint32_t word, std::uint32_t marks) {
  std::uint32_t const low = (word & 0xffffu) >> (8 * (~marks & 1u));
  std::uint32_t const high = word >> (16 + 8 * (~marks >> 2 & 1u));
  return low | high << (8 * ((marks & 1u) + (marks >> 1 & 1u)));
}

/// The inverse: the lowest bytes of `packed`, moved to where `marks` has bits.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t spread_bytes(std::uint32_t packed, std::uint32_t marks) {
  std::uint32_t const low = (packed << (8 * (~marks & 1u))) & 0xffffu;
  std::uint32_t const rest = packed >> (8 * ((marks & 1u) + (marks >> 1 & 1u)));
  return (low | rest << (16 + 8 * (~marks >> 2 & 1u))) & byte_mask(marks);
}

}  // namespace kompakt::impl::bitshuffle

#endif
