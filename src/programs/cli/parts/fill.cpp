#include "fill.hpp"
#include "notes.hpp"
#include "text.hpp"
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace kompakt::cli {

namespace {

template <class T>
std::vector<T> values_of(FillValue const& fills) {
  std::vector<T> values;
  if (fills.mode == FillValue::Mode::value) values.push_back(static_cast<T>(fills.value));
  for (int i = 0; i < fills.others_count; ++i) {
    values.push_back(static_cast<T>(fills.others[static_cast<std::size_t>(i)]));
  }
  return values;
}

template <class T>
std::uint64_t leave_out(std::vector<T> const& fills, std::span<std::byte> original,
                        std::span<std::byte> restored) {
  T const nan = std::numeric_limits<T>::quiet_NaN();
  std::uint64_t count = 0;
  if (fills.empty()) return count;
  for (std::size_t at = 0; at + sizeof(T) <= original.size(); at += sizeof(T)) {
    if (std::memcmp(&original[at], &restored[at], sizeof(T)) != 0) continue;
    bool const is_fill = std::ranges::any_of(
        fills, [&](T const& fill) { return std::memcmp(&original[at], &fill, sizeof(T)) == 0; });
    if (!is_fill) continue;
    std::memcpy(&original[at], &nan, sizeof(T));
    std::memcpy(&restored[at], &nan, sizeof(T));
    ++count;
  }
  return count;
}

template <class T>
ChangedFills mark_changed(std::vector<T> const& fills, std::span<std::byte> original,
                          std::span<std::byte> restored) {
  T const nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  ChangedFills changed;
  if (fills.empty()) return changed;
  for (std::size_t at = 0; at + sizeof(T) <= original.size(); at += sizeof(T)) {
    T x, y;
    std::memcpy(&x, &original[at], sizeof(T));
    std::memcpy(&y, &restored[at], sizeof(T));
    if (x == y || std::isnan(x)) continue;
    bool const was_fill = std::ranges::count(fills, x) > 0;
    bool const is_now = std::ranges::count(fills, y) > 0;
    if (was_fill == is_now) continue;
    ++(was_fill ? changed.lost : changed.became_missing);
    if (!changed.first) {
      changed.first = at / sizeof(T);
      changed.original = static_cast<double>(x);
      changed.restored = static_cast<double>(y);
    }
    std::memcpy(&original[at], &infinity, sizeof(T));
    std::memcpy(&restored[at], &nan, sizeof(T));
  }
  return changed;
}

// Floats are compared by their bits. A fill value need not be a number of an integer's type.
template <class T>
bool is_fill(T value, double fill) {
  if constexpr (std::integral<T>) {
    return static_cast<double>(value) == fill;
  } else if constexpr (HalfFloat<T>) {
    return is_fill(value.number(), fill);
  } else {
    auto const stored = static_cast<T>(fill);
    return std::memcmp(&value, &stored, sizeof(T)) == 0;
  }
}

std::string text_of_range(double min, double max) { return text_of(min) + " to " + text_of(max); }

}  // namespace

FillValue fill_of(std::optional<StreamInfo> const& info) {
  return info && info->fill ? FillValue::of(*info->fill) : FillValue::none();
}

std::uint64_t count_fill(StreamInfo const& info, std::span<std::byte const> field) {
  if (!info.fill) return 0;
  return with_value_type(info.shape.dtype, [&]<class T>(T) {
    std::uint64_t count = 0;
    for (std::size_t at = 0; at + sizeof(T) <= field.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, &field[at], sizeof(T));
      count += is_fill(value, *info.fill) ? 1 : 0;
    }
    return count;
  });
}

bool changes_bound(StreamInfo const& info, Options const& asked) {
  return asked.fill.mode == FillValue::Mode::automatic && asked.bound.needs_range() &&
         asked.range == 0 && info.fill && std::isfinite(*info.fill);
}

void note_fill(std::string const& label, StreamInfo const& info, Options const& asked,
               MaskedPlaces const& masked) {
  if (asked.fill.mode == FillValue::Mode::value && masked.count == 0) {
    bool const has_others = asked.fill.others_count > 0;
    note("'" + label + "': --fill: " + text_of(asked.fill.value) +
         " is nowhere in the field, bit for bit; nothing is masked" +
         (has_others ? ", as only the first value is; give the most frequent one first" : ""));
  }
  if (!changes_bound(info, asked) || !masked.range || !masked.range->any) return;
  double const fill = *info.fill, min = masked.range->min, max = masked.range->max;
  note("'" + label + "': --fill auto masks " + std::to_string(masked.count) + " values of " +
       text_of(fill) + ": the bound uses the range " + text_of_range(min, max) +
       "; with them it would be " + text_of_range(std::min(min, fill), std::max(max, fill)) +
       "; --fill none counts them, --fill " + text_of(fill) + " masks them without this note");
}

void note_limits(std::string const& label, StreamInfo const& info, Options const& asked) {
  constexpr double little = 1.1;
  std::size_t const bytes = info.shape.bytes();
  if (!asked.limits.any() || bytes < 4096 ||
      little * static_cast<double>(info.bytes) < static_cast<double>(bytes)) {
    return;
  }
  note("'" + label + "': --limits " + text_of(asked.limits.lower) + ":" +
       text_of(asked.limits.upper) +
       ": values outside of them by more than the bound are kept bit for bit, and the stream has " +
       std::to_string(info.bytes) + " bytes for " + std::to_string(bytes) +
       " of values; are these the limits of the field?");
}

void add_fill(FillValue& fills, double more) {
  if (fills.others_count < FillValue::max_others) fills = fills.with(more);
}

ChangedFills mark_changed_fills(FillValue const& declared, Dtype dtype,
                                std::span<std::byte> original, std::span<std::byte> restored) {
  switch (dtype) {
    case Dtype::f32: return mark_changed(values_of<float>(declared), original, restored);
    case Dtype::f64: return mark_changed(values_of<double>(declared), original, restored);
    default: return {};
  }
}

std::uint64_t leave_out_fills(FillValue const& fills, Dtype dtype, std::span<std::byte> original,
                              std::span<std::byte> restored) {
  switch (dtype) {
    case Dtype::f32: return leave_out(values_of<float>(fills), original, restored);
    case Dtype::f64: return leave_out(values_of<double>(fills), original, restored);
    default: return 0;
  }
}

}  // namespace kompakt::cli
