#ifndef KOMPAKT_PIPELINE_VALUE_LIMITS_HPP
#define KOMPAKT_PIPELINE_VALUE_LIMITS_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <cmath>
#include <core/exact.hpp>
#include <core/fp_environment.hpp>
#include <core/parallel_teams.hpp>
#include <core/team.hpp>
#include <kompakt/error.hpp>
#include <pipeline/detect_fill.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/encode_args.hpp>

// Limits that no value leaves which lay between them (Options::limits). A decoder moves what lies outside by no more than the
// bound to the limit: whatever lay inside then comes back inside, with no larger an error. A value that lay outside by more could
// be moved too far, so that the encoder stores it as it is. Kernels of coders know nothing of this; streams without limits pay
// nothing, others a pass over the values on each side. In the inner loops of all decoders it would cost every stream.

namespace kompakt::impl {

/// Limits of a field's values, and when a value may come back as one.
template <class T>
struct ValueLimits {
  T lower, upper;
  double bound;  ///< resolved: absolute, or relative to each value
  bool is_relative;
  Fill<T> fill;  ///< that is masked
  /// Values between these come back between the limits with any bin within their bound, and not as a limit that is the fill value.
  T inner_lower, inner_upper;

  static ValueLimits of(HeaderAsked const& asked, double bound, Fill<T> fill) {
    auto const lower = static_cast<T>(asked.limits.lower);
    auto const upper = static_cast<T>(asked.limits.upper);
    return {lower, upper, bound, asked.bound.mode == ErrorBound::Mode::pwr, fill, lower, upper};
  }
  /// \param has_low_bins  whether a value x may have a bin as low as x (1 - e). With the limit l > 0 that is moved only if it is
  ///                      l / (1 + e) or more, so x must be l / (1 - e^2). Bins of a proven LogScale are no lower than x / (1 + e)
  void keep_apart_from_limits(bool has_low_bins) {
    if (is_relative && has_low_bins && lower > 0) inner_lower = above(low_bins_of(lower));
    if (is_relative && has_low_bins && upper < 0) inner_upper = -above(low_bins_of(-upper));
    if (fill.is(lower)) inner_lower = std::max(inner_lower, above(lower + reach_of(lower)));
    if (fill.is(upper)) inner_upper = std::min(inner_upper, -above(reach_of(upper) - upper));
  }
  /// Whether a value lies outside, and is not the fill value. NaN does not.
  KOKKOS_FORCEINLINE_FUNCTION bool are_left_by(T value) const {
    return ((value < lower) | (value > upper)) && !fill.is(value);
  }
  /// What a decoded value is.
  KOKKOS_FORCEINLINE_FUNCTION T moved(T value) const {
    if (!are_left_by(value)) return value;
    T const limit = value < lower ? lower : upper;
    return Kokkos::isfinite(value) && keeps_bound(value, limit) ? limit : value;
  }
  /// Whether some would_lose().
  KOKKOS_FORCEINLINE_FUNCTION bool may_lose(T value) const {
    return (value < inner_lower) | (value > inner_upper);
  }
  /// Whether a value of a field, if it came back as another one, might then be moved by more than the bound, or stay outside
  /// though it lay inside, or become the fill value.
  KOKKOS_FORCEINLINE_FUNCTION bool would_lose(T value) const {
    if (!may_lose(value) || fill.is(value)) return false;
    return !are_left_by(value) || !keeps_bound(value, value < lower ? lower : upper);
  }

  KOKKOS_INLINE_FUNCTION bool keeps_bound(T value, T other) const {
    auto const a = static_cast<double>(value), b = static_cast<double>(other);
    return is_relative ? within_relative_bound(a, b, bound) : within_bound(a, b, bound);
  }

 private:
  double low_bins_of(T limit) const { return static_cast<double>(limit) / (1 - bound * bound); }
  // As far as the bound of a value reaches that can come back as the limit.
  double reach_of(T limit) const {
    double const magnitude = std::fabs(static_cast<double>(limit));
    return is_relative ? magnitude * bound / (1 - bound) : bound;
  }
  // Of T, and above a number by more than the roundings that led to it.
  static T above(double number) {
    double const more = number + std::fabs(number) * 0x1p-40;
    return std::nextafter(static_cast<T>(more), std::numeric_limits<T>::infinity());
  }
};

inline constexpr int limit_block_values = 8192;

/// The values of a team's block.
struct LimitBlock {
  std::int64_t first;
  int count;

  template <class Team>
  KOKKOS_FUNCTION static LimitBlock of(Team const& team, std::int64_t size) {
    std::int64_t const first = static_cast<std::int64_t>(team.league_rank()) * limit_block_values,
                       left = size - first;
    return {first, left < limit_block_values ? static_cast<int>(left) : limit_block_values};
  }
};
template <class Exec>
auto limit_policy(Exec const& exec, std::int64_t size) {
  return generic_policy(exec, ceil_div<std::int64_t>(size, limit_block_values), 0);
}

/// Moves decoded values to limits.
template <class T>
struct MoveToLimits {
  T* values;
  std::int64_t size;
  ValueLimits<T> limits;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    LimitBlock const block = LimitBlock::of(team, size);
    T* const own = values + block.first;
    // A loop that a host compiler vectorises tells of most blocks that there is nothing to do.
    std::uint32_t outside = 0;
    for (int i = team_first(team); i < block.count; i += team_step(team)) {
      outside |= static_cast<std::uint32_t>((own[i] < limits.lower) | (own[i] > limits.upper));
    }
    if (outside == 0) return;
    for (int i = team_first(team); i < block.count; i += team_step(team)) {
      own[i] = limits.moved(own[i]);
    }
  }
};

/// Moves to its limits what was decoded of a stream, if it has some.
template <class T, class Exec>
void move_to_limits(Exec const& exec, Header const& header, T* values, std::int64_t size) {
  if (header.extra.limits == 0 || size == 0) return;
  Kokkos::Profiling::ScopedRegion const region("kompakt::move_to_limits[generic]");
  Fill<T> fill;
  if (header.has_fill) {
    fill = {true, Kokkos::bit_cast<T>(static_cast<unsigned_t<T>>(header.fill_bits))};
  }
  parallel_teams("kompakt::move_to_limits", limit_policy(exec, size),
                 MoveToLimits<T>{values, size, ValueLimits<T>::of(header, header.abs_bound, fill)});
}

struct ClearOutside {
  OutsideLimits* found;
  KOKKOS_FUNCTION void operator()(int) const { *found = {}; }
};

template <class T>
struct FindOutside {
  T const* field;
  T const* stored;  ///< what `field` has NaN for, or `field`
  std::int64_t size;
  ValueLimits<T> limits;
  OutsideLimits* found;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    LimitBlock const block = LimitBlock::of(team, size);
    T const* const own = stored + block.first;
    std::uint32_t outside = 0;
    for (int i = team_first(team); i < block.count; i += team_step(team)) {
      outside |= static_cast<std::uint32_t>(limits.may_lose(own[i]));
    }
    if (outside == 0) return;
    OutsideLimits what{};
    for (int i = team_first(team); i < block.count; i += team_step(team)) {
      bool const is_hidden = Kokkos::isnan(field[block.first + i]);
      what.lost |= !is_hidden && limits.would_lose(own[i]) ? 1u : 0u;
      bool const would_move = limits.are_left_by(own[i]) && limits.moved(own[i]) != own[i];
      what.hidden |= is_hidden && would_move ? 1u : 0u;
    }
    if (what.lost != 0) Kokkos::atomic_or(&found->lost, 1u);
    if (what.hidden != 0) Kokkos::atomic_or(&found->hidden, 1u);
  }
};

/// Copies values, with NaN for those that would lose more than the bound.
template <class T>
struct HideOutside {
  T const* from;
  T* to;
  ValueLimits<T> limits;
  unsigned_t<T> hidden;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    [[maybe_unused]] FpEnvironment const environment;
    T const value = from[i];
    to[i] = limits.would_lose(value) ? Kokkos::bit_cast<T>(hidden) : value;
  }
};

/// What kernels of a call left where kernels reach it; waits.
template <class V, class Exec>
V fetched(Exec const& exec, V const* from) {
  V value;
  using Host = Kokkos::View<V, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  using Device = Kokkos::View<V const, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(exec, Host(&value), Device(from));
  exec.fence("kompakt::value_limits");
  return value;
}

/// The quantizer of a call, behind resolve(). What follows from the arguments alone some backends leave to their kernels, and
/// have no state of. Waits for the device if it was found there.
template <class Exec, class T>
Quantizer<T> settled_quantizer(Exec const& exec, EncodeArgs<T> const& args) {
  if (!args.gives_quantizer()) return fetched(exec, args.state).quantizer;
  FpEnvironment const environment;
  return args.quantizer();
}

/// Keeps from quantising what lies so far outside of the limits that a decoder would move it by more than the bound; behind
/// resolve(). Waits for the device.
/// \throws Error bad_argument if a decoder would move a fill value that is not masked
template <class Exec, class T>
void settle_limits(Exec const& exec, EncodeArgs<T>& args) {
  if (!args.asked.limits.any()) return;
  Kokkos::Profiling::ScopedRegion const region("kompakt::settle_limits[generic]");
  Quantizer<T> const quantizer = settled_quantizer(exec, args);
  bool const is_relative = args.bound.mode == ErrorBound::Mode::pwr;
  bool const has_low_bins =
      is_relative && !(quantizer.scale.proven && !has_levels(args.asked.method));
  double const bound = args.bound.needs_range() ? quantizer.bound : args.bound.value;
  Fill<T> const fill = quantizer.fill;
  auto limits = ValueLimits<T>::of(args.asked, bound, fill);
  limits.keep_apart_from_limits(has_low_bins);
  std::int64_t const size = args.extents.size();
  run_single(exec, "kompakt::settle_limits::clear", ClearOutside{args.outside});
  parallel_teams("kompakt::settle_limits::find", limit_policy(exec, size),
                 FindOutside<T>{args.field, args.stored(), size, limits, args.outside});
  OutsideLimits const outside = fetched(exec, args.outside);
  if (outside.hidden != 0) {
    throw Error(Status::bad_argument, "compress",
                "a declared fill value lies outside of the limits by less than the bound, so that "
                "it would come back as the limit",
                "leave the limits out");
  }
  if (outside.lost == 0) return;
  Kokkos::parallel_for("kompakt::settle_limits::hide",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, size),
                       HideOutside<T>{args.field, args.spare, limits, unused_nan(fill)});
  args.original = args.stored();
  args.field = args.spare;
}

}  // namespace kompakt::impl

#endif
