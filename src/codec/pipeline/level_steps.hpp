#ifndef KOMPAKT_PIPELINE_LEVEL_STEPS_HPP
#define KOMPAKT_PIPELINE_LEVEL_STEPS_HPP

#include <Kokkos_Core.hpp>
#include <core/fp_environment.hpp>
#include <core/parallel_teams.hpp>
#include <pipeline/decode.hpp>
#include <pipeline/encode.hpp>
#include <predictor/interpolation.hpp>

// The steps of a predictor with levels. Tiles of level 0 end in values of the field, those above in the lattice of their
// level, which lies in the workspace: before records are written or level 0 is read, prepare() builds these from the
// coarsest level on. After that no tile waits for another one.

namespace kompakt::impl {

template <class Rules, class Body>
struct TileSteps<InterpolationBy<Rules>, Body> {
  using Predictor = InterpolationBy<Rules>;
  using Context = typename Predictor::Context;
  template <class T>
  using Scratch = typename Predictor::template Scratch<T>;

  /// As in the steps of other predictors, but that residuals of places outside the field are 0; leaves what the tile is
  /// reconstructed as in scratch.lattice.
  template <class Shape, class T, class Team>
  KOKKOS_INLINE_FUNCTION static RecordTail predict(Team const& team, Context const& context,
                                                   Quantizer<T> const& quantizer, T const* field,
                                                   LevelTile const& tile, unsigned_t<T>* bins,
                                                   Scratch<T>& scratch,
                                                   ExceptionScratch& exceptions) {
    auto const scale = LatticeScale<T>::of(quantizer);
    Predictor::template difference<Shape>(team, context, scale, field, tile, bins, scratch,
                                          exceptions);
    if (tile.level > 0) return {};
    std::uint32_t refused = 0;
    scale.of_kind([&](auto kind) {
      Predictor::template for_lattice<Shape>(
          team, tile, scratch.lattice, [&](int row, int x, std::uint32_t value) {
            T const original = field[index_of<Shape>(tile, row) + x];
            refused |= scale.accepts(kind, original, scale.reconstruct(kind, value)) ? 0u : 1u;
          });
    });
    if (team_any(team, refused != 0)) {
      return classify<Shape>(team, scale, field, tile, scratch.lattice, exceptions);
    }
    return scale.has_magnitudes() ? signs_of<Shape>(team, field, tile, exceptions) : RecordTail{};
  }

  template <class Shape, class T, class Team>
  KOKKOS_INLINE_FUNCTION static void reconstruct(Team const& team, Context const& context,
                                                 Quantizer<T> const& quantizer,
                                                 unsigned_t<T>* residuals, Scratch<T>& scratch,
                                                 LevelTile const& tile, T* field) {
    Predictor::template integrate<Shape>(team, context, tile, residuals, scratch);
    store_reconstructed<Shape>(team, context, quantizer, scratch.lattice, tile, field);
  }
  template <class Shape, class T, class Team>
  KOKKOS_INLINE_FUNCTION static void read_empty(Team const& team, Context const& context,
                                                Quantizer<T> const& quantizer,
                                                unsigned_t<T>* /*residuals*/, Scratch<T>& scratch,
                                                LevelTile const& tile, T* field) {
    if (tile.size() == 0) return;
    Predictor::template integrate_zeros<Shape>(team, context, tile, scratch);
    store_reconstructed<Shape>(team, context, quantizer, scratch.lattice, tile, field);
  }

  /// Of a level above 0 the raw record has the lattice's values, as integers of the size of T.
  template <class Shape, class T, class Team>
  KOKKOS_INLINE_FUNCTION static void write_raw(Team const& team, T const* field,
                                               LevelTile const& tile, Scratch<T> const& scratch,
                                               std::uint32_t* out) {
    if (tile.level == 0) return write_raw_values<Shape>(team, field, tile, out);
    Predictor::template for_lattice<Shape>(
        team, tile, scratch.lattice, [&](int row, int x, std::uint32_t value) {
          std::uint32_t* const words =
              out + packed_place<Shape>(tile, row * Shape::X + x) * value_words<T>;
          words[0] = value;
          if constexpr (sizeof(T) > 4) words[1] = 0;
        });
  }
  template <class Shape, class T, class Team>
  KOKKOS_INLINE_FUNCTION static void read_raw(Team const& team, Context const& context,
                                              std::uint32_t const* in, LevelTile const& tile,
                                              T* field) {
    if (tile.level == 0) return read_raw_values<Shape>(team, in, tile, field);
    read_raw_points<Shape, T>(team, context.parts.of[tile.level], in, tile);
  }
  /// The same of a level above 0.
  template <class Shape, class T, class Team>
  KOKKOS_INLINE_FUNCTION static void read_raw_points(Team const& team, LevelPart const& part,
                                                     std::uint32_t const* in,
                                                     LevelTile const& tile) {
    team_for_rows<Shape::X>(team, tile_values / Shape::X, [&](int row, int x) {
      int const y = row % Shape::Y, z = row / Shape::Y;
      if (x >= tile.nx || y >= tile.ny || z >= tile.nz) return;
      store_point<Shape>(part, tile, row, x,
                         in[packed_place<Shape>(tile, row * Shape::X + x) * value_words<T>]);
    });
  }

  template <class Shape, class T, class Team>
  KOKKOS_FORCEINLINE_FUNCTION static bool read_tail(Team const& team, std::uint32_t const* in,
                                                    RecordTail tail, TileBox const& box,
                                                    MaskedValues<T> masked, T* field) {
    return impl::read_tail<Shape>(team, in, tail, box, masked, field);
  }

  /// Stores a tile in the lattice of its level.
  template <class Shape, class Team>
  KOKKOS_INLINE_FUNCTION static void store_lattice(Team const& team, LevelPart const& part,
                                                   LevelTile const& tile,
                                                   std::uint32_t const* lattice) {
    Predictor::template for_lattice<Shape>(team, tile, lattice,
                                           [&](int row, int x, std::uint32_t value) {
                                             store_point<Shape>(part, tile, row, x, value);
                                           });
  }

  /// The exact check of every value of a tile of the field, from its lattice by class: what its tail will be, on all
  /// threads. Ends with a barrier.
  template <class Shape, class T, class Team>
  KOKKOS_INLINE_FUNCTION static RecordTail classify(Team const& team, LatticeScale<T> const& scale,
                                                    T const* field, LevelTile const& tile,
                                                    std::uint32_t const* lattice,
                                                    ExceptionScratch& exceptions) {
    team_for(team, tile_lanes, [&](int lane) {
      std::uint32_t refused = 0, masked = 0, negative = 0;
      for (int reg = 0; reg < lane_values; ++reg) {
        int const place = natural_place<Shape>(lane, reg);
        std::int64_t const index = field_index<Shape>(tile, place);
        if (index < 0) continue;
        Verdict const verdict =
            scale.classify(field[index], scale.reconstruct(lattice[lattice_place<Shape>(place)]));
        masked |= static_cast<std::uint32_t>(verdict == Verdict::masked) << reg;
        negative |= static_cast<std::uint32_t>(scale.values.marks(field[index], verdict)) << reg;
        refused |= static_cast<std::uint32_t>(verdict == Verdict::refused) << reg;
      }
      exceptions.exception[lane] = refused;
      exceptions.masked[lane] = masked;
      exceptions.negative[lane] = negative;
    });
    team.team_barrier();
    int count = 0;
    for (std::uint32_t const bits : exceptions.exception) count += popcount(bits);
    return RecordTail::make(count, detail::stored_bits(exceptions.masked, tile.size()),
                            detail::stored_bits(exceptions.negative, tile.size()));
  }

 private:
  // The signs of a tile of the field whose values are all inside the bound: its tail. Ends with a barrier.
  template <class Shape, class T, class Team>
  KOKKOS_INLINE_FUNCTION static RecordTail signs_of(Team const& team, T const* field,
                                                    LevelTile const& tile,
                                                    ExceptionScratch& exceptions) {
    team_for(team, tile_lanes,
             [&](int lane) { detail::collect_signs<Shape>(field, tile, lane, exceptions); });
    team.team_barrier();
    return RecordTail::make(0, 0, detail::stored_bits(exceptions.negative, tile.size()));
  }

  // Stores what a tile is reconstructed as: values of the field, or the lattice of its level.
  template <class Shape, class T, class Team>
  KOKKOS_INLINE_FUNCTION static void store_reconstructed(Team const& team, Context const& context,
                                                         Quantizer<T> const& quantizer,
                                                         std::uint32_t const* lattice,
                                                         LevelTile const& tile, T* field) {
    if (tile.level > 0) {
      return store_lattice<Shape>(team, context.parts.of[tile.level], tile, lattice);
    }
    auto const scale = LatticeScale<T>::of(quantizer);
    scale.of_kind([&](auto kind) {
      Predictor::template for_lattice<Shape>(
          team, tile, lattice, [&](int row, int x, std::uint32_t value) {
            field[index_of<Shape>(tile, row) + x] = scale.reconstruct(kind, value);
          });
    });
  }

  template <class Shape>
  KOKKOS_FORCEINLINE_FUNCTION static int lattice_place(int place) {
    return Predictor::template lattice_place<Shape>(place % Shape::X, place / Shape::X % Shape::Y,
                                                    place / (Shape::X * Shape::Y));
  }

  // Stores a point of a tile, if the part of its level has it.
  template <class Shape>
  KOKKOS_FORCEINLINE_FUNCTION static void store_point(LevelPart const& part, LevelTile const& tile,
                                                      int row, int x, std::uint32_t value) {
    std::int64_t const at_x = tile.at.x + x, at_y = tile.at.y + row % Shape::Y,
                       at_z = tile.at.z + row / Shape::Y;
    if (part.has(at_x, at_y, at_z)) part.values[part.index(at_x, at_y, at_z)] = value;
  }

  // Where a row of a tile begins in the field.
  template <class Shape>
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t index_of(LevelTile const& tile, int row) {
    return tile.origin + row % Shape::Y * tile.row_pitch + row / Shape::Y * tile.slab_pitch;
  }
};

/// A team quantises a tile of a level above 0 and stores what it is reconstructed as.
template <class CodecTypes, class Shape, class T>
struct BuildLevel {
  using Buffer = TileBuffer<CodecTypes, T>;
  EncodeArgs<T> args;
  std::int64_t first;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    using Predictor = typename CodecTypes::Predictor;
    using Steps = TileSteps<Predictor, typename CodecTypes::Body>;
    [[maybe_unused]] FpEnvironment const environment;
    Buffer& buffer = team_buffer<Buffer>(team);
    LevelGrid<Shape> const grid(args.extents);
    LevelTile const tile = grid.tile(first + team.league_rank() / sparse_chunk_tiles,
                                     team.league_rank() % sparse_chunk_tiles);
    if (tile.size() == 0) return;
    Steps::template predict<Shape>(team, Predictor::context(args), args.state->quantizer,
                                   args.field, tile, buffer.bins, buffer.predictor,
                                   buffer.exceptions);
    Steps::template store_lattice<Shape>(team, args.levels.of[tile.level], tile,
                                         buffer.predictor.lattice);
  }
};

/// The lattices of all levels above that of the field, one launch for each.
template <class CodecTypes, class Exec, class T>
void build_levels(generic_tag, Exec const& exec, EncodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::build_levels[generic]");
  with_tile_shape(static_cast<TileShape>(bit_width(args.shapes) - 1), [&](auto shape) {
    using Shape = decltype(shape);
    LevelGrid<Shape> const grid(args.extents);
    for (int level = grid.levels; level > 0; --level) {
      parallel_teams("kompakt::build_levels::chunks",
                     generic_policy(exec, grid.chunks_of(level) * sparse_chunk_tiles,
                                    team_buffer_bytes<TileBuffer<CodecTypes, T>>),
                     BuildLevel<CodecTypes, Shape, T>{args, grid.first_chunk(level)});
    }
  });
}

/// body(args of a level, its number, number of its chunks) for the levels above that of the field of which a decompression wants
/// chunks, all or those that are listed, from the coarsest on.
template <class T, class Body>
void for_listed_levels(DecodeArgs<T> const& args, Body const& body) {
  DecodeArgs<T> of_level = args;
  with_tile_shape(args.tile_shape, [&](auto shape) {
    LevelGrid<decltype(shape)> const grid(args.extents);
    for (int level = grid.levels; level > 0; --level) {
      of_level.first = grid.first_chunk(level);
      std::int64_t const count =
          args.chunks == nullptr ? grid.chunks_of(level) : args.listed_above[level];
      if (count > 0) body(of_level, level, count);
      if (args.chunks != nullptr) of_level.chunks += count;
    }
  });
}

/// The lattices of all levels above that of the field from a stream, one launch for each.
template <class CodecTypes, class Exec, class T>
void read_levels(generic_tag, Exec const& exec, DecodeArgs<T> const& args) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::read_levels[generic]");
  take_levels_ahead<CodecTypes>(exec, args);
  for_listed_levels(args, [&](DecodeArgs<T> const& of_level, int, std::int64_t chunks) {
    with_tile_shape(args.tile_shape, [&](auto shape) {
      read_chunks<CodecTypes, decltype(shape)>("kompakt::read_levels::chunks", exec, of_level,
                                               chunks);
    });
  });
}

}  // namespace kompakt::impl

#endif
