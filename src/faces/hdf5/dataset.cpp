#include "dataset.hpp"
#include <cstring>
#include <kompakt/byte_order.hpp>
#include <span>

namespace kompakt::hdf5 {

namespace {

/// What IEEE 754 says of a float's bits: where sign, exponent and mantissa lie, and the exponent's bias.
struct FloatLayout {
  std::size_t sign, exponent, exponent_bits, mantissa, mantissa_bits, bias;
  friend bool operator==(FloatLayout const&, FloatLayout const&) = default;
};
constexpr FloatLayout ieee_f32{31, 23, 8, 0, 23, 127};
constexpr FloatLayout ieee_f64{63, 52, 11, 0, 52, 1023};
constexpr FloatLayout ieee_f16{15, 10, 5, 0, 10, 15}, bfloat16{15, 7, 8, 0, 7, 127};

FloatLayout layout_of(Functions const& hdf5, Id type) {
  FloatLayout f{};
  hdf5.H5Tget_fields(type, &f.sign, &f.exponent, &f.exponent_bits, &f.mantissa, &f.mantissa_bits);
  f.bias = hdf5.H5Tget_ebias(type);
  return f;
}

Dtype integer_of(std::size_t bytes, bool is_signed_type) {
  switch (bytes) {
    case 1: return is_signed_type ? Dtype::i8 : Dtype::u8;
    case 2: return is_signed_type ? Dtype::i16 : Dtype::u16;
    case 4: return is_signed_type ? Dtype::i32 : Dtype::u32;
    default: return is_signed_type ? Dtype::i64 : Dtype::u64;
  }
}

[[noreturn]] void refuse_type(std::string const& what) {
  refuse("the dataset has " + what +
         "; this filter takes floats of 16 to 64 bits, complex numbers of two floats, and integers "
         "and enumerations of 8 to 64 bits");
}

char const* name_of(TypeClass which) {
  switch (which) {
    case TypeClass::string: return "strings";
    case TypeClass::compound: return "values of a compound type";
    default: return "values that are not plain numbers";
  }
}

ValueType value_type_of(Functions const& hdf5, Id type);

/// Complex numbers, as which many programs know two members of the same floating-point type without gaps.
std::optional<ValueType> complex_of(Functions const& hdf5, Id type) {
  if (hdf5.H5Tget_nmembers(type) != 2) return {};
  std::size_t const bytes = hdf5.H5Tget_size(type);
  std::optional<ValueType> parts[2];
  for (unsigned i = 0; i < 2; ++i) {
    if (hdf5.H5Tget_member_offset(type, i) != i * bytes / 2) return {};
    Id const member = hdf5.H5Tget_member_type(type, i);
    bool const is_float =
        static_cast<TypeClass>(hdf5.H5Tget_class(member)) == TypeClass::floating_point;
    std::size_t const size = hdf5.H5Tget_size(member);
    if (is_float && 2 * size == bytes && size >= 4) parts[i] = value_type_of(hdf5, member);
    hdf5.H5Tclose(member);
  }
  if (!parts[0] || !parts[1] || parts[0]->is_big_endian != parts[1]->is_big_endian) return {};
  return ValueType{parts[0]->dtype == Dtype::f32 ? Dtype::c64 : Dtype::c128,
                   parts[0]->is_big_endian};
}

Dtype float_of(Functions const& hdf5, Id type, std::size_t bytes) {
  FloatLayout const layout = layout_of(hdf5, type);
  if (bytes == 4 && layout == ieee_f32) return Dtype::f32;
  if (bytes == 8 && layout == ieee_f64) return Dtype::f64;
  if (bytes == 2 && layout == ieee_f16) return Dtype::f16;
  if (bytes == 2 && layout == bfloat16) return Dtype::bf16;
  refuse_type("floating-point values of " + std::to_string(8 * bytes) +
              " bits that are neither IEEE 754 nor bfloat16");
}

/// \param type  of integers, or of an enumeration, of which HDF5 says what it says of its integers
Dtype integer_of(Functions const& hdf5, Id type, std::size_t bytes) {
  bool const known = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  if (!known || hdf5.H5Tget_precision(type) != 8 * bytes) {
    refuse_type("integers of " + std::to_string(hdf5.H5Tget_precision(type)) + " bits in " +
                std::to_string(8 * bytes) + " bits");
  }
  return integer_of(bytes, hdf5.H5Tget_sign(type) == is_signed);
}

ValueType value_type_of(Functions const& hdf5, Id type) {
  auto const which = static_cast<TypeClass>(hdf5.H5Tget_class(type));
  if (which == TypeClass::compound) {
    if (auto const found = complex_of(hdf5, type)) return *found;
  }
  bool const is_float = which == TypeClass::floating_point;
  bool const is_enumeration = which == TypeClass::enumeration;
  if (which != TypeClass::integer && !is_float && !is_enumeration) refuse_type(name_of(which));
  std::size_t const bytes = hdf5.H5Tget_size(type);
  int const order = bytes > 1 ? hdf5.H5Tget_order(type) : little_endian;
  if (order != little_endian && order != big_endian) {
    refuse_type("values in an unusual byte order, of " + std::to_string(8 * bytes) + " bits");
  }
  return {is_float ? float_of(hdf5, type, bytes) : integer_of(hdf5, type, bytes),
          order == big_endian, is_enumeration};
}

/// The words as they are, complete or not.
DatasetFilter asked_of(Functions const& hdf5, Id dcpl) {
  DatasetFilter found;
  for (int i = 0; i < hdf5.H5Pget_nfilters(dcpl); ++i) {
    unsigned given[KOMPAKT_H5Z_MAX_WORDS + 1] = {};
    std::size_t count = std::size(given);
    char name[64] = "";
    int const id = hdf5.H5Pget_filter2(dcpl, static_cast<unsigned>(i), &found.flags, &count, given,
                                       sizeof name, name, nullptr);
    if (id != KOMPAKT_H5Z_FILTER_ID) {
      refuse("filter " + std::to_string(id) + " (" + name +
                 ") comes before it and would hide the values",
             "put the filter kompakt first");
    }
    found.words = words_of(std::span(given).first(std::min(count, std::size(given))));
    return found;
  }
  refuse("the dataset does not have this filter");
}

/// The fill value that somebody has set for the dataset.
std::optional<double> fill_of(Functions const& hdf5, Id dcpl, Id type, ValueType const& values) {
  int defined = 0;
  if (hdf5.H5Pfill_value_defined(dcpl, &defined) < 0 || defined != fill_is_set) return {};
  if (is_complex(values.dtype)) return {};
  return with_value_type(values.dtype, [&](auto value) {  // in the dataset's own type
    if (hdf5.H5Pget_fill_value(dcpl, type, &value) < 0) {
      refuse("the dataset's fill value is not readable");
    }
    if (values.is_big_endian) {
      swap_bytes(std::as_writable_bytes(std::span(&value, 1)), values.dtype);
    }
    return static_cast<double>(value);
  });
}

DatasetFilter found_in(Functions const& hdf5, Id dcpl, Id type, bool is_new) {
  DatasetFilter filter = asked_of(hdf5, dcpl);
  ValueType const values = value_type_of(hdf5, type);
  Size extents[max_dataset_rank];
  int const rank = hdf5.H5Pget_chunk(dcpl, max_dataset_rank, extents);
  if (rank < 1 || rank > max_dataset_rank)
    refuse("the dataset has no chunks", "create it with chunks");
  filter.words = completed(filter.words, values, {extents, static_cast<std::size_t>(rank)},
                           is_new ? fill_of(hdf5, dcpl, type, values) : std::nullopt);
  coding_of(filter.words);
  return filter;
}

}  // namespace

DatasetFilter filter_of(Functions const& hdf5, Id dcpl, Id type) {
  return found_in(hdf5, dcpl, type, false);
}
DatasetFilter filter_of_new(Functions const& hdf5, Id dcpl, Id type) {
  return found_in(hdf5, dcpl, type, true);
}

}  // namespace kompakt::hdf5
