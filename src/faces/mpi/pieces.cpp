#include "pieces.hpp"

#include <string>

namespace kompakt::mpi {

namespace {

std::string text_of(FieldShape const& shape) {
  std::string text;
  for (int i = 0; i < shape.rank; ++i) {
    text += (i > 0 ? " x " : "") + std::to_string(shape.extents[static_cast<std::size_t>(i)]);
  }
  return text + " of " + to_string(shape.dtype) + " (" + std::to_string(shape.bytes()) + " bytes)";
}

}  // namespace

void require_same_field(Head const& head, FieldTarget const& field, int from) {
  FieldShape const sent = head.shape();
  FieldShape const& own = field.shape;
  bool const same_kind = sent.dtype == own.dtype && sent.rank == own.rank;
  if (!same_kind || sent.extents != own.extents) {
    bool const too_small = same_kind && own.bytes() < sent.bytes();
    throw Error(too_small ? Status::buffer_too_small : Status::type_mismatch, "recv",
                "the field that rank " + std::to_string(from) + " has sent is " + text_of(sent) +
                    ", but the View is " + text_of(own),
                "pass one of the same type and extents");
  }
  if (field.data == nullptr && own.size() > 0) {
    throw Error(Status::bad_argument, "recv", "the field has values, but its address is null",
                "pass where they go");
  }
}

bool arrives_direct(Engine const& engine, Head const& head, FieldTarget const& field) {
  return head.encoding == Encoding::raw &&
         is_direct(engine, field.shape, field.strides, head.order, field.access);
}

MemoryOf pieces_in(Engine const& engine, Head const& head, FieldTarget const& field) {
  return head.encoding == Encoding::raw ? raw_buffers_in(engine, field.access) : engine.streams_in;
}

void take_piece(Engine& engine, Head const& head, PieceLayout const& layout,
                FieldTarget const& field, std::size_t piece, std::span<std::byte const> bytes,
                MemoryOf in) {
  StridedData const part = layout.part<StridedData>(field, piece);
  MemoryOf const field_in = memory_of(field.access);
  bool const compressed = head.encoding == Encoding::compressed;
  if (compressed ? bytes.empty() : bytes.size() != part.shape.bytes()) {
    throw Error(Status::corrupt, "recv",
                "piece " + std::to_string(piece) + " of " + std::to_string(layout.count()) +
                    " has " + std::to_string(bytes.size()) + " bytes" +
                    (compressed ? "" : " of " + std::to_string(part.shape.bytes())) +
                    "; the message is truncated",
                "");
  }
  if (compressed) {
    engine.codec.decompress(bytes, in, part, field_in);
    return;
  }
  if (bytes.data() != part.data)
    unpack(engine.codec.space(), bytes.data(), head.order, part, field_in);
}

}  // namespace kompakt::mpi
