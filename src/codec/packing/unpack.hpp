#ifndef KOMPAKT_PACKING_UNPACK_HPP
#define KOMPAKT_PACKING_UNPACK_HPP

#include <container/copy_bytes.hpp>
#include <core/carver.hpp>
#include <kompakt/workspace.hpp>
#include <packing/kernels.hpp>
#include <packing/section.hpp>
#include <span>
#include <vector>

namespace kompakt::impl {

/// Memory of unpacking, in the space of the stream.
struct UnpackMemory {
  rans::Step* table;
  std::uint64_t* places;
  std::int64_t* list;
  UnpackResult* result;
  std::byte* stream;

  void place(std::int64_t chunks, std::size_t listed, std::size_t stream_bytes, Carver& memory) {
    table = memory.take<rans::Step>(std::size_t{rans::classes} * rans::frequency_sum);
    places = memory.take<std::uint64_t>(static_cast<std::size_t>(chunks) + 1);
    list = memory.take<std::int64_t>(listed);
    result = memory.take<UnpackResult>();
    stream = memory.take<std::byte>(stream_bytes);
  }
};

/// Bytes of a workspace that unpacking takes, at most.
/// \param max_chunks    of the field, with tiles of any shape
/// \param extra         bytes of the sections of predictor and coder, at most
inline std::size_t unpacking_bytes(FieldShape const& shape, std::int64_t max_chunks,
                                   ExtraBytes extra) {
  extra.packing = max_packing_bytes;
  extra.limits = limits_section_bytes;
  return carved_bytes([&](Carver& memory) {
    StreamLayout const layout(shape.rank, max_chunks, extra, true);
    auto const index_bytes = (static_cast<std::size_t>(max_chunks) + 2) * 8;
    UnpackMemory().place(max_chunks, static_cast<std::size_t>(max_chunks),
                         layout.index + index_bytes + max_packable_bytes(shape), memory);
  });
}

/// A stream as its coder wrote it, in a workspace.
struct PlainStream {
  Header header;
  std::byte const* data;
};

/// The section of a packed stream; waits.
template <class Exec>
PackingSection fetch_packing(Exec const& exec, std::byte const* stream, Header const& header) {
  Section const& where = header.sections[SectionId::packing];
  std::vector<std::byte> bytes(where.bytes);
  copy_out(exec, bytes.data(), stream + where.offset, bytes.size());
  exec.fence("kompakt::unpack: section");
  return read_packing_section(header, bytes);
}

/// What the kernels found; waits for them.
template <class Exec>
UnpackResult fetch_result(Exec const& exec, UnpackResult const* result, char const* label) {
  UnpackResult found;
  copy_out(exec, &found, result, sizeof(found));
  exec.fence(label);
  return found;
}

/// Unpacks a stream; waits.
/// \param list      the chunks that are needed; none: all
/// \throws Error corrupt
template <class Exec>
PlainStream unpack(Exec const& exec, Workspace<Exec>& workspace, std::byte const* stream,
                   Header const& header, std::span<std::int64_t const> list) {
  PackingSection const section = fetch_packing(exec, stream, header);
  Header const plain = unpacked_header(header, section);
  std::int64_t const chunks = header.chunks();
  UnpackMemory memory{};
  auto const place = [&](Carver& carver) {
    memory.place(chunks, list.size(), plain.bytes, carver);
  };
  Carver carver(workspace.packing_bytes(carved_bytes(place)));
  place(carver);
  std::size_t const index_at = plain.sections[SectionId::chunk_index].offset;
  std::vector<rans::Step> const table = section.model.steps();
  copy_in(exec, memory.table, table.data(), table.size() * sizeof(table[0]));
  copy_in(exec, memory.list, list.data(), list.size_bytes());
  copy_inside(exec, memory.stream, stream, index_at);
  auto* const index = reinterpret_cast<std::uint64_t*>(memory.stream + index_at);
  UnpackChunks const body{
      {index, chunks},
      reinterpret_cast<PackedEntry const*>(stream + header.sections[SectionId::chunk_index].offset),
      reinterpret_cast<std::uint16_t const*>(stream + header.sections[SectionId::payload].offset),
      memory.places,
      memory.table,
      section.model.tables(),
      reinterpret_cast<std::uint32_t*>(memory.stream + plain.sections[SectionId::payload].offset),
      memory.result};

  Kokkos::parallel_scan(
      "kompakt::unpack::place",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, chunks + 1),
      PlaceUnpackedChunks{body.packed, chunks, body.payload, header.payload_bytes, memory.places,
                          index, memory.result});
  UnpackResult found = fetch_result(exec, memory.result, "kompakt::unpack: sizes");
  require_packed_sizes(header, section, found.halfwords, found.words);
  LaneWalk<Exec, UnpackChunks>{body, list.empty() ? nullptr : memory.list,
                               static_cast<std::int64_t>(list.size())}
      .run("kompakt::unpack::chunks", exec);
  found = fetch_result(exec, memory.result, "kompakt::unpack: chunks");
  if (found.damaged >= 0) refuse_packed_chunk(found.damaged);
  return {plain, memory.stream};
}

}  // namespace kompakt::impl

#endif
