#ifndef KOMPAKT_UNIT_TEST_SUPPORT_CODINGS_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_CODINGS_HPP

#include <kompakt/options.hpp>
#include <string>

namespace kompakt::test {

/// A pipeline with one of its variants.
struct Coding {
  Pipeline pipeline;
  Variant variant;

  Options with(ErrorBound bound, Predictor predictor = Predictor::automatic,
               bool checksum = true) const {
    return {bound, pipeline, variant, predictor, checksum};
  }
  /// A word for names of tests and variables.
  std::string word() const {
    return variant == Variant::automatic ? to_string(pipeline) : to_string(variant);
  }
  std::string name() const { return std::string(to_string(pipeline)) + " " + to_string(variant); }
};

/// All there are but the automatic one of bitshuffle, which is deep.
inline constexpr Coding all_codings[] = {
    {Pipeline::fixedlength, Variant::plain},     {Pipeline::fixedlength, Variant::outlier},
    {Pipeline::fixedlength, Variant::automatic}, {Pipeline::bitshuffle, Variant::fz},
    {Pipeline::bitshuffle, Variant::deep},       {Pipeline::huffman, Variant::automatic},
    {Pipeline::huffman, Variant::custom},        {Pipeline::huffman, Variant::dictionary},
};
/// Codings that share the least code.
inline constexpr Coding main_codings[] = {
    {Pipeline::fixedlength, Variant::automatic},
    {Pipeline::bitshuffle, Variant::fz},
    {Pipeline::bitshuffle, Variant::deep},
    {Pipeline::huffman, Variant::automatic},
};

}  // namespace kompakt::test

#endif
