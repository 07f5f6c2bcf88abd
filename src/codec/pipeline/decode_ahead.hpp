#ifndef KOMPAKT_PIPELINE_DECODE_AHEAD_HPP
#define KOMPAKT_PIPELINE_DECODE_AHEAD_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <core/parallel_teams.hpp>
#include <cstddef>
#include <pipeline/dispatch.hpp>
#include <pipeline/read_chunk.hpp>

// Tiles of a coder whose residuals wait for each other within a tile: some are decoded side by side before their chunks are read. A
// host shows its coder the records of a few chunks, which then has their residuals (look_ahead). On a device each thread takes the
// residuals of a tile to memory (take_ahead), where the teams that read chunks find them. What is damaged or special is left to
// read_chunk().

namespace kompakt::impl {

/// A record of untrusted words that is neither raw nor masked, nor obviously damaged.
struct PlainRecord {
  std::uint32_t const* in = nullptr;  ///< the coder's words; none: there is no such record
  int words = 0;
  std::uint32_t coder_bits = 0;
  CodedTile tile{};
};

/// Finds the plain records of the tiles of a chunk, the number-th to decode, that are wanted.
template <class CodecTypes, class Shape, class T>
class PlainRecords {
  using Grid = grid_t<CodecTypes, Shape>;
  using Lengths = typename ChunkForm<Grid>::Lengths;

 public:
  static constexpr int tiles = Grid::tiles_of_chunk;

  KOKKOS_FORCEINLINE_FUNCTION PlainRecords(DecodeArgs<T> const& args, Grid const& grid,
                                           std::int64_t number)
      : m_args(args), m_grid(grid), m_number(number), m_chunk(args.chunk(number)) {
    DecodeFault const fault = span_of_chunk(args, args.index[m_chunk], args.index[m_chunk + 1],
                                            grid.chunks(), m_chunk, m_span, tiles);
    m_at = chunk_head_words(args.checksum);
    if (fault != DecodeFault::none) m_span.words = 0;
    if (m_span.words == 0) return;
    Lengths const found({}, m_span.in, m_span.words);
    if (found.end() < m_at || !found.is_sound(SingleThreadTeam{})) m_span.words = 0;
  }
  /// The record of the tile `t` of the chunk, if it is such a one; asked for in ascending order.
  KOKKOS_FORCEINLINE_FUNCTION PlainRecord of_tile(int t) {
    if (m_span.words == 0) return {};
    Lengths const lengths({}, m_span.in, m_span.words);
    for (; m_next < t; ++m_next) m_at += lengths(m_next);
    int const length = lengths(t);
    if (length == 0 || m_at > lengths.end() || length > lengths.end() - m_at) return {};
    auto const box = m_args.target(m_grid.tile(m_chunk, t), m_number, t);
    if (length >= box.size() * value_words<T> || !m_args.wants(box)) return {};
    std::uint32_t const* const record = m_span.in + m_at;
    RecordHead const head{record[0]};
    RecordTail tail;
    int words;
    bool const is_sound =
        check_head<T>(head, record, length, box.size(), m_args.quantizer, tail, words);
    if (!is_sound || tail.mask() != 0) return {};
    return {record + head.words(), words, head.coder_bits(),
            CodedTile{has_classes<CodecTypes, Shape>(box), box.nx, box.ny, box.nz}};
  }

 private:
  DecodeArgs<T> const& m_args;
  Grid const& m_grid;
  std::int64_t m_number, m_chunk;
  ChunkSpan m_span{};
  int m_at, m_next = 0;  // where the record of the next tile begins
};

/// Shows a coder the records of some chunks.
template <class CodecTypes, class Shape, class T>
void look_ahead(DecodeArgs<T> const& args, grid_t<CodecTypes, Shape> const& grid,
                std::int64_t first, std::int64_t end, TileBuffer<CodecTypes, T>& buffer) {
  auto& ahead = buffer.coder.ahead;
  ahead.clear();
  for (std::int64_t number = first; number < end; ++number) {
    PlainRecords<CodecTypes, Shape, T> records(args, grid, number);
    for (int t = 0; t < records.tiles; ++t) {
      PlainRecord const record = records.of_tile(t);
      if (record.in != nullptr) ahead.add(record.in, record.words, record.coder_bits, record.tile);
    }
  }
  ahead.template decode<Shape>();
}

/// Whether a coder has its records shown.
template <class Buffer>
concept LooksAhead = requires(Buffer& buffer) {
  buffer.coder.ahead.clear();
};

/// A thread takes a tile ahead.
template <class CodecTypes, class Shape, class T>
struct TakeAhead {
  using Ahead = decltype(TileBuffer<CodecTypes, T>::coder.ahead);
  using Books = typename Ahead::Books;
  static constexpr int tiles_of_chunk = grid_t<CodecTypes, Shape>::tiles_of_chunk;
  static constexpr int threads = 128, blocks = 5;
  static_assert(TilesAhead::side_by_side == Ahead::side_by_side);
  DecodeArgs<T> args;
  TilesAhead ahead;
  std::int64_t first, tiles;  ///< number of the first chunk; how many tiles

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto& books = team_buffer<Books>(team);
    books.fill(team);
    std::int64_t const i = std::int64_t{team.league_rank()} * team.team_size() + team.team_rank();
    if (i >= tiles) return;
    // Found first: threads whose loops end at different turns would take their tiles one after the other.
    grid_t<CodecTypes, Shape> const grid(args.extents);
    PlainRecord const record =
        PlainRecords<CodecTypes, Shape, T>(args, grid, first + i / tiles_of_chunk)
            .of_tile(static_cast<int>(i % tiles_of_chunk));
    bool const is_known = record.in != nullptr &&
                          Ahead::template take<Shape>(books, record.coder_bits, record.in,
                                                      record.words, record.tile, ahead.place(i));
    ahead.known[i] = is_known ? 1 : 0;
  }
};

/// Takes the tiles of `count` chunks ahead, from the first-th to decode on.
template <class CodecTypes, class Shape, class Exec, class T>
void take_ahead(Exec const& exec, DecodeArgs<T> const& args, TilesAhead const& ahead,
                std::int64_t first, std::int64_t count) {
  using Take = TakeAhead<CodecTypes, Shape, T>;
  constexpr std::int64_t threads = generic_team_size<Exec> == 1 ? 1 : Take::threads;
  std::int64_t const tiles = count * Take::tiles_of_chunk;
  parallel_teams("kompakt::decode::ahead",
                 sized_team_policy<Take::threads, Take::blocks>(
                     exec, static_cast<int>(ceil_div(tiles, threads)),
                     team_buffer_bytes<typename Take::Books>),
                 Take{args, ahead, first, tiles});
}

/// How many chunks of a stream, from its first one on, are taken ahead with those of the levels above that of the field. Residuals of a level
/// need no values of another one.
template <class CodecTypes, class Shape, class T>
std::int64_t chunks_with_levels([[maybe_unused]] DecodeArgs<T> const& args) {
  if constexpr (TakesAhead<TileBuffer<CodecTypes, T>> && CodecTypes::Predictor::has_levels) {
    if (args.chunks != nullptr || args.run > 0) return 0;
    grid_t<CodecTypes, Shape> const grid(args.extents);
    auto const ahead = TilesAhead::in(args.coder_scratch, args.coder_scratch_bytes);
    return std::min(grid.chunks(), ahead.tiles / grid.tiles_of_chunk);
  } else {
    return 0;
  }
}

/// Takes these chunks ahead.
template <class CodecTypes, class Exec, class T>
void take_levels_ahead([[maybe_unused]] Exec const& exec, DecodeArgs<T> const& args) {
  if constexpr (TakesAhead<TileBuffer<CodecTypes, T>>) {
    with_tile_shape(args.tile_shape, [&]<class Shape>(Shape) {
      std::int64_t const count = chunks_with_levels<CodecTypes, Shape>(args);
      DecodeArgs<T> all = args;
      all.first = 0;
      auto const ahead = TilesAhead::in(args.coder_scratch, args.coder_scratch_bytes);
      if (count > 0) take_ahead<CodecTypes, Shape>(exec, all, ahead, 0, count);
    });
  }
}

}  // namespace kompakt::impl

#endif
