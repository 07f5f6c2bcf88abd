#include "fill.hpp"
#include <cstring>
#include <limits>

namespace kompakt::cli {

namespace {

template <class T>
std::uint64_t leave_out(T fill, std::span<std::byte> original, std::span<std::byte> restored) {
  T const nan = std::numeric_limits<T>::quiet_NaN();
  std::uint64_t count = 0;
  for (std::size_t at = 0; at + sizeof(T) <= original.size(); at += sizeof(T)) {
    bool const is_fill = std::memcmp(&original[at], &fill, sizeof(T)) == 0 &&
                         std::memcmp(&restored[at], &fill, sizeof(T)) == 0;
    if (!is_fill) continue;
    std::memcpy(&original[at], &nan, sizeof(T));
    std::memcpy(&restored[at], &nan, sizeof(T));
    ++count;
  }
  return count;
}

}  // namespace

FillValue fill_of(std::optional<StreamInfo> const& info) {
  return info && info->fill ? FillValue::of(*info->fill) : FillValue::none();
}

std::uint64_t leave_out_fill(StreamInfo const& info, std::span<std::byte> original,
                             std::span<std::byte> restored) {
  if (!info.fill) return 0;
  return info.shape.dtype == Dtype::f32
             ? leave_out(static_cast<float>(*info.fill), original, restored)
             : leave_out(*info.fill, original, restored);
}

}  // namespace kompakt::cli
