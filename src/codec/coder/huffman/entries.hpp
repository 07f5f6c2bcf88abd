#ifndef KOMPAKT_CODER_HUFFMAN_ENTRIES_HPP
#define KOMPAKT_CODER_HUFFMAN_ENTRIES_HPP

#include <coder/huffman/alphabet.hpp>
#include <cstdint>

namespace kompakt::impl::huffman {

/// Tells `take` everything that a lane's string has a code for, in order:
///   take.mask(m)    returns the mask that is coded: this one or, if it has no code, the full one
///   take.quad(q)    returns whether symbols follow
///   take.symbol(s)  returns whether the escape is coded
/// Returns bit i for every value whose residual belongs in the outlier list.
template <class U, class Take>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t for_entries(int radius, std::uint32_t mask,
                                                      U const* values, Take& take) {
  std::uint32_t wide = 0;
  mask = take.mask(mask);
  KOMPAKT_UNROLL
  for (int q = 0; q < lane_quads; ++q) {
    U const* const quad = values + quad_values * q;
    if ((mask >> q & 1u) == 0 || !take.quad(quad_of(quad))) continue;
    KOMPAKT_UNROLL
    for (int i = quad_values * q; i < quad_values * (q + 1); ++i) {
      if (take.symbol(symbol_of(values[i], radius))) wide |= std::uint32_t{1} << i;
    }
  }
  return wide;
}

}  // namespace kompakt::impl::huffman

#endif
