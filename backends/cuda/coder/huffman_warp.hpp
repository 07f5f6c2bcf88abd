#ifndef KOMPAKT_CUDA_CODER_HUFFMAN_WARP_HPP
#define KOMPAKT_CUDA_CODER_HUFFMAN_WARP_HPP

#include <coder/huffman/counter.hpp>
#include <coder/huffman/kernels.hpp>
#include <coder/huffman/record.hpp>
#include <cuda/coder/warp_coder.hpp>
#include <cuda/tuning.hpp>
#include <cuda/warp.hpp>
#include <pipeline/dispatch.hpp>

// coder/huffman/record.hpp by a warp: a lane a string. The same plan and the same words. What lanes look up
// lies in shared memory, for radii up to the default one; for larger ones the generic bodies run.

namespace kompakt::impl::cuda {

/// The largest radius whose codes a lookup decodes, and whose words a block has room for.
inline constexpr int max_table_radius = huffman::default_radius;

/// Residuals as 32-bit numbers; those that are none become one that has no symbol.
template <class U>
__device__ __forceinline__ void narrow_residuals(U const* residuals, std::uint32_t* narrow) {
#pragma unroll
  for (int i = 0; i < lane_values; ++i) {
    narrow[i] = static_cast<std::uint32_t>(residuals[i]);
    if (sizeof(U) == 8 && widen<U>(narrow[i]) != residuals[i]) narrow[i] = 0x7fffffffu;
  }
}

/// What a lane writes to: words from a bit up or, mirrored, from a bit down.
class LaneWriter {
 public:
  /// begin: the first bit behind which nothing is written yet or, mirrored, in front of which
  __device__ __forceinline__ LaneWriter(std::uint32_t* words, int begin, bool mirrored)
      : m_next(words + (mirrored ? begin - 1 : begin) / 32),
        m_step(mirrored ? -1 : 1),
        m_filled((mirrored ? -begin : begin) & 31),
        m_mirrored(mirrored) {}

  /// Up to 64 bits of two words, zeros behind them.
  __device__ __forceinline__ void put(std::uint32_t low, std::uint32_t high, int length) {
    auto const shift = static_cast<std::uint32_t>(m_filled);
    std::uint32_t const middle = warp::bits_up_to(low, high, shift);
    std::uint32_t const last = warp::bits_up_to(high, 0, shift);
    m_word |= warp::bits_up_to(0, low, shift);
    m_filled += length;
    if (m_filled < 32) return;
    store();
    m_word = middle;
    m_filled -= 32;
    if (m_filled < 32) return;
    store();
    m_word = last;
    m_filled -= 32;
  }
  __device__ __forceinline__ void end() {
    if (m_filled > 0) store();
  }

 private:
  // Neighbours may have parts of the word.
  __device__ __forceinline__ void store() {
    atomicOr(m_next, m_mirrored ? warp::reverse_bits(m_word) : m_word);
    m_next += m_step;
  }
  std::uint32_t* m_next;
  int m_step, m_filled;
  bool m_mirrored;
  std::uint32_t m_word = 0;
};

/// The next bits of a lane's string, the next one lowest: from a bit up or, mirrored, from a bit down. May read
/// 64 bytes beyond the record's words, on both sides, if these describe no string.
class LaneReader {
 public:
  __device__ __forceinline__ LaneReader(std::uint32_t const* words, int begin, bool mirrored)
      : m_words(words), m_at(mirrored ? begin - 32 : begin), m_mirrored(mirrored) {}

  /// Fetches the next 32 bits.
  __device__ __forceinline__ void fetch() {
    std::uint32_t const* const from = m_words + (m_at >> 5);
    std::uint32_t const bits = warp::bits_from(from[0], from[1], static_cast<std::uint32_t>(m_at));
    window = m_mirrored ? warp::reverse_bits(bits) : bits;
  }
  /// Drops `length` of them.
  __device__ __forceinline__ void skip(int length) { window >>= length; }
  /// Takes note that so many bits have been dropped since fetch().
  __device__ __forceinline__ void advance(int length) { m_at += m_mirrored ? -length : length; }
  /// The first bit that has not been read or, mirrored, the one behind the last.
  __device__ __forceinline__ int position() const { return m_mirrored ? m_at + 32 : m_at; }

  std::uint32_t window = 0;

 private:
  std::uint32_t const* m_words;
  int m_at;
  bool m_mirrored;
};

template <class T>
struct WarpCoder<Huffman<T>> {
  using Coder = Huffman<T>;
  using U = unsigned_t<T>;
  using Plan = typename Coder::Plan;

  /// What registers and shared memory, of which the tables take a part, leave.
  static constexpr int encode_blocks = sizeof(T) == 8 ? 3 : 4;
  static constexpr int decode_blocks = sizeof(T) == 8 ? 2 : 4;
  static constexpr int ring_words = sizeof(T) == 4 ? 5248 : 8320;
  static constexpr bool counts = false;

  /// The words of a book: masks and quads first, whose places then do not depend on the radius, and the escape
  /// behind all symbols too, for what is above them.
  struct EncodeTables {
    huffman::CodeWord masks[huffman::mask_count], quads[huffman::quad_count];
    huffman::CodeWord symbols[huffman::symbol_count(max_table_radius) + 1];
    std::uint32_t first, last;  ///< around the radius all symbols from one to the other have a code
  };
  struct EncodeContext {
    EncodeTables const* tables;
    std::uint32_t radius;
    std::uint32_t other_word;       ///< 0: a book of symbols only
    std::uint32_t core, core_size;  ///< a residual r has a code if r + core is not above core_size
  };
  template <class Args>
  __device__ __forceinline__ static EncodeContext encode_context(Args const& args,
                                                                 EncodeTables& tables) {
    huffman::EncodeBook const book = Coder::encode_context(args);
    int const symbols = huffman::symbol_count(book.radius), me = warp::thread();
    if (me == 0) {
      tables.first = 0;
      tables.last = static_cast<std::uint32_t>(symbols);
    }
    __syncthreads();
    for (int i = me; i <= symbols; i += tuning::block_threads) {
      auto const symbol = static_cast<std::uint32_t>(i);
      tables.symbols[i] = book.symbol(i < symbols ? symbol : huffman::escape);
      if (tables.symbols[i] != book.symbol(huffman::escape)) continue;
      if (i < book.radius) {
        atomicMax(&tables.first, symbol + 1);
      } else {
        atomicMin(&tables.last, symbol - 1);
      }
    }
    for (int i = me; i < huffman::mask_count; i += tuning::block_threads) {
      tables.masks[i] = book.mask(static_cast<std::uint32_t>(i));
    }
    for (int i = me; i < huffman::quad_count; i += tuning::block_threads) {
      tables.quads[i] = book.quad(static_cast<std::uint32_t>(i));
    }
    __syncthreads();
    auto const radius = static_cast<std::uint32_t>(book.radius);
    return {&tables, radius, tables.quads[huffman::other_quad].word, radius - tables.first,
            tables.last - tables.first};
  }

  /// A quad as four signed bytes, and the length of its code; 16 more where symbols follow.
  struct QuadEntry {
    std::uint32_t residuals, length;
  };
  /// What the next bits stand for. Of symbols the residual, of masks the mask; the length in the lowest four
  /// bits.
  struct DecodeTables {
    QuadEntry quads[1 << huffman::quad_window];
    std::int16_t symbols[1 << huffman::symbol_window];
    std::uint16_t masks[1 << huffman::mask_window];
  };
  struct DecodeContext {
    DecodeTables const* tables;
    bool sound, symbols_only;
  };
  template <class Args>
  __device__ __forceinline__ static DecodeContext decode_context(Args const& args,
                                                                 DecodeTables& tables) {
    huffman::DecodeBook const& book = *Coder::decode_context(args);
    bool const sound = book.radius > 0 && book.radius <= max_table_radius;
    int const me = warp::thread();
    for (int i = me; sound && i < 1 << huffman::symbol_window; i += tuning::block_threads) {
      huffman::Decoded const found = book.symbols.decode(static_cast<std::uint32_t>(i));
      auto const residual =
          static_cast<int>(huffman::residual_of<std::uint32_t>(found.value, book.radius));
      tables.symbols[i] = static_cast<std::int16_t>(residual << 4 | found.length);
    }
    for (int i = me; sound && i < 1 << huffman::mask_window; i += tuning::block_threads) {
      huffman::Decoded const found = book.masks.decode(static_cast<std::uint32_t>(i));
      tables.masks[i] =
          static_cast<std::uint16_t>(found.value << 4 | static_cast<unsigned>(found.length));
    }
    for (int i = me; sound && i < 1 << huffman::quad_window; i += tuning::block_threads) {
      huffman::Decoded const found = book.quads.decode(static_cast<std::uint32_t>(i));
      std::uint32_t residuals[huffman::quad_values], bytes = 0;
      huffman::residuals_of_quad(found.value, residuals);
#pragma unroll
      for (int k = 0; k < huffman::quad_values; ++k) bytes |= (residuals[k] & 0xffu) << (8 * k);
      auto const length = static_cast<std::uint32_t>(found.length);
      tables.quads[i] = {bytes, found.value == huffman::other_quad ? length | 16u : length};
    }
    __syncthreads();
    return {&tables, sound, book.symbols_only != 0};
  }

  /// Whether a codebook was found in the stream.
  template <class Args>
  __device__ __forceinline__ static bool is_ready(Args const& args) {
    return reinterpret_cast<huffman::DecodeBook const*>(args.coder_scratch)->radius > 0;
  }

  /// What measure() leaves for write() beside the codes of quads.
  struct Lane {
    huffman::CodeWord mask;
    int bits;                           ///< of the string
    std::uint32_t coded = 0;            ///< bit a quad: some lane has a code of it
    std::uint32_t lengths[2] = {0, 0};  ///< of the quads' codes, a byte each
    std::uint32_t wide = 0;             ///< bit a register: its residual has no code
  };

  /// Leaves the codes of the lane's quads, with those of their symbols, in the place of its residuals: two words
  /// a quad.
  template <bool = false>
  __device__ __forceinline__ static Plan measure(EncodeContext const& book, U* residuals,
                                                 Lane& lane, WideResiduals<U>& wide) {
    std::uint32_t narrow[lane_values];
    narrow_residuals(residuals, narrow);
    std::uint32_t mask = huffman::mask_of(narrow);
    if (warp::any_bits(mask) == 0)
      return Plan{};  // a lane of zeros always has the code of its mask
    lane.mask = book.tables->masks[mask];
    if (warp::any(lane.mask.word == 0)) [[unlikely]] {
      if (lane.mask.word == 0) {
        mask = huffman::full_mask;
        lane.mask = book.tables->masks[mask];
      }
    }
    lane.bits = lane.mask.length();
    lane.coded = warp::any_bits(mask);
    std::uint32_t farthest = 0;
#pragma unroll
    for (int i = 0; i < lane_values; ++i) {
      std::uint32_t const far = narrow[i] + book.core;
      farthest = far > farthest ? far : farthest;
    }
    if (warp::any(farthest > book.core_size)) [[unlikely]] {
#pragma unroll
      for (int i = 0; i < lane_values; ++i) wide.residuals[i] = residuals[i];
      lane.wide = escaped_of(book, mask, wide.residuals);
    }
    if (book.other_word == 0) {
#pragma unroll
      for (int q = 0; q < huffman::lane_quads; ++q) {
        take_codes(measure_symbols(book, Codes{}, narrow + 4 * q), q, residuals, lane);
      }
    } else {
#pragma unroll
      for (int q = 0; q < huffman::lane_quads; ++q) {
        Codes codes{};
        if ((lane.coded >> q & 1u) != 0)
          codes = measure_quad(book, (mask >> q & 1u) != 0, narrow + 4 * q);
        take_codes(codes, q, residuals, lane);
      }
    }
    Plan plan;
    int const pair_bits = lane.bits + warp::from_partner(lane.bits);
    plan.least = warp::least(pair_bits);
    plan.width = bit_width(static_cast<std::uint32_t>(warp::max(pair_bits) - plan.least));
    plan.string_bits = warp::sum(lane.bits);
    if (warp::any(lane.wide != 0)) [[unlikely]]
      plan.wide = warp::sum(popcount(lane.wide));
    return plan;
  }

  /// Writes plan.words() words.
  __device__ __forceinline__ static void write(Plan const& plan, Lane const& lane,
                                               WideResiduals<U> const& wide, U const* codes,
                                               std::uint32_t* out) {
    if (warp::any(plan.wide > 0)) [[unlikely]] {
      write_wide<T>(plan.wide, lane.wide, wide.residuals, out);
      out += outlier_list_words<T>(plan.wide);
    }
    if (warp::any(plan.string_bits == 0)) return;
    int const me = warp::lane(), words = plan.bit_words();
#pragma unroll 1
    for (int i = me; i < words; i += 32) out[i] = 0;
    int const up_to = plan.strings_at() + warp::prefix_sum(lane.bits);
    int const pair_bits = lane.bits + warp::from_partner(lane.bits);
    warp::sync();
    bool const mirrored = me % 2 != 0;
    if (!mirrored) {
      LaneWriter entry(out, plan.pairs_at() + me / 2 * plan.width, false);
      entry.put(static_cast<std::uint32_t>(pair_bits - plan.least), 0, plan.width);
      entry.end();
    }
    if (me == 0) atomicOr(out, static_cast<std::uint32_t>(plan.least));
    LaneWriter string(out, mirrored ? up_to : up_to - lane.bits, mirrored);
    string.put(lane.mask.bits(), 0, lane.mask.length());
#pragma unroll
    for (int q = 0; q < huffman::lane_quads; ++q) {
      if ((lane.coded >> q & 1u) == 0) continue;
      Codes const of_quad = codes_at(codes, q);
      string.put(of_quad.low, of_quad.high,
                 static_cast<int>(lane.lengths[q / 4] >> (q % 4 * 8) & 0xffu));
    }
    string.end();
  }

  /// Reads the coder's words of an untrusted record into the lane's residuals, and their sum. Returns
  /// whether they describe exactly `words` words, the same on all lanes.
  __device__ __forceinline__ static bool read(DecodeContext const& book, std::uint32_t coder_bits,
                                              std::uint32_t const* in, int words, U* residuals,
                                              U& sum) {
    Plan plan;
    plan.width = static_cast<int>(coder_bits & 15u);
    if (warp::any((coder_bits >> 5) != 0 || plan.width > huffman::least_bits || !book.sound)) {
      return false;
    }
    std::uint32_t narrow[lane_values];
    if (warp::any(words == 0)) {
#pragma unroll
      for (int i = 0; i < lane_values; ++i) residuals[i] = 0;
      sum = 0;
      return coder_bits == 0;
    }
    std::uint32_t const* const list = in + 1;
    if (warp::any((coder_bits & 16u) != 0)) {
      if (warp::any(!take_outlier_count<T>(in, words, plan.wide))) return false;
      in += outlier_list_words<T>(plan.wide);
      words -= outlier_list_words<T>(plan.wide);
    }
    if (warp::any(plan.strings_at() > 32 * words)) return false;
    plan.least = static_cast<int>(in[0] & ((1u << huffman::least_bits) - 1));
    int const me = warp::lane(), entry = plan.pairs_at() + me / 2 * plan.width;
    std::uint32_t const more =
        warp::bits_from(in[entry / 32], in[entry / 32 + 1], static_cast<std::uint32_t>(entry));
    int const pair_bits = plan.least + static_cast<int>(more & ((1u << plan.width) - 1));
    bool const mirrored = me % 2 != 0;
    int const end = plan.strings_at() + warp::prefix_sum(mirrored ? 0 : pair_bits);
    plan.string_bits = warp::from_lane(end, 31) - plan.strings_at();
    if (warp::any(plan.bit_words() != words)) return false;
    LaneReader reader(in, mirrored ? end : end - pair_bits, mirrored);
    std::uint32_t const part_sum = read_string(book, reader, narrow);
    if (warp::any(reader.position() != warp::from_partner(reader.position()))) return false;
#pragma unroll
    for (int i = 0; i < lane_values; ++i) residuals[i] = widen<U>(narrow[i]);
    sum = widen<U>(part_sum);
    return !warp::any(plan.wide > 0) || read_wide<T>(list, plan.wide, residuals, sum);
  }

 private:
  /// The codes of a quad and its symbols: up to 56 bits.
  struct Codes {
    std::uint32_t low = 0, high = 0, length = 0;
  };
  __device__ __forceinline__ static void take_codes(Codes const& codes, int q, U* to, Lane& lane) {
    lane.bits += static_cast<int>(codes.length);
    lane.lengths[q / 4] |= codes.length << (q % 4 * 8);
    if constexpr (sizeof(U) == 8) {
      to[q] = static_cast<U>(codes.high) << 32 | codes.low;
    } else {
      to[2 * q] = codes.low;
      to[2 * q + 1] = codes.high;
    }
  }
  __device__ __forceinline__ static Codes codes_at(U const* from, int q) {
    if constexpr (sizeof(U) == 8) {
      return {static_cast<std::uint32_t>(from[q]), static_cast<std::uint32_t>(from[q] >> 32)};
    } else {
      return {from[2 * q], from[2 * q + 1]};
    }
  }

  // The codes of a quad on the lanes where it is coded.
  __device__ __forceinline__ static Codes measure_quad(EncodeContext const& book, bool coded,
                                                       std::uint32_t const* quad) {
    huffman::CodeWord word = book.tables->quads[huffman::quad_of(quad)];
    if (!coded) word = {0};
    Codes const codes{word.bits(), 0, static_cast<std::uint32_t>(word.length())};
    return word.word == book.other_word ? measure_symbols(book, codes, quad) : codes;
  }
  // The codes of four symbols behind the code of their quad.
  __device__ __forceinline__ static Codes measure_symbols(EncodeContext const& book,
                                                          Codes const& codes,
                                                          std::uint32_t const* quad) {
    huffman::CodeWord w[huffman::quad_values];
#pragma unroll
    for (int i = 0; i < huffman::quad_values; ++i) w[i] = symbol_of(book, quad[i]);
    // Lengths lie in the lowest bytes and, up to 12 each, add up there.
    std::uint32_t const first = w[0].word + w[1].word;
    std::uint32_t const low = w[0].bits() | warp::bits_up_to(0, w[1].bits(), w[0].word);
    std::uint32_t const high = w[2].bits() | warp::bits_up_to(0, w[3].bits(), w[2].word);
    std::uint32_t const low_word = low | warp::bits_up_to(0, high, first);
    std::uint32_t const high_word = warp::bits_up_to(high, 0, first);
    return {codes.low | warp::bits_up_to(0, low_word, codes.length),
            warp::bits_up_to(low_word, high_word, codes.length),
            codes.length + ((first + w[2].word + w[3].word) & 0xffu)};
  }
  __device__ __forceinline__ static huffman::CodeWord symbol_of(EncodeContext const& book,
                                                                std::uint32_t residual) {
    std::uint32_t const shifted = residual + book.radius, above = 2 * book.radius;
    return book.tables->symbols[shifted < above ? shifted : above];
  }
  // Which of a lane's residuals have no code and belong in the list.
  __device__ __noinline__ static std::uint32_t escaped_of(EncodeContext book, std::uint32_t mask,
                                                          U const* residuals) {
    huffman::CodeWord const escape = book.tables->symbols[huffman::escape];
    std::uint32_t escaped = 0;
#pragma unroll 1
    for (int q = 0; q < huffman::lane_quads; ++q) {
      U const* const quad = residuals + huffman::quad_values * q;
      if ((mask >> q & 1u) == 0 ||
          book.tables->quads[huffman::quad_of(quad)].word != book.other_word)
        continue;
      for (int i = 0; i < huffman::quad_values; ++i) {
        std::uint32_t const symbol = huffman::symbol_of(quad[i], static_cast<int>(book.radius));
        bool const is_escaped = book.tables->symbols[symbol] == escape;
        escaped |= static_cast<std::uint32_t>(is_escaped) << (huffman::quad_values * q + i);
      }
    }
    return escaped;
  }

  // The residuals of a lane; their sum.
  __device__ __forceinline__ static std::uint32_t read_string(DecodeContext const& book,
                                                              LaneReader& reader,
                                                              std::uint32_t* residuals) {
    DecodeTables const& tables = *book.tables;
    std::uint32_t sum = 0;
    if (book.symbols_only) {
#pragma unroll
      for (int i = 0; i < lane_values; i += 2) {
        read_two_symbols(tables, reader, true, residuals + i);
        sum += residuals[i] + residuals[i + 1];
      }
      return sum;
    }
    reader.fetch();
    std::uint32_t const of_mask = tables.masks[reader.window & ((1u << huffman::mask_window) - 1)];
    std::uint32_t const mask = of_mask >> 4;
    reader.advance(static_cast<int>(of_mask & 15u));
#pragma unroll
    for (int q = 0; q < huffman::lane_quads; ++q) {
      std::uint32_t* const quad = residuals + huffman::quad_values * q;
#pragma unroll
      for (int i = 0; i < huffman::quad_values; ++i) quad[i] = 0;
      bool const coded = (mask >> q & 1u) != 0;
      if (!warp::any(coded)) continue;
      read_quad(tables, reader, coded, quad);
#pragma unroll
      for (int i = 0; i < huffman::quad_values; ++i) sum += quad[i];
    }
    return sum;
  }
  __device__ __forceinline__ static void read_quad(DecodeTables const& tables, LaneReader& reader,
                                                   bool coded, std::uint32_t* quad) {
    reader.fetch();
    QuadEntry entry = tables.quads[reader.window & ((1u << huffman::quad_window) - 1)];
    if (!coded) entry = {0, 0};
#pragma unroll
    for (int i = 0; i < huffman::quad_values; ++i)
      quad[i] = warp::signed_part<8>(entry.residuals, i);
    auto const length = static_cast<int>(entry.length & 15u);
    bool const symbols = (entry.length & 16u) != 0;
    if (warp::any(symbols)) {
      reader.skip(length);
      // A quad's code and two symbols' take 32 bits at most, which a word holds; what lanes without
      // symbols find they drop.
      int const first = read_symbols(tables, reader, symbols, quad);
      reader.advance(length + first);
      read_two_symbols(tables, reader, symbols, quad + 2);
    } else {
      reader.advance(length);
    }
  }
  __device__ __forceinline__ static void read_two_symbols(DecodeTables const& tables,
                                                          LaneReader& reader, bool symbols,
                                                          std::uint32_t* residuals) {
    reader.fetch();
    reader.advance(read_symbols(tables, reader, symbols, residuals));
  }
  // Two symbols, if there are some; their length.
  __device__ __forceinline__ static int read_symbols(DecodeTables const& tables, LaneReader& reader,
                                                     bool symbols, std::uint32_t* residuals) {
    constexpr std::uint32_t window = (1u << huffman::symbol_window) - 1;
    int const first = tables.symbols[reader.window & window];
    reader.skip(first & 15);
    int const second = tables.symbols[reader.window & window];
    if (!symbols) return 0;
    residuals[0] = static_cast<std::uint32_t>(first >> 4);
    residuals[1] = static_cast<std::uint32_t>(second >> 4);
    return (first & 15) + (second & 15);
  }
};

/// Counts in shared memory; a block adds its own to the call's in the end.
template <class T>
struct WarpCoder<huffman::Counter<T>> {
  using Coder = huffman::Counter<T>;
  using U = unsigned_t<T>;
  using Plan = typename Coder::Plan;

  static constexpr int encode_blocks = sizeof(T) == 8 ? 3 : 4;
  static constexpr bool counts = true;
  struct EncodeTables {
    std::uint32_t number[huffman::entry_count(max_table_radius)];
  };
  using EncodeContext = huffman::Counts;
  template <class Args>
  __device__ __forceinline__ static EncodeContext encode_context(Args const& args,
                                                                 EncodeTables& tables) {
    int const entries = huffman::entry_count(args.radius);
    for (int i = warp::thread(); i < entries; i += tuning::block_threads) tables.number[i] = 0;
    __syncthreads();
    return {tables.number, args.radius};
  }
  struct Lane {};

  template <bool = false>
  __device__ __forceinline__ static Plan measure(EncodeContext const& counts, U const* residuals,
                                                 Lane&, WideResiduals<U>&) {
    std::uint32_t narrow[lane_values];
    narrow_residuals(residuals, narrow);
    std::uint32_t const mask = huffman::mask_of(narrow);
    Plan plan;
    plan.coded = warp::any(mask != 0);
    if (!plan.coded) return plan;
    std::uint32_t const wide = huffman::for_entries(counts.radius, mask, narrow, counts);
    plan.wide = warp::sum(popcount(wide));
    return plan;
  }

  /// Adds the block's counts to those of a shape of tiles; by the block, after a barrier.
  template <class Args>
  __device__ __forceinline__ static void flush(Args const& args, int shape,
                                               EncodeTables const& tables) {
    std::uint32_t* const counts = huffman::encode_memory<Kokkos::Cuda>(args).counts_of(shape);
    int const entries = huffman::entry_count(args.radius);
    for (int i = warp::thread(); i < entries; i += tuning::block_threads) {
      if (tables.number[i] > 0) atomicAdd(counts + i, tables.number[i]);
    }
  }
};

}  // namespace kompakt::impl::cuda

#endif
