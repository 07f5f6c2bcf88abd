#ifndef KOMPAKT_CORE_RANS_HPP
#define KOMPAKT_CORE_RANS_HPP

#include <core/bits.hpp>
#include <cstdint>

// Range asymmetric numeral systems (Duda, "Asymmetric numeral systems", arXiv 1311.2540, 2013) over the bytes of up to 64
// words, which are called a lane: a state of 32 bits, from which 16 bits at a time are moved. Frequencies are of 2^11, and
// depend on how many bits of the byte before are set. Lanes are coded alone, so a thread takes one.

namespace kompakt::impl::rans {

inline constexpr int precision = 11;
inline constexpr std::uint32_t frequency_sum = 1u << precision;
inline constexpr int lane_words = 64;
inline constexpr int classes = 4;
inline constexpr std::uint32_t lowest_state = 1u << 16;

/// What a byte says of the next one: 0, 1, 2 or 3, and more bits that are set.
KOKKOS_FORCEINLINE_FUNCTION int class_of(std::uint32_t byte) {
  constexpr std::uint32_t class_of_count = 0x3ffa4;  // two bits for each number of bits from 0 to 8
  return static_cast<int>(class_of_count >> 2 * popcount(byte) & 3u);
}
/// Which of 1, 2 or 4 tables the byte behind it has: of 2 one behind 0 and one for all others.
KOKKOS_FORCEINLINE_FUNCTION int table_behind(std::uint32_t byte, int tables) {
  int const of_byte = class_of(byte);
  return of_byte < tables ? of_byte : tables - 1;
}

/// Of a byte in a table: its frequency, 0 if it does not occur, and the sum of those of smaller bytes.
struct alignas(8) Frequency {
  std::uint16_t count, below;
  std::uint32_t inverse;  ///< 2^32 / count, rounded down

  static constexpr Frequency of(std::uint32_t count, std::uint32_t below) {
    constexpr std::uint64_t one = std::uint64_t{1} << 32;
    return {static_cast<std::uint16_t>(count), static_cast<std::uint16_t>(below),
            static_cast<std::uint32_t>(count < 2 ? one - count : one / count)};
  }
  /// A state with this byte in front of what it holds.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t put(std::uint32_t state) const {
    // The product is the quotient or one less: a division takes three times as many instructions.
    auto quotient = static_cast<std::uint32_t>(std::uint64_t{state} * inverse >> 32);
    std::uint32_t rest = state - quotient * count;
    if (rest >= count) {
      ++quotient;
      rest -= count;
    }
    return (quotient << precision) + rest + below;
  }
};

/// For one of the 2^11 low parts of a state: the byte, its frequency, and the part's distance to the byte's first one.
struct Step {
  std::uint32_t bits;

  static constexpr Step of(std::uint32_t byte, std::uint32_t count, std::uint32_t distance) {
    return {byte | (count - 1) << 8 | distance << (8 + precision)};
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t byte() const { return bits & 0xffu; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t count() const {
    return (bits >> 8 & (frequency_sum - 1)) + 1;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t distance() const { return bits >> (8 + precision); }
};

KOKKOS_FORCEINLINE_FUNCTION std::uint32_t byte_of(std::uint32_t word, int i) {
  return word >> 8 * i & 0xffu;
}

/// Halfwords that are written from the last one to the first, two at a time.
class BackwardHalfwords {
 public:
  /// \param end  where they end, aligned to 4
  KOKKOS_FORCEINLINE_FUNCTION explicit BackwardHalfwords(std::uint16_t* end) : m_out(end) {}

  KOKKOS_FORCEINLINE_FUNCTION void put(std::uint32_t halfword) {
    m_pair = m_pair << 16 | (halfword & 0xffffu);
    if (++m_count % 2 == 0) store();
  }
  /// Stores what is left; returns how many there are.
  KOKKOS_FORCEINLINE_FUNCTION int finish() {
    if (m_count % 2 != 0) *--m_out = static_cast<std::uint16_t>(m_pair);
    return m_count;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void store() {
    m_out -= 2;
    KOKKOS_IF_ON_HOST((m_out[0] = static_cast<std::uint16_t>(m_pair);
                       m_out[1] = static_cast<std::uint16_t>(m_pair >> 16);))
    KOKKOS_IF_ON_DEVICE((*reinterpret_cast<std::uint32_t*>(m_out) = m_pair;))
  }

  std::uint16_t* m_out;
  std::uint32_t m_pair = 0;  // the later one low
  int m_count = 0;
};

/// Codes a lane, from its last byte to its first. The last two bytes are what the state begins with.
/// \param words  1 to lane_words of them
/// \param table  256 entries for each of `tables`, in which every byte of the lane occurs
/// \param end    where what is written ends, aligned to 4: memory for 2 * words halfwords lies in front of it
/// \returns how many halfwords there are; 2 * words, and nothing of meaning, unless there would be fewer
KOKKOS_INLINE_FUNCTION int encode_lane(std::uint32_t const* words, int count,
                                       Frequency const* table, int tables, std::uint16_t* end) {
  BackwardHalfwords out(end);
  int room = 2 * count - 3;  // beside the state, and to save one
  std::uint32_t word = words[count - 1];
  std::uint32_t state = lowest_state | word >> 16;
  for (int i = count - 1; i >= 0; --i) {
    std::uint32_t const before = i > 0 ? words[i - 1] : 0;
    KOMPAKT_UNROLL
    for (int b = 3; b >= 0; --b) {
      if (b > 1 && i == count - 1) continue;
      std::uint32_t const last = b > 0 ? byte_of(word, b - 1) : before >> 24;
      Frequency const f =
          table[256 * table_behind(last, tables) + static_cast<int>(byte_of(word, b))];
      if (state >> (32 - precision) >= f.count) {
        if (--room < 0) return 2 * count;
        out.put(state);
        state >>= 16;
      }
      state = f.put(state);
    }
    word = before;
  }
  if (room < 0) return 2 * count;
  out.put(state >> 16);
  out.put(state);
  return out.finish();
}

/// Decodes a lane of `count` words from `halfwords` ≥ 2 of them, whatever these are.
/// \param table  2^11 steps for each of `tables`
/// \returns whether they are what encode_lane() writes for these words
KOKKOS_INLINE_FUNCTION bool decode_lane(std::uint16_t const* in, int halfwords, Step const* table,
                                        int tables, int count, std::uint32_t* words) {
  std::uint32_t state = in[0] | static_cast<std::uint32_t>(in[1]) << 16;
  int at = 2;
  // Loaded as soon as the one before has been taken, which is two or three bytes before it is needed.
  std::uint32_t next = at < halfwords ? in[at] : 0;
  std::uint32_t last = 0;
  for (int i = 0; i < count; ++i) {
    std::uint32_t word = 0;
    KOMPAKT_UNROLL
    for (int b = 0; b < 4; ++b) {
      if (b > 1 && i == count - 1) continue;
      Step const step = table[(table_behind(last, tables) << precision) +
                              static_cast<int>(state & (frequency_sum - 1))];
      last = step.byte();
      word |= last << 8 * b;
      state = step.count() * (state >> precision) + step.distance();
      if (state < lowest_state && at < halfwords) {
        state = state << 16 | next;
        next = ++at < halfwords ? in[at] : 0;
      }
    }
    words[i] = i == count - 1 ? word | state << 16 : word;
  }
  return at == halfwords && state >> 16 == 1;
}

}  // namespace kompakt::impl::rans

#endif
