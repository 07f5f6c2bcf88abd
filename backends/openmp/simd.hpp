#ifndef KOMPAKT_OPENMP_SIMD_HPP
#define KOMPAKT_OPENMP_SIMD_HPP

#include <core/quantize.hpp>
#include <core/types.hpp>
#include <cstdint>

// What a processor's vector unit does that loops in C++ cannot say: the only file of this backend with
// intrinsics. There is a version for AVX2; where it is missing, KOMPAKT_HOST_SIMD is not defined and the
// generic bodies do the work.

#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
#define KOMPAKT_HOST_SIMD

#include <immintrin.h>

#include <array>
#include <cstring>

// Vectors stay in registers only where calls are inlined.
#define KOMPAKT_SIMD_INLINE [[gnu::always_inline]] inline

namespace kompakt::impl::simd {

/// 32 bytes, or 8 words.
using Pack = __m256i;

KOMPAKT_SIMD_INLINE Pack load(void const* from) {
  return _mm256_loadu_si256(static_cast<Pack const*>(from));
}
KOMPAKT_SIMD_INLINE void store(void* to, Pack pack) {
  _mm256_storeu_si256(static_cast<Pack*>(to), pack);
}

/// Bit i is set where byte i is not zero.
KOMPAKT_SIMD_INLINE std::uint32_t nonzero_bytes(Pack bytes) {
  Pack const zero = _mm256_cmpeq_epi8(bytes, _mm256_setzero_si256());
  return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(zero));
}
/// Bit i is set where word i of 8 is not zero.
KOMPAKT_SIMD_INLINE std::uint32_t nonzero_words(Pack words) {
  Pack const zero = _mm256_cmpeq_epi32(words, _mm256_setzero_si256());
  return ~static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(zero))) & 0xffu;
}

KOMPAKT_SIMD_INLINE Pack either(Pack a, Pack b) { return _mm256_or_si256(a, b); }
KOMPAKT_SIMD_INLINE Pack zero() { return _mm256_setzero_si256(); }
KOMPAKT_SIMD_INLINE Pack add(Pack a, Pack b) { return _mm256_add_epi32(a, b); }
KOMPAKT_SIMD_INLINE Pack subtract(Pack a, Pack b) { return _mm256_sub_epi32(a, b); }

/// Starts to load what will be read soon, wherever that is.
KOMPAKT_SIMD_INLINE void prefetch(void const* from) {
  _mm_prefetch(static_cast<char const*>(from), _MM_HINT_T0);
}

/// The words of `pack` moved up by one; the last of `before` becomes the first.
KOMPAKT_SIMD_INLINE Pack shift_in(Pack before, Pack pack) {
  return _mm256_alignr_epi8(pack, _mm256_permute2x128_si256(before, pack, 0x21), 12);
}
/// Sums of each word and those before it in the pack.
KOMPAKT_SIMD_INLINE Pack prefix_sum(Pack x) {
  x = add(x, _mm256_slli_si256(x, 4));
  x = add(x, _mm256_slli_si256(x, 8));
  Pack const low_half = _mm256_permute2x128_si256(x, x, 0x08);
  return add(x, _mm256_shuffle_epi32(low_half, 0xff));
}
/// The last word, in all places.
KOMPAKT_SIMD_INLINE Pack repeat_last(Pack x) {
  return _mm256_permutevar8x32_epi32(x, _mm256_set1_epi32(7));
}

/// Eight numbers of 32 bits a pack, which are signed where they are compared.
template <int packs>
class Numbers {
 public:
  static constexpr int count = 8 * packs;

  Numbers() = default;
  KOMPAKT_SIMD_INLINE explicit Numbers(std::uint32_t all) {
    *this = each([=](int) { return _mm256_set1_epi32(static_cast<int>(all)); });
  }
  /// \param stride  between the words of two packs
  KOMPAKT_SIMD_INLINE static Numbers load(std::uint32_t const* from, int stride = 8) {
    return each([=](int i) { return simd::load(from + i * stride); });
  }
  /// Numbers of eight and of sixteen bits.
  KOMPAKT_SIMD_INLINE static Numbers load_bytes(std::uint8_t const* from) {
    return each([&](int i) {
      return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<__m128i const*>(from + 8 * i)));
    });
  }
  KOMPAKT_SIMD_INLINE static Numbers load_halfwords(std::uint16_t const* from) {
    return each([&](int i) {
      return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<__m128i const*>(from + 8 * i)));
    });
  }
  KOMPAKT_SIMD_INLINE void store(std::uint32_t* to, int stride = 8) const {
    for (int i = 0; i < packs; ++i) simd::store(to + i * stride, m_packs[i]);
  }

  /// Stores numbers below 256, a byte each.
  KOMPAKT_SIMD_INLINE void store_bytes(std::uint8_t* to) const {
    for (int i = 0; i < packs; ++i) {
      Pack const halfwords = _mm256_packus_epi32(m_packs[i], m_packs[i]);
      Pack const bytes = _mm256_packus_epi16(halfwords, halfwords);
      int const words[2] = {_mm256_extract_epi32(bytes, 0), _mm256_extract_epi32(bytes, 4)};
      std::memcpy(to + 8 * i, words, 8);
    }
  }

  KOMPAKT_SIMD_INLINE Numbers operator+(Numbers b) const {
    return with(b, [](Pack x, Pack y) { return _mm256_add_epi32(x, y); });
  }
  KOMPAKT_SIMD_INLINE Numbers operator-(Numbers b) const {
    return with(b, [](Pack x, Pack y) { return _mm256_sub_epi32(x, y); });
  }
  KOMPAKT_SIMD_INLINE Numbers operator*(Numbers b) const {
    return with(b, [](Pack x, Pack y) { return _mm256_mullo_epi32(x, y); });
  }
  KOMPAKT_SIMD_INLINE Numbers operator&(Numbers b) const {
    return with(b, [](Pack x, Pack y) { return _mm256_and_si256(x, y); });
  }
  KOMPAKT_SIMD_INLINE Numbers operator|(Numbers b) const {
    return with(b, [](Pack x, Pack y) { return _mm256_or_si256(x, y); });
  }
  KOMPAKT_SIMD_INLINE Numbers operator<<(Numbers bits) const {
    return with(bits, [](Pack x, Pack y) { return _mm256_sllv_epi32(x, y); });
  }
  KOMPAKT_SIMD_INLINE Numbers operator>>(Numbers bits) const {
    return with(bits, [](Pack x, Pack y) { return _mm256_srlv_epi32(x, y); });
  }
  KOMPAKT_SIMD_INLINE Numbers operator<<(int bits) const {
    return each([&](int i) { return _mm256_slli_epi32(m_packs[i], bits); });
  }
  KOMPAKT_SIMD_INLINE Numbers operator>>(int bits) const {
    return each([&](int i) { return _mm256_srli_epi32(m_packs[i], bits); });
  }
  KOMPAKT_SIMD_INLINE Numbers& operator+=(Numbers b) { return *this = *this + b; }
  KOMPAKT_SIMD_INLINE Numbers without(Numbers b) const {
    return with(b, [](Pack x, Pack y) { return _mm256_andnot_si256(y, x); });
  }

  // All bits of a number are set, or none.
  KOMPAKT_SIMD_INLINE Numbers operator>(Numbers b) const {
    return with(b, [](Pack x, Pack y) { return _mm256_cmpgt_epi32(x, y); });
  }
  KOMPAKT_SIMD_INLINE Numbers operator==(Numbers b) const {
    return with(b, [](Pack x, Pack y) { return _mm256_cmpeq_epi32(x, y); });
  }
  KOMPAKT_SIMD_INLINE Numbers or_else(Numbers otherwise, Numbers where) const {
    return each([&](int i) {
      return _mm256_blendv_epi8(otherwise.m_packs[i], m_packs[i], where.m_packs[i]);
    });
  }
  /// Whether the highest bit of any is set.
  KOMPAKT_SIMD_INLINE bool any() const { return highest_bits() != 0; }
  /// The highest bits.
  KOMPAKT_SIMD_INLINE std::uint32_t highest_bits() const {
    std::uint32_t bits = 0;
    for (int i = 0; i < packs; ++i) {
      int const of_pack = _mm256_movemask_ps(_mm256_castsi256_ps(m_packs[i]));
      bits |= static_cast<std::uint32_t>(of_pack) << (8 * i);
    }
    return bits;
  }
  KOMPAKT_SIMD_INLINE Numbers at_most(std::uint32_t most) const {
    return each([&](int i) {
      return _mm256_min_epi32(m_packs[i], _mm256_set1_epi32(static_cast<int>(most)));
    });
  }
  KOMPAKT_SIMD_INLINE Numbers at_least_0() const {
    return each([&](int i) { return _mm256_max_epi32(m_packs[i], zero()); });
  }

  /// The words that begin at these places, of `bytes` each.
  template <int bytes>
  KOMPAKT_SIMD_INLINE static Numbers gather(void const* from, Numbers places) {
    return each([&](int i) {
      return _mm256_i32gather_epi32(static_cast<int const*>(from), places.m_packs[i], bytes);
    });
  }
  /// The words at these places, or 0 where the highest bit of `where` is not set.
  KOMPAKT_SIMD_INLINE static Numbers gather_where(Numbers where, void const* from, Numbers places) {
    return each([&](int i) {
      return _mm256_mask_i32gather_epi32(zero(), static_cast<int const*>(from), places.m_packs[i],
                                         where.m_packs[i], 4);
    });
  }
  /// 64 times the whole part of the binary logarithm, and the six bits behind the highest one. Of numbers from 1 to 2^31 - 1.
  KOMPAKT_SIMD_INLINE Numbers highest_seven_bits() const {
    constexpr int bias = 127 * 64;
    return each([&](int i) {
      Pack const x = m_packs[i];
      // What is left out keeps the conversion from rounding up as far as those bits.
      Pack const y = _mm256_andnot_si256(_mm256_srli_epi32(x, 8), x);
      Pack const bits = _mm256_castps_si256(_mm256_cvtepi32_ps(y));
      return _mm256_sub_epi32(_mm256_srli_epi32(bits, 17), _mm256_set1_epi32(bias));
    });
  }

 private:
  template <class F>
  KOMPAKT_SIMD_INLINE static Numbers each(F const& f) {
    Numbers result;
    for (int i = 0; i < packs; ++i) result.m_packs[i] = f(i);
    return result;
  }
  template <class F>
  KOMPAKT_SIMD_INLINE Numbers with(Numbers b, F const& f) const {
    return each([&](int i) { return f(m_packs[i], b.m_packs[i]); });
  }

  Pack m_packs[packs];
};

/// The upper 64 bits of a product.
KOMPAKT_SIMD_INLINE std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
  unsigned long long high;
  _mulx_u64(a, b, &high);
  return high;
}

/// Four sums of numbers of 16 bits.
class FourSums {
 public:
  KOMPAKT_SIMD_INLINE void add(std::uint16_t const* numbers) {
    m_sums = _mm_add_epi32(m_sums, _mm_cvtepu16_epi32(load(numbers)));
  }
  /// Two times four, each below 2^15.
  KOMPAKT_SIMD_INLINE void add(std::uint16_t const* a, std::uint16_t const* b) {
    __m128i const pairs = _mm_unpacklo_epi16(load(a), load(b));
    m_sums = _mm_add_epi32(m_sums, _mm_madd_epi16(pairs, _mm_set1_epi16(1)));
  }
  KOMPAKT_SIMD_INLINE void store(std::uint32_t* to) const {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), m_sums);
  }

 private:
  KOMPAKT_SIMD_INLINE static __m128i load(std::uint16_t const* numbers) {
    return _mm_loadl_epi64(reinterpret_cast<__m128i const*>(numbers));
  }

  __m128i m_sums = _mm_setzero_si128();
};

/// Quantizer::quantize() of eight floats.
/// \tparam has_fill  whether there is a fill value, whose bin is refused
template <bool has_fill>
class QuickBins {
 public:
  explicit QuickBins(Quantizer<float> const& q)
      : inverse(_mm256_set1_ps(q.inverse)),
        step(_mm256_set1_ps(q.step)),
        limit(_mm256_set1_ps(q.limit)),
        most(_mm256_set1_ps(q.quick_bins)),
        fill(_mm256_set1_ps(q.fill_rounded)) {}

  KOMPAKT_SIMD_INLINE Pack bins(float const* values) {
    __m256 const x = _mm256_loadu_ps(values);
    __m256 const rounded =
        _mm256_round_ps(_mm256_mul_ps(x, inverse), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    __m256 const difference = _mm256_sub_ps(x, _mm256_mul_ps(rounded, step));
    accepted = _mm256_and_ps(accepted, less(magnitude(difference), limit));
    accepted = _mm256_and_ps(accepted, _mm256_cmp_ps(magnitude(rounded), most, _CMP_LE_OQ));
    if constexpr (has_fill) {
      accepted = _mm256_and_ps(accepted, _mm256_cmp_ps(rounded, fill, _CMP_NEQ_UQ));
    }
    return _mm256_cvtps_epi32(rounded);
  }
  /// Whether the quick check accepted all values so far; if not, the bins are meaningless.
  bool all_accepted() const { return _mm256_movemask_ps(accepted) == 0xff; }

 private:
  static __m256 magnitude(__m256 x) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x); }
  static __m256 less(__m256 a, __m256 b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
  __m256 inverse, step, limit, most, fill;
  __m256 accepted = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
};
/// Quantizer::reconstruct_linear() of eight bins.
class LinearValues {
 public:
  explicit LinearValues(Quantizer<float> const& q) : step(_mm256_set1_ps(q.step)) {}

  KOMPAKT_SIMD_INLINE void store(float* to, Pack bins) const {
    _mm256_storeu_ps(to, _mm256_mul_ps(_mm256_cvtepi32_ps(bins), step));
  }

 private:
  __m256 step;
};

/// OrderedKeys<float> for eight numbers at a time.
class Keys8 {
 public:
  explicit Keys8(Quantizer<float> const& q) : inverted(_mm256_set1_epi32(q.keys.inverted)) {}

  KOMPAKT_SIMD_INLINE Pack bins(float const* values) const { return invert(load(values)); }
  bool all_accepted() const { return true; }
  KOMPAKT_SIMD_INLINE void store(float* to, Pack bins) const { simd::store(to, invert(bins)); }

 private:
  KOMPAKT_SIMD_INLINE Pack invert(Pack bits) const {
    return _mm256_xor_si256(bits, _mm256_and_si256(_mm256_srai_epi32(bits, 31), inverted));
  }
  Pack inverted;
};

/// LogScale<float> for eight numbers at a time.
class LogScale8 {
 public:
  explicit LogScale8(Quantizer<float> const& q)
      : width(constant(q.scale.width)),
        half_width(constant((q.scale.width >> 1) - one)),
        reciprocal(constant(q.scale.reciprocal)),
        shift(_mm_cvtsi32_si128(static_cast<int>(q.scale.shift))),
        fill(_mm256_set1_ps(q.fill.value)),
        accepted(_mm256_set1_epi32(q.scale.proven ? -1 : 0)) {}

  /// Quantizer::quantize_relative().
  KOMPAKT_SIMD_INLINE Pack bins(float const* values) {
    __m256 const value = _mm256_loadu_ps(values);
    Pack const bits = _mm256_and_si256(_mm256_castps_si256(value), constant(~B::sign));
    __m256 const mantissa = _mm256_castsi256_ps(one_and_fraction(bits));
    __m256 const root = _mm256_sqrt_ps(
        _mm256_sub_ps(_mm256_mul_ps(_mm256_set1_ps(3), mantissa), _mm256_set1_ps(2)));
    __m256 const no_fill = _mm256_cmp_ps(value, fill, _CMP_NEQ_UQ);
    Pack const has_bin =
        _mm256_and_si256(_mm256_cmpgt_epi32(bits, constant((B::first_exponent << 23) - 1)),
                         _mm256_cmpgt_epi32(constant((B::last_exponent + 1) << 23), bits));
    accepted = _mm256_and_si256(accepted, _mm256_and_si256(has_bin, _mm256_castps_si256(no_fill)));
    Pack const exponent = _mm256_andnot_si256(constant(B::mantissa_mask), bits);
    Pack const place = add(add(exponent, half_width), _mm256_castps_si256(root));
    Pack const even = _mm256_srli_epi64(_mm256_mul_epu32(place, reciprocal), 32);
    Pack const odd = _mm256_mul_epu32(_mm256_srli_epi64(place, 32), reciprocal);
    return _mm256_srl_epi32(_mm256_blend_epi32(even, odd, 0xaa), shift);
  }
  bool all_accepted() const { return _mm256_movemask_epi8(accepted) == -1; }

  /// Stores the magnitudes of eight bins.
  KOMPAKT_SIMD_INLINE void store(float* to, Pack bins) const {
    Pack const place = _mm256_mullo_epi32(bins, width);
    Pack const root_bits = one_and_fraction(place);
    __m256 const root = _mm256_castsi256_ps(root_bits);
    __m256 const value = _mm256_mul_ps(_mm256_add_ps(_mm256_mul_ps(root, root), _mm256_set1_ps(2)),
                                       _mm256_set1_ps(1.0f / 3.0f));
    simd::store(to, add(subtract(place, root_bits), _mm256_castps_si256(value)));
  }

 private:
  using B = FloatBits<float>;
  static constexpr std::uint32_t one = B::one;

  KOMPAKT_SIMD_INLINE static Pack constant(std::uint32_t word) {
    return _mm256_set1_epi32(static_cast<int>(word));
  }
  KOMPAKT_SIMD_INLINE static Pack one_and_fraction(Pack bits) {
    return either(_mm256_and_si256(bits, constant(B::mantissa_mask)), constant(one));
  }

  Pack width, half_width, reciprocal;
  __m128i shift;
  __m256 fill;
  Pack accepted;
};

/// Bit i is the sign of value i of eight.
KOMPAKT_SIMD_INLINE std::uint32_t signs(float const* values) {
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_loadu_ps(values)));
}

/// Negates value i of eight if bit i is set.
KOMPAKT_SIMD_INLINE void negate(float* values, std::uint32_t bits) {
  Pack const bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  Pack const chosen = _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(bits)), bit);
  Pack const all_ones = _mm256_cmpeq_epi32(chosen, bit);
  store(values, _mm256_xor_si256(load(values), _mm256_slli_epi32(all_ones, 31)));
}

namespace detail {

// The 8 x 8 bits of every 8 bytes, transposed.
KOMPAKT_SIMD_INLINE Pack transpose_bits(Pack x) {
  auto const stage = [&]<int shift>(std::integral_constant<int, shift>, long long mask) {
    Pack const apart = _mm256_xor_si256(x, _mm256_srli_epi64(x, shift));
    Pack const t = _mm256_and_si256(apart, _mm256_set1_epi64x(mask));
    x = _mm256_xor_si256(x, _mm256_xor_si256(t, _mm256_slli_epi64(t, shift)));
  };
  stage(std::integral_constant<int, 7>{}, 0x00aa00aa00aa00aa);
  stage(std::integral_constant<int, 14>{}, 0x0000cccc0000cccc);
  stage(std::integral_constant<int, 28>{}, 0x00000000f0f0f0f0);
  return x;
}

// Shuffles in both halves alike: a[k][p] of 2 x 8 bytes to a[p][k], and back.
KOMPAKT_SIMD_INLINE Pack interleave_rows(Pack x) {
  return _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(_mm_setr_epi8(
                                    0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)));
}
KOMPAKT_SIMD_INLINE Pack separate_rows(Pack x) {
  return _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(_mm_setr_epi8(
                                    0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15)));
}
// Interleaves 2 x 4 pairs of bytes.
KOMPAKT_SIMD_INLINE Pack interleave_pairs(Pack x) {
  return _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(_mm_setr_epi8(
                                    0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15)));
}
KOMPAKT_SIMD_INLINE Pack separate_pairs(Pack x) {
  return _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(_mm_setr_epi8(
                                    0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15)));
}

}  // namespace detail

/// 32 bytes to their 8 bit planes, a word each.
KOMPAKT_SIMD_INLINE Pack planes_of_bytes(Pack bytes) {
  Pack const rows = detail::interleave_rows(detail::transpose_bits(bytes));
  return detail::interleave_pairs(_mm256_permute4x64_epi64(rows, 0xd8));
}
/// The inverse.
KOMPAKT_SIMD_INLINE Pack bytes_of_planes(Pack planes) {
  Pack const rows = _mm256_permute4x64_epi64(detail::separate_pairs(planes), 0xd8);
  return detail::transpose_bits(detail::separate_rows(rows));
}

/// The 8 x 8 bits of each of two times 8 bytes, transposed.
KOMPAKT_SIMD_INLINE void transpose_16_bytes(void const* from, void* to) {
  __m128i const bytes = _mm_loadu_si128(static_cast<__m128i const*>(from));
  Pack const transposed = detail::transpose_bits(_mm256_castsi128_si256(bytes));
  _mm_storeu_si128(static_cast<__m128i*>(to), _mm256_castsi256_si128(transposed));
}

/// 32 residuals or their codes of 32 bits, in the order of a lane.
struct Words32 {
  Pack part[4];

  /// Eight quads, `stride` words from one to the next.
  KOMPAKT_SIMD_INLINE static Words32 load_quads(std::uint32_t const* first, int stride) {
    Words32 words;
    for (int i = 0; i < 4; ++i) {
      auto const* const low = reinterpret_cast<__m128i const*>(first + 2 * i * stride);
      auto const* const high = reinterpret_cast<__m128i const*>(first + (2 * i + 1) * stride);
      words.part[i] = _mm256_loadu2_m128i(high, low);
    }
    return words;
  }

  /// Codes of residuals: zig-zags, or twice the magnitude and the sign. all: the bits that occur, and one
  /// above bit 15 if one of the residuals has no code of 16 bits.
  template <bool sign_magnitude>
  KOMPAKT_SIMD_INLINE Words32 codes(std::uint32_t& all) const {
    Words32 result;
    Pack any = _mm256_setzero_si256();
    for (int i = 0; i < 4; ++i) {
      Pack const r = part[i];
      if constexpr (sign_magnitude) {
        Pack const magnitude = _mm256_abs_epi32(r);  // 2^31 stays
        result.part[i] =
            _mm256_or_si256(_mm256_add_epi32(magnitude, magnitude), _mm256_srli_epi32(r, 31));
        Pack const lost = _mm256_and_si256(magnitude, _mm256_set1_epi32(INT32_MIN));
        any = _mm256_or_si256(any, _mm256_or_si256(result.part[i], lost));
      } else {
        result.part[i] = _mm256_xor_si256(_mm256_add_epi32(r, r), _mm256_srai_epi32(r, 31));
        any = _mm256_or_si256(any, result.part[i]);
      }
    }
    __m128i fold = _mm_or_si128(_mm256_castsi256_si128(any), _mm256_extracti128_si256(any, 1));
    fold = _mm_or_si128(fold, _mm_srli_si128(fold, 8));
    fold = _mm_or_si128(fold, _mm_srli_si128(fold, 4));
    all = static_cast<std::uint32_t>(_mm_cvtsi128_si32(fold));
    return result;
  }

  /// The 16 bit planes of codes below 2^16.
  KOMPAKT_SIMD_INLINE void store_planes(bool more_than_a_byte, std::uint32_t* planes) const {
    Pack const first = _mm256_packus_epi32(part[0], part[1]);
    Pack const second = _mm256_packus_epi32(part[2], part[3]);
    Pack const low_bytes = _mm256_set1_epi16(0xff);
    store(planes, planes_of_bytes(in_order(_mm256_and_si256(first, low_bytes),
                                           _mm256_and_si256(second, low_bytes))));
    Pack high = _mm256_setzero_si256();
    if (more_than_a_byte) {
      high = planes_of_bytes(in_order(_mm256_srli_epi16(first, 8), _mm256_srli_epi16(second, 8)));
    }
    store(planes + 8, high);
  }

 private:
  // Bytes from 16-bit numbers, in the order that the numbers had before they were packed.
  static Pack in_order(Pack first, Pack second) {
    return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(first, second),
                                       _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  }
};

/// The first `count` of 8 words, then zeros.
KOMPAKT_SIMD_INLINE Pack first_words(Pack words, int count) {
  Pack const number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_and_si256(words, _mm256_cmpgt_epi32(_mm256_set1_epi32(count), number));
}

/// Residuals of 32 codes of 8 bits, from their bit planes; numbers of 8 bits in order.
template <bool sign_magnitude>
KOMPAKT_SIMD_INLINE Pack residuals_of_planes(Pack planes) {
  Pack const codes = bytes_of_planes(planes);
  Pack const one = _mm256_set1_epi8(1);
  Pack const magnitude = _mm256_and_si256(_mm256_srli_epi16(codes, 1), _mm256_set1_epi8(0x7f));
  Pack const sign = _mm256_sub_epi8(_mm256_setzero_si256(), _mm256_and_si256(codes, one));
  Pack const flipped = _mm256_xor_si256(magnitude, sign);
  return sign_magnitude ? _mm256_sub_epi8(flipped, sign) : flipped;
}
/// Residuals of codes of 16 bits, half of the lane: 8 numbers of 16 bits from number 8 * upper on and 8
/// from 16 + 8 * upper on.
template <bool sign_magnitude>
KOMPAKT_SIMD_INLINE Pack residuals_of_codes(Pack low_bytes, Pack high_bytes, bool upper) {
  Pack const codes = upper ? _mm256_unpackhi_epi8(low_bytes, high_bytes)
                           : _mm256_unpacklo_epi8(low_bytes, high_bytes);
  Pack const one = _mm256_set1_epi16(1);
  Pack const sign = _mm256_sub_epi16(_mm256_setzero_si256(), _mm256_and_si256(codes, one));
  Pack const flipped = _mm256_xor_si256(_mm256_srli_epi16(codes, 1), sign);
  return sign_magnitude ? _mm256_sub_epi16(flipped, sign) : flipped;
}

/// Stores 8 signed numbers of `Bits` (8 or 16) at the low end of a vector as two quads.
template <int Bits, class U>
KOMPAKT_SIMD_INLINE void store_quads(__m128i numbers, U* first, U* second) {
  if constexpr (sizeof(U) == 4) {
    Pack const wide = Bits == 8 ? _mm256_cvtepi8_epi32(numbers) : _mm256_cvtepi16_epi32(numbers);
    _mm256_storeu2_m128i(reinterpret_cast<__m128i*>(second), reinterpret_cast<__m128i*>(first),
                         wide);
  } else {
    __m128i const later = _mm_srli_si128(numbers, Bits / 2);
    store(first, Bits == 8 ? _mm256_cvtepi8_epi64(numbers) : _mm256_cvtepi16_epi64(numbers));
    store(second, Bits == 8 ? _mm256_cvtepi8_epi64(later) : _mm256_cvtepi16_epi64(later));
  }
}

/// Residuals from the first `count` planes of a lane's codes, up to 8 or up to 16, as eight quads `stride` numbers from one to the next.
template <bool sign_magnitude, class U>
KOMPAKT_SIMD_INLINE void unpack_bytes(std::uint32_t const* planes, int count, U* to, int stride) {
  Pack const numbers = residuals_of_planes<sign_magnitude>(first_words(load(planes), count));
  __m128i const half[2] = {_mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1)};
  for (int i = 0; i < 2; ++i) {
    U* const quads = to + 4 * i * stride;
    store_quads<8>(half[i], quads, quads + stride);
    store_quads<8>(_mm_srli_si128(half[i], 8), quads + 2 * stride, quads + 3 * stride);
  }
}
template <bool sign_magnitude, class U>
KOMPAKT_SIMD_INLINE void unpack_pairs(std::uint32_t const* planes, int count, U* to, int stride) {
  Pack const low = bytes_of_planes(load(planes));
  Pack const high = bytes_of_planes(first_words(load(planes + 8), count - 8));
  for (int upper = 0; upper < 2; ++upper) {
    Pack const numbers = residuals_of_codes<sign_magnitude>(low, high, upper != 0);
    U* const quads = to + 2 * upper * stride;
    store_quads<16>(_mm256_castsi256_si128(numbers), quads, quads + stride);
    store_quads<16>(_mm256_extracti128_si256(numbers, 1), quads + 4 * stride, quads + 5 * stride);
  }
}

namespace detail {

// For each set of 8 bytes: which of them are in it, side by side; and where each of them then lies.
struct ByteMoves {
  std::array<std::uint64_t, 256> squeeze{}, spread{};
  constexpr ByteMoves() {
    for (std::uint32_t set = 0; set < 256; ++set) {
      int count = 0;
      std::uint64_t from = ~std::uint64_t{0},
                    to = ~std::uint64_t{0};  // a number above 127 makes zero
      for (int i = 0; i < 8; ++i) {
        if ((set >> i & 1u) == 0) continue;
        from &= ~(std::uint64_t{0xff} << (8 * count)) | static_cast<std::uint64_t>(i)
                                                            << (8 * count);
        to &= ~(std::uint64_t{0xff} << (8 * i)) | static_cast<std::uint64_t>(count) << (8 * i);
        ++count;
      }
      squeeze[set] = from;
      spread[set] = to;
    }
  }
};
inline constexpr ByteMoves byte_moves;

KOMPAKT_SIMD_INLINE void move_bytes(void const* from, std::uint64_t moves, void* to) {
  __m128i const bytes = _mm_loadl_epi64(static_cast<__m128i const*>(from));
  __m128i const order = _mm_cvtsi64_si128(static_cast<long long>(moves));
  _mm_storel_epi64(static_cast<__m128i*>(to), _mm_shuffle_epi8(bytes, order));
}

}  // namespace detail

/// Stores those of 8 bytes that `set` (of 8 bits) names, side by side, then zeros: 8 bytes.
KOMPAKT_SIMD_INLINE void squeeze_bytes(void const* from, std::uint32_t set, void* to) {
  detail::move_bytes(from, detail::byte_moves.squeeze[set], to);
}
/// The inverse: reads 8 bytes; those that `set` does not name become zero.
KOMPAKT_SIMD_INLINE void spread_bytes(void const* from, std::uint32_t set, void* to) {
  detail::move_bytes(from, detail::byte_moves.spread[set], to);
}

/// The 4 x 4 words at rows `pitch` words apart, transposed.
struct Square4 {
  __m128i row[4];

  KOMPAKT_SIMD_INLINE static Square4 load(std::uint32_t const* from, int pitch) {
    Square4 square;
    for (int i = 0; i < 4; ++i) {
      square.row[i] = _mm_loadu_si128(reinterpret_cast<__m128i const*>(from + i * pitch));
    }
    return square;
  }
  void load_row(int i, std::uint32_t const* from) {
    row[i] = _mm_loadu_si128(reinterpret_cast<__m128i const*>(from));
  }
  void store_row(int i, std::uint32_t* to) const {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), row[i]);
  }
  KOMPAKT_SIMD_INLINE Square4 transposed() const {
    __m128i const a = _mm_unpacklo_epi32(row[0], row[1]), b = _mm_unpacklo_epi32(row[2], row[3]);
    __m128i const c = _mm_unpackhi_epi32(row[0], row[1]), d = _mm_unpackhi_epi32(row[2], row[3]);
    return {{_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b), _mm_unpacklo_epi64(c, d),
             _mm_unpackhi_epi64(c, d)}};
  }
};

}  // namespace kompakt::impl::simd

#endif
#endif
