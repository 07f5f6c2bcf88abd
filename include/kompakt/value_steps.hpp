#ifndef KOMPAKT_VALUE_STEPS_HPP
#define KOMPAKT_VALUE_STEPS_HPP

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace kompakt {

/// Numbers that all values of a field are made of: decimals of a text file, integers that a program has multiplied by a scale
/// factor, doubles that hold floats. Without loss whole numbers k then stand for the values, and take far fewer bits. A value that
/// is no such number is stored as it is, so wrong steps cost space and no value. Every operation is rounded on its own.
struct ValueSteps {
  /// The numbers are part of the format.
  enum class Kind : std::uint8_t {
    none = 0,       ///< values are not looked at as steps
    multiples = 1,  ///< k * step + offset in double, rounded to the type of the values
    rounded = 2,    ///< as multiples, with k * step rounded to that type before the offset is added
    quotients =
        3,  ///< k / step + offset in double, rounded to that type: with a step of 100 numbers with two decimals
    bits = 4,       ///< values whose lowest `step` bits are zero; the offset is 0
    automatic = 5,  ///< found by choose(), else none; not stored
  };

  Kind kind = Kind::automatic;
  double step =
      0;  ///< positive and finite; of bits a whole number below the bits of the mantissa; of none and automatic 0
  double offset = 0;  ///< finite

  static constexpr ValueSteps none() { return {Kind::none, 0, 0}; }
  KOKKOS_INLINE_FUNCTION constexpr bool any() const {
    return kind != Kind::none && kind != Kind::automatic;
  }
  friend bool operator==(ValueSteps const&, ValueSteps const&) = default;
};

}  // namespace kompakt

#endif
