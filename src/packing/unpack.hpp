#ifndef KOMPAKT_PACKING_UNPACK_HPP
#define KOMPAKT_PACKING_UNPACK_HPP

#include <packing/pack.hpp>
#include <span>

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

/// Unpacks a stream; waits.
/// \param function  the caller's name, with which messages start
/// \param touched   the chunks that are needed, of the header of the unpacked stream; an empty list: all
/// \throws Error corrupt
template <class Exec, class Touched>
PlainStream unpack(char const* function, Exec const& exec, Workspace<Exec>& workspace,
                   std::byte const* stream, Header const& header, Touched const& touched) {
  Section const& where = header.sections[SectionId::packing];
  std::vector<std::byte> bytes(where.bytes);
  copy_out(exec, bytes.data(), stream + where.offset, bytes.size());
  exec.fence("kompakt::unpack: section");
  PackingSection const section = read_packing_section(function, header, bytes);
  Header const plain = unpacked_header(header, section);
  std::vector<std::int64_t> const list = touched(plain);
  std::int64_t const chunks = header.chunks();
  UnpackMemory memory{};
  auto const place = [&](Carver& carver) {
    memory.place(chunks, list.size(), plain.bytes, carver);
  };
  Carver carver(workspace.packing_bytes(carved_bytes(place)));
  place(carver);
  UnpackResult found;
  auto const fetch_result = [&](char const* label) {
    copy_out(exec, &found, memory.result, sizeof(found));
    exec.fence(label);
  };
  auto const* const packed =
      reinterpret_cast<PackedEntry const*>(stream + header.sections[SectionId::chunk_index].offset);
  auto const* const payload =
      reinterpret_cast<std::uint16_t const*>(stream + header.sections[SectionId::payload].offset);
  auto* const index = reinterpret_cast<std::uint64_t*>(
      memory.stream + plain.sections[SectionId::chunk_index].offset);
  Kokkos::parallel_scan(
      "kompakt::unpack::place",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, chunks + 1),
      PlaceUnpackedChunks{packed, chunks, payload, header.payload_bytes, memory.places, index,
                          memory.result});
  std::vector<rans::Step> const table = section.model.steps();
  copy_in(exec, memory.table, table.data(), table.size() * sizeof(table[0]));
  copy_in(exec, memory.list, list.data(), list.size() * sizeof(std::int64_t));
  copy_inside(exec, memory.stream, stream, plain.sections[SectionId::chunk_index].offset);
  fetch_result("kompakt::unpack: sizes");
  require_packed_sizes(function, header, section, found.halfwords, found.words);

  UnpackChunks const unpack{
      packed,
      payload,
      memory.places,
      index,
      memory.table,
      section.model.tables(),
      reinterpret_cast<std::uint32_t*>(memory.stream + plain.sections[SectionId::payload].offset),
      memory.result};
  LaneWalk<Exec, UnpackChunks>{unpack,
                               {index, chunks},
                               lane_numbers(section.payload_bytes, chunks),
                               list.empty() ? nullptr : memory.list,
                               static_cast<std::int64_t>(list.size())}
      .run("kompakt::unpack::chunks", exec);
  fetch_result("kompakt::unpack: chunks");
  if (found.damaged >= 0) refuse_packed_chunk(function, found.damaged);
  return {plain, memory.stream};
}

}  // namespace kompakt::impl

#endif
