// Lets Kokkos 4.7.0 compile with CUDA 13. Force-included (-include) into the build of Kokkos itself
// and into every unit that includes Kokkos.
//
// Why: CUDA 13 changed the parameters of cudaGraphAddDependencies and cudaMemPrefetchAsync, and
// Kokkos before 4.7.1 calls both in inline functions of its headers with the parameters of CUDA 12.
// The overloads below take the old parameters and call the new functions. Being overloads and not
// macros, they change nothing for code that already uses the new parameters, so a newer Kokkos is
// not harmed.
//
// Only a CUDA compilation has something to adapt: __CUDACC__ keeps the header empty for a plain host
// compiler (which may not even find the CUDA headers), CUDART_VERSION for CUDA 12.
#pragma once

#if defined(__CUDACC__)

#include <cuda_runtime_api.h>

#if CUDART_VERSION >= 13000

#include <cstddef>

inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to, std::size_t count) {
  return cudaGraphAddDependencies(graph, from, to, /*edgeData=*/nullptr, count);
}

inline cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device,
                                        cudaStream_t stream = nullptr) {
  cudaMemLocation location{};
  // Up to CUDA 12 the host was the pseudo device cudaCpuDeviceId.
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device == cudaCpuDeviceId ? 0 : device;
  return cudaMemPrefetchAsync(pointer, bytes, location, /*flags=*/0u, stream);
}

#endif  // CUDART_VERSION >= 13000
#endif  // defined(__CUDACC__)
