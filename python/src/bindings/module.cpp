#include "archives.hpp"
#include "codec.hpp"
#include "datasets.hpp"
#include "fetching.hpp"
#include <kompakt/h5z_id.h>
#include <kompakt/kompakt.h>
#include <kompakt/version.h>

// kompakt._core: what the package is written over. Names and arguments are those of kompakt, checked there.

namespace kompakt::python {

namespace {

// Python's class is made there, so that it has a docstring and attributes.
nb::object& error_class() {
  static nb::object& once = *new nb::object;
  return once;
}

nb::object class_of(Status status) {
  switch (status) {
    case Status::bad_argument:
    case Status::buffer_too_small:
    case Status::type_mismatch: return nb::borrow(PyExc_ValueError);
    default: return error_class();
  }
}

void set_python_error(Error const& error) {
  nb::object const type = class_of(error.status());
  nb::object const made = type(error.what());
  made.attr("status") = to_string(error.status());
  made.attr("where") = std::string(error.where());
  made.attr("advice") = std::string(error.advice());
  PyErr_SetObject(type.ptr(), made.ptr());
}

// The library may have been compiled for more than this file, which every processor of the kind can run.
void require_processor() {
#ifdef KOMPAKT_PYTHON_NEEDS_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
      __builtin_cpu_supports("fma")) {
    return;
  }
  throw nb::import_error(
      "kompakt was built for processors with AVX2, which this one lacks; build it here: pip "
      "install "
      "./python --config-settings=cmake.define.KOMPAKT_ARCH=native");
#endif
}

}  // namespace

NB_MODULE(_core, module) {
  require_processor();
  nb::register_exception_translator([](std::exception_ptr const& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (Error const& error) {
      set_python_error(error);
    }
  });
  module.def("set_error_class", [](nb::object type) { error_class() = std::move(type); });
  module.attr("version") = KOMPAKT_VERSION_STRING;
  module.attr("hdf5_filter_id") = KOMPAKT_H5Z_FILTER_ID;
  module.attr("git_commit") = kompakt_git_commit();
  module.def("has_space", [](kompakt_space space) { return kompakt_has_space(space) != 0; });
  define_codec(module);
  define_archives(module);
  define_fetching(module);
  define_datasets(module);
}

}  // namespace kompakt::python
