#ifndef KOMPAKT_MPI_SENDER_HPP
#define KOMPAKT_MPI_SENDER_HPP

#include <mpi.h>

#include <cstddef>
#include <exception>
#include <span>
#include <vector>

#include "engine.hpp"
#include "piece_layout.hpp"

namespace kompakt::mpi {

/// How a field is going to travel.
struct Plan {
  FieldSource field;
  Options options;
  Encoding encoding = Encoding::raw;
  std::size_t piece_bytes;
  PieceLayout layout;
  bool direct = false;           ///< MPI takes the values from where they are
  std::size_t capacity = 0;      ///< of a buffer for a piece
  MemoryOf in = MemoryOf::host;  ///< the buffers

  ConstStridedData part(std::size_t piece) const {
    return layout.part<ConstStridedData>(field, piece);
  }
  MemoryOf field_in() const { return memory_of(field.access); }
};

/// \param to  rank that it goes to
/// \param together_bytes  of values of all messages that follow each other, of which this is one
/// \throws Error bad_argument for a field or options that cannot be used
Plan plan_of(Engine& engine, FieldSource const& field, Options const& options, int to,
             std::size_t together_bytes = 0);

/// The head of the next message.
Head head_of(Engine& engine, Plan const& plan);
/// Adds a message to the traffic, but for its bytes.
void count_message(Engine& engine, Plan const& plan);

/// A piece that is ready.
struct Piece {
  Buffer buffer;
  std::byte const* data = nullptr;
  std::size_t bytes = 0;
};
/// Packs or compresses a piece.
Piece make_piece(Engine& engine, Plan const& plan, std::size_t piece, Buffer buffer);

/// Messages that are being sent. Of their parts, heads and pieces, no more than a number are on their way at a time.
class Sender {
 public:
  static constexpr std::size_t double_buffered = 3;  ///< two pieces and a head
  static constexpr std::size_t unlimited = static_cast<std::size_t>(-1);

  Sender(Engine& engine, std::size_t parts);
  /// Waits for what is on its way.
  ~Sender();
  Sender(Sender const&) = delete;
  Sender& operator=(Sender const&) = delete;

  /// Sends a field. What fails is told to the receiver and thrown.
  /// \param heads           communicator that the head goes by
  /// \param together_bytes  as that of plan_of()
  void field(MPI_Comm heads, int to, int tag, FieldSource const& field, Options const& options,
             std::size_t together_bytes = 0);
  /// Sends a field whose pieces are ready.
  void field(MPI_Comm heads, int to, int tag, Plan const& plan, std::span<Piece> pieces);
  /// Tells a receiver that there is no field.
  void failure(MPI_Comm heads, int to, int tag, std::exception_ptr const& failure);
  /// Waits for all.
  void finish();
  /// \returns whether there is nothing to wait for
  bool test();

 private:
  struct Part {
    MPI_Request request = MPI_REQUEST_NULL;
    Buffer buffer;
  };

  /// \param make  makes the piece of a number
  template <class Make>
  void send(MPI_Comm heads, int to, int tag, Plan const& plan, Make const& make);
  void post_head(MPI_Comm heads, int to, int tag, Head head, std::span<std::byte const> behind);
  /// Tells the receiver in place of a piece.
  void post_note(int to, std::uint64_t number, std::exception_ptr const& failure);
  bool fits_behind_head(Plan const& plan, std::size_t bytes) const;
  void post(MPI_Comm comm, int to, int tag, Piece piece);
  /// Waits until there is room for one more part.
  void make_room();
  void finish_first();

  Engine& m_engine;
  std::size_t m_most;
  std::vector<Part> m_parts;  ///< the oldest first
};

}  // namespace kompakt::mpi

#endif
