#ifndef KOMPAKT_CORE_FP_ENVIRONMENT_HPP
#define KOMPAKT_CORE_FP_ENVIRONMENT_HPP

#include <Kokkos_Macros.hpp>
#include <atomic>

#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace kompakt::impl {

/// The floating-point environment that the promise needs, for the life of the object: rounding to
/// nearest even, denormals neither flushed nor read as zero. A program built with -ffast-math turns
/// denormals off for all of its threads before main. On a device there is nothing to set.
/// The fences keep what is computed from memory and stored to memory between the two changes.
class FpEnvironment {
 public:
#if defined(__CUDA_ARCH__)
  KOKKOS_FUNCTION FpEnvironment() {}
  KOKKOS_FUNCTION ~FpEnvironment() {}
#elif defined(__SSE2__)
  KOKKOS_FUNCTION FpEnvironment() : m_saved(_mm_getcsr()) {
    if (m_saved != standard) _mm_setcsr(standard);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  KOKKOS_FUNCTION ~FpEnvironment() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (m_saved != standard) _mm_setcsr(m_saved);
  }
#else
  KOKKOS_FUNCTION FpEnvironment() { std::feholdexcept(&m_saved), std::fesetenv(FE_DFL_ENV); }
  KOKKOS_FUNCTION ~FpEnvironment() { std::fesetenv(&m_saved); }
#endif
  /// The value, read after the change: what is computed from it cannot move in front of that. A
  /// compiler knows nothing of the environment and moves what it holds in registers past the fences.
  template <class V>
  KOKKOS_FUNCTION V inside(V value) const {
    V volatile const held = value;
    return held;
  }

  FpEnvironment(FpEnvironment const&) = delete;
  FpEnvironment& operator=(FpEnvironment const&) = delete;

 private:
#if defined(__CUDA_ARCH__)
#elif defined(__SSE2__)
  static constexpr unsigned standard = 0x1f80;  // all exceptions masked, nearest, no FTZ, no DAZ
  unsigned m_saved;
#else
  std::fenv_t m_saved;
#endif
};

}  // namespace kompakt::impl

#endif
