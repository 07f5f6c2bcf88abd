#ifndef KOMPAKT_PIPELINE_SLAB_QUEUE_HPP
#define KOMPAKT_PIPELINE_SLAB_QUEUE_HPP

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cstdint>
#include <pipeline/field_operations.hpp>
#include <pipeline/opened_stream.hpp>
#include <pipeline/slab_plan.hpp>

namespace kompakt::impl {

/// Decodes the slabs of a plan into their slots of a ring. A slab is decoded while the two before it are read.
template <class Exec>
class SlabQueue {
 public:
  SlabQueue(OpenedStream<Exec> const& opened, SlabPlan const& plan, void* ring)
      : m_opened(opened), m_plan(plan), m_ring(ring), m_side(Exec()) {}

  void start(Exec const& exec) { m_side.fork(exec); }

  void decode(Exec const& exec, std::int64_t slab) {
    Kokkos::Profiling::ScopedRegion const region("kompakt::decode_slab");
    // What its slot held was read for the last time with the slab behind that.
    if (slab >= slab_slots) m_side.wait_for_callers(slot_of(slab - slab_slots + 1));
    with_kernels_of(m_opened, [&]<class T, class Kernels>(T, TypeTag<Kernels>) {
      FpEnvironment const environment;
      DecodeArgs<T> args = m_opened.template args<T>(environment, field<T>(slab));
      args.first = slab * m_plan.slab_chunks;
      std::int64_t const left = m_opened.header.chunks() - args.first;
      args.run = left < m_plan.slab_chunks ? left : m_plan.slab_chunks;
      Kernels::decode(m_side.instance(exec), args);
    });
    m_side.note(slot_of(slab));
  }
  void await(Exec const& exec, std::int64_t slab) { m_side.wait(exec, slot_of(slab)); }
  void release(Exec const& exec, std::int64_t slab) { m_side.note_of(exec, slot_of(slab)); }

  void finish(Exec const& exec) { finish_parts(exec, m_opened); }

 private:
  int slot_of(std::int64_t slab) const { return static_cast<int>(slab % slab_slots); }

  // Where the first value of the field would lie, for the kernels of a slab: those of the slab come to its slot.
  template <class T>
  T* field(std::int64_t slab) const {
    std::int64_t const slab_values = m_plan.slab_planes * m_plan.plane_values;
    auto const before = (slab - slab % m_plan.slots) * slab_values;
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(m_ring) -
                                static_cast<std::uintptr_t>(before) * sizeof(T));
  }

  OpenedStream<Exec> const& m_opened;
  SlabPlan m_plan;
  void* m_ring;
  SideInstance<Exec, slab_slots> m_side;
};

}  // namespace kompakt::impl

#endif
