#ifndef KOMPAKT_PERF_SUPPORT_GRAPH_HPP
#define KOMPAKT_PERF_SUPPORT_GRAPH_HPP

#include <Kokkos_Core.hpp>
#include <kompakt/error.hpp>

namespace kompakt::perf {

/// Whether what is enqueued on an instance can be recorded and launched again as a whole.
template <class Exec>
inline constexpr bool has_graphs = false;

/// What record() enqueues on an instance, to be launched again; only where has_graphs.
template <class Exec>
class Graph;

#ifdef KOKKOS_ENABLE_CUDA
template <>
inline constexpr bool has_graphs<Kokkos::Cuda> = true;

template <>
class Graph<Kokkos::Cuda> {
 public:
  template <class Record>
  Graph(Kokkos::Cuda const& exec, Record const& record) : m_stream(exec.cuda_stream()) {
    require(cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeThreadLocal));
    record();
    cudaGraph_t graph = nullptr;
    require(cudaStreamEndCapture(m_stream, &graph));
    require(cudaGraphInstantiate(&m_graph, graph, 0));
    require(cudaGraphDestroy(graph));
  }
  ~Graph() { cudaGraphExecDestroy(m_graph); }
  Graph(Graph const&) = delete;
  Graph& operator=(Graph const&) = delete;

  void launch() const { require(cudaGraphLaunch(m_graph, m_stream)); }

 private:
  static void require(cudaError_t code) {
    if (code != cudaSuccess) throw Error(Status::device, cudaGetErrorString(code));
  }
  cudaStream_t m_stream;
  cudaGraphExec_t m_graph = nullptr;
};
#endif

}  // namespace kompakt::perf

#endif
