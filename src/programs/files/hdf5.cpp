#include "hdf5_handles.hpp"
#include "hdf5_links.hpp"
#include "hdf5_missing.hpp"
#include "hdf5_module.hpp"
#include "hdf5_netcdf.hpp"
#include <array>
#include <kompakt/byte_order.hpp>
#include <optional>
#include <string_view>

namespace kompakt::files {

namespace {

std::string refusal_of(hid_t type) {
  std::string what = "its values are of a type that only this file has";
  switch (H5Tget_class(type)) {
    case H5T_FLOAT: what = "its values are floating-point numbers of another kind"; break;
    case H5T_INTEGER: what = "its values are integers of another size"; break;
    case H5T_STRING: what = "its values are texts"; break;
    case H5T_COMPOUND: what = "its values are structures"; break;
    case H5T_ENUM: what = "its values are an enumeration of other numbers"; break;
    case H5T_REFERENCE: what = "its values are references"; break;
    case H5T_VLEN: what = "its values are lists of any length"; break;
    case H5T_ARRAY: what = "its values are arrays of a type of their own"; break;
    case H5T_OPAQUE: what = "its values are opaque bytes"; break;
    case H5T_BITFIELD: what = "its values are fields of bits"; break;
    default: break;
  }
  return what +
         "; floats of 16 to 64 bits, complex numbers of two floats, and integers of 8 to 64 bits "
         "can be compressed";
}

// What netCDF-4 gives variables of floating-point numbers that have no fill value of their own.
constexpr std::string_view fills_of_netcdf[] = {"9.96921e+36", "9.969209968386869e+36"};

/// Whether the numbers of a type have the order of bytes of this machine.
bool is_native_order(hid_t type) { return H5Tget_order(type) == H5Tget_order(H5T_NATIVE_INT); }

/// Whether values are single letters, as those of the type char of netCDF are.
bool is_letter(hid_t type) {
  return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
         H5Tget_size(type) == 1;
}

/// The path of the scale of each index of a dataset; "" where there is none.
/// \param are_all  false if an index has several, of which the first counts
std::vector<std::string> scales_of(hid_t file, ObjectNames const& objects, hid_t dataset,
                                   bool& are_all) {
  if (H5Aexists(dataset, scales_key) <= 0) return {};
  Id const attribute(H5Aopen(dataset, scales_key, H5P_DEFAULT), H5Aclose);
  Id const space(H5Aget_space(attribute.get()), H5Sclose);
  Id const type(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose);
  std::vector<ValueList> lists(count_of(space.get()));
  if (lists.size() > static_cast<std::size_t>(max_rank) ||
      H5Aread(attribute.get(), type.get(), lists.data()) < 0) {
    return {};
  }
  std::vector<std::string> paths(lists.size());
  for (std::size_t axis = 0; axis < lists.size(); ++axis) {
    if (lists[axis].len == 0) continue;
    are_all = are_all && lists[axis].len == 1;
    Id const scale(H5Rdereference2(file, H5P_DEFAULT, H5R_OBJECT, lists[axis].p), H5Oclose);
    VisitedObject info{};
    if (scale.get() < 0 || object_info(scale.get(), ".", &info) < 0) continue;
    // H5Iget_name() looks through the whole file for what a reference leads to.
    auto const found = objects.by_key.find(key_of(info));
    if (found != objects.by_key.end()) paths[axis] = found->second;
  }
  H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, lists.data());
  return paths;
}

/// The last parts of paths.
std::vector<std::string> names_of(std::vector<std::string> const& paths) {
  std::vector<std::string> names;
  for (std::string const& path : paths) names.push_back(path.substr(path.rfind('/') + 1));
  return names;
}
std::vector<std::string> groups_of(std::vector<std::string> const& paths) {
  std::vector<std::string> groups;
  for (std::string const& path : paths) groups.emplace_back(group_of(path));
  return groups;
}

/// Those that can be listed: the library lists none behind one that it cannot read.
/// \param are_all  false if there are more
std::vector<std::string> keys_of(hid_t object, bool& are_all) {
  Collected<std::vector<std::string>> keys;
  auto const add = [](hid_t, char const* key, H5A_info_t const*, void* to) -> herr_t {
    return static_cast<decltype(keys)*>(to)->add([&](auto& found) { found.emplace_back(key); });
  };
  are_all = H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &keys) >= 0;
  return keys.take();
}

/// Reads what a file says of its datasets and groups.
class Catalogue {
 public:
  explicit Catalogue(hid_t file) : m_file(file) {}

  /// False if the file cannot be walked through.
  bool read(std::vector<Variable>& variables, std::vector<Group>& groups, RestOfFile& rest) {
    auto objects = objects_of(m_file);
    if (!objects) return false;
    m_objects = std::move(*objects);
    for (std::string const& name : m_objects.datasets) add_dataset(name, variables, rest);
    for (std::string const& name : m_objects.groups) add_group(name, groups);
    rest.links = other_links_of(m_file, m_objects);
    for (FileLink& link : rest.links) link.object = variable_of_dataset(m_file, link.object);
    rest.types = m_objects.types;
    return true;
  }

 private:
  void add_dataset(std::string const& path, std::vector<Variable>& variables,
                   RestOfFile& rest) const {
    std::string const name = variable_of_dataset(m_file, path);
    Id const dataset(H5Dopen2(m_file, path.c_str(), H5P_DEFAULT),
                     H5Dclose);  // whose failure is the last one
    Variable variable;
    variable.name = name;
    if (dataset.get() < 0) {
      Error const error = last_error_as("it cannot be opened");
      variable.refusal = error.text();
      variable.refused_as = error.status();
      variables.push_back(std::move(variable));
      return;
    }
    if (is_mere_dimension(dataset.get())) return;
    Id const type(H5Dget_type(dataset.get()), H5Tclose);
    Id const space(H5Dget_space(dataset.get()), H5Sclose);
    variable.is_text = is_letter(type.get());
    auto const numbers = dtype_of_enumeration(type.get());
    auto const dtype = variable.is_text ? Dtype::u8 : numbers ? numbers : dtype_of(type.get());
    variable.shape.dtype = dtype.value_or(Dtype::f32);
    if (!dtype) variable.refusal = refusal_of(type.get());
    if (numbers) take_enumeration(variable, is_boolean(type.get()));
    if (H5Sget_simple_extent_type(space.get()) == H5S_NULL) {
      variable.refusal = "it has no values";
    }
    take_extents(variable, extents_of(space.get()));
    take_chunk(variable, dataset.get());
    if (!take_dimensions(variable, dataset.get())) rest.renamed.push_back(name);
    if (!take_unlimited(variable, space.get())) rest.growing.push_back(name);
    if (!take_attributes(variable, dataset.get())) {
      variable.converted += std::string(variable.converted.empty() ? "" : "; ") +
                            "its attributes are left out, as a newer HDF5 has written one of "
                            "them, or it is damaged";
    }
    if (dtype && !variable.is_text) take_fill(variable, dataset.get());
    if (auto const missing = missing_part(dataset.get())) rest.missing[name] = missing->text;
    variables.push_back(std::move(variable));
  }

  // The root is called "." when objects are visited.
  void add_group(std::string const& name, std::vector<Group>& groups) const {
    Id const group(H5Gopen2(m_file, name.c_str(), H5P_DEFAULT), H5Gclose);
    if (group.get() < 0) return;
    groups.push_back({name == "." ? "" : name});
    groups.back().has_unlisted = !take_attributes(groups.back(), group.get());
  }

  static std::vector<std::string> texts_at(hid_t dataset, char const* key) {
    auto const attribute = read_attribute(dataset, key);
    return attribute ? attribute->texts : std::vector<std::string>();
  }

  /// Gives all indices their names, or none.
  /// \returns false if the dataset has other names for them besides
  bool take_dimensions(Variable& variable, hid_t dataset) const {
    auto const rank = static_cast<std::size_t>(variable.shape.rank);
    bool are_all = true;
    std::vector<std::string> const paths = scales_of(m_file, m_objects, dataset, are_all);
    std::vector<std::string> const scales = names_of(paths);
    std::vector<std::string> labels = texts_at(dataset, labels_key);
    if (!is_internal(dataset, labels_key)) labels.clear();
    auto const name_all = [rank](std::vector<std::string> const& names) {
      return names.size() == rank && !std::ranges::count(names, "");
    };
    std::string const own = variable.name.substr(variable.name.rfind('/') + 1);
    bool const is_scale = is_dimension_scale(dataset),
               is_axis = is_scale && rank == 1 && !variable.is_scalar;
    bool has_name = !is_scale;
    if (is_axis) {
      variable.dimensions = {own};
      has_name = take_scale_name(variable, dataset, own);
      take_homes(variable, {std::string(group_of(variable.name))});
    } else if (name_all(scales)) {
      variable.dimensions = scales;
      take_homes(variable, groups_of(paths));
    } else if (name_all(labels)) {
      variable.dimensions = labels;
    }
    variable.is_unlabelled = !variable.dimensions.empty() && labels.empty();
    return are_all && has_name && agree(scales, variable.dimensions) &&
           agree(labels, variable.dimensions);
  }

  /// \returns false if an archive does not keep the name
  static bool take_scale_name(Variable& variable, hid_t dataset, std::string const& own) {
    std::vector<std::string> const name = texts_at(dataset, "NAME");
    variable.is_unnamed_scale = name.empty();
    if (name.empty() || name[0] == own) return true;
    if (name[0].empty() || can_be_name(name[0])) variable.scale_name = name[0];
    return variable.scale_name.has_value();
  }

  /// Whether all of these names that are not empty are those of the dimensions.
  static bool agree(std::vector<std::string> const& names,
                    std::vector<std::string> const& dimensions) {
    for (std::size_t axis = 0; axis < names.size(); ++axis) {
      if (names[axis].empty()) continue;
      if (axis >= dimensions.size() || names[axis] != dimensions[axis]) return false;
    }
    return true;
  }

  /// \returns false if it can grow along an index without a name
  static bool take_unlimited(Variable& variable, hid_t space) {
    std::array<hsize_t, H5S_MAX_RANK> extents{}, most{};
    int const rank = H5Sget_simple_extent_dims(space, extents.data(), most.data());
    bool have_names = true;
    for (int axis = 0; axis < rank; ++axis) {
      auto const at = static_cast<std::size_t>(axis);
      if (most[at] != H5S_UNLIMITED) continue;
      if (at < variable.dimensions.size()) {
        variable.unlimited.push_back(variable.dimensions[at]);
      } else {
        have_names = false;
      }
    }
    return have_names;
  }

  /// \param to  a variable or a group
  /// \returns false if there are attributes that cannot be listed
  static bool take_attributes(auto& to, hid_t object) {
    bool are_all = true;
    for (std::string const& key : keys_of(object, are_all)) {
      if (is_internal(object, key.c_str())) continue;
      auto const value = read_attribute(object, key.c_str());
      if (!value) {
        to.unread.push_back(key);
        continue;
      }
      to.attributes.push_back({key, value->numbers, value->type});
      to.attributes.back().is_boolean = value->is_boolean;
      if (value->is_enumeration && !value->is_boolean) to.unnamed.push_back(key);
      if (!take_shape(to.attributes.back(), *value)) to.flattened.push_back(key);
    }
    return are_all;
  }

  /// \returns false if an archive does not keep the shape
  static bool take_shape(VariableAttribute& attribute, AttributeValue const& value) {
    std::size_t const rank = value.extents.size();
    attribute.is_string = value.is_string;
    bool const is_whole = value.type || take_texts(attribute, value.texts, rank > 0);
    bool const is_one = value.type && rank == 1 && value.extents[0] <= 1;
    if (is_whole && (rank > 1 || is_one)) attribute.extents = value.extents;
    return is_whole && !value.is_null;
  }

  static void take_chunk(Variable& variable, hid_t dataset) {
    Id const properties(H5Dget_create_plist(dataset), H5Pclose);
    std::array<hsize_t, H5S_MAX_RANK> extents{};
    int const rank = H5Pget_layout(properties.get()) == H5D_CHUNKED
                         ? H5Pget_chunk(properties.get(), H5S_MAX_RANK, extents.data())
                         : 0;
    variable.chunk.assign(extents.begin(), extents.begin() + std::clamp(rank, 0, H5S_MAX_RANK));
  }

  // One that nobody has set says nothing.
  static void take_fill(Variable& variable, hid_t dataset) {
    Id const properties(H5Dget_create_plist(dataset), H5Pclose);
    Dtype const dtype = variable.shape.dtype;
    std::vector<std::byte> const fill = own_fill(properties.get(), dtype);
    bool const is_attribute = variable.find(fill_key) != nullptr;
    if (is_attribute && fill.empty()) variable.fill_place = FillPlace::attribute;
    if (is_attribute || fill.empty() || is_complex(dtype)) return;
    std::string const text = text_of_numbers(dtype, fill);
    if (std::ranges::count(fills_of_netcdf, text) > 0) {
      with_value_type(dtype, [&](auto number) {
        std::memcpy(&number, fill.data(), sizeof(number));
        variable.unwritten = static_cast<double>(number);
      });
      return;
    }
    variable.fill_place = FillPlace::property;
    variable.attributes.push_back({fill_key, text, dtype});
  }

  hid_t m_file;
  ObjectNames m_objects;
};

/// An open file; one thread at a time calls the library.
struct Handle {
  std::string path;
  Id file;

  ~Handle() {
    auto const lock = lock_hdf5();
    file = Id();
  }
  /// \param variable  that cannot be read; empty: none can
  [[noreturn]] void damaged(std::string const& variable = "") const {
    throw unreadable(FileName{path, variable}.label());
  }
};

class Hdf5Reader final : public BoxReader {
 public:
  Hdf5Reader(std::shared_ptr<Handle const> file, Variable const& variable)
      : BoxReader(variable.shape),
        m_file(std::move(file)),
        m_name(variable.name),
        m_is_scalar(variable.is_scalar),
        m_type(native_of(variable.shape.dtype)) {
    hid_t const own = m_file->file.get();
    std::string const path = dataset_of_variable(own, variable.name);
    m_dataset = Id(H5Dopen2(own, path.c_str(), H5P_DEFAULT), H5Dclose);
    if (m_dataset.get() < 0) m_file->damaged(m_name);
    auto const missing = missing_part(m_dataset.get());
    if (missing && missing->is_silent) throw unreadable_values(m_dataset.get(), label());
    if (!variable.is_text && !variable.is_enumeration) return;
    // No conversion, which ends texts, and turns numbers without a name into others.
    m_own_type = Id(H5Dget_type(m_dataset.get()), H5Tclose);
    m_type = m_own_type.get();
    if (variable.is_enumeration && !is_native_order(m_type)) m_swapped = variable.shape.dtype;
  }
  ~Hdf5Reader() override {
    auto const lock = lock_hdf5();
    m_dataset = Id();
    m_own_type = Id();
  }

 private:
  void read_box(ArrayBox const& box, std::span<std::byte> to) override {
    auto const lock = lock_hdf5();
    Selection const selection(m_dataset.get(), box, m_is_scalar);
    if (H5Dread(m_dataset.get(), m_type, selection.in_memory(), selection.in_file(), H5P_DEFAULT,
                to.data()) < 0) {
      throw unreadable_values(m_dataset.get(), label());
    }
    if (m_swapped) swap_bytes(to, *m_swapped);
  }
  std::string label() const { return FileName{m_file->path, m_name}.label(); }

  std::shared_ptr<Handle const> m_file;
  std::string m_name;
  bool m_is_scalar;
  hid_t m_type;
  Id m_dataset, m_own_type;
  std::optional<Dtype> m_swapped;  ///< of numbers in the other order of bytes
};

class Hdf5File final : public FieldFile {
 public:
  explicit Hdf5File(InputFile input)
      : m_input(std::move(input)), m_file(std::make_shared<Handle>()) {
    auto const lock = lock_hdf5();
    m_file->path = m_input.path().string();
    m_file->file = Id(H5Fopen(m_file->path.c_str(), read_only, H5P_DEFAULT), H5Fclose);
    if (m_file->file.get() < 0 ||
        !Catalogue(m_file->file.get()).read(m_variables, m_groups, m_rest)) {
      m_file->damaged();
    }
    require_still_named(m_input);
  }

  InputFile const& file() const override { return m_input; }
  std::vector<Variable> const& variables() const override { return m_variables; }
  std::vector<Group> const& groups() const override { return m_groups; }
  RestOfFile rest() const override { return m_rest; }
  std::unique_ptr<FieldReader> read(Variable const& variable) const override {
    auto const lock = lock_hdf5();
    return std::make_unique<Hdf5Reader>(m_file, variable);
  }

 private:
  InputFile m_input;
  std::shared_ptr<Handle> m_file;
  std::vector<Variable> m_variables;
  std::vector<Group> m_groups;
  RestOfFile m_rest;
};

}  // namespace

std::unique_ptr<FieldFile> linked::open_hdf5(InputFile input) {
  return std::make_unique<Hdf5File>(std::move(input));
}

bool linked::is_netcdf4(std::string const& path) {
  auto const lock = lock_hdf5();
  Id const file(H5Fopen(path.c_str(), read_only, H5P_DEFAULT), H5Fclose);
  return file.get() >= 0 && has_netcdf_marks(file.get());
}

}  // namespace kompakt::files
