#ifndef KOMPAKT_PYTHON_CODEC_HPP
#define KOMPAKT_PYTHON_CODEC_HPP

#include "arrays.hpp"
#include "engine.hpp"
#include <nanobind/nanobind.h>
#include <vector>

namespace kompakt::python {

/// compress(), decompress() and what is asked of streams.
void define_codec(nb::module_& module);

/// What the headers of a stream say, for kompakt.Info.
nb::dict dict_of(kompakt_info const& info);

/// Where a call is to work, out of its arguments.
/// \param is_on_device  whether one of its arrays lies there
ExecTarget exec_target_of(int threads, kompakt_space space, std::uintptr_t stream,
                          bool is_on_device);

/// A box: as many numbers as the field has dimensions, twice.
struct BoxArgument {
  BoxArgument(nb::sequence const& from, nb::sequence const& to, int rank);
  /// Of a field, in its order.
  kompakt_field field_of(kompakt_info const& info) const;

  std::vector<std::uint64_t> begin, end;
};

/// The array of a result: that of the caller, or a new one of NumPy.
class Target {
 public:
  /// \param out     the caller's, or None
  /// \param wanted  its type, extents and, of a new one, order
  Target(nb::handle out, kompakt_field const& wanted);

  Array const& array() const { return m_array; }
  nb::object take() { return std::move(m_object); }

 private:
  nb::object m_object;
  Array m_array;
};

/// Raises KeyboardInterrupt, or whatever else the handler of a signal that has come raises. Needs the GIL.
inline void raise_interrupts() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

/// Runs work without the GIL. An interrupt that came meanwhile is raised behind it.
template <class Work>
void without_gil(Work const& work) {
  {
    nb::gil_scoped_release const released;
    work();
  }
  raise_interrupts();
}

}  // namespace kompakt::python

#endif
