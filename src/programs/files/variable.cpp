#include "variable.hpp"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <kompakt/printable.hpp>
#include <limits>
#include <map>
#include <numeric>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

namespace kompakt::files {

namespace {

// Keys of an archive that are the program's. A slash is in no name of a dimension, an end of a line in no key.
constexpr std::string_view dimensions_key = "_dimensions", types_key = "_types",
                           unlimited_key = "_unlimited", levels_key = "_dimension_levels",
                           scale_name_key = "_scale_name";
constexpr std::string_view program_keys[] = {dimensions_key, types_key, unlimited_key, levels_key,
                                             scale_name_key};
constexpr char dimension_separator = '/', type_separator = '\n', text_separator = '\n';
// Among the types: of attributes that are lists of texts of any or of a fixed length, texts of any length, and bytes of a text that
// no archive keeps; of Boolean attributes and variables; of a variable whose values are letters, and of one without a fill value; and of HDF5 indices without labels, a
// scale without a name, and the only place of a fill value.
constexpr std::string_view texts_word = "texts", fixed_texts_word = "fixed", string_word = "string",
                           bytes_word = "bytes", letters_word = "char", boolean_word = "bool",
                           no_fill_word = "nofill", unlabelled_word = "unlabelled",
                           unnamed_word = "unnamed", fill_attribute_word = "fill=attribute",
                           fill_property_word = "fill=property";
// Of attributes where a longer text goes on: "_part 2 of history".
constexpr std::string_view part_front = "_part ", part_middle = " of ";
// In front of keys of attributes of the variable's own group, and once more for each one around it.
constexpr std::string_view own_group = "./", outer_group = "../";
// In front of keys of a file's own attributes that would else be one of all these.
constexpr std::string_view escape = "_own ";

constexpr std::size_t max_attributes = 1024, max_name_bytes = 255, max_text_bytes = 65535;
// For own keys of a variable, of which the types may have several parts.
constexpr std::size_t max_own_attributes = 8;

std::vector<std::string> words_of(std::string_view text, char by) {
  std::vector<std::string> words;
  if (text.empty()) return words;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t const end = std::min(text.find(by, begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string joined(std::vector<std::string> const& words, char by) {
  std::string text;
  for (std::string const& word : words) {
    if (&word != &words.front()) text += by;
    text += word;
  }
  return text;
}

bool is_of_group(std::string_view key) {
  return key.starts_with(own_group) || key.starts_with(outer_group);
}

/// Whether an archive has a key for what it says itself.
bool is_of_program(std::string_view key) {
  return std::ranges::count(program_keys, key) > 0 || key_of_part(key) != key || is_of_group(key) ||
         key.starts_with(escape);
}
/// The key in an archive of what a file calls so.
std::string escaped(std::string const& key) {
  return is_of_program(key) ? std::string(escape) + key : key;
}
/// The reverse.
std::string unescaped(std::string_view key) {
  bool const is_escaped = key.starts_with(escape) && is_of_program(key.substr(escape.size()));
  return std::string(key.substr(is_escaped ? escape.size() : 0));
}

/// A text in parts that an archive can have, cut between its letters.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  while (text.size() > max_text_bytes) {
    std::size_t end = max_text_bytes;
    while ((static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80) --end;
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  parts.emplace_back(text);
  return parts;
}

std::string key_for_part(std::string const& key, std::size_t number) {
  if (number == 1) return key;
  return std::string(part_front) + std::to_string(number) + std::string(part_middle) + key;
}

/// Attributes of an archive with whole texts; a part without its beginning counts as none.
std::vector<VariableAttribute> whole_texts(Attributes const& attributes) {
  std::vector<VariableAttribute> whole;
  for (auto const& [key, text] : attributes) {
    std::string_view const of = key_of_part(key);
    if (of == key) {
      whole.push_back({key, text});
    } else {
      auto const found = std::ranges::find(whole, of, &VariableAttribute::key);
      if (found != whole.end()) found->text += text;
    }
  }
  return whole;
}

std::optional<Dtype> dtype_of_word(std::string_view word) {
  for (int i = 0; i < dtype_count; ++i) {
    if (word == to_string(static_cast<Dtype>(i))) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

/// "f64[2,3]", "string"; empty of a text of a fixed length.
std::string type_of(VariableAttribute const& attribute) {
  std::string word(attribute.is_boolean ? boolean_word
                   : attribute.type     ? to_string(*attribute.type)
                   : attribute.is_list  ? (attribute.is_string ? texts_word : fixed_texts_word)
                                        : (attribute.is_string ? string_word : ""));
  if (!attribute.type && !attribute.is_list && !is_text(attribute.text)) word = bytes_word;
  if (attribute.extents.empty()) return word;
  std::vector<std::string> extents;
  for (std::size_t const extent : attribute.extents) extents.push_back(std::to_string(extent));
  return word + "[" + joined(extents, ',') + "]";
}

/// Numbers in words, slowest first; none for what is no such text.
std::vector<std::size_t> counts_of(std::string_view text, char by) {
  std::vector<std::size_t> counts;
  for (std::string const& word : words_of(text, by)) {
    char const* const end = word.data() + word.size();
    auto const [stop, error] = std::from_chars(word.data(), end, counts.emplace_back());
    if (error != std::errc() || stop != end) return {};
  }
  return counts;
}

// Of what HDF5 has.
constexpr std::size_t max_attribute_rank = 32;

/// The extents of "f64[2,3]" if they are of so many values, and a file can have them; else none.
std::vector<std::size_t> extents_of_type(std::string_view word, std::size_t values) {
  std::size_t const begin = word.find('[');
  if (begin == std::string_view::npos || !word.ends_with(']')) return {};
  auto const extents = counts_of(word.substr(begin + 1, word.size() - begin - 2), ',');
  if (extents.size() > max_attribute_rank) return {};
  if (values == 0 && std::ranges::count(extents, 0) > 0) return extents;
  std::size_t product = 1;
  for (std::size_t const extent : extents) {
    if (extent == 0 || extent > values / product) return {};
    product *= extent;
  }
  return product == values ? extents : std::vector<std::size_t>();
}

/// Gives an attribute the type that type_of() has said; of any other one it stays a text.
void take_type(VariableAttribute& attribute, std::string_view word) {
  std::string_view const kind = word.substr(0, word.find('['));
  std::size_t values = 1;
  bool const is_boolean = kind == boolean_word;
  if (auto const type = is_boolean ? Dtype::i8 : dtype_of_word(kind)) {
    auto const numbers = numbers_of_text(*type, attribute.text);
    if (!numbers) return;
    attribute.type = type;
    attribute.is_boolean = is_boolean;
    values = numbers->size() / size_of(*type);
  } else if (kind == bytes_word) {
    auto const bytes = numbers_of_text(Dtype::u8, attribute.text);
    if (!bytes) return;
    attribute.text.assign(reinterpret_cast<char const*>(bytes->data()), bytes->size());
  } else {
    attribute.type.reset();
    attribute.is_list = kind == texts_word || kind == fixed_texts_word;
    attribute.is_string = kind == texts_word || kind == string_word;
    if (attribute.is_list) values = texts_of_list(attribute.text).size();
  }
  attribute.extents = extents_of_type(word, values);
}

// "f32 valid_range\ni16 flag": the types of the attributes that are no texts of a fixed length.
void take_types(Variable& variable, std::string_view text) {
  std::map<std::string_view, VariableAttribute*> by_key;
  for (VariableAttribute& attribute : variable.attributes) by_key[attribute.key] = &attribute;
  for (std::string const& line : words_of(text, type_separator)) {
    std::size_t const blank = std::min(line.find(' '), line.size());
    auto const found = by_key.find(std::string_view(line).substr(std::min(blank + 1, line.size())));
    if (found != by_key.end()) take_type(*found->second, line.substr(0, blank));
  }
}

// "nofill\nunlabelled": what is said of the variable itself.
void take_words(Variable& variable, std::vector<std::string> const& words) {
  auto const has = [&words](std::string_view word) { return std::ranges::count(words, word) > 0; };
  variable.is_text = variable.shape.dtype == Dtype::u8 && has(letters_word);
  variable.is_boolean = variable.shape.dtype == Dtype::i8 && has(boolean_word);
  variable.has_no_fill = has(no_fill_word);
  variable.is_unlabelled = has(unlabelled_word);
  variable.is_unnamed_scale = has(unnamed_word);
  if (has(fill_attribute_word)) variable.fill_place = FillPlace::attribute;
  if (has(fill_property_word)) variable.fill_place = FillPlace::property;
}

// "x=5/time=0*": a star for one that can grow.
std::string text_of(std::vector<Dimension> const& dimensions) {
  std::vector<std::string> words;
  for (Dimension const& dimension : dimensions) {
    words.push_back(dimension.name + "=" + std::to_string(dimension.length) +
                    (dimension.is_unlimited ? "*" : ""));
  }
  return joined(words, dimension_separator);
}

/// The reverse; none for what is no such text.
std::optional<std::vector<Dimension>> dimensions_of(std::string_view text) {
  std::vector<Dimension> dimensions;
  for (std::string const& word : words_of(text, dimension_separator)) {
    std::size_t const equals = word.rfind('=');
    if (equals == std::string::npos) return std::nullopt;
    Dimension dimension{word.substr(0, equals), 0, word.ends_with('*')};
    char const* const end = word.data() + word.size() - (dimension.is_unlimited ? 1 : 0);
    auto const [stop, error] = std::from_chars(word.data() + equals + 1, end, dimension.length);
    if (error != std::errc() || stop != end) return std::nullopt;
    dimensions.push_back(std::move(dimension));
  }
  return dimensions;
}

// "1/0": the first dimension of the group around, the second of the variable's own.
std::string text_of(std::vector<std::size_t> const& levels) {
  std::vector<std::string> words;
  for (std::size_t const level : levels) words.push_back(std::to_string(level));
  return joined(words, dimension_separator);
}

/// How many groups there are around: of "ocean/surface" two, of the root none.
std::size_t depth_of(std::string_view group) {
  return group.empty() ? 0 : 1 + static_cast<std::size_t>(std::ranges::count(group, '/'));
}

/// What stands in front of keys of the attributes of a group that a variable lies in.
std::string prefix_of(Group const& group, Variable const& variable) {
  std::size_t const outwards = depth_of(group_of(variable.name)) - depth_of(group.name);
  if (outwards == 0) return std::string(own_group);
  std::string prefix;
  for (std::size_t i = 0; i < outwards; ++i) prefix += outer_group;
  return prefix;
}

/// Adds what an archive can keep, with its type.
class KeptAttributes {
 public:
  explicit KeptAttributes(std::vector<LeftOutAttribute>& left_out) : m_left_out(left_out) {}

  void add(VariableAttribute const& attribute, std::string const& prefix) {
    std::string const key = prefix + escaped(attribute.key), type = type_of(attribute);
    std::string const text =
        type.starts_with(bytes_word)
            ? text_of_numbers(Dtype::u8, std::as_bytes(std::span(attribute.text)))
            : attribute.text;
    std::string const reason =
        attribute.key.empty() ? "it has no name" : add_parts(key, text, max_own_attributes);
    if (!reason.empty()) {
      m_left_out.push_back({prefix + attribute.key, reason});
    } else if (!type.empty()) {
      m_types.push_back(type + " " + key);
    }
  }
  /// Adds dimensions of a group.
  void add(std::vector<Dimension> const& dimensions, std::string const& prefix) {
    std::string const key = prefix + std::string(dimensions_key);
    std::string const reason = add_parts(key, text_of(dimensions), max_own_attributes);
    if (!reason.empty()) m_left_out.push_back({key, reason});
  }
  Attributes take(Variable const& variable, std::string_view field) {
    bool const is_kept = add_own(dimensions_key, joined(variable.dimensions, dimension_separator));
    if (variable.is_scalar && !is_kept) m_kept.emplace_back(dimensions_key, "");
    if (is_kept && !group_of(field).empty())
      add_own(levels_key, text_of(variable.dimension_levels));
    add_own(unlimited_key, joined(variable.unlimited, dimension_separator));
    if (variable.scale_name) m_kept.emplace_back(scale_name_key, *variable.scale_name);
    std::pair<bool, std::string_view> const words[] = {
        {variable.is_text, letters_word},
        {variable.is_boolean, boolean_word},
        {variable.has_no_fill, no_fill_word},
        {variable.is_unlabelled, unlabelled_word},
        {variable.is_unnamed_scale, unnamed_word},
        {variable.fill_place == FillPlace::attribute, fill_attribute_word},
        {variable.fill_place == FillPlace::property, fill_property_word}};
    for (auto const& [is_so, word] : words) {
      if (is_so) m_types.emplace_back(word);
    }
    if (!m_types.empty()) add_parts(std::string(types_key), joined(m_types, type_separator), 0);
    return std::move(m_kept);
  }

 private:
  /// Adds a text of any length.
  /// \param left  for how many other attributes there must be room
  /// \returns why an archive cannot have it; empty if it is added
  std::string add_parts(std::string const& key, std::string const& text, std::size_t left) {
    constexpr char const* no_text = " not UTF-8, or have control characters";
    if (!is_text(text)) return std::string("it is a list of texts, which are") + no_text;
    auto const parts = parts_of(text);
    std::string const last = key_for_part(key, parts.size());
    if (last.size() > max_name_bytes) {
      return "its name takes " + std::to_string(last.size()) +
             " bytes in an archive, with its group and the number of a part, and up to " +
             std::to_string(max_name_bytes) + " are possible";
    }
    if (!can_be_name(last)) return std::string("letters of its name are") + no_text;
    if (m_kept.size() + parts.size() + left > max_attributes) {
      return "an archive keeps up to " + std::to_string(max_attributes) +
             " attributes of a field, of 65535 bytes each";
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      m_kept.emplace_back(key_for_part(key, i + 1), parts[i]);
    }
    return "";
  }

  /// Adds what a key of the program's tells.
  /// \returns false if it is empty, or nothing that an archive can keep
  bool add_own(std::string_view key, std::string const& text) {
    if (text.empty() || text.size() > max_text_bytes || !is_text(text)) return false;
    m_kept.emplace_back(key, text);
    return true;
  }

  std::vector<LeftOutAttribute>& m_left_out;
  Attributes m_kept;
  std::vector<std::string> m_types;
};

/// Gives groups what attributes of a variable are theirs, by their keys. Groups beyond the root are the root.
void take_groups(Variable& variable) {
  std::vector<VariableAttribute> own;
  for (VariableAttribute& attribute : variable.attributes) {
    std::string_view key = attribute.key;
    if (!is_of_group(key)) {
      attribute.key = unescaped(key);
      own.push_back(std::move(attribute));
      continue;
    }
    std::string name(group_of(variable.name));
    if (key.starts_with(own_group)) key.remove_prefix(own_group.size());
    for (; key.starts_with(outer_group); key.remove_prefix(outer_group.size())) {
      name = group_of(name);
    }
    auto found = std::ranges::find(variable.groups, name, &Group::name);
    if (found == variable.groups.end()) {
      found = variable.groups.insert(found, Group{std::move(name)});
    }
    auto dimensions = key == dimensions_key ? dimensions_of(attribute.text) : std::nullopt;
    if (dimensions) {
      found->dimensions = std::move(*dimensions);
    } else {
      attribute.key = unescaped(key);
      found->attributes.push_back(std::move(attribute));
    }
  }
  variable.attributes = std::move(own);
}

}  // namespace

std::string text_of_names(std::vector<std::string> const& names) {
  constexpr std::size_t max_named = 20;
  if (names.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), max_named); ++i) {
    text += (i > 0 ? ", '" : "'") + names[i] + "'";
  }
  if (names.size() <= max_named) return text;
  return text + " and " + std::to_string(names.size() - max_named) + " more";
}

std::string_view group_of(std::string_view name) {
  std::size_t const slash = name.rfind('/');
  return name.substr(0, slash == std::string_view::npos ? 0 : slash);
}

std::string_view group_around(std::string_view group, std::size_t levels) {
  for (; levels > 0 && !group.empty(); --levels) group = group_of(group);
  return group;
}

std::optional<std::string_view> Variable::group_of_dimension(std::size_t index) const {
  if (index >= dimension_levels.size()) return std::nullopt;
  return group_around(group_of(name), dimension_levels[index]);
}

VariableAttribute const* Variable::find(std::string_view key) const {
  auto const found = std::ranges::find(attributes, key, &VariableAttribute::key);
  return found == attributes.end() ? nullptr : &*found;
}

bool Variable::is_coordinate() const {
  std::size_t const slash = name.rfind('/');
  return dimensions.size() == 1 && dimensions[0] == name.substr(slash + 1);
}

namespace {

/// The numbers of an attribute as values of a type. None of what has no numbers.
std::vector<double> numbers_of(VariableAttribute const* attribute, Dtype dtype) {
  std::vector<double> found;
  if (attribute == nullptr || !attribute->type) return found;
  auto const numbers = numbers_of_text(dtype, attribute->text);
  if (!numbers) return found;
  with_value_type(dtype, [&](auto number) {
    for (std::size_t at = 0; at < numbers->size(); at += sizeof(number)) {
      std::memcpy(&number, numbers->data() + at, sizeof(number));
      found.push_back(static_cast<double>(number));
    }
  });
  return found;
}

/// The same as values of a variable have them: 1e20 of a double is another number in an array of floats.
std::vector<double> numbers_of(Variable const& variable, std::string_view key) {
  return numbers_of(variable.find(key), variable.shape.dtype);
}

/// The numbers as the attribute has them: 0.3 of a float is a little more than 0.3 of a double.
std::vector<double> own_numbers_of(VariableAttribute const* attribute) {
  if (attribute == nullptr || !attribute->type) return {};
  return numbers_of(attribute, *attribute->type);
}

/// Whether integers of a type have a number among them.
bool is_value_of(Dtype dtype, double number) {
  return with_value_type(dtype, [number]<class N>(N) {
    if constexpr (std::integral<N>) {
      double const end = std::ldexp(1.0, std::numeric_limits<N>::digits);
      double const least = std::is_signed_v<N> ? -end : 0;
      return number == std::trunc(number) && number >= least && number < end;
    }
    return false;
  });
}

/// The numbers of an attribute that values of a type can be, each by itself. Floating-point numbers count for integers: 1e+05 is 100000.
std::vector<double> values_among(VariableAttribute const* attribute, Dtype dtype) {
  std::vector<double> found;
  if (attribute == nullptr || !attribute->type) return found;
  bool const are_floats = is_integer(dtype) && !is_integer(*attribute->type);
  for (std::string const& word : words_of(attribute->text, ',')) {
    VariableAttribute const one{attribute->key, word, attribute->type};
    for (double const number : numbers_of(&one, are_floats ? *attribute->type : dtype)) {
      if (!are_floats || is_value_of(dtype, number)) found.push_back(number);
    }
  }
  return found;
}

bool has_word(VariableAttribute const* attribute, std::string_view word) {
  return attribute != nullptr && !attribute->type && attribute->text == word;
}

/// Whether an attribute changes integers; a scale_factor of 1 and an add_offset of 0 leave words of bits and numbers of classes as
/// they are.
bool changes(VariableAttribute const* attribute, double identity) {
  if (attribute == nullptr) return false;
  auto const numbers = own_numbers_of(attribute);
  return numbers.size() != 1 || numbers[0] != identity;
}

}  // namespace

bool Variable::is_packed() const {
  return is_integer(shape.dtype) &&
         (changes(find("scale_factor"), 1) || changes(find("add_offset"), 0));
}

std::string Variable::why_no_packing() const {
  if (!is_packed()) return "";
  for (char const* const word : {"true", "True"}) {
    if (has_word(find("_Unsigned"), word))
      return "its attribute _Unsigned gives its integers another type";
  }
  for (char const* const key : {"scale_factor", "add_offset"}) {
    VariableAttribute const* const attribute = find(key);
    if (attribute == nullptr) continue;
    auto const numbers = own_numbers_of(attribute);
    bool const is_scale = key == std::string_view("scale_factor");
    if (numbers.size() == 1 && std::isfinite(numbers[0]) && !(is_scale && numbers[0] == 0)) {
      continue;
    }
    return "its " + std::string(key) + " '" + attribute->text + "' is no number to " +
           (is_scale ? "divide a bound by" : "add");
  }
  return "";
}

std::optional<NumberPacking> Variable::packing() const {
  if (!is_packed() || !why_no_packing().empty()) return std::nullopt;
  NumberPacking packing;
  if (auto const* const scale = find("scale_factor")) packing.scale = own_numbers_of(scale)[0];
  if (auto const* const offset = find("add_offset")) packing.offset = own_numbers_of(offset)[0];
  return packing;
}

std::vector<double> Variable::fills() const {
  std::vector<double> fills;
  for (char const* const key : {fill_key, "missing_value"}) {
    for (double const fill : values_among(find(key), shape.dtype)) {
      bool const is_known = std::ranges::any_of(fills, [&](double known) {
        return known == fill || (std::isnan(known) && std::isnan(fill));
      });
      if (!is_known) fills.push_back(fill);
    }
  }
  return fills;
}

std::vector<double> Variable::missing() const {
  std::vector<double> all = fills();
  if (unwritten) all.push_back(*unwritten);
  bool const is_wide = is_integer(shape.dtype) && size_of(shape.dtype) == 8;
  if (is_wide) std::erase_if(all, [](double fill) { return std::fabs(fill) >= 0x1p53; });
  return all;
}

namespace {

/// The least and the greatest integer of a type, of 64 bits up to 2^62: larger ones have no bound.
std::pair<std::int64_t, std::int64_t> ends_of(Dtype dtype) {
  return with_value_type(dtype, []<class N>(N) -> std::pair<std::int64_t, std::int64_t> {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    if constexpr (std::integral<N>) {
      constexpr N least = std::numeric_limits<N>::min(), greatest = std::numeric_limits<N>::max();
      return {std::cmp_less(least, -most) ? -most : static_cast<std::int64_t>(least),
              std::cmp_greater(greatest, most) ? most : static_cast<std::int64_t>(greatest)};
    } else {
      return {-most, most};
    }
  });
}

/// Whether an attribute limits the numbers that the integers of a variable stand for, and not the integers.
bool limits_numbers(Variable const& variable, VariableAttribute const* attribute) {
  return is_integer(variable.shape.dtype) && attribute != nullptr && attribute->type &&
         (is_number(*attribute->type) || is_half(*attribute->type));
}

std::vector<double> limits_of(Variable const& variable, std::string_view key) {
  VariableAttribute const* const attribute = variable.find(key);
  return limits_numbers(variable, attribute) ? own_numbers_of(attribute)
                                             : numbers_of(variable, key);
}

/// Limits of an attribute in the units of the values; nothing if no value lies inside.
std::optional<Limits> in_units_of_values(Variable const& variable, std::string_view key,
                                         Limits const& limits) {
  if (!limits_numbers(variable, variable.find(key))) return limits;
  if (!variable.why_no_packing().empty()) return Limits{};
  auto const packing = variable.packing().value_or(NumberPacking{});
  return packed_limits(limits, packing, variable.shape.dtype);
}

/// The limits that a variable declares; nothing if no value lies inside.
std::optional<Limits> declared_limits(Variable const& variable) {
  if (auto const range = limits_of(variable, "valid_range"); range.size() == 2) {
    return in_units_of_values(variable, "valid_range", {range[0], range[1]});
  }
  auto const least = limits_of(variable, "valid_min"), most = limits_of(variable, "valid_max");
  Limits lower, upper;
  if (least.size() == 1) lower.lower = least[0];
  if (most.size() == 1) upper.upper = most[0];
  auto const a = in_units_of_values(variable, "valid_min", lower),
             b = in_units_of_values(variable, "valid_max", upper);
  if (!a || !b) return std::nullopt;
  return Limits{std::max(a->lower, b->lower), std::min(a->upper, b->upper)};
}

}  // namespace

std::optional<Limits> packed_limits(Limits const& limits, NumberPacking const& packing,
                                    Dtype dtype) {
  if (packing.scale < 0) {
    return packed_limits({-limits.upper, -limits.lower}, {-packing.scale, -packing.offset}, dtype);
  }
  // Rounding keeps the order: a greater integer has no smaller number.
  auto const first_where = [&](auto const& holds) {
    auto [low, high] = ends_of(dtype);
    ++high;
    while (low < high) {
      std::int64_t const middle = std::midpoint(low, high);
      bool const found = holds(static_cast<double>(middle) * packing.scale + packing.offset);
      (found ? high : low) = found ? middle : middle + 1;
    }
    return low;
  };
  std::int64_t const begin = first_where([&](double number) { return number >= limits.lower; }),
                     end = first_where([&](double number) { return number > limits.upper; });
  if (begin >= end) return std::nullopt;
  Limits packed;
  if (limits.lower > -Limits::unlimited) packed.lower = static_cast<double>(begin);
  if (limits.upper < Limits::unlimited) packed.upper = static_cast<double>(end - 1);
  return packed;
}

Limits Variable::limits() const {
  Limits const limits = declared_limits(*this).value_or(Limits{});
  return limits.lower <= limits.upper ? limits : Limits{};
}

std::string Variable::why_no_limits() const {
  auto const limits = declared_limits(*this);
  if (limits && limits->lower <= limits->upper) return "";
  std::string said;
  bool any_of_numbers = false;
  for (char const* const key : {"valid_range", "valid_min", "valid_max"}) {
    VariableAttribute const* const attribute = find(key);
    if (attribute == nullptr) continue;
    any_of_numbers = any_of_numbers || limits_numbers(*this, attribute);
    said += (said.empty() ? "" : ", ") + std::string(key) + " '" + attribute->text + "'";
  }
  if (!any_of_numbers) return "";
  return (is_packed() ? "no integer stands for a number inside " : "no integer lies inside ") +
         said;
}

void take_homes(Variable& variable, std::vector<std::string> const& groups) {
  std::string_view const own = group_of(variable.name);
  variable.dimension_levels.clear();
  for (std::string const& group : groups) {
    std::size_t const depth = depth_of(group),
                      levels = depth_of(own) - std::min(depth, depth_of(own));
    if (group_around(own, levels) != group) return variable.dimension_levels.clear();
    variable.dimension_levels.push_back(levels);
  }
}

void take_extents(Variable& variable, std::vector<std::size_t> const& extents) {
  FieldShape& shape = variable.shape;
  variable.is_scalar = extents.empty();
  shape.rank = variable.is_scalar ? 1 : static_cast<int>(extents.size());
  shape.extents[0] = 1;
  if (extents.size() > static_cast<std::size_t>(max_rank)) {
    variable.refusal = "it has " + std::to_string(extents.size()) + " indices, and at most " +
                       std::to_string(max_rank) + " are possible";
    return;
  }
  std::ranges::copy(extents, shape.extents.begin());
  if (!is_countable(extents)) {
    variable.refusal = "its extents make more values than 2^60";
  } else if (shape.size() == 0) {
    variable.is_empty = variable.refusal.empty();
    variable.refusal = "it has no values: an extent is 0";
  }
}

void take_enumeration(Variable& variable, bool is_boolean) {
  variable.is_enumeration = true;
  variable.is_boolean = is_boolean;
  if (is_boolean) return;
  variable.converted = std::string("its values are an enumeration, stored as its numbers of ") +
                       to_string(variable.shape.dtype) + " without their names";
}

std::string_view key_of_part(std::string_view key) {
  if (!key.starts_with(part_front)) return key;
  std::size_t const middle = key.find(part_middle, part_front.size());
  return middle == std::string_view::npos ? key : key.substr(middle + part_middle.size());
}

std::vector<std::string> texts_of_list(std::string_view text) {
  std::vector<std::string> texts = words_of(text, text_separator);
  if (texts.empty()) texts.emplace_back();
  return texts;
}

bool take_texts(VariableAttribute& attribute, std::vector<std::string> const& texts,
                bool is_array) {
  attribute.text = joined(texts, text_separator);
  attribute.is_list = is_array && texts_of_list(attribute.text) == texts;
  return attribute.is_list || (!is_array && texts.size() == 1);
}

namespace {

// The standard library writes and reads no floating-point numbers of 16 bits.
template <class N>
auto in_words(N number) {
  if constexpr (HalfFloat<N>) {
    return number.number();
  } else {
    return number;
  }
}
template <class N, class Read>
N of_type(N, Read read) {
  if constexpr (HalfFloat<N>) {
    return N::nearest(read);
  } else {
    return read;
  }
}

}  // namespace

std::string text_of_numbers(Dtype type, std::span<std::byte const> numbers) {
  return with_value_type(type, [&](auto number) {
    std::string text;
    for (std::size_t at = 0; at + sizeof(number) <= numbers.size(); at += sizeof(number)) {
      std::memcpy(&number, &numbers[at], sizeof(number));
      char word[64];
      auto const [end, error] = std::to_chars(std::begin(word), std::end(word), in_words(number));
      if (error != std::errc()) continue;  // none is so long
      text.append(text.empty() ? "" : ", ").append(word, end);
    }
    return text;
  });
}

std::optional<std::vector<std::byte>> numbers_of_text(Dtype type, std::string_view text) {
  return with_value_type(type, [&](auto number) -> std::optional<std::vector<std::byte>> {
    std::vector<std::byte> numbers;
    for (std::string const& word : words_of(text, ',')) {
      char const* const end = word.data() + word.size();
      char const* const begin = word.data() + std::min(word.find_first_not_of(' '), word.size());
      auto read = in_words(number);
      auto const [stop, error] = std::from_chars(begin, end, read);
      if (error != std::errc() || stop != end) return std::nullopt;
      number = of_type(number, read);
      auto const bytes = std::as_bytes(std::span(&number, 1));
      numbers.insert(numbers.end(), bytes.begin(), bytes.end());
    }
    return numbers;
  });
}

bool can_be_name(std::string_view text) {
  constexpr std::string_view breaks = "\t\n\r";
  return !text.empty() && text.size() <= max_name_bytes && is_text(text) &&
         text.find_first_of(breaks) == std::string_view::npos;
}

Attributes attributes_of(Variable const& variable, std::string_view field,
                         std::vector<LeftOutAttribute>& left_out) {
  KeptAttributes kept(left_out);
  for (VariableAttribute const& attribute : variable.attributes) kept.add(attribute, "");
  for (Group const& group : variable.groups) {
    for (VariableAttribute const& attribute : group.attributes) {
      kept.add(attribute, prefix_of(group, variable));
    }
    if (!group.dimensions.empty()) kept.add(group.dimensions, prefix_of(group, variable));
  }
  return kept.take(variable, field);
}

Variable variable_of(std::string const& name, FieldShape const& shape,
                     Attributes const& attributes) {
  Variable variable{.name = name, .shape = shape};
  std::string types;
  for (VariableAttribute const& attribute : whole_texts(attributes)) {
    auto const& [key, text] = std::tie(attribute.key, attribute.text);
    if (key == types_key) {
      types = text;
    } else if (key == unlimited_key) {
      variable.unlimited = words_of(text, dimension_separator);
    } else if (key == levels_key) {
      variable.dimension_levels = counts_of(text, dimension_separator);
    } else if (key == scale_name_key) {
      variable.scale_name = text;
    } else if (key == dimensions_key) {
      variable.dimensions = words_of(text, dimension_separator);
      variable.is_scalar = text.empty() && shape.rank == 1 && shape.extents[0] == 1;
    } else {
      variable.attributes.push_back(attribute);
    }
  }
  if (variable.dimensions.size() != static_cast<std::size_t>(shape.rank)) {
    variable.dimensions.clear();
  }
  if (variable.dimension_levels.size() != variable.dimensions.size()) {
    variable.dimension_levels.clear();
  }
  take_words(variable, words_of(types, type_separator));
  std::string const fill_type = std::string(to_string(shape.dtype)) + " " + fill_key;
  take_types(variable, variable.is_text ? types : fill_type + type_separator + types);
  take_groups(variable);
  return variable;
}

}  // namespace kompakt::files
