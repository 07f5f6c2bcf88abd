#include "hdf5_handles.hpp"
#include "hdf5_module.hpp"
#include <cstddef>
#include <map>
#include <string_view>

namespace kompakt::files {

namespace {

using Numbers = std::vector<std::byte>;

class Hdf5Writer final : public FieldWriter {
 public:
  Hdf5Writer(std::string const& path, OutputFile output)
      : m_path(path), m_output(std::move(output)) {
    m_target = path_for_library(m_output, path, "HDF5");
  }
  ~Hdf5Writer() override {
    auto const lock = lock_hdf5();
    m_dataset = Id();
    m_file = Id();
  }

  void begin(Variable const& variable) override {
    auto const lock = lock_hdf5();
    finish_dataset();
    make_groups(variable);
    Dtype const dtype = variable.shape.dtype;
    m_is_scalar = variable.is_scalar;
    m_extents = slowest_first(variable.shape, variable.shape.extents);
    m_value_bytes = size_of(dtype);
    m_type = variable.is_text ? H5T_C_S1 : variable.is_boolean ? boolean_type() : native_of(dtype);
    m_next = 0;
    Id const space = space_of(variable);
    Id const properties = properties_of(variable);
    m_dataset = Id(H5Dcreate2(m_file.get(), variable.name.c_str(), m_type, space.get(),
                              with_groups().get(), properties.get(), H5P_DEFAULT),
                   H5Dclose);
    require(m_dataset.get() >= 0);
    bool const has_property = variable.fill_place == FillPlace::property && fill_of(variable);
    for (VariableAttribute const& attribute : variable.attributes) {
      if (has_property && attribute.key == fill_key) continue;
      put(m_dataset.get(), attribute, variable.name);
    }
    if (!variable.is_unlabelled) put_labels(m_dataset.get(), variable);
    for (Group const& group : variable.groups) put_group(group);
    m_written.push_back(variable);
  }

  void write(std::span<std::byte const> values) override {
    auto const lock = lock_hdf5();
    for_each_box(m_extents, m_value_bytes, m_next, values,
                 [&](ArrayBox const& box, std::span<std::byte const> from) {
                   Selection const selection(m_dataset.get(), box, m_is_scalar);
                   require(H5Dwrite(m_dataset.get(), m_type, selection.in_memory(),
                                    selection.in_file(), H5P_DEFAULT, from.data()) >= 0);
                 });
    m_next += values.size() / m_value_bytes;
  }

  void commit() override {
    {
      auto const lock = lock_hdf5();
      finish_dataset();
      make_file(nullptr);
      put_scales();
      require(m_file.close());
    }
    m_output.commit();
  }

 private:
  void require(bool written) const {
    if (written) return;
    throw Error(Status::io, "cannot write '" + m_path + "': " + last_error(),
                "free some space or choose another place");
  }

  void finish_dataset() {
    if (m_dataset.get() >= 0) require(m_dataset.close());
  }

  /// Makes the file, unless it is there, which only then knows of the first attributes of its root.
  void make_file(Group const* root) {
    if (m_file.get() >= 0) return;
    Id const properties = properties_of(H5P_FILE_CREATE, root);
    m_file = Id(H5Fcreate(m_target.c_str(), replacing, properties.get(), H5P_DEFAULT), H5Fclose);
    require(m_file.get() >= 0);
  }

  /// Makes the file, and from the outside in the groups of a variable that have large attributes; others are made with the dataset.
  void make_groups(Variable const& variable) {
    auto const root = std::ranges::find(variable.groups, "", &Group::name);
    make_file(root == variable.groups.end() ? nullptr : &*root);
    std::vector<Group const*> groups;
    for (Group const& group : variable.groups) groups.push_back(&group);
    std::ranges::sort(groups, {}, [](Group const* group) { return group->name.size(); });
    for (Group const* const group : groups) {
      bool const is_there =
          group->name.empty() || H5Lexists(m_file.get(), group->name.c_str(), H5P_DEFAULT) > 0;
      if (is_there || !std::ranges::any_of(group->attributes, is_large)) continue;
      Id const properties = properties_of(H5P_GROUP_CREATE, group);
      Id const made(H5Gcreate2(m_file.get(), group->name.c_str(), with_groups().get(),
                               properties.get(), H5P_DEFAULT),
                    H5Gclose);
      require(made.get() >= 0);
    }
  }

  static Id with_groups() {
    Id properties(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(properties.get(), 1);
    return properties;
  }

  /// What an object is created with: without times, so that it has the same bytes whenever it is written.
  /// \param of  with the attributes, a variable or a group; null if there are none
  static Id properties_of(hid_t kind, auto const* of) {
    Id properties(H5Pcreate(kind), H5Pclose);
    H5Pset_obj_track_times(properties.get(), 0);
    // Objects with a list of their attributes take such of 64 KiB and more.
    if (of != nullptr && std::ranges::any_of(of->attributes, is_large)) {
      H5Pset_attr_creation_order(properties.get(), H5P_CRT_ORDER_TRACKED);
    }
    return properties;
  }

  bool grows(Variable const& variable) const {
    return !m_is_scalar && !variable.unlimited.empty() && !variable.dimensions.empty();
  }

  Id properties_of(Variable const& variable) const {
    Id properties = properties_of(H5P_DATASET_CREATE, &variable);
    if (grows(variable)) {  // which only a dataset of chunks can
      std::vector<hsize_t> const chunk = growing_chunk();
      H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data());
    }
    auto const fill = fill_of(variable);
    if (fill) H5Pset_fill_value(properties.get(), m_type, fill->data());
    return properties;
  }

  /// The fill value that a dataset has besides an attribute, or in its place; none if it has none.
  static std::optional<Numbers> fill_of(Variable const& variable) {
    Dtype const dtype = variable.shape.dtype;
    VariableAttribute const* const fill = variable.find(fill_key);
    bool const is_there = fill != nullptr && variable.fill_place != FillPlace::attribute;
    if (!is_there || variable.is_text) return std::nullopt;
    auto number = numbers_of_text(dtype, fill->text);
    return number && number->size() == size_of(dtype) ? std::move(number) : std::nullopt;
  }

  /// Whether an attribute is too large to lie beside others in the head of an object.
  static bool is_large(VariableAttribute const& attribute) {
    constexpr std::size_t most_in_head = 60000, text_elsewhere = 16;
    if (attribute.type) {
      auto const numbers = static_cast<std::size_t>(std::ranges::count(attribute.text, ',') + 1);
      return numbers * size_of(*attribute.type) > most_in_head;
    }
    std::vector<std::string> const texts = texts_in(attribute);
    std::size_t const longest = std::ranges::max(texts, {}, &std::string::size).size();
    return texts.size() * (attribute.is_string ? text_elsewhere : longest) > most_in_head;
  }

  static std::vector<std::string> texts_in(VariableAttribute const& attribute) {
    return attribute.is_list ? texts_of_list(attribute.text) : std::vector{attribute.text};
  }

  /// The extents of a variable, and how far they can grow.
  Id space_of(Variable const& variable) const {
    if (m_is_scalar) return {H5Screate(H5S_SCALAR), H5Sclose};
    std::vector<hsize_t> const extents(m_extents.begin(), m_extents.end());
    std::vector<hsize_t> limits = extents;
    for (std::size_t axis = 0; grows(variable) && axis < limits.size(); ++axis) {
      if (std::ranges::count(variable.unlimited, variable.dimensions[axis]) > 0) {
        limits[axis] = H5S_UNLIMITED;
      }
    }
    return {H5Screate_simple(static_cast<int>(extents.size()), extents.data(), limits.data()),
            H5Sclose};
  }

  /// Extents of chunks of at most 1 MiB that are runs of values in a row.
  std::vector<hsize_t> growing_chunk() const {
    constexpr std::size_t max_bytes = std::size_t{1} << 20;
    std::vector<hsize_t> chunk(m_extents.size(), 1);
    std::size_t bytes = m_value_bytes;
    for (std::size_t axis = chunk.size(); axis-- > 0 && bytes < max_bytes;) {
      std::size_t const along =
          std::max<std::size_t>(std::min(max_bytes / bytes, m_extents[axis]), 1);
      chunk[axis] = along;
      bytes *= along;
      if (along < m_extents[axis]) break;
    }
    return chunk;
  }

  /// \returns what the library says if it refuses; later calls make it forget that
  static std::string put_value(hid_t object, std::string const& key, hid_t type, hid_t space,
                               void const* value) {
    Id const attribute(H5Acreate2(object, key.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                       H5Aclose);
    bool const is_put = attribute.get() >= 0 && H5Awrite(attribute.get(), type, value) >= 0;
    return is_put ? "" : last_error();
  }
  /// Texts of any length.
  /// \returns what the library says if it refuses
  static std::string put_texts(hid_t object, std::string const& key, hid_t space,
                               std::vector<std::string> const& texts) {
    std::vector<char const*> pointers;
    for (std::string const& text : texts) pointers.push_back(text.c_str());
    return put_value(object, key, text_type(H5T_VARIABLE).get(), space, pointers.data());
  }
  /// Texts in as many bytes as the longest one takes.
  /// \returns what the library says if it refuses
  static std::string put_fixed_texts(hid_t object, std::string const& key, hid_t space,
                                     std::vector<std::string> const& texts) {
    std::size_t bytes = 1;
    for (std::string const& text : texts) bytes = std::max(bytes, text.size());
    std::string all;
    for (std::string const& text : texts) {
      all += text;
      all.resize(all.size() + bytes - text.size());
    }
    return put_value(object, key, text_type(bytes).get(), space, all.data());
  }
  void note_unless_put(std::string const& said, std::string const& key, std::string const& owner) {
    if (!said.empty()) leave_out(key, owner, "HDF5 says: " + said);
  }

  // Of a fixed length in UTF-8, one of which is 1 at least.
  static Id text_type(std::size_t bytes) {
    Id type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.get(), bytes);
    H5Tset_cset(type.get(), H5T_CSET_UTF8);
    if (bytes != H5T_VARIABLE) H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
    return type;
  }
  static Id list_space(hsize_t count) { return {H5Screate_simple(1, &count, nullptr), H5Sclose}; }
  /// The space of an attribute of so many values.
  static Id space_of(VariableAttribute const& attribute, std::size_t count) {
    std::vector<hsize_t> const extents(attribute.extents.begin(), attribute.extents.end());
    if (!extents.empty()) {
      return {H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
              H5Sclose};
    }
    if (count != 1 || attribute.is_list) return list_space(count);
    return {H5Screate(H5S_SCALAR), H5Sclose};
  }

  void put(hid_t object, VariableAttribute const& attribute, std::string const& owner) {
    if (!attribute.type) {
      std::vector<std::string> const texts = texts_in(attribute);
      Id const space = space_of(attribute, texts.size());
      auto const put_all = attribute.is_string ? put_texts : put_fixed_texts;
      return note_unless_put(put_all(object, attribute.key, space.get(), texts), attribute.key,
                             owner);
    }
    auto numbers = numbers_of_text(*attribute.type, attribute.text).value_or(Numbers());
    Id const space = space_of(attribute, numbers.size() / size_of(*attribute.type));
    numbers.resize(std::max<std::size_t>(numbers.size(), 1));  // the library takes no null pointer
    hid_t const type = attribute.is_boolean ? boolean_type() : native_of(*attribute.type);
    note_unless_put(put_value(object, attribute.key, type, space.get(), numbers.data()),
                    attribute.key, owner);
  }

  /// What a group says of itself; what it has already counts.
  void put_group(Group const& group) {
    std::string const path = "/" + group.name;
    Id const object(H5Oopen(m_file.get(), path.c_str(), H5P_DEFAULT), H5Oclose);
    for (VariableAttribute const& attribute : group.attributes) {
      if (H5Aexists(object.get(), attribute.key.c_str()) > 0) continue;
      put(object.get(), attribute, path);
    }
    for (Dimension const& dimension : group.dimensions) {
      add_note("the dimension '" + dimension.name + "' of '" + path +
               "' is left out: no variable has it, and HDF5 has dimensions of variables alone");
    }
  }

  void put_labels(hid_t dataset, Variable const& variable) {
    if (variable.dimensions.empty()) return;
    Id const space = list_space(variable.dimensions.size());
    note_unless_put(put_texts(dataset, labels_key, space.get(), variable.dimensions), labels_key,
                    variable.name);
  }

  /// Whether a variable becomes a scale. One with an attribute of the user's in which scales keep what they are does not.
  static bool is_axis(Variable const& variable) {
    return variable.is_coordinate() && !variable.is_scalar && variable.find("CLASS") == nullptr &&
           variable.find("NAME") == nullptr && variable.find(users_key) == nullptr;
  }

  /// The axis of a dimension of a variable: in the group that declares it, or else the next one outwards. Null if there is none.
  Variable const* axis_of(Variable const& variable, std::size_t index) const {
    std::string const& dimension = variable.dimensions[index];
    std::size_t const extent = slowest_first(variable.shape, variable.shape.extents)[index];
    auto const home = variable.group_of_dimension(index);
    std::string_view group = home.value_or(group_of(variable.name));
    for (;; group = group_of(group)) {
      std::string const name = std::string(group) + (group.empty() ? "" : "/") + dimension;
      auto const found = std::ranges::find(m_written, name, &Variable::name);
      if (found != m_written.end() && is_axis(*found)) {
        return found->shape.extents[0] == extent ? &*found : nullptr;
      }
      if (home || group.empty()) return nullptr;
    }
  }

  /// Who has an axis, and for which index, as it lies in REFERENCE_LIST.
  struct User {
    hobj_ref_t dataset;
    int index;
  };

  hobj_ref_t reference_to(std::string const& name) const {
    hobj_ref_t reference = 0;
    require(H5Rcreate(&reference, m_file.get(), name.c_str(), H5R_OBJECT, -1) >= 0);
    return reference;
  }
  Id open(std::string const& name) const {
    return {H5Oopen(m_file.get(), name.c_str(), H5P_DEFAULT), H5Oclose};
  }

  /// Makes axes dimension scales, as the library of HDF5's high level does: variables refer to them, and they to these.
  void put_scales() {
    std::map<Variable const*, std::vector<User>> users;
    for (Variable const& variable : m_written) {
      if (is_axis(variable)) users[&variable];
    }
    Id const references(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose);
    for (Variable const& variable : m_written) {
      if (users.contains(&variable) || variable.dimensions.empty()) continue;
      std::vector<hobj_ref_t> scales(variable.dimensions.size());
      std::vector<ValueList> lists(scales.size());
      bool any = false, all = true;
      for (std::size_t index = 0; index < scales.size(); ++index) {
        Variable const* const axis = axis_of(variable, index);
        all = all && axis != nullptr;
        if (axis == nullptr) continue;
        any = true;
        scales[index] = reference_to(axis->name);
        lists[index] = {1, &scales[index]};
        users[axis].push_back({reference_to(variable.name), static_cast<int>(index)});
      }
      if (!all && variable.is_unlabelled) put_labels(open(variable.name).get(), variable);
      if (any) {
        note_unless_put(put_value(open(variable.name).get(), scales_key, references.get(),
                                  list_space(lists.size()).get(), lists.data()),
                        scales_key, variable.name);
      }
    }
    for (auto const& [axis, of] : users) put_scale(*axis, of);
  }

  void put_scale(Variable const& axis, std::vector<User> const& users) {
    Id const dataset = open(axis.name);
    Id const scalar(H5Screate(H5S_SCALAR), H5Sclose);
    std::string const name = axis.scale_name.value_or(axis.dimensions[0]);
    for (auto const& [key, text] :
         {std::pair<char const*, std::string>("CLASS", "DIMENSION_SCALE"), {"NAME", name}}) {
      if (axis.is_unnamed_scale && key == std::string_view("NAME")) continue;
      Id const type = terminated_type(text);
      note_unless_put(put_value(dataset.get(), key, type.get(), scalar.get(), text.c_str()), key,
                      axis.name);
    }
    if (users.empty()) return;
    Id const type(H5Tcreate(H5T_COMPOUND, sizeof(User)), H5Tclose);
    H5Tinsert(type.get(), "dataset", offsetof(User, dataset), H5T_STD_REF_OBJ);
    H5Tinsert(type.get(), "dimension", offsetof(User, index), H5T_NATIVE_INT);
    note_unless_put(put_value(dataset.get(), users_key, type.get(), list_space(users.size()).get(),
                              users.data()),
                    users_key, axis.name);
  }

  // As HDF5's own: with the zero at the end.
  static Id terminated_type(std::string const& text) {
    Id type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.get(), text.size() + 1);
    return type;
  }

  std::string m_path, m_target;
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

std::unique_ptr<FieldWriter> linked::write_hdf5(std::string const& path, OutputFile file) {
  return std::make_unique<Hdf5Writer>(path, std::move(file));
}

}  // namespace kompakt::files
