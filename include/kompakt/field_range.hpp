#ifndef KOMPAKT_FIELD_RANGE_HPP
#define KOMPAKT_FIELD_RANGE_HPP

#include <array>
#include <cstdint>
#include <kompakt/compress.hpp>
#include <kompakt/options.hpp>
#include <optional>

namespace kompakt {

/// Ends of a field's finite values without its fill values, and these if there are some.
struct FieldRange {
  bool any = false;              ///< whether there are such values
  double min = 0, max = 0;       ///< then
  std::optional<double> fill{};  ///< the masked one

  /// Values that nobody declared and that lie so far from all others that the range is 10^6 times theirs or more: fewer than
  /// one in 10^4, or one value or two that repeat.
  struct Outliers {
    std::uint64_t count;
    double value;     ///< the one that lies farthest
    double min, max;  ///< of the other values
  };
  std::optional<Outliers> outliers{};  ///< looked for unless fill values were not to be

  /// Values that lie together. How often the ends occur is at least what is said.
  struct Cluster {
    std::uint64_t count = 0;
    double min = 0, max = 0;  ///< if there are values
    std::uint64_t at_min = 0, at_max = 0;
  };
  /// The values of a part of a field as joined() needs them: most of them, and what lies far from these. Where nothing does, or
  /// no values lie together, all are near; masked ones may count among them.
  struct Crowd {
    Cluster near{}, far{};
    /// Whether those that are far are so few, or so alike, that nobody would call them a part of the field: fewer than one in
    /// 10^4, or one value or two where one repeats.
    bool has_outliers() const;
    /// Whether those that are far are one value or two.
    bool are_far_alike() const { return far.at_min + far.at_max >= far.count; }
  };
  Crowd crowd{};

  /// Fill values besides `fill`, where several were looked for.
  std::array<double, FillValue::max_others> other_fills{};
  int other_fill_count = 0;
  /// Adds a fill value, as the masked one if there is none yet; nothing if it is known or one too many.
  void add_fill(double value);
  /// The fill values for the parts of the field: those found and those declared. Parts look for no fill value.
  FillValue fills(FillValue const& declared) const;

  /// max - min, rounded down, which is what a bound is relative to; infinite if the ends are too far apart, 0 if there
  /// are no values.
  double width() const;
  /// The absolute bound that one of `relative` times the range becomes: their product, rounded down.
  double bound(double relative) const;
};

/// The range of a field of two parts. Its outliers are outliers of the whole field; one part may have too many of them to call
/// them so.
FieldRange joined(FieldRange const& a, FieldRange const& b);
/// Checks the range that a bound relative to the range, or a PSNR, uses.
/// \throws Error bad_argument if outliers make it, naming one of them, how many there are, and what to say; not where all others
/// are 0, which come back as they are
void require_range_of_values(FieldRange const& range);

/// Options of the parts of a field, so that each part keeps the bound that the whole field has: the fill value is the one found,
/// and Options::range is the width, which r2r bounds and PSNRs of all parts go by. Where max - min overflows, the bound becomes
/// the absolute one that it comes to. Where all values are the same, it stays: each part comes back exactly. A range that the
/// options give counts more than the one found.
/// \param found  range of the whole field; an end of it that repeats and lies apart is its fill value, where one is looked for
Options options_for_parts(FieldRange const& found, Options options);
/// Options as of options_for_parts() with an absolute bound instead of a range. They suit formats without a range, such as the
/// words of the HDF5 filter. A PSNR becomes the bound that no error can spoil it with, (max - min) / 10^(dB / 20); where all values are
/// the same, parts are lossless.
Options absolute_options_for_parts(FieldRange const& found, Options options);
/// Options of integers, which are without loss where the range reaches 2^53: such integers of 64 bits are no numbers of f64.
/// \param range  of the whole field, with all values
Options exact_if_too_large(FieldRange const& range, Options const& options);
/// Options with an absolute bound, such as StreamInfo::abs_bound of the whole; lossless where it is 0.
Options with_absolute_bound(Options options, double bound);

/// The bound for values of a type: without loss for integers where nobody has chosen one.
ErrorBound bound_for_type(Dtype dtype, ErrorBound const& bound);
/// Options for values of a type, with the bound of bound_for_type(). A pipeline that cannot do without loss, a variant, a predictor and fill
/// values then go. Every call that is given a field does this.
Options options_for_type(Dtype dtype, Options const& options);

namespace impl {
/// options_for_type() of options that can be used.
/// \throws Error bad_argument as validate()
Options valid_options_for_type(Dtype dtype, Options const& options);
/// Options of integers without loss, by any method, without fill values.
Options exact_integers(Options const& options);
/// Refuses a range that leaves out only one of several fill values.
/// \throws Error bad_argument, naming them
[[noreturn]] void refuse_further_fills(FieldRange const& range);

/// \param count     of the values of a field that are outliers
/// \param min, max  of all others
FieldRange::Outliers outliers_among(FieldRange const& range, std::uint64_t count, double min,
                                    double max);

template <class Exec>
FieldRange field_range(Exec const& exec, FieldSource const& field, FillValue const& fill,
                       Workspace<Exec>& workspace);
}  // namespace impl

/// The range that a bound relative to it is resolved with, for fields whose parts are compressed apart:
/// width() of all parts' ends is their Options::range, and what one of them finds their Options::fill.
/// \param field  as in compress()
/// \param fill   as in Options
/// \note returns after completion; reads the field once, and once more for each fill value that is found and makes the range
template <class Exec, FieldLike F>
FieldRange field_range(Exec const& exec, F const& field, FillValue const& fill,
                       Workspace<Exec>& workspace) {
  return impl::field_range(exec, impl::source_of<Exec>(field), fill, workspace);
}

}  // namespace kompakt

#endif
