#ifndef KOMPAKT_CODER_HUFFMAN_CODEBOOK_HPP
#define KOMPAKT_CODER_HUFFMAN_CODEBOOK_HPP

#include <Kokkos_Core.hpp>
#include <coder/huffman/alphabet.hpp>
#include <coder/huffman/choose_books.hpp>
#include <coder/huffman/prefix_code.hpp>
#include <core/bits.hpp>
#include <core/carver.hpp>
#include <core/checksum.hpp>
#include <cstddef>
#include <cstdint>

// The codebook of a stream, a prefix code for each alphabet, as encoders and decoders look it up, and the
// section that tells it. One that was made for the field:
//
//   u8   kind: 1, lengths of codes follow
//   u8   base-2 logarithm of the radius
//   u16  the first symbol listed, not the escape
//   u16  how many symbols are listed; the others have no code
//   u16  1: a book of symbols only; or 0
//   then the lengths of the codes of the escape, the listed symbols and, unless there are none, masks and
//   quads: two a byte, the first one low, up to a radius of 8192; a byte each beyond that; then zeros up to a
//   multiple of 16
//
// One of a dictionary's, only for the default radius:
//
//   u8   kind: 2
//   u8   base-2 logarithm of the radius
//   u8   id of the dictionary, which stays what it is for ever
//   u8   number of the book of symbols
//   u8   of masks
//   u8   of quads; both are 255 for a book of symbols only
//   then ten bytes of 0
//
// The codes follow from their lengths (prefix_code.hpp). Those of each alphabet are complete. An entry
// without a code is told otherwise, and that has a code: a symbol by the escape, a quad by `other`, a mask
// by the one that names all quads.
// Sources: Tian et al., cuSZ, PACT 2020, sec. 3.2; Shah et al., Lightweight Huffman Coding, ICS 2023.

namespace kompakt::impl::huffman {

/// What a section begins with.
struct CodebookHead {
  static constexpr std::size_t bytes = 8;
  int radius = 0;  ///< 0: no head of a book
  bool of_dictionary = false;
  bool symbols_only = false;
  int first_symbol = 0, symbols = 0;  ///< those listed, if it is not of a dictionary
  BookNumbers books{};                ///< if it is

  KOKKOS_FORCEINLINE_FUNCTION static CodebookHead of_books(BookNumbers books) {
    CodebookHead head;
    head.radius = default_radius;
    head.of_dictionary = true;
    head.symbols_only = books.symbols_only();
    head.books = books;
    return head;
  }

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t word() const {
    auto const log_radius =
        static_cast<std::uint64_t>(bit_width(static_cast<unsigned>(radius))) - 1;
    auto const at = [](int number, int shift) {
      return static_cast<std::uint64_t>(number) << shift;
    };
    if (of_dictionary) {
      return 2 | log_radius << 8 | at(Dictionary::id, 16) | at(books.symbols, 24) |
             at(books.masks, 32) | at(books.quads, 40);
    }
    return 1 | log_radius << 8 | at(first_symbol, 16) | at(symbols, 32) |
           at(symbols_only ? 1 : 0, 48);
  }
  /// From an untrusted word.
  KOKKOS_FORCEINLINE_FUNCTION static CodebookHead of(std::uint64_t word) {
    CodebookHead head;
    auto const log_radius = static_cast<int>(word >> 8 & 0xff);
    if (log_radius > 15) return head;
    head.radius = 1 << log_radius;
    head.of_dictionary = (word & 0xff) == 2;
    bool sound = false;
    if (head.of_dictionary) {
      auto const number = [=](int shift) { return static_cast<int>(word >> shift & 0xff); };
      head.books = {number(24), number(32), number(40)};
      head.symbols_only = head.books.symbols_only();
      int const most = head.symbols_only ? BookNumbers::none : Dictionary::books - 1;
      sound = head.radius == default_radius && head.books.symbols < Dictionary::books &&
              head.books.masks <= most && head.books.quads <= most &&
              head.symbols_only == (head.books.masks == BookNumbers::none);
    } else {
      head.first_symbol = static_cast<int>(word >> 16 & 0xffff);
      head.symbols = static_cast<int>(word >> 32 & 0xffff);
      head.symbols_only = (word >> 48) == 1;
      sound = head.radius >= smallest_radius && head.radius <= largest_radius &&
              head.first_symbol > 0 &&
              head.first_symbol + head.symbols <= symbol_count(head.radius);
    }
    return sound && head.word() == word ? head : CodebookHead{};
  }

  /// Lengths that the section lists.
  KOKKOS_FORCEINLINE_FUNCTION int listed() const {
    if (of_dictionary) return 0;
    return 1 + symbols + (symbols_only ? 0 : mask_count + quad_count);
  }
  /// Where an entry is in that list, -1 if it is not.
  KOKKOS_FORCEINLINE_FUNCTION int place(int entry) const {
    if (entry == static_cast<int>(escape)) return 0;
    int const behind = entry - symbol_count(radius);
    if (behind >= 0) return symbols_only ? -1 : 1 + symbols + behind;
    int const symbol = entry - first_symbol;
    return symbol >= 0 && symbol < symbols ? 1 + symbol : -1;
  }
  /// The entry at a place.
  KOKKOS_FORCEINLINE_FUNCTION int entry(int place) const {
    if (place == 0) return static_cast<int>(escape);
    return place <= symbols ? first_symbol + place - 1 : symbol_count(radius) + place - 1 - symbols;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool lengths_take_bytes() const { return radius > 8192; }
  /// Bytes of the section, filled up to where the next one may begin.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t section_bytes() const {
    auto const lengths = static_cast<std::size_t>(listed());
    std::size_t const taken =
        bytes + (lengths_take_bytes() ? lengths : ceil_div<std::size_t>(lengths, 2));
    return ceil_div<std::size_t>(taken, 16) * 16;
  }
};

/// Bytes of the longest section.
KOKKOS_FORCEINLINE_FUNCTION std::size_t max_codebook_bytes(int radius) {
  CodebookHead head;
  head.radius = radius;
  head.first_symbol = 1;
  head.symbols = symbol_count(radius) - 1;
  return head.section_bytes();
}

/// Writes the section, from the lengths of all entry_count(radius) entries; by a team. Adds its checksum to
/// `checksum`, which is complete after a barrier.
template <class Team>
KOKKOS_INLINE_FUNCTION void store_codebook(Team const& team, CodebookHead head,
                                           std::uint8_t const* lengths, std::uint32_t seed,
                                           std::uint32_t* out, std::uint32_t& checksum) {
  int const listed = head.listed(), a_byte = head.lengths_take_bytes() ? 1 : 2;
  std::uint32_t sum = 0;
  team_for_rolled(team, static_cast<int>(head.section_bytes() / 4), [&](int i) {
    std::uint32_t word = 0;
    if (i < 2) {
      word = static_cast<std::uint32_t>(head.word() >> (32 * i));
    } else {
      int const first = 4 * (i - 2) * a_byte;
      for (int k = 0; k < 4 * a_byte && first + k < listed; ++k) {
        word |= static_cast<std::uint32_t>(lengths[head.entry(first + k)]) << (8 / a_byte * k);
      }
    }
    out[i] = word;
    sum += checksum_word(word, static_cast<std::uint32_t>(i), seed);
  });
  if (sum != 0) Kokkos::atomic_add(&checksum, sum);
}

/// What encoders look up. An entry without a code has the word of what stands for it; of a mask 0. In a book
/// of symbols only the words of all masks and quads are 0.
struct EncodeBook {
  CodeWord const* words;  ///< entry_count(radius)
  int radius;

  KOKKOS_FORCEINLINE_FUNCTION CodeWord symbol(std::uint32_t s) const { return words[s]; }
  KOKKOS_FORCEINLINE_FUNCTION CodeWord mask(std::uint32_t m) const {
    return words[symbol_count(radius) + static_cast<int>(m)];
  }
  KOKKOS_FORCEINLINE_FUNCTION CodeWord quad(std::uint32_t q) const {
    return words[symbol_count(radius) + mask_count + static_cast<int>(q)];
  }

  /// Lets the words of entries without a code be those of what stands for them; by a team, after all words
  /// have been made.
  template <class Team>
  KOKKOS_INLINE_FUNCTION static void complete(Team const& team, CodeWord* words, int radius) {
    team_for_rolled(team, entry_count(radius), [&](int i) {
      if (words[i].word == 0) words[i] = words[stand_in(i, radius)];
    });
    team.team_barrier();
  }
};

/// Working memory of a team that makes a book for decoding.
struct DecodeBookMemory {
  Numbering* numbering;
  CanonicalCode* codes;  ///< one an alphabet
  std::uint16_t*
      sorted;  ///< entry_count(radius), those of each alphabet in the order of their codes
  std::uint8_t* lengths;  ///< entry_count(radius)

  KOKKOS_FORCEINLINE_FUNCTION static constexpr DecodeBookMemory in(Carver& carver, int radius) {
    auto const entries = static_cast<std::size_t>(entry_count(radius));
    DecodeBookMemory m{};
    m.numbering = carver.take<Numbering>();
    m.codes = carver.take<CanonicalCode>(alphabet_count);
    m.sorted = carver.take<std::uint16_t>(entries);
    m.lengths = carver.take<std::uint8_t>(entries);
    return m;
  }
  KOKKOS_FORCEINLINE_FUNCTION static DecodeBookMemory in(std::byte* memory, int radius) {
    Carver carver(memory);
    return in(carver, radius);
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t bytes(int radius) {
    return carved_bytes([=](Carver& carver) { in(carver, radius); });
  }
};

/// What decoders look up, in memory of bytes(radius). With radii above the default one a DecodeBookMemory
/// follows, which decoding needs too: for codes that are longer than a lookup.
struct DecodeBook {
  DecodeTable<symbol_window> symbols;
  DecodeTable<mask_window> masks;
  DecodeTable<quad_window> quads;
  int radius;  ///< 0: the section describes no book
  int symbols_only;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::size_t bytes(int radius) {
    return sizeof(DecodeBook) + (radius > default_radius ? DecodeBookMemory::bytes(radius) : 0);
  }
  KOKKOS_FORCEINLINE_FUNCTION Decoded symbol(std::uint32_t bits) const {
    Decoded const found = symbols.decode(bits);
    return found.length > 0 ? found : long_symbol(bits);
  }

  /// Makes the tables from an untrusted section; leaves a radius of 0, and returns false on all threads,
  /// unless it describes a book.
  /// \param section  of head.section_bytes(), head what it begins with
  /// \param scratch  DecodeBookMemory::bytes(default_radius), aligned to 4
  template <class Team>
  KOKKOS_INLINE_FUNCTION bool make(Team const& team, CodebookHead head, std::byte const* section,
                                   std::byte* scratch) {
    auto const memory = DecodeBookMemory::in(
        head.radius > default_radius ? reinterpret_cast<std::byte*>(this + 1) : scratch,
        head.radius);
    std::uint8_t* const lengths = memory.lengths;
    Alphabets const set = alphabets_of(head.radius, head.symbols_only);
    bool sound = true;
    team_for_rolled(team, set.entries(), [&](int i) {
      int const length = stored_length(head, section, i);
      bool const fits = length <= set.get(set.of(i)).length_limit;
      sound &= fits;
      lengths[i] = static_cast<std::uint8_t>(fits ? length : 0);
    });
    sound = !team_any(team, !sound);  // also the barrier
    sound &= make_tables(team, set, lengths, *memory.numbering, memory.codes, memory.sorted,
                         symbols, masks, quads);
    if (head.symbols_only) {
      team_for_rolled(team, 1 << mask_window, [&](int i) { masks.entry[i] = full_mask; });
      team_for_rolled(team, 1 << quad_window, [&](int i) { quads.entry[i] = other_quad; });
    }
    team_for_rolled(team, 1, [&](int) {
      radius = sound ? head.radius : 0;
      symbols_only = head.symbols_only ? 1 : 0;
    });
    team.team_barrier();
    return sound;
  }

 private:
  KOKKOS_INLINE_FUNCTION Decoded long_symbol(std::uint32_t bits) const {
    auto const memory = DecodeBookMemory::in(
        reinterpret_cast<std::byte*>(const_cast<DecodeBook*>(this) + 1), radius);
    return memory.codes[0].decode(bits, memory.sorted);
  }
  KOKKOS_FORCEINLINE_FUNCTION static int stored_length(CodebookHead head, std::byte const* section,
                                                       int entry) {
    if (head.of_dictionary)
      return DictionaryBooks::length(DictionaryBooks{head.books}.entry(entry));
    int const place = head.place(entry);
    if (place < 0) return 0;
    std::byte const* const lengths = section + CodebookHead::bytes;
    if (head.lengths_take_bytes()) return static_cast<int>(lengths[place]);
    return static_cast<int>(lengths[place / 2]) >> (place % 2 * 4) & 15;
  }
};

}  // namespace kompakt::impl::huffman

#endif
