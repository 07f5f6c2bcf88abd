#ifndef KOMPAKT_PIPELINE_TILE_STEPS_HPP
#define KOMPAKT_PIPELINE_TILE_STEPS_HPP

#include <Kokkos_Core.hpp>
#include <core/exceptions.hpp>
#include <pipeline/chunk.hpp>
#include <pipeline/codec_types.hpp>

namespace kompakt::impl {

/// Stores one value to all places of a tile inside the field.
template <class Shape, class T, class Team>
KOKKOS_INLINE_FUNCTION void fill_box(Team const& team, T value, TileBox const& box, T* field) {
  team_for_values<Shape>(team, box, [&](int, std::int64_t index) { field[index] = value; });
}

/// The raw record of a tile: its values inside the field, in natural order.
template <class Shape, class T, class Team>
KOKKOS_INLINE_FUNCTION void write_raw_values(Team const& team, T const* field, TileBox const& box,
                                             std::uint32_t* out) {
  team_for_values<Shape>(team, box, [&](int place, std::int64_t index) {
    store_value(field[index], out + packed_place<Shape>(box, place) * value_words<T>);
  });
}
template <class Shape, class T, class Team>
KOKKOS_INLINE_FUNCTION void read_raw_values(Team const& team, std::uint32_t const* in,
                                            TileBox const& box, T* field) {
  team_for_values<Shape>(team, box, [&](int place, std::int64_t index) {
    field[index] = load_value<T>(in + packed_place<Shape>(box, place) * value_words<T>);
  });
}

/// The steps between the values of a tile and what a coder sees. A backend specialises it for a predictor that it
/// has a body of its own for.
template <class Predictor, class Body>
struct TileSteps {
  using Context = typename Predictor::Context;

  /// Quantises and predicts: leaves the residuals in `bins`, the bin itself in the first place, anything
  /// in places outside the field, and the exceptions and fill values in `exceptions`; returns what the
  /// record's tail will be, on all threads. Ends with a barrier. halo: scratch of tile_lanes entries.
  template <class Shape, class T, class Team>
  KOKKOS_FORCEINLINE_FUNCTION static RecordTail predict(Team const& team, Context const& context,
                                                        Quantizer<T> const& quantizer,
                                                        T const* field, TileBox const& box,
                                                        unsigned_t<T>* bins, unsigned_t<T>* halo,
                                                        ExceptionScratch& exceptions) {
    RecordTail const tail =
        quantize_tile<Shape>(team, quantizer, field, box, bins, halo, exceptions);
    Predictor::template difference<Shape>(team, context, bins, halo);
    if (int const unused = quantizer.unused_bits; unused > 0) {
      team_for(team, tile_values,
               [&](int place) { bins[place] = Quantizer<T>::fold(bins[place], unused); });
      team.team_barrier();
    }
    return tail;
  }

  /// The inverse: from residuals to the values of the field, of relative bins their magnitudes. Uses `residuals` as
  /// working memory.
  template <class Shape, class T, class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void reconstruct(Team const& team, Context const& context,
                                                      Quantizer<T> const& quantizer,
                                                      unsigned_t<T>* residuals, unsigned_t<T>* halo,
                                                      TileBox const& box, T* field) {
    Predictor::template integrate<Shape>(team, context, residuals, halo);
    Quantizer<T> const q = quantizer;  // its members then live in registers
    auto const reconstruct_by = [&](auto const& value_of) {
      team_for_values<Shape>(team, box, [&](int place, std::int64_t index) {
        field[index] = value_of(static_cast<bin_t<T>>(residuals[place]));
      });
    };
    if (q.bins == Bins::relative) {
      reconstruct_by([&](bin_t<T> bin) { return q.reconstruct_relative(bin); });
    } else if (q.bins == Bins::lossless && q.steps.any()) {
      reconstruct_by([&](bin_t<T> bin) { return q.steps.value(bin); });
    } else if (q.bins == Bins::lossless) {
      reconstruct_by([&](bin_t<T> bin) { return q.keys.value(bin); });
    } else {
      reconstruct_by([&](bin_t<T> bin) { return q.reconstruct_linear(bin); });
    }
  }

  /// The raw record of a tile that predict() was called for, and the way back. Scratch is the predictor's.
  template <class Shape, class T, class Team, class Scratch>
  KOKKOS_FORCEINLINE_FUNCTION static void write_raw(Team const& team, T const* field,
                                                    TileBox const& box, Scratch const&,
                                                    std::uint32_t* out) {
    write_raw_values<Shape>(team, field, box, out);
  }
  template <class Shape, class T, class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void read_raw(Team const& team, Context const&,
                                                   std::uint32_t const* in, TileBox const& box,
                                                   T* field) {
    read_raw_values<Shape>(team, in, box, field);
  }
  /// The values of a tile without residuals. Uses `residuals` as working memory.
  template <class Shape, class T, class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void read_empty(Team const& team, Context const&,
                                                     Quantizer<T> const& quantizer,
                                                     unsigned_t<T>* /*residuals*/,
                                                     unsigned_t<T>* /*halo*/, TileBox const& box,
                                                     T* field) {
    fill_box<Shape>(team, quantizer.reconstruct(0), box, field);
  }

  /// What follows it: signs, masked values and exceptions.
  template <class Shape, class T, class Team>
  KOKKOS_FORCEINLINE_FUNCTION static bool read_tail(Team const& team, std::uint32_t const* in,
                                                    RecordTail tail, TileBox const& box,
                                                    MaskedValues<T> masked, T* field) {
    return impl::read_tail<Shape>(team, in, tail, box, masked, field);
  }
};

}  // namespace kompakt::impl

#endif
