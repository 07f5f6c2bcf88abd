#ifndef KOMPAKT_MPI_HEAD_HPP
#define KOMPAKT_MPI_HEAD_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <kompakt/field.hpp>
#include <optional>
#include <span>

#include "failure.hpp"

// What messages begin with, and how a failure is told in place of one. Ranks of one MPI have one order of bytes.

namespace kompakt::mpi {

/// Lengths of MPI are of type int.
inline constexpr std::size_t min_piece_bytes = std::size_t{1} << 10,
                             max_piece_bytes = std::size_t{1} << 30;

/// How the values of a message travel. The numbers are those of its bytes.
enum class Encoding : std::uint8_t {
  raw = 0,         ///< pieces are the values, side by side
  compressed = 1,  ///< each piece is a stream
  nothing = 2,     ///< the sender has failed; a Note follows
};

/// First bytes of the first message of a field. The pieces follow it in messages of their own, in an order of their own,
/// or, if there is one that is short, right behind it. One that messages follow is there several times over: of a damaged
/// one the receiver then knows still what it has to take, and the sender does not wait for ever.
struct Head {
  static constexpr std::uint64_t magic_number = 0x3167736d6b706d6bu;
  /// Bytes that may follow it in the same message.
  static constexpr std::size_t inline_bytes = std::size_t{8} << 10;
  /// How often it is there if pieces follow in messages of their own.
  static constexpr std::size_t copies = 16;

  std::uint64_t magic = magic_number;
  std::uint32_t checksum = 0;  ///< of all the rest
  Encoding encoding = Encoding::raw;
  Dtype dtype{};
  Order order{};
  std::uint8_t rank = 1;
  std::array<std::uint64_t, max_rank> extents{};
  std::uint64_t number = 0;       ///< of the sender's messages, by which pieces are found
  std::uint64_t piece_bytes = 0;  ///< by which it is cut
  std::uint64_t capacity = 0;     ///< that no piece exceeds
  std::uint64_t pieces = 0;       ///< that follow in messages of their own
  std::uint64_t behind = 0;       ///< bytes that follow in this message

  FieldShape shape() const;
  void set_shape(FieldShape const& shape);
};
static_assert(sizeof(Head) == 120, "no gaps: its checksum is over all of it");

/// Puts a head with its checksum at `to`.
void write_head(Head head, std::byte* to);
/// Puts all copies of one that pieces follow at `to`.
/// \returns their bytes
std::size_t write_heads(Head head, std::byte* to);
/// \param message  which begins with one
/// \throws Error corrupt if it does not, or if its numbers cannot be meant
Head read_head(std::span<std::byte const> message);
/// A sound copy in a damaged message, if there is one.
std::optional<Head> surviving_head(std::span<std::byte const> message);

/// A failure that is told in place of the piece of a field, or behind a head.
struct Note {
  static constexpr std::array<std::uint64_t, 2> magic_numbers = {0x65746f6e6b706d6bu,
                                                                 0x93a1c46f0be257d8u};
  std::array<std::uint64_t, 2> magic = magic_numbers;
  Status status = Status::device;
  std::uint32_t length = 0;
  std::array<char, 1000> text{};
};

/// A long message is cut off.
Note note_of(Failure const& failure);
/// The failure, if these bytes tell of one.
std::optional<Failure> read_note(std::span<std::byte const> bytes);

}  // namespace kompakt::mpi

#endif
