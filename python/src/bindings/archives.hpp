#ifndef KOMPAKT_PYTHON_ARCHIVES_HPP
#define KOMPAKT_PYTHON_ARCHIVES_HPP

#include <nanobind/nanobind.h>

namespace kompakt::python {

/// ArchiveReader and ArchiveWriter, over those of the C interface. Any threads may call them.
void define_archives(nanobind::module_& module);

}  // namespace kompakt::python

#endif
