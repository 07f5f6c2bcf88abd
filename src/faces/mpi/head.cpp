#include "head.hpp"

#include <algorithm>
#include <core/checksum.hpp>
#include <cstring>
#include <limits>

#include "piece_layout.hpp"

namespace kompakt::mpi {

namespace {

std::uint32_t checksum_of(Head head) {
  head.checksum = 0;
  std::uint32_t words[sizeof(Head) / sizeof(std::uint32_t)];
  std::memcpy(words, &head, sizeof head);
  return impl::checksum_words(words, static_cast<std::uint32_t>(std::size(words)), 1);
}

[[noreturn]] void throw_damaged(std::string const& what) {
  throw Error(Status::corrupt, "recv", what, "");
}

Head head_at(std::byte const* bytes) {
  Head head;
  std::memcpy(&head, bytes, sizeof head);
  return head;
}

bool is_intact(Head const& head) {
  return head.magic == Head::magic_number && head.checksum == checksum_of(head);
}

bool can_be_meant(Head const& head) {
  bool const known = head.encoding <= Encoding::nothing &&
                     static_cast<int>(head.dtype) < dtype_count &&
                     head.order <= Order::first_fastest && head.rank >= 1 && head.rank <= max_rank;
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
  bool const copied = head.pieces == 0 || head.behind == (Head::copies - 1) * sizeof head;
  return known && copied && is_countable({head.extents.data(), head.rank}) &&
         head.piece_bytes > 0 && head.piece_bytes <= max_piece_bytes && head.capacity <= most;
}

}  // namespace

FieldShape Head::shape() const {
  FieldShape shape;
  shape.dtype = dtype;
  shape.order = order;
  shape.rank = rank;
  for (std::size_t i = 0; i < rank; ++i) shape.extents[i] = extents[i];
  return shape;
}

void Head::set_shape(FieldShape const& shape) {
  dtype = shape.dtype;
  order = shape.order;
  rank = static_cast<std::uint8_t>(shape.rank);
  for (std::size_t i = 0; i < rank; ++i) extents[i] = shape.extents[i];
}

void write_head(Head head, std::byte* to) {
  head.checksum = checksum_of(head);
  std::memcpy(to, &head, sizeof head);
}

std::size_t write_heads(Head head, std::byte* to) {
  head.behind = (Head::copies - 1) * sizeof head;
  for (std::size_t i = 0; i < Head::copies; ++i) write_head(head, to + i * sizeof head);
  return Head::copies * sizeof head;
}

Head read_head(std::span<std::byte const> message) {
  if (message.size() < sizeof(Head)) {
    throw_damaged("the message has " + std::to_string(message.size()) +
                  " bytes, which is less than a head; it is truncated");
  }
  Head const head = head_at(message.data());
  if (!is_intact(head)) throw_damaged("the head of the message is damaged");
  if (head.behind != message.size() - sizeof head) {
    throw_damaged("the head gives " + std::to_string(head.behind) +
                  " bytes behind it, but there are " +
                  std::to_string(message.size() - sizeof head) + "; the message is truncated");
  }
  if (!can_be_meant(head)) {
    throw_damaged("the head of the message has impossible numbers");
  }
  for (std::size_t at = sizeof head; head.pieces > 0 && at < message.size(); at += sizeof head) {
    if (std::memcmp(&head, message.data() + at, sizeof head) != 0) {
      throw_damaged("a copy of the head of the message is damaged");
    }
  }
  return head;
}

std::optional<Head> surviving_head(std::span<std::byte const> message) {
  for (; message.size() >= sizeof(Head); message = message.subspan(sizeof(Head))) {
    Head const head = head_at(message.data());
    if (is_intact(head) && can_be_meant(head)) return head;
  }
  return std::nullopt;
}

Note note_of(Failure const& failure) {
  Note note;
  note.status = failure.status;
  note.length = static_cast<std::uint32_t>(std::min(failure.message.size(), note.text.size()));
  std::copy_n(failure.message.begin(), note.length, note.text.begin());
  return note;
}

std::optional<Failure> read_note(std::span<std::byte const> bytes) {
  Note note;
  if (bytes.size() != sizeof note) return std::nullopt;
  std::memcpy(&note, bytes.data(), sizeof note);
  if (note.magic != Note::magic_numbers || note.length > note.text.size()) return std::nullopt;
  return Failure{note.status, std::string(note.text.data(), note.length)};
}

}  // namespace kompakt::mpi
