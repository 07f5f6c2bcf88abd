#ifndef KOMPAKT_BYTE_ORDER_HPP
#define KOMPAKT_BYTE_ORDER_HPP

#include <cstddef>
#include <kompakt/field.hpp>
#include <span>

namespace kompakt {

/// Reverses the bytes of each value, so that big-endian values become little-endian ones and the other way round. The parts of
/// complex numbers are values of their own.
/// \param values  on the host, of this type
void swap_bytes(std::span<std::byte> values, Dtype dtype);

}  // namespace kompakt

#endif
