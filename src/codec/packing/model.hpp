#ifndef KOMPAKT_PACKING_MODEL_HPP
#define KOMPAKT_PACKING_MODEL_HPP

#include <core/rans.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kompakt::impl {

/// How often each byte occurs behind bytes of each class.
struct ByteCounts {
  std::uint64_t count[rans::classes][256];
};

/// Frequencies of the bytes of a payload: what packing and unpacking look up, and what a stream stores.
class ByteModel {
 public:
  /// Of the number of tables with which these counts take least, by the sizes of codes and tables.
  static ByteModel of(ByteCounts const& counts);

  /// As it lies in a stream.
  std::vector<std::byte> bytes() const;
  /// The reverse; none unless bytes() would give these, with zeros behind.
  static std::optional<ByteModel> read(std::span<std::byte const> bytes);

  int tables() const { return static_cast<int>(m_levels.size()); }
  /// 256 for each table.
  std::vector<rans::Frequency> frequencies() const;
  /// 2^11 for each table.
  std::vector<rans::Step> steps() const;
  /// Of these counts, in bytes, without tables.
  std::uint64_t coded_bytes(ByteCounts const& counts) const;

 private:
  // Of each byte in each table the number of its frequency in a list of 40.
  std::vector<std::vector<std::uint8_t>> m_levels;
};

}  // namespace kompakt::impl

#endif
