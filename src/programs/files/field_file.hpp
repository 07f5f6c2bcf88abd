#ifndef KOMPAKT_FILES_FIELD_FILE_HPP
#define KOMPAKT_FILES_FIELD_FILE_HPP

#include "variable.hpp"
#include <cstddef>
#include <cstdint>
#include <kompakt/error.hpp>
#include <kompakt/files.hpp>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Files of the formats that people keep fields in, behind one interface. Host only; one thread at a time uses a
// file. What is read is never trusted.

namespace kompakt::files {

enum class Format { raw, npy, npz, netcdf, hdf5 };

/// Which variable of which file is meant, and how that is written.
struct FileName {
  std::string path;
  std::string variable{};  ///< empty: not said
  Format format = Format::raw;
  std::optional<FileIdentity>
      identity{};  ///< of a file that has been looked at and is to be opened once more

  /// "run.nc:temperature"
  std::string label() const { return variable.empty() ? path : path + ":" + variable; }
};

/// Takes "run.nc:temperature" apart, of a file that is to be read. Names of files may have colons, such as those of times, and
/// so may names of variables: a file that there is decides.
FileName split_name(std::string const& word);
/// What the bytes of a file say; raw if they are of no format. A file of the format netCDF-4 is one of HDF5, too, and a zip
/// file may be anything.
/// \param said  the format of its name, which decides between these
/// \throws Error io
Format format_of_bytes(std::string const& path, Format said);
/// Whether there is a regular file of this name.
bool is_file(std::string const& path);
/// What the end of a name says; raw if it says none.
Format format_of_suffix(std::string const& path);
/// split_name(), and the format. The format is what the first bytes of the file say. For a name that does not say HDF5, the marks
/// of netCDF-4 in a file of HDF5 count;
/// those of another one are raw. So is a file of a name that no format has, if it needs not say what is in it.
/// \param described  whether type and extents are known without the file
/// \throws Error bad_magic for a file that must be of a format, by its name or as a variable is named, and is of none;
///               bad_argument if the library of HDF5 cannot be loaded
FileName input_name(std::string const& word, bool described);
/// As many bytes from the beginning of a file as tell each of the other formats.
inline constexpr std::size_t front_bytes = 16;
/// Refuses a file of a known format that fields are not read from, and says what to do with it.
/// \param label  names it in messages
/// \throws Error bad_magic
void require_no_other_format(std::string const& label, std::string_view front);
/// The same of a file; anything else than a file is not looked at.
void require_no_other_format(std::string const& path);
/// Whether there is a file of this name that is an archive or a stream.
bool is_compressed(std::string const& path);
/// Takes it apart for a file that is to be written, whose format is what the end of its name says.
FileName output_name(std::string const& word);

/// Refuses a file whose name another one has got, as libraries open files by their names.
/// \throws Error io
void require_still_named(InputFile const& file);

/// The values of a variable in the order of its memory.
class FieldReader {
 public:
  virtual ~FieldReader() = default;
  /// Whether it can be read a second time; a pipe cannot.
  virtual bool can_rewind() const { return true; }
  /// The next values are the first ones again.
  /// \throws Error io
  virtual void rewind() = 0;
  /// Reads the next values, all that `values` has room for.
  /// \throws Error io; bad_argument or corrupt if there are not so many
  virtual void read(std::span<std::byte> values) = 0;
  /// Checks behind the last value that there is nothing more, as of a pipe only its end tells.
  /// \throws Error bad_argument if there is; io
  virtual void require_end() {}
};

/// A raw file of this shape, or standard input for "-".
/// \throws Error io; bad_argument for a file of another size
std::unique_ptr<FieldReader> read_raw(InputFile file, FieldShape const& shape);

/// A second name for something in a file, or a name for something that lies elsewhere.
struct FileLink {
  std::string name;    ///< with its groups
  std::string target;  ///< as the file has it: "/ocean/salt", "other.h5:/salt"
  std::string object;  ///< under which name the file lists what it leads to; empty if it does not
};

/// What a file has beside its variables and groups, which no archive keeps, and what it lacks.
struct RestOfFile {
  std::vector<FileLink> links{};
  std::vector<std::string> types{};    ///< names of types
  std::vector<std::string> growing{};  ///< variables that can grow along an index without a name
  std::vector<std::string> renamed{};  ///< variables with more names of dimensions
  /// What the library of the format passes over, each with a refusal.
  std::vector<Variable> unseen{};
  /// Attributes that it passes over, each as "t:units"; of the file itself as ":title".
  std::vector<std::string> unseen_attributes{};
  /// What reading variables needs that is not here, such as a filter, and what to do; by their names.
  std::map<std::string, std::string> missing{};

  /// Empty if nothing is.
  std::string missing_for(std::string const& variable) const {
    auto const found = missing.find(variable);
    return found == missing.end() ? "" : found->second;
  }
};
/// A line for each kind of what there is.
std::vector<std::string> notes_on(RestOfFile const& rest, std::string const& path);

/// A file that says what is in it.
class FieldFile {
 public:
  virtual ~FieldFile() = default;
  /// All variables in the order of the file, also those that are no fields.
  virtual std::vector<Variable> const& variables() const = 0;
  /// What is said of groups and of the file itself.
  virtual std::vector<Group> const& groups() const {
    static std::vector<Group> const none;
    return none;
  }
  virtual RestOfFile rest() const { return {}; }
  /// The file that was opened, whatever has its name.
  virtual InputFile const& file() const = 0;
  /// \param variable  one of variables() that is a field
  virtual std::unique_ptr<FieldReader> read(Variable const& variable) const = 0;
};

/// \throws Error io if it cannot be read, or is another one; corrupt if it is cut off or damaged; bad_argument if what it has cannot be
///         read, or not by this program
std::unique_ptr<FieldFile> open_field_file(FileName const& name);

/// The variable that a name says, else the only one of floating-point numbers.
/// \throws Error bad_argument that says what there is, or why it is no field
Variable const& choose_variable(FieldFile const& file, FileName const& name);

/// A file that is written variable by variable. Unless commit() is reached nothing of it is left.
class FieldWriter {
 public:
  virtual ~FieldWriter() = default;
  /// The values that follow are those of this variable.
  /// \throws Error bad_argument if the format has no place for it; io
  virtual void begin(Variable const& variable) = 0;
  /// Its next values in the order of its memory.
  /// \throws Error io
  virtual void write(std::span<std::byte const> values) = 0;
  /// Brings all to the disk and gives the file its name. The last call to a writer.
  /// \throws Error io
  virtual void commit() = 0;

  /// What of variables the format could not take since the last call, a line for each: their values are not concerned.
  std::vector<std::string> take_notes() { return std::exchange(m_notes, {}); }

 protected:
  /// \param owner  of the attribute, "T" or "the group ocean"
  void leave_out(std::string const& key, std::string const& owner, std::string const& reason) {
    add_note("the attribute '" + key + "' of '" + owner + "' is left out: " + reason);
  }
  /// To be called by all but HDF5.
  void note_boolean(Variable const& variable) {
    if (!variable.is_boolean) return;
    add_note("'" + variable.name + "' is stored as i8, 0 and 1; HDF5 alone gets Booleans back");
  }
  void add_note(std::string text) { m_notes.push_back(std::move(text)); }

 private:
  std::vector<std::string> m_notes;
};

/// \param file  that `name` is to become
std::unique_ptr<FieldWriter> write_field_file(FileName const& name, OutputFile file);

}  // namespace kompakt::files

#endif
