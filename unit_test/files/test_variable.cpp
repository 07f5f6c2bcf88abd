#include <algorithm>
#include <cmath>
#include <cstring>
#include <files/variable.hpp>
#include <gtest/gtest.h>
#include <support/random.hpp>

namespace kompakt::test {
namespace {

using files::Variable;
using files::VariableAttribute;

constexpr Dtype types[] = {Dtype::f32, Dtype::f64, Dtype::i8,  Dtype::u8,  Dtype::i16,
                           Dtype::u16, Dtype::i32, Dtype::u32, Dtype::i64, Dtype::u64};

// A NaN has no bits of its own in words.
bool same_numbers(Dtype type, std::vector<std::byte> const& a, std::vector<std::byte> const& b) {
  auto const same = [&]<class T>(T x) {
    T y = x;
    for (std::size_t at = 0; at < a.size(); at += sizeof(T)) {
      std::memcpy(&x, &a[at], sizeof(T));
      std::memcpy(&y, &b[at], sizeof(T));
      bool const nans = x != x && y != y;
      if (!nans && std::memcmp(&x, &y, sizeof(T)) != 0) return false;
    }
    return true;
  };
  if (a.size() != b.size()) return false;
  if (type == Dtype::f32) return same(float{});
  return type == Dtype::f64 ? same(double{}) : a == b;
}

std::vector<std::byte> any_numbers(Random& random, Dtype type) {
  std::vector<std::byte> numbers(size_of(type) * (1 + random.below(5)));
  for (std::byte& byte : numbers) byte = static_cast<std::byte>(random.bits());
  return numbers;
}

TEST(VariableNumbers, OfAnyBits_ComeBackFromTheirWords) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    KOMPAKT_TRACE_SEED(seed);
    Random random(seed);
    Dtype const type = types[seed % std::size(types)];
    std::vector<std::byte> const numbers = any_numbers(random, type);
    std::string const text = files::text_of_numbers(type, numbers);
    auto const back = files::numbers_of_text(type, text);
    ASSERT_TRUE(back) << text;
    EXPECT_TRUE(same_numbers(type, numbers, *back)) << text;
  }
}

TEST(VariableNumbers, OfWordsThatAreNone_AreNone) {
  for (char const* const text : {"x", "1,", "1 2", "1e999", "0x10", "1;2"}) {
    EXPECT_FALSE(files::numbers_of_text(Dtype::f32, text)) << text;
  }
  EXPECT_FALSE(files::numbers_of_text(Dtype::i8, "200"));
  EXPECT_FALSE(files::numbers_of_text(Dtype::u8, "-1"));
  EXPECT_FALSE(files::numbers_of_text(Dtype::i32, "1.5"));
}

Variable temperature() {
  Variable variable;
  variable.name = "temperature";
  variable.shape.rank = 2;
  variable.shape.extents = {3, 4};
  variable.dimensions = {"lat", "lon"};
  variable.unlimited = {"lat"};
  variable.attributes = {{"units", "K"},
                         {"long_name", "Temperatur, °"},
                         {"numbers as text", "1, 2"},
                         {"_FillValue", "1e+20", Dtype::f32},
                         {"valid range", "0, 1000", Dtype::f64},
                         {"comment", ""}};
  return variable;
}

TEST(VariableAttributes, InAnArchiveAndBack_AreTheSame) {
  Variable const variable = temperature();
  std::vector<files::LeftOutAttribute> left_out;
  Attributes const attributes = files::attributes_of(variable, variable.name, left_out);
  EXPECT_TRUE(left_out.empty());
  Variable const back = files::variable_of("temperature", variable.shape, attributes);
  EXPECT_EQ(back.attributes, variable.attributes);
  EXPECT_EQ(back.dimensions, variable.dimensions);
  EXPECT_EQ(back.unlimited, variable.unlimited);
  EXPECT_EQ(back.fills(), std::vector{double{1e20f}});
}

TEST(VariableAttributes, OfMarksOfHdf5_ComeBackAsMarks) {
  for (char const* const name : {"", "degrees of latitude"}) {
    for (auto const place : {files::FillPlace::attribute, files::FillPlace::property}) {
      Variable variable = temperature();
      variable.is_unlabelled = true;
      variable.is_unnamed_scale = *name == 0;
      variable.scale_name = name;
      variable.fill_place = place;
      std::vector<files::LeftOutAttribute> left_out;
      Variable const back = files::variable_of(
          "t", variable.shape, files::attributes_of(variable, variable.name, left_out));
      EXPECT_EQ(back.attributes, variable.attributes);
      EXPECT_TRUE(back.is_unlabelled);
      EXPECT_EQ(back.is_unnamed_scale, variable.is_unnamed_scale);
      EXPECT_EQ(back.scale_name, name);
      EXPECT_EQ(back.fill_place, place);
    }
  }
}

TEST(VariableAttributes, ThatNoArchiveHolds_AreLeftOutAndNamed) {
  Variable variable = temperature();
  std::string const key_without_parts(250, 'k');
  struct Case {
    VariableAttribute attribute;
    char const* reason;
  };
  std::vector<Case> const bad = {{{"", "x"}, "no name"},
                                 {{"list", "\xff\na", std::nullopt, true}, "list of texts"},
                                 {{key_without_parts, std::string(65536, 'x')}, "takes 261 bytes"},
                                 {{"many", std::string(std::size_t{70} << 20, 'x')}, "up to 1024"},
                                 {{"key\n", "x"}, "letters of its name"},
                                 {{std::string(256, 'k'), "x"}, "takes 256 bytes"},
                                 {{"../" + std::string(250, 'k'), "x"}, "takes 258 bytes"}};
  for (Case const& one : bad) variable.attributes.push_back(one.attribute);
  std::vector<files::LeftOutAttribute> left_out;
  EXPECT_EQ(files::attributes_of(variable, variable.name, left_out).size(),
            temperature().attributes.size() + 3);
  ASSERT_EQ(left_out.size(), bad.size());
  for (std::size_t i = 0; i < bad.size(); ++i) {
    EXPECT_EQ(left_out[i].key, bad[i].attribute.key);
    EXPECT_NE(left_out[i].reason.find(bad[i].reason), std::string::npos) << left_out[i].reason;
  }
}

std::string const& first_of(std::pair<std::string, std::string> const& one) { return one.first; }

TEST(VariableAttributes, OfTheNamesThatArchivesUse_ComeBack) {
  Variable variable = temperature();
  variable.name = "a/t";
  variable.has_no_fill = true;
  std::vector<VariableAttribute> own;
  for (char const* const key :
       {"_NoFill", "_types", "_dimensions", "_unlimited", "_dimension_levels", "_scale_name",
        "_part 2 of units", "_part 2 of _own _types", "./units", "../units", "_own ", "_own units",
        "_own _types", "_own _own _types"}) {
    own.push_back({key, "1, 2", Dtype::i16});
  }
  own.push_back({"_part 2 of x", std::string(70000, 'x')});
  variable.attributes.insert(variable.attributes.end(), own.begin(), own.end());
  variable.groups = {{"a", own}, {"", own}};
  variable.groups[0].dimensions = {{"time", 0, true}};
  std::vector<files::LeftOutAttribute> left_out;
  Attributes const kept = files::attributes_of(variable, variable.name, left_out);
  EXPECT_TRUE(left_out.empty());
  for (auto const& [key, text] : kept) EXPECT_EQ(std::ranges::count(kept, key, first_of), 1) << key;
  Variable const back = files::variable_of(variable.name, variable.shape, kept);
  EXPECT_EQ(back.attributes, variable.attributes);
  ASSERT_EQ(back.groups.size(), 2u);
  for (files::Group const& group : back.groups) EXPECT_EQ(group.attributes, own) << group.name;
  EXPECT_EQ(back.groups[0].dimensions.size(), 1u);
  EXPECT_TRUE(back.has_no_fill);
  EXPECT_EQ(back.dimensions, variable.dimensions);
}

TEST(VariableAttributes, WithTypesThatLie_StayTexts) {
  FieldShape shape = temperature().shape;
  Variable const variable = files::variable_of("x", shape,
                                               {{"units", "K"},
                                                {"_types", "f32 units\nf99 units\n\nnonsense\ni8"},
                                                {"_dimensions", "a/b/c"}});
  ASSERT_EQ(variable.attributes.size(), 1u);
  EXPECT_FALSE(variable.attributes[0].type);
  EXPECT_TRUE(variable.dimensions.empty()) << "there are two indices";
}

TEST(VariableAttributes, OfAnyShapeAndLength_ComeBack) {
  Variable variable = temperature();
  auto const add = [&](char const* key, std::string const& text) -> VariableAttribute& {
    return variable.attributes.emplace_back(VariableAttribute{key, text});
  };
  for (std::string const& text :
       {std::string("\xff\xfe"), std::string("\xc0\x80"), std::string("\xed\xa0\x80"),
        std::string("a\0b", 3), std::string("\xc2\x85"), std::string(65536, 'x'),
        'x' + std::string("°") + std::string(70000, 'y')}) {
    add(("text " + std::to_string(variable.attributes.size())).c_str(), text);
  }
  std::string accents = "x";
  for (int i = 0; i < 70000; ++i) accents += "é";
  add("accents", accents).is_string = true;
  std::string numbers = "0";
  for (int i = 1; i < 70000; ++i) numbers += ", " + std::to_string(i);
  add("numbers", numbers).type = Dtype::i32;
  add("one", "5").type = Dtype::i32;
  variable.attributes.back().extents = {1};
  add("matrix", "1, 2, 3, 4, 5, 6").type = Dtype::f64;
  variable.attributes.back().extents = {2, 3};
  add("none", "").type = Dtype::u8;
  variable.attributes.back().extents = {0, 4};
  add("list", "a").is_list = true;
  add("strings", "a\nb").is_list = variable.attributes.back().is_string = true;
  std::vector<files::LeftOutAttribute> left_out;
  Attributes const kept = files::attributes_of(variable, variable.name, left_out);
  EXPECT_TRUE(left_out.empty());
  for (auto const& [key, text] : kept) EXPECT_LE(text.size(), 65535u) << key;
  auto const back = files::variable_of("temperature", variable.shape, kept).attributes;
  ASSERT_EQ(back.size(), variable.attributes.size());
  for (std::size_t i = 0; i < back.size(); ++i) {
    EXPECT_TRUE(back[i] == variable.attributes[i]) << back[i].key;
  }
}

TEST(VariableAttributes, WithExtentsThatLie_AreLists) {
  std::string many = "[4";  // more than a file of HDF5 can have
  for (int i = 1; i < 33; ++i) many += ",1";
  for (std::string const& extents :
       {std::string("[2,3]"), std::string("[5]"), std::string("[]"), std::string("[x]"),
        std::string("[2,2"), std::string("[0,18446744073709551615]"),
        std::string("[4294967296,4294967296]"), many + "]"}) {
    Variable const variable = files::variable_of(
        "x", temperature().shape, {{"n", "1, 2, 3, 4"}, {"_types", "i8" + extents + " n"}});
    EXPECT_TRUE(variable.attributes.at(0).extents.empty()) << extents;
    EXPECT_EQ(variable.attributes.at(0).type, Dtype::i8);
  }
}

TEST(VariableDimensions, OfGroupsAround_ComeBack) {
  Variable variable = temperature();
  variable.name = "a/b/t";
  files::take_homes(variable, {"", "a/b"});
  EXPECT_EQ(variable.dimension_levels, (std::vector<std::size_t>{2, 0}));
  std::vector<files::LeftOutAttribute> left_out;
  Attributes const attributes = files::attributes_of(variable, variable.name, left_out);
  Variable const back = files::variable_of("run/a/b/t", variable.shape, attributes);
  EXPECT_EQ(back.group_of_dimension(0), "run");
  EXPECT_EQ(back.group_of_dimension(1), "run/a/b");
  EXPECT_EQ(files::variable_of("t", variable.shape, attributes).group_of_dimension(0), "");
  files::take_homes(variable, {"", "c"});
  EXPECT_EQ(variable.group_of_dimension(0), std::nullopt) << "the variable is not in c";
}

/// Integers that stand for other numbers.
Variable packed(std::vector<VariableAttribute> const& attributes) {
  Variable variable = temperature();
  variable.shape.dtype = Dtype::i16;
  variable.attributes = attributes;
  return variable;
}

TEST(VariablePacking, OfFloats_IsOfTheNumbersThatFloatsAre) {
  auto const packing =
      packed({{"scale_factor", "0.3", Dtype::f32}, {"add_offset", "273.15", Dtype::f32}}).packing();
  ASSERT_TRUE(packing);
  EXPECT_EQ(packing->scale, double{0.3f}) << "a bound of 3 leaves 9 steps of it, not 10";
  EXPECT_EQ(packing->offset, double{273.15f});
  EXPECT_EQ(packed({{"scale_factor", "0.3", Dtype::f64}}).packing()->scale, 0.3);
  EXPECT_EQ(packed({{"scale_factor", "2", Dtype::i32}}).packing()->scale, 2);
}

TEST(VariableFills, ThatNoDoubleHolds_AreNotMasked) {
  Variable variable = packed({{"_FillValue", "18446744073709551614", Dtype::u64},
                              {"missing_value", "-999, 9007199254740992", Dtype::i64}});
  variable.shape.dtype = Dtype::i64;
  EXPECT_EQ(variable.missing(), std::vector{-999.0}) << "a field with the others is without loss";
  variable.shape.dtype = Dtype::f64;
  EXPECT_EQ(variable.missing(), (std::vector{0x1p64, -999.0, 0x1p53}));
}

TEST(VariableFills, OfAnotherType_CountWhereTheTypeOfTheValuesHasThem) {
  auto const fills = [](Dtype dtype, char const* text, Dtype type) {
    Variable variable = packed({{"missing_value", text, type}});
    variable.shape.dtype = dtype;
    return variable.fills();
  };
  using List = std::vector<double>;
  EXPECT_EQ(fills(Dtype::i32, "1e+05, -1e+09", Dtype::f64), (List{1e5, -1e9}));
  EXPECT_EQ(fills(Dtype::i16, "77, -99999", Dtype::i32), List{77});
  EXPECT_EQ(fills(Dtype::u8, "-1, 255, 256", Dtype::i16), List{255});
  EXPECT_EQ(fills(Dtype::i8, "255, 127", Dtype::u8), List{127});
  EXPECT_EQ(fills(Dtype::u8, "-1, 0.5, nan, inf, 3, 256", Dtype::f32), List{3});
  EXPECT_EQ(fills(Dtype::i64, "9.223372036854776e+18, -9.223372036854776e+18", Dtype::f64),
            List{-0x1p63});
  EXPECT_EQ(fills(Dtype::u64, "1e+19, 2e+19, -1", Dtype::f64), List{1e19});
  EXPECT_EQ(fills(Dtype::u64, "18446744073709551615", Dtype::u64), List{0x1p64});
  EXPECT_EQ(fills(Dtype::f32, "1e+300, -999", Dtype::f64), List{-999})
      << "infinity is another value";
}

TEST(VariableLimits, OfAnotherTypeOfIntegers_CountOnlyIfTheTypeOfTheValuesHasThem) {
  auto const limits = [](Dtype dtype, char const* key, char const* text, Dtype type) {
    Variable variable;
    variable.shape.dtype = dtype;
    variable.attributes = {{key, text, type}};
    EXPECT_EQ(variable.why_no_limits(), "");
    return variable.limits();
  };
  EXPECT_EQ(limits(Dtype::i16, "valid_range", "-9, 90", Dtype::i32), (Limits{-9, 90}));
  EXPECT_EQ(limits(Dtype::i16, "valid_range", "-9, 40000", Dtype::i32), Limits{});
  EXPECT_EQ(limits(Dtype::u8, "valid_max", "300", Dtype::i16), Limits{});
  EXPECT_EQ(limits(Dtype::u8, "valid_min", "-1", Dtype::i8), Limits{});
  EXPECT_EQ(limits(Dtype::i64, "valid_max", "18446744073709551615", Dtype::u64), Limits{});
  EXPECT_EQ(limits(Dtype::i64, "valid_min", "20", Dtype::f64), (Limits{20, Limits::unlimited}));
}

TEST(VariableLimits, OfTheIntegersOfAPackedVariable_AreTheirs) {
  Variable const variable = packed({{"scale_factor", "0.5", Dtype::f64},
                                    {"add_offset", "100", Dtype::f64},
                                    {"valid_range", "-10, 20", Dtype::i16}});
  EXPECT_EQ(variable.limits(), (Limits{-10, 20}));
}

TEST(VariableLimits, OfFloats_AreOfTheNumbersThatIntegersStandFor) {
  std::vector<VariableAttribute> const packing = {{"scale_factor", "0.5", Dtype::f64},
                                                  {"add_offset", "100", Dtype::f64}};
  auto const limits = [&](std::vector<VariableAttribute> attributes) {
    attributes.insert(attributes.end(), packing.begin(), packing.end());
    return packed(attributes).limits();
  };
  EXPECT_EQ(limits({{"valid_range", "90.2, 110", Dtype::f32}}), (Limits{-19, 20}));
  EXPECT_EQ(limits({{"valid_range", "0, 1e+20", Dtype::f64}}), (Limits{-200, 32767}));
  EXPECT_EQ(limits({{"valid_min", "90.2", Dtype::f64}}), (Limits{-19, Limits::unlimited}));
  EXPECT_EQ(limits({{"valid_max", "90.2", Dtype::f64}}), (Limits{-Limits::unlimited, -20}));
  EXPECT_EQ(limits({{"valid_min", "90.2", Dtype::f64}, {"valid_max", "7", Dtype::i16}}),
            (Limits{-19, 7}));
}

TEST(VariableLimits, OfANegativeScale_AreReversed) {
  auto const packing = [](char const* key, char const* text) {
    return packed({{"scale_factor", "-0.5", Dtype::f64}, {key, text, Dtype::f64}}).limits();
  };
  EXPECT_EQ(packing("valid_range", "-1.2, 3"), (Limits{-6, 2}));
  EXPECT_EQ(packing("valid_min", "-1.2"), (Limits{-Limits::unlimited, 2}));
  EXPECT_EQ(packing("valid_max", "3"), (Limits{-6, Limits::unlimited}));
}

TEST(VariableLimits, InsideWhichNoIntegerLies_AreNoneAndNamed) {
  Variable variable =
      packed({{"scale_factor", "0.5", Dtype::f64}, {"valid_range", "0.1, 0.4", Dtype::f32}});
  EXPECT_EQ(variable.limits(), Limits{});
  EXPECT_EQ(variable.why_no_limits(),
            "no integer stands for a number inside valid_range '0.1, 0.4'");
  variable.attributes = {{"valid_min", "0.1", Dtype::f32}, {"valid_max", "0.4", Dtype::f32}};
  EXPECT_EQ(variable.limits(), Limits{});
  EXPECT_EQ(variable.why_no_limits(), "no integer lies inside valid_min '0.1', valid_max '0.4'");
  variable.attributes = {{"valid_range", "1e+05, 1e+06", Dtype::f64}};
  EXPECT_NE(variable.why_no_limits(), "") << "which i16 does not have";
  variable.attributes = {{"valid_range", "0.1, 3.9", Dtype::f64}};
  EXPECT_EQ(variable.limits(), (Limits{1, 3}));
  EXPECT_EQ(variable.why_no_limits(), "");
}

TEST(VariableLimits, OfNumbersWithoutAPacking_AreNone) {
  EXPECT_EQ(
      packed({{"scale_factor", "0", Dtype::f64}, {"valid_range", "0, 9", Dtype::f64}}).limits(),
      Limits{});
}

TEST(VariableLimits, OfWideIntegers_AreFound) {
  Limits const numbers{-1.2, 7.3};
  files::NumberPacking const halves{0.5, 0};
  EXPECT_EQ(files::packed_limits(numbers, halves, Dtype::i64), (Limits{-2, 14}));
  EXPECT_EQ(files::packed_limits(numbers, halves, Dtype::u64), (Limits{0, 14}));
  EXPECT_EQ(files::packed_limits(numbers, halves, Dtype::u32), (Limits{0, 14}));
  EXPECT_EQ(files::packed_limits({7.3, Limits::unlimited}, halves, Dtype::i64),
            (Limits{15, Limits::unlimited}));
  EXPECT_EQ(files::packed_limits({-9, -1}, halves, Dtype::u64), std::nullopt);
}

// Readers compute the number of an integer in f64. An integer beside the limits has a number outside of them.
TEST(VariableLimits, OfAnyPacking_AreThoseOfTheNumbersAsReadersComputeThem) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    KOMPAKT_TRACE_SEED(seed);
    Random random(seed);
    auto const any = [&](double width) {
      return width * (static_cast<double>(random.below(20001)) / 10000 - 1);
    };
    files::NumberPacking const packing{any(0.1) + 1e-6, any(300)};
    auto const number = [&](double n) { return n * packing.scale + packing.offset; };
    double const a = number(std::floor(any(30000))), b = number(std::floor(any(30000)));
    Limits const limits{std::min(a, b), std::max(a, b)};
    auto const found = files::packed_limits(limits, packing, Dtype::i16);
    ASSERT_TRUE(found);
    auto const is_inside = [&](double n) {
      return limits.lower <= number(n) && number(n) <= limits.upper;
    };
    EXPECT_TRUE(is_inside(found->lower) && is_inside(found->upper));
    EXPECT_FALSE(is_inside(found->lower - 1) || is_inside(found->upper + 1));
  }
}

TEST(VariableExtents, ThatNoFieldHas_AreRefused) {
  auto const refusal = [](std::vector<std::size_t> const& extents) {
    Variable variable;
    files::take_extents(variable, extents);
    return variable.refusal;
  };
  EXPECT_EQ(refusal({3, 4}), "");
  EXPECT_EQ(refusal({}), "");
  EXPECT_NE(refusal({3, 0}), "");
  EXPECT_NE(refusal(std::vector<std::size_t>(9, 1)), "");
  EXPECT_NE(refusal({std::size_t{1} << 40, std::size_t{1} << 40}), "");
}

}  // namespace
}  // namespace kompakt::test
