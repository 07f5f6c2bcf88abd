#ifndef KOMPAKT_PACKING_PACK_HPP
#define KOMPAKT_PACKING_PACK_HPP

#include <container/copy_bytes.hpp>
#include <container/header.hpp>
#include <core/carver.hpp>
#include <kompakt/workspace.hpp>
#include <packing/kernels.hpp>
#include <packing/section.hpp>
#include <vector>

// The last stage of a compression, for streams of any coder: the bytes of its chunks are coded once more. A stream takes the
// place of the one that it is made from, unless it would not be smaller.

namespace kompakt::impl {

/// Memory of packing, in the space of the stream.
struct PackMemory {
  ByteCounts* counts;
  rans::Frequency* table;
  std::uint64_t *index, *places;
  std::byte* sections;  ///< of predictor and coder, on their way to where they will be
  std::uint16_t* coded;
  std::uint8_t* lengths;
  std::uint16_t* lane_places;

  void place(std::int64_t chunks, std::size_t section_bytes, std::size_t payload_bytes,
             Carver& memory) {
    auto const count = static_cast<std::size_t>(chunks);
    counts = memory.take<ByteCounts>();
    table = memory.take<rans::Frequency>(std::size_t{rans::classes} * 256);
    index = memory.take<std::uint64_t>(count + 1);
    places = memory.take<std::uint64_t>(count + 1);
    sections = memory.take<std::byte>(section_bytes);
    coded = memory.take<std::uint16_t>(payload_bytes / 2);
    std::size_t const lanes = max_lane_numbers(payload_bytes, count);
    lengths = memory.take<std::uint8_t>(lanes);
    lane_places = memory.take<std::uint16_t>(lanes);
  }
};

/// Bytes of a workspace that packing takes, at most.
/// \param section_bytes  of predictor and coder, at most
inline std::size_t packing_bytes(FieldShape const& shape, std::int64_t max_chunks,
                                 std::size_t section_bytes) {
  return carved_bytes([&](Carver& memory) {
    PackMemory().place(max_chunks, section_bytes, max_packable_bytes(shape), memory);
  });
}

/// How the bytes of chunks are distributed; waits.
template <class Exec>
ByteCounts count_bytes(Exec const& exec, ChunkPlaces const& in, std::uint32_t const* payload,
                       ByteCounts* counts) {
  clear_bytes(exec, counts, sizeof(*counts));
  LaneWalk<Exec, CountBytes>{{in, payload, counts}}.run("kompakt::pack::count", exec);
  ByteCounts result;
  copy_out(exec, &result, counts, sizeof(result));
  exec.fence("kompakt::pack: counts");
  return result;
}

/// Writes the front and the chunks of a packed stream over the one that it is made from; waits.
template <class Exec>
void write_packed(Exec const& exec, std::byte* stream, HeaderFields const& h,
                  std::vector<std::byte> const& section, PackMemory const& memory,
                  ChunkPlaces const& in) {
  StreamLayout const after = h.layout();
  std::vector<std::byte> front(after.index);
  write_header(h, front.data());
  std::copy(section.begin(), section.end(),
            front.begin() + static_cast<std::ptrdiff_t>(after.packing));
  // Padding behind index and payload; what lies there is no longer needed.
  std::size_t const index_end = after.index + after.index_bytes;
  std::uint64_t const zeros[2] = {};
  copy_in(exec, stream + index_end, zeros, after.payload - index_end);
  copy_in(exec, stream + after.payload + h.payload_bytes - word_bytes, zeros, word_bytes);
  LaneWalk<Exec, WritePackedChunks>{{in, memory.coded, memory.lengths, memory.lane_places,
                                     memory.places,
                                     reinterpret_cast<PackedEntry*>(stream + after.index),
                                     reinterpret_cast<std::uint16_t*>(stream + after.payload)}}
      .run("kompakt::pack::write", exec);
  copy_in(exec, stream, front.data(), after.predictor);
  copy_inside(exec, stream + after.predictor, memory.sections, after.packing - after.predictor);
  copy_in(exec, stream + after.packing, front.data() + after.packing, after.index - after.packing);
  exec.fence("kompakt::pack: stream");
}

/// Packs a stream that a call has finished, if that makes it smaller; waits.
/// \param stream  which is as `header` says, and will be
template <class Exec>
void pack(Exec const& exec, Workspace<Exec>& workspace, std::byte* stream, Header& header) {
  std::size_t const payload_bytes = header.payload_bytes;
  if (payload_bytes == 0 || payload_bytes > max_packable_bytes(header.coded_values())) return;
  StreamLayout const before = header.layout();
  std::int64_t const chunks = header.chunks();
  std::size_t const section_bytes = before.packing - before.predictor;
  PackMemory memory{};
  auto const place = [&](Carver& carver) {
    memory.place(chunks, section_bytes, payload_bytes, carver);
  };
  Carver carver(workspace.packing_bytes(carved_bytes(place)));
  place(carver);
  copy_inside(exec, memory.index, stream + before.index, before.index_bytes);
  copy_inside(exec, memory.sections, stream + before.predictor, section_bytes);
  ChunkPlaces const in{memory.index, chunks};
  auto const* const payload = reinterpret_cast<std::uint32_t const*>(stream + before.payload);

  ByteModel const model = ByteModel::of(count_bytes(exec, in, payload, memory.counts));
  std::vector<rans::Frequency> const table = model.frequencies();
  copy_in(exec, memory.table, table.data(), table.size() * sizeof(table[0]));
  LaneWalk<Exec, CodeLanes>{
      {in, payload, memory.table, model.tables(), memory.coded, memory.lengths}}
      .run("kompakt::pack::code", exec);
  Kokkos::parallel_scan(
      "kompakt::pack::place",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, chunks + 1),
      PlacePackedChunks{in, memory.lengths, memory.lane_places, memory.places});
  std::uint64_t halfwords = 0;
  copy_out(exec, &halfwords, memory.places + chunks, sizeof(halfwords));
  exec.fence("kompakt::pack: size");

  std::vector<std::byte> const section = packing_section(payload_bytes, model);
  Header packed = header;
  packed.extra.packing = section.size();
  packed.packing_checksum = checksum_bytes(section.data(), section.size(),
                                           static_cast<std::uint32_t>(SectionId::packing));
  packed.payload_bytes = ceil_div(halfwords, std::uint64_t{2}) * word_bytes;
  packed.bytes = packed.layout().payload + packed.payload_bytes;
  if (packed.bytes >= header.bytes) return;
  write_packed(exec, stream, packed, section, memory, in);
  header = packed;
}

}  // namespace kompakt::impl

#endif
