#ifndef KOMPAKT_PIPELINE_REGION_HPP
#define KOMPAKT_PIPELINE_REGION_HPP

#include <algorithm>
#include <container/header.hpp>
#include <core/lattice.hpp>
#include <cstddef>
#include <cstdint>
#include <kompakt/box.hpp>
#include <kompakt/field.hpp>
#include <vector>

namespace kompakt::impl {

/// The region lies in a field of this shape.
void require_region(FieldShape const& shape, Box const& region);
/// A box of a stream's field as one of its values: of complex numbers with the index of their parts.
Box box_of_values(Header const& header, Box box);

/// The type and extents of a field are those of a region of the stream's.
void require_region_view(FieldShape const& stream, Box const& region, FieldShape const& field);

/// The chunks that decoding a region takes.
struct RegionChunks {
  std::vector<std::int64_t>
      numbers;  ///< ascending: those of levels above that of the field come first
  int tiles_of_chunk;

  // Of a predictor with levels.
  std::int64_t above[max_levels + 1];  ///< how many of each level above that of the field
  LevelParts parts;                    ///< what is wanted of each level, without memory

  std::size_t chunk_places() const {
    return static_cast<std::size_t>(tiles_of_chunk) * tile_values;
  }
  /// How many are decoded at a time: 64 MiB of floats.
  std::size_t at_a_time() const { return (std::size_t{1} << 24) / chunk_places(); }
  /// The values that are decoded at a time.
  std::size_t places_at_a_time() const {
    return std::min(numbers.size(), at_a_time()) * chunk_places();
  }
  /// How many are of levels above that of the field.
  std::size_t count_above() const;
};

/// Those of a region of the stream's field, which is not empty.
RegionChunks touched_chunks(Header const& header, Box const& region);

}  // namespace kompakt::impl

#endif
