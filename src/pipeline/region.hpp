#ifndef KOMPAKT_PIPELINE_REGION_HPP
#define KOMPAKT_PIPELINE_REGION_HPP

#include <container/header.hpp>
#include <cstddef>
#include <cstdint>
#include <kompakt/field.hpp>
#include <span>
#include <vector>

namespace kompakt::impl {

/// A box of a field: for each index, first index first, where it begins and what is behind its end.
struct Region {
  std::span<std::size_t const> begin, end;

  bool is_empty() const;
  bool is_all_of(FieldShape const& shape) const;
};

/// The region lies in a field of this shape.
void require_region(char const* function, FieldShape const& shape, Region const& region);

/// The type and extents of a field are those of a region of the stream's.
void require_region_view(FieldShape const& stream, Region const& region, FieldShape const& field);

/// The chunks that have values of a region of the stream's field, which is not empty; ascending.
std::vector<std::int64_t> touched_chunks(Header const& header, Region const& region);

}  // namespace kompakt::impl

#endif
