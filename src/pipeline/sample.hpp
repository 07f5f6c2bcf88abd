#ifndef KOMPAKT_PIPELINE_SAMPLE_HPP
#define KOMPAKT_PIPELINE_SAMPLE_HPP

#include <Kokkos_Macros.hpp>
#include <core/checksum.hpp>
#include <cstdint>

namespace kompakt::impl {

/// Which of the `parts` of a field is the i-th of a sample of so many: one of its share of them. A hash moves
/// it inside its share, so that a period of the field does not meet a period of the sample.
KOKKOS_INLINE_FUNCTION std::int64_t sampled_part(std::int64_t i, std::int64_t samples,
                                                 std::int64_t parts) {
  std::int64_t const first = i * parts / samples;
  std::int64_t const next = (i + 1) * parts / samples;
  std::uint32_t const hash = checksum_word(static_cast<std::uint32_t>(i), 0, 0);
  return first + static_cast<std::int64_t>(hash % static_cast<std::uint64_t>(next - first));
}

}  // namespace kompakt::impl

#endif
