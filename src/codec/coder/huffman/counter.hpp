#ifndef KOMPAKT_CODER_HUFFMAN_COUNTER_HPP
#define KOMPAKT_CODER_HUFFMAN_COUNTER_HPP

#include <Kokkos_Core.hpp>
#include <coder/huffman/entries.hpp>
#include <coder/huffman/record.hpp>

namespace kompakt::impl::huffman {

/// Where entries are counted: symbols, masks, quads of a radius.
struct Counts {
  std::uint32_t* entries;
  int radius;

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t mask(std::uint32_t m) const {
    add(symbol_count(radius) + static_cast<int>(m));
    return m;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool quad(std::uint32_t q) const {
    add(symbol_count(radius) + mask_count + static_cast<int>(q));
    return q == other_quad;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool symbol(std::uint32_t s) const {
    add(static_cast<int>(s));
    return s == escape;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add(int entry) const {
    KOKKOS_IF_ON_HOST((++entries[entry];))  // nobody else's: see kernels.hpp
    KOKKOS_IF_ON_DEVICE((Kokkos::atomic_inc(entries + entry);))
  }
};

/// A coder that counts what Huffman would code. Its plans have the words of a record that do not depend on
/// the codes; for the widths of the pairs it takes a guess.
template <class T>
struct Counter {
  using U = unsigned_t<T>;
  using EncodeContext = Counts;
  struct Scratch {
    std::uint32_t wide[tile_lanes];
    std::uint8_t mask[tile_lanes];
  };
  struct Plan {
    int wide = 0;
    bool coded = false;

    KOKKOS_FORCEINLINE_FUNCTION int words() const {
      constexpr int guess = 5;
      return coded
                 ? outlier_list_words<T>(wide) + ceil_div(least_bits + lane_pairs * guess + 16, 32)
                 : 0;
    }
    KOKKOS_FORCEINLINE_FUNCTION std::uint32_t coder_bits() const { return 0; }
  };

  template <class Shape, class Team>
  KOKKOS_INLINE_FUNCTION static Plan measure(Team const& team, Counts const& counts,
                                             U const* residuals, Scratch& scratch) {
    team_for(team, tile_lanes, [&](int lane) {
      U values[lane_values];
      load_lane<Shape>(residuals, lane, values, [](U residual) { return residual; });
      scratch.mask[lane] = static_cast<std::uint8_t>(mask_of(values));
    });
    team.team_barrier();
    Plan plan;
    for (std::uint8_t const mask : scratch.mask) plan.coded |= mask != 0;
    if (!plan.coded) return plan;
    // In turn on a host, where lanes count into the same places.
    for (int lane = team_first(team); lane < tile_lanes; lane += team_step(team)) {
      count_lane<Shape>(counts, residuals, lane, scratch);
    }
    team.team_barrier();
    for (std::uint32_t const wide : scratch.wide) plan.wide += popcount(wide);
    return plan;
  }

 private:
  template <class Shape>
  KOKKOS_FORCEINLINE_FUNCTION static void count_lane(Counts const& counts, U const* residuals,
                                                     int lane, Scratch& scratch) {
    U values[lane_values];
    load_lane<Shape>(residuals, lane, values, [](U residual) { return residual; });
    scratch.wide[lane] = for_entries(counts.radius, scratch.mask[lane], values, counts);
  }
};

}  // namespace kompakt::impl::huffman

#endif
