#ifndef KOMPAKT_PIPELINE_REGION_HPP
#define KOMPAKT_PIPELINE_REGION_HPP

#include <container/header.hpp>
#include <cstddef>
#include <cstdint>
#include <kompakt/box.hpp>
#include <kompakt/field.hpp>
#include <vector>

namespace kompakt::impl {

/// The region lies in a field of this shape.
void require_region(char const* function, FieldShape const& shape, Box const& region);

/// The type and extents of a field are those of a region of the stream's.
void require_region_view(FieldShape const& stream, Box const& region, FieldShape const& field);

/// The chunks that have values of a region of the stream's field, which is not empty; ascending.
std::vector<std::int64_t> touched_chunks(Header const& header, Box const& region);

}  // namespace kompakt::impl

#endif
