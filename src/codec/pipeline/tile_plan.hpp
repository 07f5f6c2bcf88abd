#ifndef KOMPAKT_PIPELINE_TILE_PLAN_HPP
#define KOMPAKT_PIPELINE_TILE_PLAN_HPP

#include <Kokkos_Core.hpp>
#include <core/record.hpp>
#include <pipeline/chunk.hpp>
#include <pipeline/encode_args.hpp>
#include <pipeline/field_tile.hpp>
#include <pipeline/tile_steps.hpp>

// From a tile of the field to a plan of its record: the part of the walk that sizing, sampling and
// writing share.

namespace kompakt::impl {

enum class RecordForm { empty, raw, coded };

template <class Coder, class T>
struct TilePlan {
  RecordForm form = RecordForm::empty;
  int words = 0;
  RecordTail tail{};
  unsigned_t<T> base = 0;
  RecordHead head{};
  typename Coder::Plan coder{};
};

/// Completes a plan that has base, tail and the coder's part: the shortest form of the record of
/// a tile with `size` values.
template <class Coder, class T>
KOKKOS_FORCEINLINE_FUNCTION void choose_form(TilePlan<Coder, T>& plan, int size) {
  int const raw_words = size * value_words<T>;
  plan.head = RecordHead::make(plan.base, plan.tail, plan.coder.coder_bits());
  int const coded_words = plan.head.words() + plan.coder.words() + plan.tail.template words<T>();
  if (plan.coder.words() == 0 && !plan.tail.any() && plan.base == 0) {
    plan.form = RecordForm::empty;
  } else if (coded_words < raw_words) {
    plan.form = RecordForm::coded;
    plan.words = coded_words;
  } else {
    plan.form = RecordForm::raw;
    plan.words = raw_words;
    plan.tail = {};
  }
}

/// What the tiles of a field are coded with.
template <class CodecTypes>
struct EncodeContext {
  typename CodecTypes::Coder::EncodeContext coder;
  typename CodecTypes::Predictor::Context predictor;

  template <class Args>
  KOKKOS_FORCEINLINE_FUNCTION static EncodeContext of(Args const& args) {
    return {CodecTypes::Coder::encode_context(args), CodecTypes::Predictor::context(args)};
  }
};

/// Quantises, predicts and sizes a tile. Leaves the residuals in buffer.bins and what its tail tells in
/// buffer.exceptions. The same result on all threads of the team; ends with a barrier.
template <class CodecTypes, class Shape, class T, class Team, class Box>
KOKKOS_INLINE_FUNCTION TilePlan<typename CodecTypes::Coder, T> plan_tile(
    Team const& team, Quantizer<T> const& quantizer, EncodeContext<CodecTypes> const& context,
    FieldTile<T const, Box> const& tile, TileBuffer<CodecTypes, T>& buffer) {
  using Coder = typename CodecTypes::Coder;
  using Steps = TileSteps<typename CodecTypes::Predictor, typename CodecTypes::Body>;
  Box const& box = tile.box;
  TilePlan<Coder, T> plan;
  if (box.size() == 0) return plan;
  plan.tail = Steps::template predict<Shape>(team, context.predictor, quantizer, tile.field, box,
                                             buffer.bins, buffer.predictor, buffer.exceptions);
  plan.base = buffer.bins[0];  // the first residual is the bin itself: it is the base
  team.team_barrier();
  if constexpr (!CodecTypes::Predictor::has_levels) {  // residuals lie where their values do
    if (box.size() < tile_values) {
      team_for(team, tile_values, [&](int place) {
        if (field_index<Shape>(box, place) < 0) buffer.bins[place] = 0;
      });
    }
  }
  team_for(team, 1, [&](int) { buffer.bins[0] = 0; });
  team.team_barrier();
  constexpr bool has_mask =
      takes_masks<typename Coder::EncodeContext, typename CodecTypes::Predictor, Shape>;
  std::uint32_t const* const masked =
      has_mask && plan.tail.mask() != 0 ? buffer.exceptions.masked : nullptr;
  CodedTile const coded{has_classes<CodecTypes, Shape>(box), box.nx, box.ny, box.nz, masked};
  plan.coder = Coder::template measure<Shape>(team, context_of_tile(context.coder, coded),
                                              buffer.bins, buffer.coder);

  choose_form(plan, box.size());
  return plan;
}

/// Words of a chunk: its records and, unless it is empty, its head.
KOKKOS_FORCEINLINE_FUNCTION int chunk_words(int record_words, bool checksum) {
  return record_words == 0 ? 0 : record_words + chunk_head_words(checksum);
}

/// Words of the records of a chunk, and of what its head has behind them.
/// \param words_of  (t): of the record of its t-th tile
template <class Grid, class WordsOf>
KOKKOS_FORCEINLINE_FUNCTION int words_of_records(WordsOf const& words_of) {
  int words = 0, tiles = 0;
  for (int t = 0; t < Grid::tiles_of_chunk; ++t) {
    int const of_tile = words_of(t);
    words += of_tile;
    tiles += of_tile > 0 ? 1 : 0;
  }
  return words + ChunkForm<Grid>::Head::end_words(tiles);
}

/// The same of a chunk of a field.
template <class CodecTypes, class Shape, class T, class Team>
KOKKOS_INLINE_FUNCTION int measure_records(Team const& team, EncodeArgs<T> const& args,
                                           EncodeContext<CodecTypes> const& context,
                                           std::int64_t chunk, TileBuffer<CodecTypes, T>& buffer) {
  using Grid = grid_t<CodecTypes, Shape>;
  Grid const grid(args.extents);
  return words_of_records<Grid>([&](int t) {
    TileSource const source(team, args, grid.tile(chunk, t));
    int const words =
        plan_tile<CodecTypes, Shape>(team, args.state->quantizer, context, source.tile(), buffer)
            .words;
    team.team_barrier();
    return words;
  });
}

/// Values of a chunk that lie inside the field.
template <class Grid>
KOKKOS_FORCEINLINE_FUNCTION int chunk_values(Grid const& grid, std::int64_t chunk) {
  int values = 0;
  for (int t = 0; t < Grid::tiles_of_chunk; ++t) values += grid.tile(chunk, t).size();
  return values;
}

}  // namespace kompakt::impl

#endif
