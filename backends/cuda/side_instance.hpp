#ifndef KOMPAKT_CUDA_SIDE_INSTANCE_HPP
#define KOMPAKT_CUDA_SIDE_INSTANCE_HPP

#include <Kokkos_Core.hpp>
#include <cuda/launch.hpp>
#include <optional>
#include <pipeline/side_instance.hpp>

namespace kompakt::impl {

/// A stream of its own, and events between both. Can be captured into a graph together with the caller's stream: what was
/// forked from that is joined where it is waited for.
template <int slots>
class SideInstance<Kokkos::Cuda, slots, cuda_tag> {
 public:
  explicit SideInstance(Kokkos::Cuda const&) {
    using cuda::require_success;
    require_success(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking),
                    "cudaStreamCreate");
    for (cudaEvent_t* event : {m_events, m_callers}) {
      for (int i = 0; i < slots; ++i) {
        require_success(cudaEventCreateWithFlags(&event[i], cudaEventDisableTiming),
                        "cudaEventCreate");
      }
    }
    require_success(cudaEventCreateWithFlags(&m_begin, cudaEventDisableTiming), "cudaEventCreate");
    m_instance.emplace(m_stream);
  }
  ~SideInstance() {
    m_instance->fence("kompakt::side_instance: end");
    m_instance.reset();
    for (int i = 0; i < slots; ++i) {
      (void)cudaEventDestroy(m_events[i]);
      (void)cudaEventDestroy(m_callers[i]);
    }
    (void)cudaEventDestroy(m_begin);
    (void)cudaStreamDestroy(m_stream);
  }
  SideInstance(SideInstance const&) = delete;
  SideInstance& operator=(SideInstance const&) = delete;

  void fork(Kokkos::Cuda const& exec) {
    record(m_begin, exec.cuda_stream());
    follow(m_stream, m_begin);
  }
  Kokkos::Cuda const& instance(Kokkos::Cuda const&) const { return *m_instance; }
  void note(int slot) { record(m_events[slot], m_stream); }
  void note_of(Kokkos::Cuda const& exec, int slot) { record(m_callers[slot], exec.cuda_stream()); }
  void wait(Kokkos::Cuda const& exec, int slot) { follow(exec.cuda_stream(), m_events[slot]); }
  void wait_for_callers(int slot) { follow(m_stream, m_callers[slot]); }

 private:
  static void record(cudaEvent_t event, cudaStream_t stream) {
    cuda::require_success(cudaEventRecord(event, stream), "cudaEventRecord");
  }
  static void follow(cudaStream_t stream, cudaEvent_t event) {
    cuda::require_success(cudaStreamWaitEvent(stream, event, 0), "cudaStreamWaitEvent");
  }

  cudaStream_t m_stream = nullptr;
  cudaEvent_t m_events[slots] = {}, m_callers[slots] = {}, m_begin = nullptr;
  std::optional<Kokkos::Cuda> m_instance;
};

}  // namespace kompakt::impl

#endif
