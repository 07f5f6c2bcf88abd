#ifndef KOMPAKT_CODER_RANS_BOOKS_HPP
#define KOMPAKT_CODER_RANS_BOOKS_HPP

#include <Kokkos_Macros.hpp>
#include <core/bits.hpp>
#include <cstdint>

// Distributions of residuals, which tools/residual_books/make-residual-books makes and writes into books.inc. A book is one of
// four shapes, and of the mean magnitude 2^(step / 3) / 256. The symbols of the first `fine_books` means are zig-zags. A larger
// mean takes its book from the last three, and the lowest bits of a zig-zag, one more each three steps, are stored as they are.
// Source: Shah et al., Lightweight Huffman Coding for Efficient GPU Compression, ICS 2023: a dictionary in place of books that
// a stream has to bring. Ours: that it is so cheap to choose from that each value has a book of its own.

namespace kompakt::impl::residual_books {

inline constexpr int precision = 15;  ///< frequencies of a book have the sum 2^precision
inline constexpr int symbols = 64, escape = symbols - 1;
inline constexpr int shapes = 4, fine_books = 29, coarse_books = 3;
inline constexpr int books = shapes * (fine_books + coarse_books);

/// Which book a value has, and how many of its lowest bits lie beside its symbol.
struct Book {
  int number;
  int low_bits;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr Book of(int shape, int step) {
    int const beyond = step - fine_books;
    if (beyond < 0) return {shape * (fine_books + coarse_books) + step, 0};
    return {shape * (fine_books + coarse_books) + fine_books + beyond % coarse_books,
            1 + beyond / coarse_books};
  }
  /// The last step for zig-zags of so many bits: all of them have a symbol.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int last_step(int bits) {
    constexpr int symbol_bits = 6;
    return fine_books + coarse_books * (bits - symbol_bits) - 1;
  }
};

/// Sums of the frequencies of smaller symbols, for all books, and what a symbol takes in 1/256 bits.
struct alignas(symbols * 2) Tables {  // so that a book is a line of a device's cache
  std::uint16_t below[books][symbols];
  std::uint16_t cost[books][symbols];
};

namespace detail {

inline constexpr std::uint16_t below[books * symbols] = {
#include <coder/rans/books.inc>
};

constexpr std::uint32_t frequency(int book, int symbol) {
  std::uint16_t const* const sums = below + book * symbols;
  return (symbol == escape ? 1u << precision : sums[symbol + 1]) - sums[symbol];
}

/// 256 times the binary logarithm, rounded down: a bit of the fraction for each square.
constexpr std::uint32_t logarithm(std::uint32_t number) {
  std::uint32_t whole = 0;
  while (number >> (whole + 1) != 0) ++whole;
  std::uint64_t fraction = (std::uint64_t{number} << 31) >> whole;
  std::uint32_t log = whole;
  for (int bit = 0; bit < 8; ++bit) {
    fraction = fraction * fraction >> 31;
    bool const is_over = fraction >> 32 != 0;
    log = 2 * log + (is_over ? 1 : 0);
    if (is_over) fraction >>= 1;
  }
  return log;
}

constexpr Tables make_tables() {
  Tables tables{};
  for (int book = 0; book < books; ++book) {
    for (int symbol = 0; symbol < symbols; ++symbol) {
      tables.below[book][symbol] = below[book * symbols + symbol];
      tables.cost[book][symbol] =
          static_cast<std::uint16_t>(256 * precision - logarithm(frequency(book, symbol)));
    }
  }
  return tables;
}

}  // namespace detail

KOKKOS_INLINE_FUNCTION Tables const& tables() {
  static constexpr Tables made = detail::make_tables();
  return made;
}

/// Where a thread begins to look for a symbol: at the one that the first of 2^slot_bits numbers belongs to.
inline constexpr int slot_bits = 8;
struct FirstSymbols {
  std::uint8_t of[books][1 << (precision - slot_bits)];
  std::uint32_t behind = 0;  ///< vector units load words that begin at a symbol
};

namespace detail {

constexpr FirstSymbols make_first_symbols() {
  FirstSymbols first{};
  for (int book = 0; book < books; ++book) {
    std::uint16_t const* const sums = below + book * symbols;
    int symbol = 0;
    for (int part = 0; part < 1 << (precision - slot_bits); ++part) {
      while (symbol < escape && sums[symbol + 1] <= part << slot_bits) ++symbol;
      first.of[book][part] = static_cast<std::uint8_t>(symbol);
    }
  }
  return first;
}

}  // namespace detail

KOKKOS_INLINE_FUNCTION FirstSymbols const& first_symbols() {
  static constexpr FirstSymbols made = detail::make_first_symbols();
  return made;
}

KOKKOS_FORCEINLINE_FUNCTION std::uint32_t frequency(std::uint16_t const* below, int symbol) {
  return (symbol == escape ? 1u << precision : below[symbol + 1]) - below[symbol];
}

}  // namespace kompakt::impl::residual_books

#endif
