#ifndef KOMPAKT_PIPELINE_HIDE_FILLS_HPP
#define KOMPAKT_PIPELINE_HIDE_FILLS_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <core/parallel_teams.hpp>
#include <core/team.hpp>
#include <pipeline/dense_field.hpp>
#include <pipeline/detect_fill.hpp>
#include <pipeline/encode_call.hpp>

// Several values that stand for "no value". A stream masks one; the others are quantised as NaN, which has no bin, counts in no
// range and predicts nothing, so that they become exceptions, and are stored out of the field as the user has it. It costs a
// copy of the field. Masks with several values would cost every stream and every kernel.

namespace kompakt::impl {

inline constexpr int fill_block_values = 4096;

/// How often a block of values has each fill value of a list.
template <class T>
struct CountFills {
  T const* field;
  std::int64_t size;
  FillList<T> list;
  std::uint64_t* counts;  ///< for each, added to

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    std::int64_t const first = static_cast<std::int64_t>(team.league_rank()) * fill_block_values;
    std::int64_t const left = size - first;
    int const values = left < fill_block_values ? static_cast<int>(left) : fill_block_values;
    using U = unsigned_t<T>;
    for (int k = 0; k < list.count; ++k) {
      U const wanted = list.bits[k];
      std::uint32_t count = 0;
      for (int i = team_first(team); i < values; i += team_step(team)) {
        count += Kokkos::bit_cast<U>(field[first + i]) == wanted ? 1 : 0;
      }
      team.team_reduce(Kokkos::Sum<std::uint32_t>(count));
      if (team.team_rank() == 0 && count > 0) {
        Kokkos::atomic_add(&counts[k], static_cast<std::uint64_t>(count));
      }
    }
  }
};

/// Copies values, with NaN for the fill values of a list.
template <class T>
struct HideFills {
  T const* from;
  T* to;
  FillList<T> list;
  unsigned_t<T> hidden;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    T const value = from[i];
    to[i] = list.find(value) < list.count ? Kokkos::bit_cast<T>(hidden) : value;
  }
};

/// The same of the runs that a fill value is looked for in, a team each.
template <class T>
struct HideFillsInRuns {
  HideFills<T> hide;
  FillRuns<T> runs;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    SampleRun const run = runs.run(team.league_rank());
    team_for(team, static_cast<int>(run.count), [&](int i) { hide(run.first + i); });
  }
};

/// What leaves in the copy's memory the values in which these are hidden.
template <class T, class Exec>
HideFills<T> hiding(FillList<T> const& list, DenseCopy<Exec> const& copy,
                    EncodeArgs<T> const& args) {
  return {args.field, reinterpret_cast<T*>(copy.without_fills), list, unused_nan(args.given_fill)};
}

/// Leaves in `args` the copy in which these are hidden, beside the values themselves.
template <class T, class Exec>
void hide_fills(Exec const& exec, FillList<T> const& list, DenseCopy<Exec> const& copy,
                EncodeArgs<T>& args) {
  if (list.count == 0) return;
  HideFills<T> const hide = hiding(list, copy, args);
  Kokkos::parallel_for(
      "kompakt::hide_fills",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, args.extents.size()),
      hide);
  args.original = args.field;
  args.field = hide.to;
}

/// Leaves a clear state that asks for a fill value.
template <class T>
struct SeekFill {
  EncodeState<T>* state;

  KOKKOS_FUNCTION void operator()(int) const {
    state->clear();
    state->seeks_fill = true;
  }
};

/// The state that kernels have left, once they have ended.
template <class T, class Exec>
EncodeState<T> state_of(Exec const& exec, EncodeArgs<T> const& args) {
  EncodeState<T> state;
  using Host = Kokkos::View<EncodeState<T>, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  using Device = Kokkos::View<EncodeState<T>, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(exec, Host(&state), Device(args.state));
  exec.fence("kompakt::choose_fill");
  return state;
}

/// Known fill values, and those that are found one after the other where these and the known ones are hidden.
template <class T, class Exec>
FillList<T> find_fills(Exec const& exec, FillList<T> known, DenseCopy<Exec> const& copy,
                       EncodeArgs<T> const& args) {
  while (known.count < FillValue::max_others) {
    HideFillsInRuns<T> const hide{hiding(known, copy, args), FillRuns<T>(args, true)};
    EncodeArgs<T> rest = args;
    rest.field = hide.hide.to;
    run_single(exec, "kompakt::find_fills::seek", SeekFill<T>{args.state});
    parallel_teams("kompakt::find_fills::hide", generic_policy(exec, hide.runs.count(), 0), hide);
    detect_fill(exec, rest, true);
    Fill<T> const found = state_of(exec, rest).fill;
    if (!found.known || known.find(found.value) < known.count) break;
    known.add(found.value);
  }
  return known;
}

/// Declared fill values, and one that is looked for. For a bound by the range none is: the range tells whether there may be one.
template <class T, class Exec>
FillList<T> known_fills(Exec const& exec, FillValue const& fill, EncodeArgs<T> const& args) {
  FillList<T> known = FillList<T>::of(fill);
  if (args.bound.needs_range()) {
    run_single(exec, "kompakt::choose_fill::clear", ClearState<T>{args.state});
    return known;
  }
  detect_fill(exec, args);
  Fill<T> const found = state_of(exec, args).fill;
  if (found.known && known.find(found.value) == known.count) known.add(found.value);
  return known;
}

/// What a field has of fill values that are known: the most frequent is masked, the rest are hidden. Where a bound goes by the
/// range and none of them is there, one is looked for as if none was declared. Waits for the device.
template <class T, class Exec>
FillList<T> choose_fill(Exec const& exec, EncodeRequest const& request, DenseCopy<Exec> const& copy,
                        EncodeArgs<T>& args) {
  FillList<T> const known = known_fills(exec, request.fill, args);
  static_assert(FillList<T>::most <= psnr_candidates + 1);
  auto const blocks =
      static_cast<int>(ceil_div<std::int64_t>(args.extents.size(), fill_block_values));
  parallel_teams("kompakt::choose_fill::count", generic_policy(exec, blocks, 0),
                 CountFills<T>{args.field, args.extents.size(), known, args.state->psnr.sums});
  EncodeState<T> const state = state_of(exec, args);
  auto const& counts = state.psnr.sums;
  int most = 0;
  for (int k = 1; k < known.count; ++k) most = counts[k] > counts[most] ? k : most;
  FillList<T> others;
  bool const is_any_there = counts[most] > 0;
  args.detects_fill = !is_any_there && args.bound.needs_range();
  if (!is_any_there) return others;
  args.given_fill = {true, Kokkos::bit_cast<T>(known.bits[most])};
  for (int k = 0; k < known.count; ++k) {
    if (k != most && counts[k] > 0) others.add(Kokkos::bit_cast<T>(known.bits[k]));
  }
  hide_fills(exec, others, copy, args);
  return others;
}

/// Settles which value is masked and which are hidden, where a field may have several. Waits for the device only if fill
/// values are looked for and others are declared.
/// \returns the hidden ones
template <class T, class Exec>
FillList<T> settle_fills(Exec const& exec, EncodeRequest const& request,
                         DenseCopy<Exec> const& copy, EncodeArgs<T>& args) {
  if (!request.hides_fills()) return {};
  if (request.fill.mode == FillValue::Mode::automatic) {
    return choose_fill(exec, request, copy, args);
  }
  auto const others = FillList<T>::of(request.fill);
  hide_fills(exec, others, copy, args);
  return others;
}

}  // namespace kompakt::impl

#endif
