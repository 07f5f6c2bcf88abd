#include "incoming.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "pieces.hpp"
#include "sender.hpp"

namespace kompakt::mpi {

namespace {

bool is_truncated(int result) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(result, &error_class);
  return error_class == MPI_ERR_TRUNCATE;
}

void require_arrival(int result, int from) {
  if (is_truncated(result)) {
    throw Error(
        Status::corrupt, "recv",
        "a message of rank " + std::to_string(from) + " is longer than it may be; it is damaged",
        "");
  }
  require_success(result, "MPI_Irecv");
}

std::size_t bytes_of(MPI_Status const& status) {
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  return static_cast<std::size_t>(count);
}

}  // namespace

Incoming::Incoming(Engine& engine, MPI_Comm heads, std::optional<FieldTarget> const& field,
                   int from, int tag)
    : m_engine(engine), m_field(field), m_from(from), m_tag(tag) {
  engine.incoming.push_back(this);
  int const result = MPI_Irecv(m_head_bytes.data(), static_cast<int>(m_head_bytes.size()), MPI_BYTE,
                               from, tag, heads, &m_head_request);
  if (result != MPI_SUCCESS) end();
  require_success(result, "MPI_Irecv");
}

Incoming::~Incoming() {
  if (m_done) return;
  m_field.reset();
  if (!m_has_head) {
    MPI_Status status;
    int cancelled = 0;
    MPI_Cancel(&m_head_request);
    int const result = MPI_Wait(&m_head_request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    if (cancelled != 0) {
      end();
      return;
    }
    arrived(result, status);
  }
  try {
    m_engine.wait_for(*this);
  } catch (Error const&) {
    end();  // MPI has failed: there is nobody left to tell
  }
}

void Incoming::keep_failure() noexcept {
  if (!m_failure) m_failure = std::current_exception();
}

void Incoming::end() noexcept {
  m_done = true;
  for (Slot& slot : m_slots) {
    if (slot.request != MPI_REQUEST_NULL) {  // of a piece that will not come
      MPI_Cancel(&slot.request);
      MPI_Wait(&slot.request, MPI_STATUS_IGNORE);
    }
    slot.buffer = Buffer();
  }
  std::erase(m_engine.incoming, this);
}

void Incoming::rethrow() const {
  if (m_failure) std::rethrow_exception(m_failure);
  if (m_remote) throw_failure_of(m_from, *m_remote);
}

void Incoming::arrived(int result, MPI_Status const& status) noexcept {
  if (m_has_head) {
    piece_arrived(result, status);
  } else {
    head_arrived(result, status);
  }
}

void Incoming::head_arrived(int result, MPI_Status const& status) noexcept {
  std::span<std::byte const> bytes;
  std::size_t pieces = 0;
  try {
    require_arrival(result, m_from);
    bytes = std::span<std::byte const>(m_head_bytes).first(bytes_of(status));
    m_head = read_head(bytes);
    pieces = take_head(bytes.subspan(sizeof(Head)));
    if (pieces > 0 && !drains()) require_same_field(m_head, *m_field, m_from);
  } catch (...) {
    keep_failure();
    if (pieces == 0) pieces = pieces_to_drain(bytes);
  }
  if (pieces == 0) return end();
  m_has_head = true;
  post(0);
  if (pieces > 1 && !m_done) post(1);
}

std::size_t Incoming::take_head(std::span<std::byte const> behind) {
  if (m_head.encoding == Encoding::nothing) {
    m_remote = read_note(behind);
    if (!m_remote)
      throw Error(Status::corrupt, "recv", "the failure in the message cannot be read", "");
    return 0;
  }
  m_layout.emplace(m_head.shape(), m_head.piece_bytes);
  bool const alone = m_head.pieces == 0 && m_layout->count() <= 1;
  if (!alone && m_head.pieces != m_layout->count()) {
    throw Error(Status::corrupt, "recv", "the head of the message has impossible numbers", "");
  }
  if (m_head.pieces > 0) return m_head.pieces;
  if (drains()) return 0;
  require_same_field(m_head, *m_field, m_from);
  if (m_layout->count() > 0) take_behind_head(behind);
  return 0;
}

std::size_t Incoming::pieces_to_drain(std::span<std::byte const> message) noexcept {
  std::optional<Head> const head = surviving_head(message);
  if (!head || head->encoding == Encoding::nothing) return 0;
  m_head = *head;
  m_layout.emplace(m_head.shape(), m_head.piece_bytes);
  return m_layout->count() == m_head.pieces ? m_head.pieces : 0;
}

void Incoming::take_behind_head(std::span<std::byte const> bytes) {
  Buffer copy;
  if (m_head.encoding == Encoding::raw) {  // kernels take it from pinned memory
    copy = {m_engine.host_buffers, bytes.size()};
    std::copy(bytes.begin(), bytes.end(), copy.data());
    bytes = {copy.data(), bytes.size()};
  }
  take_piece(m_engine, m_head, *m_layout, *m_field, 0, bytes, MemoryOf::host);
}

void Incoming::post(std::size_t piece) noexcept {
  for (int attempt = 0; attempt < 2; ++attempt) {  // the second one drains
    try {
      return post_piece(piece);
    } catch (...) {
      keep_failure();
    }
  }
  end();
}

void Incoming::post_piece(std::size_t piece) {
  Slot& slot = m_slots[piece % m_slots.size()];
  std::size_t capacity = std::max<std::size_t>(m_head.capacity, sizeof(Note));
  if (drains()) {
    if (!slot.drain) slot.drain.reset(static_cast<std::byte*>(std::malloc(capacity)));
    if (!slot.drain) throw std::bad_alloc();
    slot.data = slot.drain.get();
  } else if (arrives_direct(m_engine, m_head, *m_field)) {
    StridedData const part = m_layout->part<StridedData>(*m_field, piece);
    slot.data = static_cast<std::byte*>(part.data);
    capacity = part.shape.bytes();
  } else {
    if (slot.buffer.data() == nullptr) {
      MemoryOf const in = pieces_in(m_engine, m_head, *m_field);
      m_engine.ensure_buffers(in, Sender::double_buffered, capacity);
      slot.buffer = {m_engine.pool(in), capacity};
    }
    slot.data = slot.buffer.data();
  }
  require_success(MPI_Irecv(slot.data, static_cast<int>(capacity), MPI_BYTE, m_from,
                            piece_tag(m_engine, m_head.number), m_engine.pieces, &slot.request),
                  "MPI_Irecv");
}

void Incoming::piece_arrived(int result, MPI_Status const& status) noexcept {
  Slot& slot = m_slots[m_next % m_slots.size()];
  try {
    require_arrival(result, m_from);
    if (take_note(slot, bytes_of(status))) return end();
    if (!drains()) {
      take_piece(m_engine, m_head, *m_layout, *m_field, m_next, {slot.data, bytes_of(status)},
                 pieces_in(m_engine, m_head, *m_field));
    }
  } catch (...) {
    keep_failure();
    if (result != MPI_SUCCESS && !is_truncated(result)) return end();
  }
  ++m_next;
  if (m_next == m_layout->count()) return end();
  if (m_next + 1 < m_layout->count()) post(m_next + 1);
}

bool Incoming::take_note(Slot const& slot, std::size_t bytes) {
  if (bytes != sizeof(Note)) return false;
  Note note;
  bool const on_host = slot.data == slot.drain.get();
  MemoryOf const in = on_host ? MemoryOf::host : pieces_in(m_engine, m_head, *m_field);
  copy_to_host(m_engine.codec.space(), {slot.data, bytes}, in, reinterpret_cast<std::byte*>(&note));
  m_remote = read_note({reinterpret_cast<std::byte const*>(&note), sizeof note});
  return m_remote.has_value();
}

}  // namespace kompakt::mpi
