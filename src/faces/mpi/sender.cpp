#include "sender.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

namespace kompakt::mpi {

namespace {

void require_usable(FieldSource const& field, Options const& options) {
  validate(options);
  FieldShape const& shape = field.shape;
  max_compressed_bytes(shape, options);  // refuses ranks and extents that cannot be
  if (field.data == nullptr && shape.size() > 0) {
    throw Error(Status::bad_argument, "send", "the field has values, but its address is null",
                "pass where they are");
  }
}

/// A bound relative to the range is one of the whole field, not of a piece.
Options options_of_pieces(Engine& engine, Plan const& plan) {
  Options options = plan.options;
  if (plan.layout.count() < 2 || !options.bound.needs_range() || options.range != 0) return options;
  return options_for_parts(engine.codec.field_range(plan.field, plan.field_in(), options.fill),
                           options);
}

}  // namespace

Plan plan_of(Engine& engine, FieldSource const& field, Options const& asked, int to,
             std::size_t together_bytes) {
  require_usable(field, asked);
  Options const options = options_for_type(field.shape.dtype, asked);
  std::size_t const bytes =
      engine.options.piece_bytes_of(std::max(field.shape.bytes(), together_bytes));
  Plan plan{field, options, Encoding::raw, bytes, PieceLayout(field.shape, bytes)};
  bool const raw = field.shape.bytes() < engine.options.raw_below || to == engine.messages.rank();
  FieldShape const largest = plan.layout.largest();
  if (raw) {
    plan.direct = is_direct(engine, field.shape, field.strides, field.shape.order, field.access);
    plan.capacity = largest.bytes();
    plan.in = raw_buffers_in(engine, field.access);
    engine.codec.fence();  // kernels that write the field may be under way
  } else {
    plan.encoding = Encoding::compressed;
    plan.options = options_of_pieces(engine, plan);
    plan.capacity = max_compressed_bytes(largest, options);
    plan.in = engine.streams_in;
  }
  return plan;
}

Head head_of(Engine& engine, Plan const& plan) {
  Head head;
  head.encoding = plan.encoding;
  head.set_shape(plan.field.shape);
  head.number = engine.next_number++;
  head.piece_bytes = plan.piece_bytes;
  head.capacity = plan.capacity;
  return head;
}

void count_message(Engine& engine, Plan const& plan) {
  bool const raw = plan.encoding == Encoding::raw;
  ++engine.traffic.messages;
  engine.traffic.raw_messages += raw ? 1 : 0;
  engine.traffic.pieces += raw ? 0 : plan.layout.count();
  engine.traffic.value_bytes += plan.field.shape.bytes();
}

Piece make_piece(Engine& engine, Plan const& plan, std::size_t piece, Buffer buffer) {
  ConstStridedData const part = plan.part(piece);
  if (plan.direct) return {{}, static_cast<std::byte const*>(part.data), part.shape.bytes()};
  std::byte* const to = buffer.data();
  if (plan.encoding == Encoding::raw) {
    pack(engine.codec.space(), part, plan.field_in(), to);
    return {std::move(buffer), to, part.shape.bytes()};
  }
  std::size_t const bytes =
      engine.codec.compress(part, plan.field_in(), plan.options, {to, plan.capacity}, plan.in)
          .bytes;
  return {std::move(buffer), to, bytes};
}

Sender::Sender(Engine& engine, std::size_t parts) : m_engine(engine), m_most(parts) {
  // So that what tells of missing memory takes none.
  m_parts.reserve(std::min<std::size_t>(parts, 64));
}

Sender::~Sender() {
  while (!m_parts.empty()) {
    try {
      finish();
    } catch (Error const&) {
      // finish() or whoever has sent has said it; what is left is to keep buffers until MPI is done with them.
    }
  }
}

void Sender::finish_first() {
  Part part = std::move(m_parts.front());
  m_parts.erase(m_parts.begin());
  m_engine.wait(part.request);
}

void Sender::finish() {
  while (!m_parts.empty()) finish_first();
}

bool Sender::test() {
  m_engine.progress();
  while (!m_parts.empty()) {
    int flag = 0;
    require_success(MPI_Test(&m_parts.front().request, &flag, MPI_STATUS_IGNORE), "MPI_Test");
    if (flag == 0) return false;
    m_parts.erase(m_parts.begin());
  }
  return true;
}

void Sender::make_room() {
  while (m_parts.size() >= m_most) finish_first();
}

void Sender::post(MPI_Comm comm, int to, int tag, Piece piece) {
  Part& part = m_parts.emplace_back();
  part.buffer = std::move(piece.buffer);
  require_success(
      MPI_Isend(piece.data, static_cast<int>(piece.bytes), MPI_BYTE, to, tag, comm, &part.request),
      "MPI_Isend");
  m_engine.traffic.sent_bytes += piece.bytes;
}

void Sender::post_head(MPI_Comm heads, int to, int tag, Head head,
                       std::span<std::byte const> behind) {
  make_room();
  Buffer buffer = m_engine.head_buffer();
  std::byte* const data = buffer.data();
  head.behind = behind.size();
  std::size_t bytes = sizeof head + behind.size();
  if (head.pieces > 0) {
    bytes = write_heads(head, data);
  } else {
    write_head(head, data);
    std::copy(behind.begin(), behind.end(), data + sizeof head);
  }
  post(heads, to, tag, {std::move(buffer), data, bytes});
}

void Sender::failure(MPI_Comm heads, int to, int tag, std::exception_ptr const& failure) {
  Note const note = note_of(Failure::of(failure));
  Head head;
  head.encoding = Encoding::nothing;
  head.piece_bytes = max_piece_bytes;
  post_head(heads, to, tag, head, std::as_bytes(std::span(&note, 1)));
}

void Sender::post_note(int to, std::uint64_t number, std::exception_ptr const& failure) {
  Note const note = note_of(Failure::of(failure));
  make_room();
  Buffer buffer = m_engine.head_buffer();
  std::byte* const data = buffer.data();
  std::memcpy(data, &note, sizeof note);
  post(m_engine.pieces, to, piece_tag(m_engine, number), {std::move(buffer), data, sizeof note});
}

bool Sender::fits_behind_head(Plan const& plan, std::size_t bytes) const {
  MemoryOf const in = plan.direct ? plan.field_in() : plan.in;
  bool const on_host = in == MemoryOf::host || is_on_host(m_engine.codec.space());
  return on_host && bytes <= Head::inline_bytes;
}

template <class Make>
void Sender::send(MPI_Comm heads, int to, int tag, Plan const& plan, Make const& make) {
  Head head = head_of(m_engine, plan);
  std::size_t const count = plan.layout.count();
  bool begun = false;
  try {
    Piece piece;
    if (count == 1) piece = make(0);
    bool const alone = count == 1 && fits_behind_head(plan, piece.bytes);
    head.pieces = alone ? 0 : count;
    post_head(heads, to, tag, head,
              alone ? std::span(piece.data, piece.bytes) : std::span<std::byte const>());
    begun = true;
    for (std::size_t n = 0; n < count && !alone; ++n) {
      if (count > 1) piece = make(n);
      post(m_engine.pieces, to, piece_tag(m_engine, head.number), std::move(piece));
    }
  } catch (...) {
    if (begun) {
      post_note(to, head.number, std::current_exception());
    } else {
      failure(heads, to, tag, std::current_exception());
    }
    throw;
  }
  count_message(m_engine, plan);
}

void Sender::field(MPI_Comm heads, int to, int tag, FieldSource const& field,
                   Options const& options, std::size_t together_bytes) {
  std::optional<Plan> plan;
  try {
    plan = plan_of(m_engine, field, options, to, together_bytes);
    if (!plan->direct) {
      m_engine.ensure_buffers(plan->in, std::min(m_most, plan->layout.count()), plan->capacity);
    }
  } catch (...) {
    failure(heads, to, tag, std::current_exception());
    throw;
  }
  send(heads, to, tag, *plan, [&](std::size_t n) {
    make_room();
    Buffer buffer;
    if (!plan->direct) buffer = {m_engine.pool(plan->in), plan->capacity};
    return make_piece(m_engine, *plan, n, std::move(buffer));
  });
}

void Sender::field(MPI_Comm heads, int to, int tag, Plan const& plan, std::span<Piece> pieces) {
  send(heads, to, tag, plan, [&](std::size_t n) {
    make_room();
    return std::move(pieces[n]);
  });
}

}  // namespace kompakt::mpi
