#ifndef KOMPAKT_API_FIELD_RANGE_HPP
#define KOMPAKT_API_FIELD_RANGE_HPP

#include <api/compress_field.hpp>
#include <kompakt/field_range.hpp>

namespace kompakt::impl {

/// What the kernels that resolve a bound leave, in terms of the field.
template <class T>
FieldRange range_of_state(EncodeState<T> const& state, Fill<T> const& fill) {
  FieldRange range;
  range.any = FiniteKeys<T>::is_finite(state.from_lowest);
  if (range.any) {
    range.min = static_cast<double>(FiniteKeys<T>::value_above_lowest(state.from_lowest));
    range.max = static_cast<double>(FiniteKeys<T>::value_below_highest(state.from_highest));
  }
  if (fill.known) range.fill = static_cast<double>(fill.value);
  return range;
}

template <class T, class Exec>
FieldRange field_range_of_values(Exec const& exec, T const* field, FieldShape const& shape,
                                 Options const& options, Workspace<Exec>& workspace) {
  using Host = Kokkos::View<EncodeState<T>, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  using Device = Kokkos::View<EncodeState<T>, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
  EncodeArgs<T> args =
      encode_args(field, shape, options, nullptr, std::numeric_limits<std::size_t>::max());
  set_scratch<Exec>(args, workspace.device_bytes(scratch_bytes<Exec>(args)));
  {
    FpEnvironment const environment;
    resolve(generic_tag{}, exec, args);
  }
  auto* const state =
      reinterpret_cast<EncodeState<T>*>(workspace.readback_bytes(sizeof(EncodeState<T>)));
  Kokkos::deep_copy(exec, Host(state), Device(args.state));
  exec.fence("kompakt::field_range");
  return range_of_state(*state, state->quantizer.fill);
}

template <class Exec>
FieldRange field_range(Exec const& exec, ConstStridedData const& field, FillValue const& fill,
                       Workspace<Exec>& workspace) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::field_range");
  FieldShape const& shape = field.shape;
  require_field("field_range", field.data, shape);
  require_floating_point("field_range", shape.dtype);
  Options options;
  options.bound = ErrorBound::relative_to_range(1);
  options.predictor = Predictor::chain;
  options.fill = fill;
  return as_errors("field_range", [&] {
    if (shape.size() == 0) return FieldRange{};
    return with_values(shape.dtype, [&]<class T>(T) {
      return field_range_of_values(exec, dense_values<T>(exec, field, workspace), shape, options,
                                   workspace);
    });
  });
}

}  // namespace kompakt::impl

#endif
