#include "hdf5.hpp"
#include "hdf5_library.hpp"
#include <array>
#include <map>
#include <string_view>

namespace kompakt::files {

namespace {

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
// What netCDF-4 gives variables of floating-point numbers that have no fill value of their own.
constexpr std::string_view fills_of_netcdf[] = {"9.96921e+36", "9.969209968386869e+36"};
constexpr char const* scales_key = "DIMENSION_LIST";  // references to scales, as H5DSattach_scale()
constexpr char const* users_key = "REFERENCE_LIST";   // of a scale: who has it, and for which index
constexpr std::string_view no_variable = "This is a netCDF dimension but not a netCDF variable";

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

/// The names of the scale of each index of a dataset, without their groups; "" where there is none.
std::vector<std::string> scales_of(hid_t file, hid_t dataset) {
  Hdf5 const& h5 = hdf5();
  if (h5.H5Aexists(dataset, scales_key) <= 0) return {};
  Id const attribute(h5.H5Aopen(dataset, scales_key, H5P_DEFAULT), h5.H5Aclose);
  Id const space(h5.H5Aget_space(attribute.get()), h5.H5Sclose);
  Id const type(h5.H5Tvlen_create(h5.constant("H5T_STD_REF_OBJ")), h5.H5Tclose);
  std::vector<hvl_t> lists(count_of(space.get()), hvl_t{});
  if (lists.size() > static_cast<std::size_t>(max_rank) ||
      h5.H5Aread(attribute.get(), type.get(), lists.data()) < 0) {
    return {};
  }
  std::vector<std::string> names(lists.size());
  for (std::size_t axis = 0; axis < lists.size(); ++axis) {
    if (lists[axis].len == 0) continue;
    Id const scale(h5.H5Rdereference2(file, H5P_DEFAULT, H5R_OBJECT, lists[axis].p), h5.H5Oclose);
    std::array<char, 1024> path{};
    if (scale.get() < 0 || h5.H5Iget_name(scale.get(), path.data(), path.size()) <= 0) continue;
    names[axis] = path.data();
    names[axis].erase(0, names[axis].rfind('/') + 1);
  }
  h5.H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, lists.data());
  return names;
}

std::vector<std::string> keys_of(hid_t object) {
  Collected<std::vector<std::string>> keys;
  auto const add = [](hid_t, char const* key, H5A_info_t const*, void* to) -> herr_t {
    return static_cast<decltype(keys)*>(to)->add([&](auto& found) { found.emplace_back(key); });
  };
  hdf5().H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &keys);
  return keys.take();
}

/// Names of the objects of a file.
struct ObjectNames {
  std::vector<std::string> datasets, groups;
};

/// Reads what a file says of its datasets and groups.
class Catalogue {
 public:
  explicit Catalogue(hid_t file) : m_file(file) {}

  /// False if the file cannot be walked through.
  bool read(std::vector<Variable>& variables, std::vector<Group>& groups) const {
    Collected<ObjectNames> found;
    auto const add = [](hid_t, char const* name, VisitedObject const* info, void* to) -> herr_t {
      return static_cast<decltype(found)*>(to)->add([&](ObjectNames& names) {
        if (info->type == H5O_TYPE_DATASET) names.datasets.emplace_back(name);
        if (info->type == H5O_TYPE_GROUP) names.groups.emplace_back(name);
      });
    };
    bool const walked = hdf5().visit(m_file, add, &found) >= 0;
    ObjectNames const names = found.take();
    for (std::string const& name : names.datasets) add_dataset(name, variables);
    for (std::string const& name : names.groups) add_group(name, groups);
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
    take_chunk(variable, dataset.get());
    take_dimensions(variable, dataset.get());
    take_attributes(variable, dataset.get());
    if (dtype) take_fill(variable, dataset.get());
    variables.push_back(std::move(variable));
  }

  // The root is called "." when objects are visited.
  void add_group(std::string const& name, std::vector<Group>& groups) const {
    Id const group(hdf5().H5Gopen2(m_file, name.c_str(), H5P_DEFAULT), hdf5().H5Gclose);
    if (group.get() < 0) return;
    groups.push_back({name == "." ? "" : name});
    take_attributes(groups.back(), group.get());
  }

  static bool is_mere_dimension(hid_t dataset) {
    auto const name = read_attribute(dataset, "NAME");
    return name && !name->texts.empty() && name->texts[0].starts_with(no_variable);
  }

  void take_dimensions(Variable& variable, hid_t dataset) const {
    auto const labels = read_attribute(dataset, labels_key);
    auto const rank = static_cast<std::size_t>(variable.shape.rank);
    std::vector<std::string> const scales = scales_of(m_file, dataset);
    if (scales.size() == rank && !std::ranges::count(scales, "")) {
      variable.dimensions = scales;
    } else if (labels && labels->texts.size() == rank && !std::ranges::count(labels->texts, "")) {
      variable.dimensions = labels->texts;
    }
    auto const scale = read_attribute(dataset, "CLASS");
    bool const is_axis = scale && !scale->texts.empty() && scale->texts[0] == "DIMENSION_SCALE";
    if (is_axis && rank == 1 && !variable.is_scalar) {
      variable.dimensions = {variable.name.substr(variable.name.rfind('/') + 1)};
    }
  }

  /// \param to  a variable or a group
  static void take_attributes(auto& to, hid_t object) {
    for (std::string const& key : keys_of(object)) {
      if (is_internal(key)) continue;
      auto const value = read_attribute(object, key.c_str());
      if (!value) {
        to.unread.push_back(key);
        continue;
      }
      VariableAttribute attribute{key, value->numbers, value->type};
      for (std::string const& text : value->texts) {
        if (&text != &value->texts.front()) attribute.text += '\n';
        attribute.text += text;
      }
      to.attributes.push_back(std::move(attribute));
    }
  }

  static void take_chunk(Variable& variable, hid_t dataset) {
    Id const properties(hdf5().H5Dget_create_plist(dataset), hdf5().H5Pclose);
    std::array<hsize_t, H5S_MAX_RANK> extents{};
    int const rank = hdf5().H5Pget_layout(properties.get()) == H5D_CHUNKED
                         ? hdf5().H5Pget_chunk(properties.get(), H5S_MAX_RANK, extents.data())
                         : 0;
    variable.chunk.assign(extents.begin(), extents.begin() + std::clamp(rank, 0, H5S_MAX_RANK));
  }

  // One that nobody has set says nothing.
  static void take_fill(Variable& variable, hid_t dataset) {
    Hdf5 const& h5 = hdf5();
    if (variable.find(fill_key) != nullptr || variable.fill()) return;
    Id const properties(h5.H5Dget_create_plist(dataset), h5.H5Pclose);
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    if (h5.H5Pfill_value_defined(properties.get(), &defined) < 0) return;
    Dtype const dtype = variable.shape.dtype;
    std::vector<std::byte> fill(size_of(dtype));
    if (defined != H5D_FILL_VALUE_USER_DEFINED ||
        h5.H5Pget_fill_value(properties.get(), native_of(dtype), fill.data()) < 0) {
      return;
    }
    std::string const text = text_of_numbers(dtype, fill);
    if (std::ranges::count(fills_of_netcdf, text) > 0) return;
    variable.attributes.push_back({fill_key, text, dtype});
  }

  hid_t m_file;
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
    if (m_file->file.get() < 0 || !Catalogue(m_file->file.get()).read(m_variables, m_groups)) {
      m_file->damaged();
    }
  }

  std::vector<Variable> const& variables() const override { return m_variables; }
  std::vector<Group> const& groups() const override { return m_groups; }
  std::unique_ptr<FieldReader> read(Variable const& variable) const override {
    auto const lock = lock_libraries();
    return std::make_unique<Hdf5Reader>(m_file, variable);
  }

 private:
  std::shared_ptr<Handle> m_file;
  std::vector<Variable> m_variables;
  std::vector<Group> m_groups;
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
    for (VariableAttribute const& attribute : variable.attributes) {
      put(m_dataset.get(), attribute, variable.name);
    }
    put_labels(variable);
    for (Group const& group : variable.groups) put_group(group);
    m_written.push_back(variable);
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
      put_scales();
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

  /// False if the library refuses.
  static bool put_value(hid_t object, std::string const& key, hid_t type, hid_t space,
                        void const* value) {
    Hdf5 const& h5 = hdf5();
    Id const attribute(h5.H5Acreate2(object, key.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                       h5.H5Aclose);
    return attribute.get() >= 0 && h5.H5Awrite(attribute.get(), type, value) >= 0;
  }
  void note_unless(bool is_put, std::string const& key, std::string const& owner) {
    if (!is_put) leave_out(key, owner, "HDF5 says: " + last_error());
  }

  // Of a fixed length in UTF-8, one of which is 1 at least.
  static Id text_type(std::size_t bytes) {
    Hdf5 const& h5 = hdf5();
    Id type(h5.H5Tcopy(h5.constant("H5T_C_S1")), h5.H5Tclose);
    h5.H5Tset_size(type.get(), bytes);
    h5.H5Tset_cset(type.get(), H5T_CSET_UTF8);
    if (bytes != H5T_VARIABLE) h5.H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
    return type;
  }
  static Id list_space(hsize_t count) {
    return {hdf5().H5Screate_simple(1, &count, nullptr), hdf5().H5Sclose};
  }

  void put(hid_t object, VariableAttribute const& attribute, std::string const& owner) {
    Hdf5 const& h5 = hdf5();
    Id const scalar(h5.H5Screate(H5S_SCALAR), h5.H5Sclose);
    if (!attribute.type) {
      Id const type = text_type(std::max<std::size_t>(attribute.text.size(), 1));
      return note_unless(
          put_value(object, attribute.key, type.get(), scalar.get(), attribute.text.c_str()),
          attribute.key, owner);
    }
    auto const numbers = numbers_of_text(*attribute.type, attribute.text);
    hsize_t const count = numbers ? numbers->size() / size_of(*attribute.type) : 0;
    if (count == 0) {  // HDF5 has no such list
      return leave_out(attribute.key, owner, "it has no numbers");
    }
    Id const list = list_space(count);
    note_unless(put_value(object, attribute.key, native_of(*attribute.type),
                          count == 1 ? scalar.get() : list.get(), numbers->data()),
                attribute.key, owner);
  }

  /// What a group says of itself; what it has already counts.
  void put_group(Group const& group) {
    Hdf5 const& h5 = hdf5();
    std::string const path = "/" + group.name;
    Id const object(h5.H5Oopen(m_file.get(), path.c_str(), H5P_DEFAULT), h5.H5Oclose);
    for (VariableAttribute const& attribute : group.attributes) {
      if (h5.H5Aexists(object.get(), attribute.key.c_str()) > 0) continue;
      put(object.get(), attribute, path);
    }
  }

  void put_labels(Variable const& variable) {
    if (variable.dimensions.empty()) return;
    std::vector<char const*> labels;
    for (std::string const& dimension : variable.dimensions) labels.push_back(dimension.c_str());
    Id const type = text_type(H5T_VARIABLE);
    note_unless(put_value(m_dataset.get(), labels_key, type.get(), list_space(labels.size()).get(),
                          labels.data()),
                labels_key, variable.name);
  }

  /// The axis that a dimension of a variable has in the group of this or one around it; null if there is none.
  Variable const* axis_of(Variable const& variable, std::size_t index) const {
    std::string const& dimension = variable.dimensions[index];
    std::size_t const extent = slowest_first(variable.shape, variable.shape.extents)[index];
    std::string_view group = variable.name;
    do {
      group = files::group_of(group);
      std::string const name = std::string(group) + (group.empty() ? "" : "/") + dimension;
      auto const found = std::ranges::find(m_written, name, &Variable::name);
      if (found != m_written.end() && found->is_coordinate() && !found->is_scalar) {
        return found->shape.extents[0] == extent ? &*found : nullptr;
      }
    } while (!group.empty());
    return nullptr;
  }

  /// Who has an axis, and for which index, as it lies in REFERENCE_LIST.
  struct User {
    hobj_ref_t dataset;
    int index;
  };

  hobj_ref_t reference_to(std::string const& name) const {
    hobj_ref_t reference = 0;
    require(hdf5().H5Rcreate(&reference, m_file.get(), name.c_str(), H5R_OBJECT, -1) >= 0);
    return reference;
  }
  Id open(std::string const& name) const {
    return {hdf5().H5Oopen(m_file.get(), name.c_str(), H5P_DEFAULT), hdf5().H5Oclose};
  }

  /// Makes axes dimension scales, as the library of HDF5's high level does: variables refer to them, and they to these.
  void put_scales() {
    std::map<Variable const*, std::vector<User>> users;
    for (Variable const& variable : m_written) {
      if (variable.is_coordinate()) users[&variable];
    }
    Id const references(hdf5().H5Tvlen_create(hdf5().constant("H5T_STD_REF_OBJ")), hdf5().H5Tclose);
    for (Variable const& variable : m_written) {
      if (users.contains(&variable) || variable.dimensions.empty()) continue;
      std::vector<hobj_ref_t> scales(variable.dimensions.size());
      std::vector<hvl_t> lists(scales.size(), hvl_t{});
      bool any = false;
      for (std::size_t index = 0; index < scales.size(); ++index) {
        Variable const* const axis = axis_of(variable, index);
        if (axis == nullptr) continue;
        any = true;
        scales[index] = reference_to(axis->name);
        lists[index] = {1, &scales[index]};
        users[axis].push_back({reference_to(variable.name), static_cast<int>(index)});
      }
      if (any) {
        note_unless(put_value(open(variable.name).get(), scales_key, references.get(),
                              list_space(lists.size()).get(), lists.data()),
                    scales_key, variable.name);
      }
    }
    for (auto const& [axis, of] : users) put_scale(*axis, of);
  }

  void put_scale(Variable const& axis, std::vector<User> const& users) {
    Hdf5 const& h5 = hdf5();
    Id const dataset = open(axis.name);
    Id const scalar(h5.H5Screate(H5S_SCALAR), h5.H5Sclose);
    std::string const& name = axis.dimensions[0];
    for (auto const& [key, text] :
         {std::pair<char const*, std::string>("CLASS", "DIMENSION_SCALE"), {"NAME", name}}) {
      Id const type = terminated_type(text);
      note_unless(put_value(dataset.get(), key, type.get(), scalar.get(), text.c_str()), key,
                  axis.name);
    }
    if (users.empty()) return;
    Id const type(h5.H5Tcreate(H5T_COMPOUND, sizeof(User)), h5.H5Tclose);
    h5.H5Tinsert(type.get(), "dataset", offsetof(User, dataset), h5.constant("H5T_STD_REF_OBJ"));
    h5.H5Tinsert(type.get(), "dimension", offsetof(User, index), h5.constant("H5T_NATIVE_INT"));
    note_unless(put_value(dataset.get(), users_key, type.get(), list_space(users.size()).get(),
                          users.data()),
                users_key, axis.name);
  }

  // As HDF5's own: with the zero at the end.
  static Id terminated_type(std::string const& text) {
    Id type(hdf5().H5Tcopy(hdf5().constant("H5T_C_S1")), hdf5().H5Tclose);
    hdf5().H5Tset_size(type.get(), text.size() + 1);
    return type;
  }

  std::string m_path;
  OutputFile m_output;
  Id m_file, m_dataset;
  std::vector<Variable> m_written;  // so far, for their dimensions
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
