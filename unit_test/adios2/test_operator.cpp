#include <adios2/plugin/PluginOperatorInterface.h>
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <support/exact.hpp>
#include <support/wave.hpp>
#include <vector>

// The plugin as a loader sees it: two functions and a class. This program is no ADIOS2, and says which interface it has.

namespace {

using adios2::DataType;
using adios2::Dims;
using adios2::Params;
using Operator = adios2::plugin::PluginOperatorInterface;
using Create = Operator*(Params const&);

void* symbol(char const* library, char const* name) {
  void* const handle = dlopen(library, RTLD_NOW);
  if (handle == nullptr) throw std::logic_error(dlerror());
  return dlsym(handle, name);
}
Create* create_function() {
  return reinterpret_cast<Create*>(symbol(KOMPAKT_TEST_PLUGIN, "OperatorCreate"));
}

struct Destroy {
  void operator()(Operator* used) const {
    reinterpret_cast<void (*)(Operator*)>(symbol(KOMPAKT_TEST_PLUGIN, "OperatorDestroy"))(used);
  }
};
using Owned = std::unique_ptr<Operator, Destroy>;

Owned make(Params parameters) {
  parameters.emplace("interface", "2");
  return Owned(create_function()(parameters));
}
Owned make_with_bound() { return make({{"bound", "0.01"}}); }

/// What a call throws; empty if nothing.
template <class E>
std::string message_of(std::function<void()> const& call) {
  try {
    call();
  } catch (E const& error) {
    return error.what();
  }
  return "";
}

constexpr char untouched = 0x5a;

std::vector<char> operate(Operator& used, void const* values, Dims const& count, DataType type) {
  std::size_t const n =
      std::accumulate(count.begin(), count.end(), std::size_t{1}, std::multiplies<>());
  std::size_t const most =
      used.GetEstimatedSize(n, adios2::GetDataTypeSize(type), count.size(), count.data());
  std::vector<char> out(most + 64, untouched);
  std::size_t const bytes =
      used.Operate(static_cast<char const*>(values), {}, count, type, out.data());
  EXPECT_LE(bytes, most);
  EXPECT_EQ(std::count(out.end() - 64, out.end(), untouched), 64) << "written behind the block";
  out.resize(bytes);
  return out;
}

template <class T>
std::vector<T> inverse(Operator& used, std::vector<char> const& block, std::size_t count) {
  std::vector<char> out(count * sizeof(T) + 64, untouched);
  std::size_t const bytes = used.InverseOperate(block.data(), block.size(), out.data());
  EXPECT_EQ(bytes, count == 0 ? 1 : count * sizeof(T));
  EXPECT_EQ(std::count(out.end() - 64, out.end(), untouched), 64) << "written behind the values";
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), out.data(), count * sizeof(T));
  return values;
}

template <class T>
std::vector<T> smooth(std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<T>(100 * std::sin(1e-3 * static_cast<double>(i)));
  return values;
}

template <class T>
void expect_within(std::vector<T> const& x, std::vector<T> const& y, double bound) {
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_TRUE(kompakt::test::within(static_cast<double>(x[i]), static_cast<double>(y[i]), bound))
        << i;
  }
}

/// Any bits, which nothing makes smaller.
template <class T>
std::vector<T> noise(std::size_t count) {
  std::vector<T> values(count);
  std::mt19937 random(7);
  auto* const bytes = reinterpret_cast<unsigned char*>(values.data());
  std::generate_n(bytes, count * sizeof(T), [&] { return static_cast<unsigned char>(random()); });
  return values;
}

template <class T>
void expect_same_bits(std::vector<T> const& x, std::vector<T> const& y) {
  ASSERT_EQ(x.size(), y.size());
  EXPECT_EQ(std::memcmp(x.data(), y.data(), x.size() * sizeof(T)), 0);
}

template <class T>
void expect_exact_round_trip(Operator& used, DataType type, std::vector<T> const& values) {
  auto const block = operate(used, values.data(), {values.size()}, type);
  expect_same_bits(values, inverse<T>(used, block, values.size()));
}

template <class T>
void expect_bounded_round_trip(DataType type) {
  Owned const used = make_with_bound();
  auto const values = smooth<T>(30000);
  auto const block = operate(*used, values.data(), {30, 10, 100}, type);
  EXPECT_LT(2 * block.size(), values.size() * sizeof(T));
  expect_within(values, inverse<T>(*used, block, values.size()), 0.01);
}

TEST(Adios2Operator, Floats_KeepTheBound) {
  expect_bounded_round_trip<float>(DataType::Float);
  expect_bounded_round_trip<double>(DataType::Double);
}

// The bound holds for the magnitude of the difference.
template <class T>
void expect_bounded_complex(DataType type, Dims const& count) {
  Owned const used = make_with_bound();
  std::vector<std::complex<T>> values(
      std::accumulate(count.begin(), count.end(), std::size_t{1}, std::multiplies<>()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::polar(T{100}, static_cast<T>(1e-3 * static_cast<double>(i)));
  }
  auto const block = operate(*used, values.data(), count, type);
  EXPECT_LT(2 * block.size(), values.size() * sizeof(values[0]));
  auto const found = inverse<std::complex<T>>(*used, block, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_LE(kompakt::test::distance(found[i], values[i]), 0.01) << i;
  }
}

TEST(Adios2Operator, ComplexNumbers_KeepTheBoundOfTheirMagnitude) {
  for (Dims const& count : {Dims{30, 10, 100}, Dims{2, 2, 2, 2, 2, 2, 5, 100}}) {
    expect_bounded_complex<float>(DataType::FloatComplex, count);
    expect_bounded_complex<double>(DataType::DoubleComplex, count);
  }
}

TEST(Adios2Operator, Integers_AreExactWhateverIsAskedFor) {
  Owned const used = make({{"bound", "1e3"}, {"pipeline", "huffman"}});
  expect_exact_round_trip(*used, DataType::Int8, smooth<std::int8_t>(5000));
  expect_exact_round_trip(*used, DataType::Char, smooth<char>(5000));
  expect_exact_round_trip(*used, DataType::UInt8, noise<std::uint8_t>(5000));
  expect_exact_round_trip(*used, DataType::Int16, smooth<std::int16_t>(5000));
  expect_exact_round_trip(*used, DataType::UInt16, noise<std::uint16_t>(5000));
  expect_exact_round_trip(*used, DataType::Int32, smooth<std::int32_t>(5000));
  expect_exact_round_trip(*used, DataType::UInt32, noise<std::uint32_t>(5000));
  expect_exact_round_trip(*used, DataType::Int64, smooth<std::int64_t>(5000));
  expect_exact_round_trip(*used, DataType::UInt64, noise<std::uint64_t>(5000));
}

TEST(Adios2Operator, OtherTypes_AreNotValidAndKeptAsTheyAre) {
  Owned const used = make_with_bound();
  EXPECT_TRUE(used->IsDataTypeValid(DataType::Float));
  for (DataType const type : {DataType::LongDouble, DataType::String, DataType::Struct}) {
    EXPECT_FALSE(used->IsDataTypeValid(type));
  }
  expect_exact_round_trip(*used, DataType::LongDouble, noise<long double>(101));
  char out[256];
  auto const write_strings = [&] { used->Operate(out, {}, {1}, DataType::String, out); };
  EXPECT_NE(message_of<std::invalid_argument>(write_strings).find("no size"), std::string::npos);
}

TEST(Adios2Operator, Noise_TakesNoMoreThanItsHeader) {
  Owned const used = make_with_bound();
  for (std::size_t const count : {1u, 2u, 31u, 1000u, 100000u}) {
    auto const values = noise<double>(count);
    auto const block = operate(*used, values.data(), {count}, DataType::Double);
    EXPECT_LE(block.size(), 32 + count * sizeof(double));
    auto const found = inverse<double>(*used, block, count);
    for (std::size_t i = 0; i < count; ++i) {
      if (std::isfinite(values[i])) {
        ASSERT_TRUE(kompakt::test::within(values[i], found[i], 0.01));
      } else {
        ASSERT_EQ(std::memcmp(&values[i], &found[i], sizeof(double)), 0);
      }
    }
  }
}

TEST(Adios2Operator, ExtentsOfAnyRank_AreTaken) {
  Owned const used = make_with_bound();
  for (Dims const& count : std::vector<Dims>{{},
                                             {1},
                                             {6000},
                                             {3, 1, 2000},
                                             {2, 3, 4, 5, 50},
                                             Dims(12, 2),
                                             {2, 2, 2, 2, 2, 2, 2, 2, 20}}) {
    std::size_t const n =
        std::accumulate(count.begin(), count.end(), std::size_t{1}, std::multiplies<>());
    auto const values = smooth<float>(n);
    auto const block = operate(*used, values.data(), count, DataType::Float);
    expect_within(values, inverse<float>(*used, block, n), 0.01);
  }
}

TEST(Adios2Operator, EmptyBlock_IsNotTakenForOneThatWasLeftAlone) {
  Owned const used = make_with_bound();
  auto const block = operate(*used, nullptr, {0, 5}, DataType::Float);
  EXPECT_EQ(inverse<float>(*used, block, 0).size(), 0u);
}

TEST(Adios2Operator, Reader_NeedsNoParameters) {
  auto const values = smooth<float>(30000);
  auto const block = operate(*make_with_bound(), values.data(), {300, 100}, DataType::Float);
  expect_within(values, inverse<float>(*make({}), block, values.size()), 0.01);
}

TEST(Adios2Operator, MemoryOfTheSpace_OnAHostIsThatOfTheHost) {
  Owned const used = make({{"bound", "0.01"}, {"memory", "space"}, {"space", "serial"}});
  auto const values = smooth<float>(30000);
  auto const block = operate(*used, values.data(), {300, 100}, DataType::Float);
  expect_within(values, inverse<float>(*used, block, values.size()), 0.01);
  expect_exact_round_trip(*used, DataType::LongDouble, noise<long double>(20000));
}

TEST(Adios2Operator, SpacesAndThreads_MakeTheSameBytes) {
  auto const values = smooth<float>(200000);
  auto const on = [&](char const* space) {
    Owned const used = make({{"bound", "0.01"}, {"space", space}});
    return operate(*used, values.data(), {200, 1000}, DataType::Float);
  };
  EXPECT_EQ(on("serial"), on(""));
}

TEST(Adios2Operator, BadParameters_AreNamed) {
  auto const values = smooth<float>(100);
  char out[1024];
  std::vector<std::pair<Params, std::string>> const cases{
      {{}, "no parameter \"bound\""},
      {{{"bound", "many"}}, "'many'"},
      {{{"bound", "1e-3x"}}, "'1e-3x'"},
      {{{"bound", ""}}, "''"},
      {{{"bound", "-1"}}, "-1"},
      {{{"bound", "nan"}}, "nan"},
      {{{"bound", "1"}, {"mode", "sharp"}}, "sharp"},
      {{{"bound", "1"}, {"pipeline", "zip"}}, "zip"},
      {{{"bound", "1"}, {"variant", "zip"}}, "zip"},
      {{{"bound", "1"}, {"predictor", "crystal"}}, "crystal"},
      {{{"bound", "1"}, {"pack", "maybe"}}, "maybe"},
      {{{"bound", "1"}, {"fill", "sea"}}, "sea"},
      {{{"bound", "1"}, {"mode", "r2r"}, {"range", "-2"}}, "-2"},
      {{{"bound", "1"}, {"threads", "0"}}, "\"0\""},
      {{{"bound", "1"}, {"threads", "two"}}, "\"two\""},
      {{{"bound", "1"}, {"space", "abacus"}}, "abacus"},
      {{{"bound", "1"}, {"memory", "attic"}}, "attic"},
      {{{"bound", "1"}, {"mode", "lossless"}}, "lossless"},
      {{{"bond", "1"}}, "\"bond\""}};
  for (auto const& [parameters, word] : cases) {
    Owned const used = make(parameters);
    used->AddExtraParameters({{"VariableName", "t"}, {"EngineName", "e"}});
    std::string const message = message_of<std::invalid_argument>([&] {
      used->Operate(reinterpret_cast<char const*>(values.data()), {}, {100}, DataType::Float, out);
    });
    EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
    EXPECT_EQ(message.rfind("the operator kompakt, variable t: ", 0), 0u) << message;
  }
}

TEST(Adios2Operator, BadParametersOfAdios2_AreRefusedAtOnce) {
  auto const define = [] { make({{"pluginname", "k"}, {"pluginlibrary", "k"}, {"bound", "x"}}); };
  EXPECT_NE(message_of<std::invalid_argument>(define).find("'x'"), std::string::npos);
}

/// Reads a block from memory of exactly its length.
std::string message_of_block(Operator& used, std::vector<char> const& block, std::size_t bytes,
                             std::vector<char>& out) {
  std::vector<char> const exact(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(bytes));
  return message_of<std::runtime_error>(
      [&] { used.InverseOperate(exact.data(), exact.size(), out.data()); });
}

TEST(Adios2Operator, DamagedBlock_IsAnError) {
  Owned const used = make_with_bound();
  auto const floats = smooth<float>(20000);
  auto const others = noise<long double>(50);
  for (auto const& block : {operate(*used, floats.data(), {200, 100}, DataType::Float),
                            operate(*used, others.data(), {50}, DataType::LongDouble)}) {
    std::vector<char> out(floats.size() * sizeof(float));
    ASSERT_EQ(message_of_block(*used, block, block.size(), out), "");
    for (std::size_t bytes = 0; bytes < block.size(); bytes += bytes < 300 ? 1 : 97) {
      EXPECT_NE(message_of_block(*used, block, bytes, out), "") << "of " << bytes << " bytes";
    }
    for (std::size_t at = 0; at < block.size(); at += at < 300 ? 1 : 97) {
      auto damaged = block;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
      EXPECT_NE(message_of_block(*used, damaged, damaged.size(), out), "") << "byte " << at;
    }
  }
}

TEST(Adios2Operator, StreamOfAnotherLength_IsAnError) {
  Owned const used = make_with_bound();
  auto const values = smooth<float>(20000);
  auto const longer = operate(*used, values.data(), {20000}, DataType::Float);
  auto const shorter = operate(*used, values.data(), {10000}, DataType::Float);
  // The header of the short block with as many bytes of the stream of the long one, and the other way round.
  std::vector<char> out(values.size() * sizeof(float), untouched);
  auto mixed = longer;
  std::copy_n(shorter.begin(), 32, mixed.begin());
  EXPECT_NE(message_of_block(*used, mixed, mixed.size(), out), "");
  EXPECT_EQ(std::count(out.begin(), out.end(), untouched), static_cast<long>(out.size()));
}

// ------------------------------------------------------------------------------------------ loaders

TEST(Adios2Loader, ThatDoesNotSayItsVersion_IsRefused) {
  auto const create = [] { Owned const made(create_function()({{"bound", "1"}})); };
  EXPECT_NE(message_of<std::runtime_error>(create).find("interface=2"), std::string::npos);
  auto const other = [] { Owned const made(create_function()({{"interface", "1"}})); };
  EXPECT_NE(message_of<std::runtime_error>(other), "");
}

Owned create_through(char const* loader, Params const& parameters) {
  using Through = Operator*(Create*, Params const&);
  auto* const through = reinterpret_cast<Through*>(symbol(loader, "create_through_loader"));
  return Owned(through(create_function(), parameters));
}

TEST(Adios2Loader, OfTheVersionThatThePluginWasBuiltFor_IsServed) {
  EXPECT_NE(create_through(KOMPAKT_TEST_LOADER, {}), nullptr);
}

TEST(Adios2Loader, OfAnotherVersion_IsRefusedWhateverItSays) {
  for (Params const& parameters : {Params{}, Params{{"interface", "2"}}}) {
    std::string const message = message_of<std::runtime_error>(
        [&] { create_through(KOMPAKT_TEST_OLDER_LOADER, parameters); });
    EXPECT_NE(message.find("loaded by ADIOS2 2.11"), std::string::npos) << message;
  }
}

}  // namespace
