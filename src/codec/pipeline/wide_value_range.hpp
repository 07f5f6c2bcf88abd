#ifndef KOMPAKT_PIPELINE_WIDE_VALUE_RANGE_HPP
#define KOMPAKT_PIPELINE_WIDE_VALUE_RANGE_HPP

#include <pipeline/value_range.hpp>

// Included only by the units that cmake/KompaktInstantiate.cmake makes for wide vectors. Reading a field for its range takes up
// to a fifth of a compression.

namespace kompakt::impl {

template <class Tag, class Exec, class T>
void WideValueRange<Tag, Exec, T>::find(Exec const& exec, EncodeArgs<T> const& args,
                                        bool is_again) {
  value_range(exec, args, is_again);
}

}  // namespace kompakt::impl

/// For an execution space; inside namespace kompakt::impl.
#define KOMPAKT_INSTANTIATE_WIDE_VALUE_RANGE(EXEC)                    \
  template struct WideValueRange<wide_tag<generic_tag>, EXEC, float>; \
  template struct WideValueRange<wide_tag<generic_tag>, EXEC, double>;

#endif
