#ifndef KOMPAKT_UNIT_TEST_CODER_WARP_ON_HOST_HPP
#define KOMPAKT_UNIT_TEST_CODER_WARP_ON_HOST_HPP

#include <gtest/gtest.h>
#include <ucontext.h>

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <support/device_part.hpp>

// Stands in for backends/cuda/warp.hpp where there is no device: a warp is 32 contexts of one thread, which take turns. What a
// lane says to others it leaves in a slot; it goes on when all have. Enough for code whose lanes all make the same calls, as on
// a device they must. A unit that includes this is a program of its own, since it compiles the device's part of every header: it comes before all of them.

#define __device__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))

namespace kompakt::impl::warp {

inline constexpr int lane_count = 32;

/// The lanes of the one warp that there is.
class Lanes {
 public:
  static Lanes& all() {
    static Lanes only;
    return only;
  }

  /// body() on every lane; all must have made as many calls to others.
  void run(std::function<void()> const& body) {
    m_body = body;
    for (int i = 0; i < lane_count; ++i) {
      Lane& lane = m_lanes[index(i)];
      lane.calls = 0;
      if (!lane.stack) lane.stack = std::make_unique<char[]>(stack_bytes);
      getcontext(&lane.context);
      lane.context.uc_stack.ss_sp = lane.stack.get();
      lane.context.uc_stack.ss_size = stack_bytes;
      lane.context.uc_link = nullptr;
      makecontext(
          &lane.context, [] { Lanes::all().enter(); }, 0);
    }
    m_lane = 0;
    swapcontext(&m_caller, &m_lanes[0].context);
    for (Lane const& lane : m_lanes) EXPECT_EQ(lane.calls, m_lanes[0].calls);
  }

  int lane() const { return m_lane; }

  /// What all lanes gave, each `mine`.
  template <class V>
  std::array<V, lane_count> exchange(V mine) {
    static_assert(sizeof(V) <= sizeof(std::uint64_t));
    Lane& lane = m_lanes[index(m_lane)];
    // Two slots by turns, since the first lane is one call ahead of the last.
    std::size_t const slot = lane.calls++ % 2;
    lane.given[slot] = 0;
    std::memcpy(&lane.given[slot], &mine, sizeof mine);
    pass_on();
    std::array<V, lane_count> result;
    for (int i = 0; i < lane_count; ++i) {
      std::memcpy(&result[index(i)], &m_lanes[index(i)].given[slot], sizeof mine);
    }
    return result;
  }

 private:
  static constexpr std::size_t stack_bytes = 1 << 18;
  struct Lane {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    std::uint64_t given[2];
    std::size_t calls;
  };

  static std::size_t index(int lane) { return static_cast<std::size_t>(lane); }

  void enter() {
    m_body();
    if (m_lane == lane_count - 1) setcontext(&m_caller);
    pass_on();
  }
  void pass_on() {
    ucontext_t* const from = &m_lanes[index(m_lane)].context;
    m_lane = (m_lane + 1) % lane_count;
    swapcontext(from, &m_lanes[index(m_lane)].context);
  }

  std::function<void()> m_body;
  std::array<Lane, lane_count> m_lanes{};
  ucontext_t m_caller{};
  int m_lane = 0;
};

inline int lane() { return Lanes::all().lane(); }
inline void sync() { Lanes::all().exchange(0); }

inline std::uint32_t votes(bool condition) {
  auto const all = Lanes::all().exchange(condition);
  std::uint32_t result = 0;
  for (std::size_t i = 0; i < all.size(); ++i) result |= std::uint32_t{all[i]} << i;
  return result;
}
inline bool any(bool condition) { return votes(condition) != 0; }

template <class V>
V from_lane(V value, int source) {
  return Lanes::all().exchange(value)[static_cast<std::size_t>(source % lane_count)];
}
template <class V>
V from_above(V value, int distance) {
  int const source = lane() + distance;
  auto const all = Lanes::all().exchange(value);
  return source < lane_count ? all[static_cast<std::size_t>(source)] : value;
}
template <class V>
V sum(V value) {
  V result = 0;
  for (V const each : Lanes::all().exchange(value)) result += each;
  return result;
}

inline std::uint32_t high_product(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32);
}
inline int float_below(std::uint64_t number) {
  int const width = static_cast<int>(std::bit_width(number));
  if (width > 24) number = number >> (width - 24) << (width - 24);
  return std::bit_cast<int>(static_cast<float>(number));
}

/// The warp as a team.
class Team {
 public:
  int team_rank() const { return lane(); }
  int team_size() const { return lane_count; }
  void team_barrier() const { sync(); }
  template <class V, class Space>
  void team_reduce(Kokkos::Sum<V, Space> const& reducer) const {
    reducer.reference() = sum(reducer.reference());
  }
};

}  // namespace kompakt::impl::warp

#endif
