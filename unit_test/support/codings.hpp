#ifndef KOMPAKT_UNIT_TEST_SUPPORT_CODINGS_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_CODINGS_HPP

#include <kompakt/options.hpp>
#include <span>
#include <string>

namespace kompakt::test {

/// A pipeline with one of its variants, the predictor if it is one of its own, and whether streams are packed.
struct Coding {
  Pipeline pipeline;
  Variant variant;
  Predictor predictor = Predictor::automatic;
  bool pack = false;

  /// \param asked  the predictor of codings without one of their own
  Options with(ErrorBound bound, Predictor asked = Predictor::automatic,
               bool checksum = true) const {
    Options options{bound, pipeline, variant, has_own() ? predictor : asked, checksum};
    options.pack = pack;
    options.fill = FillValue::none();  // tests of fill values say so
    return options;
  }
  bool has_own() const { return predictor != Predictor::automatic; }
  /// A word for names of tests and variables.
  std::string word() const {
    std::string const coder =
        variant == Variant::automatic ? to_string(pipeline) : to_string(variant);
    return coder + (has_own() ? std::string("_") + to_string(predictor) : "") +
           (pack ? "_packed" : "");
  }
  std::string name() const {
    return std::string(to_string(pipeline)) + " " + to_string(variant) + " " +
           to_string(predictor) + (pack ? " packed" : "");
  }
};

/// All there are but the automatic one of bitshuffle, which is nested.
inline constexpr Coding all_codings[] = {
    {Pipeline::fixedlength, Variant::plain},
    {Pipeline::fixedlength, Variant::outlier},
    {Pipeline::fixedlength, Variant::automatic},
    {Pipeline::bitshuffle, Variant::fz},
    {Pipeline::bitshuffle, Variant::nested},
    {Pipeline::huffman, Variant::automatic},
    {Pipeline::huffman, Variant::custom},
    {Pipeline::huffman, Variant::dictionary},
    {Pipeline::rans, Variant::automatic},
    {Pipeline::bitshuffle, Variant::nested, Predictor::interpolate},
    {Pipeline::huffman, Variant::automatic, Predictor::interpolate},
    {Pipeline::huffman, Variant::custom, Predictor::interpolate},
    {Pipeline::rans, Variant::automatic, Predictor::interpolate},
    {Pipeline::fixedlength, Variant::automatic, Predictor::automatic, true},
    {Pipeline::huffman, Variant::automatic, Predictor::automatic, true},
    {Pipeline::bitshuffle, Variant::nested, Predictor::interpolate, true},
};
/// Codings that share the least code.
inline constexpr Coding main_codings[] = {
    {Pipeline::fixedlength, Variant::automatic},
    {Pipeline::bitshuffle, Variant::fz},
    {Pipeline::bitshuffle, Variant::nested},
    {Pipeline::huffman, Variant::automatic},
    {Pipeline::rans, Variant::automatic},
    {Pipeline::bitshuffle, Variant::nested, Predictor::interpolate},
    {Pipeline::rans, Variant::automatic, Predictor::interpolate},
    {Pipeline::fixedlength, Variant::automatic, Predictor::automatic, true},
};
/// Those of them whose tiles are predicted alone.
inline constexpr std::span<Coding const> tile_codings{main_codings, 5};

}  // namespace kompakt::test

#endif
