#include "dataset.hpp"
#include <algorithm>
#include <container/abridged.hpp>
#include <kompakt/hdf5.hpp>

namespace kompakt::hdf5 {

namespace {

/// An identifier that is closed at the end.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : m_id(id), m_close(close) {
    if (id < 0)
      throw Error(Status::bad_argument, "write_chunks", "this is not an open dataset of HDF5", "");
  }
  ~Handle() { m_close(m_id); }
  Handle(Handle const&) = delete;
  Handle& operator=(Handle const&) = delete;
  operator hid_t() const noexcept { return m_id; }

 private:
  hid_t m_id;
  herr_t (*m_close)(hid_t);
};

/// The extents of a dataset, with the type and in the order of a field.
FieldShape shape_of_dataset(hid_t space, Dtype dtype) {
  FieldShape shape;
  shape.dtype = dtype;
  shape.rank = H5Sget_simple_extent_ndims(space);
  if (shape.rank < 1 || shape.rank > max_rank) {
    refuse("write_chunks takes datasets of rank 1 to 8, this one has " +
           std::to_string(shape.rank));
  }
  hsize_t extents[max_rank];
  H5Sget_simple_extent_dims(space, extents, nullptr);
  std::copy_n(extents, shape.rank, shape.extents.begin());
  return shape;
}

FieldShape in_c_order(FieldShape shape) {
  shape.order = Order::last_fastest;
  return shape;
}

/// Chunks along each index.
ChunkWriter::Indices counts(FieldShape const& field, FieldShape const& chunk) {
  ChunkWriter::Indices counts{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(field.rank); ++i) {
    counts[i] = (field.extents[i] + chunk.extents[i] - 1) / chunk.extents[i];
  }
  return counts;
}

}  // namespace

ChunkWriter::ChunkWriter(hid_t dataset, FieldShape const& field)
    : m_dataset(dataset), m_field(in_c_order(field)) {
  Handle const dcpl(H5Dget_create_plist(dataset), H5Pclose);
  Handle const type(H5Dget_type(dataset), H5Tclose);
  Handle const space(H5Dget_space(dataset), H5Sclose);
  Functions const& hdf5 = *functions_of(nullptr);
  DatasetFilter const filter = filter_of(hdf5, dcpl, type);
  if (H5Pget_nfilters(dcpl) != 1) refuse("write_chunks takes datasets without other filters");
  FieldShape const known = coding_of(filter.words).shape;
  FieldShape const found = shape_of_dataset(space, known.dtype);
  if (found != m_field) {
    throw Error(Status::type_mismatch, "write_chunks",
                "type or extents of the field and of the dataset differ",
                "create the dataset with the type and extents of the field");
  }
  m_chunk = m_field;
  Size extents[max_rank];
  hdf5.H5Pget_chunk(dcpl, max_rank, extents);
  std::copy_n(extents, m_chunk.rank, m_chunk.extents.begin());
  auto const three = three_of({extents, static_cast<std::size_t>(m_chunk.rank)});
  m_extents_are_known = std::equal(three.begin(), three.end(), known.extents.begin());
}

std::size_t ChunkWriter::chunk_count() const {
  Indices const along = counts(m_field, m_chunk);
  std::size_t count = 1;
  for (int i = 0; i < m_field.rank; ++i) count *= along[static_cast<std::size_t>(i)];
  return count;
}

ChunkWriter::Indices ChunkWriter::origin(std::size_t number) const {
  Indices const along = counts(m_field, m_chunk);
  Indices origin{};
  for (auto i = static_cast<std::size_t>(m_field.rank); i-- > 0; number /= along[i]) {
    origin[i] = number % along[i] * m_chunk.extents[i];
  }
  return origin;
}

ChunkWriter::Indices ChunkWriter::extents(std::size_t number) const {
  Indices extents = origin(number);
  for (std::size_t i = 0; i < static_cast<std::size_t>(m_field.rank); ++i) {
    extents[i] = std::min(m_chunk.extents[i], m_field.extents[i] - extents[i]);
  }
  return extents;
}

void ChunkWriter::write(std::size_t number, std::span<std::byte const> stream) {
  m_abridged.resize(std::max(m_abridged.size(), stream.size()));
  std::size_t bytes = m_extents_are_known ? kompakt::impl::abridge(stream, m_abridged.data()) : 0;
  void const* const stored = bytes > 0 ? m_abridged.data() : stream.data();
  if (bytes == 0) bytes = stream.size();
  Indices const at = origin(number);
  hsize_t offset[max_rank];
  std::copy_n(at.begin(), m_field.rank, offset);
  if (H5Dwrite_chunk(m_dataset, H5P_DEFAULT, 0, offset, bytes, stored) >= 0) return;
  throw Error(Status::io, "write_chunks", "HDF5 cannot write chunk " + std::to_string(number),
              "its error stack says why");
}

}  // namespace kompakt::hdf5
