#include "boxes.hpp"
#include "hdf5.hpp"
#include "library.hpp"
#include "netcdf_module.hpp"
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <netcdf.h>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

// Functions of the HDF5 that libnetcdf is linked to; null if it has none.
extern "C" {
[[gnu::weak]] int H5dont_atexit();
[[gnu::weak]] int H5Zregister(void const* filter);
[[gnu::weak]] int H5Eset_auto2(std::int64_t stack, void* function, void* data);
}

namespace kompakt::files {

namespace {

/// To be held around calls of the library. It silences the HDF5 below in this thread, which otherwise prints what goes wrong.
std::unique_lock<std::mutex> lock_netcdf() {
  auto lock = lock_libraries();
  if (H5Eset_auto2 != nullptr) H5Eset_auto2(0, nullptr, nullptr);
  return lock;
}

struct TypeNumber {
  nc_type number;
  Dtype dtype;
};
constexpr TypeNumber types[] = {
    {NC_FLOAT, Dtype::f32}, {NC_DOUBLE, Dtype::f64}, {NC_BYTE, Dtype::i8}, {NC_UBYTE, Dtype::u8},
    {NC_SHORT, Dtype::i16}, {NC_USHORT, Dtype::u16}, {NC_INT, Dtype::i32}, {NC_UINT, Dtype::u32},
    {NC_INT64, Dtype::i64}, {NC_UINT64, Dtype::u64},
};

std::optional<Dtype> dtype_of(nc_type number) {
  auto const found = std::ranges::find(types, number, &TypeNumber::number);
  if (found == std::end(types)) return std::nullopt;
  return found->dtype;
}
/// That of all numbers of the type, or of a part of complex ones.
nc_type number_of(Dtype dtype) {
  if (is_complex(dtype)) dtype = dtype == Dtype::c64 ? Dtype::f32 : Dtype::f64;
  if (is_half(dtype)) dtype = Dtype::f32;
  return std::ranges::find(types, dtype, &TypeNumber::dtype)->number;
}

/// What netCDF takes for missing in a variable without a _FillValue of its own. Bytes have no such value by its conventions, unless
/// they stand for other numbers: clients mask it there. Doubles do not hold the values of 64-bit integers, which no bound is kept for:
/// a variable with such values is stored without loss.
std::optional<double> default_fill_of(Variable const& variable) {
  switch (variable.shape.dtype) {
    case Dtype::f32: return static_cast<double>(NC_FILL_FLOAT);
    case Dtype::f64: return NC_FILL_DOUBLE;
    case Dtype::i8:
      return variable.is_packed() ? std::optional<double>(NC_FILL_BYTE) : std::nullopt;
    case Dtype::u8:
      return variable.is_packed() ? std::optional<double>(NC_FILL_UBYTE) : std::nullopt;
    case Dtype::i16: return NC_FILL_SHORT;
    case Dtype::u16: return NC_FILL_USHORT;
    case Dtype::i32: return NC_FILL_INT;
    case Dtype::u32: return NC_FILL_UINT;
    default: return std::nullopt;
  }
}

/// The type of the numbers of an enumeration; none for other types of the file's own.
std::optional<Dtype> dtype_of_enumeration(int group, nc_type number) {
  nc_type base = NC_NAT;
  int kind = 0;
  if (number <= NC_MAX_ATOMIC_TYPE) return std::nullopt;
  int const status = nc_inq_user_type(group, number, nullptr, nullptr, &base, nullptr, &kind);
  return status == NC_NOERR && kind == NC_ENUM ? dtype_of(base) : std::nullopt;
}

/// Whether structures are complex numbers as other programs write them: floating-point numbers r and i of one type.
bool is_complex_type(int group, nc_type number) {
  std::size_t fields = 0;
  if (nc_inq_compound_nfields(group, number, &fields) != NC_NOERR || fields != 2) return false;
  std::array<nc_type, 2> parts{};
  for (int field = 0; field < 2; ++field) {
    std::array<char, NC_MAX_NAME + 1> name{};
    int rank = 0;
    int const status =
        nc_inq_compound_field(group, number, field, name.data(), nullptr,
                              &parts[static_cast<std::size_t>(field)], &rank, nullptr);
    bool const has_name = name.data() == std::string_view(field == 0 ? "r" : "i");
    if (status != NC_NOERR || rank != 0 || !has_name) return false;
  }
  return parts[0] == parts[1] && (parts[0] == NC_FLOAT || parts[0] == NC_DOUBLE);
}

std::string refusal_of_type(int group, nc_type number) {
  std::string what = "its values are of a type that only this file has";
  int kind = 0;
  bool const is_own =
      number > NC_MAX_ATOMIC_TYPE &&
      nc_inq_user_type(group, number, nullptr, nullptr, nullptr, nullptr, &kind) == NC_NOERR;
  if (number == NC_STRING) {
    what = "its values are texts";
  } else if (is_own && kind == NC_COMPOUND) {
    if (is_complex_type(group, number)) {
      return "its values are complex numbers, which netCDF does not have; name the file .h5 to "
             "read it as HDF5";
    }
    what = "its values are structures";
  } else if (is_own && kind == NC_VLEN) {
    what = "its values are lists of any length";
  } else if (is_own && kind == NC_OPAQUE) {
    what = "its values are opaque bytes";
  }
  return what + "; f32, f64 and integers of 8 to 64 bits can be compressed";
}

/// An open file; one at a time calls the library.
class Handle {
 public:
  Handle(std::string path, int id) : m_path(std::move(path)), m_id(id) {}
  ~Handle() {
    auto const lock = lock_netcdf();
    if (m_open) nc_close(m_id);
  }
  Handle(Handle const&) = delete;
  Handle& operator=(Handle const&) = delete;

  int id() const { return m_id; }
  std::string const& path() const { return m_path; }
  /// \param variable  that is read; empty: the file itself
  void require_read(int status, std::string const& variable = "") const {
    if (status == NC_NOERR) return;
    throw Error(status > 0 ? Status::io : Status::corrupt,
                "'" + FileName{m_path, variable}.label() +
                    "' cannot be read as netCDF: " + nc_strerror(status),
                "it may be cut off or damaged, or be written by another program");
  }
  /// \param variable  that is defined; empty: any
  void require_written(int status, std::string const& variable = "") const {
    if (status == NC_NOERR) return;
    bool const is_name = status == NC_EBADNAME || status == NC_ENAMEINUSE;
    throw Error(is_name ? Status::bad_argument : Status::io,
                "cannot write '" + FileName{m_path, variable}.label() +
                    "': " + nc_strerror(status) +
                    (is_name ? "; give the variable another name, as FILE.nc:NAME, or write all "
                               "into a folder or a file of HDF5"
                             : "; free some space or choose another place"));
  }
  int close() {
    m_open = false;
    return nc_close(m_id);
  }

 private:
  std::string m_path;
  int m_id;
  bool m_open = true;
};

/// A variable in its group.
struct VariableId {
  int group, id;
};

/// The dimensions that a group itself declares, for calls that list numbers.
int own_dimensions(int group, int* count, int* ids) { return nc_inq_dimids(group, count, ids, 0); }

/// \param inquire  a call of the library for a group
template <class Inquire>
std::vector<int> list(Handle const& file, int group, Inquire const& inquire) {
  int count = 0;
  file.require_read(inquire(group, &count, nullptr));
  std::vector<int> ids(static_cast<std::size_t>(count));
  file.require_read(inquire(group, &count, ids.data()));
  return ids;
}

/// Reads what a file says of its variables.
class Catalogue {
 public:
  Catalogue(Handle const& file, std::vector<Variable>& variables, std::vector<VariableId>& ids,
            std::vector<Group>& groups)
      : m_file(file), m_variables(variables), m_ids(ids), m_groups(groups) {}

  void add_group(int group, std::string const& prefix) {
    Group own{prefix.substr(0, prefix.empty() ? 0 : prefix.size() - 1)};
    int attributes = 0;
    m_file.require_read(nc_inq_varnatts(group, NC_GLOBAL, &attributes));
    for (int number = 0; number < attributes; ++number) {
      add_attribute(own, {group, NC_GLOBAL}, number);
    }
    std::size_t const number = m_groups.size();
    m_groups.push_back(std::move(own));
    std::vector<int> const dimensions = list(m_file, group, own_dimensions);
    for (int const id : dimensions) m_homes[id] = m_groups[number].name;
    for (int const id : list(m_file, group, nc_inq_unlimdims)) m_unlimited.insert(id);
    for (int const id : list(m_file, group, nc_inq_varids)) add_variable({group, id}, prefix);
    for (int const inner : list(m_file, group, nc_inq_grps)) {
      std::array<char, NC_MAX_NAME + 1> name{};
      m_file.require_read(nc_inq_grpname(inner, name.data()));
      add_group(inner, prefix + name.data() + "/");
    }
    // Variables of inner groups may have dimensions of this one.
    add_dimensions(group, dimensions, m_groups[number]);
  }

 private:
  /// Adds dimensions that no variable has.
  void add_dimensions(int group, std::vector<int> const& ids, Group& to) const {
    for (int const id : ids) {
      if (m_used.contains(id)) continue;
      std::array<char, NC_MAX_NAME + 1> name{};
      Dimension dimension;
      m_file.require_read(nc_inq_dim(group, id, name.data(), &dimension.length));
      dimension.name = name.data();
      dimension.is_unlimited = m_unlimited.contains(id);
      to.dimensions.push_back(std::move(dimension));
    }
  }

  void add_variable(VariableId const& where, std::string const& prefix) {
    int rank = 0, attributes = 0;
    nc_type type = NC_NAT;
    m_file.require_read(nc_inq_varndims(where.group, where.id, &rank));
    std::vector<int> dimensions(static_cast<std::size_t>(rank));
    std::array<char, NC_MAX_NAME + 1> name{};
    m_file.require_read(nc_inq_var(where.group, where.id, name.data(), &type, nullptr,
                                   dimensions.data(), &attributes));
    Variable variable;
    variable.name = prefix + name.data();
    variable.is_text = type == NC_CHAR;
    if (auto const dtype = variable.is_text ? Dtype::u8 : dtype_of(type)) {
      variable.shape.dtype = *dtype;
    } else if (auto const numbers = dtype_of_enumeration(where.group, type)) {
      variable.shape.dtype = *numbers;
      take_enumeration(variable);
    } else {
      variable.refusal = refusal_of_type(where.group, type);
    }
    std::vector<std::size_t> extents;
    for (int const dimension : dimensions) {
      std::size_t length = 0;
      m_file.require_read(nc_inq_dim(where.group, dimension, name.data(), &length));
      extents.push_back(length);
      variable.dimensions.emplace_back(name.data());
      if (m_unlimited.contains(dimension)) variable.unlimited.emplace_back(name.data());
    }
    take_extents(variable, extents);
    take_homes(variable, homes_of(dimensions));
    take_chunk(variable, where);
    if (variable.refusal.empty() || variable.is_empty) {
      m_used.insert(dimensions.begin(), dimensions.end());
    }
    for (int number = 0; number < attributes; ++number) add_attribute(variable, where, number);
    int has_no_fill = 0;
    m_file.require_read(nc_inq_var_fill(where.group, where.id, &has_no_fill, nullptr));
    variable.has_no_fill = has_no_fill != 0;
    if (!variable.has_no_fill && variable.find(fill_key) == nullptr) {
      variable.unwritten = default_fill_of(variable);
    }
    m_variables.push_back(std::move(variable));
    m_ids.push_back(where);
  }

  static void take_chunk(Variable& variable, VariableId const& where) {
    int storage = NC_CONTIGUOUS;
    std::vector<std::size_t> chunk(variable.dimensions.size());
    bool const is_known =
        nc_inq_var_chunking(where.group, where.id, &storage, chunk.data()) == NC_NOERR;
    if (is_known && storage == NC_CHUNKED) variable.chunk = std::move(chunk);
  }

  /// The groups that declare dimensions; none if one is of a group that comes later, which only HDF5 has.
  std::vector<std::string> homes_of(std::vector<int> const& dimensions) const {
    std::vector<std::string> homes;
    for (int const dimension : dimensions) {
      auto const home = m_homes.find(dimension);
      if (home == m_homes.end()) return {};
      homes.push_back(home->second);
    }
    return homes;
  }

  /// \param owner  a variable or a group
  void add_attribute(auto& owner, VariableId const& where, int number) const {
    std::array<char, NC_MAX_NAME + 1> name{};
    nc_type type = NC_NAT;
    std::size_t length = 0;
    m_file.require_read(nc_inq_attname(where.group, where.id, number, name.data()));
    m_file.require_read(nc_inq_att(where.group, where.id, name.data(), &type, &length));
    VariableAttribute attribute{name.data(), "", dtype_of(type)};
    if (!attribute.type) {
      attribute.type = dtype_of_enumeration(where.group, type);
      if (attribute.type) owner.unnamed.emplace_back(name.data());
    }
    auto const get = [&](void* to) {
      m_file.require_read(nc_get_att(where.group, where.id, name.data(), to));
    };
    if (attribute.type) {
      std::vector<std::byte> numbers(length * size_of(*attribute.type));
      get(numbers.data());
      attribute.text = text_of_numbers(*attribute.type, numbers);
    } else if (type == NC_CHAR) {
      attribute.text.resize(length);
      get(attribute.text.data());
      attribute.text.resize(attribute.text.find_last_not_of('\0') + 1);
    } else if (type == NC_STRING) {
      std::vector<char*> texts(length);
      get(texts.data());
      std::vector<std::string> own;
      for (char const* const text : texts) own.emplace_back(text == nullptr ? "" : text);
      attribute.is_string = true;
      if (!take_texts(attribute, own, length != 1)) owner.flattened.emplace_back(name.data());
      nc_free_string(length, texts.data());
    } else {
      owner.unread.emplace_back(name.data());  // of a type that only this file has
      return;
    }
    owner.attributes.push_back(std::move(attribute));
  }

  Handle const& m_file;
  std::vector<Variable>& m_variables;
  std::vector<VariableId>& m_ids;
  // Numbers of dimensions: of variables; of groups so far, those that can grow, and all with the names of these groups.
  std::set<int> m_used, m_unlimited;
  std::map<int, std::string> m_homes;
  std::vector<Group>& m_groups;
};

/// HDF5 below netCDF, if the file is of HDF5 and the program was built with it; null if not.
std::unique_ptr<FieldFile> open_below(std::string const& path) {
  return opens_as_hdf5(path) ? open_hdf5(path) : nullptr;
}

/// HDF5 has the reason why netCDF cannot read a variable.
/// \throws Error if HDF5 cannot read its first value, either
void require_readable_as_hdf5(std::string const& path, std::string const& name) {
  auto const file = open_below(path);
  if (!file) return;
  auto const found = std::ranges::find(file->variables(), name, &Variable::name);
  if (found == file->variables().end() || !found->refusal.empty()) return;
  std::vector<std::byte> value(size_of(found->shape.dtype));
  file->read(*found)->read(value);
}

class NetcdfReader final : public BoxReader {
 public:
  NetcdfReader(std::shared_ptr<Handle const> file, VariableId const& where,
               Variable const& variable)
      : BoxReader(variable.shape), m_file(std::move(file)), m_name(variable.name), m_id(where) {}

 private:
  void read_box(ArrayBox const& box, std::span<std::byte> to) override {
    int status = NC_NOERR;
    {
      auto const lock = lock_netcdf();
      status = nc_get_vara(m_id.group, m_id.id, box.begin.data(), box.extent.data(), to.data());
    }
    if (status != NC_NOERR) require_readable_as_hdf5(m_file->path(), m_name);
    m_file->require_read(status, m_name);
  }

  std::shared_ptr<Handle const> m_file;
  std::string m_name;
  VariableId m_id;
};

class NetcdfFile final : public FieldFile {
 public:
  explicit NetcdfFile(InputFile input) : m_input(std::move(input)) {
    auto const lock = lock_netcdf();
    std::string const path = m_input.path().string();
    int id = 0;
    // From the root: anything else could be the address of a server.
    std::string const full = std::filesystem::absolute(path).string();
    int const status = nc_open(full.c_str(), NC_NOWRITE, &id);
    if (status != NC_NOERR) {
      throw Error(status > 0 ? Status::io : Status::corrupt,
                  "'" + path + "' cannot be read as netCDF: " + nc_strerror(status) +
                      "; it may be cut off or damaged, copy it again");
    }
    m_file = std::make_shared<Handle>(path, id);
    Catalogue(*m_file, m_variables, m_ids, m_groups).add_group(id, "");
    require_still_named(m_input);
  }

  InputFile const& file() const override { return m_input; }
  std::vector<Variable> const& variables() const override { return m_variables; }
  std::vector<Group> const& groups() const override { return m_groups; }
  RestOfFile rest() const override {
    auto const below = open_below(m_input.path().string());
    if (!below) return {};
    RestOfFile rest = below->rest();
    rest.growing.clear();  // netCDF has a name for each dimension
    rest.renamed.clear();
    std::erase_if(rest.links, [&](FileLink const& link) { return has(link.name); });
    for (Group const& group : below->groups()) {
      auto const seen = std::ranges::find(m_groups, group.name, &Group::name);
      std::string const owner = (group.name.empty() ? "" : "/") + group.name;
      if (seen != m_groups.end()) take_unseen(owner, group, *seen, rest);
    }
    for (Variable const& variable : below->variables()) {
      auto const seen = std::ranges::find(m_variables, variable.name, &Variable::name);
      if (seen != m_variables.end()) {
        take_unseen(variable.name, variable, *seen, rest);
        continue;
      }
      rest.unseen.push_back(variable);
      std::string& refusal = rest.unseen.back().refusal;
      if (refusal.empty()) refusal = "netCDF passes over it; name the file .h5 to read it as HDF5";
    }
    return rest;
  }
  std::unique_ptr<FieldReader> read(Variable const& variable) const override {
    auto const found = std::ranges::find(m_variables, variable.name, &Variable::name);
    VariableId const& where = m_ids[static_cast<std::size_t>(found - m_variables.begin())];
    return std::make_unique<NetcdfReader>(m_file, where, variable);
  }

 private:
  /// Takes down the attributes that netCDF passes over, such as Booleans of h5py, whose type has no name.
  /// \param below  a variable or a group as HDF5 has it
  static void take_unseen(std::string const& owner, auto const& below, auto const& seen,
                          RestOfFile& rest) {
    for (VariableAttribute const& attribute : below.attributes) {
      bool const is_seen =
          std::ranges::count(seen.attributes, attribute.key, &VariableAttribute::key) > 0 ||
          std::ranges::count(seen.unread, attribute.key) > 0;
      // A fill value that only HDF5 has is no attribute.
      if (is_seen || attribute.key == fill_key) continue;
      rest.unseen_attributes.push_back(owner + ":" + attribute.key);
    }
  }
  bool has(std::string const& name) const {
    return std::ranges::find(m_variables, name, &Variable::name) != m_variables.end();
  }

  InputFile m_input;
  std::shared_ptr<Handle> m_file;
  std::vector<Variable> m_variables;
  std::vector<VariableId> m_ids;
  std::vector<Group> m_groups;
};

class NetcdfWriter final : public FieldWriter {
 public:
  /// Of a dimension: with more, whose bytes nobody could count, the library cannot close the file.
  static constexpr std::size_t max_length = std::size_t{1} << 60;
  /// Of a name that a length and a number are put behind.
  static constexpr std::size_t max_stem = NC_MAX_NAME - 48;

  NetcdfWriter(std::string const& path, OutputFile output)
      : m_output(std::move(output)), m_file(path, created(path, m_output)) {}

  void begin(Variable const& variable) override {
    auto const lock = lock_netcdf();
    m_id.group = made_group(files::group_of(variable.name));
    m_extents = slowest_first(variable.shape, variable.shape.extents);
    m_value_bytes = size_of(variable.shape.dtype);
    m_next = 0;
    m_dtype = variable.shape.dtype;
    note_boolean(variable);
    std::vector<int> const dimensions = variable.is_scalar ? std::vector<int>() : define(variable);
    m_file.require_written(
        nc_def_var(m_id.group, variable.name.substr(variable.name.rfind('/') + 1).c_str(),
                   variable.is_text ? NC_CHAR : type_of_values(variable.name),
                   static_cast<int>(dimensions.size()), dimensions.data(), &m_id.id),
        variable.name);
    for (VariableAttribute const& attribute : variable.attributes) {
      put(m_id, as_value(attribute, variable), variable.name);
    }
    if (variable.has_no_fill) {
      m_file.require_written(nc_def_var_fill(m_id.group, m_id.id, NC_NOFILL, nullptr));
    }
    for (Group const& group : variable.groups) {
      VariableId const where{made_group(group.name), NC_GLOBAL};
      for (Dimension const& own : group.dimensions) {
        if (own.length <= max_length && dimension_in(where.group, own)) continue;
        add_note("the dimension '" + own.name + "' of '/" + group.name +
                 "', which no variable has, is left out: its name is taken, or netCDF does not " +
                 "take it or the length");
      }
      for (VariableAttribute const& attribute : group.attributes) {
        put(where, attribute, "/" + group.name);
      }
    }
    m_file.require_written(nc_enddef(m_file.id()));
  }

  void write(std::span<std::byte const> values) override {
    auto const lock = lock_netcdf();
    for_each_box(m_extents, m_value_bytes, m_next, values,
                 [&](ArrayBox const& box, std::span<std::byte const> from) {
                   std::vector<float> const wide = wide_halves(from);
                   void const* const own =
                       is_half(m_dtype) ? static_cast<void const*>(wide.data()) : from.data();
                   m_file.require_written(
                       nc_put_vara(m_id.group, m_id.id, box.begin.data(), box.extent.data(), own));
                 });
    m_next += values.size() / m_value_bytes;
  }

  void commit() override {
    {
      auto const lock = lock_netcdf();
      m_file.require_written(m_file.close());
    }
    m_output.commit();
  }

 private:
  static int created(std::string const& path, OutputFile const& output) {
    auto const lock = lock_netcdf();
    std::string const target = path_for_library(output, path, "netCDF");
    int id = 0;
    int const status = nc_create(target.c_str(), NC_CLOBBER | NC_NETCDF4, &id);
    if (status == NC_NOERR) return id;
    throw Error(Status::io, "cannot write '" + path + "': " + nc_strerror(status),
                "choose another place");
  }

  /// The type of the values, with a note if netCDF has none.
  nc_type type_of_values(std::string const& name) {
    if (is_half(m_dtype)) {
      add_note("'" + name + "' is stored as f32, as netCDF has no " + to_string(m_dtype));
    }
    if (!is_complex(m_dtype)) return number_of(m_dtype);
    add_note("'" + name +
             "' is stored as structures of r and i, as netCDF has no complex numbers; " +
             "name the file .h5 to read it as HDF5");
    return complex_type();
  }

  /// A structure as other programs write it for complex numbers, under the name that the library nc-complex gives it.
  nc_type complex_type() {
    bool const is_single = m_dtype == Dtype::c64;
    nc_type& type = m_complex[is_single ? 0 : 1];
    if (type != NC_NAT) return type;
    char const* const name = is_single ? "_PFNC_FLOAT_COMPLEX_TYPE" : "_PFNC_DOUBLE_COMPLEX_TYPE";
    m_file.require_written(nc_def_compound(m_file.id(), m_value_bytes, name, &type));
    m_file.require_written(nc_insert_compound(m_file.id(), type, "r", 0, number_of(m_dtype)));
    m_file.require_written(
        nc_insert_compound(m_file.id(), type, "i", m_value_bytes / 2, number_of(m_dtype)));
    return type;
  }

  /// Values of 16 bits as floats, which have them all; nothing for other values.
  std::vector<float> wide_halves(std::span<std::byte const> values) const {
    std::vector<float> wide;
    if (!is_half(m_dtype)) return wide;
    with_value_type(m_dtype, [&](auto number) {
      if constexpr (HalfFloat<decltype(number)>) {
        for (std::size_t at = 0; at < values.size(); at += sizeof(number)) {
          std::memcpy(&number, values.data() + at, sizeof(number));
          wide.push_back(number.number());
        }
      }
    });
    return wide;
  }

  /// A fill value as one of the values, as which alone netCDF takes it; any other attribute as it is.
  static VariableAttribute as_value(VariableAttribute attribute, Variable const& variable) {
    bool const is_number = attribute.key == fill_key && !variable.is_text;
    if (is_number && numbers_of_text(variable.shape.dtype, attribute.text)) {
      attribute.type = variable.shape.dtype;
    }
    return attribute;
  }

  /// The group of this name, made if it is not there.
  int made_group(std::string_view name) const {
    if (name.empty()) return m_file.id();
    int const outer = made_group(group_of(name));
    std::string const own(name.substr(name.rfind('/') + 1));
    int group = 0;
    if (nc_inq_grp_ncid(outer, own.c_str(), &group) != NC_NOERR) {
      m_file.require_written(nc_def_grp(outer, own.c_str(), &group), std::string(name));
    }
    return group;
  }

  /// The dimensions of a variable, by the names that it has for them or by their lengths.
  std::vector<int> define(Variable const& variable) {
    std::vector<int> ids;
    for (std::size_t axis = 0; axis < m_extents.size(); ++axis) {
      bool const is_named = !variable.dimensions.empty();
      std::string const name = is_named ? variable.dimensions[axis] : "";
      Dimension const wanted{name, m_extents[axis],
                             std::ranges::count(variable.unlimited, name) > 0};
      auto id = is_named ? named(variable, axis, wanted) : std::nullopt;
      if (!id) id = renamed(variable, wanted, ids);
      ids.push_back(*id);
    }
    return ids;
  }

  /// The dimension that a variable means; none if it has another length, or netCDF does not take its name.
  std::optional<int> named(Variable const& variable, std::size_t axis,
                           Dimension const& wanted) const {
    if (auto const home = variable.group_of_dimension(axis)) {
      return dimension_in(made_group(*home), wanted);
    }
    // Any that the variable sees may be meant. One of another length is another one.
    int id = 0;
    bool const is_seen = nc_inq_dimid(m_id.group, wanted.name.c_str(), &id) == NC_NOERR;
    return is_seen && fits(id, wanted) ? id : dimension_in(m_id.group, wanted);
  }

  /// A dimension under another name, with a note if the variable has a name for it.
  /// \param before  those of the variable's other indices: one that is twice in a variable means nothing to others
  int renamed(Variable const& variable, Dimension const& wanted, std::vector<int> const& before) {
    int id_of_name = 0;
    bool const is_taken = nc_inq_dimid(m_id.group, wanted.name.c_str(), &id_of_name) == NC_NOERR;
    std::string const stem = is_taken && wanted.name.size() <= max_stem ? wanted.name : "dim";
    Dimension other{stem + "_" + std::to_string(wanted.length), wanted.length, wanted.is_unlimited};
    std::string const first = other.name;
    std::optional<int> id = dimension_seen(other);
    for (int again = 2; !id || std::ranges::count(before, *id) > 0; ++again) {
      other.name = first + "_" + std::to_string(again);
      id = dimension_seen(other);
    }
    if (wanted.name.empty()) return *id;
    add_note("the dimension '" + wanted.name + "' of '" + variable.name + "' is called '" +
             other.name + "', as " +
             (is_taken ? "one of another length has its name" : "netCDF does not take its name"));
    return *id;
  }

  /// The dimension of a name that a group itself declares.
  std::optional<int> own_dimension(int group, std::string const& name) const {
    int id = 0;
    if (nc_inq_dimid(group, name.c_str(), &id) != NC_NOERR) return std::nullopt;
    auto const own = list(m_file, group, own_dimensions);
    return std::ranges::count(own, id) > 0 ? std::optional(id) : std::nullopt;
  }

  /// One that can grow has length 0 until it is written.
  bool fits(int id, Dimension const& wanted) const {
    std::size_t length = 0;
    m_file.require_written(nc_inq_dimlen(m_id.group, id, &length));
    return length == wanted.length || (wanted.is_unlimited && length == 0);
  }

  /// The dimension that a group declares, made if it has none of the name; none if it has another length, or netCDF does not
  /// take its name.
  std::optional<int> dimension_in(int group, Dimension const& wanted) const {
    if (auto const own = own_dimension(group, wanted.name)) {
      return fits(*own, wanted) ? own : std::nullopt;
    }
    int id = 0;
    std::size_t const length = wanted.is_unlimited ? NC_UNLIMITED : wanted.length;
    int const status = nc_def_dim(group, wanted.name.c_str(), length, &id);
    if (status == NC_EBADNAME || status == NC_EMAXNAME) return std::nullopt;
    m_file.require_written(status, wanted.name);
    return id;
  }

  /// One that the variable sees, made if there is none of the name; none if it has another length.
  std::optional<int> dimension_seen(Dimension const& wanted) const {
    int id = 0;
    bool const is_seen = nc_inq_dimid(m_id.group, wanted.name.c_str(), &id) == NC_NOERR;
    if (!is_seen) return dimension_in(m_id.group, wanted);
    return fits(id, wanted) ? std::optional(id) : std::nullopt;
  }

  /// One that the library refuses is left out, with a note. The library leaves an empty one of its name.
  void put(VariableId const& where, VariableAttribute const& attribute, std::string const& owner) {
    char const* const key = attribute.key.c_str();
    int id = 0;
    bool const is_new = nc_inq_attid(where.group, where.id, key, &id) != NC_NOERR;
    int const status = attribute.type ? put_numbers(where, attribute) : put_texts(where, attribute);
    if (status > 0) m_file.require_written(status);  // of the system, such as a full disk
    if (status == NC_NOERR) return note_changes(attribute, owner);
    if (is_new) nc_del_att(where.group, where.id, key);
    leave_out(attribute.key, owner,
              status == NC_ENAMEINUSE ? "netCDF uses its name itself; a file of HDF5, .h5, takes it"
                                      : std::string("netCDF says: ") + nc_strerror(status));
  }

  static int put_texts(VariableId const& where, VariableAttribute const& attribute) {
    char const* const key = attribute.key.c_str();
    std::string const& text = attribute.text;
    if (!attribute.is_list && !attribute.is_string) {
      return nc_put_att_text(where.group, where.id, key, text.size(), text.data());
    }
    std::vector<std::string> const texts =
        attribute.is_list ? texts_of_list(text) : std::vector{text};
    std::vector<char const*> pointers;
    for (std::string const& one : texts) pointers.push_back(one.c_str());
    return nc_put_att_string(where.group, where.id, key, pointers.size(), pointers.data());
  }

  /// Complex numbers as pairs: the library reads no attribute of structures that others would.
  static int put_numbers(VariableId const& where, VariableAttribute const& attribute) {
    Dtype const type = is_half(*attribute.type) ? Dtype::f32 : *attribute.type;
    auto const numbers = numbers_of_text(type, attribute.text);
    if (!numbers) return NC_EINVAL;
    std::size_t const bytes = size_of(type) / (is_complex(type) ? 2 : 1);
    return nc_put_att(where.group, where.id, attribute.key.c_str(), number_of(type),
                      numbers->size() / bytes, numbers->data());
  }

  void note_changes(VariableAttribute const& attribute, std::string const& owner) {
    std::string const subject = "the attribute '" + attribute.key + "' of '" + owner + "' ";
    if (attribute.type && is_complex(*attribute.type)) {
      add_note(subject + "has real and imaginary parts by turns, as netCDF has no complex numbers");
    }
    if (attribute.is_boolean) add_note(subject + "has numbers, as netCDF has no Booleans");
    if (attribute.extents.size() > 1) {
      add_note(subject + "loses its shape: attributes of netCDF are lists");
    }
  }

  OutputFile m_output;
  Handle m_file;
  VariableId m_id{};
  std::vector<std::size_t> m_extents;
  std::size_t m_value_bytes = 0;
  std::uint64_t m_next = 0;
  Dtype m_dtype = Dtype::f32;
  std::array<nc_type, 2> m_complex{NC_NAT,
                                   NC_NAT};  // of two f32 and of two f64, once they are defined
};

std::unique_ptr<FieldFile> open_linked(InputFile input) {
  return std::make_unique<NetcdfFile>(std::move(input));
}

std::unique_ptr<FieldWriter> write_linked(std::string const& path, OutputFile file) {
  return std::make_unique<NetcdfWriter>(path, std::move(file));
}

}  // namespace
}  // namespace kompakt::files

// All that the program asks of this module.
extern "C" kompakt::files::NetcdfModule const* kompakt_netcdf_module() {
  using namespace kompakt::files;
  static constexpr NetcdfModule functions{open_linked, write_linked};
  // A file that could not be closed is else tried again at the end, where HDF5 1.10 crashes.
  if (H5dont_atexit != nullptr) H5dont_atexit();
  if (H5Zregister != nullptr && hdf5_filter() != nullptr) H5Zregister(hdf5_filter());
  return &functions;
}
