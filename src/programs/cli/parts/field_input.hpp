#ifndef KOMPAKT_CLI_FIELD_INPUT_HPP
#define KOMPAKT_CLI_FIELD_INPUT_HPP

#include "arguments.hpp"
#include <cstddef>
#include <files/field_file.hpp>
#include <kompakt/field.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kompakt::cli {

/// A field that is read: a raw file, or a variable of one that says what is in it.
struct FieldInput {
  std::string label;  ///< what messages and reports call it
  FieldShape shape;
  files::Variable variable;  ///< of a raw file without attributes
  std::unique_ptr<files::FieldReader> reader;

  /// All of its values, with a line of progress.
  std::vector<std::byte> read_all();
};

/// What is said of the groups of a file, which goes with the first variable in them.
class GroupsToKeep {
 public:
  explicit GroupsToKeep(files::FieldFile const& file) : m_groups(file.groups()) {}

  /// Those that this variable lies in, from the root on, and none before.
  std::vector<files::Group> take(files::Variable const& variable);
  /// Those that no variable so far has taken.
  std::vector<files::Group> const& left() const { return m_groups; }

 private:
  std::vector<files::Group> m_groups;
};

/// A note on values that are compressed as others, such as float16.
void note_converted(std::string const& label, files::Variable const& variable);

/// Why a variable is far too large for its file, as a damaged header makes them, and chunks of which nobody has written most;
/// empty if it is not.
std::string why_unlikely(files::Variable const& variable, files::FileName const& name);
/// Throws Error corrupt for such a variable.
void require_likely(files::Variable const& variable, files::FileName const& name);

/// \param word   a path, "-" for standard input, or "run.nc:temperature"
/// \param given  type and extents, which only a raw file needs
/// \param known  in place of them, and what any file must agree with
/// \throws Error bad_argument if a raw file has none, or not so many values; type_mismatch if a file says others; as
///         files::open_field_file()
FieldInput open_field_input(std::string const& word, FieldArguments const& given,
                            std::optional<FieldShape> const& known = std::nullopt);

}  // namespace kompakt::cli

#endif
