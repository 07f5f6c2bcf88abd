#ifndef KOMPAKT_HDF5_HPP
#define KOMPAKT_HDF5_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <kompakt/batch.hpp>
#include <kompakt/chunks.hpp>
#include <kompakt/field_range.hpp>
#include <kompakt/h5z.h>
#include <kompakt/kompakt.hpp>
#include <span>
#include <type_traits>
#include <vector>

// For C++ applications that have HDF5 and Kokkos: fields are compressed where they lie, chunk by chunk, and only streams
// go to the host. CMake's kompakt::h5z.

namespace kompakt::hdf5 {

/// A dataset that a field is written to chunk by chunk.
class ChunkWriter {
 public:
  using Indices = std::array<std::size_t, max_rank>;

  /// \param dataset  open for writing
  /// \param field    type and extents of what is to be written
  /// \throws Error type_mismatch if the dataset has others, bad_argument if it does not have the filter, alone and with
  ///         words that can be used
  ChunkWriter(hid_t dataset, FieldShape const& field);

  /// Extents of a chunk, in C order.
  FieldShape const& chunk_shape() const { return m_chunk; }
  std::size_t chunk_count() const;
  /// Origin of a chunk in the dataset.
  Indices origin(std::size_t number) const;
  /// Values of a chunk that lie in the dataset; the last ones along an index may have fewer than others.
  Indices extents(std::size_t number) const;

  /// Writes the stream of a chunk, which is in host memory and sound.
  /// \throws Error io if HDF5 fails; its error stack says why
  void write(std::size_t number, std::span<std::byte const> stream);

 private:
  hid_t m_dataset;
  FieldShape m_field{}, m_chunk{};
  bool m_extents_are_known = true;  ///< whether the filter knows the extents of m_chunk
  std::vector<std::byte> m_abridged;
};

namespace impl {

/// Copies a part of a field to a whole chunk in C order; behind the end of the field values repeat, which cost least.
template <class Bits>
struct PadChunk {
  Bits const* from;
  Bits* to;
  int rank;
  Kokkos::Array<std::int64_t, max_rank> chunk, extents, strides;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t rest = i, at = 0;
    for (int axis = rank - 1; axis >= 0; --axis) {
      std::int64_t const index = rest % chunk[axis];
      rest /= chunk[axis];
      at += (index < extents[axis] ? index : extents[axis] - 1) * strides[axis];
    }
    to[i] = from[at];
  }
};

/// Unsigned integers of as many bytes: values are moved, not looked at.
template <class T>
using BitsOf = std::conditional_t<
    sizeof(T) == 8, std::uint64_t,
    std::conditional_t<sizeof(T) == 4, std::uint32_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;

/// The options with which all chunks of a field get the bound that the field has.
/// \param options  of the whole field
template <class Exec, class V>
Options options_of_chunks(Exec const& exec, V const& field, Options const& options,
                          Workspace<Exec>& workspace) {
  Dtype const dtype = shape_of(field).dtype;
  if (is_integer(dtype)) return options_for_type(dtype, options);
  bool const looks_for_fill = options.fill.mode == FillValue::Mode::automatic;
  bool const looks_for_range = options.bound.needs_range() && options.range == 0;
  FieldRange range{true, 0, options.range, {}, {}};
  if (looks_for_fill || looks_for_range) {
    range = kompakt::field_range(exec, field, options.fill, workspace);
  }
  return options_for_chunks(range, options, [&](Options const& whole) {
    CompressedStream<typename Exec::memory_space> stream;
    compress(exec, field, whole, workspace, stream);
    return stream.info().abs_bound;
  });
}

/// Chunks of a field as compress_batch() takes them.
template <class Exec, class V>
class ChunkSource {
 public:
  using Value = typename V::non_const_value_type;
  using Bits = BitsOf<Value>;

  ChunkSource(Exec const& exec, V const& field, ChunkWriter const& writer)
      : m_exec(exec),
        m_field(field),
        m_writer(writer),
        m_strides(kompakt::impl::strides_of_view(field)) {}

  /// A chunk of the field, where it lies or, at its end, as a copy that lives as long as this.
  ConstStridedData chunk(std::size_t number) {
    ChunkWriter::Indices const origin = m_writer.origin(number), extents = m_writer.extents(number);
    FieldShape const& shape = m_writer.chunk_shape();
    std::int64_t offset = 0;
    bool whole = true;
    for (int i = 0; i < shape.rank; ++i) {
      auto const axis = static_cast<std::size_t>(i);
      offset += static_cast<std::int64_t>(origin[axis]) * m_strides[axis];
      whole = whole && extents[axis] == shape.extents[axis];
    }
    Value const* const first = m_field.data() + offset;
    if (whole) return {first, shape, m_strides};
    return {ConstFieldData(padded(first, extents), shape)};
  }

 private:
  Bits const* padded(Value const* first, ChunkWriter::Indices const& extents) {
    FieldShape const& shape = m_writer.chunk_shape();
    auto const count = static_cast<std::int64_t>(shape.size());
    m_copies.emplace_back(
        Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "kompakt::hdf5::chunk"),
        shape.size());
    PadChunk<Bits> pad{
        reinterpret_cast<Bits const*>(first), m_copies.back().data(), shape.rank, {}, {}, {}};
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(shape.rank); ++axis) {
      pad.chunk[axis] = static_cast<std::int64_t>(shape.extents[axis]);
      pad.extents[axis] = static_cast<std::int64_t>(extents[axis]);
      pad.strides[axis] = m_strides[axis];
    }
    Kokkos::parallel_for(
        "kompakt::hdf5::pad_chunk",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(m_exec, 0, count), pad);
    return m_copies.back().data();
  }

  Exec m_exec;
  V m_field;
  ChunkWriter const& m_writer;
  Strides m_strides;
  std::vector<Kokkos::View<Bits*, Exec>> m_copies;
};

/// Number of chunks that are compressed at once: enough to fill a GPU, and 256 MiB of values at most.
inline std::size_t chunks_at_once(FieldShape const& chunk) {
  constexpr std::size_t most = 1024, max_bytes = 256 << 20;
  return std::clamp(max_bytes / chunk.bytes(), std::size_t{1}, most);
}

}  // namespace impl

/// Compresses a field chunk by chunk where it lies, many chunks at once, and writes the streams: no values go to the
/// host, and none through HDF5. A bound relative to the range and a PSNR refer to the whole field. All chunks then have the
/// same absolute bound; for a PSNR the field is compressed twice, unless levels are interpolated.
/// \param exec     instance that runs every kernel and copy
/// \param dataset  of the field's type and extents, with chunks and the filter, and no other one; what its words say of
///                 the bound is for those who write to it later
/// \param field    a View of rank 1 to 8 in memory that Exec reaches, in any layout
/// \param options  as in compress()
/// \throws Error as ChunkWriter and compress(); io if HDF5 fails
/// \note returns when HDF5 has the streams; takes memory of Exec for up to 256 MiB of values, twice
template <class Exec, Field V>
void write_chunks(Exec const& exec, hid_t dataset, V const& field, Options const& options = {}) {
  static_assert(FieldReachableFrom<V, Exec>,
                "kompakt: the View must lie in memory that the execution space reaches");
  ChunkWriter writer(dataset, shape_of(field));
  Workspace<Exec> workspace(exec);
  Options const wanted = impl::options_of_chunks(exec, field, options, workspace);
  std::size_t const at_once = impl::chunks_at_once(writer.chunk_shape());
  std::vector<CompressedStream<typename Exec::memory_space>> streams(
      std::min(at_once, writer.chunk_count()));
  for (std::size_t begin = 0; begin < writer.chunk_count(); begin += at_once) {
    impl::ChunkSource<Exec, V> source(exec, field, writer);
    std::size_t const count = std::min(at_once, writer.chunk_count() - begin);
    std::vector<ConstStridedData> chunks;
    for (std::size_t i = 0; i < count; ++i) chunks.push_back(source.chunk(begin + i));
    compress_batch(exec, chunks, wanted, workspace, std::span(streams).first(count));
    for (std::size_t i = 0; i < count; ++i) writer.write(begin + i, streams[i].to_host());
  }
}

}  // namespace kompakt::hdf5

#endif
