#include <algorithm>
#include <api/checks.hpp>
#include <array>
#include <cmath>
#include <coder/huffman/codebook.hpp>
#include <core/decibel.hpp>
#include <cstdlib>
#include <initializer_list>
#include <kompakt/compress.hpp>
#include <kompakt/options.hpp>
#include <sstream>
#include <utility>

namespace kompakt {

namespace {

template <class E>
using Words = std::initializer_list<std::pair<std::string_view, E>>;

template <class E>
E parse(char const* what, std::string_view word, Words<E> words) {
  std::string known;
  for (auto const& [name, value] : words) {
    if (name == word) return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw Error(Status::bad_argument, std::string(what) + ": '" + std::string(word) +
                                        "' is not known; use one of " + known);
}

std::string show(double value) {
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}

char const* variants_of(Pipeline pipeline) {
  switch (pipeline) {
    case Pipeline::huffman: return "auto, custom or dictionary";
    case Pipeline::bitshuffle: return "auto, fz or deep";
    case Pipeline::fixedlength: break;
  }
  return "auto, plain or outlier";
}

void validate_range(ErrorBound const& bound, double range) {
  if (!(range > 0) || !std::isfinite(range)) {
    throw Error(Status::bad_argument, "options: the range " + show(range) +
                                          " is not a positive finite number; give max - min of the "
                                          "whole field, or 0 for the field's own");
  }
  if (bound.mode == ErrorBound::Mode::psnr) return;
  if (bound.mode != ErrorBound::Mode::r2r) {
    throw Error(Status::bad_argument, "options: the range " + show(range) +
                                          " is for a bound relative to it, but this one is " +
                                          to_string(bound.mode) + "; leave one out");
  }
  double const resolved = impl::bound_within(bound.value, range);
  if (!(resolved > 0) || !std::isfinite(resolved)) {
    throw Error(Status::bad_argument, "options: the bound " + show(bound.value) +
                                          " times the range " + show(range) + " is " +
                                          show(resolved) +
                                          ", not a positive finite number; give an absolute bound");
  }
}

void validate_lossless(Options const& options) {
  if (options.bound.value != 0) {
    throw Error(Status::bad_argument, "options: lossless has no bound, but this one is " +
                                          show(options.bound.value) +
                                          "; use ErrorBound::lossless()");
  }
  if (options.pipeline != Pipeline::fixedlength) {
    throw Error(Status::bad_argument,
                std::string("options: lossless is by the pipeline fixedlength, not ") +
                    to_string(options.pipeline) + ", whose codes are too short for it");
  }
  if (options.range != 0) validate_range(options.bound, options.range);
}

}  // namespace

char const* to_string(Status status) noexcept {
  switch (status) {
    case Status::ok: return "ok";
    case Status::bad_argument: return "bad_argument";
    case Status::buffer_too_small: return "buffer_too_small";
    case Status::bad_magic: return "bad_magic";
    case Status::unsupported_version: return "unsupported_version";
    case Status::corrupt: return "corrupt";
    case Status::type_mismatch: return "type_mismatch";
    case Status::bound_violated: return "bound_violated";
    case Status::io: return "io";
    case Status::device: return "device";
  }
  return "unknown status";
}

namespace {

constexpr std::array<char const*, dtype_count> dtype_words{"f32", "f64", "i8",  "u8",  "i16",
                                                           "u16", "i32", "u32", "i64", "u64"};

}  // namespace

char const* to_string(Dtype dtype) noexcept {
  return dtype_words[static_cast<std::size_t>(dtype) % dtype_words.size()];
}

Dtype parse_dtype(std::string_view word) {
  std::string known;
  for (std::size_t i = 0; i < dtype_words.size(); ++i) {
    if (word == dtype_words[i]) return static_cast<Dtype>(i);
    known += (i > 0 ? ", " : "") + std::string(dtype_words[i]);
  }
  throw Error(Status::bad_argument,
              "value type: '" + std::string(word) + "' is not known; use one of " + known);
}

std::vector<std::size_t> slowest_first(FieldShape const& shape,
                                       std::array<std::size_t, max_rank> const& numbers) {
  std::vector<std::size_t> result(numbers.begin(), numbers.begin() + shape.rank);
  if (shape.order == Order::first_fastest) std::reverse(result.begin(), result.end());
  return result;
}

char const* to_string(ErrorBound::Mode mode) noexcept {
  switch (mode) {
    case ErrorBound::Mode::abs: return "abs";
    case ErrorBound::Mode::pwr: return "pwr";
    case ErrorBound::Mode::psnr: return "psnr";
    case ErrorBound::Mode::lossless: return "lossless";
    case ErrorBound::Mode::r2r: break;
  }
  return "r2r";
}

char const* to_string(Pipeline pipeline) noexcept {
  switch (pipeline) {
    case Pipeline::huffman: return "huffman";
    case Pipeline::bitshuffle: return "bitshuffle";
    case Pipeline::fixedlength: break;
  }
  return "fixedlength";
}

char const* to_string(Variant variant) noexcept {
  switch (variant) {
    case Variant::plain: return "plain";
    case Variant::outlier: return "outlier";
    case Variant::fz: return "fz";
    case Variant::deep: return "deep";
    case Variant::custom: return "custom";
    case Variant::dictionary: return "dictionary";
    case Variant::automatic: break;
  }
  return "auto";
}

char const* to_string(Predictor predictor) noexcept {
  switch (predictor) {
    case Predictor::chain: return "chain";
    case Predictor::tile: return "tile";
    case Predictor::automatic: break;
  }
  return "auto";
}

ErrorBound::Mode parse_mode(std::string_view word) {
  return parse<ErrorBound::Mode>("bound mode", word,
                                 {{"abs", ErrorBound::Mode::abs},
                                  {"r2r", ErrorBound::Mode::r2r},
                                  {"pwr", ErrorBound::Mode::pwr},
                                  {"psnr", ErrorBound::Mode::psnr},
                                  {"lossless", ErrorBound::Mode::lossless}});
}

Pipeline parse_pipeline(std::string_view word) {
  return parse<Pipeline>("pipeline", word,
                         {{"fixedlength", Pipeline::fixedlength},
                          {"bitshuffle", Pipeline::bitshuffle},
                          {"huffman", Pipeline::huffman},
                          {"cusz", Pipeline::huffman},
                          {"cuszp2", Pipeline::fixedlength},
                          {"fz", Pipeline::bitshuffle},
                          {"fz-gpu", Pipeline::bitshuffle},
                          {"fz-omp", Pipeline::bitshuffle}});
}

Variant parse_variant(std::string_view word) {
  return parse<Variant>("variant", word,
                        {{"auto", Variant::automatic},
                         {"plain", Variant::plain},
                         {"outlier", Variant::outlier},
                         {"fz", Variant::fz},
                         {"deep", Variant::deep},
                         {"custom", Variant::custom},
                         {"dictionary", Variant::dictionary}});
}

FillValue parse_fill(std::string_view word) {
  if (word == "none") return FillValue::none();
  if (word == "auto") return FillValue::automatic();
  std::string const text(word);
  char* end = nullptr;
  double const value = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size()) {
    throw Error(Status::bad_argument,
                "fill value: '" + text + "' is not known; use none, auto or a number");
  }
  return FillValue::of(value);
}

Predictor parse_predictor(std::string_view word) {
  return parse<Predictor>(
      "predictor", word,
      {{"auto", Predictor::automatic}, {"chain", Predictor::chain}, {"tile", Predictor::tile}});
}

bool has_variant(Pipeline pipeline, Variant variant) noexcept {
  switch (variant) {
    case Variant::plain:
    case Variant::outlier: return pipeline == Pipeline::fixedlength;
    case Variant::fz:
    case Variant::deep: return pipeline == Pipeline::bitshuffle;
    case Variant::custom:
    case Variant::dictionary: return pipeline == Pipeline::huffman;
    case Variant::automatic: break;
  }
  return true;
}

void validate(Options const& options) {
  if (!has_variant(options.pipeline, options.variant)) {
    throw Error(Status::bad_argument,
                std::string("options: the variant '") + to_string(options.variant) +
                    "' is not one of the pipeline " + to_string(options.pipeline) + "; use " +
                    variants_of(options.pipeline));
  }
  int const radius = options.radius;
  if (radius < impl::huffman::smallest_radius || radius > impl::huffman::largest_radius ||
      (radius & (radius - 1)) != 0) {
    throw Error(Status::bad_argument, "options: the radius " + std::to_string(radius) +
                                          " is not a power of two from 32 to 32768");
  }
  if (options.variant == Variant::dictionary && radius != impl::huffman::default_radius) {
    throw Error(Status::bad_argument,
                "options: the dictionary's codebooks are for the radius 512, not " +
                    std::to_string(radius) + "; use the variant custom");
  }
  if (options.bound.mode == ErrorBound::Mode::lossless) return validate_lossless(options);
  double const value = options.bound.value;
  if (!(value > 0) || !std::isfinite(value)) {
    throw Error(Status::bad_argument,
                "options: the bound " + show(value) +
                    " is not a positive finite number; give one such as 1e-3");
  }
  if (options.bound.mode == ErrorBound::Mode::psnr && value > impl::most_decibels) {
    throw Error(Status::bad_argument,
                "options: a PSNR of " + show(value) +
                    " dB is beyond what numbers can tell; give one up to 1000, such as 60");
  }
  if (options.bound.mode == ErrorBound::Mode::pwr && value >= 1) {
    throw Error(Status::bad_argument, "options: the bound " + show(value) +
                                          " relative to each value is not below 1, which would "
                                          "allow 0 for all; give one such as 1e-3");
  }
  if (options.range != 0) validate_range(options.bound, options.range);
}

std::size_t max_compressed_bytes(std::span<std::size_t const> extents, std::size_t value_bytes,
                                 Options const& options) {
  validate(options);
  bool const lossless = options.bound.mode == ErrorBound::Mode::lossless;
  FieldShape shape;
  shape.dtype = lossless ? Dtype::u8 : Dtype::f32;
  for (Dtype const dtype : {Dtype::u16, Dtype::f32, Dtype::f64}) {
    bool const is_possible = lossless || !is_integer(dtype);
    if (is_possible && size_of(dtype) <= value_bytes) shape.dtype = dtype;
  }
  if (size_of(shape.dtype) != value_bytes) {
    throw Error(Status::bad_argument,
                "max_compressed_bytes: values of " + std::to_string(value_bytes) +
                    " bytes are not supported; 4 and 8 are, and lossless also 1 and 2");
  }
  shape.rank = static_cast<int>(extents.size());
  for (std::size_t i = 0; i < extents.size() && i < shape.extents.size(); ++i) {
    shape.extents[i] = extents[i];
  }
  impl::require_shape("max_compressed_bytes", shape);
  std::size_t const codebook = options.pipeline == Pipeline::huffman
                                   ? impl::huffman::most_codebook_bytes(options.radius)
                                   : 0;
  bool const may_have_fill = options.fill.mode != FillValue::Mode::none;
  std::size_t most = impl::StreamLayout(shape.rank, 0).payload;
  if (shape.size() == 0) return most;
  for (Order const order : {Order::last_fastest, Order::first_fastest}) {
    shape.order = order;
    impl::Extents3 const folded = impl::fold_shape(shape);
    std::uint32_t const candidates = impl::candidate_kinds(folded, options.predictor);
    for (int kind = 0; kind < impl::tile_kinds; ++kind) {
      if ((candidates >> kind & 1u) == 0) continue;
      std::int64_t const chunks = impl::chunk_count(static_cast<impl::TileKind>(kind), folded);
      most = std::max(most, impl::worst_case_bytes(
                                impl::StreamLayout(shape.rank, chunks, codebook, may_have_fill),
                                chunks, impl::most_record_bytes(shape, chunks), options.checksum));
    }
  }
  return most;
}

}  // namespace kompakt
