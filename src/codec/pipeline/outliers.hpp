#ifndef KOMPAKT_PIPELINE_OUTLIERS_HPP
#define KOMPAKT_PIPELINE_OUTLIERS_HPP

#include <Kokkos_Core.hpp>
#include <core/fp_environment.hpp>
#include <core/parallel_teams.hpp>
#include <core/team.hpp>
#include <kompakt/field_range.hpp>
#include <optional>
#include <pipeline/detect_fill.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/spread.hpp>
#include <utility>
#include <vector>

// The values of a field that lie far from all others, counted exactly where may_be_spread() has said that there may be such.

namespace kompakt::impl {

/// Values near one of them, and all others.
template <class T>
struct NearAndFar {
  using U = unsigned_t<T>;
  U near_low = ~U{0}, near_high = ~U{0};  ///< ends of those that are near, as FiniteKeys
  SampleEnd<T> low, high;                 ///< of the others
  std::uint64_t near = 0, far = 0;

  KOKKOS_INLINE_FUNCTION void join(NearAndFar const& other) {
    near_low = Kokkos::min(near_low, other.near_low);
    near_high = Kokkos::min(near_high, other.near_high);
    low.join(other.low);
    high.join(other.high);
    near += other.near;
    far += other.far;
  }
  FieldRange::Crowd crowd() const {
    FieldRange::Crowd of;
    if (near > 0) of.near = {near, low_value(near_low), high_value(near_high), 1, 1};
    if (far > 0) of.far = {far, low_value(low.end), high_value(high.end), low.count, high.count};
    return of;
  }

 private:
  static double low_value(U key) {
    return static_cast<double>(FiniteKeys<T>::value_above_lowest(key));
  }
  static double high_value(U key) {
    return static_cast<double>(FiniteKeys<T>::value_below_highest(key));
  }
};

/// Whether one value far from others, or two, may be outliers of a field of fewer than 10^4 values. Of a handful nobody could
/// tell.
inline bool may_have_lone_outliers(FieldRange::Crowd const& crowd) {
  constexpr std::uint64_t handful = 8;
  return crowd.far.count > 0 && crowd.are_far_alike() && crowd.near.count >= handful;
}
inline double near_distance(FieldRange::Cluster const& cluster) {
  return near_distance(cluster.min, cluster.max);
}
/// The two the other way round, where one value of a field, which may have most of it, is far from all others, and these lie together.
inline FieldRange::Crowd around_others(FieldRange::Crowd crowd, double distance) {
  bool const is_one_value = crowd.near.min == crowd.near.max;
  bool const are_others = crowd.far.count > 0 && crowd.far.min != crowd.far.max &&
                          crowd.far.max - crowd.far.min <= distance;
  if (!is_one_value || !are_others) return crowd;
  std::swap(crowd.near, crowd.far);
  crowd.far.at_min = crowd.far.at_max = crowd.far.count;
  return crowd;
}

/// Parts the values of a run by whether they are near a middle. Reads them once.
template <class T>
struct PartValues {
  T const* field;
  std::int64_t size;
  std::int64_t runs;  ///< of the field, or fewer: of a sample
  Fill<T> fill;
  T middle;
  double distance;
  NearAndFar<T>* found;  ///< one a run

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    [[maybe_unused]] FpEnvironment const environment;
    using Keys = FiniteKeys<T>;
    std::int64_t const number = team.league_rank();
    SampleRun const run =
        runs == SampleRun::samples(size) ? SampleRun::of(number, size) : part(number);
    NearAndFar<T> own;
    for (std::int64_t i = team_first(team); i < run.count; i += team_step(team)) {
      T const value = field[run.first + i];
      if (!Keys::counts(value, fill)) continue;
      auto const above = Keys::above_lowest(value), below = Keys::below_highest(value);
      if (SpreadProbes<T>::are_near(value, middle, distance)) {
        own.near_low = Kokkos::min(own.near_low, above);
        own.near_high = Kokkos::min(own.near_high, below);
        ++own.near;
      } else {
        own.low.join({above, ~unsigned_t<T>{0}, 1});
        own.high.join({below, ~unsigned_t<T>{0}, 1});
        ++own.far;
      }
    }
    own = team_joined(team, own);
    if (team.team_rank() == 0) found[number] = own;
  }

 private:
  KOKKOS_FUNCTION SampleRun part(std::int64_t number) const {
    std::int64_t const first = number * size / runs;
    return {first, (number + 1) * size / runs - first};
  }
};

template <class T>
struct ProbeField {
  T const* field;
  std::int64_t size;
  Fill<T> fill;
  SpreadProbes<T>* probes;

  KOKKOS_FUNCTION void operator()(int) const { *probes = SpreadProbes<T>::of(field, size, fill); }
};

/// Whether a range is one of a whole field, or may be joined() with others.
enum class AskedOf { whole, part };

/// The values of a field in memory of Exec, looked at by the host. Memory is its own: all of this is rare.
template <class Exec, class T>
class OutlierSearch {
 public:
  OutlierSearch(Exec const& exec, T const* field, std::int64_t size, FieldRange const& range,
                AskedOf asks)
      : m_exec(exec), m_field(field), m_size(size), m_range(range), m_asks(asks) {
    if (range.fill) m_fill = {true, static_cast<T>(*range.fill)};
  }

  /// Finds FieldRange::outliers, and FieldRange::crowd where some values lie together.
  void find(FieldRange& range) const {
    double const distance = near_distance(m_range.min, m_range.max);
    SpreadProbes<T> const probes = probe();
    std::optional<T> first;
    for (int tried = 0; tried < 2 && !range.outliers; ++tried) {
      int const best = probes.middle(distance, first);
      if (best < 0) break;
      first = probes.values[best];
      around(*first, distance, probes, range);
    }
  }

 private:
  // A field of values of all magnitudes has one that is far from all others, and without it another one: it may be meant so.
  // Two lone fill values are as far from each other.
  bool are_together(FieldRange::Crowd const& crowd, SpreadProbes<T> const& probes,
                    int levels) const {
    double const distance = near_distance(crowd.near);
    int const middle = probes.middle(distance);
    if (2 * probes.other_near(middle, distance) <= probes.count) return true;
    if (levels == 0) return false;
    FieldRange::Crowd const inner = part_by(probes.values[middle], distance, whole_runs());
    return may_have_lone_outliers(inner) && are_together(inner, probes, levels - 1);
  }

  std::int64_t whole_runs() const {
    std::int64_t const sampled = SampleRun::samples(m_size);
    return sampled * sample_run_values < m_size ? m_size / sample_run_values + sample_runs + 1
                                                : sampled;
  }

  SpreadProbes<T> probe() const {
    Kokkos::View<SpreadProbes<T>*, typename Exec::memory_space> const found(
        Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "kompakt::outliers"), 1);
    run_single(m_exec, "kompakt::outliers::probe",
               ProbeField<T>{m_field, m_size, m_fill, found.data()});
    return on_host(found)[0];
  }

  template <class V>
  std::vector<V> on_host(Kokkos::View<V*, typename Exec::memory_space> const& found) const {
    std::vector<V> values(found.extent(0));
    using Host = Kokkos::View<V*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(m_exec, Host(values.data(), values.size()), found);
    m_exec.fence("kompakt::outliers");
    return values;
  }

  FieldRange::Crowd part_by(T middle, double distance, std::int64_t runs) const {
    Kokkos::View<NearAndFar<T>*, typename Exec::memory_space> const found(
        Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "kompakt::outliers"),
        static_cast<std::size_t>(runs));
    parallel_teams("kompakt::outliers::part", generic_policy(m_exec, runs, 0),
                   PartValues<T>{m_field, m_size, runs, m_fill, middle, distance, found.data()});
    NearAndFar<T> whole;
    for (NearAndFar<T> const& run : on_host(found)) whole.join(run);
    return whole.crowd();
  }

  // A sample first: of most fields it tells that what is far is a part of them. A part of a field may still have values that
  // are outliers of the whole, so that they are counted.
  void around(T middle, double distance, SpreadProbes<T> const& probes, FieldRange& range) const {
    std::int64_t const sampled = SampleRun::samples(m_size);
    FieldRange::Crowd crowd = around_others(part_by(middle, distance, sampled), distance);
    std::uint64_t const far = crowd.far.count;
    bool const is_field = !crowd.are_far_alike() && 1000 * far > crowd.near.count + far;
    if (is_field && m_asks == AskedOf::whole) return;
    if (whole_runs() > sampled) {
      crowd = around_others(part_by(middle, distance, whole_runs()), distance);
    }
    FieldRange::Cluster const& near = crowd.near;
    if (!(near.max - near.min <= distance)) return;
    bool const lone = may_have_lone_outliers(crowd) && are_together(crowd, probes, 1);
    if (lone || crowd.has_outliers()) {
      range.outliers = outliers_among(m_range, crowd.far.count, near.min, near.max);
    }
    if (range.crowd.far.count == 0 || near.count > range.crowd.near.count) range.crowd = crowd;
  }

  Exec m_exec;
  T const* m_field;
  std::int64_t m_size;
  FieldRange m_range;
  AskedOf m_asks;
  Fill<T> m_fill{};
};

}  // namespace kompakt::impl

#endif
