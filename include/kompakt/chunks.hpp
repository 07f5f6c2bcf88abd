#ifndef KOMPAKT_CHUNKS_HPP
#define KOMPAKT_CHUNKS_HPP

#include <kompakt/field_range.hpp>
#include <kompakt/options.hpp>

namespace kompakt {

/// Options of the chunks of a field for formats without a range: as of absolute_options_for_parts(), but for a PSNR with the largest
/// bound that the whole field bears. An interpolated field bears no more than absolute_options_for_parts() gives, so nothing is
/// compressed to find out.
/// \param range           of the whole field
/// \param options         of the whole field
/// \param bound_of_whole  bound_of_whole(options): StreamInfo::abs_bound of the whole field compressed with these options, or 0
///                        where it cannot be compressed as a whole
template <class BoundOfWhole>
Options options_for_chunks(FieldRange const& range, Options const& options,
                           BoundOfWhole const& bound_of_whole) {
  bool const may_bear_more = options.predictor != Predictor::interpolate && range.width() > 0;
  if (options.bound.mode == ErrorBound::Mode::psnr && may_bear_more) {
    Options const whole = options_for_parts(range, options);
    double const bound = bound_of_whole(whole);
    if (bound > 0) return with_absolute_bound(whole, bound);
  }
  return absolute_options_for_parts(range, options);
}

/// Options for a format that keeps no range, radius, order of indices, steps and goal, such as the words of the HDF5 filter: with an
/// absolute bound instead of one by a range that is given.
/// \throws Error bad_argument for one of the others
Options options_without_range(Options options);

}  // namespace kompakt

#endif
