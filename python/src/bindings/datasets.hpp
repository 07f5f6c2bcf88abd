#ifndef KOMPAKT_PYTHON_DATASETS_HPP
#define KOMPAKT_PYTHON_DATASETS_HPP

#include <nanobind/nanobind.h>

namespace kompakt::python {

namespace nb = nanobind;

/// Names and formats of files, and the roles of variables. Texts are bytes: a file's need not be UTF-8.
void define_datasets(nb::module_& module);

}  // namespace kompakt::python

#endif
