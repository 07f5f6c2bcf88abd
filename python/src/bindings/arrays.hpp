#ifndef KOMPAKT_PYTHON_ARRAYS_HPP
#define KOMPAKT_PYTHON_ARRAYS_HPP

#include <cstddef>
#include <kompakt/kompakt.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <span>
#include <string>
#include <variant>

// Python's arrays as the C interface takes them: of the buffer protocol, of DLPack, and of __cuda_array_interface__.

namespace kompakt::python {

namespace nb = nanobind;

enum class Access { read, write };

/// A view of an object that lends its memory. Lives and dies with the GIL.
class Buffer {
 public:
  Buffer() = default;
  /// \throws TypeError for what has no buffer, ValueError for one that cannot be written if it shall be
  Buffer(nb::handle object, char const* name, Access access, int flags);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&&) = delete;

  Py_buffer const& view() const { return m_view; }

 private:
  Py_buffer m_view{};
};

/// "float32" and so on, as NumPy calls it.
char const* dtype_name(kompakt_dtype dtype);
std::size_t dtype_bytes(kompakt_dtype dtype);
/// Of all values of a field, without gaps.
std::size_t bytes_of(kompakt_field const& field);
/// "(2, 3)"
std::string text_of_shape(std::uint64_t const* extents, int rank);

/// Values of an array, in host memory or in that of the device.
class Array {
 public:
  /// Instead of the number of a device: the memory is the host's.
  static constexpr int host_device = -2;

  /// \param object  one with the buffer protocol, a capsule of DLPack, or (pointer, shape, strides or None, dtype,
  ///                read-only, device, -1 for any one, or host_device), strides in bytes; more may follow that owns the memory
  /// \param name    what messages call it
  Array(nb::handle object, char const* name, Access access);

  kompakt_field const& field() const { return m_field; }
  /// Takes the values as those of another type of the same size.
  void set_dtype(kompakt_dtype dtype) { m_field.dtype = dtype; }
  void* values() const { return m_values; }
  bool is_on_device() const { return m_field.memory == KOMPAKT_IN_SPACE; }
  std::size_t bytes() const { return bytes_of(m_field); }

 private:
  void take_buffer(char const* name);
  template <class NdArray>
  void take_dlpack(nb::handle capsule, char const* name);
  void take_layout(nb::tuple const& interface, char const* name, Access access);
  void require_steps(char const* name) const;
  void set_order();

  std::variant<Buffer, nb::ndarray<>, nb::ndarray<nb::ro>, nb::object> m_owner;
  kompakt_field m_field = kompakt_field_default();
  void* m_values = nullptr;
};

/// Bytes of a stream, side by side.
class Bytes {
 public:
  Bytes(nb::handle object, char const* name, Access access);

  std::byte* data() const { return m_data; }
  std::size_t size() const { return m_size; }
  kompakt_memory memory() const { return m_memory; }
  bool is_on_device() const { return m_memory == KOMPAKT_IN_SPACE; }
  std::span<std::byte const> span() const { return {m_data, m_size}; }

 private:
  std::variant<Buffer, Array> m_owner;
  std::byte* m_data;
  std::size_t m_size;
  kompakt_memory m_memory = KOMPAKT_HOST;
};

}  // namespace kompakt::python

#endif
