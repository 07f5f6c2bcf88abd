#ifndef KOMPAKT_OPTIONS_HPP
#define KOMPAKT_OPTIONS_HPP

#include <Kokkos_Macros.hpp>
#include <array>
#include <cstdint>
#include <kompakt/choice_record.hpp>
#include <kompakt/prediction.hpp>
#include <kompakt/value_steps.hpp>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kompakt {

/// Promise of every pipeline: |x - x'| <= the resolved bound (of `pwr`, times |x|) for every finite x, in
/// exact arithmetic; NaN and infinities come back bit for bit. Integers come back as integers. A field of
/// 64-bit integers is compressed without loss if it has a value of 2^53 or more.
struct ErrorBound {
  /// The numbers are part of the format.
  enum class Mode : std::uint8_t {
    abs = 0,   ///< value is the bound, in the units of the field
    r2r = 1,   ///< bound = value * (max - min) over the finite values, or Options::range, in double
    pwr = 2,   ///< |x - x'| <= value * |x| for each value, value < 1; zeros and signs are exact
    psnr = 3,  ///< the largest bound found with which 20 log10((max - min) / rmse) >= value, in dB
    lossless = 4,  ///< every value bit for bit, also integers; value is 0; by fixedlength or rans
  };
  Mode mode = Mode::r2r;
  double value = 1e-3;  ///< positive and finite; of psnr at most 1000, of lossless 0
  /// Whether nobody has chosen it. Such a bound holds for floating-point values; integers come back exactly. A bound with another
  /// mode or value has been chosen in any case. Comparisons do not look at it.
  bool is_default = true;

  static constexpr ErrorBound absolute(double value) { return {Mode::abs, value, false}; }
  static constexpr ErrorBound relative_to_range(double value) { return {Mode::r2r, value, false}; }
  static constexpr ErrorBound relative_to_value(double value) { return {Mode::pwr, value, false}; }
  static constexpr ErrorBound psnr(double decibels) { return {Mode::psnr, decibels, false}; }
  static constexpr ErrorBound lossless() { return {Mode::lossless, 0, false}; }
  /// Whether somebody has chosen it.
  constexpr bool is_chosen() const { return !is_default || *this != ErrorBound{}; }
  /// Whether it takes max - min of the field, or Options::range.
  KOKKOS_INLINE_FUNCTION constexpr bool needs_range() const {
    return mode == Mode::r2r || mode == Mode::psnr;
  }
  friend constexpr bool operator==(ErrorBound const& a, ErrorBound const& b) {
    return a.mode == b.mode && a.value == b.value;
  }
};

inline constexpr int bound_mode_count = 5;

/// Compression method. The numbers are part of the format.
enum class Pipeline : std::uint8_t {
  automatic = 0,    ///< pipeline_of() tells which one this is
  huffman = 1,      ///< prefix codes of a codebook; cuSZ, Tian et al., PACT 2020
  bitshuffle = 2,   ///< bit planes of 16-bit codes without zeros; FZ-GPU, Zhang et al., HPDC 2023
  fixedlength = 3,  ///< bit planes of blocks of 32 values; cuSZp2, Huang et al., SC 2024
  rans = 4,         ///< a code of its own for each value, by its neighbours: the smallest streams
};

/// Variant of the coding of a pipeline. For bitshuffle it is the form of the records; fixedlength stores it, but does not
/// need it to decode. The numbers are part of the format.
enum class Variant : std::uint8_t {
  plain = 0,      ///< fixedlength: one width for a whole block of 32 values
  outlier = 1,    ///< fixedlength: the first value of every block keeps its high bits apart
  automatic = 2,  ///< fixedlength: the smaller one for each tile; bitshuffle: nested; huffman: the
                  ///< dictionary, unless a custom codebook saves 2 % and its own size
  fz = 3,         ///< bitshuffle as FZ-GPU: sign and magnitude, zero blocks of 16 bytes
  nested = 4,     ///< bitshuffle: zig-zags, zero bytes, three levels of flags
  deep = nested,  ///< its older name
  custom = 5,     ///< huffman: a codebook made for the field
  dictionary =
      6,  ///< huffman: a codebook out of 25^3 that are known beforehand; only with radius 512
};
inline constexpr int variant_count = 7;

/// Source of the prediction of a value. A choice is made once for a field, by the exact size of a deterministic sample,
/// and stored.
enum class Predictor : std::uint8_t {
  automatic = 0,  ///< chain or tile, whichever makes the smaller stream
  chain = 1,      ///< the previous value in memory, in chains of 1024
  tile = 2,       ///< Lorenzo in tiles of 32 x 32 (rank 2 and 3) or 8 x 8 x 16 (rank 3)
  interpolate =
      3,  ///< reconstructed values on both sides, from coarse to fine: for smooth fields; by bitshuffle (nested),
          ///< huffman and rans, under all bounds but lossless
};

/// Fill values: numbers for "no value here", such as 1e20 over land or NaN outside the radar's view. All of them come back
/// bit for bit and are not part of the range of an r2r bound or a PSNR. One is masked: its places cost about a bit where
/// they are mixed with values, and nothing elsewhere. Others are stored as they are.
struct FillValue {
  enum class Mode : std::uint8_t {
    none = 0,  ///< every value counts
    automatic =
        1,  ///< looked for in a deterministic sample: NaN, or the lowest or highest value if it is further from the
    ///< rest than the rest is wide and occurs at least twice. Of what it finds and what `others` declare
    ///< the most frequent is masked
    value = 2,  ///< as given
  };
  static constexpr int max_others = 7;

  Mode mode = Mode::automatic;
  /// Rounded to the type of the field; NaN: the one that a sample of the field has, whatever its bits, else the quiet NaN
  /// without a payload.
  double value = 0;
  /// Declared besides, the first so many; rounded to the type of the field.
  std::array<double, max_others> others{};
  int others_count = 0;

  static constexpr FillValue none() { return {Mode::none, 0}; }
  static constexpr FillValue automatic() { return {Mode::automatic, 0}; }
  static constexpr FillValue of(double value) { return {Mode::value, value}; }
  /// These values and one more declared value, unless it is known already.
  /// \throws Error bad_argument for more than max_others
  FillValue with(double other) const;
  bool declares(double other) const;
  /// The fill values for the parts of a field: `masked`, if there is one, and the declared ones. Parts look for no
  /// fill value.
  FillValue settled(std::optional<double> masked) const;
  friend bool operator==(FillValue const&, FillValue const&) = default;
};

/// Natural limits of a field's values: a fraction in [0, 1], precipitation of at least 0, `valid_range` of a file. Values
/// inside come back inside, which only lessens errors. A value outside comes back within the bound: as the limit if this
/// is within the bound, else bit for bit if its bin would be moved. Lossless streams do not need limits.
struct Limits {
  static constexpr double unlimited = std::numeric_limits<double>::infinity();
  double lower = -unlimited;  ///< no NaN; rounded up to the type of the field
  double upper = unlimited;   ///< at least lower; rounded down

  KOKKOS_INLINE_FUNCTION constexpr bool any() const {
    return lower > -unlimited || upper < unlimited;
  }
  friend bool operator==(Limits const&, Limits const&) = default;
};

struct Options {
  /// By default 1e-3 of the range for floating-point values, and none for integers, which may be labels.
  ErrorBound bound{};
  Pipeline pipeline = Pipeline::fixedlength;
  Variant variant = Variant::automatic;
  Predictor predictor = Predictor::automatic;
  bool checksum =
      true;  ///< 32 bits for every chunk of 4096 values, of 32768 with interpolation, verified by decompress
  int radius = 512;  ///< huffman: residuals below it have a symbol; a power of two, 32 to 32768
  /// Replacement for max - min of the field, for a bound relative to the range and a PSNR; positive and finite. With
  /// it the parts of one field, such as the parts of MPI ranks, get the same bound, and no pass looks for the range.
  /// 0: max - min of the field.
  double range = 0;
  FillValue fill{};  ///< by default looked for
  Limits limits{};   ///< by default none; a compression with some waits for the device
  /// Number of the index that is coded as if it ran fastest, an entry of the extents: values are predicted along it first of
  /// all. Another one than the fastest in memory takes a copy of the field, here and in decompress. -1: the fastest in
  /// memory, unless choose() for the smallest stream finds a better one.
  int axis = -1;
  /// Numbers of the indices that are coded second and third, of fields of four indices and more: these three are predicted along, and
  /// all slower ones are joined to the third. -1: the next one in memory that is not named.
  int second_axis = -1, third_axis = -1;
  /// Numbers that nearly all values are made of, such as multiples of a hundredth; for floating-point values without loss, within an
  /// absolute bound or one by the range. By default choose() looks for them in a sample.
  ValueSteps steps{};
  /// Largest magnitude of the field's finite values without fill values, where their range is given; 0: not known. Bins of a tight
  /// bound, absolute or relative to the range, are then a little narrower, so that numbers of the type do not lie between what two of
  /// them come back as. options_for_parts() sets it.
  double magnitude = 0;
  /// Whether the bytes of chunks are coded once more, without loss, where they take at most half of the field and that
  /// makes the stream smaller: often by a sixth. A compression packs as it is finished; a decompression waits for the
  /// header. choose() for the smallest stream sets it.
  bool pack = false;
  /// Goal for which choose() sets pipeline, variant and predictor, which are then automatic; AnyCodec, C and the programs call it
  /// by themselves. The templates of compress.hpp refuse it: they do not look at a field twice unasked.
  std::optional<Goal> goal{};
};

/// The pipeline that compresses: the named one; for `automatic` the only one with this variant or bound, else bitshuffle.
Pipeline pipeline_of(Options const& options) noexcept;

/// All pipelines, from the fastest on.
std::span<Pipeline const> pipelines() noexcept;
/// The variants of a pipeline, `automatic` first.
std::span<Variant const> variants_of(Pipeline pipeline) noexcept;
/// Whether a pipeline has a variant.
bool has_variant(Pipeline pipeline, Variant variant) noexcept;
/// Whether a number belongs to an enumeration, for interfaces that pass on numbers.
bool is_known(ErrorBound::Mode mode) noexcept;
bool is_known(Pipeline pipeline) noexcept;  ///< also of `automatic`
bool is_known(Variant variant) noexcept;
bool is_known(Predictor predictor) noexcept;
bool is_known(Goal goal) noexcept;
bool is_known(ValueSteps::Kind kind) noexcept;

/// The enumerator that a number from outside stands for, if there is one.
template <class Enum>
std::optional<Enum> enumerator_of(std::int64_t number) noexcept {
  auto const value = static_cast<Enum>(number);
  if (static_cast<std::int64_t>(value) != number || !is_known(value)) return std::nullopt;
  return value;
}

/// The bound that each part of complex numbers keeps, so that the magnitude of their difference keeps `bound`: of an absolute one, or one
/// relative to the range of all parts, at most 1 / sqrt(2); any other one as it is.
ErrorBound bound_of_parts(ErrorBound const& bound);

namespace impl {

/// Resolved bound in numbers: relative to each value and lossless as they were stated, any other
/// absolute.
KOKKOS_INLINE_FUNCTION constexpr ErrorBound resolved_bound(ErrorBound::Mode mode, double value) {
  bool const is_absolute = mode != ErrorBound::Mode::pwr && mode != ErrorBound::Mode::lossless;
  return {is_absolute ? ErrorBound::Mode::abs : mode, value};
}

/// Properties that decide which kernels decode a stream.
struct StreamCoding {
  Pipeline pipeline = Pipeline::fixedlength;
  Variant variant = Variant::automatic;
  PredictionMethod method = PredictionMethod::lorenzo;

  friend constexpr bool operator==(StreamCoding const&, StreamCoding const&) = default;
};

}  // namespace impl

/// Throws Error bad_argument, naming the value, unless `options` can be used.
void validate(Options const& options);

char const* to_string(ErrorBound::Mode mode) noexcept;
char const* to_string(Pipeline pipeline) noexcept;
char const* to_string(Variant variant) noexcept;
char const* to_string(Predictor predictor) noexcept;

/// Read the words of to_string; aliases ("cusz", "cuszp2", "fz-gpu", "fz-omp") are accepted.
/// \throws Error bad_argument with the word and the known words
ErrorBound::Mode parse_mode(std::string_view word);
Pipeline parse_pipeline(std::string_view word);
Variant parse_variant(std::string_view word);
Predictor parse_predictor(std::string_view word);
/// "none", "auto" or a number ("nan" is one).
FillValue parse_fill(std::string_view word);

}  // namespace kompakt

#endif
