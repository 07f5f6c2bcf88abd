#ifndef KOMPAKT_CLI_SLABS_HPP
#define KOMPAKT_CLI_SLABS_HPP

#include "exec.hpp"
#include <cstddef>
#include <cstdint>
#include <files/field_file.hpp>
#include <kompakt/field.hpp>
#include <kompakt/field_range.hpp>
#include <kompakt/options.hpp>
#include <kompakt/slabs.hpp>
#include <kompakt/stream.hpp>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace kompakt::cli {

/// The parts of a field of any size, so that it is compressed in memory of a fixed size. Depends on shape, options and
/// limit alone.
class Slabs : public kompakt::Slabs {
 public:
  /// One part, if the field and its stream fit into the memory; else parts of which two fit, and two
  /// streams.
  /// \param memory_bytes  limit for all that the program needs
  /// \throws Error bad_argument if that is too little to work with
  Slabs(FieldShape const& shape, Options const& options, std::uint64_t memory_bytes);
  /// \param part_bytes  bytes that a part takes, and all that is kept for it
  Slabs(FieldShape const& shape, PartBytes const& part_bytes, std::uint64_t memory_bytes);
};

/// What no memory holds, for parts that must be cut. Sums of several of it do not fit in 64 bits.
inline constexpr std::uint64_t no_memory = std::numeric_limits<std::uint64_t>::max();

/// max_compressed_bytes() of a part; no_memory for one that has too many chunks for one call.
/// \param options  that are valid
std::uint64_t max_stream_bytes(FieldShape const& part, Options const& options);

/// The values of the next part of a file, which replace those of `values`.
/// \throws Error bad_argument if the file ends before
void read_slab(files::FieldReader& file, FieldShape const& part, std::vector<std::byte>& values);

/// The slabs of a field, one after the other. The first one may be looked at before.
class SlabReader {
 public:
  SlabReader(files::FieldReader& file, Slabs const& slabs) : m_file(file), m_slabs(slabs) {}

  /// The values of the first slab, which the first read() hands out.
  std::span<std::byte const> first();
  /// Bytes of it that have been read so.
  std::uint64_t read_ahead_bytes() const { return m_first.size(); }
  /// The values of the next slab, which replace those of `values`; false behind the last. That the file ends there
  /// is checked before the last one is handed out: what had been written to a pipe would else be a whole field.
  /// \throws Error as files::FieldReader
  bool read(std::vector<std::byte>& values);

 private:
  files::FieldReader& m_file;
  Slabs const& m_slabs;
  std::uint64_t m_next = 0;
  std::vector<std::byte> m_first;
};

/// Throws Error bad_argument for a pipe, which cannot be read a second time when its range is known.
/// \param memory  into which it does not fit, if that would have helped
void require_range_in_reach(files::FieldReader const& file, char const* mode,
                            MemoryLimit const* memory = nullptr);

/// The range of a field, and its fill value, which is that of all slabs. Reads the file, twice if the fill
/// value is sought and not all slabs tell it, and rewinds it.
/// \throws Error as require_range_in_reach() and files::FieldReader
FieldRange range_of(files::FieldReader& file, Slabs const& slabs, Space space,
                    FillValue const& fill);

}  // namespace kompakt::cli

#endif
