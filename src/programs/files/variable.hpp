#ifndef KOMPAKT_FILES_VARIABLE_HPP
#define KOMPAKT_FILES_VARIABLE_HPP

#include <cstddef>
#include <kompakt/archive.hpp>
#include <kompakt/field.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kompakt::files {

/// What a file says of a variable under a key: a text, or numbers in words, "0, 1e+20".
struct VariableAttribute {
  std::string key;
  std::string text;
  std::optional<Dtype> type = std::nullopt;  ///< of the numbers; none: it is a text
  bool is_list = false;                      ///< of texts, a line each
  /// Whether its texts are of any length; HDF5 and netCDF have other types for those of a fixed one.
  bool is_string = false;
  /// Of an array, unless it is a list of several numbers, or of texts.
  std::vector<std::size_t> extents{};
  bool is_boolean = false;  ///< its numbers, of i8, are true and false in HDF5

  friend bool operator==(VariableAttribute const&, VariableAttribute const&) = default;
};

/// A dimension of a group. One that can grow may have no length yet.
struct Dimension {
  std::string name;
  std::size_t length = 0;
  bool is_unlimited = false;
};

/// What a file says of a group. That of the root is what it says of itself.
struct Group {
  std::string name;  ///< with those that it lies in, "ocean/surface"; empty: the root
  std::vector<VariableAttribute> attributes{};
  std::vector<std::string> unread{};     ///< keys of attributes that are neither numbers nor texts
  std::vector<std::string> flattened{};  ///< keys of those that lose their shape
  std::vector<std::string> unnamed{};    ///< keys of those whose numbers lose their names
  std::vector<Dimension> dimensions{};   ///< on which the file has no variable
  bool has_unlisted = false;             ///< attributes that cannot be listed
};

/// The group of a variable or group of this name; of those in the root "", as of the root itself.
std::string_view group_of(std::string_view name);

/// How integers of a variable stand for numbers: each for scale * integer + offset, as CF says.
struct NumberPacking {
  double scale = 1, offset = 0;
};

/// The group so many groups around one of this name; groups beyond the root are the root.
std::string_view group_around(std::string_view group, std::size_t levels);

/// Where a file of HDF5 has the fill value of a variable: as an attribute, as a property of the dataset, or as netCDF in both places.
enum class FillPlace { both, attribute, property };

/// The key of the attribute with the options of a variable, a text such as "abs:0.01,predictor=interpolate".
inline constexpr char const* options_key = "kompakt_options";

/// A variable of a file: a field and what is known of it.
struct Variable {
  std::string name;  ///< with its groups, "ocean/temperature"; empty where a file has but one
  FieldShape shape{};
  bool is_supporting = false;             ///< it says where, when or how other variables are
  bool is_scalar = false;                 ///< it has no index, and its shape one of extent 1
  bool is_empty = false;                  ///< an extent is 0, and nothing else is a refusal
  bool is_text = false;                   ///< its values are letters, a byte each
  bool is_enumeration = false;            ///< its numbers stand for names, such as true and false
  bool is_boolean = false;                ///< these are true and false in HDF5
  bool has_no_fill = false;               ///< not even the one that netCDF gives its type
  std::vector<std::string> dimensions{};  ///< one an index, the slowest first; may be empty
  /// How many groups further out than the variable each of them is declared, one an index; empty: the file does not say.
  std::vector<std::size_t> dimension_levels{};
  std::vector<std::string> unlimited{};     ///< those of them that can grow
  bool is_unlabelled = false;               ///< in HDF5 its indices have scales, but no labels
  bool is_unnamed_scale = false;            ///< in HDF5 it is a scale without a name
  std::optional<std::string> scale_name{};  ///< of a scale of HDF5 that is called otherwise
  FillPlace fill_place = FillPlace::both;
  std::vector<std::size_t> chunk{};   ///< extents of a chunk in a file of HDF5, if it has some
  std::optional<double> unwritten{};  ///< what its library has put where nothing was written
  std::vector<VariableAttribute> attributes{};
  std::vector<std::string> unread{};     ///< keys of attributes that are neither numbers nor texts
  std::vector<std::string> flattened{};  ///< keys of those that lose their shape
  std::vector<std::string> unnamed{};    ///< keys of those whose numbers lose their names
  std::vector<Group> groups{};  ///< of those that it lies in, what is kept and written with it
  std::string converted{};      ///< what a note says of values that become others; empty if none do
  std::string refusal{};        ///< why it is no field that can be compressed; empty if it is one
  /// Another one if it may be a field, but cannot be read.
  Status refused_as = Status::bad_argument;

  /// The values of an axis: one index, of the variable's own name.
  bool is_coordinate() const;
  /// The group that declares the dimension of an index; none if the file does not say.
  std::optional<std::string_view> group_of_dimension(std::size_t index) const;
  /// Whether its integers stand for other numbers, by the attributes scale_factor or add_offset.
  bool is_packed() const;
  /// For which, if a bound can be told in these numbers.
  std::optional<NumberPacking> packing() const;
  /// Why no bound can be told in the numbers that its integers stand for; empty where one can, and where they stand for none.
  std::string why_no_packing() const;
  /// What stands for no value, by the attributes _FillValue and missing_value, each once; of packed integers in their own units.
  std::vector<double> fills() const;
  /// The fill values that can be masked: fills(), and what its library has put where nothing was written. Fill values of 2^53 or
  /// more are left out for integers of 64 bits: a double does not hold them, and a field with such values has no bound.
  std::vector<double> missing() const;
  /// Limits of its values by the attributes valid_range, or else valid_min and valid_max; of packed integers in their own units.
  /// Floating-point limits of packed integers are limits of the numbers that these stand for. What is no pair of limits counts as
  /// none.
  Limits limits() const;
  /// Why these attributes are no limits, if they are floating-point numbers and none of its integers lies inside; else empty.
  std::string why_no_limits() const;
  /// Whether its values are stored exactly unless its own bound is given: it describes others, or has integers that stand for
  /// themselves.
  bool stays_exact() const { return is_supporting || (is_integer(shape.dtype) && !packing()); }
  /// The attribute options_key, by which a file says how this variable is compressed; null if it has none.
  VariableAttribute const* options() const { return find(options_key); }
  VariableAttribute const* find(std::string_view key) const;
};

/// The limits of packed integers of a type, from those of the numbers that they stand for: of all integers n whose number,
/// scale * n + offset as readers compute it in f64, lies inside. Nothing if there is no such integer.
std::optional<Limits> packed_limits(Limits const& limits, NumberPacking const& packing,
                                    Dtype dtype);

/// Takes down which groups declare the dimensions of a variable, one an index: itself, or around it; else nothing.
void take_homes(Variable& variable, std::vector<std::string> const& groups);

/// Takes the extents of an array in C order, slowest first; none are those of a scalar. What no field has is a refusal.
void take_extents(Variable& variable, std::vector<std::size_t> const& extents);

/// Notes that the numbers of a variable are those of an enumeration, whose names no archive keeps unless it is of true and false.
void take_enumeration(Variable& variable, bool is_boolean = false);

/// The key of the fill value, which has the type of the variable.
inline constexpr char const* fill_key = "_FillValue";

/// Numbers of a type, as they lie in memory, in words that give back every bit but those of NaN.
std::string text_of_numbers(Dtype type, std::span<std::byte const> numbers);
/// The reverse; none if there is a word that is no number of the type.
std::optional<std::vector<std::byte>> numbers_of_text(Dtype type, std::string_view text);

/// The texts of an attribute that is a list of them.
std::vector<std::string> texts_of_list(std::string_view text);
/// Gives an attribute its text, or a list of texts.
/// \param is_array  also of one text
/// \returns false for a list that comes back as one text, because it has none, or one of several lines
bool take_texts(VariableAttribute& attribute, std::vector<std::string> const& texts, bool is_array);

/// "'a', 'b' and 3 more"; "none"
std::string text_of_names(std::vector<std::string> const& names);

/// Whether a field of an archive, or an attribute, can be called so: 1 to 255 bytes of UTF-8 without control characters.
bool can_be_name(std::string_view text);

/// The key of the attribute that one of an archive belongs to: its own, or if its text goes on there, the key where it begins.
std::string_view key_of_part(std::string_view key);

/// An attribute that no archive can hold.
struct LeftOutAttribute {
  std::string key;
  std::string reason;
};

/// What an archive keeps of a variable: its attributes, as "./title" and "../title" those of its groups from the inside
/// out, and as "_dimensions" and "_types" what these texts do not tell. An attribute of a file that is called so itself is
/// "_own _types".
/// \param field     its name in the archive; one in a group keeps where its dimensions are declared
/// \param left_out  gets those that no archive can hold
Attributes attributes_of(Variable const& variable, std::string_view field,
                         std::vector<LeftOutAttribute>& left_out);
/// The reverse, for a field of this shape.
Variable variable_of(std::string const& name, FieldShape const& shape,
                     Attributes const& attributes);

}  // namespace kompakt::files

#endif
