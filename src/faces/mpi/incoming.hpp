#ifndef KOMPAKT_MPI_INCOMING_HPP
#define KOMPAKT_MPI_INCOMING_HPP

#include <mpi.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <span>

#include "engine.hpp"
#include "piece_layout.hpp"

namespace kompakt::mpi {

/// A field that is being received: first its head, then its pieces, two of which are expected at a time. What is wrong is kept until
/// the message has been taken to its end, so that its sender does not wait.
class Incoming {
 public:
  static constexpr std::size_t pieces_at_a_time = 2;

  /// \param heads  communicator that the head comes by
  /// \param field  to be written; none: the message is taken and forgotten
  Incoming(Engine& engine, MPI_Comm heads, std::optional<FieldTarget> const& field, int from,
           int tag);
  /// Takes the message to its end, if its head has arrived.
  ~Incoming();
  Incoming(Incoming const&) = delete;
  Incoming& operator=(Incoming const&) = delete;

  bool is_done() const { return m_done; }
  /// What it waits for now.
  MPI_Request& current() {
    return m_has_head ? m_slots[m_next % pieces_at_a_time].request : m_head_request;
  }
  /// current() has come to its end.
  void arrived(int result, MPI_Status const& status) noexcept;

  /// What this rank has failed with, null if nothing.
  std::exception_ptr const& own_failure() const { return m_failure; }
  /// Throws what this rank or the sender has failed with.
  void rethrow() const;

 private:
  /// Memory for pieces that are only taken, also after that of the execution space has come to its end. A buffer that is
  /// too short will not do: Open MPI 4.1 writes behind it.
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  struct Slot {
    MPI_Request request = MPI_REQUEST_NULL;
    Buffer buffer;
    std::byte* data = nullptr;  ///< where MPI puts the piece
    std::unique_ptr<std::byte, Free> drain;
  };

  void head_arrived(int result, MPI_Status const& status) noexcept;
  void piece_arrived(int result, MPI_Status const& status) noexcept;
  /// \returns how many pieces follow
  std::size_t take_head(std::span<std::byte const> behind);
  /// The same of a message that is damaged.
  std::size_t pieces_to_drain(std::span<std::byte const> message) noexcept;
  void post(std::size_t piece) noexcept;
  void post_piece(std::size_t piece);
  void take_behind_head(std::span<std::byte const> bytes);
  /// Whether the sender tells of a failure in place of a piece.
  bool take_note(Slot const& slot, std::size_t bytes);
  /// Keeps the exception that is being handled, if it is the first one.
  void keep_failure() noexcept;
  void end() noexcept;
  /// Whether what follows is only taken.
  bool drains() const { return m_failure || !m_field; }

  Engine& m_engine;
  std::optional<FieldTarget> m_field;
  int m_from, m_tag;
  std::array<std::byte, sizeof(Head) + Head::inline_bytes> m_head_bytes;
  MPI_Request m_head_request = MPI_REQUEST_NULL;
  bool m_has_head = false, m_done = false;
  Head m_head;
  std::optional<PieceLayout> m_layout;
  std::size_t m_next = 0;  ///< piece
  std::array<Slot, pieces_at_a_time> m_slots;
  std::exception_ptr m_failure;
  std::optional<Failure> m_remote;  ///< of the sender
};

}  // namespace kompakt::mpi

#endif
