#include "frame_values.hpp"

#include <kompakt/mpi_agree.hpp>

#include "failure.hpp"

namespace kompakt::mpi {

FrameValues::FrameValues(Space space, Communicator const& comm, FramePlan const& plan,
                         ConstStridedData const& part, MemoryOf part_in)
    : m_space(space),
      m_comm(comm),
      m_plan(plan),
      m_rank(static_cast<std::size_t>(comm.rank())),
      m_part(part),
      m_part_in(part_in),
      m_device(space, MemoryOf::space) {}

FrameValues::Parcel FrameValues::parcel(std::size_t rank, Box const& box) const {
  std::size_t const bytes = box.shape_in(m_part.shape).bytes();
  return {static_cast<int>(rank), box, std::make_unique_for_overwrite<std::byte[]>(bytes),
          static_cast<int>(bytes)};
}

// Values of this rank, side by side in memory of the host.
void FrameValues::pack_part(Box const& box, std::byte* to) const {
  ConstStridedData const values = part_of(m_part, box.seen_from(m_plan.parts()[m_rank]));
  bool const on_device = m_part_in == MemoryOf::space && !is_on_host(m_space);
  if (!on_device) return pack(m_space, values, m_part_in, to);
  std::size_t const bytes = values.shape.bytes();
  Buffer const packed(m_device, bytes);
  pack(m_space, values, m_part_in, packed.data());
  copy_to_host(m_space, {packed.data(), bytes}, MemoryOf::space, to);
}

void FrameValues::pack_for_others(std::uint64_t round) {
  for (std::size_t rank = 0; rank < m_plan.parts().size(); ++rank) {
    auto const frame = m_plan.frame(rank, round);
    if (rank == m_rank || !frame || m_plan.has_all(rank, *frame)) continue;
    Box const box = m_plan.slabs().box(*frame).common_with(m_plan.parts()[m_rank]);
    if (box.is_empty()) continue;
    m_out.push_back(parcel(rank, box));
    pack_part(box, m_out.back().values.get());
  }
}

void FrameValues::make_room(std::uint64_t frame) {
  if (has_all(frame)) return;
  std::size_t const bytes = m_plan.slabs().shape(frame).bytes();
  if (bytes > m_frame_bytes) {
    m_frame.reset();
    m_frame = std::make_unique_for_overwrite<std::byte[]>(m_frame_bytes = bytes);
  }
  for (std::size_t rank = 0; rank < m_plan.parts().size(); ++rank) {
    Box const box = m_plan.slabs().box(frame).common_with(m_plan.parts()[rank]);
    if (box.is_empty()) continue;
    m_in.push_back(parcel(rank, box));
    if (rank == m_rank) pack_part(box, m_in.back().values.get());
  }
}

// Two ranks have one message at most for each other, so messages of rounds cannot be mistaken.
void FrameValues::send_and_receive() {
  m_requests.clear();
  for (Parcel const& in : m_in) {
    if (in.rank == m_comm.rank()) continue;
    require_success(MPI_Irecv(in.values.get(), in.bytes, MPI_BYTE, in.rank, 0, m_comm,
                              &m_requests.emplace_back()),
                    "MPI_Irecv");
  }
  for (Parcel const& out : m_out) {
    require_success(MPI_Isend(out.values.get(), out.bytes, MPI_BYTE, out.rank, 0, m_comm,
                              &m_requests.emplace_back()),
                    "MPI_Isend");
  }
  require_success(
      MPI_Waitall(static_cast<int>(m_requests.size()), m_requests.data(), MPI_STATUSES_IGNORE),
      "MPI_Waitall");
}

void FrameValues::unpack_parcels(std::uint64_t frame) {
  FieldShape const shape = m_plan.slabs().shape(frame);
  StridedData const values = FieldData{m_frame.get(), shape};
  for (Parcel const& in : m_in) {
    unpack(m_space, in.values.get(), shape.order,
           part_of(values, in.box.seen_from(m_plan.slabs().box(frame))), MemoryOf::host);
  }
}

void FrameValues::exchange(std::uint64_t round, std::exception_ptr const& failure) {
  if (!m_plan.moves_values(round)) return;
  m_out.clear();
  m_in.clear();
  auto const own = m_plan.frame(m_rank, round);
  together(m_comm, [&] {
    if (failure) std::rethrow_exception(failure);
    pack_for_others(round);
    if (own) make_room(*own);
    m_requests.reserve(m_in.size() + m_out.size());
  });
  send_and_receive();
  if (own && !has_all(*own)) unpack_parcels(*own);
}

ConstStridedData FrameValues::of(std::uint64_t frame) const {
  if (!has_all(frame)) return ConstFieldData(m_frame.get(), m_plan.slabs().shape(frame));
  return part_of(m_part, m_plan.slabs().box(frame).seen_from(m_plan.parts()[m_rank]));
}

MemoryOf FrameValues::memory_of(std::uint64_t frame) const {
  return has_all(frame) ? m_part_in : MemoryOf::host;
}

}  // namespace kompakt::mpi
