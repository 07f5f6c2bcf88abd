#ifndef KOMPAKT_CORE_RECORD_HPP
#define KOMPAKT_CORE_RECORD_HPP

#include <Kokkos_Macros.hpp>
#include <core/bits.hpp>
#include <core/types.hpp>
#include <cstdint>

// What every coder's records have in common. A record is one of
//   empty   no words: every residual, the base and the exception list are zero or empty
//   raw     exactly the tile's values inside the field, bit for bit, in natural order
//   coded   head word | base words | tail word | coder's words | mask | signs | exceptions
// A coded record is always shorter than the raw one, so its length tells which it is.

namespace kompakt::impl {

/// What a coder may know of a tile beside its residuals.
struct CodedTile {
  bool has_classes =
      false;  ///< whether residuals lie by classes (half_tile.hpp), and class 0 has none
  /// How many points along each axis are inside the field; residuals of the others are 0.
  int nx = tile_values, ny = tile_values, nz = tile_values;
  /// Of a chain: a bit for each masked place, 32 in a word. What residuals come to there does not matter.
  std::uint32_t const* masked = nullptr;

  KOKKOS_FORCEINLINE_FUNCTION bool is_masked(int place) const {
    return masked != nullptr && (masked[place / 32] >> place % 32 & 1u) != 0;
  }
};

/// The context of a coder with what it asks for of a tile.
template <class Context>
KOKKOS_FORCEINLINE_FUNCTION Context context_of_tile(Context context,
                                                    [[maybe_unused]] CodedTile const& tile) {
  if constexpr (requires { context.tile; }) context.tile = tile;
  return context;
}
/// Whether a coder asks for masks of tiles of a shape.
template <class Context, class Predictor, class Shape>
inline constexpr bool takes_masks = requires(Context context) {
  context.tile;
}
&&!Predictor::has_levels && Shape::Y == 1;

/// Words of a list of places and values, such as the exceptions: 16-bit places (in lanes), padded to a
/// word, then the values' bits.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr int list_words(int count) {
  return ceil_div(count, 2) + count * value_words<T>;
}

/// What follows the coder's words of a record.
///   bits 0-15   the number of exceptions
///   bits 16-23  the mask: of fill values, and of zeros where the bound is relative to each value
///   bits 24-31  the signs, only where the bound is relative to each value
/// Of both: 0 no place has a bit, 1 every place inside the field has one, else how many words tell which, 2
/// to 34 (tile_mask.hpp).
struct RecordTail {
  static constexpr int all = 1, most = tile_lanes + 2;
  std::uint32_t word = 0;

  KOKKOS_FORCEINLINE_FUNCTION static RecordTail make(int exceptions, int mask, int signs) {
    return {static_cast<std::uint32_t>(exceptions) | static_cast<std::uint32_t>(mask) << 16 |
            static_cast<std::uint32_t>(signs) << 24};
  }
  KOKKOS_FORCEINLINE_FUNCTION bool any() const { return word != 0; }
  KOKKOS_FORCEINLINE_FUNCTION int exceptions() const { return static_cast<int>(word & 0xffffu); }
  KOKKOS_FORCEINLINE_FUNCTION int mask() const { return static_cast<int>(word >> 16 & 0xffu); }
  KOKKOS_FORCEINLINE_FUNCTION int signs() const { return static_cast<int>(word >> 24); }
  KOKKOS_FORCEINLINE_FUNCTION int mask_words() const { return words_of(mask()); }
  KOKKOS_FORCEINLINE_FUNCTION int sign_words() const { return words_of(signs()); }
  /// Whether places hold something else than what their bin and sign tell.
  KOKKOS_FORCEINLINE_FUNCTION bool overwrites() const { return (word & 0xffffffu) != 0; }
  /// Whether nothing but one masked value is in the tile.
  KOKKOS_FORCEINLINE_FUNCTION bool is_one_value() const { return mask() == all && signs() <= all; }
  /// Words behind the coder's.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION int words() const {
    return mask_words() + sign_words() + list_words<T>(exceptions());
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static int words_of(int code) { return code == all ? 0 : code; }
};

/// First word of a coded record.
///   bits 0-1    how the base is stored: 0 it is zero, 1 in bits 16-31, 2 in the next word, 3 in the
///               next two words; zig-zagged
///   bit  2      a tail word follows: RecordTail
///   bits 3-15   the coder's own
///   bits 16-31  short base
struct RecordHead {
  std::uint32_t word = 0;

  KOKKOS_FORCEINLINE_FUNCTION int base_words() const {
    int const code = static_cast<int>(word & 3u);
    return code < 2 ? 0 : code - 1;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool has_tail() const { return (word & 4u) != 0; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t coder_bits() const { return (word >> 3) & 0x1fffu; }
  /// Words in front of the coder's.
  KOKKOS_FORCEINLINE_FUNCTION int words() const { return 1 + base_words() + (has_tail() ? 1 : 0); }

  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION static RecordHead make(U base, RecordTail tail,
                                                     std::uint32_t coder_bits) {
    U const code = zigzag(base);
    std::uint32_t const form =
        code == 0 ? 0u : (code < 65536u ? 1u : (bit_width(code) <= 32 ? 2u : 3u));
    std::uint32_t const short_base = form == 1 ? static_cast<std::uint32_t>(code) << 16 : 0u;
    return {form | (tail.any() ? 4u : 0u) | (coder_bits << 3) | short_base};
  }
};

/// Writes head, base and tail word; by one thread.
template <class U>
KOKKOS_INLINE_FUNCTION void write_head(RecordHead head, U base, RecordTail tail,
                                       std::uint32_t* out) {
  U const code = zigzag(base);
  *out++ = head.word;
  for (int i = 0; i < head.base_words(); ++i) {
    *out++ = static_cast<std::uint32_t>(code >> (i * 32 % (sizeof(U) * 8)));
  }
  if (head.has_tail()) *out = tail.word;
}

/// The base of a record whose head.words() words are known to exist.
template <class U>
KOKKOS_INLINE_FUNCTION U read_base(RecordHead head, std::uint32_t const* record) {
  U code = 0;
  if ((head.word & 3u) == 1) code = head.word >> 16;
  for (int i = 0; i < head.base_words(); ++i) {
    code |= static_cast<U>(record[1 + i]) << (i * 32 % (sizeof(U) * 8));
  }
  return unzigzag(code);
}

/// Words of a value, stored and loaded one by one: records are aligned to 4 bytes only.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void store_value(T value, std::uint32_t* out) {
  auto const bits = Kokkos::bit_cast<unsigned_t<T>>(value);
  out[0] = static_cast<std::uint32_t>(bits);
  if constexpr (sizeof(T) == 8) out[1] = static_cast<std::uint32_t>(bits >> 32);
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION T load_value(std::uint32_t const* in) {
  unsigned_t<T> bits = in[0];
  if constexpr (sizeof(T) == 8) bits |= static_cast<std::uint64_t>(in[1]) << 32;
  return Kokkos::bit_cast<T>(bits);
}

}  // namespace kompakt::impl

#endif
