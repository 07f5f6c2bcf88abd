#ifndef KOMPAKT_PIPELINE_SAMPLE_HPP
#define KOMPAKT_PIPELINE_SAMPLE_HPP

#include <Kokkos_Macros.hpp>
#include <core/bits.hpp>
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

/// How many of a field's chunks a sample takes, which is taken for each shape of tiles.
struct SampleSize {
  std::int64_t most;
  int share = 1;  ///< one of so many, but at least 16 chunks, where there are so many

  KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t of(std::int64_t chunks) const {
    constexpr std::int64_t least = 16;
    std::int64_t const part = chunks / share > least ? chunks / share : least;
    std::int64_t const samples = part < most ? part : most;
    return samples < chunks ? samples : chunks;
  }
};

/// Values of a run of the sample; a run is one of the equal parts a field is cut into.
inline constexpr int sample_run_values = 4096;
/// Runs of the sample; of fields with fewer, all.
inline constexpr std::int64_t sample_runs = 128;

/// The i-th run of the sample of a field.
struct SampleRun {
  std::int64_t first, count;

  KOKKOS_INLINE_FUNCTION static std::int64_t samples(std::int64_t size) {
    std::int64_t const runs = ceil_div<std::int64_t>(size, sample_run_values);
    return runs < sample_runs ? runs : sample_runs;
  }
  KOKKOS_INLINE_FUNCTION static SampleRun of(std::int64_t i, std::int64_t size) {
    std::int64_t const runs = ceil_div<std::int64_t>(size, sample_run_values);
    std::int64_t const first = sampled_part(i, samples(size), runs) * sample_run_values;
    return {first, size - first < sample_run_values ? size - first : sample_run_values};
  }
};

}  // namespace kompakt::impl

#endif
