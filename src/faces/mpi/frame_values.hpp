#ifndef KOMPAKT_MPI_FRAME_VALUES_HPP
#define KOMPAKT_MPI_FRAME_VALUES_HPP

#include <cstddef>
#include <kompakt/any_codec.hpp>
#include <kompakt/field.hpp>
#include <memory>
#include <vector>

#include "communicator.hpp"
#include "frame_plan.hpp"
#include "memory.hpp"

namespace kompakt::mpi {

/// Brings the values of frames to the ranks that compress them.
class FrameValues {
 public:
  /// \param part  of this rank; its order is that of the field
  FrameValues(Space space, Communicator const& comm, FramePlan const& plan,
              ConstStridedData const& part, MemoryOf part_in);

  /// Exchanges what is missing of the frames of a round. Collective.
  /// \throws Error on every rank, if one has failed
  void exchange(std::uint64_t round, std::exception_ptr const& failure);
  /// The values of a frame of this rank, after exchange() of its round.
  ConstStridedData of(std::uint64_t frame) const;
  MemoryOf memory_of(std::uint64_t frame) const;

 private:
  /// Values that go to another rank, or come from one.
  struct Parcel {
    int rank;
    Box box;
    std::unique_ptr<std::byte[]> values;
    int bytes;
  };
  bool has_all(std::uint64_t frame) const { return m_plan.has_all(m_rank, frame); }
  Parcel parcel(std::size_t rank, Box const& box) const;
  void pack_for_others(std::uint64_t round);
  void make_room(std::uint64_t frame);
  void send_and_receive();
  void unpack_parcels(std::uint64_t frame);
  void pack_part(Box const& box, std::byte* to) const;

  Space m_space;
  Communicator const& m_comm;
  FramePlan const& m_plan;
  std::size_t m_rank;
  ConstStridedData m_part;
  MemoryOf m_part_in;
  mutable Pool m_device;
  std::vector<Parcel> m_out, m_in;
  std::vector<MPI_Request> m_requests;
  std::unique_ptr<std::byte[]> m_frame;
  std::size_t m_frame_bytes = 0;
};

}  // namespace kompakt::mpi

#endif
