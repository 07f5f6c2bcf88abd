#ifndef KOMPAKT_PIPELINE_VALUE_RANGE_HPP
#define KOMPAKT_PIPELINE_VALUE_RANGE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <core/exact.hpp>
#include <core/fp_environment.hpp>
#include <core/team.hpp>
#include <pipeline/arguments.hpp>
#include <pipeline/dispatch.hpp>

namespace kompakt::impl {

/// Minimum and maximum of the finite values of a block of 8192 values by one team. Reads every
/// value once. In ordered integers: exact, so every backend agrees, and a host compiler vectorises
/// an integer minimum where it may not reorder a floating-point one.
template <class T>
struct ValueRange {
  static constexpr int block_values = 8192;
  T const* field;
  std::int64_t size;
  EncodeState<T>* state;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    using K = bin_t<T>;
    std::int64_t const start = static_cast<std::int64_t>(team.league_rank()) * block_values;
    std::int64_t const left = size - start;
    int const count = left < block_values ? static_cast<int>(left) : block_values;
    T const* const block = field + start;
    K const lowest = ordered(std::numeric_limits<T>::lowest());
    K const highest = ordered(std::numeric_limits<T>::max());
    K smallest = std::numeric_limits<K>::max(), largest = std::numeric_limits<K>::min();
    team_for(team, count, [&](int i) {
      K const key = ordered(block[i]);
      bool const finite = (key >= lowest) & (key <= highest);
      K const low = finite ? key : std::numeric_limits<K>::max();
      K const high = finite ? key : std::numeric_limits<K>::min();
      smallest = low < smallest ? low : smallest;
      largest = high > largest ? high : largest;
    });
    team.team_reduce(Kokkos::Min<K>(smallest));
    team.team_reduce(Kokkos::Max<K>(largest));
    if (team.team_rank() == 0) {
      Kokkos::atomic_min(&state->smallest, smallest);
      Kokkos::atomic_max(&state->largest, largest);
    }
  }
};

template <class Exec, class T>
void value_range(generic_tag, Exec const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::value_range[generic]");
  using Kernel = ValueRange<T>;
  std::int64_t const size = args.extents.size();
  std::int64_t const blocks = ceil_div<std::int64_t>(size, Kernel::block_values);
  Kokkos::parallel_for("kompakt::value_range::blocks", generic_policy(exec, blocks, 0),
                       Kernel{args.field, size, args.state});
}

template <class Exec, class T>
void value_range(Exec const& exec, EncodeArgs<T> const& args) {
  value_range(backend_tag_t<Exec>{}, exec, args);
}

}  // namespace kompakt::impl

#endif
