#ifndef KOMPAKT_ADIOS2_BLOCK_CODEC_HPP
#define KOMPAKT_ADIOS2_BLOCK_CODEC_HPP

#include "block.hpp"
#include "parameters.hpp"
#include <cstddef>
#include <kompakt/any_codec.hpp>
#include <optional>
#include <plugin/target.hpp>
#include <span>

namespace kompakt::adios2 {

/// Values of a block.
struct BlockValues {
  std::byte const* data = nullptr;
  std::optional<Dtype> dtype;          ///< none: one that is kept as it is
  std::size_t value_bytes = 0;         ///< of one value
  std::span<std::size_t const> count;  ///< extents, that of the slowest index first; any rank

  std::size_t bytes() const;
};

/// Sees to it that blocks can be compressed there, which initialises Kokkos for the first caller.
/// \throws Error bad_argument, device
void require_space(plugin::Target const& target);

/// The most that a block of values takes.
std::size_t max_bytes(std::size_t value_bytes);

/// Compresses a block. What would not become smaller, and types that the library does not have, are kept as they are.
/// \param out  host memory for max_bytes(values.bytes())
/// \returns bytes written
/// \throws Error bad_argument, device
std::size_t write_block(Coding const& coding, plugin::Target const& target,
                        BlockValues const& values, std::byte* out);

/// Restores a block from anywhere; but for `out`, of which nobody says how long it is, nothing in it is trusted.
/// \param bytes  at least those of the block
/// \param out    in `out_in`, at least as long as the values were
/// \returns bytes of the values
/// \throws Error bad_magic, unsupported_version or corrupt, device
std::size_t read_block(std::span<std::byte const> bytes, plugin::Target const& target,
                       std::byte* out, MemoryOf out_in);

}  // namespace kompakt::adios2

#endif
