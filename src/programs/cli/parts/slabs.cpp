#include "slabs.hpp"
#include "stages.hpp"
#include <algorithm>
#include <cmath>
#include <kompakt/any_codec.hpp>
#include <kompakt/compress.hpp>
#include <kompakt/error.hpp>
#include <limits>
#include <utility>

namespace kompakt::cli {

namespace {

// Above what any memory holds, and so few that sums of several of their lengths in bytes fit in 64 bits.
constexpr std::size_t max_values_of_part = std::size_t{1} << 56;

// Memory of a part and its stream, of the words or numbers that integers become, of packing, and of the levels of
// interpolation, of half of the values at most along two axes or more: slabs are the same wherever they are compressed.
std::uint64_t bytes_with_stream(FieldShape const& shape, Options const& options) {
  std::uint64_t const stream = max_stream_bytes(shape, options);
  if (stream == no_memory) return no_memory;
  bool const is_narrow = size_of(shape.dtype) < 4;
  bool const is_copied = is_narrow || are_rounded(shape.dtype, options.bound.mode);
  std::uint64_t const words = is_copied ? (is_narrow ? 4 : 8) * shape.size() : 0;
  bool const has_levels = options.predictor == Predictor::interpolate;
  auto const axes = std::count_if(shape.extents.begin(), shape.extents.begin() + shape.rank,
                                  [](std::size_t extent) { return extent > 1; });
  std::uint64_t const levels = has_levels ? 4 * shape.size() / (axes > 1 ? 2 : 1) : 0;
  std::uint64_t const packing = options.pack ? 5 * shape.bytes() / 8 : 0;  // and what it counts
  return shape.bytes() + words + levels + packing + stream;
}

// What is left for parts.
std::uint64_t buffer_bytes(std::uint64_t memory_bytes) {
  if (memory_bytes < least_memory) {
    throw Error(Status::bad_argument,
                "--memory: " + std::to_string(memory_bytes) + " bytes are too few",
                "give at least " + std::to_string(least_memory >> 20) + "M");
  }
  return memory_bytes - program_memory;
}

kompakt::Slabs cut(FieldShape const& shape, Slabs::PartBytes const& part_bytes,
                   std::uint64_t bytes) {
  if (part_bytes(shape) <= bytes) return kompakt::Slabs(shape);
  return kompakt::Slabs(shape, part_bytes, bytes / 2);
}

}  // namespace

Slabs::Slabs(FieldShape const& shape, Options const& options, std::uint64_t memory_bytes)
    : Slabs(
          shape, [&](FieldShape const& part) { return bytes_with_stream(part, options); },
          memory_bytes) {}

Slabs::Slabs(FieldShape const& shape, PartBytes const& part_bytes, std::uint64_t memory_bytes)
    : kompakt::Slabs(cut(shape, part_bytes, buffer_bytes(memory_bytes))) {}

std::uint64_t max_stream_bytes(FieldShape const& part, Options const& options) {
  if (part.size() > max_values_of_part) return no_memory;
  try {
    return max_compressed_bytes(part, options);
  } catch (Error const& error) {
    if (error.status() != Status::bad_argument) throw;
    return no_memory;  // more chunks than one call takes: all else of it is valid
  }
}

void read_slab(files::FieldReader& file, FieldShape const& part, std::vector<std::byte>& values) {
  values.resize(part.bytes());
  file.read(values);
}

namespace {

/// The ranges of all slabs as one, and whether they agree on the fill value.
struct JoinedRange {
  FieldRange all;
  bool agree = true;

  void add(FieldRange const& slab) {
    // Bits of NaNs do not count here: a NaN has no part in a range.
    auto const same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    if (slab.fill && all.fill) agree = agree && same(*slab.fill, *all.fill);
    all = joined(all, slab);
  }
  /// Whether a slab has counted the fill value of another one.
  bool has_counted_fill() const {
    return all.fill && (!agree || *all.fill == all.min || *all.fill == all.max);
  }
};

JoinedRange join_ranges(files::FieldReader& file, Slabs const& slabs, Space space,
                        FillValue const& fill) {
  AnyCodec codec(space);
  std::vector<std::byte> values[2];
  JoinedRange joined;
  auto const read = [&](std::uint64_t k) {
    if (k < slabs.count()) read_slab(file, slabs.shape(k), values[k % 2]);
    return k < slabs.count();
  };
  in_stages(
      read,
      [&](std::uint64_t k) {
        ConstFieldData const slab(values[k % 2].data(), slabs.shape(k));
        joined.add(codec.field_range(slab, MemoryOf::host, fill));
      },
      [](std::uint64_t) {});
  file.rewind();
  return joined;
}

}  // namespace

std::span<std::byte const> SlabReader::first() {
  if (m_first.empty()) read_slab(m_file, m_slabs.shape(0), m_first);
  return m_first;
}

bool SlabReader::read(std::vector<std::byte>& values) {
  if (m_next == m_slabs.count()) return false;
  if (m_next == 0 && !m_first.empty()) {
    values = std::exchange(m_first, {});
  } else {
    read_slab(m_file, m_slabs.shape(m_next), values);
  }
  if (++m_next == m_slabs.count()) m_file.require_end();
  return true;
}

void require_range_in_reach(files::FieldReader const& file, char const* mode,
                            MemoryLimit const* memory) {
  if (file.can_rewind()) return;
  std::string const limit = memory == nullptr
                                ? ""
                                : ", which does not fit into the " + std::to_string(memory->bytes) +
                                      " bytes of memory allowed by " + memory->source;
  throw Error(Status::bad_argument, std::string("-m ") + mode +
                                        ": the range of values from a pipe" + limit +
                                        " is not known before its end; "
                                        "give --range, or -m abs");
}

FieldRange range_of(files::FieldReader& file, Slabs const& slabs, Space space,
                    FillValue const& fill) {
  require_range_in_reach(file, "r2r");
  JoinedRange const joined = join_ranges(file, slabs, space, fill);
  if (!joined.has_counted_fill()) return joined.all;
  return join_ranges(file, slabs, space, joined.all.fills(fill)).all;
}

}  // namespace kompakt::cli
