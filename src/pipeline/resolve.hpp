#ifndef KOMPAKT_PIPELINE_RESOLVE_HPP
#define KOMPAKT_PIPELINE_RESOLVE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <core/exact.hpp>
#include <core/fp_environment.hpp>
#include <pipeline/arguments.hpp>

// Small decisions of one thread on the device, so that the host need not wait for them.

namespace kompakt::impl {

/// The bound of a range-relative request: value * (max - min) in double. Where that difference
/// overflows, the products are taken first; the result is never infinite.
KOKKOS_INLINE_FUNCTION double range_bound(double value, double smallest, double largest) {
  constexpr double huge = std::numeric_limits<double>::max();
  double const range = largest - smallest;
  double const bound = range <= huge ? value * range : value * largest - value * smallest;
  return bound <= huge ? bound : huge;
}

/// Clears the state before value_range and the other kernels add to it.
template <class T>
struct ClearState {
  EncodeState<T>* state;

  KOKKOS_FUNCTION void operator()(int) const {
    *state = EncodeState<T>{};
    state->from_lowest = ~unsigned_t<T>{0};
    state->from_highest = ~unsigned_t<T>{0};
  }
};

/// Resolves the bound. A range of 0 makes the field constant: its value is the one finite value, or
/// the first value's bits when none is finite.
template <class T>
struct ResolveBound {
  T const* field;
  ErrorBound bound;
  EncodeState<T>* state;

  KOKKOS_FUNCTION void operator()(int) const {
    [[maybe_unused]] FpEnvironment const environment;
    if (bound.mode == ErrorBound::Mode::abs) {
      state->quantizer = Quantizer<T>::with_bound(bound.value);
      return;
    }
    using U = unsigned_t<T>;
    U const lowest = FiniteKeys<T>::lowest(), highest = FiniteKeys<T>::highest();
    bool const any_finite = state->from_lowest <= highest - lowest;
    T const smallest =
        any_finite ? from_ordered<T>(static_cast<bin_t<T>>(lowest + state->from_lowest)) : field[0];
    T const largest = from_ordered<T>(static_cast<bin_t<T>>(highest - state->from_highest));
    double const resolved = any_finite ? range_bound(bound.value, static_cast<double>(smallest),
                                                     static_cast<double>(largest))
                                       : 0.0;
    state->quantizer =
        resolved > 0 ? Quantizer<T>::with_bound(resolved) : Quantizer<T>::with_constant(smallest);
  }
};

template <class Exec, class Body>
void run_single(Exec const& exec, char const* label, Body const& body) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, 1), body);
}

}  // namespace kompakt::impl

#endif
