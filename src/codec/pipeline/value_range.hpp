#ifndef KOMPAKT_PIPELINE_VALUE_RANGE_HPP
#define KOMPAKT_PIPELINE_VALUE_RANGE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <core/exact.hpp>
#include <core/finite_keys.hpp>
#include <core/fp_environment.hpp>
#include <core/parallel_teams.hpp>
#include <core/team.hpp>
#include <core/wide_vectors.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/encode_args.hpp>

namespace kompakt::impl {

/// Range of a block of 8192 values by one team. Reads every value once.
/// In ordered integers: exact, so every backend agrees, and a host compiler vectorises an integer
/// minimum where it may not reorder a floating-point one. As distances from the ends of the finite
/// numbers: what is not finite wraps around to a large distance and needs no test of its own.
template <class T>
struct ValueRange {
  static constexpr int block_values = 8192;
  EncodeArgs<T> args;
  bool is_again = false;  ///< after a fill value has been found

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    if (is_again && !args.state->rescans) return;
    if (args.detects_fill && !is_again) {
      scan<true>(team);
    } else {
      scan<false>(team);
    }
  }

 private:
  // asks_finite: whether it notes that a value is not, which takes a tenth of the time (0.018 of 0.16 ns a value)
  template <bool asks_finite, class Team>
  KOKKOS_FUNCTION void scan(Team const& team) const {
    using U = unsigned_t<T>;
    std::int64_t const size = args.extents.size();
    std::int64_t const start = static_cast<std::int64_t>(team.league_rank()) * block_values;
    std::int64_t const left = size - start;
    int const count = left < block_values ? static_cast<int>(left) : block_values;
    T const* const block = args.field + start;
    U const fill = Kokkos::bit_cast<U>(args.fill().value);  // a NaN where there is none
    U from_lowest = ~U{0}, from_highest = ~U{0}, not_finite = 0;
    // A plain loop: GCC does not vectorise a reduction into variables that a lambda captures.
    for (int i = team_first(team); i < count; i += team_step(team)) {
      U const not_counted = Kokkos::bit_cast<U>(block[i]) == fill ? ~U{0} : U{0};
      U const above = FiniteKeys<T>::above_lowest(block[i]) | not_counted;
      U const below = FiniteKeys<T>::below_highest(block[i]) | not_counted;
      from_lowest = above < from_lowest ? above : from_lowest;
      from_highest = below < from_highest ? below : from_highest;
      if constexpr (asks_finite) {
        not_finite |= FiniteKeys<T>::is_special(block[i]) ? ~U{0} : U{0};
      }
    }
    team.team_reduce(Kokkos::Min<U>(from_lowest));
    team.team_reduce(Kokkos::Min<U>(from_highest));
    if (not_finite != 0) Kokkos::atomic_or(&args.state->not_finite, 1u);
    if (team.team_rank() == 0) {
      Kokkos::atomic_min(&args.state->from_lowest, from_lowest);
      Kokkos::atomic_min(&args.state->from_highest, from_highest);
    }
  }
};

/// value_range() for wide vectors, in a unit of its own (pipeline/wide_value_range.hpp).
template <class Tag, class Exec, class T>
struct WideValueRange {
  static void find(Exec const& exec, EncodeArgs<T> const& args, bool is_again);
};

template <class Exec, class T>
void value_range(Exec const& exec, EncodeArgs<T> const& args, bool is_again = false) {
#ifdef KOMPAKT_HAS_WIDE_BODIES
  if (has_vectors(HostVectors::x86_64_v3)) {
    return WideValueRange<wide_tag<generic_tag>, Exec, T>::find(exec, args, is_again);
  }
#endif
  Kokkos::Profiling::ScopedRegion const region("kompakt::value_range[generic]");
  using Kernel = ValueRange<T>;
  std::int64_t const blocks = ceil_div<std::int64_t>(args.extents.size(), Kernel::block_values);
  parallel_teams("kompakt::value_range::blocks", generic_policy(exec, blocks, 0),
                 Kernel{args, is_again});
}

/// The bound from the keys of a field's range; 0 if no value is finite.
template <class T>
KOKKOS_INLINE_FUNCTION double bound_of_range(double value, unsigned_t<T> from_lowest,
                                             unsigned_t<T> from_highest) {
  if (!FiniteKeys<T>::is_finite(from_lowest)) return 0;
  return range_bound(value, static_cast<double>(FiniteKeys<T>::value_above_lowest(from_lowest)),
                     static_cast<double>(FiniteKeys<T>::value_below_highest(from_highest)));
}

/// The largest magnitude of a field's finite values from the keys of their range; 0 if there are none.
template <class T>
KOKKOS_INLINE_FUNCTION double magnitude_of_range(unsigned_t<T> from_lowest,
                                                 unsigned_t<T> from_highest) {
  if (!FiniteKeys<T>::is_finite(from_lowest)) return 0;
  auto const lowest = static_cast<double>(FiniteKeys<T>::value_above_lowest(from_lowest)),
             highest = static_cast<double>(FiniteKeys<T>::value_below_highest(from_highest));
  return Kokkos::fmax(Kokkos::fabs(lowest), Kokkos::fabs(highest));
}

/// The quantizer of a field without a range: its value is the one finite value, or the first value's bits
/// when none is finite.
template <class T>
KOKKOS_INLINE_FUNCTION Quantizer<T> constant_quantizer(unsigned_t<T> from_lowest, T first,
                                                       Fill<T> fill) {
  bool const any_finite = FiniteKeys<T>::is_finite(from_lowest);
  return Quantizer<T>::with_constant(
      any_finite ? FiniteKeys<T>::value_above_lowest(from_lowest) : first, fill);
}

/// The quantizer of a range-relative bound from the keys of the field's range. A range of 0 makes the
/// field constant.
template <class T>
KOKKOS_INLINE_FUNCTION Quantizer<T> range_quantizer(double value, unsigned_t<T> from_lowest,
                                                    unsigned_t<T> from_highest, T first,
                                                    Fill<T> fill, bool may_choose_width,
                                                    ValueLattice lattice) {
  double const resolved = bound_of_range<T>(value, from_lowest, from_highest);
  double const magnitude = may_choose_width ? magnitude_of_range<T>(from_lowest, from_highest) : 0;
  return resolved > 0 ? Quantizer<T>::with_bound(resolved, fill, magnitude, lattice)
                      : constant_quantizer(from_lowest, first, fill);
}

/// Leaves in the state the quantizer of its range; by one thread.
template <class T>
KOKKOS_INLINE_FUNCTION void note_range(EncodeArgs<T> const& args) {
  EncodeState<T>& state = *args.state;
  state.set(range_quantizer(args.bound.value, state.from_lowest, state.from_highest,
                            args.stored()[0], args.fill(), args.may_choose_width(), args.lattice),
            args.asked.shape.dtype);
}

}  // namespace kompakt::impl

#endif
