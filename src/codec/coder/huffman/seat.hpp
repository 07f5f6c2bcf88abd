#ifndef KOMPAKT_CODER_HUFFMAN_SEAT_HPP
#define KOMPAKT_CODER_HUFFMAN_SEAT_HPP

#include <coder/row.hpp>

namespace kompakt::impl::huffman {

void validate(Options const& options);
std::size_t max_section_bytes(int radius);
bool tell(std::uint64_t head, std::size_t bytes, StreamInfo& info);

}  // namespace kompakt::impl::huffman

namespace kompakt::impl::seat {

struct Huffman {
  static constexpr std::string_view aliases[] = {"cusz"};
  static constexpr VariantRow variants[] = {
      {Variant::custom, "custom", "a codebook made for the field"},
      {Variant::dictionary, "dictionary", "a codebook known beforehand; with radius 512"}};
  static constexpr Variant ratio_variants[] = {Variant::custom};
  static constexpr CoderRow row{
      .pipeline = Pipeline::huffman,
      .word = "huffman",
      .help = "prefix codes of a codebook: the smallest streams",
      .aliases = aliases,
      .variants = variants,
      .stored_automatic = Variant::automatic,  // the section says which book it came to
      .lossless = false,
      .section = "codebook",
      .balanced_gain = 1.15,
      .ratio_variants = ratio_variants,
      .validate = huffman::validate,
      .max_section_bytes = huffman::max_section_bytes,
      .tell = huffman::tell};
  static constexpr bool has_warp_form = true;
  static constexpr bool codes(Variant) { return true; }
};

}  // namespace kompakt::impl::seat

#endif
