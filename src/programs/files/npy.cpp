#include "npy.hpp"
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <kompakt/byte_order.hpp>
#include <optional>
#include <utility>

namespace kompakt::files {

namespace {

constexpr std::size_t max_header_bytes = std::size_t{1} << 16;
constexpr std::size_t alignment = 64;  // of the first value

/// What stands behind the order of bytes in the word of a type.
struct DtypeWord {
  std::string_view word;
  Dtype dtype;
  char const* converted = nullptr;  ///< what a note says of values that become others
};
constexpr DtypeWord dtype_words[] = {
    {"f4", Dtype::f32},
    {"f8", Dtype::f64},
    {"i1", Dtype::i8},
    {"u1", Dtype::u8},
    {"i2", Dtype::i16},
    {"u2", Dtype::u16},
    {"i4", Dtype::i32},
    {"u4", Dtype::u32},
    {"i8", Dtype::i64},
    {"u8", Dtype::u64},
    {"f2", Dtype::f16},
    {"c8", Dtype::c64},
    {"c16", Dtype::c128},
    {"V2", Dtype::bf16,
     "its values have no type but two bytes each, as NumPy writes bfloat16, and are compressed as "
     "bf16"},
    {"b1", Dtype::u8, "its values are true and false and are compressed as u8, 1 and 0"},
};

/// Reads the dictionary of a header, no more of Python than that.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string const& path) : m_rest(text), m_path(path) {}

  NpyArray parse() {
    expect('{');
    while (!take('}')) {
      entry();
      if (take(',')) continue;
      expect('}');
      break;
    }
    skip_blanks();
    if (!m_rest.empty()) damaged("something follows its dictionary");
    if (!m_dtype || !m_fortran_order || !m_has_shape) {
      damaged("it lacks one of descr, fortran_order and shape");
    }
    NpyArray array{std::move(m_variable), m_path, m_is_big_endian};
    array.variable.shape.dtype = m_dtype->dtype;
    if (m_dtype->converted != nullptr) array.variable.converted = m_dtype->converted;
    array.variable.is_enumeration = m_dtype->word == "b1";
    bool const reversed = *m_fortran_order && array.variable.shape.rank > 1;
    array.variable.shape.order = reversed ? Order::first_fastest : Order::last_fastest;
    return array;
  }

 private:
  [[noreturn]] void damaged(std::string const& what) const {
    throw Error(Status::corrupt,
                "'" + m_path + "': the header of the NumPy file is damaged: " + what,
                "write the file again");
  }
  [[noreturn]] void refuse(std::string const& what, std::string_view advice = {}) const {
    throw Error(Status::bad_argument, "'" + m_path + "': " + what, advice);
  }

  void skip_blanks() {
    m_rest.remove_prefix(std::min(m_rest.find_first_not_of(" \t\n"), m_rest.size()));
  }
  bool take(char c) {
    skip_blanks();
    if (m_rest.empty() || m_rest[0] != c) return false;
    m_rest.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) damaged(std::string("there is no ") + c + " where one must be");
  }
  bool take(std::string_view word) {
    skip_blanks();
    if (!m_rest.starts_with(word)) return false;
    m_rest.remove_prefix(word.size());
    return true;
  }
  std::string_view quoted() {
    skip_blanks();
    char const quote = m_rest.empty() ? '\0' : m_rest[0];
    if (quote != '\'' && quote != '"') damaged("there is no word in quotes where one must be");
    std::size_t const end = m_rest.find(quote, 1);
    if (end == std::string_view::npos) damaged("a quote has no end");
    std::string_view const word = m_rest.substr(1, end - 1);
    m_rest.remove_prefix(end + 1);
    return word;
  }

  void entry() {
    std::string_view const key = quoted();
    expect(':');
    bool const again = (key == "descr" && m_dtype) || (key == "shape" && m_has_shape) ||
                       (key == "fortran_order" && m_fortran_order);
    if (again) damaged("a key appears twice");
    if (key == "descr") {
      take_dtype();
    } else if (key == "fortran_order") {
      m_fortran_order = take(std::string_view("True"));
      if (!*m_fortran_order && !take(std::string_view("False"))) {
        damaged("fortran_order is neither True nor False");
      }
    } else if (key == "shape") {
      take_shape();
    } else {
      damaged("it has a key other than descr, fortran_order and shape");
    }
  }

  void take_dtype() {
    if (take('[')) refuse("its values are structures; store each member as an array of its own");
    std::string_view const word = quoted();
    bool const has_order = !word.empty() && std::string_view("<>|=").find(word[0]) != word.npos;
    for (DtypeWord const& known : dtype_words) {
      bool const fits = has_order && word.substr(1) == known.word;
      bool const has_bytes_alone = size_of(known.dtype) == 1 || known.dtype == Dtype::bf16;
      if (fits && (word[0] != '|' || has_bytes_alone)) m_dtype = known;
    }
    m_is_big_endian = has_order && word[0] == '>';
    if (m_dtype) return;
    std::string text;  // of a file that nobody has checked
    for (char const c : word.substr(0, 20)) text += c >= ' ' && c <= '~' ? c : '?';
    refuse("its values are of the type '" + text +
           "'; floats of 16 to 64 bits and integers of 8 to 64 bits can be compressed");
  }

  void take_shape() {
    expect('(');
    FieldShape& shape = m_variable.shape;
    shape.rank = 0;
    while (!take(')')) {
      std::size_t const extent = number();
      if (extent == 0) refuse("it has no values: an extent is 0");
      if (shape.rank == max_rank) {
        refuse("it has more than " + std::to_string(max_rank) + " indices; join some of them");
      }
      shape.extents[static_cast<std::size_t>(shape.rank++)] = extent;
      if (!is_countable(shape)) damaged("its extents make more values than 2^60");
      if (take(',')) continue;
      expect(')');
      break;
    }
    m_variable.is_scalar = shape.rank == 0;
    if (shape.rank == 0) shape.extents[static_cast<std::size_t>(shape.rank++)] = 1;
    m_has_shape = true;
  }

  std::size_t number() {
    skip_blanks();
    std::size_t value = 0;
    auto const [end, error] = std::from_chars(m_rest.data(), m_rest.data() + m_rest.size(), value);
    if (error != std::errc()) damaged("an extent is not a number that fits in 64 bits");
    m_rest.remove_prefix(static_cast<std::size_t>(end - m_rest.data()));
    return value;
  }

  std::string_view m_rest;
  std::string const& m_path;
  Variable m_variable;
  std::optional<DtypeWord> m_dtype;
  bool m_is_big_endian = false;
  std::optional<bool> m_fortran_order;
  bool m_has_shape = false;
};

[[noreturn]] void cut_off(std::string const& path) {
  throw Error(Status::corrupt,
              "'" + path + "' is cut off: it ends before the last value of its NumPy array",
              "copy the file again");
}

void read_all(ByteSource& source, std::span<std::byte> to, std::string const& path) {
  if (source.read(to) < to.size()) cut_off(path);
}

class NpyReader final : public FieldReader {
 public:
  NpyReader(std::unique_ptr<ByteSource> source, NpyArray array)
      : m_source(std::move(source)), m_array(std::move(array)) {}

  bool can_rewind() const override { return m_source->can_rewind(); }
  void rewind() override {
    m_source->rewind();
    std::vector<std::byte> front(m_array.begin);
    read_all(*m_source, front, m_array.label);
  }
  void read(std::span<std::byte> values) override {
    read_all(*m_source, values, m_array.label);
    if (m_array.is_big_endian) swap_bytes(values, m_array.variable.shape.dtype);
  }
  void require_end() override {
    std::byte more{};
    if (m_source->read({&more, 1}) == 0) return;
    throw Error(Status::corrupt,
                "'" + m_array.label + "' has bytes behind the last value of its NumPy array",
                "write one array alone");
  }

 private:
  std::unique_ptr<ByteSource> m_source;
  NpyArray m_array;
};

class NpyFile final : public FieldFile {
 public:
  explicit NpyFile(std::string const& path) : m_file(path) {
    std::uint64_t const bytes = m_file.known_bytes();
    NpyArray const array = read_npy_front(*read_bytes(m_file.again()), path);
    array.require_bytes(bytes, path);
    m_variables = {array.variable};
  }

  std::vector<Variable> const& variables() const override { return m_variables; }
  InputFile const& file() const override { return m_file; }
  std::unique_ptr<FieldReader> read(Variable const&) const override {
    auto source = read_bytes(m_file.again());
    NpyArray array = read_npy_front(*source, m_file.path().string());
    return read_npy(std::move(source), std::move(array));
  }

 private:
  InputFile m_file;
  std::vector<Variable> m_variables;
};

class NpyWriter final : public FieldWriter {
 public:
  explicit NpyWriter(OutputFile file) : m_file(std::move(file)) {}

  void begin(Variable const& variable) override {
    note_boolean(variable);
    std::string const header = npy_header(variable);
    m_file.write(std::as_bytes(std::span(header)));
  }
  void write(std::span<std::byte const> values) override { m_file.write(values); }
  void commit() override { m_file.commit(); }

 private:
  OutputFile m_file;
};

}  // namespace

void NpyArray::require_bytes(std::uint64_t bytes, std::string const& path) const {
  std::uint64_t const needed = begin + variable.shape.bytes();
  if (bytes == needed) return;
  throw Error(Status::corrupt,
              "'" + path + "' has " + std::to_string(bytes) + " bytes, but its NumPy header says " +
                  std::to_string(needed),
              "copy the file again");
}

NpyArray parse_npy_header(std::string_view text, std::string const& path) {
  return HeaderParser(text, path).parse();
}

NpyArray read_npy_front(ByteSource& source, std::string const& path) {
  std::array<std::byte, 12> front{};
  read_all(source, std::span(front).first(10), path);
  auto const byte = [&](std::size_t i) { return std::to_integer<std::uint64_t>(front[i]); };
  std::string_view const magic(reinterpret_cast<char const*>(front.data()), npy_magic.size());
  if (magic != npy_magic) {
    throw Error(Status::bad_magic, "'" + path + "' is not a NumPy array", "write it again");
  }
  std::uint64_t const version = byte(6);
  if (version < 1 || version > 3) {
    throw Error(Status::unsupported_version, "'" + path + "': version " + std::to_string(version) +
                                                 " of the NumPy format is not known; 1 to 3 are");
  }
  bool const is_short = version == 1;
  if (!is_short) read_all(source, std::span(front).last(2), path);
  std::uint64_t const header_bytes =
      byte(8) | byte(9) << 8 | (is_short ? 0 : byte(10) << 16 | byte(11) << 24);
  if (header_bytes > max_header_bytes) {
    throw Error(Status::corrupt,
                "'" + path + "': the header of the NumPy file is damaged: " +
                    std::to_string(header_bytes) + " bytes are too long for one",
                "write the file again");
  }
  std::string text(header_bytes, '\0');
  read_all(source, std::as_writable_bytes(std::span(text)), path);
  NpyArray array = parse_npy_header(text, path);
  array.begin = (is_short ? 10 : 12) + header_bytes;
  return array;
}

std::unique_ptr<FieldReader> read_npy(std::unique_ptr<ByteSource> source, NpyArray array) {
  return std::make_unique<NpyReader>(std::move(source), std::move(array));
}

std::string npy_header(Variable const& variable) {
  FieldShape const& shape = variable.shape;
  auto const word = std::ranges::find(dtype_words, shape.dtype, &DtypeWord::dtype);
  char const order = size_of(shape.dtype) == 1 ? '|' : '<';
  std::string text =
      std::string("{'descr': '") + order + std::string(word->word) +
      "', 'fortran_order': " + (shape.order == Order::first_fastest ? "True" : "False") +
      ", 'shape': (";
  for (int i = 0; i < shape.rank && !variable.is_scalar; ++i) {
    if (i > 0) text += ' ';
    text += std::to_string(shape.extents[static_cast<std::size_t>(i)]) + ",";
  }
  if (shape.rank > 1) text.pop_back();  // as Python writes it
  text += "), }";
  constexpr std::size_t front = npy_magic.size() + 4;
  std::size_t const blanks = (alignment - (front + text.size() + 1) % alignment) % alignment;
  text += std::string(blanks, ' ') + "\n";
  auto const length = static_cast<std::uint16_t>(text.size());
  std::string header(npy_magic);
  for (int const byte : {1, 0, length & 0xff, length >> 8}) header += static_cast<char>(byte);
  return header + text;
}

std::unique_ptr<FieldFile> open_npy(std::string const& path) {
  return std::make_unique<NpyFile>(path);
}

std::unique_ptr<FieldWriter> write_npy(OutputFile file) {
  return std::make_unique<NpyWriter>(std::move(file));
}

}  // namespace kompakt::files
