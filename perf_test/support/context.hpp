#ifndef KOMPAKT_PERF_SUPPORT_CONTEXT_HPP
#define KOMPAKT_PERF_SUPPORT_CONTEXT_HPP

namespace kompakt::perf {

/// Puts what figures depend on into the context of Google Benchmark's reports: commit, command,
/// processor, Kokkos and its spaces, threads and their placing, compiler, GPU and driver. To be
/// called after Kokkos has been initialised and before benchmarks run.
void add_context();

}  // namespace kompakt::perf

#endif
