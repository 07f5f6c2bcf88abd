#ifndef KOMPAKT_UNIT_TEST_SEATS_CODER_TOY_RECORD_HPP
#define KOMPAKT_UNIT_TEST_SEATS_CODER_TOY_RECORD_HPP

#include <Kokkos_Core.hpp>
#include <coder/table.hpp>
#include <core/bits.hpp>
#include <core/team.hpp>
#include <core/types.hpp>

namespace kompakt::impl {

/// Zig-zags as bytes: as many for each value of a tile as its largest one needs, which the coder's bits of the head
/// word say.
template <class T>
struct ToyBytes {
  using U = unsigned_t<T>;
  struct EncodeContext {};
  struct DecodeContext {};
  template <class Args>
  KOKKOS_FUNCTION static EncodeContext encode_context(Args const&) {
    return {};
  }
  template <class Args>
  KOKKOS_FUNCTION static DecodeContext decode_context(Args const&) {
    return {};
  }
  struct Scratch {
    std::uint8_t width[tile_lanes];
  };
  struct Plan {
    int bytes = 0;  ///< of a value

    KOKKOS_FUNCTION int words() const { return tile_values * bytes / word_bytes; }
    KOKKOS_FUNCTION std::uint32_t coder_bits() const { return static_cast<std::uint32_t>(bytes); }
  };

  template <class Shape, class Team>
  KOKKOS_FUNCTION static Plan measure(Team const& team, EncodeContext, U const* residuals,
                                      Scratch& scratch) {
    team_for(team, tile_lanes, [&](int lane) {
      U any = 0;
      for (int i = 0; i < lane_values; ++i) any |= zigzag(residuals[lane * lane_values + i]);
      scratch.width[lane] = static_cast<std::uint8_t>(bit_width(any));
    });
    team.team_barrier();
    int width = 0;
    for (int lane = 0; lane < tile_lanes; ++lane) {
      width = scratch.width[lane] > width ? scratch.width[lane] : width;
    }
    return {(width + 7) / 8};
  }

  template <class Shape, class Team>
  KOKKOS_FUNCTION static void write(Team const& team, EncodeContext, Plan const& plan,
                                    U const* residuals, Scratch&, std::uint32_t* out) {
    auto* const bytes = reinterpret_cast<unsigned char*>(out);
    team_for(team, tile_values, [&](int i) {
      U const code = zigzag(residuals[i]);
      for (int b = 0; b < plan.bytes; ++b) {
        bytes[i * plan.bytes + b] = static_cast<unsigned char>(code >> (8 * b));
      }
    });
  }

  template <class Shape, class Team>
  KOKKOS_FUNCTION static bool read(Team const& team, DecodeContext, std::uint32_t coder_bits,
                                   std::uint32_t const* in, int words, U* residuals, Scratch&) {
    Plan const plan{static_cast<int>(coder_bits)};
    if (coder_bits > sizeof(U) || plan.words() != words) return false;
    auto const* const bytes = reinterpret_cast<unsigned char const*>(in);
    team_for(team, tile_values, [&](int i) {
      U code = 0;
      for (int b = 0; b < plan.bytes; ++b)
        code |= static_cast<U>(bytes[i * plan.bytes + b]) << (8 * b);
      residuals[i] = unzigzag(code);
    });
    team.team_barrier();
    return true;
  }
};

template <class T>
struct CoderAt<seat::ToyBytes, T> {
  using type = ToyBytes<T>;
};

}  // namespace kompakt::impl

#endif
