#ifndef KOMPAKT_PYTHON_CODEC_HPP
#define KOMPAKT_PYTHON_CODEC_HPP

#include "arrays.hpp"
#include "engine.hpp"
#include <memory>
#include <nanobind/nanobind.h>
#include <span>
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

/// A function of Python's, read(position, count), that fetches bytes. Copies share one reference, and are made and go with the
/// GIL or without.
class Fetcher {
 public:
  Fetcher() = default;
  explicit Fetcher(nb::callable const& read);

  /// What Python's collector of cycles is shown.
  PyObject* object() const { return m_read ? m_read->ptr() : nullptr; }
  /// What the function raises is thrown.
  void operator()(std::uint64_t position, std::span<std::byte> destination) const;

 private:
  std::shared_ptr<nb::callable const> m_read;
};

/// Lets Python collect a reader whose Fetcher knows whoever holds the reader, such as a function of the same module.
template <class Reader>
struct Collected {
  static int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<Reader>(self)->fetcher().object());
    return 0;
  }
  static int clear(PyObject* self) {
    if (nb::inst_ready(self)) nb::inst_ptr<Reader>(self)->clear();
    return 0;
  }

  static inline PyType_Slot slots[]{{Py_tp_traverse, reinterpret_cast<void*>(&traverse)},
                                    {Py_tp_clear, reinterpret_cast<void*>(&clear)},
                                    {0, nullptr}};
};

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
