#ifndef KOMPAKT_UNIT_TEST_SEATS_TOYS_HPP
#define KOMPAKT_UNIT_TEST_SEATS_TOYS_HPP

#include <coder/row.hpp>
#include <core/type_list.hpp>
#include <predictor/row.hpp>

// Seats of a coder and a predictor that the library does not know; KOMPAKT_MORE_SEATS names this header in the build
// that has them.

namespace kompakt::impl::seat {

inline constexpr auto toy_pipeline = static_cast<Pipeline>(200);
inline constexpr auto toy_predictor = static_cast<Predictor>(200);
inline constexpr auto toy_method = static_cast<PredictionMethod>(9);

/// Zig-zags of residuals as bytes.
struct ToyBytes {
  static constexpr std::string_view aliases[] = {"plain-bytes"};
  static constexpr CoderRow row{.pipeline = toy_pipeline,
                                .word = "toy",
                                .help = "bytes of a test",
                                .aliases = aliases,
                                .variants = {},
                                .stored_automatic = Variant::automatic,
                                .lossless = true,
                                .section = {},
                                .balanced_gain = 0,
                                .ratio_variants = {},
                                .validate = nullptr,
                                .max_section_bytes = nullptr,
                                .tell = nullptr};
  static constexpr bool has_warp_form = false;
  static constexpr bool codes(Variant) { return true; }
};

/// What lies between a bin and that of the field's first value, which a section of 16 bytes keeps.
struct ToyOffset {
  static constexpr PredictorWord asked_by[] = {{toy_predictor, "offset", "the first value"}};
  static constexpr PredictorRow row{.method = toy_method,
                                    .word = "offset",
                                    .asked_by = asked_by,
                                    .section_bytes = [](Extents3) -> std::size_t { return 16; }};
  template <class CoderSeat>
  static constexpr bool goes_with = CoderSeat::row.pipeline == toy_pipeline;
  static constexpr bool has_warp_form = false;
};

using MoreCoders = TypeList<ToyBytes>;
using MorePredictors = TypeList<ToyOffset>;

}  // namespace kompakt::impl::seat

#endif
