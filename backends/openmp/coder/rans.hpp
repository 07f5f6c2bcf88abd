#ifndef KOMPAKT_OPENMP_CODER_RANS_HPP
#define KOMPAKT_OPENMP_CODER_RANS_HPP

#include <algorithm>
#include <coder/rans/record.hpp>
#include <openmp/coder/rans_decoder.hpp>
#include <openmp/coder/rans_encoder.hpp>
#include <openmp/coder/rans_steps.hpp>
#include <pipeline/codec_types.hpp>

// The parts of coder/rans that a vector unit does better than loops. The same records; the tests of backends hold them against
// each other.

#ifdef KOMPAKT_HOST_SIMD

namespace kompakt::impl::simd {

/// residual_books::ByOneThread, with what has been looked at ahead, and several residuals at once where an encoder measures.
struct ByLanes : residual_books::ByOneThread {
  static constexpr bool has_vectors = true;
  template <class Coder>
  using Ahead = RecordsAhead<Coder>;

  template <class Coder, class Team, class CodeAt>
  static auto counted(Team const&, residual_books::CodesInPlace<CodeAt> const& codes) {
    return CodesWithCosts<Coder>(codes);
  }
  template <class Coder, class Order, class Team>
  static int put_all(Team const& team, typename Coder::Scratch& scratch,
                     typename Coder::Plan const& plan) {
    if (plan.by_widths) return ByOneThread::put_all<Coder, Order>(team, scratch, plan);
    constexpr int most = 2 * Coder::max_words;
    std::uint16_t halfwords[most + QuickWriter::margin];
    std::uint16_t* const end = halfwords + most + QuickWriter::margin;
    QuickWriter writer(end, most);
    for (int i = tile_values - 1; i >= residual_books::first_of<Order>; --i) {
      if (scratch.steps[i] == Coder::outside) continue;
      auto const book = residual_books::book_of(plan.books, scratch.steps[i], Coder::value_bits);
      put(scratch.zigzags[i], book, writer);
      if (writer.is_full()) return most + 1;
    }
    int const count = writer.finish();
    std::copy(end - count, end, scratch.halfwords + most - count);
    return count;
  }

  /// Finds the steps of all residuals; returns false, and does nothing, where sums of neighbours need more than 31 bits.
  template <class Coder, class Order>
  static bool find_steps(CodedTile tile, std::uint64_t mean, typename Coder::Scratch& scratch) {
    residual_books::TileBooks largest_mean;
    largest_mean.mean = residual_books::narrow_mean;
    if (mean > largest_mean.mean_256() || tile.masked != nullptr) return false;
    PaddedRows<Order> const rows(scratch.zigzags);
    if (!rows.are_below(residual_books::narrow_bits)) return false;
    auto const find = [&](WeightsOfTile<Order> const& weights) {
      StepsOfTile<Order>(tile, mean, rows, weights)
          .find(Coder::outside, scratch.steps, scratch.even_steps());
    };
    if (is_whole<Order>(tile)) {
      find(WeightsOfTile<Order>::of_whole_tile());
    } else {
      find(WeightsOfTile<Order>(tile));
    }
    return true;
  }

  template <class Coder, class Order, class Team>
  static bool take_all(Team const& team, CodedTile tile, typename Coder::Plan const& plan,
                       std::uint32_t const* in, typename Coder::Scratch& scratch) {
    if (scratch.ahead.copy(in, residual_books::first_of<Order>, scratch.zigzags)) return true;
    return ByOneThread::take_all<Coder, Order>(team, tile, plan, in, scratch);
  }

 private:
  template <class Order>
  static bool is_whole(CodedTile tile) {
    constexpr int parts = Order::classes > 1 ? 2 : 1;
    constexpr bool has_rows = Order::Y > 1, has_planes = Order::Z > 1;
    return tile.nx >= parts * Order::X && (!has_rows || tile.ny >= parts * Order::Y) &&
           (!has_planes || tile.nz >= parts * Order::Z);
  }
  KOMPAKT_SIMD_INLINE static void put(std::uint32_t zigzag, residual_books::Book book,
                                      QuickWriter& writer) {
    std::uint32_t const symbol = zigzag >> book.low_bits;
    if (book.low_bits != 0) writer.put_long(zigzag, book.low_bits);
    if (symbol < residual_books::escape) {
      writer.put(book.number, static_cast<int>(symbol));
    } else {
      std::uint64_t const beyond = symbol - residual_books::escape;
      int const bits = residual_books::escaped_bits(beyond);
      writer.put_long(beyond + 1, bits);
      writer.put_bits(static_cast<std::uint32_t>(bits), residual_books::escaped_length_bits);
      writer.put(book.number, residual_books::escape);
    }
  }
};

}  // namespace kompakt::impl::simd

namespace kompakt::impl {

template <class T>
requires(sizeof(unsigned_t<T>) == 4) struct BackendCoder<Rans<T>, openmp_tag> {
  using type = Rans<T, simd::ByLanes>;
};

}  // namespace kompakt::impl

#endif
#endif
