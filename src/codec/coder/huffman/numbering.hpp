#ifndef KOMPAKT_CODER_HUFFMAN_NUMBERING_HPP
#define KOMPAKT_CODER_HUFFMAN_NUMBERING_HPP

#include <Kokkos_Core.hpp>
#include <coder/huffman/alphabet.hpp>
#include <core/bits.hpp>
#include <core/team.hpp>
#include <cstdint>

namespace kompakt::impl::huffman {

/// No code of any alphabet is longer.
inline constexpr int max_length = 24;

/// Numbers entries within their classes, in order: a slice of the entries for each thread.
struct Numbering {
  static constexpr int slices = 32;
  /// A class for each length of the codes of each alphabet.
  static constexpr int max_classes = max_length + mask_window + quad_window;
  std::uint16_t count[max_classes * slices];  // of a slice of at most 2^16 + 337 entries

  /// Counts the entries i < n of every class in [0, classes); total(class, how many) for each.
  /// \param class_of  of an entry; -1 for none
  template <class Team, class ClassOf, class Total>
  KOKKOS_INLINE_FUNCTION void prepare(Team const& team, int n, int classes, ClassOf const& class_of,
                                      Total const& total) {
    team_for_rolled(team, classes * slices, [&](int job) {
      unsigned found = 0;
      for_slice(n, job, [&](int i) { found += class_of(i) == job / slices ? 1u : 0u; });
      count[job] = static_cast<std::uint16_t>(found);
    });
    team.team_barrier();
    team_for_rolled(team, classes, [&](int c) { total(c, sum(c * slices, slices)); });
    team.team_barrier();
  }
  /// take(i, class, number among those of its class), after prepare() with the same classes.
  template <class Team, class ClassOf, class Take>
  KOKKOS_INLINE_FUNCTION void number(Team const& team, int n, int classes, ClassOf const& class_of,
                                     Take const& take) {
    team_for_rolled(team, classes * slices, [&](int job) {
      std::uint32_t next = sum(job / slices * slices, job % slices);
      for_slice(n, job, [&](int i) {
        if (class_of(i) == job / slices) take(i, job / slices, next++);
      });
    });
    team.team_barrier();
  }

 private:
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_slice(int n, int job, Body const& body) {
    int const size = ceil_div(n, slices), first = job % slices * size;
    KOMPAKT_ROLL
    for (int i = first; i < first + size && i < n; ++i) body(i);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t sum(int first, int jobs) const {
    std::uint32_t found = 0;
    KOMPAKT_ROLL
    for (int job = first; job < first + jobs; ++job) found += count[job];
    return found;
  }
};

}  // namespace kompakt::impl::huffman

#endif
