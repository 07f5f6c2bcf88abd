#include "npy.hpp"
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

namespace kompakt::files {

namespace {

constexpr std::size_t max_header_bytes = std::size_t{1} << 16;
constexpr std::size_t alignment = 64;  // of the first value

struct DtypeWord {
  char const* word;
  Dtype dtype;
};
constexpr DtypeWord dtype_words[] = {
    {"<f4", Dtype::f32}, {"<f8", Dtype::f64}, {"|i1", Dtype::i8},  {"|u1", Dtype::u8},
    {"<i2", Dtype::i16}, {"<u2", Dtype::u16}, {"<i4", Dtype::i32}, {"<u4", Dtype::u32},
    {"<i8", Dtype::i64}, {"<u8", Dtype::u64}, {"<i1", Dtype::i8},  {"<u1", Dtype::u8},
};

/// Reads the dictionary of a header, no more of Python than that.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string const& path) : m_rest(text), m_path(path) {}

  Variable parse() {
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
    Variable variable = std::move(m_variable);
    variable.shape.dtype = *m_dtype;
    bool const reversed = *m_fortran_order && variable.shape.rank > 1;
    variable.shape.order = reversed ? Order::first_fastest : Order::last_fastest;
    return variable;
  }

 private:
  [[noreturn]] void damaged(std::string const& what) const {
    throw Error(Status::corrupt, "'" + m_path + "': the header of the NumPy file is damaged: " +
                                     what + "; write the file again");
  }
  [[noreturn]] void refuse(std::string const& what) const {
    throw Error(Status::bad_argument, "'" + m_path + "': " + what);
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
    if (again) damaged("a key is twice there");
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
      damaged("it has a key that is none of descr, fortran_order and shape");
    }
  }

  void take_dtype() {
    if (take('[')) refuse("its values are structures; store each member as an array of its own");
    std::string_view const word = quoted();
    for (DtypeWord const& known : dtype_words) {
      if (word == known.word) m_dtype = known.dtype;
    }
    if (m_dtype) return;
    std::string text;  // of a file that nobody has checked
    for (char const c : word.substr(0, 20)) text += c >= ' ' && c <= '~' ? c : '?';
    if (word.starts_with('>')) {
      refuse(
          "its values are big-endian ('" + text +
          "'); store them little-endian, as numpy.save(file, a.astype(a.dtype.newbyteorder('<')))"
          " does");
    }
    refuse("its values are of the type '" + text +
           "'; f32, f64 and integers of 8 to 64 bits can be compressed");
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
    if (error != std::errc()) damaged("an extent is no number that fits in 64 bits");
    m_rest.remove_prefix(static_cast<std::size_t>(end - m_rest.data()));
    return value;
  }

  std::string_view m_rest;
  std::string const& m_path;
  Variable m_variable;
  std::optional<Dtype> m_dtype;
  std::optional<bool> m_fortran_order;
  bool m_has_shape = false;
};

[[noreturn]] void cut_off(std::string const& path, std::uint64_t bytes, std::uint64_t needed) {
  throw Error(Status::corrupt, "'" + path + "' has " + std::to_string(bytes) +
                                   " bytes, but its NumPy header speaks of " +
                                   std::to_string(needed) + "; copy the file again");
}

class NpyFile final : public FieldFile {
 public:
  explicit NpyFile(std::string const& path) : m_path(path) {
    InputFile file(path, "read_file");
    std::uint64_t const bytes = file.known_bytes();
    std::array<std::byte, 12> front{};
    if (bytes < front.size()) cut_off(path, bytes, front.size());
    file.read_at(0, front);
    auto const byte = [&](std::size_t i) { return std::to_integer<std::uint64_t>(front[i]); };
    std::uint64_t const version = byte(6);
    if (version < 1 || version > 3) {
      throw Error(Status::unsupported_version, "'" + path + "': version " +
                                                   std::to_string(version) +
                                                   " of the NumPy format is not known; 1 to 3 are");
    }
    bool const is_short = version == 1;
    std::uint64_t const header_bytes =
        byte(8) | byte(9) << 8 | (is_short ? 0 : byte(10) << 16 | byte(11) << 24);
    std::uint64_t const begin = is_short ? 10 : 12;
    if (header_bytes > max_header_bytes) {
      throw Error(Status::corrupt, "'" + path + "': the header of the NumPy file is damaged: " +
                                       std::to_string(header_bytes) +
                                       " bytes are no length of one; write the file again");
    }
    if (begin + header_bytes > bytes) cut_off(path, bytes, begin + header_bytes);
    std::string text(header_bytes, '\0');
    file.read_at(begin, std::as_writable_bytes(std::span(text)));
    m_variables = {parse_npy_header(text, path)};
    m_begin = begin + header_bytes;
    std::uint64_t const needed = m_begin + m_variables[0].shape.bytes();
    if (bytes != needed) cut_off(path, bytes, needed);
  }

  std::vector<Variable> const& variables() const override { return m_variables; }
  std::unique_ptr<FieldReader> read(Variable const& variable) const override {
    InputFile file(m_path, "read_file");
    file.narrow(m_begin, variable.shape.bytes());
    return read_raw(std::move(file), variable.shape);
  }

 private:
  std::string m_path;
  std::vector<Variable> m_variables;
  std::uint64_t m_begin = 0;
};

class NpyWriter final : public FieldWriter {
 public:
  explicit NpyWriter(OutputFile file) : m_file(std::move(file)) {}

  void begin(Variable const& variable) override {
    std::string const header = npy_header(variable);
    m_file.write(std::as_bytes(std::span(header)));
  }
  void write(std::span<std::byte const> values) override { m_file.write(values); }
  void commit() override { m_file.commit(); }

 private:
  OutputFile m_file;
};

}  // namespace

Variable parse_npy_header(std::string_view text, std::string const& path) {
  return HeaderParser(text, path).parse();
}

std::string npy_header(Variable const& variable) {
  FieldShape const& shape = variable.shape;
  auto const word = std::ranges::find(dtype_words, shape.dtype, &DtypeWord::dtype);
  std::string text = std::string("{'descr': '") + word->word + "', 'fortran_order': " +
                     (shape.order == Order::first_fastest ? "True" : "False") + ", 'shape': (";
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
