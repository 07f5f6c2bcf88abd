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

// A function of Python, which makes the exception for an error of the library.
nb::object& error_maker() {
  static nb::object& once = *new nb::object;
  return once;
}

void set_python_error(Error const& error) {
  auto const text = [](std::string_view part) { return nb::str(part.data(), part.size()); };
  nb::object const made = error_maker()(to_string(error.status()), text(error.where()),
                                        text(error.problem()), text(error.advice()));
  PyErr_SetObject(made.type().ptr(), made.ptr());
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
  module.def("set_error_maker", [](nb::object make) { error_maker() = std::move(make); });
  module.attr("version") = KOMPAKT_VERSION_STRING;
  module.attr("max_other_fills") = KOMPAKT_MAX_OTHER_FILLS;
  module.attr("hdf5_filter_id") = KOMPAKT_H5Z_FILTER_ID;
  module.attr("git_commit") = kompakt_git_commit();
  module.def("has_space", [](kompakt_space space) { return kompakt_has_space(space) != 0; });
  define_codec(module);
  define_archives(module);
  define_fetching(module);
  define_datasets(module);
}

}  // namespace kompakt::python
