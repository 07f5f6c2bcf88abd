#ifndef KOMPAKT_PYTHON_FETCHING_HPP
#define KOMPAKT_PYTHON_FETCHING_HPP

#include <nanobind/nanobind.h>

namespace kompakt::python {

/// RegionPlan and what is known of a stream from its first bytes: for who fetches bytes side by side. Any threads may
/// call them.
void define_fetching(nanobind::module_& module);

}  // namespace kompakt::python

#endif
