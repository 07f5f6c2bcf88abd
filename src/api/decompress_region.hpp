#ifndef KOMPAKT_API_DECOMPRESS_REGION_HPP
#define KOMPAKT_API_DECOMPRESS_REGION_HPP

#include <algorithm>
#include <api/decompress_field.hpp>
#include <api/region.hpp>
#include <cstring>
#include <vector>

// What lies behind decompress_region_async(): the chunks that a box touches are decoded side by side into the
// workspace, and what of them lies in the box is moved to where it belongs. Included only where it is
// instantiated, as decompress_field.hpp.

namespace kompakt::impl {

/// Chunks of a region that are decoded at a time: 64 MiB of floats.
inline constexpr std::size_t region_chunks = 4096;

/// What decoding some chunks takes of a workspace: tables of the codebook, list of the chunks and values of those
/// that are decoded at a time; the list on the host too, behind the result.
struct BoxMemory {
  std::size_t book_bytes, list_bytes, values_bytes;

  BoxMemory(std::size_t chunks, int radius, std::size_t value_bytes)
      : book_bytes(decode_book_bytes(radius)),
        list_bytes(align_section(chunks * sizeof(std::int64_t))),
        values_bytes(std::min(chunks, region_chunks) * chunk_tiles * tile_values * value_bytes) {}

  WorkspaceSizes sizes() const {
    WorkspaceSizes sizes;
    sizes.scratch = book_bytes + list_bytes + values_bytes;
    sizes.readback = result_bytes + list_bytes;
    return sizes;
  }
};

/// The numbers in memory of Exec; on its way there.
template <class Exec>
std::int64_t const* upload(Exec const& exec, std::vector<std::int64_t> const& numbers,
                           std::byte* host, std::byte* to) {
  std::size_t const bytes = numbers.size() * sizeof(std::int64_t);
  std::memcpy(host, numbers.data(), bytes);
  using Host =
      Kokkos::View<std::byte const*, typename readback_space<Exec>::type, Kokkos::MemoryUnmanaged>;
  using Device = Kokkos::View<std::byte*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(exec, Device(to, bytes), Host(host, bytes));
  return reinterpret_cast<std::int64_t const*>(to);
}

/// Enqueues the decoding of a region that is neither empty nor all of the field, and returns where the kernels
/// will report.
template <class Tag, class T, class Exec>
DecodeResult* start_box(CheckedHeader const& header, DecompressCall<Exec> const& call,
                        Region const& region) {
  require_chunk_count(call.function, static_cast<std::int64_t>(header.info.chunks));
  std::vector<std::int64_t> const chunks = touched_chunks(header, region);
  std::size_t const most = std::min(chunks.size(), region_chunks);
  auto const book = codebook_head_of(header, call);
  BoxMemory const memory(chunks.size(), book.radius, sizeof(T));
  WorkspaceSizes const sizes = memory.sizes();
  call.workspace->reserve(call.exec, sizes);
  std::byte* const scratch = call.workspace->device_bytes(sizes.scratch);
  std::byte* const host_list = call.workspace->readback_bytes(sizes.readback) + result_bytes;
  auto const* const list = upload(call.exec, chunks, host_list, scratch + memory.book_bytes);
  auto* const values = reinterpret_cast<T*>(scratch + memory.book_bytes + memory.list_bytes);
  DecodeResult* const result = clear_result(*call.workspace);
  StridedBox const box(header.info.shape, call.field.strides, region.begin.data(),
                       region.end.data());
  {
    FpEnvironment const environment;
    auto args = checked_args(header, call, book, scratch, values, result, environment);
    for (std::size_t first = 0; first < chunks.size(); first += most) {
      args.chunks = list + first;
      args.listed = static_cast<std::int64_t>(std::min(most, chunks.size() - first));
      decode_by<Tag>(call.exec, header.front, args);
      with_stored<T>(header.info.shape.dtype, [&]<class Stored>(Stored) {
        place_box(call.exec, args, box, static_cast<Stored*>(call.field.data));
      });
    }
  }
  return result;
}

/// The View's type and extents are those of the region.
inline void require_region_view(FieldShape const& stream, Region const& region,
                                FieldShape const& view) {
  FieldShape wanted = stream;
  for (std::size_t i = 0; i < region.begin.size(); ++i) {
    wanted.extents[i] = region.end[i] - region.begin[i];
  }
  require_same_field("decompress_region: the region holds ", wanted, view);
}

template <class Exec>
DecompressCall<Exec> start_decompress_region(Exec const& exec, std::byte const* stream,
                                             std::size_t memory_bytes, bool exact,
                                             Workspace<Exec>& workspace,
                                             std::span<std::size_t const> begin,
                                             std::span<std::size_t const> end,
                                             StridedData const& field) {
  Kokkos::Profiling::ScopedRegion const profiled("kompakt::decompress_region");
  using Tag = backend_tag_t<Exec>;
  DecompressCall<Exec> call{exec, stream, memory_bytes, exact, &workspace, field};
  call.function = "decompress_region";
  require_field(call.function, field.data, field.shape);
  require_aligned(call.function, stream);
  return as_errors(call.function, [&] {
    CheckedHeader const header = fetch_header(call);
    Region const region{begin, end};
    require_region(call.function, header.info.shape, region);
    require_region_view(header.info.shape, region, field.shape);
    call.info = header.info;
    call.knows_header = true;
    if (region.is_empty()) return call;
    call.result = region.is_all_of(header.info.shape)
                      ? start_known<Tag>(header, call)
                      : with_values(field.shape.dtype, [&]<class T>(T) {
                          return start_box<Tag, T>(header, call, region);
                        });
    return call;
  });
}

}  // namespace kompakt::impl

#endif
