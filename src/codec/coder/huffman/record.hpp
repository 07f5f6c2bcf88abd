#ifndef KOMPAKT_CODER_HUFFMAN_RECORD_HPP
#define KOMPAKT_CODER_HUFFMAN_RECORD_HPP

#include <Kokkos_Core.hpp>
#include <coder/huffman/codebook.hpp>
#include <coder/huffman/entries.hpp>
#include <coder/huffman/seat.hpp>
#include <coder/outlier_list.hpp>
#include <core/bits.hpp>
#include <core/lanes.hpp>
#include <core/record.hpp>
#include <core/team.hpp>
#include <kompakt/options.hpp>

// Huffman codes of a tile's residuals. Words of a record, between its head and its tail; none at all if
// every residual is 0:
//
//   outliers    only if there are residuals without a symbol: their number, then a list of their places
//               and themselves (outlier_list.hpp). Their symbol is the escape
//   bits        from the lowest bit of the first word up:
//     least     12 bits, of the bits that a pair of lanes takes
//     pairs     for each of the 16 pairs (2k, 2k + 1) what it takes more
//     strings   of each pair: that of the even lane from its first bit up, that of the odd lane from its
//               last bit down, so that one place serves two lanes that are decoded at once
//   A lane's string is the code of its mask, then for each quad that the mask names the quad's code and,
//   if that is the one for others, those of its four symbols. With a book of symbols only it is the codes of
//   the lane's symbols.
//
// The coder's bits of the head word: 0-3 width of an entry of `pairs`, 4 whether there is an outlier list.
// Source: Tian et al., cuSZ, PACT 2020, sec. 3.2. Ours: strings of 32 values that meet in the middle (a
// place for every lane would cost 5 % of the ratio of 30 real fields), and the masks.

namespace kompakt::impl {

namespace huffman {

inline constexpr int lane_pairs = tile_lanes / 2;
inline constexpr int least_bits = 12;

/// Writes bits into words that were zero, from bit `at` up or, mirrored, as seen from the other end.
/// Neighbours may share its first and its last word.
class BitWriter {
 public:
  KOKKOS_FORCEINLINE_FUNCTION BitWriter(std::uint32_t* words, int count, int at, bool mirrored)
      : m_words(words), m_count(count), m_next(at / 32), m_filled(at % 32), m_mirrored(mirrored) {}

  /// At most 32 bits.
  KOKKOS_FORCEINLINE_FUNCTION void put(std::uint32_t bits, int length) {
    m_buffer |= static_cast<std::uint64_t>(bits) << m_filled;
    m_filled += length;
    if (m_filled >= 32) flush();
  }
  KOKKOS_FORCEINLINE_FUNCTION void end() {
    if (m_filled > 0) flush();
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void flush() {
    auto const word = static_cast<std::uint32_t>(m_buffer);
    std::uint32_t* const to = m_words + (m_mirrored ? m_count - 1 - m_next : m_next);
    std::uint32_t const bits = m_mirrored ? reverse_word(word) : word;
    KOKKOS_IF_ON_HOST((*to |= bits;))  // a team is one thread
    KOKKOS_IF_ON_DEVICE((Kokkos::atomic_or(to, bits);))
    ++m_next;
    m_buffer >>= 32;
    m_filled -= 32;
  }
  std::uint32_t* m_words;
  int m_count, m_next, m_filled;
  bool m_mirrored;
  std::uint64_t m_buffer = 0;
};

/// Reads what a BitWriter wrote; zeros beyond the words.
class BitReader {
 public:
  KOKKOS_FORCEINLINE_FUNCTION BitReader(std::uint32_t const* words, int count, int at,
                                        bool mirrored)
      : m_words(words), m_count(count), m_next(at / 32), m_mirrored(mirrored) {
    m_buffer = next_word() >> (at % 32);
    m_filled = 32 - at % 32;
  }

  /// At least 32 bits, the next one lowest.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t peek() {
    if (m_filled < 32) {
      m_buffer |= static_cast<std::uint64_t>(next_word()) << m_filled;
      m_filled += 32;
    }
    return static_cast<std::uint32_t>(m_buffer);
  }
  KOKKOS_FORCEINLINE_FUNCTION void skip(int length) {
    m_buffer >>= length;
    m_filled -= length;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t next_word() {
    int const i = m_next++;
    if (i >= m_count) return 0;
    return m_mirrored ? reverse_word(m_words[m_count - 1 - i]) : m_words[i];
  }
  std::uint32_t const* m_words;
  int m_count, m_next, m_filled = 0;
  bool m_mirrored;
  std::uint64_t m_buffer;
};

}  // namespace huffman

template <class T>
class Huffman {
 public:
  using Seat = seat::Huffman;
  using U = unsigned_t<T>;

  /// What measure() and write() look up, and read(), from the arguments of the walk.
  using EncodeContext = huffman::EncodeBook;
  using DecodeContext = huffman::DecodeBook const*;
  template <class Args>
  KOKKOS_FORCEINLINE_FUNCTION static EncodeContext encode_context(Args const& args) {
    // The words lie first in what EncodeMemory carves.
    return {reinterpret_cast<huffman::CodeWord const*>(args.coder_scratch), args.radius};
  }
  template <class Args>
  KOKKOS_FORCEINLINE_FUNCTION static DecodeContext decode_context(Args const& args) {
    return reinterpret_cast<DecodeContext>(args.coder_scratch);
  }

  /// Team scratch.
  struct Scratch {
    std::uint32_t wide[tile_lanes];  // bit a register: its residual is in the outlier list
    std::uint16_t bits[tile_lanes];  // of each lane's string
    std::uint8_t count[tile_lanes];  // of its codes
    bool zero[tile_lanes];           // whether all its residuals are
    huffman::CodeWord codes[tile_lanes][huffman::max_codes];
  };

  /// Everything about a record but its words; the same on all threads.
  struct Plan {
    int wide = 0;         ///< residuals in the outlier list
    int width = 0;        ///< of an entry of `pairs`
    int least = 0;        ///< bits of the shortest pair
    int string_bits = 0;  ///< of all lanes; 0: every residual is 0

    KOKKOS_FORCEINLINE_FUNCTION int pairs_at() const { return huffman::least_bits; }
    KOKKOS_FORCEINLINE_FUNCTION int strings_at() const {
      return pairs_at() + huffman::lane_pairs * width;
    }
    KOKKOS_FORCEINLINE_FUNCTION int bit_words() const {
      return string_bits == 0 ? 0 : ceil_div(strings_at() + string_bits, 32);
    }
    KOKKOS_FORCEINLINE_FUNCTION int words() const {
      return outlier_list_words<T>(wide) + bit_words();
    }
    KOKKOS_FORCEINLINE_FUNCTION std::uint32_t coder_bits() const {
      return static_cast<std::uint32_t>(width) | (wide > 0 ? 16u : 0u);
    }
  };

  /// Sizes the record of a tile. residuals: natural order, 0 outside the field.
  template <class Shape, class Team>
  KOKKOS_INLINE_FUNCTION static Plan measure(Team const& team, EncodeContext const& book,
                                             U const* residuals, Scratch& scratch) {
    team_for(team, tile_lanes,
             [&](int lane) { measure_lane<Shape>(book, residuals, lane, scratch); });
    team.team_barrier();
    Plan plan;
    int most = 0;
    bool coded = false;
    for (int pair = 0; pair < huffman::lane_pairs; ++pair) {
      int const bits = pair_bits(scratch, pair);
      plan.string_bits += bits;
      if (pair == 0 || bits < plan.least) plan.least = bits;
      if (bits > most) most = bits;
      for (int lane = 2 * pair; lane < 2 * pair + 2; ++lane) {
        plan.wide += popcount(scratch.wide[lane]);
        coded |= !scratch.zero[lane];
      }
    }
    if (!coded) return Plan{};  // whatever a lane of zeros would take
    plan.width = bit_width(static_cast<std::uint32_t>(most - plan.least));
    return plan;
  }

  /// Writes plan.words() words. Needs the scratch as measure() left it.
  template <class Shape, class Team>
  KOKKOS_INLINE_FUNCTION static void write(Team const& team, EncodeContext const&, Plan const& plan,
                                           U const* residuals, Scratch& scratch,
                                           std::uint32_t* out) {
    if (plan.wide > 0) {
      write_outlier_list<Shape, T>(team, plan.wide, scratch.wide, residuals, out);
      out += outlier_list_words<T>(plan.wide);
    }
    int const words = plan.bit_words();
    if (words == 0) return;
    team_for(team, words, [&](int i) { out[i] = 0; });
    team.team_barrier();
    // In turn on a host, where neighbours share words.
    for (int lane = team_first(team); lane < tile_lanes; lane += team_step(team)) {
      write_lane(plan, lane, scratch, out, words);
    }
  }

  /// Reads the coder's words of an untrusted record into residuals (natural order).
  /// \param words  how many words there are; returns false, on all threads, unless the record's
  ///               own description comes to exactly that many
  template <class Shape, class Team>
  KOKKOS_INLINE_FUNCTION static bool read(Team const& team, DecodeContext book,
                                          std::uint32_t coder_bits, std::uint32_t const* in,
                                          int words, U* residuals, Scratch& scratch) {
    Plan plan;
    plan.width = static_cast<int>(coder_bits & 15u);
    if ((coder_bits >> 5) != 0 || plan.width > huffman::least_bits || book->radius == 0)
      return false;
    if (words == 0) {
      team_for(team, tile_values, [&](int i) { residuals[i] = 0; });
      team.team_barrier();
      return coder_bits == 0;
    }
    if ((coder_bits & 16u) != 0 && !take_outlier_count<T>(in, words, plan.wide)) return false;
    std::uint32_t const* const list = in;
    in += outlier_list_words<T>(plan.wide);
    words -= outlier_list_words<T>(plan.wide);
    if (plan.strings_at() > 32 * words) return false;
    plan.least = static_cast<int>(in[0] & ((1u << huffman::least_bits) - 1));
    team_for(team, huffman::lane_pairs, [&](int pair) {
      huffman::BitReader reader(in, words, plan.pairs_at() + pair * plan.width, false);
      std::uint32_t const more = reader.peek() & ((1u << plan.width) - 1);
      scratch.bits[pair] =
          static_cast<std::uint16_t>(static_cast<std::uint32_t>(plan.least) + more);
    });
    team.team_barrier();
    for (int pair = 0; pair < huffman::lane_pairs; ++pair) plan.string_bits += scratch.bits[pair];
    if (plan.bit_words() != words) return false;
    bool sound = true;
    team_for(team, huffman::lane_pairs, [&](int pair) {
      int at = plan.strings_at();
      for (int before = 0; before < pair; ++before) at += scratch.bits[before];
      int const end = at + scratch.bits[pair];
      int const even = read_lane<Shape>(*book, 2 * pair, {in, words, at, false}, residuals);
      int const odd =
          read_lane<Shape>(*book, 2 * pair + 1, {in, words, 32 * words - end, true}, residuals);
      sound &= even + odd == scratch.bits[pair];
    });
    if (team_any(team, !sound)) return false;  // also the barrier
    return plan.wide == 0 || read_outlier_list<Shape, T>(team, list, plan.wide, residuals);
  }

 private:
  // Takes the codes of a lane's entries.
  struct Codes {
    EncodeContext const& book;
    huffman::CodeWord* words;
    int count = 0, bits = 0;

    KOKKOS_FORCEINLINE_FUNCTION std::uint32_t mask(std::uint32_t m) {
      std::uint32_t const coded = book.mask(m).length() > 0 ? m : huffman::full_mask;
      take(book.mask(coded));
      return coded;
    }
    KOKKOS_FORCEINLINE_FUNCTION bool quad(std::uint32_t q) {
      return take(book.quad(q)) == book.quad(huffman::other_quad);
    }
    KOKKOS_FORCEINLINE_FUNCTION bool symbol(std::uint32_t s) {
      return take(book.symbol(s)) == book.symbol(huffman::escape);
    }
    KOKKOS_FORCEINLINE_FUNCTION huffman::CodeWord take(huffman::CodeWord word) {
      bits += word.length();
      words[count++] = word;
      return word;
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION static int pair_bits(Scratch const& scratch, int pair) {
    return scratch.bits[2 * pair] + scratch.bits[2 * pair + 1];
  }

  template <class Shape>
  KOMPAKT_APART_ON_HOST static void measure_lane(EncodeContext const& book, U const* residuals,
                                                 int lane, Scratch& scratch) {
    U values[lane_values];
    load_lane<Shape>(residuals, lane, values, [](U residual) { return residual; });
    Codes codes{book, scratch.codes[lane]};
    std::uint32_t const mask = huffman::mask_of(values);
    scratch.zero[lane] = mask == 0;
    scratch.wide[lane] = huffman::for_entries(book.radius, mask, values, codes);
    scratch.bits[lane] = static_cast<std::uint16_t>(codes.bits);
    scratch.count[lane] = static_cast<std::uint8_t>(codes.count);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void write_lane(Plan const& plan, int lane,
                                                     Scratch const& scratch, std::uint32_t* out,
                                                     int words) {
    int const pair = lane / 2;
    bool const odd = lane % 2 != 0;
    int at = plan.strings_at();
    for (int before = 0; before < pair; ++before) at += pair_bits(scratch, before);
    if (!odd) {
      huffman::BitWriter pairs(out, words, plan.pairs_at() + pair * plan.width, false);
      pairs.put(static_cast<std::uint32_t>(pair_bits(scratch, pair) - plan.least), plan.width);
      pairs.end();
      if (lane == 0) {
        huffman::BitWriter head(out, words, 0, false);
        head.put(static_cast<std::uint32_t>(plan.least), huffman::least_bits);
        head.end();
      }
    }
    int const end = at + pair_bits(scratch, pair);
    huffman::BitWriter string(out, words, odd ? 32 * words - end : at, odd);
    for (int i = 0; i < scratch.count[lane]; ++i) {
      huffman::CodeWord const code = scratch.codes[lane][i];
      string.put(code.bits(), code.length());
    }
    string.end();
  }

  // Decodes a lane; returns the bits of its string.
  template <class Shape>
  KOKKOS_FORCEINLINE_FUNCTION static int read_lane(huffman::DecodeBook const& book, int lane,
                                                   huffman::BitReader reader, U* residuals) {
    U values[lane_values];
    int bits = 0;
    auto const take = [&](auto const& decode) {
      huffman::Decoded const found = decode(reader.peek());
      reader.skip(found.length);
      bits += found.length;
      return found.value;
    };
    auto const symbol = [&](std::uint32_t word) { return book.symbol(word); };
    auto const quad_number = [&](std::uint32_t word) { return book.quads.decode(word); };
    std::uint32_t const mask = take([&](std::uint32_t word) { return book.masks.decode(word); });
    for (int q = 0; q < huffman::lane_quads; ++q) {
      U* const quad = values + huffman::quad_values * q;
      std::uint32_t number = huffman::other_quad;  // as digits four zeros
      bool const coded = (mask >> q & 1u) != 0;
      if (coded) number = take(quad_number);
      huffman::residuals_of_quad(number, quad);
      if (!coded || number != huffman::other_quad) continue;
      for (int i = 0; i < huffman::quad_values; ++i) {
        quad[i] = huffman::residual_of<U>(take(symbol), book.radius);
      }
    }
    store_lane<Shape>(values, lane, residuals, [](U residual) { return residual; });
    return bits;
  }
};

template <class T>
struct CoderAt<seat::Huffman, T> {
  using type = Huffman<T>;
};

}  // namespace kompakt::impl

#endif
