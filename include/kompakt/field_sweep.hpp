#ifndef KOMPAKT_FIELD_SWEEP_HPP
#define KOMPAKT_FIELD_SWEEP_HPP

// A stencil over a compressed field in one kernel. As device.hpp, not a part of kompakt/kompakt.hpp: link kompakt::device.

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <kompakt/device.hpp>
#include <kompakt/slab_reader.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#ifdef KOKKOS_ENABLE_CUDA
#include <cuda/coder/bitshuffle.hpp>
#include <cuda/coder/fixedlength.hpp>
#include <cuda/coder/huffman.hpp>
#include <cuda/sweep.hpp>
#endif

namespace kompakt {

namespace impl {

/// Body of a pass for a value of the field, as the kernels call it.
template <class V, class Result, class Body>
struct SweepBody {
  static constexpr bool is_left = std::is_same_v<typename V::array_layout, Kokkos::LayoutLeft>;
  SlabWindow<V> planes;
  Result result;
  Body body;

  KOKKOS_FORCEINLINE_FUNCTION SlabWindow<V> window(std::int64_t first, std::int64_t last) const {
    SlabWindow<V> of_these = planes;
    of_these.move(first, last);
    return of_these;
  }
  /// Result for three indices, the slowest first.
  KOKKOS_FORCEINLINE_FUNCTION auto value(SlabWindow<V> const& values, int z, int y, int x) const {
    if constexpr (is_left) {
      return body(values, x, y, z);
    } else {
      return body(values, z, y, x);
    }
  }
  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION void store(Value const& value, int z, int y, int x) const {
    if constexpr (is_left) {
      result(x, y, z) = value;
    } else {
      result(z, y, x) = value;
    }
  }
};

/// Calls the body for the planes of a slab: a device has a thread for each value, a host one for each row.
template <class V, class Result, class Body>
struct VisitPlanes {
  static constexpr int rank = static_cast<int>(V::rank());
  static constexpr bool is_left = std::is_same_v<typename V::array_layout, Kokkos::LayoutLeft>;
  SlabWindow<V> planes;
  Result result;
  Body body;
  std::int64_t extent[rank];  // of the window's planes, the fastest first
  std::int64_t run;

  VisitPlanes(SlabWindow<V> const& window, FieldShape const& shape, Result const& r, Body const& b)
      : planes(window), result(r), body(b) {
    for (int i = 0; i < rank; ++i) {
      extent[i] = static_cast<std::int64_t>(
          shape.extents[static_cast<std::size_t>(is_left ? i : rank - 1 - i)]);
    }
    extent[rank - 1] = window.last() - window.first();
    run = is_host_space<typename V::execution_space> && rank > 1 ? extent[0] : 1;
  }
  std::int64_t threads() const {
    std::int64_t values = 1;
    for (std::int64_t const n : extent) values *= n;
    return run > 0 ? values / run : 0;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    std::int64_t index[rank];
    std::int64_t rest = thread * run;
    for (int i = 0; i < rank; ++i) {
      index[i] = rest % extent[i];
      rest /= extent[i];
    }
    index[rank - 1] += planes.first();
    for (std::int64_t i = 0; i < run; ++i, ++index[0]) {
      visit(index, std::make_index_sequence<static_cast<std::size_t>(rank)>());
    }
  }

 private:
  template <std::size_t... I>
  KOKKOS_FORCEINLINE_FUNCTION void visit(std::int64_t const (&index)[rank],
                                         std::index_sequence<I...>) const {
    constexpr std::size_t last = static_cast<std::size_t>(rank) - 1;
    result(index[is_left ? I : last - I]...) = body(planes, index[is_left ? I : last - I]...);
  }
};

}  // namespace impl

namespace device {

/// Goes through a compressed field once and works out a result for each of its values from those around it; beside the
/// results there is memory for three slabs, as of a SlabReader.
///
/// On CUDA a pass over a field of three dimensions in tiles of 8x8x16, with a halo of at most 4, is one kernel, unless the
/// pipeline is rans. It decodes
/// tiles as the library's own do and calls the body some tiles behind: body and decoder are compiled together, in the unit
/// of the user. All else goes slab by slab: a kernel for each, behind or beside the library's.
/// \tparam V  the View that the whole field would be: of float or double, in LayoutRight or LayoutLeft
/// \tparam pipeline, variant  of the streams; with_coding() finds them for a stream
template <class V, Pipeline pipeline, Variant variant = Variant::automatic>
class FieldSweep : TileRecords<typename V::non_const_value_type, pipeline, variant> {
  using T = typename V::non_const_value_type;
  using Base = TileRecords<T, pipeline, variant>;

 public:
  using Exec = typename V::execution_space;
  using Window = SlabWindow<V>;

  /// Takes memory for three slabs, or for the field if that is less.
  /// \param options  `halo`: how far a body looks, along each index
  /// \throws Error what a SlabReader throws, and bad_argument unless the stream has this pipeline and variant
  FieldSweep(Exec const& exec, StreamReader<Exec> const& stream, SlabOptions const& options = {})
      : m_slabs(exec, stream, options) {
    impl::require_coding<typename Base::Seat>("FieldSweep", stream.info());
#ifdef KOKKOS_ENABLE_CUDA
    if constexpr (may_be_one_kernel) plan_kernel(exec, options);
#endif
  }

  /// Bytes of the decoded slabs.
  std::size_t memory_bytes() const { return m_slabs.memory_bytes(); }
  /// Whether a pass is one kernel.
  bool is_one_kernel() const { return m_counters.size() > 0; }

  /// Enqueues a pass: result(indices…) = body(window, indices…), once for each value of the field, with its indices in the
  /// order of V, as int or std::int64_t. Returns without waiting; finish() waits.
  /// \param result  a View, or what else can be called and assigned to in a kernel
  /// \param body    a functor with a const KOKKOS_FUNCTION operator(), which calls the Window as it would the field, with
  ///                indices that are at most the halo away from its own, each, and inside the field. It must not write what
  ///                bodies of other values read or write
  /// \note before finish() has returned, results rest on values that may come of a damaged stream. One pass at a time is
  ///       under way of a FieldSweep, and of all that reads of a StreamReader
  template <class Result, class Body>
  void run(Exec const& exec, std::string const& label, Result const& result, Body const& body) {
    if (m_slabs.plan().planes == 0) return;
#ifdef KOKKOS_ENABLE_CUDA
    if constexpr (may_be_one_kernel) {
      if (is_one_kernel()) return run_kernel(exec, label, result, body);
    }
#endif
    m_slabs.for_each(exec, [&](SlabWindow<V> const& window) {
      impl::VisitPlanes<V, Result, Body> const visit(window, m_slabs.stream().info().shape, result,
                                                     body);
      Kokkos::parallel_for(
          label,
          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, visit.threads()),
          visit);
    });
  }

  /// Waits for exec and judges what the passes since the last call have read.
  /// \throws Error corrupt if the stream was damaged
  void finish(Exec const& exec) { m_slabs.finish(exec); }

 private:
#ifdef KOKKOS_ENABLE_CUDA
  static constexpr bool may_be_one_kernel =
      std::is_same_v<Exec, Kokkos::Cuda> && V::rank() == 3 && Base::Seat::has_warp_form;

  void plan_kernel(Exec const& exec, SlabOptions const& options) {
    auto const& plan = m_slabs.plan();
    if (plan.planes == 0) return;
    impl::DecodeArgs<T> const args = args_into_ring();
    if (args.tile_shape != TileShape::brick || args.quantizer.steps.any()) return;
    impl::cuda::SweepPlan const kernel(args.extents, plan.ring_planes(), options.halo);
    if (!kernel.is_possible()) return;
    m_kernel = kernel;
    m_counters =
        Counters(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "kompakt::sweep::counters"),
                 impl::cuda::SweepCounters::count(kernel));
  }
  template <class Result, class Body>
  void run_kernel(Exec const& exec, std::string const& label, Result const& result,
                  Body const& body) const {
    Kokkos::Profiling::ScopedRegion const region(label);
    impl::cuda::sweep<typename Base::CodecTypes>(
        exec, label.c_str(), args_into_ring(), *m_kernel, m_counters.data(),
        impl::SweepBody<V, Result, Body>{m_slabs.window(0, 0), result, body});
  }
  impl::DecodeArgs<T> args_into_ring() const {
    return impl::args_of_stream(m_slabs.stream().opened(),
                                const_cast<T*>(m_slabs.window(0, 0).ring()));
  }

  std::optional<impl::cuda::SweepPlan> m_kernel;
#endif
  using Counters = Kokkos::View<std::uint32_t*, typename Exec::memory_space>;

  SlabReader<V> m_slabs;
  Counters m_counters;
};

}  // namespace device

}  // namespace kompakt

#endif
