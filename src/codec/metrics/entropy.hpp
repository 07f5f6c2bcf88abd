#ifndef KOMPAKT_METRICS_ENTROPY_HPP
#define KOMPAKT_METRICS_ENTROPY_HPP

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>
#include <Kokkos_Sort.hpp>
#include <algorithm>
#include <cmath>
#include <core/types.hpp>
#include <kompakt/memory.hpp>
#include <kompakt/metrics.hpp>
#include <metrics/pairs.hpp>

namespace kompakt::impl {

template <class T>
struct CopyBits {
  T const* from;
  unsigned_t<T>* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to[i] = Kokkos::bit_cast<unsigned_t<T>>(from[i]);
  }
};

/// Of sorted numbers, sum of c log2(c) over the runs of c equal ones. The first number of a run looks
/// for its end in growing steps and then halves the last of them: few reads for short runs and long ones.
template <class U>
struct SumRuns {
  U const* sorted;
  std::int64_t size;

  KOKKOS_FUNCTION void operator()(std::int64_t i, double& sum) const {
    U const number = sorted[i];
    if (i > 0 && sorted[i - 1] == number) return;
    std::int64_t last = i, step = 1;  // sorted[last] is of the run
    while (last + step < size && sorted[last + step] == number) last += step, step *= 2;
    for (; step > 0; step /= 2) {
      if (last + step < size && sorted[last + step] == number) last += step;
    }
    if (last == i) return;  // the logarithm of 1
    double const count = static_cast<double>(last - i + 1);
    sum += count * Kokkos::log2(count);
  }
};

/// Shannon's entropy of the bit patterns of a field's values, in bits a value; NaN for no values.
/// \param scratch  of size values at least
template <class T, class Exec>
double entropy(Exec const& exec, T const* field, std::int64_t size, unsigned_t<T>* scratch) {
  using U = unsigned_t<T>;
  if (size == 0) return Metrics::undefined;
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> const all(exec, 0, size);
  Kokkos::parallel_for("kompakt::metrics::copy_bits", all, CopyBits<T>{field, scratch});
  using Numbers = Kokkos::View<U*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
  try {
    Kokkos::sort(exec, Numbers(scratch, static_cast<std::size_t>(size)));
  } catch (std::exception const& e) {
    throw Error(Status::device, "metrics",
                "sorting " + std::to_string(size) + " values for the entropy failed: " + e.what(),
                "");
  }
  double sum = 0;
  Kokkos::parallel_reduce("kompakt::metrics::sum_runs", all, SumRuns<U>{scratch, size}, sum);
  exec.fence("kompakt::metrics::entropy");
  double const count = static_cast<double>(size);
  return std::max(0.0, std::log2(count) - sum / count);  // of one pattern 0, whatever rounding says
}

template <class T, class Exec>
void set_entropy(Exec const& exec, FieldPair<T> const& fields, Metrics& result) {
  Kokkos::View<std::byte*, typename Exec::memory_space> scratch;
  grow_bytes(scratch, static_cast<std::size_t>(fields.size) * sizeof(T),
             "kompakt::metrics::entropy");
  auto* const bits = reinterpret_cast<unsigned_t<T>*>(scratch.data());
  result.entropy_original = entropy(exec, fields.original, fields.size, bits);
  result.entropy_reconstructed = entropy(exec, fields.reconstructed, fields.size, bits);
}

}  // namespace kompakt::impl

#endif
