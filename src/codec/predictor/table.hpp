#ifndef KOMPAKT_PREDICTOR_TABLE_HPP
#define KOMPAKT_PREDICTOR_TABLE_HPP

#include <coder/table.hpp>
#include <core/type_list.hpp>
#include <predictor/row.hpp>
#include <type_traits>

// The one list of predictors: parsing, validation, reader and dispatch go by it.

namespace kompakt::impl {

namespace seat {

struct Lorenzo {
  static constexpr PredictorWord asked_by[] = {
      {Predictor::chain, "chain", "the previous value in memory"},
      {Predictor::tile, "tile", "neighbours along each index"}};
  static constexpr PredictorRow row{.method = PredictionMethod::lorenzo,
                                    .word = "lorenzo",
                                    .asked_by = asked_by,
                                    .section_bytes = nullptr};
  template <class CoderSeat>
  static constexpr bool goes_with = true;
  static constexpr bool has_warp_form = true;
};

/// Whose residuals are mostly 0.
struct Interpolation {
  static constexpr PredictorWord asked_by[] = {
      {Predictor::interpolate, "interpolate", "reconstructed values on both sides: smooth fields"}};
  static constexpr PredictorRow row{.method = PredictionMethod::interpolation,
                                    .word = "interpolation",
                                    .asked_by = asked_by,
                                    .section_bytes = nullptr};
  template <class CoderSeat>
  static constexpr bool goes_with =
      std::is_same_v<CoderSeat, BitshuffleNested> || std::is_same_v<CoderSeat, Huffman> ||
      std::is_same_v<CoderSeat, Rans>;
  static constexpr bool has_warp_form = true;
};

}  // namespace seat

using Predictors = decltype(TypeList<seat::Lorenzo, seat::Interpolation>{} +
                            seat::MorePredictors{});

/// The row of a method, nullptr for a number that names none.
constexpr PredictorRow const* row_of(PredictionMethod method) {
  PredictorRow const* row = nullptr;
  any_of_types(Predictors{}, [&]<class Seat>(TypeTag<Seat>) {
    if (Seat::row.method == method) row = &Seat::row;
    return row != nullptr;
  });
  return row;
}

namespace detail {

template <class Seat, class... Rest, class Body>
decltype(auto) with_predictor_of(PredictionMethod method, Body const& body) {
  if constexpr (sizeof...(Rest) > 0) {
    if (Seat::row.method != method) return with_predictor_of<Rest...>(method, body);
  }
  return body(TypeTag<Seat>{});
}

}  // namespace detail

/// The rows of all predictors.
std::vector<PredictorRow const*> const& predictor_rows();

/// body(TypeTag of the seat of a method, which must be in the table).
template <class Body>
decltype(auto) with_predictor(PredictionMethod method, Body const& body) {
  return [&]<class... Seats>(TypeList<Seats...>) -> decltype(auto) {
    return detail::with_predictor_of<Seats...>(method, body);
  }(Predictors{});
}

/// Whether a coder codes the residuals of a predictor, both of the tables.
inline bool go_together(Pipeline pipeline, Variant variant, PredictionMethod method) {
  return with_predictor(method, [&]<class Predictor>(TypeTag<Predictor>) {
    return with_coder(pipeline, variant, []<class Coder>(TypeTag<Coder>) {
      return Predictor::template goes_with<Coder>;
    });
  });
}

}  // namespace kompakt::impl

#endif
