#ifndef KOMPAKT_CODER_BITSHUFFLE_SEAT_HPP
#define KOMPAKT_CODER_BITSHUFFLE_SEAT_HPP

#include <coder/row.hpp>

namespace kompakt::impl::seat {

/// What the two ways to eliminate zeros have in common.
struct Bitshuffle {
  static constexpr std::string_view aliases[] = {"fz", "fz-gpu", "fz-omp"};
  static constexpr VariantRow variants[] = {
      {Variant::fz, "fz", "sign and magnitude, zero blocks of 16 bytes, as FZ-GPU"},
      {Variant::nested, "nested", "zig-zags, zero bytes, three levels of flags", "deep"}};
  static constexpr CoderRow row{.pipeline = Pipeline::bitshuffle,
                                .word = "bitshuffle",
                                .help = "bit planes without zeros: small and fast",
                                .aliases = aliases,
                                .variants = variants,
                                .stored_automatic = Variant::nested,
                                .lossless = false,
                                .section = {},
                                .balanced_gain = 1.03,
                                .ratio_variants = {},
                                .validate = nullptr,
                                .max_section_bytes = nullptr,
                                .tell = nullptr};
  static constexpr bool has_warp_form = true;
};

struct BitshuffleNested : Bitshuffle {
  static constexpr bool codes(Variant variant) { return variant != Variant::fz; }
};
struct BitshuffleFz : Bitshuffle {
  static constexpr bool codes(Variant variant) { return variant == Variant::fz; }
};

}  // namespace kompakt::impl::seat

#endif
