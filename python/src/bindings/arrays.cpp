#include "arrays.hpp"
#include "engine.hpp"
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace kompakt::python {

namespace {

constexpr std::array<char const*, 14> dtype_names{
    "float32", "float64", "int8",   "uint8",   "int16",    "uint16",    "int32",
    "uint32",  "int64",   "uint64", "float16", "bfloat16", "complex64", "complex128"};
constexpr std::array<std::size_t, 14> dtype_sizes{4, 8, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 8, 16};
constexpr char const* known_dtypes =
    "floats of 16 to 64 bits, bfloat16, complex64, complex128 and integers of 8 to 64 bits are "
    "supported";

kompakt_dtype integer_of(bool is_signed, std::size_t bytes) {
  for (kompakt_dtype i = KOMPAKT_I8; i <= KOMPAKT_U64; ++i) {
    bool const i_is_signed = (i - KOMPAKT_I8) % 2 == 0;
    if (i_is_signed == is_signed && dtype_bytes(i) == bytes) return i;
  }
  return -1;
}

/// Of a format as the module struct has it; -1 for any other.
kompakt_dtype dtype_of_format(char const* format, std::size_t bytes) {
  if (format == nullptr) return KOMPAKT_U8;
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;  // of a machine that is little-endian
  if (*format == 'Z' && format[1] == 'f') return KOMPAKT_C64;
  if (*format == 'Z' && format[1] == 'd') return KOMPAKT_C128;
  if (*format != 0 && format[1] == 0) {
    if (*format == 'f') return KOMPAKT_F32;
    if (*format == 'd') return KOMPAKT_F64;
    if (*format == 'e') return KOMPAKT_F16;
    if (std::strchr("bhilqn", *format) != nullptr) return integer_of(true, bytes);
    if (std::strchr("cBHILQN", *format) != nullptr) return integer_of(false, bytes);
  }
  return -1;
}

kompakt_dtype dtype_of_dlpack(nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  std::size_t const bytes = type.bits / 8;
  if (type.lanes != 1) return -1;
  switch (static_cast<Code>(type.code)) {
    case Code::Float:
      return bytes == 2 ? KOMPAKT_F16 : bytes == 4 ? KOMPAKT_F32 : bytes == 8 ? KOMPAKT_F64 : -1;
    case Code::Bfloat: return bytes == 2 ? KOMPAKT_BF16 : -1;
    case Code::Complex: return bytes == 8 ? KOMPAKT_C64 : bytes == 16 ? KOMPAKT_C128 : -1;
    case Code::Int: return integer_of(true, bytes);
    case Code::UInt: return integer_of(false, bytes);
    default: return -1;
  }
}

[[noreturn]] void refuse_type(char const* name, std::string const& found) {
  throw nb::type_error(
      (std::string(name) + " has values of " + found + "; " + known_dtypes).c_str());
}

[[noreturn]] void refuse_value(std::string const& message) {
  throw nb::value_error(message.c_str());
}

void set_rank(kompakt_field& field, char const* name, std::int64_t rank) {
  if (rank < 1 || rank > KOMPAKT_MAX_RANK) {
    refuse_value(std::string(name) + " has " + std::to_string(rank) +
                 " dimensions; 1 to 8 are supported: reshape it");
  }
  field.rank = static_cast<std::int32_t>(rank);
}

/// \param dtype  as NumPy calls it
kompakt_dtype parse_dtype(char const* name, std::string_view dtype) {
  auto const found = std::find(dtype_names.begin(), dtype_names.end(), dtype);
  if (found == dtype_names.end()) refuse_type(name, std::string(dtype));
  return static_cast<kompakt_dtype>(found - dtype_names.begin());
}

std::int64_t in_values(char const* name, std::int64_t stride, std::size_t value_bytes) {
  auto const bytes = static_cast<std::int64_t>(value_bytes);
  if (stride % bytes != 0) {
    refuse_value(std::string(name) + " has a stride of " + std::to_string(stride) +
                 " bytes between values of " + std::to_string(bytes) + "; pass a copy");
  }
  return stride / bytes;
}

void require_device(char const* name, int device) {
  int const used = cuda_device();
  if (used < 0) {
    refuse_value(
        std::string(name) +
        " lies in the memory of a CUDA device, and this kompakt is built without CUDA; pass "
        "an array in host memory");
  }
  if (device != used) {
    refuse_value(std::string(name) + " lies on CUDA device " + std::to_string(device) +
                 ", but kompakt works on device " + std::to_string(used) + "; copy it there");
  }
}

}  // namespace

char const* dtype_name(kompakt_dtype dtype) { return dtype_names[static_cast<std::size_t>(dtype)]; }
std::size_t dtype_bytes(kompakt_dtype dtype) {
  return dtype_sizes[static_cast<std::size_t>(dtype)];
}
std::size_t bytes_of(kompakt_field const& field) {
  std::size_t bytes = dtype_bytes(field.dtype);
  for (int i = 0; i < field.rank; ++i) bytes *= field.extents[i];
  return bytes;
}
std::string text_of_shape(std::uint64_t const* extents, int rank) {
  std::string text = "(";
  for (int i = 0; i < rank; ++i) text += (i == 0 ? "" : ", ") + std::to_string(extents[i]);
  return text + (rank == 1 ? ",)" : ")");
}

Buffer::Buffer(nb::handle object, char const* name, Access access, int flags) {
  if (access == Access::write) flags |= PyBUF_WRITABLE;
  if (PyObject_GetBuffer(object.ptr(), &m_view, flags) == 0) return;
  nb::python_error const why;
  std::string const text = nb::cast<std::string>(nb::str(why.value()));
  std::string const message = std::string(name) + ": " + text;
  if (PyObject_CheckBuffer(object.ptr()) == 0) {
    throw nb::type_error((std::string(name) + " is of type " +
                          nb::cast<std::string>(nb::str(object.type().attr("__name__"))) +
                          ", which has no buffer; pass an array or bytes")
                             .c_str());
  }
  throw nb::value_error(message.c_str());
}
Buffer::~Buffer() {
  if (m_view.obj != nullptr) PyBuffer_Release(&m_view);
}
Buffer::Buffer(Buffer&& other) noexcept : m_view(std::exchange(other.m_view, Py_buffer{})) {}

Array::Array(nb::handle object, char const* name, Access access) {
  if (PyCapsule_CheckExact(object.ptr())) {
    if (access == Access::write) {
      take_dlpack<nb::ndarray<>>(object, name);
    } else {
      take_dlpack<nb::ndarray<nb::ro>>(object, name);
    }
  } else if (PyTuple_CheckExact(object.ptr())) {
    take_layout(nb::borrow<nb::tuple>(object), name, access);
  } else {
    m_owner.emplace<Buffer>(object, name, access, PyBUF_FORMAT | PyBUF_STRIDES);
    take_buffer(name);
  }
  require_steps(name);
  set_order();
}

void Array::take_buffer(char const* name) {
  Py_buffer const& view = std::get<Buffer>(m_owner).view();
  auto const size = static_cast<std::size_t>(view.itemsize);
  m_field.dtype = dtype_of_format(view.format, size);
  if (m_field.dtype < 0) refuse_type(name, std::string("format '") + view.format + "'");
  set_rank(m_field, name, view.ndim);
  for (int i = 0; i < view.ndim; ++i) {
    m_field.extents[i] = static_cast<std::uint64_t>(view.shape[i]);
    m_field.strides[i] = in_values(name, view.strides[i], size);
  }
  m_values = view.buf;
  bool const is_complex = m_field.dtype == KOMPAKT_C64 || m_field.dtype == KOMPAKT_C128;
  if (reinterpret_cast<std::uintptr_t>(m_values) % (is_complex ? size / 2 : size) != 0) {
    refuse_value(std::string(name) + " is not aligned to its values; pass a copy");
  }
}

template <class NdArray>
void Array::take_dlpack(nb::handle capsule, char const* name) {
  NdArray array;
  if (!nb::try_cast(capsule, array)) {
    refuse_value(std::string(name) +
                 ": its capsule of DLPack is read-only, or has been used; pass " +
                 "an array that can be written");
  }
  m_field.dtype = dtype_of_dlpack(array.dtype());
  if (m_field.dtype < 0) {
    refuse_type(name, "DLPack's type code " + std::to_string(array.dtype().code) + " with " +
                          std::to_string(array.dtype().bits) + " bits");
  }
  set_rank(m_field, name, static_cast<std::int64_t>(array.ndim()));
  for (int i = 0; i < m_field.rank; ++i) {
    auto const axis = static_cast<std::size_t>(i);
    m_field.extents[i] = array.shape(axis);
    m_field.strides[i] = array.stride(axis);
  }
  m_values = const_cast<void*>(static_cast<void const*>(array.data()));
  int const type = array.device_type();
  if (type != nb::device::cpu::value && type != nb::device::cuda_host::value) {
    require_device(name, type == nb::device::cuda::value ? array.device_id() : -1);
    m_field.memory = KOMPAKT_IN_SPACE;
  }
  m_owner = std::move(array);
}

void Array::take_layout(nb::tuple const& interface, char const* name, Access access) {
  auto const [pointer, shape, strides, dtype, read_only, device] =
      std::tuple(nb::cast<std::uintptr_t>(interface[0]), nb::cast<nb::tuple>(interface[1]),
                 nb::object(interface[2]), nb::cast<char const*>(interface[3]),
                 nb::cast<bool>(interface[4]), nb::cast<int>(interface[5]));
  if (read_only && access == Access::write) refuse_value(std::string(name) + " is read-only");
  bool const is_on_host = device == host_device;
  if (!is_on_host) require_device(name, device < 0 ? cuda_device() : device);
  m_field.dtype = parse_dtype(name, dtype);
  set_rank(m_field, name, static_cast<std::int64_t>(shape.size()));
  std::size_t const size = dtype_bytes(m_field.dtype);
  for (int i = 0; i < m_field.rank; ++i) {
    auto const axis = static_cast<std::size_t>(i);
    m_field.extents[i] = nb::cast<std::uint64_t>(shape[axis]);
    if (strides.is_none()) continue;
    m_field.strides[i] = in_values(name, nb::cast<std::int64_t>(strides[axis]), size);
  }
  m_values = reinterpret_cast<void*>(pointer);
  if (!is_on_host) m_field.memory = KOMPAKT_IN_SPACE;
  m_owner = nb::borrow<nb::object>(interface);
}

// Steps that are all 0 would mean values side by side.
void Array::require_steps(char const* name) const {
  bool const stands = std::all_of(m_field.strides, m_field.strides + m_field.rank,
                                  [](std::int64_t stride) { return stride == 0; });
  bool const is_tuple = std::holds_alternative<nb::object>(m_owner);
  if (!stands || is_tuple || bytes() <= dtype_bytes(m_field.dtype)) return;
  refuse_value(std::string(name) + " has strides of 0 along all dimensions; pass a copy");
}

// Fortran's order if no step is shorter than the one before it.
void Array::set_order() {
  std::int64_t before = 0;
  int counted = 0;
  for (int i = 0; i < m_field.rank; ++i) {
    if (m_field.extents[i] <= 1) continue;
    std::int64_t const step = std::abs(m_field.strides[i]);
    if (step < before || step == 0) return;
    before = step;
    ++counted;
  }
  if (counted > 1) m_field.order = KOMPAKT_FIRST_FASTEST;
}

Bytes::Bytes(nb::handle object, char const* name, Access access) {
  bool const lends = PyObject_CheckBuffer(object.ptr()) != 0;
  bool const is_array = PyCapsule_CheckExact(object.ptr()) || PyTuple_CheckExact(object.ptr());
  if (lends || !is_array) {
    Py_buffer const& view = m_owner.emplace<Buffer>(object, name, access, PyBUF_SIMPLE).view();
    m_data = static_cast<std::byte*>(view.buf);
    m_size = static_cast<std::size_t>(view.len);
    return;
  }
  Array const& array = m_owner.emplace<Array>(object, name, access);
  kompakt_field const& field = array.field();
  bool const dense = field.rank == 1 && dtype_bytes(field.dtype) == 1 &&
                     (field.extents[0] <= 1 || field.strides[0] == 1 || field.strides[0] == 0);
  if (!dense)
    refuse_value(std::string(name) + " is not a row of bytes; pass uint8 of one dimension");
  m_data = static_cast<std::byte*>(array.values());
  m_size = array.bytes();
  m_memory = field.memory;
}

}  // namespace kompakt::python
