#include <array>
#include <optional>
#include <span>
#include <utility>

#include "own_failure.hpp"
#include "pieces.hpp"
#include "sender.hpp"

// A broadcast is one of MPI's for each piece: while it is under way root makes the next one, and all others make values of
// the one before. Sizes of pieces go first; one of 0 says that root has failed.

namespace kompakt::mpi {

namespace {

class Broadcast {
 public:
  Broadcast(Engine& engine, FieldTarget const& field, int root, Options const& options)
      : m_engine(engine), m_field(field), m_root(root), m_is_root(engine.messages.rank() == root) {
    m_head.encoding = Encoding::nothing;  // until there is something
    m_head.piece_bytes = max_piece_bytes;
    if (!m_is_root) return;
    m_failure.guard([&] {
      FieldSource const source{field, field.access};
      m_plan = plan_of(engine, source, options, to_all);
      m_head = head_of(engine, *m_plan);
    });
  }

  void run() {
    share_head();
    std::size_t const count = m_layout->count();
    std::size_t shared = 0;
    while (shared < count && share_piece(shared)) {
      ++shared;
      if (shared > 1) take(shared - 2);
    }
    if (shared > 0) take(shared - 1);
    if (m_is_root && !m_failure) count_message(m_engine, *m_plan);
    agree(m_engine.collective, m_failure.get(), m_engine.waiting());
  }

 private:
  static constexpr int to_all = -1;

  struct Slot {
    MPI_Request request = MPI_REQUEST_NULL;
    Buffer buffer;
    std::byte* data = nullptr;
    std::size_t bytes = 0;
  };
  Slot& slot(std::size_t piece) { return m_slots[piece % m_slots.size()]; }

  void share(void* bytes, std::size_t count, MPI_Request& request) {
    require_success(
        MPI_Ibcast(bytes, static_cast<int>(count), MPI_BYTE, m_root, m_engine.collective, &request),
        "MPI_Ibcast");
  }
  void share_now(void* bytes, std::size_t count) {
    MPI_Request request = MPI_REQUEST_NULL;
    share(bytes, count, request);
    m_engine.wait(request);
  }

  /// From then on nothing fails but the pieces themselves.
  void share_head() {
    std::array<std::byte, sizeof(Head)> bytes{};
    write_head(m_head, bytes.data());
    share_now(bytes.data(), bytes.size());
    if (!m_is_root) m_failure.guard([&] { prepare(bytes); });
    agree(m_engine.collective, m_failure.get(), m_engine.waiting());
    if (m_is_root) m_layout = m_plan->layout;
  }
  void prepare(std::span<std::byte const> head) {
    m_head = read_head(head);
    if (m_head.encoding == Encoding::nothing) return;  // root says why when all agree
    m_layout.emplace(m_head.shape(), m_head.piece_bytes);
    require_same_field(m_head, m_field, m_root);
    if (arrives_direct(m_engine, m_head, m_field)) return;
    for (std::size_t i = 0; i < m_slots.size() && i < m_layout->count(); ++i) {
      m_slots[i].buffer = {m_engine.pool(pieces_in(m_engine, m_head, m_field)), m_head.capacity};
    }
  }

  /// \returns whether there is one
  bool share_piece(std::size_t piece) {
    Slot& slot = this->slot(piece);
    m_engine.wait(slot.request);
    if (m_is_root) make(piece, slot);
    std::uint64_t bytes = slot.bytes;
    share_now(&bytes, sizeof bytes);
    slot.bytes = bytes;
    if (bytes == 0) return false;
    if (!m_is_root) place(piece, slot);
    share(slot.data, slot.bytes, slot.request);
    return true;
  }
  void make(std::size_t piece, Slot& slot) {
    slot.bytes = 0;
    m_failure.guard([&] {
      if (!m_plan->direct && slot.buffer.data() == nullptr) {
        slot.buffer = {m_engine.pool(m_plan->in), m_plan->capacity};
      }
      Piece made = make_piece(m_engine, *m_plan, piece, std::move(slot.buffer));
      slot.buffer = std::move(made.buffer);
      slot.data = const_cast<std::byte*>(made.data);  // MPI_Ibcast reads it on root
      slot.bytes = made.bytes;
      m_engine.traffic.sent_bytes += made.bytes;
    });
  }
  void place(std::size_t piece, Slot& slot) {
    bool const direct = arrives_direct(m_engine, m_head, m_field);
    slot.data = direct ? static_cast<std::byte*>(m_layout->part<StridedData>(m_field, piece).data)
                       : slot.buffer.data();
  }

  void take(std::size_t piece) {
    Slot& slot = this->slot(piece);
    m_engine.wait(slot.request);
    if (m_is_root || m_failure) return;
    m_failure.guard([&] {
      mpi::take_piece(m_engine, m_head, *m_layout, m_field, piece, {slot.data, slot.bytes},
                      pieces_in(m_engine, m_head, m_field));
    });
  }

  Engine& m_engine;
  FieldTarget m_field;
  int m_root;
  bool m_is_root;
  OwnFailure m_failure;
  std::optional<Plan> m_plan;  ///< of root
  Head m_head;
  std::optional<PieceLayout> m_layout;
  std::array<Slot, 2> m_slots;
};

}  // namespace

void Messages::broadcast(FieldTarget const& field, int root, Options const& options) {
  OwnFailure failure;
  agree_on_root(*m_engine, "broadcast", root, failure);
  Broadcast(*m_engine, field, root, options).run();
}

}  // namespace kompakt::mpi
