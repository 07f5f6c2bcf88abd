#ifndef KOMPAKT_PIPELINE_NEAR_FILLS_HPP
#define KOMPAKT_PIPELINE_NEAR_FILLS_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <pipeline/detect_fill.hpp>
#include <pipeline/limits.hpp>
#include <pipeline/value_limits.hpp>

// A value of the field that came back as a fill value would be missing to every reader. Of the masked fill value the quantizer
// sees to that for nothing (Quantizer::keep_apart_from_fill). Further ones, which the field need not even have, and a fill value
// that is a limit as well, are looked after here: what lies within the bound of them is stored as it is. It costs a pass over
// the field where several fill values are declared, and nothing else.

namespace kompakt::impl {

/// Declared fill values that a value within the bound could come back as.
template <class T>
struct NearFills {
  T fills[FillList<T>::most];
  FillReach<T> reaches[FillList<T>::most];
  int count = 0;
  ValueLimits<T> limits;  ///< also knows the bound

  KOKKOS_INLINE_FUNCTION bool has_near(T value) const {
    bool near = false;
    for (int k = 0; k < count; ++k) {
      if (value == fills[k]) return false;
      T const above = value < reaches[k].lowest ? reaches[k].lowest : value;
      near |= limits.keeps_bound(value, above > reaches[k].highest ? reaches[k].highest : above);
    }
    return near && !limits.are_left_by(value) && !limits.fill.is(value);
  }
};

/// The fill values of a call that the quantizer does not look after.
template <class T>
NearFills<T> near_fills(EncodeArgs<T> const& args) {
  NearFills<T> near{};
  if (args.bound.mode == ErrorBound::Mode::lossless) return near;
  auto const add = [&](T fill) {
    bool const is_moved_to = is_limit(args.asked.limits, static_cast<double>(fill));
    if (!Kokkos::isfinite(fill) || (args.given_fill.is(fill) && !is_moved_to)) return;
    near.fills[near.count] = fill;
    near.reaches[near.count++] = FillReach<T>::of(fill, args.asked.shape.dtype);
  };
  for (int i = 0; i < args.watched.count; ++i) add(args.watched.value(i));
  return near;
}

/// A field and what of it is to be stored as it is.
template <class T>
struct NearFillsOfField {
  NearFills<T> near;
  T const* field;
  EncodeState<T> const* state;  ///< that has the bound and the fill value; nullptr: they are known
  T* to;
  unsigned_t<T> hidden;
  std::uint32_t* found;

  KOKKOS_INLINE_FUNCTION bool has_near(std::int64_t i) const {
    NearFills<T> of_field = near;
    if (state != nullptr) {
      of_field.limits.bound = state->quantizer.bound;
      of_field.limits.fill = state->quantizer.fill;
    }
    return of_field.has_near(field[i]);
  }
};
template <class T>
struct FindNearFills : NearFillsOfField<T> {
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    [[maybe_unused]] FpEnvironment const environment;
    if (this->has_near(i)) Kokkos::atomic_store(this->found, 1u);
  }
};
template <class T>
struct HideNearFills : NearFillsOfField<T> {
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    [[maybe_unused]] FpEnvironment const environment;
    this->to[i] = this->has_near(i) ? Kokkos::bit_cast<T>(this->hidden) : this->field[i];
  }
};

/// Keeps from quantising what could come back as a fill value; behind resolve(). Waits for the device only where the values are
/// the user's own.
template <class Exec, class T>
void hide_near_fills(Exec const& exec, EncodeArgs<T>& args) {
  NearFills<T> near = near_fills(args);
  if (near.count == 0) return;
  Kokkos::Profiling::ScopedRegion const region("kompakt::hide_near_fills[generic]");
  near.limits = ValueLimits<T>::of(args.asked, args.bound.value, args.given_fill);
  bool const is_known = !args.bound.needs_range() && !args.detects_fill;
  NearFillsOfField<T> const of_field{near,
                                     args.field,
                                     is_known ? nullptr : args.state,
                                     args.spare,
                                     unused_nan(args.given_fill),
                                     &args.outside->hidden};
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> const policy(exec, 0,
                                                                          args.extents.size());
  if (args.original == nullptr) {
    run_single(exec, "kompakt::hide_near_fills::clear", ClearOutside{args.outside});
    Kokkos::parallel_for("kompakt::hide_near_fills::find", policy, FindNearFills<T>{of_field});
    if (fetched(exec, args.outside).hidden == 0) return;
    args.original = args.field;
    args.field = args.spare;
  }
  Kokkos::parallel_for("kompakt::hide_near_fills::hide", policy, HideNearFills<T>{of_field});
}

}  // namespace kompakt::impl

#endif
