#ifndef KOMPAKT_CODER_RANS_SEAT_HPP
#define KOMPAKT_CODER_RANS_SEAT_HPP

#include <coder/row.hpp>

namespace kompakt::impl::seat {

struct Rans {
  static constexpr std::string_view aliases[] = {"ans"};
  static constexpr CoderRow row{
      .pipeline = Pipeline::rans,
      .word = "rans",
      .help = "a book for each value by its neighbours: smallest and slow",
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
  static constexpr bool has_warp_form = false, has_team_form = true;
  static constexpr bool has_tile_rules = true;
  static constexpr bool codes(Variant) { return true; }
};

}  // namespace kompakt::impl::seat

#endif
