#ifndef KOMPAKT_FIELD_RANGE_HPP
#define KOMPAKT_FIELD_RANGE_HPP

#include <kompakt/compress.hpp>
#include <kompakt/options.hpp>
#include <optional>

namespace kompakt {

/// Ends of a field's finite values without its fill value, and that value if there is one.
struct FieldRange {
  bool any = false;         ///< whether there are such values
  double min = 0, max = 0;  ///< then
  std::optional<double> fill;

  /// max - min, rounded down, which is what a bound is relative to; infinite if the ends are too far apart, 0 if there
  /// are no values.
  double width() const;
  /// The absolute bound that one of `relative` times the range becomes: their product, rounded down.
  double bound(double relative) const;
};

namespace impl {
template <class Exec>
FieldRange field_range(Exec const& exec, FieldSource const& field, FillValue const& fill,
                       Workspace<Exec>& workspace);
}  // namespace impl

/// The range that a bound relative to it is resolved with, for fields whose parts are compressed apart:
/// width() of all parts' ends is their Options::range, and what one of them finds their Options::fill.
/// \param field  as that of compress()
/// \param fill   as in Options
/// \note returns after completion; reads the field once, and a sample of it once more if the fill value is sought
template <class Exec, FieldLike F>
FieldRange field_range(Exec const& exec, F const& field, FillValue const& fill,
                       Workspace<Exec>& workspace) {
  return impl::field_range(exec, impl::source_of<Exec>(field), fill, workspace);
}

}  // namespace kompakt

#endif
