#ifndef KOMPAKT_CUDA_ORDERED_SCAN_HPP
#define KOMPAKT_CUDA_ORDERED_SCAN_HPP

#include <core/bits.hpp>
#include <cstdint>
#include <cuda/tuning.hpp>
#include <cuda/warp.hpp>

// A scan inside the kernel that computes the sizes. Every turn of a worker, a chunk or a part of one, has one 64-bit word:
// its worker publishes the turn's size there, and one block, the scanner, replaces sizes by places in the order of turns. A worker polls a single word; the usual look-back (Merrill and Garland, Single-pass
// parallel prefix scan with decoupled look-back, NVR-2016-002) has every chunk read hundreds,
// because hundreds are in flight (docs/notebook.md).
//
// Roles and turns are handed out by ticket, never by block number: who holds a ticket is running,
// and what it waits for belongs to lower tickets or to the scanner, which got the first. So a wait
// always ends, however blocks are scheduled and whatever else runs on the device.
//
// A word is valid only in the launch whose epoch it carries, so nothing is cleared between launches.

namespace kompakt::impl::cuda {

class OrderedScan {
 public:
  static constexpr int epoch_bits = 14, value_bits = 48;  // above them 2 bits of status
  static constexpr std::uint32_t last_epoch = (1u << epoch_bits) - 1;

  struct Memory {
    int known[chunk_tiles];  // sizes, of each warp
    std::uint32_t sum[chunk_tiles];
    std::uint32_t ticket;
  };

  /// What the launches share, zero at first; every launch leaves it ready for the next.
  struct State {
    std::uint32_t started;  ///< blocks
    std::uint32_t ticket;   ///< the next turn to hand out
    std::uint32_t done;     ///< blocks that have finished
    std::uint32_t epoch;    ///< of the launch before this one
  };

  /// \param words  one a chunk, zero before the first launch
  __device__ __forceinline__ OrderedScan(State& state, std::uint64_t* words)
      : m_state(&state),
        m_words(words),
        m_epoch(static_cast<std::uint64_t>(state.epoch + 1) << value_bits) {}

  /// Whether the calling block is the scanner; by the block.
  __device__ __forceinline__ bool take_role(Memory& memory) const {
    if (warp::thread() == 0) memory.ticket = atomicAdd(&m_state->started, 1u);
    __syncthreads();
    bool const first = memory.ticket == 0;
    __syncthreads();
    return first;
  }
  /// The next turn; by one thread.
  __device__ __forceinline__ std::uint32_t take_ticket() const {
    return atomicAdd(&m_state->ticket, 1u);
  }

  /// \param value  of value_bits, from which the scanner's rule tells how many words the turn takes
  __device__ __forceinline__ void publish_size(std::uint32_t turn, std::uint64_t value) const {
    warp::store_shared_word(m_words + turn, size | m_epoch | value);
  }
  __device__ __forceinline__ void publish_place(std::int64_t turn, std::uint64_t words) const {
    warp::store_shared_word(m_words + turn, place | m_epoch | words);
  }
  __device__ __forceinline__ std::uint64_t look(std::uint32_t turn) const {
    return warp::load_shared_word(m_words + turn);
  }
  __device__ __forceinline__ bool is_place(std::uint64_t word) const {
    return word >> value_bits == (place | m_epoch) >> value_bits;
  }
  __device__ __forceinline__ static std::uint64_t value_of(std::uint64_t word) {
    return word & ((std::uint64_t{1} << value_bits) - 1);
  }

  /// Adds to a counter that the scanner may read once all sizes are published.
  __device__ __forceinline__ static void add_before_size(std::uint64_t& counter, int count) {
    atomicAdd(reinterpret_cast<unsigned long long*>(&counter),
              static_cast<unsigned long long>(count));
    __threadfence();
  }

  /// The scanner's work on the turns from one to another, whose first place is `sum_before`. Returns the place behind
  /// the last to all threads.
  /// \tparam Rule  turns into places, of `per_thread` turns by a thread:
  ///                 words(word, known)                      how many words the first `known` turns take, which it may make
  ///                                                         none
  ///                 place(scan, first, word, known, place)  publishes the places of these, the first of which is given
  template <class Rule>
  __device__ __forceinline__ std::uint64_t run(Memory& memory, std::int64_t begin,
                                               std::int64_t turns, std::uint64_t sum_before,
                                               Rule const& rule) const {
    constexpr int per_thread = Rule::per_thread, per_warp = 32 * per_thread;
    int const my_warp = warp::thread() / 32;
    while (begin < turns) {
      std::int64_t const first = begin + warp::thread() * per_thread;
      std::uint64_t word[per_thread];
#pragma unroll
      for (int i = 0; i < per_thread; ++i) {
        word[i] = first + i < turns ? warp::load_shared_word(m_words + first + i) : 0;
      }
      // Only an unbroken run of sizes counts: within the thread, the warp, the block.
      int known = per_thread;
#pragma unroll
      for (int i = per_thread - 1; i >= 0; --i) {
        if (word[i] >> value_bits != (size | m_epoch) >> value_bits) known = i;
      }
      std::uint32_t const broken = warp::votes(known < per_thread);
      if (broken != 0 && warp::lane() > lowest_bit(broken)) known = 0;
      std::uint32_t const words = rule.words(word, known);
      std::uint32_t const up_to = warp::prefix_sum(words);
      int const known_of_warp = warp::sum(known);
      if (warp::lane() == 31) {
        memory.known[my_warp] = known_of_warp;
        memory.sum[my_warp] = up_to;
      }
      __syncthreads();
      std::uint64_t place_of = sum_before + up_to - words;
      bool unbroken = true;
#pragma unroll
      for (int w = 0; w < chunk_tiles; ++w) {
        if (w == my_warp && !unbroken) known = 0;
        if (!unbroken) continue;
        if (w < my_warp) place_of += memory.sum[w];
        sum_before += memory.sum[w];
        begin += memory.known[w];
        unbroken = memory.known[w] == per_warp;
      }
      rule.place(*this, first, word, known, place_of);
      __syncthreads();
    }
    return sum_before;
  }

  /// By every block at its end. The last one leaves everything ready for the next launch.
  /// \param blocks  of the launch or, in a batch, of the call
  /// \param turns   for how many there is room
  __device__ __forceinline__ void leave(std::uint32_t blocks, std::int64_t turns) const {
    bool last = false;
    if (warp::thread() == 0) {
      __threadfence();
      last = atomicAdd(&m_state->done, 1u) + 1 == blocks;
    }
    if (__syncthreads_or(last) == 0) return;
    std::uint32_t const epoch = m_state->epoch + 1;
    bool const again = epoch == last_epoch;  // every epoch has been used: words must not come back
    if (again) {
      for (std::int64_t t = warp::thread(); t < turns; t += tuning::block_threads) m_words[t] = 0;
    }
    if (last) *m_state = {0, 0, 0, again ? 0 : epoch};
  }

 private:
  static constexpr std::uint64_t size = std::uint64_t{1} << (epoch_bits + value_bits);
  static constexpr std::uint64_t place = std::uint64_t{2} << (epoch_bits + value_bits);

  State* m_state;
  std::uint64_t* m_words;
  std::uint64_t m_epoch;
};

}  // namespace kompakt::impl::cuda

#endif
