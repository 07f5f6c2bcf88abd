#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <kompakt/io.hpp>
#include <nlohmann/json.hpp>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>

// Real fields: those that scripts/setup fetches for the demo, and every field of the folder
// KOMPAKT_TEST_DATA (a manifest.json beside raw files). KOMPAKT_TEST_MIN_RATIO_fixedlength, …_fz, …_nested,
// …_huffman and …_nested_interpolate are what the geometric mean of the ratios of that folder's fields without fill values must reach,
// KOMPAKT_TEST_MIN_MASKED_RATIO_fixedlength, … that of all its fields with fill values masked.

namespace kompakt::test {

struct RealField {
  std::string name;
  FieldShape shape;
  double range;  // of the valid values
  bool has_invalid;
  std::vector<std::byte> bytes;
};

std::vector<RealField> load_fields(std::filesystem::path const& folder) {
  std::vector<RealField> fields;
  for (auto const& entry : nlohmann::json::parse(std::ifstream(folder / "manifest.json"))) {
    RealField field;
    field.name = entry.at("name");
    field.shape.dtype = entry.at("dtype") == "f32" ? Dtype::f32 : Dtype::f64;
    field.shape.rank = 0;
    for (std::size_t const n : entry.at("shape")) {
      field.shape.extents[static_cast<std::size_t>(field.shape.rank++)] = n;
    }
    field.range = entry.at("max").get<double>() - entry.at("min").get<double>();
    field.has_invalid = !entry.at("fill").is_null() ||
                        entry.value("special", std::string()).find("NaN") != std::string::npos;
    field.bytes = read_raw_field(folder / entry.at("file").get<std::string>(), field.shape);
    fields.push_back(std::move(field));
  }
  return fields;
}

template <class T>
std::vector<T> values_of(RealField const& field) {
  std::vector<T> values(field.shape.size());
  std::memcpy(values.data(), field.bytes.data(), field.bytes.size());
  return values;
}

/// Ratio at an absolute bound of e * range, after every value was checked.
template <class Exec>
double checked_ratio(Codec<Exec>& codec, RealField const& field, Coding const& coding, double e,
                     FillValue const& fill = {}) {
  SCOPED_TRACE(field.name + " at " + std::to_string(e) + " of range, " + coding.name());
  Options options = coding.with(ErrorBound::absolute(e * field.range));
  options.fill = fill;
  std::size_t const size =
      field.shape.dtype == Dtype::f32
          ? expect_round_trip(codec, values_of<float>(field), field.shape, options).size()
          : expect_round_trip(codec, values_of<double>(field), field.shape, options).size();
  return static_cast<double>(field.bytes.size()) / static_cast<double>(size);
}

template <class Exec>
class RealFields : public testing::Test {
 protected:
  void check(std::filesystem::path const& folder) {
    Codec<Exec> codec;
    for (RealField const& field : load_fields(folder)) {
      for (Coding const& coding : main_codings) {
        for (double e = 1e-1; e > 5e-8; e /= 10) checked_ratio(codec, field, coding, e);
      }
    }
  }
};
TYPED_TEST_SUITE(RealFields, Spaces, SpaceName);

TYPED_TEST(RealFields, OfTheDemoFromTenthToTenMillionthOfRange_KeepPromise) {
  std::filesystem::path const folder = KOMPAKT_DEMO_FIELDS;
  if (!std::filesystem::exists(folder / "manifest.json")) {
    GTEST_SKIP() << "no fields in " << folder << "; run scripts/setup";
  }
  this->check(folder);
}

TYPED_TEST(RealFields, OfTestDataFromTenthToTenMillionthOfRange_KeepPromise) {
  char const* const folder = std::getenv("KOMPAKT_TEST_DATA");
  if (folder == nullptr) GTEST_SKIP() << "KOMPAKT_TEST_DATA names no folder of fields";
  this->check(folder);
}

class RealFieldsRatio : public testing::TestWithParam<Coding> {};
INSTANTIATE_TEST_SUITE_P(Codings, RealFieldsRatio, testing::ValuesIn(main_codings),
                         [](auto const& test) { return test.param.word(); });

/// Prints the ratios of the folder's fields at a thousandth of their range; their geometric mean must be what
/// the variable says.
void check_mean_ratio(Coding const& coding, std::string const& variable, bool with_invalid,
                      FillValue const& fill) {
  char const* const folder = std::getenv("KOMPAKT_TEST_DATA");
  if (folder == nullptr) GTEST_SKIP() << "KOMPAKT_TEST_DATA names no folder of fields";
  char const* const least = std::getenv((variable + coding.word()).c_str());
  if (least == nullptr) {
    GTEST_SKIP() << variable << coding.word() << " says no ratio for these fields";
  }
  Codec<Kokkos::DefaultHostExecutionSpace> codec;
  double sum = 0;
  int count = 0;
  for (RealField const& field : load_fields(folder)) {
    if (field.has_invalid && !with_invalid) continue;
    double const ratio = checked_ratio(codec, field, coding, 1e-3, fill);
    std::printf("%-22s %8.2f\n", field.name.c_str(), ratio);
    sum += std::log(ratio);
    ++count;
  }
  double const mean = std::exp(sum / count);
  testing::Test::RecordProperty("geometric_mean", std::to_string(mean));
  std::printf("geometric mean of the ratios of %d fields: %.3f\n", count, mean);
  EXPECT_GE(mean, std::stod(least));
}

TEST_P(RealFieldsRatio, OfTestDataAtThousandthOfRange_GeometricMeanIsKept) {
  check_mean_ratio(GetParam(), "KOMPAKT_TEST_MIN_RATIO_", false, FillValue::none());
}

TEST_P(RealFieldsRatio, OfTestDataWithFillValuesMasked_GeometricMeanIsKept) {
  check_mean_ratio(GetParam(), "KOMPAKT_TEST_MIN_MASKED_RATIO_", true, FillValue::automatic());
}

}  // namespace kompakt::test
