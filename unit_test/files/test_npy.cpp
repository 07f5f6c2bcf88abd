#include "../io/temporary_folder.hpp"
#include <files/npy.hpp>
#include <gtest/gtest.h>
#include <support/errors.hpp>
#include <support/random.hpp>

namespace kompakt::test {
namespace {

using files::Variable;

constexpr char const* path = "a.npy";

Variable any_variable(Random& random) {
  Variable variable;
  FieldShape& shape = variable.shape;
  shape.dtype = static_cast<Dtype>(random.below(dtype_count));
  shape.rank = static_cast<int>(random.between(1, max_rank));
  for (int i = 0; i < shape.rank; ++i) {
    shape.extents[static_cast<std::size_t>(i)] = 1 + random.below(random.one_in(4) ? 100000 : 9);
  }
  std::size_t values = 1;
  for (std::size_t& extent : shape.extents) {
    if (extent > 0 && values > (std::size_t{1} << 60) / extent) extent = 1;
    values *= std::max<std::size_t>(extent, 1);
  }
  if (shape.rank > 1 && random.one_in(2)) shape.order = Order::first_fastest;
  variable.is_scalar = shape.rank == 1 && shape.extents[0] == 1 && random.one_in(2);
  return variable;
}

// What stands behind the magic, version and length.
std::string dictionary_of(Variable const& variable) {
  return files::npy_header(variable).substr(10);
}

Status status_of(std::string const& header) {
  try {
    Variable const variable = files::parse_npy_header(header, path).variable;
    EXPECT_GE(variable.shape.rank, 1);
    EXPECT_LE(variable.shape.rank, max_rank);
    EXPECT_GE(variable.shape.size(), 1u);
    EXPECT_LE(variable.shape.size(), std::size_t{1} << 60);
    return Status::ok;
  } catch (Error const& error) {
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    return error.status();
  }
}

std::string with_shape(std::string const& shape) {
  return "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }\n";
}
std::string with_dtype(std::string const& dtype) {
  return "{'descr': " + dtype + ", 'fortran_order': False, 'shape': (2,), }\n";
}

TEST(NpyHeader, OfAnyArray_IsReadAsItWasWritten) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    KOMPAKT_TRACE_SEED(seed);
    Random random(seed);
    Variable const variable = any_variable(random);
    std::string const header = files::npy_header(variable);
    EXPECT_EQ(header.size() % 64, 0u);
    Variable const read = files::parse_npy_header(header.substr(10), path).variable;
    EXPECT_EQ(read.shape, variable.shape) << header;
    EXPECT_EQ(read.is_scalar, variable.is_scalar) << header;
  }
}

TEST(NpyHeader, ThatWasChangedAnywhere_IsRefusedOrOneOfAnotherArray) {
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    KOMPAKT_TRACE_SEED(seed);
    Random random(seed);
    std::string header = dictionary_of(any_variable(random));
    for (std::uint64_t changes = 1 + random.below(4); changes > 0 && !header.empty(); --changes) {
      std::size_t const at = random.below(header.size());
      switch (random.below(4)) {
        case 0: header[at] = static_cast<char>(random.bits()); break;
        case 1: header.erase(at, 1 + random.below(8)); break;
        case 2:
          header.insert(at, header.substr(random.below(header.size()), random.below(9)));
          break;
        default: header.resize(at);
      }
    }
    Status const status = status_of(header);
    EXPECT_TRUE(status == Status::ok || status == Status::corrupt || status == Status::bad_argument)
        << to_string(status) << ": " << header;
  }
}

TEST(NpyHeader, OfWhatNoFieldHas_IsRefusedForThat) {
  EXPECT_EQ(status_of(with_shape("(2, 3)")), Status::ok);
  EXPECT_EQ(status_of(with_shape("(2,3,)")), Status::ok);
  EXPECT_EQ(status_of(with_shape("()")), Status::ok);
  for (char const* const shape : {"(0, 3)", "(1,1,1,1,1,1,1,1,1)"}) {
    EXPECT_EQ(status_of(with_shape(shape)), Status::bad_argument) << shape;
  }
  for (char const* const shape :
       {"(-1,)", "(2", "2", "[2]", "(4294967296, 4294967296)", "(99999999999999999999,)", "(2 3)",
        "(,)", "(2.0,)", "(2,),", "(2,)}", "(2,)) "}) {
    EXPECT_EQ(status_of(with_shape(shape)), Status::corrupt) << shape;
  }
  for (char const* const dtype :
       {"'|O'", "'<U5'", "'f4'", "'|f4'", "'>'", "'<f16'", "[('a', '<f4')]", "'\x01\xff'", "''"}) {
    EXPECT_EQ(status_of(with_dtype(dtype)), Status::bad_argument) << dtype;
  }
}

TEST(NpyHeader, OfOtherNumbers_SaysHowTheyBecomeThoseOfAField) {
  auto const big = files::parse_npy_header(with_dtype("'>i2'"), path);
  EXPECT_TRUE(big.is_big_endian && big.variable.converted.empty());
  auto const half = files::parse_npy_header(with_dtype("'<f2'"), path);
  EXPECT_EQ(half.variable.shape.dtype, Dtype::f16);
  EXPECT_TRUE(half.variable.converted.empty() && !half.is_big_endian);
  auto const other = files::parse_npy_header(with_dtype("'<V2'"), path);
  EXPECT_EQ(other.variable.shape.dtype, Dtype::bf16);
  EXPECT_NE(other.variable.converted.find("bfloat16"), std::string::npos);
  auto const truth = files::parse_npy_header(with_dtype("'|b1'"), path);
  EXPECT_EQ(truth.variable.shape.dtype, Dtype::u8);
  EXPECT_NE(truth.variable.converted.find("u8"), std::string::npos);
}

TEST(NpyHeader, ThatLacksOrRepeatsAKey_IsDamaged) {
  for (char const* const header :
       {"", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'shape': (3,)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} more"}) {
    EXPECT_EQ(status_of(header), Status::corrupt) << header;
  }
}

class NpyFile : public ::testing::Test {
 protected:
  Status open(std::string const& bytes) const {
    put(m_folder / path, bytes);
    try {
      files::open_npy((m_folder / path).string());
      return Status::ok;
    } catch (Error const& error) {
      return error.status();
    }
  }

  TemporaryFolder const m_folder;
};

TEST_F(NpyFile, OfAnyVersion_IsOpenedOnlyIfItsLengthIsThatOfItsArray) {
  std::string const text = with_shape("(2,)"), values(8, 'x');
  std::string const magic(files::npy_magic);
  auto const length = static_cast<char>(text.size());
  std::string const first = magic + '\1' + '\0' + length + '\0' + text + values;
  EXPECT_EQ(open(first), Status::ok);
  for (char const version : {'\2', '\3'}) {
    EXPECT_EQ(open(magic + version + '\0' + length + std::string(3, '\0') + text + values),
              Status::ok);
  }
  EXPECT_EQ(open(magic + '\4' + first.substr(7)), Status::unsupported_version);
  EXPECT_EQ(open(magic + '\0' + first.substr(7)), Status::unsupported_version);
  EXPECT_EQ(open(magic + '\2' + '\0' + "\xff\xff\xff\xff" + text), Status::corrupt);
  EXPECT_EQ(open(magic + '\1' + '\0' + "\xff\xff" + text), Status::corrupt);
  EXPECT_EQ(open(first + "x"), Status::corrupt);
  for (std::size_t bytes = 0; bytes < first.size(); ++bytes) {
    EXPECT_EQ(open(first.substr(0, bytes)), Status::corrupt) << bytes;
  }
}

// A file of four float64, each the same.
void put_array(std::filesystem::path const& file, double value) {
  Variable variable;
  variable.shape = {.dtype = Dtype::f64, .rank = 1, .extents = {4}};
  std::array<double, 4> values{};
  values.fill(value);
  put(file, files::npy_header(variable) +
                std::string(reinterpret_cast<char const*>(values.data()), sizeof(values)));
}

TEST(FieldFile, OfAnArrayWhoseNameAnotherHasGot_IsReadOn) {
  TemporaryFolder const folder;
  put_array(folder / "a.npy", 1);
  auto const file = files::open_field_file({(folder / "a.npy").string(), "", files::Format::npy});
  put_array(folder / "b.npy", 2);
  std::filesystem::rename(folder / "b.npy", folder / "a.npy");
  std::array<double, 4> values{};
  file->read(file->variables().front())->read(std::as_writable_bytes(std::span(values)));
  EXPECT_EQ(values, (std::array<double, 4>{1, 1, 1, 1}));
}

TEST(FieldFile, ThatIsAnotherThanTheOneLookedAt_IsRefused) {
  TemporaryFolder const folder;
  put_array(folder / "a.npy", 1);
  files::FileName name{(folder / "a.npy").string(), "", files::Format::npy};
  name.identity = files::open_field_file(name)->file().identity();
  EXPECT_NO_THROW(files::open_field_file(name));
  put_array(folder / "b.npy", 2);
  std::filesystem::rename(folder / "b.npy", folder / "a.npy");
  Error const error = error_of([&] { files::open_field_file(name); });
  EXPECT_EQ(error.status(), Status::io);
  EXPECT_EQ(error.problem(), "'" + name.path + "' was replaced or changed while it was read");
}

}  // namespace
}  // namespace kompakt::test
