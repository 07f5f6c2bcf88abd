#include "../io/temporary_folder.hpp"
#include <algorithm>
#include <files/classic_netcdf.hpp>
#include <gtest/gtest.h>
#include <kompakt/error.hpp>
#include <support/random.hpp>

namespace kompakt::test {
namespace {

/// A file of CDF-1, -2 or -5, written by the format's description: 3 records of a float and a short, and 5 doubles.
class ClassicFile {
 public:
  explicit ClassicFile(int version) : m_version(version) {
    m_bytes = "CDF";
    m_bytes += static_cast<char>(version);
    count(3);  // records
    list(10, 3);
    for (auto const& [name, length] : {std::pair("t", 0), std::pair("x", 5), std::pair("y", 2)}) {
      text(name);
      count(static_cast<std::uint64_t>(length));
    }
    list(12, 1);
    text("title");
    number(2, 4);
    text("abc");
    list(11, 3);
    std::size_t const fixed = variable("v", {1}, 6, 40);
    std::size_t const first = variable("r", {0}, 5, 4);
    std::size_t const second = variable("s", {0, 2}, 3, 4);
    std::uint64_t const begin = m_bytes.size();
    place(fixed, begin);
    place(first, begin + 40);
    place(second, begin + 44);
    m_bytes += std::string(40 + 3 * 8, 'x');
  }

  std::string const& bytes() const { return m_bytes; }

 private:
  void number(std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = bytes; i-- > 0;) m_bytes += static_cast<char>(value >> (8 * i));
  }
  void count(std::uint64_t value) { number(value, m_version == 5 ? 8 : 4); }
  void list(std::uint64_t tag, std::uint64_t elements) {
    number(tag, 4);
    count(elements);
  }
  void text(std::string const& text) {
    count(text.size());
    m_bytes += text;
    m_bytes.resize((m_bytes.size() + 3) / 4 * 4);
  }
  // Returns where its place in the file stands.
  std::size_t variable(std::string const& name, std::vector<std::uint64_t> const& dimensions,
                       std::uint64_t type, std::uint64_t bytes) {
    text(name);
    count(dimensions.size());
    for (std::uint64_t const dimension : dimensions) count(dimension);
    list(0, 0);
    number(type, 4);
    count(bytes);
    number(0, m_version == 1 ? 4 : 8);
    return m_bytes.size();
  }
  void place(std::size_t end, std::uint64_t begin) {
    for (std::size_t i = 1; i <= 4; ++i)
      m_bytes[end - i] = static_cast<char>(begin >> (8 * (i - 1)));
  }

  int m_version;
  std::string m_bytes;
};

Status status_of(std::string const& bytes) {
  try {
    InputFile file = InputFile::of_memory(bytes_of(bytes));
    files::places_in_classic(file, "a.nc");
    return Status::ok;
  } catch (Error const& error) {
    return error.status();
  }
}

class ClassicNetcdf : public ::testing::TestWithParam<int> {};

TEST_P(ClassicNetcdf, ThatIsWhole_Passes) {
  EXPECT_EQ(status_of(ClassicFile(GetParam()).bytes()), Status::ok);
}

TEST_P(ClassicNetcdf, ThatIsCutOffAnywhere_IsRefused) {
  std::string const bytes = ClassicFile(GetParam()).bytes();
  for (std::size_t left = 3; left < bytes.size(); ++left) {
    EXPECT_EQ(status_of(bytes.substr(0, left)), Status::corrupt) << left << " of " << bytes.size();
  }
}

TEST_P(ClassicNetcdf, ThatWasChangedAnywhere_EndsWithoutHarm) {
  std::string const whole = ClassicFile(GetParam()).bytes();
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    KOMPAKT_TRACE_SEED(seed);
    Random random(seed);
    std::string bytes = whole;
    for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
      bytes[4 + random.below(bytes.size() - 4)] =
          static_cast<char>(random.one_in(2) ? 0xff : random.bits());
    }
    Status const status = status_of(bytes);
    EXPECT_TRUE(status == Status::ok || status == Status::corrupt) << to_string(status);
  }
}

/// Says what a file has in place of libnetcdf: the variables of ClassicFile.
class Described final : public files::FieldFile {
 public:
  explicit Described(std::filesystem::path const& path) : m_file(path) {
    add("v", Dtype::f64, {5});
    add("r", Dtype::f32, {3});
    add("s", Dtype::i16, {3, 2});
  }
  std::vector<files::Variable> const& variables() const override { return m_variables; }
  InputFile const& file() const override { return m_file; }
  std::unique_ptr<files::FieldReader> read(files::Variable const&) const override { return {}; }

 private:
  void add(std::string const& name, Dtype dtype, std::vector<std::uint64_t> const& extents) {
    files::Variable variable;
    variable.name = name;
    variable.shape.dtype = dtype;
    variable.shape.rank = static_cast<int>(extents.size());
    std::ranges::copy(extents, variable.shape.extents.begin());
    m_variables.push_back(std::move(variable));
  }

  InputFile m_file;
  std::vector<files::Variable> m_variables;
};

std::unique_ptr<files::FieldFile> opened(std::filesystem::path const& path) {
  InputFile file(path);
  return files::read_classic(std::make_unique<Described>(path),
                             *files::places_in_classic(file, path.string()));
}

TEST_P(ClassicNetcdf, Values_AreThoseOfTheirPlaces) {
  TemporaryFolder const folder;
  std::string bytes = ClassicFile(GetParam()).bytes();
  // The values are at the end: five of v, and three records of one of r and two of s.
  for (std::size_t i = 0; i < 64; ++i) bytes[bytes.size() - 64 + i] = static_cast<char>(i);
  put(folder / "a.nc", bytes);
  auto const file = opened(folder / "a.nc");
  std::string const expected[] = {{7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8},
                                  {43, 42, 41, 40, 51, 50, 49, 48, 59, 58, 57, 56},
                                  {45, 44, 47, 46, 53, 52, 55, 54, 61, 60, 63, 62}};
  for (std::size_t i = 0; i < 3; ++i) {
    files::Variable const& variable = file->variables()[i];
    auto const reader = file->read(variable);
    for (int times = 0; times < 2; ++times) {
      std::string found(expected[i].size(), '\0');
      auto const values = std::as_writable_bytes(std::span(found));
      reader->read(values.first(8));
      reader->read(values.subspan(8));
      EXPECT_EQ(found, expected[i]) << variable.name;
      reader->rewind();
    }
  }
}

TEST_P(ClassicNetcdf, ThatChangesWhileItIsRead_IsRefused) {
  TemporaryFolder const folder;
  auto const path = folder / "a.nc";
  put(path, ClassicFile(GetParam()).bytes());
  auto const file = opened(path);
  auto const reader = file->read(file->variables()[0]);
  std::string found(16, '\0');
  reader->read(std::as_writable_bytes(std::span(found)));
  std::filesystem::resize_file(path, 100);
  EXPECT_THROW(reader->read(std::as_writable_bytes(std::span(found))), Error);
  put(path, ClassicFile(GetParam()).bytes() + "more");
  reader->rewind();
  EXPECT_THROW(reader->read(std::as_writable_bytes(std::span(found))), Error);
}

INSTANTIATE_TEST_SUITE_P(Versions, ClassicNetcdf, ::testing::Values(1, 2, 5));

}  // namespace
}  // namespace kompakt::test
