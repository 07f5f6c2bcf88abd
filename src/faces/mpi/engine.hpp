#ifndef KOMPAKT_MPI_ENGINE_HPP
#define KOMPAKT_MPI_ENGINE_HPP

#include <mpi.h>

#include <kompakt/mpi_messages.hpp>
#include <vector>

#include "agreement.hpp"
#include "communicator.hpp"
#include "head.hpp"
#include "memory.hpp"

namespace kompakt::mpi {

class Incoming;

/// Tags of the messages of collectives, in a communicator of their own. Directions of a halo follow.
enum CollectiveTag : int { scatter_tag, gather_tag, alltoallv_tag, halo_tag };

/// What the messages of a rank share.
struct Engine {
  /// Collective.
  Engine(AnyCodec given_codec, MPI_Comm comm, MessageOptions const& given_options);
  Engine(Engine const&) = delete;
  Engine& operator=(Engine const&) = delete;

  /// Waits for a request, which is null then, and lets receives go on meanwhile.
  /// \throws Error device if MPI fails
  void wait(MPI_Request& request);
  /// Waits until a receive has come to its end.
  void wait_for(Incoming& incoming);
  /// Lets receives go on as far as they can without waiting.
  void progress();
  Wait waiting() {
    return [this](MPI_Request& request) { wait(request); };
  }

  /// Memory of pieces that are in `in`.
  Pool& pool(MemoryOf in) { return in == MemoryOf::space ? space_buffers : host_buffers; }
  /// A buffer for a head and what follows it.
  Buffer head_buffer() { return {heads, sizeof(Head) + Head::inline_bytes}; }
  /// Has memory for so many messages at a time that tell of a failure or are only taken, which must work without any.
  void reserve(std::size_t messages_at_a_time);
  /// Has as many buffers of a size as are taken at most while so many are taken by a message and others arrive.
  void ensure_buffers(MemoryOf in, std::size_t own, std::size_t bytes);
  /// Throws Error bad_argument unless it is a rank.
  void require_rank(int other) const;

  AnyCodec codec;
  Communicator messages;    ///< heads of the user's messages, with the user's tags
  Communicator pieces;      ///< the tag is the number of the message
  Communicator collective;  ///< collectives, and heads of theirs
  MessageOptions options;
  bool aware = false;
  MemoryOf streams_in = MemoryOf::host;  ///< where MPI gets them from and puts them
  Pool heads, host_buffers, space_buffers;
  std::size_t heads_in_use = 0;     ///< at most
  std::vector<Incoming*> incoming;  ///< that have not come to their end
  Traffic traffic;
  std::uint64_t next_number = 0;

 private:
  /// Waits or looks for the first of `own`, if that is not null, and what receives wait for.
  /// \returns whether anything has happened
  bool step(MPI_Request* own, bool waits);

  std::vector<MPI_Request> m_requests;
};

/// Where MPI finds a field, or a part of it.
inline MemoryOf memory_of(FieldAccess access) {
  return access == FieldAccess::direct ? MemoryOf::space : MemoryOf::host;
}

/// Whether MPI takes the values of a field from where they are.
bool is_direct(Engine const& engine, FieldShape const& shape, Strides const& strides, Order order,
               FieldAccess access);
/// Where values are packed for it if not.
MemoryOf raw_buffers_in(Engine const& engine, FieldAccess access);

/// Whether MPI takes device pointers, as far as it tells.
bool mpi_is_gpu_aware();

/// The tag of the pieces of a message.
inline int piece_tag(Engine const& engine, std::uint64_t number) {
  return static_cast<int>(number % (static_cast<std::uint64_t>(engine.pieces.max_tag()) + 1));
}

}  // namespace kompakt::mpi

#endif
