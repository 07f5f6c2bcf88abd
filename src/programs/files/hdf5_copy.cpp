#include "hdf5_missing.hpp"
#include "hdf5_module.hpp"
#include "hdf5_netcdf.hpp"
#include "hdf5_references.hpp"
#include <cstring>
#include <kompakt/error.hpp>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

// Objects are made in a group of their own, in an order in which each finds what it needs; then they get their attributes,
// whose references are those of the copy, and last their links, in the order of the file.

namespace kompakt::files {

namespace {

constexpr std::size_t max_name_bytes = 1 << 16;

/// A link of a group.
struct Link {
  std::string name;
  LinkInfo info{};
  haddr_t object = HADDR_UNDEF;  ///< of a hard link
  std::vector<char> value{};     ///< of any other
};

struct Object {
  H5O_type_t type = H5O_TYPE_UNKNOWN;
  std::string path;  ///< in the file that is copied
  std::vector<Link> links{};
  FilteredVariable const* variable = nullptr;  ///< that it is, if it gets the filter
  bool is_prepared = false;                    ///< a dataset that still gets its values
  bool is_left_out = false;                    ///< as it cannot be read
  CopiedObject copy{};
};

std::string inside(std::string group, std::string const& name) {
  if (group.back() != '/') group.push_back('/');
  return group.append(name);
}

/// Extents of boxes of whole chunks that fit into memory, one at least.
std::vector<std::size_t> boxes_of(std::vector<std::size_t> const& extents,
                                  std::vector<std::size_t> const& chunk, std::size_t value_bytes,
                                  std::uint64_t memory_bytes) {
  std::vector<std::size_t> box = chunk;
  std::uint64_t bytes = value_bytes;
  for (std::size_t const along : box) bytes *= along;
  for (std::size_t axis = box.size(); axis-- > 0;) {
    std::uint64_t const most = std::max<std::uint64_t>(memory_bytes / bytes, 1);
    std::uint64_t const chunks = (extents[axis] + box[axis] - 1) / box[axis];
    std::uint64_t const taken = std::min(most, chunks);
    box[axis] *= static_cast<std::size_t>(taken);
    bytes *= taken;
    if (taken < chunks) break;
  }
  return box;
}

/// Calls work(box) for boxes of these extents, those at the ends cut off, that make up an array.
template <class Work>
void for_each_of(std::vector<std::size_t> const& extents, std::vector<std::size_t> const& box,
                 Work const& work) {
  ArrayBox at{std::vector<std::size_t>(extents.size()), box};
  for (bool more = true; more;) {
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      at.extent[axis] = std::min(box[axis], extents[axis] - at.begin[axis]);
    }
    work(at);
    more = false;
    for (std::size_t axis = extents.size(); axis-- > 0 && !more;) {
      at.begin[axis] += box[axis];
      more = at.begin[axis] < extents[axis];
      if (!more) at.begin[axis] = 0;
    }
  }
}

/// How many chunks there are room for; as many as the type can count if there are more.
std::uint64_t chunks_in(std::vector<std::size_t> const& extents,
                        std::vector<std::size_t> const& chunk) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t chunks = 1;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    std::uint64_t const along = extents[axis] / chunk[axis] + (extents[axis] % chunk[axis] > 0);
    chunks = along > 0 && chunks > most / along ? most : chunks * along;
  }
  return chunks;
}

/// Bytes of a dataset in its file: values, header and index of chunks.
std::uint64_t bytes_of(hid_t dataset) {
  ObjectInfo info{};
  H5Oget_info2(dataset, &info, H5O_INFO_HDR | H5O_INFO_META_SIZE);
  return H5Dget_storage_size(dataset) + info.hdr.space.total - info.hdr.space.free +
         info.meta_size.obj.index_size;
}

/// Thrown for an object that a copy goes without.
struct UnreadableObject {
  Error cause;
};

class FilteredCopy {
 public:
  FilteredCopy(InputFile const& input, std::string const& label,
               std::vector<FilteredVariable> const& variables, std::uint64_t memory_bytes)
      : m_input(input),
        m_path(input.path().string()),
        m_label(label),
        m_variables(variables),
        m_memory_bytes(memory_bytes) {}

  CopiedFile write(std::string const& target) {
    m_from = Id(H5Fopen(m_path.c_str(), read_only, H5P_DEFAULT), H5Fclose);
    require_read(m_from.get());
    require_still_named(m_input);
    find_objects();
    find_variables();
    hsize_t const user_bytes = create(target);
    for (H5O_type_t const type : {H5O_TYPE_NAMED_DATATYPE, H5O_TYPE_GROUP, H5O_TYPE_DATASET}) {
      for (auto& [address, object] : m_objects) {
        if (object.type == type) make(address, object);
      }
    }
    for (auto const& [address, object] : m_objects) {
      if (!object.is_left_out) finish(object);
    }
    CopiedFile copied = result();
    for (auto const& [address, object] : m_objects) {
      if (object.type == H5O_TYPE_GROUP) link(object);
    }
    unlink_workshop();
    require_written(m_to.close() ? 0 : -1);
    if (user_bytes > 0) copy_front(m_input, target, user_bytes, m_label);
    copied.left_out = std::move(m_left_out);
    return copied;
  }

 private:
  /// \param object  that is read; empty: the file itself
  hid_t require_read(hid_t result, std::string const& object = "") const {
    if (result < 0) damaged(object);
    return result;
  }
  [[noreturn]] void damaged(std::string const& object = "") const {
    throw unreadable(label_of(object));
  }
  /// \param object  its path in the file; empty: the file itself
  static std::string name_of_object(std::string const& object) {
    return netcdf_name(object.substr(std::min(object.find_first_not_of('/'), object.size())));
  }
  std::string label_of(std::string const& object) const {
    return FileName{m_path, name_of_object(object)}.label();
  }
  void leave_out(std::string const& object, bool is_attribute, Error const& error) {
    m_left_out.push_back(
        {name_of_object(object), is_attribute, std::string(error.text()), error.status()});
  }
  hid_t require_written(hid_t result) const {
    if (result >= 0) return result;
    refuse_writing(m_label, last_error());
  }
  /// Of an object without the filter.
  static void require_object(hid_t result) {
    if (result < 0) throw UnreadableObject{last_error_as("it cannot be read")};
  }

  Id open_object(hid_t file, std::string const& path) const {
    return {H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose};
  }
  ObjectInfo info_of(hid_t object) const {
    ObjectInfo info{};
    require_read(H5Oget_info2(object, &info, H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS));
    return info;
  }

  // What there is.

  void find_objects() {
    Id const root = open_object(m_from.get(), "/");
    m_root = info_of(require_read(root.get())).addr;
    m_objects[m_root] = {H5O_TYPE_GROUP, "/"};
    std::vector<haddr_t> groups = {m_root};
    for (std::size_t next = 0; next < groups.size(); ++next) list_links(groups[next], groups);
  }

  void list_links(haddr_t address, std::vector<haddr_t>& groups) {
    std::string const path = m_objects[address].path;
    Id const group(H5Gopen2(m_from.get(), path.c_str(), H5P_DEFAULT), H5Gclose);
    require_read(group.get());
    Id const properties(H5Gget_create_plist(group.get()), H5Pclose);
    unsigned order = 0;
    require_read(H5Pget_link_creation_order(properties.get(), &order));
    H5_index_t const index =
        (order & H5P_CRT_ORDER_TRACKED) != 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    H5G_info_t info{};
    require_read(H5Gget_info(group.get(), &info));
    for (hsize_t number = 0; number < info.nlinks; ++number) {
      Link link = read_link(group.get(), index, number);
      if (link.info.type == H5L_TYPE_HARD) {
        Id const object = open_object(group.get(), link.name);
        if (object.get() < 0) {
          leave_out(inside(path, link.name), false, last_error_as("it cannot be opened"));
          continue;
        }
        ObjectInfo const found = info_of(object.get());
        link.object = found.addr;
        bool const is_new =
            m_objects.try_emplace(found.addr, Object{found.type, inside(path, link.name)}).second;
        if (is_new && found.type == H5O_TYPE_GROUP) groups.push_back(found.addr);
      }
      m_objects[address].links.push_back(std::move(link));
    }
  }

  Link read_link(hid_t group, H5_index_t index, hsize_t number) const {
    Link link;
    ssize_t const bytes =
        H5Lget_name_by_idx(group, ".", index, H5_ITER_INC, number, nullptr, 0, H5P_DEFAULT);
    if (bytes < 0 || static_cast<std::size_t>(bytes) > max_name_bytes) damaged();
    link.name.resize(static_cast<std::size_t>(bytes) + 1);
    H5Lget_name_by_idx(group, ".", index, H5_ITER_INC, number, link.name.data(), link.name.size(),
                       H5P_DEFAULT);
    link.name.pop_back();
    require_read(link_info(group, link.name.c_str(), &link.info));
    if (link.info.type == H5L_TYPE_HARD) return link;
    link.value.resize(link.info.u.val_size + 1);
    require_read(
        H5Lget_val(group, link.name.c_str(), link.value.data(), link.info.u.val_size, H5P_DEFAULT));
    return link;
  }

  void find_variables() {
    for (FilteredVariable const& variable : m_variables) {
      Id const dataset =
          open_object(m_from.get(), dataset_of_variable(m_from.get(), variable.name));
      auto const found = m_objects.find(info_of(require_read(dataset.get())).addr);
      if (found == m_objects.end()) damaged();  // behind a link to another file
      found->second.variable = &variable;
    }
  }

  /// What became of the variables, when they have all of their attributes.
  CopiedFile result() const {
    CopiedFile copied{std::vector<CopiedVariable>(m_variables.size())};
    for (auto const& [address, object] : m_objects) {
      if (object.variable == nullptr) continue;
      Id const from = open_object(m_from.get(), object.path);
      Id const to = open_object(m_to.get(), object.copy.path);
      bool const is_elsewhere = lies_elsewhere(from.get());
      auto const number = static_cast<std::size_t>(object.variable - m_variables.data());
      copied.variables[number] = {H5Dget_storage_size(require_written(to.get())),
                                  is_elsewhere || bytes_of(to.get()) < bytes_of(from.get())};
      copied.has_more = copied.has_more || is_elsewhere;
    }
    return copied;
  }

  /// Whether the values of a dataset lie in other files.
  bool lies_elsewhere(hid_t dataset) const {
    Id const properties(H5Dget_create_plist(dataset), H5Pclose);
    return H5Pget_layout(properties.get()) == H5D_VIRTUAL ||
           H5Pget_external_count(properties.get()) > 0;
  }

  // What is made of it.

  /// The file, with all that it is created with, and the group in which objects are made.
  /// \returns bytes of the user's own in front
  hsize_t create(std::string const& target) {
    Id const properties(H5Fget_create_plist(m_from.get()), H5Pclose);
    Id const access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    take_group_properties("/", properties.get());  // the root is made with the file
    H5Pset_obj_track_times(properties.get(), 0);
    unsigned version = 0, unused[3];
    hsize_t user_bytes = 0;
    H5Pget_version(properties.get(), &version, &unused[0], &unused[1], &unused[2]);
    H5Pget_userblock(properties.get(), &user_bytes);
    m_has_new_headers = version >= 2;  // for attributes beyond 64 KiB
    if (m_has_new_headers) {
      H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_LATEST);
    }
    m_to = Id(H5Fcreate(target.c_str(), replacing, properties.get(), access.get()), H5Fclose);
    require_written(m_to.get());
    while (H5Lexists(m_from.get(), m_workshop.c_str(), H5P_DEFAULT) > 0) m_workshop += '_';
    Id const own(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    H5Pset_obj_track_times(own.get(), 0);
    Id const workshop(
        H5Gcreate2(m_to.get(), m_workshop.c_str(), H5P_DEFAULT, own.get(), H5P_DEFAULT), H5Gclose);
    require_written(workshop.get());
    return user_bytes;
  }

  /// What a group is created with. Not all that HDF5 says of it: that has places in the file that is copied.
  void take_group_properties(std::string const& path, hid_t to) const {
    Id const group(H5Gopen2(m_from.get(), path.c_str(), H5P_DEFAULT), H5Gclose);
    Id const from(H5Gget_create_plist(require_read(group.get())), H5Pclose);
    unsigned order = 0, most = 0, least = 0;
    require_read(H5Pget_link_creation_order(from.get(), &order));
    H5Pset_link_creation_order(to, order);
    require_read(H5Pget_attr_creation_order(from.get(), &order));
    H5Pset_attr_creation_order(to, order);
    require_read(H5Pget_link_phase_change(from.get(), &most, &least));
    H5Pset_link_phase_change(to, most, least);
    require_read(H5Pget_attr_phase_change(from.get(), &most, &least));
    H5Pset_attr_phase_change(to, most, least);
  }

  void make(haddr_t address, Object& object) {
    object.copy.path = inside(m_workshop, std::to_string(address));
    if (address == m_root) {
      object.copy.path = object.path;
    } else if (object.type == H5O_TYPE_GROUP) {
      make_group(object);
    } else if (object.variable != nullptr) {
      store(object);
    } else {
      object.is_left_out = !make_if_readable(object);
      if (object.is_left_out) return;
    }
    Id const made = open_object(m_to.get(), object.copy.path);
    object.copy.address = info_of(require_written(made.get())).addr;
    if (object.type == H5O_TYPE_NAMED_DATATYPE) {
      H5Padd_merge_committed_dtype_path(m_copy_properties.get(), object.copy.path.c_str());
    }
  }

  /// A type, or a dataset without the filter.
  /// \returns false for one that cannot be read, which is noted
  bool make_if_readable(Object& object) {
    try {
      if (object.type == H5O_TYPE_NAMED_DATATYPE) {
        make_type(object);
      } else if (!prepare(object) && !take_over(object)) {
        write_anew(object);
      }
      return true;
    } catch (UnreadableObject const& error) {
      leave_out(object.path, false, error.cause);
      return false;
    }
  }

  void make_group(Object const& object) const {
    Id const properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    take_group_properties(object.path, properties.get());
    H5Pset_obj_track_times(properties.get(), 0);
    Id const made(H5Gcreate2(m_to.get(), object.copy.path.c_str(), H5P_DEFAULT, properties.get(),
                             H5P_DEFAULT),
                  H5Gclose);
    require_written(made.get());
  }

  /// A type of the same kind, made anew: the one of H5Ocopy() would have the time of the copy.
  void make_type(Object const& object) const {
    Id const named(H5Topen2(m_from.get(), object.path.c_str(), H5P_DEFAULT), H5Tclose);
    require_object(named.get());
    Id const properties(H5Tget_create_plist(named.get()), H5Pclose);
    Id const type(H5Tcopy(named.get()), H5Tclose);
    H5Pset_obj_track_times(properties.get(), 0);
    require_written(H5Tcommit2(m_to.get(), object.copy.path.c_str(), type.get(), H5P_DEFAULT,
                               properties.get(), H5P_DEFAULT));
  }

  /// A dataset as it is: chunks are moved as they are stored. Its attributes come later, one by one: of some that lie in a heap
  /// H5Ocopy() of HDF5 1.10 dies.
  /// \returns false if the library cannot, which reads all attributes even so
  bool take_over(Object const& object) const {
    herr_t const result = H5Ocopy(m_from.get(), object.path.c_str(), m_to.get(),
                                  object.copy.path.c_str(), m_copy_properties.get(), H5P_DEFAULT);
    // Of what reads and writes at once: what the system says is mostly about writing.
    if (result < 0 && !last_failure().is_of_system) return false;
    require_written(result);
    return true;
  }

  /// A dataset of plain values, read and written.
  void write_anew(Object const& object) const {
    Id const from(H5Dopen2(m_from.get(), object.path.c_str(), H5P_DEFAULT), H5Dclose);
    require_object(from.get());
    make_dataset(object, from.get());
    try {
      copy_prepared(object, from.get(), open_object(m_to.get(), object.copy.path).get());
    } catch (Error const& error) {
      H5Ldelete(m_to.get(), object.copy.path.c_str(), H5P_DEFAULT);
      if (error.status() == Status::io) throw;
      throw UnreadableObject{error};
    }
  }

  /// A dataset whose values come later: they lie elsewhere, so that H5Ocopy() would leave the fill value behind, or have
  /// times, of which H5Ocopy() makes that of the copy.
  /// \returns false for any other
  bool prepare(Object& object) const {
    Id const dataset(H5Dopen2(m_from.get(), object.path.c_str(), H5P_DEFAULT), H5Dclose);
    require_object(dataset.get());
    Id const type(H5Dget_type(dataset.get()), H5Tclose);
    Id const properties(H5Dget_create_plist(dataset.get()), H5Pclose);
    require_object(type.get());
    require_object(properties.get());
    bool const is_virtual = H5Pget_layout(properties.get()) == H5D_VIRTUAL;
    bool const has_times =
        m_has_new_headers && !lies_elsewhere(dataset.get()) && has_times_to_leave(properties.get());
    bool const is_elsewhere = point_elsewhere(type.get()) && !is_virtual;
    object.is_prepared = has_times || is_elsewhere;
    if (!object.is_prepared) return false;
    auto const missing = is_elsewhere ? missing_part(dataset.get()) : std::nullopt;
    if (missing) throw UnreadableObject{Error(missing->status, missing->text)};
    make_dataset(object, dataset.get());
    return true;
  }

  /// A dataset like another one, without values and times.
  void make_dataset(Object const& object, hid_t from) const {
    Id const type(H5Dget_type(from), H5Tclose);
    Id const space(H5Dget_space(from), H5Sclose);
    Id const properties(H5Dget_create_plist(from), H5Pclose);
    H5Pset_obj_track_times(properties.get(), 0);
    Id const made(H5Dcreate2(m_to.get(), object.copy.path.c_str(), type_for_copy(type.get()).get(),
                             space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                  H5Dclose);
    require_written(made.get());
  }

  /// Whether a dataset has times and can be written anew without a change of its values.
  bool has_times_to_leave(hid_t properties) const {
    hbool_t has_times = 0;
    H5Pget_obj_track_times(properties, &has_times);
    int const filters = has_times == 0 ? 0 : H5Pget_nfilters(properties);
    for (int number = 0; number < filters; ++number) {
      std::size_t words = 0;
      H5Z_filter_t const filter = H5Pget_filter2(properties, static_cast<unsigned>(number), nullptr,
                                                 &words, nullptr, 0, nullptr, nullptr);
      if (filter < H5Z_FILTER_DEFLATE || filter > H5Z_FILTER_FLETCHER32) return false;
    }
    return has_times != 0;
  }

  /// Null for what the copy goes without.
  Object const* copied_object(haddr_t address) const {
    auto const found = m_objects.find(address);
    return found == m_objects.end() || found->second.is_left_out ? nullptr : &found->second;
  }

  /// A type of the file that is copied, for the copy: that of the same name if it has one.
  Id type_for_copy(hid_t type) const {
    if (H5Tcommitted(type) > 0) {
      Object const* const found = copied_object(info_of(type).addr);
      if (found != nullptr) return open_object(m_to.get(), found->copy.path);
    }
    return {H5Tcopy(type), H5Tclose};
  }

  /// What chunks of floats have beyond the ends of a dataset, if somebody has set it.
  static std::optional<double> padding_of(hid_t properties, Dtype dtype) {
    std::vector<std::byte> const fill = own_fill(properties, Dtype::f64);
    if (is_integer(dtype) || fill.empty()) return {};
    double padding = 0;
    std::memcpy(&padding, fill.data(), sizeof padding);
    return padding;
  }

  Id dataset_properties(hid_t dataset, FilteredVariable const& variable, Dtype dtype) const {
    Id properties(H5Dget_create_plist(dataset), H5Pclose);
    if (lies_elsewhere(dataset)) {  // values in other files, which come into this one
      Id const original = std::move(properties);
      properties = Id(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
      std::vector<std::byte> const fill = own_fill(original.get(), dtype);
      if (!fill.empty()) H5Pset_fill_value(properties.get(), native_of(dtype), fill.data());
    }
    std::vector<hsize_t> const chunk(variable.chunk.begin(), variable.chunk.end());
    FilterWords const filter = filter_words(variable.options, padding_of(properties.get(), dtype));
    H5Premove_filter(properties.get(), H5Z_FILTER_ALL);
    H5Pset_obj_track_times(properties.get(), 0);
    H5Pset_alloc_time(properties.get(), H5D_ALLOC_TIME_DEFAULT);
    require_written(H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data()));
    H5Pset_chunk_opts(properties.get(), 0);
    require_written(H5Pset_filter(properties.get(), static_cast<H5Z_filter_t>(filter.id),
                                  H5Z_FLAG_MANDATORY, filter.words.size(), filter.words.data()));
    return properties;
  }

  /// A dataset anew, with the filter, and its values.
  void store(Object const& object) const {
    FilteredVariable const& variable = *object.variable;
    Id const dataset(H5Dopen2(m_from.get(), object.path.c_str(), H5P_DEFAULT), H5Dclose);
    Id const type(H5Dget_type(require_read(dataset.get())), H5Tclose);
    Id const space(H5Dget_space(dataset.get()), H5Sclose);
    auto const dtype = dtype_of(type.get());
    if (!dtype || extents_of(space.get()).size() != variable.chunk.size()) damaged();
    bool const is_turned = H5Tequal(type.get(), native_of(*dtype)) <= 0;
    Id const properties = dataset_properties(dataset.get(), variable, *dtype);
    Id const stored =
        is_turned ? Id(H5Tcopy(native_of(*dtype)), H5Tclose) : type_for_copy(type.get());
    Id made(H5Dcreate2(m_to.get(), object.copy.path.c_str(), stored.get(), space.get(), H5P_DEFAULT,
                       properties.get(), H5P_DEFAULT),
            H5Dclose);
    require_written(made.get());
    copy_values(dataset.get(), made.get(), *dtype, extents_of(space.get()), variable);
    require_written(made.close() ? 0 : -1);  // the last chunks are compressed now
  }

  void copy_values(hid_t from, hid_t to, Dtype dtype, std::vector<std::size_t> const& extents,
                   FilteredVariable const& variable) const {
    hid_t const type = native_of(dtype);
    std::vector<std::byte> values;
    for_each_of(extents, boxes_of(extents, variable.chunk, size_of(dtype), m_memory_bytes),
                [&](ArrayBox const& box) {
                  std::size_t bytes = size_of(dtype);
                  for (std::size_t const along : box.extent) bytes *= along;
                  values.resize(bytes);
                  Selection const selection(from, box, false);
                  if (H5Dread(from, type, selection.in_memory(), selection.in_file(), H5P_DEFAULT,
                              values.data()) < 0) {
                    Error const error = unreadable_values(from, label_of(variable.name));
                    throw Error(error.status(), error.text(), "--skip NAME leaves it as it is");
                  }
                  require_written(H5Dwrite(to, type, selection.in_memory(), selection.in_file(),
                                           H5P_DEFAULT, values.data()));
                });
  }

  // What refers to other objects.

  References references() const {
    return {m_from.get(), m_to.get(), [this](haddr_t address) -> CopiedObject const* {
              Object const* const found = copied_object(address);
              return found == nullptr ? nullptr : &found->copy;
            }};
  }

  /// Attributes and a comment, and values that are references.
  void finish(Object const& object) {
    Id const from = open_object(m_from.get(), object.path);
    Id const to = open_object(m_to.get(), object.copy.path);
    hsize_t const count = info_of(require_read(from.get())).num_attrs;
    H5_index_t index = H5_INDEX_CRT_ORDER;
    Id const first = count == 0 ? Id() : open_attribute(from.get(), index, 0);
    if (first.get() < 0) index = H5_INDEX_NAME;
    for (hsize_t number = 0; number < count; ++number) {
      Id const attribute = open_attribute(from.get(), index, number);
      if (attribute.get() >= 0) {
        copy_attribute(attribute.get(), to.get());
      } else {
        leave_out(object.path, true, last_error_as("it cannot be opened"));
      }
    }
    copy_comment(from.get(), to.get());
    if (object.is_prepared) copy_prepared(object, from.get(), to.get());
  }

  /// In the order in which they were made, as far as the file knows it.
  Id open_attribute(hid_t object, H5_index_t index, hsize_t number) const {
    H5_iter_order_t const order = index == H5_INDEX_NAME ? H5_ITER_NATIVE : H5_ITER_INC;
    return {H5Aopen_by_idx(object, ".", index, order, number, H5P_DEFAULT, H5P_DEFAULT), H5Aclose};
  }

  void copy_comment(hid_t from, hid_t to) const {
    ssize_t const bytes = H5Oget_comment(from, nullptr, 0);
    if (bytes <= 0 || static_cast<std::size_t>(bytes) > max_name_bytes) return;
    std::string comment(static_cast<std::size_t>(bytes) + 1, '\0');
    H5Oget_comment(from, comment.data(), comment.size());
    H5Oset_comment(to, comment.c_str());
  }

  std::string name_of(hid_t attribute) const {
    ssize_t const bytes = H5Aget_name(attribute, 0, nullptr);
    if (bytes < 0 || static_cast<std::size_t>(bytes) > max_name_bytes) damaged();
    std::string name(static_cast<std::size_t>(bytes) + 1, '\0');
    H5Aget_name(attribute, name.size(), name.data());
    name.pop_back();
    return name;
  }

  void copy_attribute(hid_t attribute, hid_t to) const {
    Id const type(H5Aget_type(attribute), H5Tclose);
    Id const space(H5Aget_space(attribute), H5Sclose);
    Id const properties(H5Aget_create_plist(attribute), H5Pclose);
    Id const stored = type_for_copy(require_read(type.get()));
    Id const made(H5Acreate2(to, name_of(attribute).c_str(), stored.get(),
                             require_read(space.get()), properties.get(), H5P_DEFAULT),
                  H5Aclose);
    require_written(made.get());
    copy_any(
        type.get(), space.get(),
        [&](hid_t memory, void* values) { return H5Aread(attribute, memory, values); },
        [&](hid_t memory, void const* values) { return H5Awrite(made.get(), memory, values); });
  }

  void copy_prepared(Object const& object, hid_t from, hid_t to) const {
    Id const type(H5Dget_type(from), H5Tclose);
    Id const space(H5Dget_space(from), H5Sclose);
    if (count_of(require_read(space.get())) == 0) return;
    bool const is_scalar = extents_of(space.get()).empty();
    for_each_stored(from, H5Tget_size(require_read(type.get())), [&](ArrayBox const& box) {
      Selection const selection(from, box, is_scalar);
      copy_any(
          type.get(), is_scalar ? space.get() : selection.memory.get(),
          [&](hid_t memory, void* values) {
            herr_t const result = H5Dread(from, memory, selection.in_memory(), selection.in_file(),
                                          H5P_DEFAULT, values);
            if (result < 0) throw unreadable_values(from, label_of(object.path));
            return result;
          },
          [&](hid_t memory, void const* values) {
            return H5Dwrite(to, memory, selection.in_memory(), selection.in_file(), H5P_DEFAULT,
                            values);
          });
    });
  }

  /// Calls work(box) for boxes with all values of a dataset that the file has: room that nobody has written stays room.
  template <class Work>
  void for_each_stored(hid_t dataset, std::size_t value_bytes, Work const& work) const {
    Id const space(H5Dget_space(dataset), H5Sclose);
    Id const properties(H5Dget_create_plist(dataset), H5Pclose);
    std::vector<std::size_t> const extents = extents_of(require_read(space.get()));
    std::vector<std::size_t> chunk(extents.size(), 1);
    if (H5Pget_layout(require_read(properties.get())) == H5D_CHUNKED) {
      std::vector<hsize_t> own(extents.size());
      require_read(H5Pget_chunk(properties.get(), static_cast<int>(own.size()), own.data()));
      chunk.assign(own.begin(), own.end());
      if (for_each_chunk(dataset, space.get(), chunk, work)) return;
    } else if (H5Dget_storage_size(dataset) == 0) {
      return;
    }
    for_each_of(extents, boxes_of(extents, chunk, value_bytes, m_memory_bytes), work);
  }

  /// Calls work(box) for the chunks that a dataset has, one by one.
  /// \returns false, without a call, if it has all, or if the library cannot tell
  template <class Work>
  bool for_each_chunk([[maybe_unused]] hid_t dataset, [[maybe_unused]] hid_t space,
                      [[maybe_unused]] std::vector<std::size_t> const& chunk,
                      [[maybe_unused]] Work const& work) const {
#if H5_VERSION_GE(1, 10, 5)
    std::vector<std::size_t> const extents = extents_of(space);
    hsize_t count = 0;
    if (H5Dget_num_chunks(dataset, space, &count) < 0) return false;
    if (count == chunks_in(extents, chunk)) return false;
    std::vector<hsize_t> offset(extents.size());
    for (hsize_t number = 0; number < count; ++number) {
      require_read(
          H5Dget_chunk_info(dataset, space, number, offset.data(), nullptr, nullptr, nullptr));
      ArrayBox box{{offset.begin(), offset.end()}, chunk};
      for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        if (offset[axis] >= extents[axis]) damaged();
        box.extent[axis] = std::min(chunk[axis], extents[axis] - box.begin[axis]);
      }
      work(box);
    }
    return true;
#else
    return false;
#endif
  }

  /// Values of any type at once, with references that are those of the copy.
  /// \param space  of the memory
  template <class Read, class Write>
  void copy_any(hid_t type, hid_t space, Read const& read, Write const& write) const {
    std::size_t const count = count_of(space);
    if (count == 0) return;
    Id const memory(H5Tcopy(type), H5Tclose);
    std::vector<std::byte> values(count * H5Tget_size(memory.get()));
    require_read(read(memory.get(), values.data()));
    references().turn(memory.get(), values);
    herr_t const written = write(memory.get(), values.data());
    H5Dvlen_reclaim(memory.get(), space, H5P_DEFAULT, values.data());
    require_written(written);
  }

  // Its place.

  void link(Object const& object) const {
    Id const group = open_object(m_to.get(), object.copy.path);
    Id const properties(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    for (Link const& one : object.links) {
      if (one.info.type == H5L_TYPE_HARD && copied_object(one.object) == nullptr) continue;
      H5Pset_char_encoding(properties.get(), one.info.cset);
      require_written(add_link(group.get(), one, properties.get()));
    }
  }

  herr_t add_link(hid_t group, Link const& link, hid_t properties) const {
    char const* const name = link.name.c_str();
    switch (link.info.type) {
      case H5L_TYPE_HARD:
        return H5Lcreate_hard(m_to.get(), m_objects.at(link.object).copy.path.c_str(), group, name,
                              properties, H5P_DEFAULT);
      case H5L_TYPE_SOFT:
        return H5Lcreate_soft(link.value.data(), group, name, properties, H5P_DEFAULT);
      case H5L_TYPE_EXTERNAL: {
        char const *file = nullptr, *object = nullptr;
        require_read(
            H5Lunpack_elink_val(link.value.data(), link.info.u.val_size, nullptr, &file, &object));
        return H5Lcreate_external(file, object, group, name, properties, H5P_DEFAULT);
      }
      default:
        throw Error(Status::bad_argument, "'" + m_path + "' has the link '" + link.name +
                                              "' of a kind of its own, which cannot be copied");
    }
  }

  void unlink_workshop() const {
    for (auto const& [address, object] : m_objects) {
      if (address == m_root || object.is_left_out) continue;
      require_written(H5Ldelete(m_to.get(), object.copy.path.c_str(), H5P_DEFAULT));
    }
    require_written(H5Ldelete(m_to.get(), m_workshop.c_str(), H5P_DEFAULT));
  }

  /// H5Ocopy(): types of the file with a name are those of the copy, and attributes stay behind.
  static Id copy_properties() {
    Id properties(H5Pcreate(H5P_OBJECT_COPY), H5Pclose);
    H5Pset_copy_object(properties.get(),
                       H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG | H5O_COPY_WITHOUT_ATTR_FLAG);
    return properties;
  }

  InputFile const& m_input;
  std::string m_path, m_label, m_workshop = "/.kompakt";
  std::vector<FilteredVariable> const& m_variables;
  std::uint64_t m_memory_bytes;
  bool m_has_new_headers = false;  // in the file that is copied, and in the copy
  haddr_t m_root = HADDR_UNDEF;
  std::map<haddr_t, Object> m_objects;  // by their addresses in the file that is copied
  std::vector<LeftOutPart> m_left_out;
  Id m_copy_properties = copy_properties();
  Id m_from, m_to;
};

}  // namespace

CopiedFile linked::copy_with_filter(InputFile const& input, OutputFile const& output,
                                    std::string const& label,
                                    std::vector<FilteredVariable> const& variables,
                                    std::uint64_t memory_bytes) {
  std::string const target = path_for_library(output, label, "HDF5");
  auto const lock = lock_hdf5();
  return FilteredCopy(input, label, variables, memory_bytes).write(target);
}

}  // namespace kompakt::files
