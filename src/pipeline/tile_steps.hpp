#ifndef KOMPAKT_PIPELINE_TILE_STEPS_HPP
#define KOMPAKT_PIPELINE_TILE_STEPS_HPP

#include <Kokkos_Core.hpp>
#include <core/exceptions.hpp>
#include <pipeline/walk.hpp>

namespace kompakt::impl {

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
    } else if (q.bins == Bins::lossless) {
      reconstruct_by([&](bin_t<T> bin) { return q.keys.value(bin); });
    } else {
      reconstruct_by([&](bin_t<T> bin) { return q.reconstruct_linear(bin); });
    }
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
