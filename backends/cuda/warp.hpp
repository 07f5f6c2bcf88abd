#ifndef KOMPAKT_CUDA_WARP_HPP
#define KOMPAKT_CUDA_WARP_HPP

#include <Kokkos_Core.hpp>
#include <core/bits.hpp>
#include <cstdint>

// What 32 threads can tell each other, and memory operations that C++ has no words for: the only
// file with intrinsics. Every function here is called by all 32 threads of a warp unless it says
// otherwise. The numbering of threads holds for one-dimensional blocks and for Kokkos's teams.

namespace kompakt::impl::warp {

inline constexpr unsigned everyone = 0xffffffffu;

/// Number of the calling thread in its block, warp and lane.
__device__ __forceinline__ int thread() { return static_cast<int>(threadIdx.x + threadIdx.y); }
__device__ __forceinline__ int lane() { return thread() & 31; }

/// Orders memory accesses of the warp's threads, as a barrier does for a block.
__device__ __forceinline__ void sync() { __syncwarp(); }

/// Bit l is the condition of lane l.
__device__ __forceinline__ std::uint32_t votes(bool condition) {
  return __ballot_sync(everyone, condition);
}
__device__ __forceinline__ bool any(bool condition) { return __any_sync(everyone, condition); }

/// The value of the lane `distance` below; the lowest lanes get their own.
template <class V>
__device__ __forceinline__ V from_below(V value, int distance) {
  return __shfl_up_sync(everyone, value, distance);
}
/// The value of the lane `distance` above; the highest lanes get their own.
template <class V>
__device__ __forceinline__ V from_above(V value, int distance) {
  return __shfl_down_sync(everyone, value, distance);
}
template <class V>
struct WordsOf {
  static constexpr int count = sizeof(V) / sizeof(std::uint32_t);
  std::uint32_t of[count];
};
/// A struct of words of the lane that is `distance` above.
template <class V>
__device__ __forceinline__ V words_from_above(V const& value, int distance) {
  auto words = Kokkos::bit_cast<WordsOf<V>>(value);
#pragma unroll
  for (std::uint32_t& word : words.of) word = from_above(word, distance);
  return Kokkos::bit_cast<V>(words);
}
/// The value of one lane.
template <class V>
__device__ __forceinline__ V from_lane(V value, int source) {
  return __shfl_sync(everyone, value, source);
}

/// The square root of a number from 1 to 4, correctly rounded: the library's way, without its branch for numbers
/// outside, which keeps neighbouring values from overlapping.
__device__ __forceinline__ float root_of_1_to_4(float x) {
  float reciprocal;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(x));
  float const root = x * reciprocal, half = 0.5f * reciprocal;
  return __fmaf_rn(__fmaf_rn(-root, root, x), half, root);
}
__device__ __forceinline__ double root_of_1_to_4(double x) { return ::sqrt(x); }

/// The nearest integer, of two the even one, of a number that has one of 32 bits; by any threads.
__device__ __forceinline__ std::int32_t nearest_integer(float x) { return __float2int_rn(x); }
__device__ __forceinline__ std::int32_t nearest_integer(double x) { return __double2int_rn(x); }

/// The value of the other lane of a pair (2k, 2k + 1), for distance 1; of lanes whose numbers differ
/// by a higher power of two alike.
template <class V>
__device__ __forceinline__ V from_partner(V value, int distance = 1) {
  return __shfl_xor_sync(everyone, value, distance);
}

/// Over all lanes, known to all; one instruction each.
__device__ __forceinline__ std::uint32_t any_bits(std::uint32_t word) {
  return __reduce_or_sync(everyone, word);
}
__device__ __forceinline__ int sum(int value) { return __reduce_add_sync(everyone, value); }
__device__ __forceinline__ std::uint32_t sum(std::uint32_t value) {
  return __reduce_add_sync(everyone, value);
}
__device__ __forceinline__ std::uint64_t sum(std::uint64_t value) {  // ten instructions
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) value += from_partner(value, distance);
  return value;
}
__device__ __forceinline__ int least(int value) { return __reduce_min_sync(everyone, value); }
__device__ __forceinline__ int max(int value) { return __reduce_max_sync(everyone, value); }

/// Sum over the lanes below and this one.
template <class V>
__device__ __forceinline__ V prefix_sum(V value) {
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    V const below = from_below(value, distance);
    if (lane() >= distance) value += below;
  }
  return value;
}

/// Number `index` of the signed numbers of `Width` bits (8 or 16) in a word, by any threads: one byte
/// permutation that repeats the sign.
template <int Width>
__device__ __forceinline__ std::uint32_t signed_part(std::uint32_t word, int index) {
  unsigned const byte = static_cast<unsigned>(index * Width / 8);
  unsigned const sign = 0x1111u * (8 | (byte + Width / 8 - 1));
  unsigned const selector =
      Width == 8 ? (sign & 0xfff0u) | byte : (sign & 0xff00u) | (byte + 1) << 4 | byte;
  std::uint32_t part;
  asm("prmt.b32 %0, %1, 0, %2;" : "=r"(part) : "r"(word), "r"(selector));
  return part;
}
/// Byte i of the result is byte number nibble i of `selector` of the word, 0 for numbers from 4 to 7; by
/// any threads.
__device__ __forceinline__ std::uint32_t permute_bytes(std::uint32_t word, std::uint32_t selector) {
  return __byte_perm(word, 0, selector);
}
/// The 32 bits from bit `shift` % 32 of two words on; by any threads.
__device__ __forceinline__ std::uint32_t bits_from(std::uint32_t low, std::uint32_t high,
                                                   std::uint32_t shift) {
  return __funnelshift_r(low, high, shift);
}
/// The upper one of two words shifted left by `shift` % 32; by any threads.
__device__ __forceinline__ std::uint32_t bits_up_to(std::uint32_t low, std::uint32_t high,
                                                    std::uint32_t shift) {
  return __funnelshift_l(low, high, shift);
}
/// A word with its bits in the opposite order; by any threads.
__device__ __forceinline__ std::uint32_t reverse_bits(std::uint32_t word) {
  std::uint32_t
      reversed;  // the compiler turns a choice between this and the word into four instructions
  asm("brev.b32 %0, %1;" : "=r"(reversed) : "r"(word));
  return reversed;
}
/// The upper word of a product; by any threads.
__device__ __forceinline__ std::uint32_t high_product(std::uint32_t a, std::uint32_t b) {
  return __umulhi(a, b);
}
/// The bits of the largest float that is not above a number; by any threads.
__device__ __forceinline__ int float_below(std::uint64_t number) {
  return __float_as_int(__ull2float_rz(number));
}
/// Sum of the four signed bytes of a word and `sum`, by any threads.
__device__ __forceinline__ std::uint32_t add_bytes(std::uint32_t word, std::uint32_t sum) {
  return static_cast<std::uint32_t>(
      __dp4a(static_cast<int>(word), 0x01010101, static_cast<int>(sum)));
}

/// lane(), but what a loop derives from it is computed in every turn, not kept in registers.
__device__ __forceinline__ int fresh_lane() {
  int number = thread();
  asm volatile("" : "+r"(number));
  return number & 31;
}

/// lane(), or fresh_lane().
template <bool fresh>
__device__ __forceinline__ int lane_for_loop() {
  return fresh ? fresh_lane() : lane();
}

/// A word, but what follows from it is computed anew where that is rare, not kept in registers on the way there.
__device__ __forceinline__ std::uint32_t fresh(std::uint32_t word) {
  asm volatile("" : "+r"(word));
  return word;
}
__device__ __forceinline__ std::uint64_t fresh(std::uint64_t word) {
  asm volatile("" : "+l"(word));
  return word;
}

/// Starts a copy of `Bytes` (4, 8 or 16, aligned to as many) from global to shared memory; by any
/// threads.
template <int Bytes>
__device__ __forceinline__ void copy_async(void* shared, void const* global) {
  auto const to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(Bytes)
                 : "memory");
  }
}
/// Waits for the copies that the calling thread has started.
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

/// A store of data that will not be used again soon.
template <class V>
__device__ __forceinline__ void store_once(V* to, V value) {
  __stcs(to, value);
}

/// Stores two neighbours at once; `to` is aligned to both.
__device__ __forceinline__ void store_pair(std::uint32_t* to, std::uint32_t a, std::uint32_t b) {
  *reinterpret_cast<uint2*>(to) = make_uint2(a, b);
}
__device__ __forceinline__ void store_pair(float* to, float a, float b) {
  __stcs(reinterpret_cast<float2*>(to), make_float2(a, b));
}
__device__ __forceinline__ void store_pair(double* to, double a, double b) {
  __stcs(reinterpret_cast<double2*>(to), make_double2(a, b));
}
/// Has the compiler keep a value in a register instead of working it out again.
__device__ __forceinline__ void keep(unsigned& value) { asm volatile("" : "+r"(value)); }

/// A word that other blocks read while this kernel runs: not held in a register or the first cache.
__device__ __forceinline__ std::uint64_t load_shared_word(std::uint64_t const* from) {
  std::uint64_t value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
  return value;
}
__device__ __forceinline__ std::uint32_t load_shared_word(std::uint32_t const* from) {
  std::uint32_t value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
__device__ __forceinline__ void store_shared_word(std::uint64_t* to, std::uint64_t value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}

/// The same; what came before an add_release() whose result it loads is seen by what comes behind it.
__device__ __forceinline__ std::uint32_t load_acquire(std::uint32_t const* from) {
  std::uint32_t value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
/// Adds 1 to such a word behind all that the warp has done before its last sync(); by any threads.
__device__ __forceinline__ void add_release(std::uint32_t* to) {
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(to) : "memory");
}
/// Leaves the multiprocessor to other warps for a moment.
__device__ __forceinline__ void pause() { __nanosleep(100); }

/// A struct of words that another block wrote before a fence.
template <class V>
__device__ __forceinline__ V load_fresh(V const& from) {
  auto const* const source = reinterpret_cast<std::uint32_t const volatile*>(&from);
  WordsOf<V> words;
#pragma unroll
  for (int i = 0; i < WordsOf<V>::count; ++i) words.of[i] = source[i];
  return Kokkos::bit_cast<V>(words);
}

/// A warp as the team that the bodies of core and pipeline ask for.
class Team {
 public:
  KOKKOS_FUNCTION int team_rank() const {
    KOKKOS_IF_ON_DEVICE((return lane();))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  KOKKOS_FUNCTION int team_size() const { return 32; }
  KOKKOS_FUNCTION void team_barrier() const { KOKKOS_IF_ON_DEVICE((sync();)) }
  template <class V, class Space>
  KOKKOS_FUNCTION void team_reduce(Kokkos::Max<V, Space> const& result) const {
    KOKKOS_IF_ON_DEVICE((result.reference() = max(result.reference());))
  }
  template <class V, class Space>
  KOKKOS_FUNCTION void team_reduce(Kokkos::Sum<V, Space> const& result) const {
    KOKKOS_IF_ON_DEVICE((result.reference() = sum(result.reference());))
  }
};

/// impl::write_mask() by a warp; found in its place by the team's type.
KOKKOS_INLINE_FUNCTION void write_mask([[maybe_unused]] Team const& team,
                                       [[maybe_unused]] std::uint32_t const* bits,
                                       [[maybe_unused]] std::uint32_t* out) {
  KOKKOS_IF_ON_DEVICE((
      std::uint32_t const mine = bits[lane()];
      std::uint32_t const any = votes(mine != 0), full = votes(mine == ~0u);
      std::uint32_t const mixed = any & ~full; if (lane() == 0) {
        out[0] = any;
        out[1] = full;
      } if (mixed >> lane() & 1u) out[2 + rank_in_mask(mixed, lane())] = mine;))
}

}  // namespace kompakt::impl::warp

#endif
