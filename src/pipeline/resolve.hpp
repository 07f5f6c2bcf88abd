#ifndef KOMPAKT_PIPELINE_RESOLVE_HPP
#define KOMPAKT_PIPELINE_RESOLVE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <core/exact.hpp>
#include <core/fp_environment.hpp>
#include <pipeline/arguments.hpp>
#include <pipeline/detect_fill.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/value_range.hpp>

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

/// The quantizer of a range-relative bound from the keys of the field's range. A range of 0 makes the
/// field constant: its value is the one finite value, or the first value's bits when none is finite.
template <class T>
KOKKOS_INLINE_FUNCTION Quantizer<T> range_quantizer(double value, unsigned_t<T> from_lowest,
                                                    unsigned_t<T> from_highest, T first,
                                                    Fill<T> fill) {
  bool const any_finite = FiniteKeys<T>::is_finite(from_lowest);
  T const smallest = any_finite ? FiniteKeys<T>::value_above_lowest(from_lowest) : first;
  T const largest = FiniteKeys<T>::value_below_highest(from_highest);
  double const resolved =
      any_finite ? range_bound(value, static_cast<double>(smallest), static_cast<double>(largest))
                 : 0.0;
  return resolved > 0 ? Quantizer<T>::with_bound(resolved, fill)
                      : Quantizer<T>::with_constant(smallest, fill);
}

template <class T>
struct ResolveBound {
  EncodeArgs<T> args;

  KOKKOS_FUNCTION void operator()(int) const {
    [[maybe_unused]] FpEnvironment const environment;
    EncodeState<T>& state = *args.state;
    if (is_known(args.bound)) {
      state.quantizer = known_quantizer(args.bound, args.fill());
    } else {
      state.quantizer = range_quantizer(args.bound.value, state.from_lowest, state.from_highest,
                                        args.field[0], args.fill());
    }
  }
};

/// Leaves a cleared state with the fill value and the resolved bound in args.state.
template <class Exec, class T>
void resolve(generic_tag, Exec const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::resolve[generic]");
  run_single(exec, "kompakt::resolve::clear", ClearState<T>{args.state});
  if (args.detects_fill) detect_fill(exec, args);
  if (!is_known(args.bound)) value_range(exec, args);
  run_single(exec, "kompakt::resolve::bound", ResolveBound<T>{args});
}

}  // namespace kompakt::impl

#endif
