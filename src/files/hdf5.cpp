#include "hdf5.hpp"
#include "boxes.hpp"
#include "library.hpp"
#include <algorithm>
#include <hdf5.h>
#include <optional>
#include <string_view>
#include <utility>

namespace kompakt::files {

namespace {

#if H5_VERSION_GE(1, 12, 0)
using ObjectInfo = H5O_info2_t;
#else
using ObjectInfo = H5O_info_t;
#endif

/// Functions of libhdf5 under their names, and what its macros stand for.
class Hdf5 {
  Library m_library{KOMPAKT_HDF5_LIBRARY, "HDF5"};

 public:
#define KOMPAKT_FUNCTION(name) \
  decltype(::name)* const name = m_library.find<decltype(::name)>(#name)
  KOMPAKT_FUNCTION(H5open);
  KOMPAKT_FUNCTION(H5dont_atexit);
  KOMPAKT_FUNCTION(H5Eset_auto2);
  KOMPAKT_FUNCTION(H5Ewalk2);
  KOMPAKT_FUNCTION(H5free_memory);
  KOMPAKT_FUNCTION(H5Fopen);
  KOMPAKT_FUNCTION(H5Fcreate);
  KOMPAKT_FUNCTION(H5Fclose);
  KOMPAKT_FUNCTION(H5Dopen2);
  KOMPAKT_FUNCTION(H5Dcreate2);
  KOMPAKT_FUNCTION(H5Dclose);
  KOMPAKT_FUNCTION(H5Dget_type);
  KOMPAKT_FUNCTION(H5Dget_space);
  KOMPAKT_FUNCTION(H5Dget_create_plist);
  KOMPAKT_FUNCTION(H5Dread);
  KOMPAKT_FUNCTION(H5Dwrite);
  KOMPAKT_FUNCTION(H5Aiterate2);
  KOMPAKT_FUNCTION(H5Aopen);
  KOMPAKT_FUNCTION(H5Acreate2);
  KOMPAKT_FUNCTION(H5Aclose);
  KOMPAKT_FUNCTION(H5Aget_type);
  KOMPAKT_FUNCTION(H5Aget_space);
  KOMPAKT_FUNCTION(H5Aread);
  KOMPAKT_FUNCTION(H5Awrite);
  KOMPAKT_FUNCTION(H5Tget_class);
  KOMPAKT_FUNCTION(H5Tget_size);
  KOMPAKT_FUNCTION(H5Tget_precision);
  KOMPAKT_FUNCTION(H5Tget_sign);
  KOMPAKT_FUNCTION(H5Tequal);
  KOMPAKT_FUNCTION(H5Tcopy);
  KOMPAKT_FUNCTION(H5Tset_size);
  KOMPAKT_FUNCTION(H5Tset_cset);
  KOMPAKT_FUNCTION(H5Tset_strpad);
  KOMPAKT_FUNCTION(H5Tis_variable_str);
  KOMPAKT_FUNCTION(H5Tclose);
  KOMPAKT_FUNCTION(H5Screate);
  KOMPAKT_FUNCTION(H5Screate_simple);
  KOMPAKT_FUNCTION(H5Sclose);
  KOMPAKT_FUNCTION(H5Sget_simple_extent_type);
  KOMPAKT_FUNCTION(H5Sget_simple_extent_ndims);
  KOMPAKT_FUNCTION(H5Sget_simple_extent_dims);
  KOMPAKT_FUNCTION(H5Sget_simple_extent_npoints);
  KOMPAKT_FUNCTION(H5Sselect_hyperslab);
  KOMPAKT_FUNCTION(H5Pcreate);
  KOMPAKT_FUNCTION(H5Pclose);
  KOMPAKT_FUNCTION(H5Pset_create_intermediate_group);
  KOMPAKT_FUNCTION(H5Pfill_value_defined);
  KOMPAKT_FUNCTION(H5Pget_fill_value);
  KOMPAKT_FUNCTION(H5Pset_fill_value);
#if H5_VERSION_GE(1, 12, 0)
  KOMPAKT_FUNCTION(H5Ovisit3);
#else
  KOMPAKT_FUNCTION(H5Ovisit2);
#endif
#undef KOMPAKT_FUNCTION

  Hdf5() {
    H5dont_atexit();  // a file that could not be closed is not tried again, with messages, at the end
    H5open();
  }

  /// Calls `take` for all objects of a file.
  template <class Take>
  herr_t visit(hid_t file, Take const& take, void* to) const {
#if H5_VERSION_GE(1, 12, 0)
    return H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, take, to, H5O_INFO_BASIC);
#else
    return H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, take, to, H5O_INFO_BASIC);
#endif
  }

  /// "H5T_NATIVE_FLOAT" and its like.
  hid_t constant(std::string const& name) const {
    return *static_cast<hid_t const*>(m_library.symbol((name + "_g").c_str()));
  }
};

/// The library, silent: what goes wrong is in messages of the program's own.
Hdf5 const& hdf5() {
  static Hdf5 const functions;
  functions.H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  return functions;
}

// H5F_ACC_RDONLY and H5F_ACC_TRUNC, which as macros call functions of a library that is linked.
constexpr unsigned read_only = 0, replacing = 2;

/// What the library says went wrong, at the bottom of its calls.
std::string last_error() {
  std::string text = "unknown error";
  auto const take = [](unsigned number, H5E_error2_t const* error, void* to) -> herr_t {
    if (number == 0 && error->desc != nullptr) *static_cast<std::string*>(to) = error->desc;
    return 0;
  };
  hdf5().H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &text);
  // Of the system's errors it tells everything, up to the time of day.
  constexpr std::string_view of_system = "error message = '";
  std::size_t const begin = text.find(of_system);
  if (begin == std::string::npos) return text;
  text.erase(0, begin + of_system.size());
  return text.substr(0, text.find('\''));
}

/// Something of the library's that is closed at the end of the scope.
class Id {
 public:
  Id() = default;
  Id(hid_t id, herr_t (*closes)(hid_t)) : m_id(id), m_close(closes) {}
  ~Id() {
    if (m_id >= 0) m_close(m_id);
  }
  Id(Id&& other) noexcept : m_id(std::exchange(other.m_id, -1)), m_close(other.m_close) {}
  Id& operator=(Id&& other) noexcept {
    std::swap(m_id, other.m_id);
    std::swap(m_close, other.m_close);
    return *this;
  }

  hid_t get() const { return m_id; }
  /// Returns false if that failed.
  bool close() { return m_close(std::exchange(m_id, -1)) >= 0; }

 private:
  hid_t m_id = -1;
  herr_t (*m_close)(hid_t) = nullptr;
};

struct TypeName {
  Dtype dtype;
  char const* native;
};
constexpr TypeName types[] = {
    {Dtype::f32, "H5T_NATIVE_FLOAT"}, {Dtype::f64, "H5T_NATIVE_DOUBLE"},
    {Dtype::i8, "H5T_NATIVE_INT8"},   {Dtype::u8, "H5T_NATIVE_UINT8"},
    {Dtype::i16, "H5T_NATIVE_INT16"}, {Dtype::u16, "H5T_NATIVE_UINT16"},
    {Dtype::i32, "H5T_NATIVE_INT32"}, {Dtype::u32, "H5T_NATIVE_UINT32"},
    {Dtype::i64, "H5T_NATIVE_INT64"}, {Dtype::u64, "H5T_NATIVE_UINT64"},
};

hid_t native_of(Dtype dtype) {
  return hdf5().constant(std::ranges::find(types, dtype, &TypeName::dtype)->native);
}

// Whatever the order of its bytes, which the library turns.
std::optional<Dtype> dtype_of(hid_t type) {
  Hdf5 const& h5 = hdf5();
  std::size_t const bytes = h5.H5Tget_size(type);
  H5T_class_t const kind = h5.H5Tget_class(type);
  if (kind == H5T_FLOAT) {
    for (auto const& [dtype, name] :
         {std::pair(Dtype::f32, "H5T_IEEE_F32"), std::pair(Dtype::f64, "H5T_IEEE_F64")}) {
      for (char const* const order : {"LE", "BE"}) {
        if (h5.H5Tequal(type, h5.constant(std::string(name) + order)) > 0) return dtype;
      }
    }
  }
  if (kind != H5T_INTEGER || h5.H5Tget_precision(type) != 8 * bytes) return std::nullopt;
  bool const has_sign = h5.H5Tget_sign(type) == H5T_SGN_2;
  switch (bytes) {
    case 1: return has_sign ? Dtype::i8 : Dtype::u8;
    case 2: return has_sign ? Dtype::i16 : Dtype::u16;
    case 4: return has_sign ? Dtype::i32 : Dtype::u32;
    case 8: return has_sign ? Dtype::i64 : Dtype::u64;
    default: return std::nullopt;
  }
}

std::string refusal_of(hid_t type) {
  std::string what = "its values are of a type that was made for the file";
  switch (hdf5().H5Tget_class(type)) {
    case H5T_FLOAT: what = "its values are floating-point numbers of another kind"; break;
    case H5T_INTEGER: what = "its values are integers of another size"; break;
    case H5T_STRING: what = "its values are texts"; break;
    case H5T_COMPOUND: what = "its values are structures"; break;
    case H5T_ENUM: what = "its values are words of a list, or true and false"; break;
    case H5T_REFERENCE: what = "its values are references"; break;
    default: break;
  }
  return what + "; f32, f64 and integers of 8 to 64 bits can be compressed";
}

// What HDF5 and netCDF-4 keep beside the attributes of the user's own.
bool is_internal(std::string_view key) {
  constexpr std::string_view keys[] = {
      "CLASS",         "NAME",        "DIMENSION_LIST",      "REFERENCE_LIST", "DIMENSION_LABELS",
      "_Netcdf4Dimid", "_nc3_strict", "_Netcdf4Coordinates", "_NCProperties"};
  return std::ranges::find(keys, key) != std::end(keys);
}

constexpr char const* labels_key =
    "DIMENSION_LABELS";  // of the indices, as H5DSset_label() writes them
constexpr std::string_view no_variable = "This is a netCDF dimension but not a netCDF variable";

std::vector<std::size_t> extents_of(hid_t space) {
  Hdf5 const& h5 = hdf5();
  int const rank = std::max(h5.H5Sget_simple_extent_ndims(space), 0);
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  h5.H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return {extents.begin(), extents.end()};
}

/// The texts of an attribute; none if it has others than texts.
std::optional<std::vector<std::string>> texts_of(hid_t attribute, hid_t type, std::size_t count) {
  Hdf5 const& h5 = hdf5();
  if (h5.H5Tget_class(type) != H5T_STRING) return std::nullopt;
  std::vector<std::string> texts;
  if (h5.H5Tis_variable_str(type) > 0) {
    std::vector<char*> pointers(count, nullptr);
    if (h5.H5Aread(attribute, type, pointers.data()) < 0) return std::nullopt;
    for (char* const text : pointers) {
      texts.emplace_back(text == nullptr ? "" : text);
      h5.H5free_memory(text);
    }
    return texts;
  }
  std::size_t const bytes = h5.H5Tget_size(type);
  std::string all(count * bytes, '\0');
  if (h5.H5Aread(attribute, type, all.data()) < 0) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    std::string const text = all.substr(i * bytes, bytes);
    texts.push_back(text.substr(0, text.find('\0')));
  }
  return texts;
}

/// An attribute of numbers or texts; none if it has anything else.
struct AttributeValue {
  std::vector<std::string> texts;
  std::string numbers;
  std::optional<Dtype> type;
};

std::optional<AttributeValue> read_attribute(hid_t object, char const* key) {
  Hdf5 const& h5 = hdf5();
  Id const attribute(h5.H5Aopen(object, key, H5P_DEFAULT), h5.H5Aclose);
  if (attribute.get() < 0) return std::nullopt;
  Id const type(h5.H5Aget_type(attribute.get()), h5.H5Tclose);
  Id const space(h5.H5Aget_space(attribute.get()), h5.H5Sclose);
  hssize_t const points = h5.H5Sget_simple_extent_npoints(space.get());
  auto const count = static_cast<std::size_t>(std::max<hssize_t>(points, 0));
  AttributeValue value;
  if (auto texts = texts_of(attribute.get(), type.get(), count)) {
    value.texts = std::move(*texts);
    return value;
  }
  value.type = dtype_of(type.get());
  if (!value.type) return std::nullopt;
  std::vector<std::byte> numbers(count * size_of(*value.type));
  if (h5.H5Aread(attribute.get(), native_of(*value.type), numbers.data()) < 0) return std::nullopt;
  value.numbers = text_of_numbers(*value.type, numbers);
  return value;
}

std::vector<std::string> keys_of(hid_t object) {
  std::vector<std::string> keys;
  auto const add = [](hid_t, char const* key, H5A_info_t const*, void* to) -> herr_t {
    static_cast<std::vector<std::string>*>(to)->emplace_back(key);
    return 0;
  };
  hdf5().H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &keys);
  return keys;
}

/// Reads what a file says of its datasets.
class Catalogue {
 public:
  explicit Catalogue(hid_t file) : m_file(file) {}

  /// False if the file cannot be walked through.
  bool read(std::vector<Variable>& variables) const {
    std::vector<std::string> names;
    auto const add = [](hid_t, char const* name, ObjectInfo const* info, void* to) -> herr_t {
      if (info->type == H5O_TYPE_DATASET) {
        static_cast<std::vector<std::string>*>(to)->emplace_back(name);
      }
      return 0;
    };
    bool const walked = hdf5().visit(m_file, add, &names) >= 0;
    for (std::string const& name : names) add_dataset(name, variables);
    return walked;
  }

 private:
  void add_dataset(std::string const& name, std::vector<Variable>& variables) const {
    Hdf5 const& h5 = hdf5();
    Id const dataset(h5.H5Dopen2(m_file, name.c_str(), H5P_DEFAULT), h5.H5Dclose);
    Variable variable;
    variable.name = name;
    if (dataset.get() < 0) {
      variable.refusal = "it cannot be opened: " + last_error();
      variables.push_back(std::move(variable));
      return;
    }
    if (is_mere_dimension(dataset.get())) return;
    Id const type(h5.H5Dget_type(dataset.get()), h5.H5Tclose);
    Id const space(h5.H5Dget_space(dataset.get()), h5.H5Sclose);
    auto const dtype = dtype_of(type.get());
    variable.shape.dtype = dtype.value_or(Dtype::f32);
    if (!dtype) variable.refusal = refusal_of(type.get());
    if (h5.H5Sget_simple_extent_type(space.get()) == H5S_NULL) {
      variable.refusal = "it has no values";
    }
    take_extents(variable, extents_of(space.get()));
    take_dimensions(variable, dataset.get());
    take_attributes(variable, dataset.get());
    if (dtype) take_fill(variable, dataset.get());
    variables.push_back(std::move(variable));
  }

  static bool is_mere_dimension(hid_t dataset) {
    auto const name = read_attribute(dataset, "NAME");
    return name && !name->texts.empty() && name->texts[0].starts_with(no_variable);
  }

  static void take_dimensions(Variable& variable, hid_t dataset) {
    auto const labels = read_attribute(dataset, labels_key);
    auto const rank = static_cast<std::size_t>(variable.shape.rank);
    if (labels && labels->texts.size() == rank && !std::ranges::count(labels->texts, "")) {
      variable.dimensions = labels->texts;
    }
    auto const scale = read_attribute(dataset, "CLASS");
    bool const is_axis = scale && !scale->texts.empty() && scale->texts[0] == "DIMENSION_SCALE";
    if (is_axis && rank == 1 && !variable.is_scalar) {
      variable.dimensions = {variable.name.substr(variable.name.rfind('/') + 1)};
    }
  }

  static void take_attributes(Variable& variable, hid_t dataset) {
    for (std::string const& key : keys_of(dataset)) {
      if (is_internal(key)) continue;
      auto const value = read_attribute(dataset, key.c_str());
      if (!value) continue;
      VariableAttribute attribute{key, value->numbers, value->type};
      for (std::string const& text : value->texts) {
        if (&text != &value->texts.front()) attribute.text += '\n';
        attribute.text += text;
      }
      variable.attributes.push_back(std::move(attribute));
    }
  }

  // One that nobody has set says nothing.
  static void take_fill(Variable& variable, hid_t dataset) {
    Hdf5 const& h5 = hdf5();
    if (variable.find(fill_key) != nullptr) return;
    Id const properties(h5.H5Dget_create_plist(dataset), h5.H5Pclose);
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    if (h5.H5Pfill_value_defined(properties.get(), &defined) < 0) return;
    Dtype const dtype = variable.shape.dtype;
    std::vector<std::byte> fill(size_of(dtype));
    if (defined != H5D_FILL_VALUE_USER_DEFINED ||
        h5.H5Pget_fill_value(properties.get(), native_of(dtype), fill.data()) < 0) {
      return;
    }
    variable.attributes.push_back({fill_key, text_of_numbers(dtype, fill), dtype});
  }

  hid_t m_file;
};

/// A box of a dataset, and memory of as many values in a row.
struct Selection {
  Id file, memory;  // none of a scalar

  Selection(hid_t dataset, ArrayBox const& box, bool is_scalar) {
    if (is_scalar) return;
    Hdf5 const& h5 = hdf5();
    std::vector<hsize_t> const begin(box.begin.begin(), box.begin.end()),
        extent(box.extent.begin(), box.extent.end());
    hsize_t values = 1;
    for (hsize_t const along : extent) values *= along;
    file = Id(h5.H5Dget_space(dataset), h5.H5Sclose);
    memory = Id(h5.H5Screate_simple(1, &values, nullptr), h5.H5Sclose);
    h5.H5Sselect_hyperslab(file.get(), H5S_SELECT_SET, begin.data(), nullptr, extent.data(),
                           nullptr);
  }
  hid_t in_file() const { return file.get() < 0 ? H5S_ALL : file.get(); }
  hid_t in_memory() const { return memory.get() < 0 ? H5S_ALL : memory.get(); }
};

/// An open file; one thread at a time calls the library.
struct Handle {
  std::string path;
  Id file;

  ~Handle() {
    auto const lock = lock_libraries();
    file = Id();
  }
  [[noreturn]] void damaged() const {
    throw Error(Status::corrupt, "'" + path + "' cannot be read as HDF5: " + last_error() +
                                     "; it may be cut off or damaged, or need a filter that is "
                                     "not there");
  }
};

class Hdf5Reader final : public BoxReader {
 public:
  Hdf5Reader(std::shared_ptr<Handle const> file, Variable const& variable)
      : BoxReader(variable.shape),
        m_file(std::move(file)),
        m_is_scalar(variable.is_scalar),
        m_type(native_of(variable.shape.dtype)) {
    Hdf5 const& h5 = hdf5();
    m_dataset =
        Id(h5.H5Dopen2(m_file->file.get(), variable.name.c_str(), H5P_DEFAULT), h5.H5Dclose);
    if (m_dataset.get() < 0) m_file->damaged();
  }
  ~Hdf5Reader() override {
    auto const lock = lock_libraries();
    m_dataset = Id();
  }

 private:
  void read_box(ArrayBox const& box, std::span<std::byte> to) override {
    auto const lock = lock_libraries();
    Selection const selection(m_dataset.get(), box, m_is_scalar);
    if (hdf5().H5Dread(m_dataset.get(), m_type, selection.in_memory(), selection.in_file(),
                       H5P_DEFAULT, to.data()) < 0) {
      m_file->damaged();
    }
  }

  std::shared_ptr<Handle const> m_file;
  bool m_is_scalar;
  hid_t m_type;
  Id m_dataset;
};

class Hdf5File final : public FieldFile {
 public:
  explicit Hdf5File(std::string const& path) : m_file(std::make_shared<Handle>()) {
    InputFile const readable(path, "read_file");  // else the message is that of HDF5
    auto const lock = lock_libraries();
    Hdf5 const& h5 = hdf5();
    m_file->path = path;
    m_file->file = Id(h5.H5Fopen(path.c_str(), read_only, H5P_DEFAULT), h5.H5Fclose);
    if (m_file->file.get() < 0 || !Catalogue(m_file->file.get()).read(m_variables)) {
      m_file->damaged();
    }
  }

  std::vector<Variable> const& variables() const override { return m_variables; }
  std::unique_ptr<FieldReader> read(Variable const& variable) const override {
    auto const lock = lock_libraries();
    return std::make_unique<Hdf5Reader>(m_file, variable);
  }

 private:
  std::shared_ptr<Handle> m_file;
  std::vector<Variable> m_variables;
};

class Hdf5Writer final : public FieldWriter {
 public:
  Hdf5Writer(std::string const& path, OutputFile output)
      : m_path(path), m_output(std::move(output)) {
    std::string const target = path_for_library(m_output, path, "HDF5");
    auto const lock = lock_libraries();
    Hdf5 const& h5 = hdf5();
    m_file = Id(h5.H5Fcreate(target.c_str(), replacing, H5P_DEFAULT, H5P_DEFAULT), h5.H5Fclose);
    require(m_file.get() >= 0);
  }
  ~Hdf5Writer() override {
    auto const lock = lock_libraries();
    m_dataset = Id();
    m_file = Id();
  }

  void begin(Variable const& variable) override {
    auto const lock = lock_libraries();
    finish_dataset();
    Hdf5 const& h5 = hdf5();
    Dtype const dtype = variable.shape.dtype;
    m_is_scalar = variable.is_scalar;
    m_extents = slowest_first(variable.shape, variable.shape.extents);
    m_value_bytes = size_of(dtype);
    m_type = native_of(dtype);
    m_next = 0;
    std::vector<hsize_t> const extents(m_extents.begin(), m_extents.end());
    Id const space(m_is_scalar ? h5.H5Screate(H5S_SCALAR)
                               : h5.H5Screate_simple(static_cast<int>(extents.size()),
                                                     extents.data(), nullptr),
                   h5.H5Sclose);
    Id const with_groups(h5.H5Pcreate(h5.constant("H5P_CLS_LINK_CREATE_ID")), h5.H5Pclose);
    h5.H5Pset_create_intermediate_group(with_groups.get(), 1);
    Id const properties(h5.H5Pcreate(h5.constant("H5P_CLS_DATASET_CREATE_ID")), h5.H5Pclose);
    VariableAttribute const* const fill = variable.find(fill_key);
    auto const number = fill == nullptr ? std::nullopt : numbers_of_text(dtype, fill->text);
    if (number && number->size() == m_value_bytes) {
      h5.H5Pset_fill_value(properties.get(), m_type, number->data());
    }
    m_dataset = Id(h5.H5Dcreate2(m_file.get(), variable.name.c_str(), m_type, space.get(),
                                 with_groups.get(), properties.get(), H5P_DEFAULT),
                   h5.H5Dclose);
    require(m_dataset.get() >= 0);
    for (VariableAttribute const& attribute : variable.attributes) put(attribute);
    put_labels(variable.dimensions);
  }

  void write(std::span<std::byte const> values) override {
    auto const lock = lock_libraries();
    for_each_box(m_extents, m_value_bytes, m_next, values,
                 [&](ArrayBox const& box, std::span<std::byte const> from) {
                   Selection const selection(m_dataset.get(), box, m_is_scalar);
                   require(hdf5().H5Dwrite(m_dataset.get(), m_type, selection.in_memory(),
                                           selection.in_file(), H5P_DEFAULT, from.data()) >= 0);
                 });
    m_next += values.size() / m_value_bytes;
  }

  void commit() override {
    {
      auto const lock = lock_libraries();
      finish_dataset();
      require(m_file.close());
    }
    m_output.commit();
  }

 private:
  void require(bool written) const {
    if (written) return;
    throw Error(Status::io, "cannot write '" + m_path + "': " + last_error() +
                                "; free some space or choose another place");
  }

  void finish_dataset() {
    if (m_dataset.get() >= 0) require(m_dataset.close());
  }

  void put_value(char const* key, hid_t type, hid_t space, void const* value) const {
    Hdf5 const& h5 = hdf5();
    Id const attribute(h5.H5Acreate2(m_dataset.get(), key, type, space, H5P_DEFAULT, H5P_DEFAULT),
                       h5.H5Aclose);
    require(attribute.get() >= 0 && h5.H5Awrite(attribute.get(), type, value) >= 0);
  }

  // Of a fixed length in UTF-8, one of which is 1 at least.
  Id text_type(std::size_t bytes) const {
    Hdf5 const& h5 = hdf5();
    Id type(h5.H5Tcopy(h5.constant("H5T_C_S1")), h5.H5Tclose);
    h5.H5Tset_size(type.get(), bytes);
    h5.H5Tset_cset(type.get(), H5T_CSET_UTF8);
    if (bytes != H5T_VARIABLE) h5.H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
    return type;
  }

  void put(VariableAttribute const& attribute) const {
    Hdf5 const& h5 = hdf5();
    Id const scalar(h5.H5Screate(H5S_SCALAR), h5.H5Sclose);
    if (!attribute.type) {
      Id const type = text_type(std::max<std::size_t>(attribute.text.size(), 1));
      return put_value(attribute.key.c_str(), type.get(), scalar.get(), attribute.text.c_str());
    }
    auto const numbers = numbers_of_text(*attribute.type, attribute.text);
    if (!numbers) return;
    hsize_t const count = numbers->size() / size_of(*attribute.type);
    if (count == 0) return;  // HDF5 has no such list
    Id const list(h5.H5Screate_simple(1, &count, nullptr), h5.H5Sclose);
    put_value(attribute.key.c_str(), native_of(*attribute.type),
              count == 1 ? scalar.get() : list.get(), numbers->data());
  }

  void put_labels(std::vector<std::string> const& dimensions) const {
    if (dimensions.empty()) return;
    Hdf5 const& h5 = hdf5();
    std::vector<char const*> labels;
    for (std::string const& dimension : dimensions) labels.push_back(dimension.c_str());
    hsize_t const count = labels.size();
    Id const space(h5.H5Screate_simple(1, &count, nullptr), h5.H5Sclose);
    Id const type = text_type(H5T_VARIABLE);
    put_value(labels_key, type.get(), space.get(), labels.data());
  }

  std::string m_path;
  OutputFile m_output;
  Id m_file, m_dataset;
  bool m_is_scalar = false;
  std::vector<std::size_t> m_extents;
  std::size_t m_value_bytes = 0;
  hid_t m_type = -1;
  std::uint64_t m_next = 0;
};

}  // namespace

std::unique_ptr<FieldFile> open_hdf5(std::string const& path) {
  return std::make_unique<Hdf5File>(path);
}

std::unique_ptr<FieldWriter> write_hdf5(std::string const& path, OutputFile file) {
  return std::make_unique<Hdf5Writer>(path, std::move(file));
}

}  // namespace kompakt::files
