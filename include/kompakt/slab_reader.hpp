#ifndef KOMPAKT_SLAB_READER_HPP
#define KOMPAKT_SLAB_READER_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <kompakt/error.hpp>
#include <kompakt/field.hpp>
#include <kompakt/stream_reader.hpp>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace kompakt {

/// Options of a SlabReader. A plane has one value of the slowest index.
struct SlabOptions {
  int halo = 0;  ///< planes in front of and behind those that are worked on, which can be read too
  /// Bytes of the values of a slab, at least, unless the field has fewer. Three slabs are in memory; larger ones cost a GPU
  /// less (docs/device.md).
  std::size_t slab_bytes = std::size_t{8} << 20;
};

namespace impl {

/// Plan of the slabs of a field, cut at borders of chunks, and of the ring that holds some of them.
struct SlabPlan {
  std::int64_t planes = 0;  ///< of the field
  std::int64_t plane_values = 0;
  std::int64_t slab_planes = 0;  ///< the last slab may have fewer
  std::int64_t slab_chunks = 0;  ///< the same
  std::int64_t slabs = 0;
  std::int64_t slots = 0;  ///< of the ring, each for a slab

  std::int64_t ring_planes() const { return std::min(slots * slab_planes, planes); }
};

template <class Exec>
SlabPlan plan_slabs(OpenedStream<Exec> const& opened, FieldShape const& field,
                    SlabOptions const& options);

/// Work that has been enqueued for the slabs of a ring: on the instance of the caller, in turn, or where a backend can beside
/// the caller's kernels.
template <class Exec>
class SlabQueue;  // src/codec/pipeline/slab_queue.hpp

template <class Exec>
std::shared_ptr<SlabQueue<Exec>> make_slab_queue(OpenedStream<Exec> const& opened,
                                                 SlabPlan const& plan, void* ring);
/// Starts a pass; nothing of it may come before what has been enqueued on exec.
template <class Exec>
void start_slabs(SlabQueue<Exec>& queue, Exec const& exec);
/// Enqueues that a slab is decoded into its slot.
template <class Exec>
void decode_slab(SlabQueue<Exec>& queue, Exec const& exec, std::int64_t slab);
/// Orders work: kernels enqueued on exec from now on see the decoded slab; earlier ones have read the slab before for the last time.
template <class Exec>
void await_slab(SlabQueue<Exec>& queue, Exec const& exec, std::int64_t slab);
template <class Exec>
void release_slab(SlabQueue<Exec>& queue, Exec const& exec, std::int64_t slab);
/// Waits for exec and throws what was wrong with the stream.
template <class Exec>
void finish_slabs(SlabQueue<Exec>& queue, Exec const& exec);

}  // namespace impl

/// The planes of a field that are decoded now, for kernels; trivially copyable.
/// \tparam V  the View that the whole field would be
template <class V>
class SlabWindow {
  static constexpr int rank = static_cast<int>(V::rank());
  static constexpr bool is_left = std::is_same_v<typename V::array_layout, Kokkos::LayoutLeft>;
  static constexpr int slowest = is_left ? rank - 1 : 0;

 public:
  using value_type = typename V::non_const_value_type;

  SlabWindow(value_type const* ring, FieldShape const& shape, std::int64_t ring_planes,
             std::int64_t first, std::int64_t last, int halo)
      : m_ring(ring), m_ring_planes(static_cast<int>(ring_planes)), m_halo(halo) {
    for (int i = 0; i < rank; ++i) {
      m_extent[i] = static_cast<int>(shape.extents[static_cast<std::size_t>(i)]);
      if (i != slowest) m_plane_values *= m_extent[i];
    }
    move(first, last);
  }

  /// Planes that are to be worked on: first() <= index < last().
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first() const { return m_first; }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t last() const { return m_last; }

  /// The value with these indices of the field: of a plane to be worked on, or of its halo inside the field.
  template <std::integral... I>
  requires(sizeof...(I) == V::rank()) KOKKOS_FORCEINLINE_FUNCTION value_type operator()(
      I... indices) const {
    return m_ring[place(indices...)];
  }

  // What follows is for the library.

  /// Moves to other planes.
  KOKKOS_FORCEINLINE_FUNCTION void move(std::int64_t first, std::int64_t last) {
    m_first = first;
    m_last = last;
    // Any plane of the window is behind the one that lies at the begin of the ring, by less than two rounds.
    std::int64_t const lowest = first > m_halo ? first - m_halo : 0;
    // A division of 64 bits takes a hundred instructions of a GPU.
    m_shift =
        lowest >> 31 == 0
            ? static_cast<std::int64_t>(static_cast<int>(lowest) / m_ring_planes) * m_ring_planes
            : lowest / m_ring_planes * m_ring_planes;
  }
  KOKKOS_FORCEINLINE_FUNCTION value_type const* ring() const { return m_ring; }
  /// Offset of a value in the ring.
  template <std::integral... I>
  KOKKOS_FORCEINLINE_FUNCTION int place(I... indices) const {
    // Planes and what is inside of one apart: of neighbours in a loop one of both is the same.
    std::int64_t const index[rank] = {static_cast<std::int64_t>(indices)...};
    int plane = static_cast<int>(index[slowest] - m_shift);
    plane -= plane >= m_ring_planes ? m_ring_planes : 0;
    int inside = 0;
    for (int i = 1; i < rank; ++i) {
      int const axis = is_left ? rank - 1 - i : i;
      inside = inside * m_extent[axis] + static_cast<int>(index[axis]);
    }
    return plane * m_plane_values + inside;
  }

 private:
  value_type const* m_ring;
  int m_extent[rank];
  int m_plane_values = 1;
  int m_ring_planes, m_halo;
  std::int64_t m_shift = 0, m_first = 0, m_last = 0;
};

/// Goes through a compressed field slab by slab, with three slabs decoded at a time, so that a kernel can read the field
/// without memory for all of it. For CUDA slabs are decoded beside the kernels that use others, and a whole pass can
/// be captured into a graph (docs/device.md).
/// \tparam V  the View that the whole field would be: of float or double, in LayoutRight or LayoutLeft
template <class V>
class SlabReader {
  using Layout = typename V::array_layout;
  static_assert(std::is_same_v<Layout, Kokkos::LayoutRight> ||
                    std::is_same_v<Layout, Kokkos::LayoutLeft>,
                "kompakt: a SlabReader takes the type of a View in LayoutRight or LayoutLeft");
  static_assert(impl::has_float_values<V>,
                "kompakt: a SlabReader takes the type of a View of float or double");

 public:
  using Exec = typename V::execution_space;
  using Window = SlabWindow<V>;
  using value_type = typename V::non_const_value_type;

  /// Takes memory for three slabs, or for the field if that is less.
  /// \param exec  whose instance is used to take memory
  /// \throws Error type_mismatch if V does not have the stream's type, rank and order, bad_argument for a halo below 0
  ///         or slabs of 2^31 values, device if there is no memory
  SlabReader(Exec const& exec, StreamReader<Exec> const& stream, SlabOptions const& options = {})
      : m_stream(stream), m_halo(options.halo) {
    FieldShape asked = stream.info().shape;
    asked.dtype = impl::dtype_of<value_type>();
    asked.rank = static_cast<int>(V::rank());
    asked.order = V::rank() > 1 && std::is_same_v<Layout, Kokkos::LayoutLeft> ? Order::first_fastest
                                                                              : Order::last_fastest;
    m_plan = impl::plan_slabs(stream.opened(), asked, options);
    m_ring = Ring(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "kompakt::slabs::ring"),
                  static_cast<std::size_t>(m_plan.ring_planes() * m_plan.plane_values));
    m_queue = impl::make_slab_queue(stream.opened(), m_plan, m_ring.data());
  }

  /// Bytes of the decoded slabs.
  std::size_t memory_bytes() const { return m_ring.size() * sizeof(value_type); }
  /// Number of calls of the body in a pass.
  std::int64_t steps() const { return m_plan.slabs; }

  /// Enqueues a pass: body(SlabWindow<V> const&) for consecutive planes, all of the field's in the end, each once. Returns
  /// without waiting; finish() waits.
  /// \param exec  instance on which body enqueues all of its kernels that read the window. Nothing of the pass is done
  ///              before what has been enqueued there, and what is enqueued there later comes behind it
  /// \note before finish() has returned, results rest on values that may come of a damaged stream. One pass at a time goes
  ///       over what is read of a StreamReader
  template <class Body>
  void for_each(Exec const& exec, Body const& body) {
    if (m_plan.slabs == 0) return;
    impl::start_slabs(*m_queue, exec);
    impl::decode_slab(*m_queue, exec, 0);
    for (std::int64_t slab = 0; slab < m_plan.slabs; ++slab) {
      bool const last = slab + 1 == m_plan.slabs;
      if (!last) impl::decode_slab(*m_queue, exec, slab + 1);
      impl::await_slab(*m_queue, exec, slab);
      // What has its halo among the planes that are there.
      auto const behind = [&](std::int64_t of_slab) {
        return std::max<std::int64_t>(of_slab * m_plan.slab_planes - m_halo, 0);
      };
      body(window(behind(slab), last ? m_plan.planes : behind(slab + 1)));
      impl::release_slab(*m_queue, exec, slab);
    }
  }

  /// Waits for exec and judges what the passes since the last call have read.
  /// \throws Error corrupt if the stream was damaged
  void finish(Exec const& exec) { impl::finish_slabs(*m_queue, exec); }

  // What follows is for the library.

  impl::SlabPlan const& plan() const { return m_plan; }
  StreamReader<Exec> const& stream() const { return m_stream; }
  /// Window on planes in memory.
  Window window(std::int64_t first, std::int64_t last) const {
    return Window(m_ring.data(), m_stream.info().shape, m_plan.ring_planes(), first, last, m_halo);
  }

 private:
  using Ring = Kokkos::View<value_type*, typename Exec::memory_space>;

  StreamReader<Exec> m_stream;
  int m_halo;
  impl::SlabPlan m_plan;
  Ring m_ring;
  std::shared_ptr<impl::SlabQueue<Exec>> m_queue;
};

}  // namespace kompakt

#endif
