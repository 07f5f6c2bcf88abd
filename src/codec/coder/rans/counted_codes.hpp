#ifndef KOMPAKT_CODER_RANS_COUNTED_CODES_HPP
#define KOMPAKT_CODER_RANS_COUNTED_CODES_HPP

#include <Kokkos_Core.hpp>
#include <core/record.hpp>
#include <core/team.hpp>
#include <cstdint>

// The codes of a tile's residuals with their steps, as an encoder goes over them for each candidate of its books. Most of them are few
// pairs that come again and again. A host counts these once, where a lane of a device only has 32 residuals.

namespace kompakt::impl::residual_books {

/// Codes as they lie.
template <class CodeAt>
struct CodesInPlace {
  std::uint8_t const* steps;
  std::uint8_t outside;  ///< in place of a step: nothing is coded there
  int first;             ///< index of the first one
  CodeAt code_at;

  /// body(step, code, times) for the codes of a thread of a team.
  template <class Team, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(Team const& team, Body const& body) const {
    for (int i = first + team_first(team); i < tile_values; i += team_step(team)) {
      if (steps[i] != outside) body(int{steps[i]}, code_at(i), 1u);
    }
  }
};

// Clang before 17 does not deduce arguments of aggregates.
template <class CodeAt>
CodesInPlace(std::uint8_t const*, std::uint8_t, int, CodeAt) -> CodesInPlace<CodeAt>;

/// The same codes, counted by one thread; large ones are not.
template <class Code>
class CountedCodes {
 public:
  template <class Team, class CodeAt>
  KOKKOS_FUNCTION CountedCodes(Team const& team, CodesInPlace<CodeAt> const& codes) {
    codes.for_each(team, [&](int step, Code code, unsigned) {
      if (code >= counted) {
        m_entries[m_size++] = {code, 1, step};
        return;
      }
      std::uint16_t& end = m_ends[step][code];  // of its entry
      if (end == 0) {
        m_entries[m_size] = {code, 0, step};
        end = static_cast<std::uint16_t>(++m_size);
      }
      ++m_entries[end - 1].times;
    });
  }

  template <class Team, class Body>
  KOKKOS_FUNCTION void for_each(Team const&, Body const& body) const {
    for (int i = 0; i < m_size; ++i) {
      Entry const& entry = m_entries[i];
      body(entry.step, entry.code, entry.times);
    }
  }

 private:
  static constexpr int counted = 64;
  struct Entry {
    Code code;
    unsigned times;
    int step;
  };
  std::uint16_t m_ends[256][counted] = {};
  Entry m_entries[tile_values];
  int m_size = 0;
};

template <class Team>
concept TeamOnHost =
    bool(Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                    typename Team::execution_space::memory_space>::accessible);

/// Codes to go over many times.
template <class Team, class CodeAt>
KOKKOS_FORCEINLINE_FUNCTION auto counted(Team const& team, CodesInPlace<CodeAt> const& codes) {
  if constexpr (TeamOnHost<Team>) {
    return CountedCodes<decltype(codes.code_at(0))>(team, codes);
  } else {
    return codes;
  }
}

}  // namespace kompakt::impl::residual_books

#endif
