#ifndef KOMPAKT_PIPELINE_INTEGER_RANGE_HPP
#define KOMPAKT_PIPELINE_INTEGER_RANGE_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <core/finite_keys.hpp>
#include <core/fp_environment.hpp>
#include <cstdint>
#include <kompakt/field_range.hpp>
#include <limits>
#include <optional>
#include <pipeline/dense_field.hpp>
#include <pipeline/encode_call.hpp>
#include <pipeline/hide_fills.hpp>
#include <pipeline/probes.hpp>
#include <pipeline/spread.hpp>
#include <pipeline/stored.hpp>
#include <vector>

// Range and declared fill values of integers within a bound, on a host, from one pass over the field as it lies in memory. Kernels
// that find them need a copy in which integers are numbers of 32 or 64 bits, which is up to four times as large as the field.
// What this pass cannot settle is left to them.

namespace kompakt::impl {

/// The range of numbers that are no declared fill value, and how often each fill value occurs.
template <class T>
struct IntegerScan {
  using U = unsigned_t<T>;
  U from_lowest = ~U{0}, from_highest = ~U{0};  ///< as FiniteKeys
  std::uint64_t counts[FillList<T>::most] = {};

  bool any() const { return FiniteKeys<T>::is_finite(from_lowest); }
  double min() const { return static_cast<double>(FiniteKeys<T>::value_above_lowest(from_lowest)); }
  double max() const {
    return static_cast<double>(FiniteKeys<T>::value_below_highest(from_highest));
  }
  void join(IntegerScan const& other) {
    from_lowest = std::min(from_lowest, other.from_lowest);
    from_highest = std::min(from_highest, other.from_highest);
    for (int k = 0; k < FillList<T>::most; ++k) counts[k] += other.counts[k];
  }
};

/// Scans blocks of a field.
template <class T, class Stored>
struct ScanIntegers {
  using U = unsigned_t<T>;
  static constexpr std::int64_t block_values = std::int64_t{1} << 16;
  static constexpr int piece_values = 512;  ///< numbers of so many values fit a cache

  Stored const* field;
  std::int64_t size;
  FillList<T> fills;
  IntegerScan<T>* found;  ///< one a block

  static std::int64_t blocks(std::int64_t size) {
    return ceil_div<std::int64_t>(size, block_values);
  }
  void operator()(std::int64_t block) const {
    [[maybe_unused]] FpEnvironment const environment;
    std::int64_t const end = std::min(size, (block + 1) * block_values);
    IntegerScan<T> own;
    for (std::int64_t at = block * block_values; at < end; at += piece_values) {
      see(field + at, static_cast<int>(std::min<std::int64_t>(piece_values, end - at)), own);
    }
    found[block] = own;
  }

 private:
  // Plain loops, which a host compiler vectorises.
  void see(Stored const* values, int count, IntegerScan<T>& own) const {
    T numbers[piece_values];
    U is_fill[piece_values] = {};
    for (int i = 0; i < count; ++i) numbers[i] = convert_stored<T>(values[i]);
    for (int k = 0; k < fills.count; ++k) {
      U const fill = fills.bits[k];
      U same = 0;
      for (int i = 0; i < count; ++i) {
        U const is_this = Kokkos::bit_cast<U>(numbers[i]) == fill ? ~U{0} : U{0};
        is_fill[i] |= is_this;
        same += is_this & U{1};
      }
      own.counts[k] += same;
    }
    U low = own.from_lowest, high = own.from_highest;
    for (int i = 0; i < count; ++i) {
      low = std::min<U>(low, FiniteKeys<T>::above_lowest(numbers[i]) | is_fill[i]);
      high = std::min<U>(high, FiniteKeys<T>::below_highest(numbers[i]) | is_fill[i]);
    }
    own.from_lowest = low;
    own.from_highest = high;
  }
};

/// Whether integers within a bound can be scanned where they are.
template <class Exec>
bool can_scan(FieldSource const& field, ErrorBound::Mode mode) {
  Dtype const dtype = field.shape.dtype;
  return takes_narrow<Exec> && is_integer(dtype) && are_rounded(dtype, mode) &&
         field.shape.size() > 0 &&
         is_taken_in_place<Exec>(field, field.access, coded_type(dtype, mode), true);
}

/// \param field  that can_scan()
template <class T, class Exec>
IntegerScan<T> scan_integers(Exec const& exec, FieldSource const& field, FillList<T> const& fills) {
  IntegerScan<T> whole;
  auto const size = static_cast<std::int64_t>(field.shape.size());
  with_rounded<T>(field.shape.dtype, [&]<class Stored>(Stored) {
    using Scan = ScanIntegers<T, Stored>;
    std::vector<IntegerScan<T>> found(static_cast<std::size_t>(Scan::blocks(size)));
    Kokkos::parallel_for(
        "kompakt::scan_integers",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, Scan::blocks(size)),
        Scan{static_cast<Stored const*>(field.data), size, fills, found.data()});
    exec.fence("kompakt::scan_integers");
    for (IntegerScan<T> const& block : found) whole.join(block);
  });
  return whole;
}

/// The numbers that FieldProbes would look at.
template <class T>
std::vector<T> probed_integers(FieldSource const& field) {
  auto const size = static_cast<std::int64_t>(field.shape.size());
  std::vector<T> numbers(static_cast<std::size_t>(FieldProbes::count(size)));
  with_rounded<T>(field.shape.dtype, [&]<class Stored>(Stored) {
    for (int i = 0; i < FieldProbes::count(size); ++i) {
      numbers[static_cast<std::size_t>(i)] =
          convert_stored<T>(FieldProbes::value(static_cast<Stored const*>(field.data), size, i));
    }
  });
  return numbers;
}

/// Declared fill values of a field.
template <class T>
FillList<T> declared_fills(FillValue const& fill) {
  FillList<T> list;
  if (fill.mode == FillValue::Mode::none) return list;
  list = FillList<T>::of(fill);
  T const value = static_cast<T>(fill.value);
  if (fill.mode == FillValue::Mode::value && list.find(value) == list.count) list.add(value);
  return list;
}

/// The only fill value of a list that occurs, if one does.
/// \returns whether there is no second one
template <class T>
bool has_one_fill_at_most(IntegerScan<T> const& scan, FillList<T> const& fills,
                          std::optional<double>& only) {
  for (int k = 0; k < fills.count; ++k) {
    if (scan.counts[k] == 0) continue;
    if (only) return false;
    only = static_cast<double>(fills.value(k));
  }
  return true;
}

/// Whether a closer look at a range may find fill values that nobody has declared, or outliers.
template <class T>
bool may_be_no_range(FieldSource const& field, IntegerScan<T> const& scan,
                     std::optional<double> const& masked) {
  if (scan.min() == scan.max()) return false;
  std::vector<T> const numbers = probed_integers<T>(field);
  Fill<T> const fill{masked.has_value(), static_cast<T>(masked.value_or(0))};
  RangeHalves<T> halves{scan.from_lowest, scan.from_highest};
  double const distance = near_distance(scan.min(), scan.max());
  SpreadProbes<T> spread;
  auto const all = static_cast<int>(numbers.size()), samples = std::min(all, SpreadProbes<T>::most);
  for (T const number : numbers) {
    if (FiniteKeys<T>::counts(number, fill)) halves.see(number);
  }
  for (int i = 0; i < samples; ++i) {
    T const number = numbers[static_cast<std::size_t>(i * all / samples)];
    if (FiniteKeys<T>::counts(number, fill)) spread.values[spread.count++] = number;
  }
  if (!halves.both() || spread.are_few()) return true;
  for (int i = 0; i < spread.count; ++i) {
    if (spread.is_crowded(i, distance)) return true;
  }
  return false;
}

/// The range of a field that can_scan(), if one pass settles it.
template <class T, class Exec>
std::optional<FieldRange> scanned_range(Exec const& exec, FieldSource const& field,
                                        FillValue const& fill) {
  using Mode = FillValue::Mode;
  FillList<T> const declared = declared_fills<T>(fill);
  IntegerScan<T> const scan = scan_integers<T>(exec, field, declared);
  FieldRange range;
  if (!scan.any() || !has_one_fill_at_most(scan, declared, range.fill)) return {};
  bool const is_given = fill.mode == Mode::value;
  if (is_given && (fill.others_count > 0 || (range.fill && *range.fill != fill.value))) return {};
  if (is_given) range.fill = fill.value;
  if (fill.mode != Mode::none && may_be_no_range(field, scan, range.fill)) return {};
  range.any = true;
  range.min = scan.min();
  range.max = scan.max();
  std::uint64_t const values = field.shape.size();
  std::uint64_t const at_ends = range.min == range.max ? values : 1;
  range.crowd.near = {values, range.min, range.max, at_ends, at_ends};
  return range;
}

/// The range of integers, if one pass on a host settles it.
template <class T, class Exec>
std::optional<FieldRange> range_of_integers([[maybe_unused]] Exec const& exec,
                                            [[maybe_unused]] FieldSource const& field,
                                            [[maybe_unused]] FillValue const& fill) {
  if constexpr (takes_narrow<Exec>) {
    if (can_scan<Exec>(field, ErrorBound::Mode::r2r)) return scanned_range<T>(exec, field, fill);
  }
  return {};
}

/// Whether an integer within a bound of the range may come back as a value.
inline bool is_in_reach(double value, double min, double max, double bound) {
  return value >= min - bound - 1 && value <= max + bound + 1;
}

/// The fill value that is found beside declared ones where no bound goes by the range; of a field that can_scan().
template <class T, class Exec>
std::optional<double> found_fill(Exec const& exec, FieldSource const& field, Options options,
                                 Workspace<Exec>& workspace) {
  options.fill = FillValue::automatic();
  EncodeArgs<T> args = encode_args<T>(
      EncodeRequest(field, options, {}, nullptr, std::numeric_limits<std::size_t>::max()));
  place_in(workspace, exec, [&](CallMemory& memory) {
    args.state = memory.scratch.take<EncodeState<T>>();
    args.fill_runs = memory.scratch.take<FillSample<T>>(sample_runs);
    args.run_values =
        memory.scratch.take<T>(static_cast<std::size_t>(sample_runs) * fill_run_values(false));
  });
  args.narrow = field.data;
  detect_fill(exec, args);
  Fill<T> const found = state_of(exec, args).fill;
  return found.known ? std::optional(static_cast<double>(found.value)) : std::nullopt;
}

/// What fills_that_matter() finds in a field that can_scan(), within an absolute bound.
template <class T, class Exec>
FillValue scanned_fills(Exec const& exec, FieldSource const& field, Options const& options,
                        ErrorBound const& bound, Workspace<Exec>& workspace) {
  FillValue const& fill = options.fill;
  FillList<T> const declared = declared_fills<T>(fill);
  IntegerScan<T> const scan = scan_integers<T>(exec, field, declared);
  std::optional<double> only;
  if (!has_one_fill_at_most(scan, declared, only)) return fill;
  bool const is_given = fill.mode == FillValue::Mode::value;
  if (is_given && only && *only != fill.value) return fill;
  FillList<T> const watched = watched_fills<T>(fill, options.limits, field.shape.dtype);
  for (int i = 0; i < watched.count; ++i) {
    auto const value = static_cast<double>(watched.value(i));
    bool const is_masked = is_given && value == fill.value;
    bool const occurs = scan.counts[declared.find(watched.value(i))] > 0;
    bool const may_come_back =
        scan.any() && is_in_reach(value, scan.min(), scan.max(), bound.value);
    if (!is_masked && !occurs && may_come_back) return fill;
  }
  if (is_given) return FillValue::of(fill.value);
  if (!only) return FillValue::automatic();
  auto const found = found_fill<T>(exec, field, options, workspace);
  return !found || *found == *only ? FillValue::of(*only) : fill;
}

/// Fill values for integers, without declared ones that neither occur nor may come back: each costs a copy of the field.
template <class Exec>
FillValue fills_that_matter([[maybe_unused]] Exec const& exec, FieldSource const& field,
                            Options const& options, [[maybe_unused]] Workspace<Exec>& workspace) {
  FillValue const& fill = options.fill;
  if constexpr (takes_narrow<Exec>) {
    Dtype const dtype = field.shape.dtype;
    ErrorBound::Mode const mode = options.bound.mode;
    bool const has_others = fill.mode != FillValue::Mode::none && fill.others_count > 0;
    ErrorBound const bound = bound_with_range(dtype, options.bound, options.range);
    if (has_others && can_scan<Exec>(field, mode) && bound.mode == ErrorBound::Mode::abs &&
        !options.limits.any()) {
      return with_word_type(coded_type(dtype, mode), [&]<class T>(T) {
        return scanned_fills<T>(exec, field, options, bound, workspace);
      });
    }
  }
  return fill;
}

}  // namespace kompakt::impl

#endif
