#ifndef KOMPAKT_CODER_FIXEDLENGTH_SEAT_HPP
#define KOMPAKT_CODER_FIXEDLENGTH_SEAT_HPP

#include <coder/row.hpp>

namespace kompakt::impl::seat {

struct FixedLength {
  static constexpr std::string_view aliases[] = {"cuszp2"};
  static constexpr VariantRow variants[] = {
      {Variant::plain, "plain", "one width for a block of 32 values"},
      {Variant::outlier, "outlier", "the first value of a block keeps its high bits apart"}};
  static constexpr CoderRow row{
      .pipeline = Pipeline::fixedlength,
      .word = "fixedlength",
      .help = "bit planes of one width: the fastest on a GPU",
      .aliases = aliases,
      .variants = variants,
      .stored_automatic = Variant::automatic,  // tile by tile; decoders need not know
      .lossless = true,
      .section = {},
      .balanced_gain = 1,
      .ratio_variants = {},
      .validate = nullptr,
      .max_section_bytes = nullptr,
      .tell = nullptr};
  static constexpr bool has_warp_form = true;
  static constexpr bool codes(Variant) { return true; }
};

}  // namespace kompakt::impl::seat

#endif
