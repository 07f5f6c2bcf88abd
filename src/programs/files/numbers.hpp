#ifndef KOMPAKT_FILES_NUMBERS_HPP
#define KOMPAKT_FILES_NUMBERS_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <kompakt/field.hpp>
#include <span>

// Numbers of a type that is known only at run time.

namespace kompakt::files {

/// work() with a number of the type.
template <class Work>
auto with_number(Dtype type, Work const& work) {
  switch (type) {
    case Dtype::f32: return work(float{});
    case Dtype::f64: return work(double{});
    case Dtype::i8: return work(std::int8_t{});
    case Dtype::u8: return work(std::uint8_t{});
    case Dtype::i16: return work(std::int16_t{});
    case Dtype::u16: return work(std::uint16_t{});
    case Dtype::i32: return work(std::int32_t{});
    case Dtype::u32: return work(std::uint32_t{});
    case Dtype::i64: return work(std::int64_t{});
    case Dtype::u64: break;
  }
  return work(std::uint64_t{});
}

/// The number at a position of a field of this type.
template <class T>
T number_at(std::span<std::byte const> field, std::size_t position) {
  T number;
  std::memcpy(&number, field.data() + position * sizeof(number), sizeof(number));
  return number;
}

}  // namespace kompakt::files

#endif
