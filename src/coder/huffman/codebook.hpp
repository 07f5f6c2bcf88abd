#ifndef KOMPAKT_CODER_HUFFMAN_CODEBOOK_HPP
#define KOMPAKT_CODER_HUFFMAN_CODEBOOK_HPP

#include <Kokkos_Core.hpp>
#include <coder/huffman/alphabet.hpp>
#include <coder/huffman/prefix_code.hpp>
#include <core/bits.hpp>
#include <core/tile.hpp>
#include <cstddef>
#include <cstdint>

// The codebook of a stream: a prefix code for each alphabet, made for the field, and the section that
// holds it:
//
//   u8   kind: 1, made for the field
//   u8   base-2 logarithm of the radius
//   u16  0, four bytes of 0
//   then the lengths of the codes of symbols, masks and quads: two a byte, the first one low, up to a
//   radius of 8192; a byte each beyond that; then zeros up to a multiple of 16
//
// The codes follow from their lengths (prefix_code.hpp).
// Source: Tian et al., cuSZ, PACT 2020, sec. 3.2.

namespace kompakt::impl::huffman {

/// The longest code for a symbol: what one lookup decodes, for the default radius and below; what fits in
/// half a byte; more, where there are more symbols than that has codes. Of masks and quads: a lookup.
KOKKOS_FORCEINLINE_FUNCTION constexpr int symbol_length_limit(int radius) {
  return radius <= default_radius ? DecodeTable::window : (radius <= 8192 ? 15 : 20);
}

/// Codes of the longest string: a mask, and of every quad five.
inline constexpr int most_codes = 1 + lane_quads * (1 + quad_values);

/// take(alphabet, value) for everything that a lane's string has a code for, in order; escaped(i) for every
/// value i without a symbol.
template <class U, class Take, class Escaped>
KOKKOS_FORCEINLINE_FUNCTION void for_entries(int radius, std::uint32_t mask, U const* values,
                                             Take const& take, Escaped const& escaped) {
  take(1, mask);
  for (int q = 0; q < lane_quads; ++q) {
    if ((mask >> q & 1u) == 0) continue;
    U const* const quad = values + quad_values * q;
    std::uint32_t const number = quad_of(quad);
    take(2, number);
    if (number != other_quad) continue;
    for (int i = 0; i < quad_values; ++i) {
      std::uint32_t const symbol = symbol_of(quad[i], radius);
      take(0, symbol);
      if (symbol == escape) escaped(quad_values * q + i);
    }
  }
}

/// Where the three alphabets lie among the entries of a book.
struct Alphabet {
  int first, count, length_limit;
};
inline constexpr int alphabet_count = 3;
KOKKOS_FORCEINLINE_FUNCTION constexpr Alphabet alphabet(int number, int radius) {
  int const symbols = symbol_count(radius);
  if (number == 0) return {0, symbols, symbol_length_limit(radius)};
  if (number == 1) return {symbols, mask_count, DecodeTable::window};
  return {symbols + mask_count, quad_count, DecodeTable::window};
}

inline constexpr std::size_t codebook_head_bytes = 8;
KOKKOS_FORCEINLINE_FUNCTION constexpr bool lengths_take_bytes(int radius) { return radius > 8192; }

/// Bytes of the section, filled up with zeros to where the next one may begin.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t codebook_bytes(int radius) {
  auto const entries = static_cast<std::size_t>(entry_count(radius));
  std::size_t const lengths = lengths_take_bytes(radius) ? entries : (entries + 1) / 2;
  return ceil_div<std::size_t>(codebook_head_bytes + lengths, 16) * 16;
}
/// The radius whose section has so many bytes, 0 if there is none.
KOKKOS_FORCEINLINE_FUNCTION constexpr int radius_of_codebook(std::size_t bytes) {
  for (int radius = smallest_radius; radius <= largest_radius; radius *= 2) {
    if (codebook_bytes(radius) == bytes) return radius;
  }
  return 0;
}
/// The section's first eight bytes.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t codebook_head(int radius) {
  std::uint64_t log_radius = 0;
  while (1 << log_radius < radius) ++log_radius;
  return 1 | log_radius << 8;
}

/// Writes the section; by a team. lengths: entry_count(radius).
template <class Team>
KOKKOS_INLINE_FUNCTION void store_codebook(Team const& team, std::uint8_t const* lengths,
                                           int radius, std::byte* out) {
  int const entries = entry_count(radius);
  auto const length = [=](int i) { return i < entries ? static_cast<unsigned>(lengths[i]) : 0u; };
  team_for(team, static_cast<int>(codebook_bytes(radius)), [&](int i) {
    int const at = i - static_cast<int>(codebook_head_bytes);
    unsigned byte;
    if (at < 0) {
      byte = static_cast<unsigned>(codebook_head(radius) >> (8 * i) & 0xff);
    } else {
      byte = lengths_take_bytes(radius) ? length(at) : length(2 * at) | length(2 * at + 1) << 4;
    }
    out[i] = static_cast<std::byte>(byte);
  });
  team.team_barrier();
}
/// Length of an entry's code in the section of an untrusted stream.
KOKKOS_FORCEINLINE_FUNCTION int stored_length(std::byte const* section, int radius, int entry) {
  std::byte const* const lengths = section + codebook_head_bytes;
  if (lengths_take_bytes(radius)) return static_cast<int>(lengths[entry]);
  return static_cast<int>(lengths[entry / 2]) >> (entry % 2 * 4) & 15;
}

/// What encoders look up.
struct EncodeBook {
  CodeWord const* words;  ///< entry_count(radius)
  int radius;

  /// Of an entry of an alphabet.
  KOKKOS_FORCEINLINE_FUNCTION CodeWord code(int number, std::uint32_t value) const {
    return words[static_cast<std::uint32_t>(alphabet(number, radius).first) + value];
  }
};

/// What decoders look up, in memory of bytes(radius); symbols in the order of their codes and lengths lie
/// behind it.
struct DecodeBook {
  DecodeTable symbols, masks, quads;
  int radius;  ///< 0: the section describes no book
  std::uint16_t sorted_masks[mask_count], sorted_quads[quad_count];

  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t bytes(int radius) {
    return sizeof(DecodeBook) + static_cast<std::size_t>(symbol_count(radius)) * 2 +
           static_cast<std::size_t>(entry_count(radius));
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint16_t* sorted_symbols() {
    return reinterpret_cast<std::uint16_t*>(this + 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint16_t const* sorted_symbols() const {
    return reinterpret_cast<std::uint16_t const*>(this + 1);
  }

  /// Makes the tables from an untrusted section that has the bytes of this radius, aligned to 8; leaves a
  /// radius of 0, and returns false on all threads, unless it describes a book.
  template <class Team>
  KOKKOS_INLINE_FUNCTION bool make(Team const& team, std::byte const* section, int of_radius) {
    int const entries = entry_count(of_radius);
    auto* const lengths =
        reinterpret_cast<std::uint8_t*>(sorted_symbols() + symbol_count(of_radius));
    bool sound = *reinterpret_cast<std::uint64_t const*>(section) == codebook_head(of_radius);
    team_for(team, entries, [&](int i) {
      int const length = stored_length(section, of_radius, i);
      sound &= length <= most_length;
      lengths[i] = static_cast<std::uint8_t>(length <= most_length ? length : 0);
    });
    sound = !team_any(team, !sound);  // also the barrier
    for (int number = 0; number < alphabet_count; ++number) {
      Alphabet const a = alphabet(number, of_radius);
      DecodeTable& table = number == 0 ? symbols : (number == 1 ? masks : quads);
      std::uint16_t* const sorted =
          number == 0 ? sorted_symbols() : (number == 1 ? sorted_masks : sorted_quads);
      sound &= make_decode_table(team, lengths + a.first, a.count, table, sorted);
    }
    team_for(team, 1, [&](int) { radius = sound ? of_radius : 0; });
    team.team_barrier();
    return sound;
  }
};

/// Working memory of an encoder: counts of a field's entries and the book made from them.
struct EncodeMemory {
  int radius, slices;
  std::uint64_t* counts;  ///< entry_count(radius) for each tile kind and slice
  std::byte* building;    ///< a CodeMemory
  CanonicalCode* code;
  CodeWord* words;
  std::uint8_t* lengths;

  static constexpr std::size_t bytes(int radius, int slices) {
    auto const entries = static_cast<std::size_t>(entry_count(radius));
    return entries * sizeof(std::uint64_t) * static_cast<std::size_t>(tile_kinds * slices) +
           code_memory_bytes(radius) + sizeof(CanonicalCode) + entries * 4 + entries;
  }
  /// Lays it out in bytes(), aligned to 8.
  static EncodeMemory in(std::byte* memory, int radius, int slices) {
    auto const entries = static_cast<std::size_t>(entry_count(radius));
    EncodeMemory m{radius,  slices, reinterpret_cast<std::uint64_t*>(memory), nullptr, nullptr,
                   nullptr, nullptr};
    memory += entries * sizeof(std::uint64_t) * static_cast<std::size_t>(tile_kinds * slices);
    m.building = memory;
    memory += code_memory_bytes(radius);
    m.code = reinterpret_cast<CanonicalCode*>(memory);
    m.words = reinterpret_cast<CodeWord*>(m.code + 1);
    m.lengths = reinterpret_cast<std::uint8_t*>(m.words + entries);
    return m;
  }
  /// Those of a tile kind, by a slice of the field.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t* counts_of(int kind, int slice) const {
    return counts + (static_cast<std::ptrdiff_t>(kind) * slices + slice) * entry_count(radius);
  }
  std::int64_t count_entries() const {
    return static_cast<std::int64_t>(tile_kinds) * slices * entry_count(radius);
  }
  KOKKOS_FORCEINLINE_FUNCTION EncodeBook book() const { return {words, radius}; }

  /// Adds the slices of a kind together into the first, then leaves the lengths of the best codes; returns
  /// the bits that all entries take, on all threads.
  template <class Team>
  KOKKOS_INLINE_FUNCTION std::uint64_t make_lengths(Team const& team, int kind) const {
    std::uint64_t* const sums = counts_of(kind, 0);
    int const entries = entry_count(radius);
    team_for(team, entries, [&](int i) {
      for (int slice = 1; slice < slices; ++slice) sums[i] += counts_of(kind, slice)[i];
    });
    team.team_barrier();
    for (int number = 0; number < alphabet_count; ++number) {
      Alphabet const a = alphabet(number, radius);
      code_lengths(team, sums + a.first, a.count, a.length_limit, CodeMemory::in(building, a.count),
                   lengths + a.first);
    }
    std::uint64_t bits = 0;
    for (int i = 0; i < entries; ++i) bits += sums[i] * lengths[i];
    return bits;
  }
  /// The words from the lengths.
  template <class Team>
  KOKKOS_INLINE_FUNCTION void make_words(Team const& team) const {
    for (int number = 0; number < alphabet_count; ++number) {
      Alphabet const a = alphabet(number, radius);
      make_code_words(team, lengths + a.first, a.count, *code, words + a.first);
    }
  }

 private:
  static constexpr std::size_t code_memory_bytes(int radius) {
    std::size_t most = 0;
    for (int number = 0; number < alphabet_count; ++number) {
      Alphabet const a = alphabet(number, radius);
      std::size_t const bytes = CodeMemory::bytes(a.count, a.length_limit);
      most = bytes > most ? bytes : most;
    }
    return ceil_div<std::size_t>(most, 8) * 8;
  }
};

}  // namespace kompakt::impl::huffman

#endif
