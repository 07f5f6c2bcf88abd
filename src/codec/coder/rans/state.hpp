#ifndef KOMPAKT_CODER_RANS_STATE_HPP
#define KOMPAKT_CODER_RANS_STATE_HPP

#include <coder/rans/books.hpp>
#include <core/bits.hpp>
#include <core/rans.hpp>
#include <cstdint>

// A state that symbols and bits are put into, and taken from in the opposite order. It begins as 1, not as the least state of
// 17 bits: a tile that says little takes two bytes less. Until the first halfword has been moved, states are small on both sides.

namespace kompakt::impl::residual_books {

inline constexpr int halfword_bits = 16;

class StateWriter {
 public:
  /// \param begin, end  halfwords for all that is put; end is aligned to 4
  /// \param first       the state before anything is put
  KOKKOS_FORCEINLINE_FUNCTION StateWriter(std::uint16_t* begin, std::uint16_t* end,
                                          std::uint32_t first = 1)
      : m_out(end), m_room(static_cast<int>(end - begin) - 2), m_state(first) {}

  KOKKOS_FORCEINLINE_FUNCTION void put(std::uint16_t const* below, int symbol) {
    std::uint32_t const count = frequency(below, symbol);
    if (m_state >> (32 - precision) >= count) move();
    std::uint32_t const quotient = m_state / count;
    m_state = (quotient << precision) + (m_state - quotient * count) + below[symbol];
  }
  /// The lowest `count` ≤ 16 bits.
  KOKKOS_FORCEINLINE_FUNCTION void put_bits(std::uint32_t bits, int count) {
    if (count == 0) return;
    if (m_state >> (32 - count) != 0) move();
    m_state = m_state << count | (bits & ((1u << count) - 1));
  }
  KOKKOS_FORCEINLINE_FUNCTION void put_long(std::uint64_t bits, int count) {
    for (int at = 0; at < count; at += halfword_bits) {
      int const left = count - at;
      put_bits(static_cast<std::uint32_t>(bits >> at), left < halfword_bits ? left : halfword_bits);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_full() const { return m_room < 0; }
  /// Ends with the state in front; returns how many halfwords there are.
  KOKKOS_FORCEINLINE_FUNCTION int finish() {
    m_out.put(m_state >> halfword_bits);
    m_out.put(m_state);
    return m_out.finish();
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void move() {
    if (--m_room >= 0) m_out.put(m_state);
    m_state >>= halfword_bits;
  }

  rans::BackwardHalfwords m_out;
  int m_room;
  std::uint32_t m_state;
};

/// The halfwords of a record, one after the other.
class Halfwords {
 public:
  /// \param at  number of the next one
  KOKKOS_FORCEINLINE_FUNCTION Halfwords(std::uint32_t const* words, int count, int at)
      : m_words(words), m_count(count), m_at(at) {}
  KOKKOS_FORCEINLINE_FUNCTION int at() const { return m_at; }
  KOKKOS_FORCEINLINE_FUNCTION bool is_at_end() const { return m_at >= m_count; }
  /// Expects that there is one.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t take() {
    std::uint32_t const halfword = m_words[m_at / 2] >> halfword_bits * (m_at % 2) & 0xffffu;
    ++m_at;
    return halfword;
  }

 private:
  std::uint32_t const* m_words;
  int m_count, m_at;
};

/// The same, where the next one is loaded long before it is asked for.
class HalfwordsAhead {
 public:
  KOKKOS_FORCEINLINE_FUNCTION HalfwordsAhead(std::uint32_t const* words, int count, int at)
      : m_halfwords(words, count, at) {
    fetch();
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_at_end() const { return !m_has_next; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t take() {
    std::uint32_t const halfword = m_next;
    fetch();
    return halfword;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void fetch() {
    m_has_next = !m_halfwords.is_at_end();
    if (m_has_next) m_next = m_halfwords.take();
  }

  Halfwords m_halfwords;
  std::uint32_t m_next = 0;
  bool m_has_next;
};

/// Takes what a StateWriter has put, the last one first; anything from words that it has not written.
/// \tparam Source  Halfwords, or as these
template <class Source>
class StateReaderFrom {
 public:
  /// \param halfwords  at least 2
  KOKKOS_FORCEINLINE_FUNCTION StateReaderFrom(std::uint32_t const* words, int halfwords)
      : StateReaderFrom(words, halfwords, 2, words[0]) {}
  /// Goes on where another one has been.
  KOKKOS_FORCEINLINE_FUNCTION StateReaderFrom(std::uint32_t const* words, int halfwords, int at,
                                              std::uint32_t state)
      : m_source(words, halfwords, at), m_state(state) {}

  /// \param book  of the tables
  KOKKOS_FORCEINLINE_FUNCTION int take(int book) {
    return take_near(tables().below[book], first_symbols().of[book][slot() >> slot_bits]);
  }
  /// \param symbol  where the search begins
  KOKKOS_FORCEINLINE_FUNCTION int take_near(std::uint16_t const* below, int symbol) {
    while (slot() < below[symbol]) --symbol;
    while (symbol < escape && slot() >= below[symbol + 1]) ++symbol;
    take_symbol(below[symbol], frequency(below, symbol));
    return symbol;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t take_bits(int count) {
    if (count == 0) return 0;
    std::uint32_t const bits = m_state & ((1u << count) - 1);
    m_state >>= count;
    refill();
    return bits;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t take_long(int count) {
    std::uint64_t bits = 0;
    int at = (count - 1) / halfword_bits * halfword_bits;
    for (; at >= 0; at -= halfword_bits) {
      int const left = count - at;
      bits |= static_cast<std::uint64_t>(take_bits(left < halfword_bits ? left : halfword_bits))
              << at;
    }
    return bits;
  }
  KOKKOS_FORCEINLINE_FUNCTION int at() const { return m_source.at(); }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t state() const { return m_state; }
  /// Whether all has been taken, and nothing else was there.
  /// \param first  the writer's
  KOKKOS_FORCEINLINE_FUNCTION bool is_at_end(std::uint32_t first = 1) const {
    return m_source.is_at_end() && m_state == first;
  }

 protected:
  /// What tells the next symbol.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t slot() const {
    return m_state & ((1u << precision) - 1);
  }
  /// Takes the symbol that the slot tells.
  /// \param below  frequencies before it
  KOKKOS_FORCEINLINE_FUNCTION void take_symbol(std::uint32_t below, std::uint32_t count) {
    m_state = count * (m_state >> precision) + slot() - below;
    refill();
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void refill() {
    if (m_state >> halfword_bits != 0 || m_source.is_at_end()) return;
    m_state = m_state << halfword_bits | m_source.take();
  }

  Source m_source;
  std::uint32_t m_state;
};
using StateReader = StateReaderFrom<Halfwords>;

}  // namespace kompakt::impl::residual_books

#endif
