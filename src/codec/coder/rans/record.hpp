#ifndef KOMPAKT_CODER_RANS_RECORD_HPP
#define KOMPAKT_CODER_RANS_RECORD_HPP

#include <Kokkos_Core.hpp>
#include <coder/rans/books.hpp>
#include <coder/rans/counted_codes.hpp>
#include <coder/rans/neighbours.hpp>
#include <coder/rans/one_thread.hpp>
#include <coder/rans/seat.hpp>
#include <coder/rans/tile_books.hpp>
#include <coder/rans/widths.hpp>
#include <core/bits.hpp>
#include <core/record.hpp>
#include <core/team.hpp>

// A tile's residuals by range asymmetric numeral systems (Duda, arXiv 1311.2540, 2013), each by the book of the mean magnitude
// that its neighbours have. Words of a record, between its head and its tail; none at all if every residual is 0:
//
//   state       from which the first residual is taken
//   halfwords   which the state takes in, two a word; the last word may lack one
//
// The coder's bits of the head word: 0-5 the mean magnitude of the tile, in half octaves; 6-7 the shape of its books; 8-9 how
// many steps its books are above those of the neighbours, and 2; 10 whether the tile is even: its mean counts much more than
// neighbours; 11 whether books are of widths, and 0-10 TileWidths (widths.hpp); 12 whether the last word lacks a halfword.
// Residuals come as they lie, on the levels of an interpolated field class by class.
// Contexts of neighbours as in lossless coders of images, Weinberger et al., LOCO-I, IEEE Trans. Image Process. 9 (2000). Ours:
// that they choose from known books, so that nothing has to be learnt in a tile of 1024 values.

namespace kompakt::impl {

/// \tparam State  what puts and takes the residuals of a tile
template <class T, class State = residual_books::ByOneThread>
class Rans {
 public:
  using Seat = seat::Rans;
  using U = unsigned_t<T>;
  using TileBooks = residual_books::TileBooks;
  using TileWidths = residual_books::TileWidths;
  using WidthBook = residual_books::WidthBook;
  using Book = residual_books::Book;

  /// Records that a decoder looks at before it asks for them, or nothing.
  using Ahead = typename State::template Ahead<Rans>;
  /// Whether the scratch has nothing from one tile to the next one.
  static constexpr bool forgets_tiles = !requires(Ahead & ahead) { ahead.clear(); };

  struct EncodeContext {
    CodedTile tile{};
  };
  using DecodeContext = EncodeContext;
  template <class Args>
  KOKKOS_FORCEINLINE_FUNCTION static EncodeContext encode_context(Args const&) {
    return {};
  }
  template <class Args>
  KOKKOS_FORCEINLINE_FUNCTION static DecodeContext decode_context(Args const&) {
    return {};
  }

  static constexpr int max_words = tile_values * value_words<T>;       // of a raw record
  static constexpr std::size_t encoder_scratch_bytes = 4 * max_words;  // Scratch::halfwords
  static constexpr int value_bits = static_cast<int>(sizeof(U) * 8);
  static constexpr std::uint8_t outside = 255;  ///< in place of a step: nothing is coded there
  static constexpr int width_unit = static_cast<int>(sizeof(U)) / 2;  // of TileWidths::mean

  /// Everything about a record but its words; the same on all threads.
  struct Plan {
    TileBooks books{};
    bool by_widths = false;  ///< not where residuals lie by classes
    TileWidths widths{};     ///< then, in place of the books
    int halfwords = 0;

    KOKKOS_FORCEINLINE_FUNCTION int words() const { return ceil_div(halfwords, 2); }
    KOKKOS_FORCEINLINE_FUNCTION std::uint32_t coder_bits() const {
      auto const of_books = static_cast<std::uint32_t>(
          books.mean | books.shape << 6 | books.offset << 8 | (books.is_even ? 1 << 10 : 0));
      return (by_widths ? widths.bits() | 1u << 11 : of_books) |
             static_cast<std::uint32_t>(halfwords % 2) << 12;
    }
    KOKKOS_FORCEINLINE_FUNCTION static Plan of(std::uint32_t coder_bits, int words) {
      Plan plan;
      plan.widths = TileWidths::of(coder_bits);
      plan.books = {static_cast<int>(coder_bits & 63u), static_cast<int>(coder_bits >> 6 & 3u),
                    static_cast<int>(coder_bits >> 8 & 3u), (coder_bits >> 10 & 1u) != 0};
      plan.by_widths = (coder_bits >> 11 & 1u) != 0;
      plan.halfwords = 2 * words - static_cast<int>(coder_bits >> 12 & 1u);
      return plan;
    }
  };

  /// Team scratch.
  struct Scratch {
    U zigzags[tile_values];           // in the order of the record
    std::uint8_t steps[tile_values];  // of their books, without the offset; or `outside`
    int count;                        // of halfwords
    [[no_unique_address]] Ahead ahead;
    alignas(4) std::uint16_t halfwords[2 * max_words];  // the last ones are those of the record

    /// Of an encoder, before there are halfwords, in their place: steps if the tile is even, widths of zig-zags, and steps of
    /// their books.
    KOKKOS_FORCEINLINE_FUNCTION std::uint8_t* even_steps() {
      return reinterpret_cast<std::uint8_t*>(halfwords);
    }
    KOKKOS_FORCEINLINE_FUNCTION std::uint8_t* widths_to_encode() {
      return even_steps() + tile_values;
    }
    KOKKOS_FORCEINLINE_FUNCTION std::uint8_t* width_steps() {
      return even_steps() + 2 * tile_values;
    }
    /// Widths of a decoder, which has no steps.
    KOKKOS_FORCEINLINE_FUNCTION std::uint8_t* widths_to_decode() { return steps; }
  };

  /// Codes a tile. residuals: natural order, 0 outside the field, and in class 0 where there are classes.
  template <class Shape, class Team>
  KOKKOS_INLINE_FUNCTION static Plan measure(Team const& given, EncodeContext context,
                                             U const* residuals, Scratch& scratch) {
    auto const& team = State::team(given);
    return context.tile.has_classes
               ? code<residual_books::ClassOrder<Shape>>(team, context.tile, residuals, scratch)
               : code<residual_books::NaturalOrder<Shape>>(team, context.tile, residuals, scratch);
  }

  /// Writes plan.words() words. Needs the scratch as measure() left it.
  template <class Shape, class Team>
  KOKKOS_INLINE_FUNCTION static void write(Team const& given, EncodeContext, Plan const& plan,
                                           U const*, Scratch& scratch, std::uint32_t* out) {
    auto const& team = State::team(given);
    std::uint16_t const* const from = scratch.halfwords + 2 * max_words - plan.halfwords;
    team_for(team, plan.words(), [&](int i) {
      std::uint32_t const high = 2 * i + 1 < plan.halfwords ? from[2 * i + 1] : 0;
      out[i] = from[2 * i] | high << 16;
    });
    team.team_barrier();
  }

  /// Reads the coder's words of an untrusted record into residuals (natural order).
  /// \param words  how many words there are; returns false, on all threads, unless the record's
  ///               own description comes to exactly that many
  template <class Shape, class Team>
  KOKKOS_INLINE_FUNCTION static bool read(Team const& given, DecodeContext context,
                                          std::uint32_t coder_bits, std::uint32_t const* in,
                                          int words, U* residuals, Scratch& scratch) {
    auto const& team = State::team(given);
    Plan const plan = Plan::of(coder_bits, words);
    if (words == 0) {
      team_for(team, tile_values, [&](int i) { residuals[i] = 0; });
      team.team_barrier();
      return coder_bits == 0;
    }
    if (plan.halfwords < 2) return false;
    if (plan.halfwords % 2 != 0 && in[words - 1] >> 16 != 0) return false;
    if (context.tile.has_classes) {
      using Classes = residual_books::ClassOrder<Shape>;
      return !plan.by_widths && decode<Classes>(team, context.tile, plan, in, residuals, scratch);
    }
    using AsTheyLie = residual_books::NaturalOrder<Shape>;
    return decode<AsTheyLie>(team, context.tile, plan, in, residuals, scratch);
  }

 private:
  /// body(Point, place) for all residuals of a record, in parallel, those outside the field included.
  template <class Order, class Team, class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_residuals(Team const& team, Body const& body) {
    for (int c = Order::first_class; c < Order::classes; ++c) {
      team_for_rows<Order::X>(team, residual_books::rows_of<Order>, [&](int row, int x) {
        body(residual_books::Point<Order>::of(c, row, x), Order::place(c, row, x));
      });
    }
  }

  /// A residual with what masked places in front of it have: they are left out.
  KOKKOS_FORCEINLINE_FUNCTION static U with_masked(CodedTile tile, U const* residuals, int place) {
    U residual = residuals[place];
    if (tile.masked == nullptr) return residual;
    for (int before = place - 1; before >= 0 && tile.is_masked(before); --before) {
      residual += residuals[before];
    }
    return residual;
  }

  template <class Order, class Team>
  KOKKOS_INLINE_FUNCTION static Plan code(Team const& team, CodedTile tile, U const* residuals,
                                          Scratch& scratch) {
    std::uint64_t sum = 0;
    std::uint32_t count = 0, widths = 0;
    for_residuals<Order>(team, [&](residual_books::Point<Order> const& point, int place) {
      bool const is_coded = point.is_coded(tile);
      U const code = is_coded ? zigzag(with_masked(tile, residuals, place)) : U{0};
      scratch.zigzags[point.index()] = code;
      sum += residual_books::magnitude_of(code);
      count += is_coded ? 1 : 0;
      widths += static_cast<std::uint32_t>(bit_width(code));
    });
    sum = team_sum(team, sum);  // also the barrier
    if (sum == 0) return {};
    std::uint32_t const both = team_sum(team, count << 20 | widths);
    count = both >> 20;
    widths = both & 0xfffffu;
    Plan plan;
    plan.books.mean = mean_of(sum, count);
    if (sum >> residual_books::narrow_bits == 0) {
      find_steps<Order, std::uint32_t>(team, tile, scratch, plan.books.mean_256());
    } else {
      find_steps<Order, std::uint64_t>(team, tile, scratch, plan.books.mean_256());
    }
    TileBooks even = plan.books;
    even.is_even = true;
    std::uint32_t const cost_if_even =
        choose_books<Order>(team, scratch.zigzags, scratch.even_steps(), even);
    std::uint32_t cost = choose_books<Order>(team, scratch.zigzags, scratch.steps, plan.books);
    if (cost_if_even < cost) {
      plan.books = even;
      cost = cost_if_even;
    }
    if constexpr (Order::classes == 1) {
      if (may_take_widths(sum, widths, count)) {
        try_widths<Order>(team, tile, scratch, widths, count, cost, plan);
      }
    }
    if (plan.by_widths || plan.books.is_even) {
      std::uint8_t const* const from =
          plan.by_widths ? scratch.width_steps() : scratch.even_steps();
      team_for(team, tile_values, [&](int i) { scratch.steps[i] = from[i]; });
      team.team_barrier();
    }
    plan.halfwords = State::template put_all<Rans, Order>(team, scratch, plan);
    return plan;
  }

  /// The steps of all residuals, and those if the tile is even.
  /// \tparam Sum  that no sum of magnitudes exceeds
  template <class Order, class Sum, class Team>
  KOKKOS_FUNCTION KOMPAKT_APART static void find_steps(Team const& team, CodedTile tile,
                                                       Scratch& scratch, std::uint64_t mean) {
    if constexpr (State::has_vectors) {
      if (State::template find_steps<Rans, Order>(tile, mean, scratch)) return;
    }
    for_residuals<Order>(team, [&](residual_books::Point<Order> const& point, int) {
      auto const near = residual_books::neighbours_of<Order, Sum>(scratch.zigzags, point, tile);
      bool const is_coded = point.is_coded(tile);
      auto const step = [&](bool is_even) {
        int const found = residual_books::step_of(near, mean, is_even);
        return is_coded ? static_cast<std::uint8_t>(found) : outside;
      };
      scratch.steps[point.index()] = step(false);
      scratch.even_steps()[point.index()] = step(true);
    });
    team.team_barrier();
  }

  /// Takes books of widths if a tile comes to less by these than by others.
  template <class Order, class Team>
  KOKKOS_FUNCTION KOMPAKT_APART static void try_widths(Team const& team, CodedTile tile,
                                                       Scratch& scratch, std::uint32_t sum,
                                                       std::uint32_t count,
                                                       std::uint32_t cost_of_others, Plan& plan) {
    for (int i = team_first(team); i < tile_values; i += team_step(team)) {
      // A masked place is as wide as the one before it.
      int at = i;
      while (at > 0 && tile.is_masked(at)) --at;
      scratch.widths_to_encode()[i] = static_cast<std::uint8_t>(bit_width(scratch.zigzags[at]));
    }
    team.team_barrier();
    TileWidths widths;
    std::uint32_t const unit = width_unit * count;
    widths.mean = static_cast<int>((sum + unit / 2) / unit);
    if (widths.mean > TileWidths::max_mean) widths.mean = TileWidths::max_mean;
    find_width_steps<Order>(team, tile, scratch, widths);
    if (choose_widths(team, scratch, widths) < cost_of_others) {
      plan.by_widths = true;
      plan.widths = widths;
    }
  }

  /// Whether books of widths are worth a look, which takes as long as all else: where residuals are large, as without loss, or
  /// a zig-zag of the mean magnitude is wider than zig-zags are in the mean, by far more than in an exponential distribution.
  KOKKOS_FORCEINLINE_FUNCTION static bool may_take_widths(std::uint64_t magnitudes,
                                                          std::uint32_t widths,
                                                          std::uint32_t count) {
    constexpr int large = 64 * 5, excess = 96;  // in 1/64 bits
    int const of_mean =
        residual_books::logarithm(2 * magnitudes + count) - residual_books::logarithm(count);
    return of_mean >= large ||
           of_mean >= static_cast<int>(64 * std::uint64_t{widths} / count) + excess;
  }

  template <class Order, class Team>
  KOKKOS_FUNCTION KOMPAKT_APART static void find_width_steps(Team const& team, CodedTile tile,
                                                             Scratch& scratch,
                                                             TileWidths const& widths) {
    for_residuals<Order>(team, [&](residual_books::Point<Order> const& point, int) {
      int const step = residual_books::expected_width(scratch.widths_to_encode(), point,
                                                      widths.mean * width_unit, tile);
      scratch.width_steps()[point.index()] =
          point.is_coded(tile) ? static_cast<std::uint8_t>(step) : outside;
    });
    team.team_barrier();
  }

  /// What a tile comes to by books of widths, in 1/256 bits.
  /// \param codes  widths and their steps
  template <class Team, class Codes>
  KOKKOS_FUNCTION KOMPAKT_APART static std::uint32_t cost_of_widths(Team const& team,
                                                                    Codes const& codes,
                                                                    TileWidths const& widths) {
    auto const& tables = residual_books::width_tables();
    std::uint32_t cost = 0;
    codes.for_each(team, [&](int step, int width, unsigned times) {
      WidthBook const book = WidthBook::of(widths, step, value_bits);
      int const symbol = book.symbol(width);
      std::uint32_t const count = residual_books::frequency(tables.below[book.number], symbol);
      int const more = symbol == residual_books::escape ? WidthBook::escape_bits : 0;
      int const of_symbol = 64 * residual_books::precision - residual_books::logarithm(count);
      cost += times * static_cast<std::uint32_t>(4 * of_symbol +
                                                 256 * (residual_books::low_bits_of(width) + more));
    });
    return team_sum(team, cost);
  }

  /// How books of widths fall off, and their offset: downhill from the middle, one after the other.
  template <class Team>
  KOKKOS_FUNCTION KOMPAKT_APART static std::uint32_t choose_widths(Team const& team,
                                                                   Scratch& scratch,
                                                                   TileWidths& widths) {
    auto const width_at = [&scratch](int i) { return bit_width(scratch.zigzags[i]); };
    auto const codes = residual_books::counted(
        team, residual_books::CodesInPlace{scratch.width_steps(), outside, 0, width_at});
    std::uint32_t best = cost_of_widths(team, codes, widths);
    auto const descend = [&](int TileWidths::*member, int most, int by) {
      bool moved = false;
      TileWidths other = widths;
      for (other.*member += by; other.*member >= 0 && other.*member < most; other.*member += by) {
        std::uint32_t const cost = cost_of_widths(team, codes, other);
        if (cost >= best) break;
        best = cost;
        widths = other;
        moved = true;
      }
      return moved;
    };
    auto const settle = [&](int TileWidths::*member, int most) {
      return descend(member, most, 1) || descend(member, most, -1);
    };
    for (int round = 0; round < 2; ++round) {
      bool moved = settle(&TileWidths::right, TileWidths::ratios);
      moved |= settle(&TileWidths::offset, TileWidths::offsets);
      moved |= settle(&TileWidths::left, TileWidths::ratios);
      if (!moved) break;
    }
    return best;
  }

  /// The last of TileBooks::mean that is not above the mean.
  KOKKOS_FORCEINLINE_FUNCTION static int mean_of(std::uint64_t sum, std::uint64_t count) {
    bool const is_large = sum >> 48 != 0;
    std::uint64_t const mean_256 = is_large ? (sum / count) << 8 : (sum << 8) / count;
    TileBooks books;
    while (books.mean < TileBooks::max_mean) {
      ++books.mean;
      if (books.mean_256() > mean_256) return books.mean - 1;
    }
    return books.mean;
  }

  /// What a tile comes to in 1/256 bits.
  /// \param codes  zig-zags and their steps
  template <class Team, class Codes>
  KOKKOS_FUNCTION KOMPAKT_APART static std::uint32_t cost_of(Team const& team, Codes const& codes,
                                                             TileBooks const& books) {
    if constexpr (requires { codes.cost(books); }) {
      return codes.cost(books);
    } else {
      auto const& tables = residual_books::tables();
      std::uint32_t cost = 0;
      codes.for_each(team, [&](int step, U zigzag, unsigned times) {
        Book const book = residual_books::book_of(books, step, value_bits);
        std::uint64_t const symbol = std::uint64_t{zigzag} >> book.low_bits;
        bool const escapes = symbol >= residual_books::escape;
        int const at = escapes ? residual_books::escape : static_cast<int>(symbol);
        int const more = escapes ? residual_books::escaped_length_bits +
                                       residual_books::escaped_bits(symbol - residual_books::escape)
                                 : 0;
        cost += times *
                (tables.cost[book.number][at] + 256u * static_cast<unsigned>(book.low_bits + more));
      });
      return team_sum(team, cost);
    }
  }

  /// Shape and offset: from those of most tiles downhill, one after the other.
  template <class Order, class Team>
  KOKKOS_FUNCTION KOMPAKT_APART static std::uint32_t choose_books(Team const& team,
                                                                  U const* zigzags,
                                                                  std::uint8_t const* steps,
                                                                  TileBooks& books) {
    auto const zigzag_at = [zigzags](int i) { return zigzags[i]; };
    auto const codes = State::template counted<Rans>(
        team,
        residual_books::CodesInPlace{steps, outside, residual_books::first_of<Order>, zigzag_at});
    books.shape = 1;
    books.offset = TileBooks::middle;
    std::uint32_t best = cost_of(team, codes, books);
    auto const is_better = [&](TileBooks const& other) {
      std::uint32_t const cost = cost_of(team, codes, other);
      if (cost >= best) return false;
      best = cost;
      books = other;
      return true;
    };
    auto const move_offset = [&](int by) {
      int moved = 0;
      TileBooks other = books;
      for (other.offset += by; other.offset >= 0 && other.offset < TileBooks::offsets;
           other.offset += by) {
        if (!is_better(other)) break;
        ++moved;
      }
      return moved;
    };
    if (move_offset(1) == 0) move_offset(-1);
    for (TileBooks other = books; ++other.shape < residual_books::shapes;) {
      if (!is_better(other)) break;
    }
    if (books.shape == 1) {
      TileBooks other = books;
      other.shape = 0;
      is_better(other);
    }
    if (move_offset(1) == 0) move_offset(-1);
    return best;
  }

  template <class Order, class Team>
  KOKKOS_INLINE_FUNCTION static bool decode(Team const& team, CodedTile tile, Plan const& plan,
                                            std::uint32_t const* in, U* residuals,
                                            Scratch& scratch) {
    if (!State::template take_all<Rans, Order>(team, tile, plan, in, scratch)) return false;
    for (int c = 0; c < Order::classes; ++c) {
      team_for_rows<Order::X>(team, residual_books::rows_of<Order>, [&](int row, int x) {
        auto const point = residual_books::Point<Order>::of(c, row, x);
        bool const is_coded = c >= Order::first_class;
        residuals[Order::place(c, row, x)] =
            is_coded ? unzigzag(scratch.zigzags[point.index()]) : U{0};
      });
    }
    team.team_barrier();
    return true;
  }
};

template <class T>
struct CoderAt<seat::Rans, T> {
  using type = Rans<T>;
};

}  // namespace kompakt::impl

#endif
