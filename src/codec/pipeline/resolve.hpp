#ifndef KOMPAKT_PIPELINE_RESOLVE_HPP
#define KOMPAKT_PIPELINE_RESOLVE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <core/exact.hpp>
#include <core/fp_environment.hpp>
#include <pipeline/detect_fill.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/encode_args.hpp>
#include <pipeline/find_range.hpp>
#include <pipeline/lattice_reference.hpp>
#include <pipeline/psnr_bound.hpp>
#include <pipeline/spread.hpp>
#include <pipeline/value_range.hpp>

// Small decisions of one thread on the device, so that the host need not wait for them.

namespace kompakt::impl {

template <class T>
struct ClearState {
  EncodeState<T>* state;

  KOKKOS_FUNCTION void operator()(int) const { state->clear(); }
};

template <class T>
struct ResolveBound {
  EncodeArgs<T> args;

  KOKKOS_FUNCTION void operator()(int) const {
    [[maybe_unused]] FpEnvironment const environment;
    EncodeState<T>& state = *args.state;
    if (!args.bound.needs_range()) {
      state.set(given_quantizer(args.bound, args.asked.shape.dtype, args.fill(), args.asked.steps,
                                args.magnitude, args.lattice),
                args.asked.shape.dtype);
      if (args.asked.has_reference()) {
        state.quantizer.constant_value = lattice_reference(args, state.quantizer);
      }
    } else {
      note_range(args);
      state.is_spread = may_be_spread(args, state.from_lowest, state.from_highest);
    }
  }
};

/// Leaves a cleared state with the fill value and the resolved bound in args.state.
template <class Exec, class T>
void resolve(generic_tag, Exec const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::resolve[generic]");
  if (args.detects_fill && !args.finds_range()) {
    detect_fill(exec, args);
  } else {
    run_single(exec, "kompakt::resolve::clear", ClearState<T>{args.state});
  }
  if (args.bound.mode == ErrorBound::Mode::psnr) return resolve_psnr(exec, args);
  if (args.finds_range()) find_range(exec, args);
  run_single(exec, "kompakt::resolve::bound", ResolveBound<T>{args});
}

}  // namespace kompakt::impl

#endif
