#ifndef KOMPAKT_CODER_OUTLIER_LIST_HPP
#define KOMPAKT_CODER_OUTLIER_LIST_HPP

#include <Kokkos_Core.hpp>
#include <core/exceptions.hpp>

// Residuals that a coder has no code for, in front of its other words: their number in a word, then a list
// of their places and themselves (write_list() of core/exceptions.hpp).

namespace kompakt::impl {

/// Words of the list and its count.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr int outlier_list_words(int count) {
  return count == 0 ? 0 : 1 + list_words<T>(count);
}

/// Takes the count from an untrusted record of `words` words; whether there is room for the list.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool take_outlier_count(std::uint32_t const* in, int words,
                                                    int& count) {
  if (words == 0 || in[0] == 0 || in[0] > tile_values) return false;
  count = static_cast<int>(in[0]);
  return outlier_list_words<T>(count) <= words;
}

/// Writes the residuals (natural order) that wide[lane] has bits for; count > 0.
template <class Shape, class T, class Team>
KOKKOS_INLINE_FUNCTION void write_outlier_list(Team const& team, int count,
                                               std::uint32_t const* wide,
                                               unsigned_t<T> const* residuals, std::uint32_t* out) {
  team_for(team, 1, [&](int) { out[0] = static_cast<std::uint32_t>(count); });
  write_list<T>(
      team, count, [&](int lane) { return wide[lane]; },
      [&](int lane, int reg) {
        return Kokkos::bit_cast<T>(residuals[natural_place<Shape>(lane, reg)]);
      },
      out + 1);
}

/// Puts the residuals of an untrusted list in their places; whether it was sound, on all threads.
template <class Shape, class T, class Team>
KOKKOS_INLINE_FUNCTION bool read_outlier_list(Team const& team, std::uint32_t const* in, int count,
                                              unsigned_t<T>* residuals) {
  bool const sound = read_list<T>(team, in + 1, count, [&](int lane, int reg, T residual) {
    residuals[natural_place<Shape>(lane, reg)] = Kokkos::bit_cast<unsigned_t<T>>(residual);
    return true;
  });
  return !team_any(team, !sound);  // also the barrier
}

}  // namespace kompakt::impl

#endif
