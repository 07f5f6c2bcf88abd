#ifndef KOMPAKT_PIPELINE_FIND_RANGE_HPP
#define KOMPAKT_PIPELINE_FIND_RANGE_HPP

#include <pipeline/detect_fill.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/encode_args.hpp>
#include <pipeline/probes.hpp>
#include <pipeline/value_range.hpp>

namespace kompakt::impl {

/// Asks of the range of all finite values whether a fill value may make it.
template <class T>
struct SuspectFill {
  EncodeArgs<T> args;

  KOKKOS_FUNCTION void operator()(int) const {
    EncodeState<T>& state = *args.state;
    std::int64_t const size = args.extents.size();
    RangeHalves<T> halves{state.from_lowest, state.from_highest};
    for (int i = 0; i < FieldProbes::count(size) && !halves.both(); ++i) {
      halves.see(FieldProbes::value(args.field, size, i));
    }
    state.seeks_fill = may_have_fill(args, state.from_lowest, state.from_highest,
                                     state.not_finite != 0, halves.both());
    if (!state.seeks_fill) state.fill = args.given_fill;
  }
};

/// Leaves the range of a field, and its fill value where one is sought, in args.state, which is clear. Most fields are read
/// once: a fill value makes the range or is NaN, so that the range tells whether to look for one. Of a field with a fill value a
/// sample is read, and the field again.
template <class Exec, class T>
void find_range(Exec const& exec, EncodeArgs<T> const& args) {
  value_range(exec, args);
  if (!args.detects_fill) return;
  run_single(exec, "kompakt::find_range::suspect", SuspectFill<T>{args});
  detect_fill(exec, args, true);
  if (is_needless<Exec>(args, &EncodeState<T>::rescans)) return;
  value_range(exec, args, true);
}

}  // namespace kompakt::impl

#endif
