#ifndef KOMPAKT_PIPELINE_RANGE_OF_FIELD_HPP
#define KOMPAKT_PIPELINE_RANGE_OF_FIELD_HPP

#include <algorithm>
#include <cmath>
#include <core/finite_keys.hpp>
#include <core/fp_environment.hpp>
#include <kompakt/field_range.hpp>
#include <limits>
#include <pipeline/dense_field.hpp>
#include <pipeline/encode_call.hpp>
#include <pipeline/hide_fills.hpp>
#include <pipeline/integer_range.hpp>
#include <pipeline/outliers.hpp>
#include <pipeline/resolve.hpp>

namespace kompakt::impl {

/// What the kernels that resolve a bound leave, in terms of the field.
template <class T>
FieldRange range_of_state(EncodeState<T> const& state) {
  FieldRange range;
  range.any = FiniteKeys<T>::is_finite(state.from_lowest);
  if (range.any) {
    range.min = static_cast<double>(FiniteKeys<T>::value_above_lowest(state.from_lowest));
    range.max = static_cast<double>(FiniteKeys<T>::value_below_highest(state.from_highest));
  }
  Fill<T> const& fill = state.quantizer.fill;
  if (fill.known) range.fill = static_cast<double>(fill.value);
  return range;
}

/// Notes whether single values of a field all lie in one half of its range, as where a fill value makes it.
template <class T>
struct ProbeHalves {
  T const* field;
  std::int64_t size;
  Fill<T> fill;
  T min, max;
  bool* are_in_one;

  KOKKOS_FUNCTION void operator()(int) const {
    using Keys = FiniteKeys<T>;
    RangeHalves<T> halves{Keys::above_lowest(min), Keys::below_highest(max)};
    for (int i = 0; i < FieldProbes::count(size); ++i) {
      T const value = FieldProbes::value(field, size, i);
      if (Keys::counts(value, fill) && min <= value && value <= max) halves.see(value);
    }
    *are_in_one = !halves.both();
  }
};

/// Whether fill values are looked for, and there is room for one more.
inline bool may_find_more(FillValue const& fill) {
  return fill.mode == FillValue::Mode::automatic && fill.others_count < FillValue::max_others;
}

/// Fill values that are looked for, and those of conventions that are ends of the range: a single one of these is no value either.
/// \param dtype      of the values as they lie in the field
/// \param is_spread  whether a few values make the range, which is refused
/// \returns nothing if no end is one
template <class T>
std::optional<FillValue> with_conventional_ends(FillValue fill, FieldRange const& range,
                                                Dtype dtype, bool is_spread) {
  if (is_spread || !range.any || !(range.min < range.max)) return {};
  [[maybe_unused]] FpEnvironment const environment;
  bool found = false;
  for (double const convention : conventional_fills) {
    if (dtype == Dtype::i16 && convention == -32768) continue;  // the end of the type
    auto const value = static_cast<double>(static_cast<T>(convention));
    if ((value != range.min && value != range.max) || fill.declares(value)) continue;
    if (!may_find_more(fill)) break;
    fill = fill.with(value);
    found = true;
  }
  return found ? std::optional(fill) : std::nullopt;
}

/// Whether a range that has been found without a fill value may be made by another one. Waits for the device.
template <class T, class Exec>
bool may_have_another_fill(Exec const& exec, T const* field, std::int64_t size,
                           FieldRange const& range) {
  if (!range.fill || !(range.min < range.max)) return false;
  Kokkos::View<bool, typename Exec::memory_space> const found(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "kompakt::fills"));
  Fill<T> const fill{true, static_cast<T>(*range.fill)};
  run_single(exec, "kompakt::fills::probe",
             ProbeHalves<T>{field, size, fill, static_cast<T>(range.min), static_cast<T>(range.max),
                            found.data()});
  bool are_in_one = false;
  Kokkos::deep_copy(exec, are_in_one, found);
  exec.fence("kompakt::fills");
  return are_in_one;
}

/// Declared fill values of a request, whose bound goes by the range, and all others that make the range; nothing if there are no
/// others. Waits for the device.
template <class T, class Exec>
std::optional<FillValue> search_fills(Exec const& exec, EncodeRequest const& request,
                                      Workspace<Exec>& workspace) {
  EncodeArgs<T> args = encode_args<T>(request);
  DenseCopy<Exec> copy;
  place_in(workspace, exec, [&](CallMemory& memory) {
    args.state = memory.scratch.take<EncodeState<T>>();
    args.fill_runs = memory.scratch.take<FillSample<T>>(sample_runs);
    copy.place(request.field, request.field.access, request.asked.coded_type(), memory, true);
  });
  bring_values(exec, request.field, copy, args);
  auto const declared = FillList<T>::of(request.fill);
  FillList<T> const known = find_fills(exec, declared, copy, args);
  if (known.count == declared.count) return {};
  FillValue all = request.fill;
  for (int i = declared.count; i < known.count; ++i) {
    all = all.with(static_cast<double>(Kokkos::bit_cast<T>(known.bits[i])));
  }
  return all;
}

/// Memory of a search for a range.
/// \returns where its state is read back
template <class T, class Exec>
EncodeState<T>* place_range(EncodeArgs<T>& args, EncodeRequest const& request,
                            DenseCopy<Exec>& copy, CallMemory& memory, bool hides_fills) {
  args.state = memory.scratch.take<EncodeState<T>>();
  args.fill_runs = memory.scratch.take<FillSample<T>>(args.detects_fill ? sample_runs : 0);
  copy.place(request.field, request.field.access, request.asked.coded_type(), memory, hides_fills);
  return memory.readback.take<EncodeState<T>>();
}

/// The range by the kernels of a compression within a bound relative to it, and by nothing else of them. Fill values
/// are looked for until none is found.
template <class T, class Exec>
FieldRange range_of_values(Exec const& exec, EncodeRequest const& request,
                           Workspace<Exec>& workspace, AskedOf asks) {
  EncodeArgs<T> args = encode_args<T>(request);
  DenseCopy<Exec> copy;
  EncodeState<T>* read = nullptr;
  place_in(workspace, exec, [&](CallMemory& memory) {
    read = place_range(args, request, copy, memory, request.hides_fills());
  });
  bring_values(exec, request.field, copy, args);
  FillList<T> const others = settle_fills(exec, request, copy, args);
  {
    FpEnvironment const environment;
    resolve(generic_tag{}, exec, args);
  }
  using Host = Kokkos::View<EncodeState<T>, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  using Device = Kokkos::View<EncodeState<T>, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(exec, Host(read), Device(args.state));
  exec.fence("kompakt::field_range");
  FieldRange range = range_of_state(*read);
  std::int64_t const size = args.extents.size();
  bool const may_search = !request.knows_fills && may_find_more(request.fill);
  if (auto const fill = with_conventional_ends<T>(request.fill, range, request.asked.shape.dtype,
                                                  read->is_spread);
      may_search && fill) {
    EncodeRequest next = request;
    next.fill = *fill;
    return range_of_values<T>(exec, next, workspace, asks);
  }
  if (may_search && may_have_another_fill(exec, args.field, size, range)) {
    EncodeRequest next = request;
    next.fill = request.fill.with(*range.fill);
    if (auto const all = search_fills<T>(exec, next, workspace)) {
      next.fill = *all;
      next.knows_fills = true;
      return range_of_values<T>(exec, next, workspace, asks);
    }
  }
  for (int i = 0; i < others.count; ++i) {
    range.add_fill(static_cast<double>(Kokkos::bit_cast<T>(others.bits[i])));
  }
  auto const values = static_cast<std::uint64_t>(size);
  std::uint64_t const at_ends = range.min == range.max ? values : 1;
  if (range.any) range.crowd.near = {values, range.min, range.max, at_ends, at_ends};
  if (read->is_spread) OutlierSearch<Exec, T>(exec, args.field, size, range, asks).find(range);
  return range;
}

/// What finds a range, and nothing else.
inline EncodeRequest range_request(FieldSource const& field, FillValue const& fill) {
  Options options;
  options.bound = ErrorBound::relative_to_range(1);
  options.predictor = Predictor::chain;
  options.fill = fill;
  return {field, options, {}, nullptr, std::numeric_limits<std::size_t>::max()};
}

template <class Exec>
FieldRange range_of_field(Exec const& exec, FieldSource const& field, FillValue const& fill,
                          Workspace<Exec>& workspace, AskedOf asks = AskedOf::whole) {
  if (field.shape.size() == 0) return {};
  EncodeRequest const request = range_request(field, fill);
  return with_word_type(request.asked.coded_type(), [&]<class T>(T) {
    auto const range = range_of_integers<T>(exec, field, fill);
    bool const is_settled =
        range &&
        !(may_find_more(fill) && with_conventional_ends<T>(fill, *range, field.shape.dtype, false));
    return is_settled ? *range : range_of_values<T>(exec, request, workspace, asks);
  });
}

/// What finding the range takes of a workspace, at most.
template <class Exec>
WorkspaceSizes range_sizes(FieldSource const& field, FillValue const& fill) {
  EncodeRequest const request = range_request(field, fill);
  return with_word_type(request.asked.coded_type(), [&]<class T>(T) {
    EncodeArgs<T> args = encode_args<T>(request);
    DenseCopy<Exec> copy;
    return sizes_of([&](CallMemory& memory) {
      place_range(args, request, copy, memory, fill.mode != FillValue::Mode::none);
    });
  });
}

/// Options of a field, which are without loss where its integers of 64 bits are no numbers of f64. Waits for the device.
template <class Exec>
Options exact_if_too_large(Exec const& exec, FieldSource const& field, Options const& options,
                           Workspace<Exec>& workspace) {
  if (!may_be_too_large(field.shape.dtype, options.bound)) return options;
  return kompakt::exact_if_too_large(range_of_field(exec, field, FillValue::none(), workspace),
                                     options);
}

/// The largest magnitude of a field. Fill values that a search of the range has found count: the call may not find them.
inline double largest_magnitude(FieldRange const& range) {
  double largest = range.any ? std::max(std::fabs(range.min), std::fabs(range.max)) : 0;
  auto const see = [&](double fill) {
    if (std::isfinite(fill)) largest = std::max(largest, std::fabs(fill));
  };
  see(range.fill.value_or(0));
  for (int i = 0; i < range.other_fill_count; ++i) {
    see(range.other_fills[static_cast<std::size_t>(i)]);
  }
  return largest;
}

/// Options of a field with the range that their bound goes by; notes the largest magnitude where the bound of numbers goes by it.
/// Waits for the device if there is something to find.
/// \throws Error bad_argument for a range that a few values make
template <class Exec>
Options with_range(Exec const& exec, FieldSource& field, Options const& options,
                   Workspace<Exec>& workspace) {
  ErrorBound::Mode const mode = options.bound.mode;
  bool const wants_range = options.bound.needs_range() && options.range == 0;
  bool const wants_largest = is_half(field.shape.dtype) && mode != ErrorBound::Mode::lossless &&
                             mode != ErrorBound::Mode::pwr && field.largest == 0;
  if (!wants_range && !wants_largest) return options;
  FieldRange const range = range_of_field(exec, field, options.fill, workspace);
  if (wants_largest) field.largest = largest_magnitude(range);
  return wants_range ? options_for_parts(range, options) : options;
}

/// The same for values that are rounded: kernels find ranges of numbers only.
template <class Exec>
Options options_for_rounding(Exec const& exec, FieldSource& field, Options const& options,
                             Workspace<Exec>& workspace) {
  if (!are_rounded(field.shape.dtype, options.bound.mode)) return options;
  Options settled =
      with_range(exec, field, exact_if_too_large(exec, field, options, workspace), workspace);
  settled.fill = fills_that_matter(exec, field, settled, workspace);
  return settled;
}

}  // namespace kompakt::impl

#endif
