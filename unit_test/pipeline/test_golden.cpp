#include <cstdlib>
#include <filesystem>
#include <kompakt/io.hpp>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>

// Streams under version control. A change of their bytes is a change of the format: it needs a new
// format version, and every released version stays decodable. KOMPAKT_WRITE_GOLDEN=1 writes them.

namespace kompakt::test {

struct GoldenCase {
  std::string name;
  Family family;
  FieldShape shape;
  Options options;
  std::string predictor;  // what the encoder must take, so that every tile kind is covered
};

template <class T>
std::vector<GoldenCase> golden_cases() {
  std::string const type = sizeof(T) == 4 ? "f32" : "f64";
  auto const r2r = ErrorBound::relative_to_range(1e-3);
  auto const abs = ErrorBound::absolute(1e-4);
  auto const fixed = Pipeline::fixedlength, shuffle = Pipeline::bitshuffle,
             huffman = Pipeline::huffman;
  auto const choose = Predictor::automatic, tile = Predictor::tile;
  Options const automatic{r2r};
  Options filled = automatic;
  filled.fill = FillValue::automatic();
  return {
      {"chain_1d_" + type, Family::walk, shape_from<T>({5000}), automatic, "chain"},
      {"square_2d_" + type,
       Family::smooth,
       shape_from<T>({50, 70}),
       {abs, fixed, Variant::automatic, tile},
       "tile 32x32"},
      {"square_3d_" + type,
       Family::smooth,
       shape_from<T>({11, 19, 37}),
       {r2r, fixed, Variant::outlier, tile},
       "tile 32x32"},
      {"brick_3d_" + type, Family::surfaces, shape_from<T>({11, 19, 37}), automatic, "tile 8x8x16"},
      {"brick_plain_" + type,
       Family::surfaces,
       shape_from<T>({2, 9, 8, 33}),
       {abs, fixed, Variant::plain, choose},
       "tile 8x8x16"},
      {"first_fastest_" + type,
       Family::smooth,
       shape_from<T>({37, 19, 3, 2}, Order::first_fastest),
       {r2r, fixed, Variant::plain, choose},
       "chain"},
      {"nan_islands_" + type, Family::nan_islands, shape_from<T>({3, 40, 45}), automatic,
       "tile 32x32"},
      {"raw_tiles_" + type,
       Family::bits,
       shape_from<T>({1500}),
       {r2r, fixed, Variant::automatic, choose, false},
       "chain"},
      {"constant_" + type, Family::constant, shape_from<T>({9000}), automatic, "constant"},
      {"zeros_" + type, Family::zeros, shape_from<T>({100, 100}), {abs}, "chain"},
      {"deep_chain_" + type,
       Family::walk,
       shape_from<T>({5000}),
       {r2r, shuffle, Variant::nested, Predictor::chain},
       "chain"},
      {"deep_square_" + type,
       Family::smooth,
       shape_from<T>({50, 70}),
       {abs, shuffle, Variant::nested, tile},
       "tile 32x32"},
      {"deep_brick_" + type,
       Family::surfaces,
       shape_from<T>({11, 19, 37}),
       {r2r, shuffle},
       "tile 8x8x16"},
      {"deep_wide_" + type,
       Family::walk,
       shape_from<T>({2500}),
       {ErrorBound::absolute(2e-6), shuffle, Variant::nested, choose, false},
       "chain"},
      {"deep_nan_islands_" + type,
       Family::nan_islands,
       shape_from<T>({3, 40, 45}),
       {r2r, shuffle},
       "tile 32x32"},
      {"fz_chain_" + type,
       Family::walk,
       shape_from<T>({5000}),
       {r2r, shuffle, Variant::fz, Predictor::chain},
       "chain"},
      {"fz_square_" + type,
       Family::surfaces,
       shape_from<T>({11, 19, 37}),
       {r2r, shuffle, Variant::fz, tile},
       "tile 32x32"},
      {"huffman_chain_" + type,
       Family::walk,
       shape_from<T>({5000}),
       {r2r, huffman, Variant::custom, Predictor::chain},
       "chain"},
      {"huffman_square_" + type,
       Family::smooth,
       shape_from<T>({50, 70}),
       {abs, huffman, Variant::custom, tile},
       "tile 32x32"},
      {"huffman_brick_" + type,
       Family::surfaces,
       shape_from<T>({11, 19, 37}),
       {r2r, huffman},
       "tile 8x8x16"},
      {"huffman_wide_" + type,
       Family::walk,
       shape_from<T>({2500}),
       {ErrorBound::absolute(1e-4), huffman, Variant::custom, choose, false, 32},
       "chain"},
      {"huffman_large_radius_" + type,
       Family::walk,
       shape_from<T>({2500}),
       {ErrorBound::absolute(1e-5), huffman, Variant::automatic, choose, true, 16384},
       "chain"},
      {"huffman_nan_islands_" + type,
       Family::nan_islands,
       shape_from<T>({3, 40, 45}),
       {r2r, huffman},
       "tile 32x32"},
      {"huffman_dictionary_" + type,
       Family::surfaces,
       shape_from<T>({11, 19, 37}),
       {r2r, huffman, Variant::dictionary},
       "tile 8x8x16"},
      {"huffman_symbols_only_" + type,
       Family::walk,
       shape_from<T>({5000}),
       {r2r, huffman, Variant::dictionary, Predictor::chain},
       "chain"},
      {"fill_chain_" + type, Family::land, shape_from<T>({5000}), filled, "chain"},
      {"fill_square_" + type,
       Family::land,
       shape_from<T>({70, 90}),
       {abs, shuffle, Variant::nested, tile, true, 512, 0, FillValue::of(fill_value)},
       "tile 32x32"},
      {"fill_huffman_" + type,
       Family::land,
       shape_from<T>({33, 19, 16}),
       {r2r, huffman, Variant::automatic, choose, true, 512, 0, FillValue::automatic()},
       "tile 32x32"},
      {"relative_chain_" + type,
       Family::nan_islands,
       shape_from<T>({5000}),
       {ErrorBound::relative_to_value(1e-2), fixed, Variant::automatic, Predictor::chain},
       "chain"},
      {"relative_square_" + type,
       Family::zeros,
       shape_from<T>({70, 90}),
       {ErrorBound::relative_to_value(1e-3), shuffle, Variant::nested, tile},
       "tile 32x32"},
      {"relative_fill_" + type,
       Family::land,
       shape_from<T>({17, 40, 48}),
       {ErrorBound::relative_to_value(1e-1), huffman, Variant::automatic, tile, true, 512, 0,
        FillValue::automatic()},
       "tile 32x32"},
      {"lossless_chain_" + type,
       Family::nan_islands,
       shape_from<T>({5000}),
       {ErrorBound::lossless(), fixed, Variant::automatic, Predictor::chain},
       "chain"},
      {"lossless_fill_" + type,
       Family::land,
       shape_from<T>({17, 40, 48}),
       {ErrorBound::lossless(), fixed, Variant::automatic, tile, true, 512, 0,
        FillValue::automatic()},
       "tile 32x32"},
      {"huffman_fallbacks_" + type,
       Family::bits,
       shape_from<T>({3000}),
       {ErrorBound::relative_to_range(3e-2), huffman, Variant::dictionary},
       "chain"},
      {"huffman_empty_" + type, Family::zeros, shape_from<T>({4, 0}), {abs, huffman}, "chain"},
      {"empty_" + type, Family::zeros, shape_from<T>({4, 0}), {abs}, "chain"},
  };
}

/// Streams of a predictor with levels: every shape of tiles, more than one chunk of a level, what is not in the lattice.
template <class T>
std::vector<GoldenCase> interpolated_cases() {
  std::string const type = sizeof(T) == 4 ? "f32" : "f64";
  auto const r2r = ErrorBound::relative_to_range(1e-3);
  auto const shuffle = Pipeline::bitshuffle, huffman = Pipeline::huffman;
  auto const by = Predictor::interpolate;
  Options filled{r2r, huffman, Variant::automatic, by};
  filled.fill = FillValue::automatic();
  std::vector<GoldenCase> cases{
      {"chain", Family::walk, shape_from<T>({5000}), {r2r, shuffle, Variant::nested, by}, ""},
      {"square",
       Family::smooth,
       shape_from<T>({50, 170}),
       {ErrorBound::absolute(1e-4), shuffle, Variant::nested, by},
       ""},
      {"brick",
       Family::smooth,
       shape_from<T>({70, 33, 17}, Order::first_fastest),
       {r2r, shuffle, Variant::nested, by, false},
       ""},
      {"huffman",
       Family::smooth,
       shape_from<T>({3, 9, 19, 37}),
       {r2r, huffman, Variant::custom, by},
       ""},
      {"dictionary",
       Family::walk,
       shape_from<T>({11, 19, 37}),
       {r2r, huffman, Variant::dictionary, by},
       ""},
      {"nan_islands",
       Family::nan_islands,
       shape_from<T>({3, 40, 45}),
       {r2r, shuffle, Variant::nested, by},
       ""},
      {"fill", Family::land, shape_from<T>({33, 19, 16}), filled, ""},
      {"tiny_bound",
       Family::spikes,
       shape_from<T>({9, 17, 33}),
       {ErrorBound::absolute(sizeof(T) == 4 ? 1e-7 : 1e-9), shuffle, Variant::nested, by},
       ""},
      {"relative_chain",
       Family::nan_islands,
       shape_from<T>({5000}),
       {ErrorBound::relative_to_value(1e-2), shuffle, Variant::nested, by},
       ""},
      {"relative_square",
       Family::zeros,
       shape_from<T>({70, 90}),
       {ErrorBound::relative_to_value(1e-3), huffman, Variant::custom, by},
       ""},
      {"relative_brick",
       Family::walk,
       shape_from<T>({33, 19, 37}, Order::first_fastest),
       {ErrorBound::relative_to_value(1e-1), shuffle, Variant::nested, by, false},
       ""},
      {"relative_fill", Family::land, shape_from<T>({33, 19, 16}), filled, ""},
      {"relative_tiny_bound",
       Family::offset,
       shape_from<T>({9, 17, 33}),
       {ErrorBound::relative_to_value(sizeof(T) == 4 ? 5e-6 : 1e-10), shuffle, Variant::nested, by},
       ""},
  };
  cases[cases.size() - 2].options.bound = ErrorBound::relative_to_value(1e-3);
  for (GoldenCase& c : cases) {
    c.name = "interpolate_" + c.name + "_" + type;
    c.predictor = "interpolate";
  }
  return cases;
}

/// Streams that are packed: with one, two and four tables, a codebook and a fill value in front of them, empty chunks.
template <class T>
std::vector<GoldenCase> packed_cases() {
  std::string const type = sizeof(T) == 4 ? "f32" : "f64";
  auto const r2r = ErrorBound::relative_to_range(1e-2);
  std::vector<GoldenCase> cases{
      {"chain", Family::smooth, shape_from<T>({5000}), {r2r}, "chain"},
      {"brick", Family::surfaces, shape_from<T>({21, 39, 37}), {r2r}, "tile 8x8x16"},
      {"huffman",
       Family::land,
       shape_from<T>({33, 39, 56}),
       {r2r, Pipeline::huffman, Variant::custom},
       "tile 32x32"},
      {"interpolate",
       Family::smooth,
       shape_from<T>({50, 33, 17}, Order::first_fastest),
       {r2r, Pipeline::bitshuffle, Variant::nested, Predictor::interpolate, false},
       "interpolate"},
      {"spikes", Family::spikes, shape_from<T>({300, 200}), {r2r}, "chain"},
  };
  for (GoldenCase& c : cases) {
    c.name = "packed_" + c.name + "_" + type;
    c.options.pack = true;
  }
  cases[2].options.fill = FillValue::automatic();
  return cases;
}

/// Streams with limits, which some values leave: by less and by more than the bound; with a fill value outside, packed, and
/// relative to each value.
template <class T>
std::vector<GoldenCase> limited_cases() {
  std::string const type = sizeof(T) == 4 ? "f32" : "f64";
  auto const r2r = ErrorBound::relative_to_range(1e-2);
  std::vector<GoldenCase> cases{
      {"chain", Family::smooth, shape_from<T>({5000}), {r2r}, "chain"},
      {"fill", Family::land, shape_from<T>({70, 90}), {r2r, Pipeline::bitshuffle}, "tile 32x32"},
      {"packed", Family::surfaces, shape_from<T>({21, 39, 37}), {r2r}, "tile 8x8x16"},
      {"relative",
       Family::smooth,
       shape_from<T>({2000}),
       {ErrorBound::relative_to_value(1e-1)},
       "chain"},
  };
  for (GoldenCase& c : cases) {
    c.name = "limits_" + c.name + "_" + type;
    auto const field = make_field<T>(c.family, c.shape);
    auto const [least, most] = std::minmax_element(field.begin(), field.end());
    double const low = static_cast<double>(*least),
                 high = c.name.starts_with("limits_fill") ? 1 : static_cast<double>(*most);
    c.options.limits = {low + 0.004 * (high - low), high - 0.03 * (high - low)};
    c.options.pack = c.name.starts_with("limits_packed");
  }
  cases[1].options.fill = FillValue::automatic();
  return cases;
}

/// Lossless streams of values that are steps, and of a few that are not.
template <class T>
std::vector<GoldenCase> steps_cases() {
  std::string const type = sizeof(T) == 4 ? "f32" : "f64";
  using Kind = ValueSteps::Kind;
  ValueSteps const steps[] = {{Kind::multiples, 0.125, 0},
                              {Kind::rounded, 0.25, 0.375},
                              {Kind::quotients, 8, -1},
                              {Kind::bits, sizeof(T) == 4 ? 16.0 : 45.0, 0},
                              {Kind::multiples, 0.0625, 0}};
  std::vector<GoldenCase> cases{
      {"multiples", Family::lattice, shape_from<T>({5000}), {}, "chain"},
      {"rounded", Family::lattice, shape_from<T>({50, 70}), {}, "tile 32x32"},
      {"quotients", Family::lattice, shape_from<T>({11, 19, 37}), {}, "tile 32x32"},
      {"bits", Family::lattice, shape_from<T>({3, 40, 45}), {}, "chain"},
      {"mask", Family::lattice, shape_from<T>({70, 90}), {}, "chain"},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Options& options = cases[i].options;
    cases[i].name = "steps_" + cases[i].name + "_" + type;
    options.bound = ErrorBound::lossless();
    options.pipeline = i % 2 == 0 ? Pipeline::fixedlength : Pipeline::rans;
    options.predictor = i == 1 || i == 2 ? Predictor::tile : Predictor::chain;
    options.steps = steps[i];
    options.fill = i == 4 ? FillValue::of(0.5) : FillValue::none();
  }
  return cases;
}

/// Streams whose indices are coded in another order than in memory.
template <class T>
std::vector<GoldenCase> axis_cases() {
  std::string const type = sizeof(T) == 4 ? "f32" : "f64";
  auto const r2r = ErrorBound::relative_to_range(1e-3);
  std::vector<GoldenCase> cases{
      {"brick",
       Family::surfaces,
       shape_from<T>({11, 5, 9, 17}),
       {r2r, Pipeline::fixedlength, Variant::automatic, Predictor::tile},
       "tile 8x8x16"},
      {"first_fastest",
       Family::smooth,
       shape_from<T>({37, 19, 13}, Order::first_fastest),
       {r2r, Pipeline::bitshuffle, Variant::fz, Predictor::chain},
       "chain"},
      {"interpolate",
       Family::smooth,
       shape_from<T>({5, 50, 21}),
       {r2r, Pipeline::bitshuffle, Variant::nested, Predictor::interpolate},
       "interpolate"},
      {"fill_packed",
       Family::land,
       shape_from<T>({3, 70, 90}),
       {r2r, Pipeline::huffman, Variant::automatic, Predictor::chain},
       "chain"},
      {"three",
       Family::smooth,
       shape_from<T>({7, 11, 13, 17}),
       {r2r, Pipeline::rans, Variant::automatic, Predictor::tile},
       "tile 8x8x16"},
      {"three_first_fastest",
       Family::smooth,
       shape_from<T>({5, 9, 3, 11, 7}, Order::first_fastest),
       {r2r, Pipeline::bitshuffle, Variant::nested, Predictor::interpolate},
       "interpolate"},
  };
  int const axes[][3] = {{0, -1, -1}, {1, -1, -1}, {0, -1, -1}, {1, -1, -1}, {2, 0, 1}, {3, -1, 4}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].name = "axis_" + cases[i].name + "_" + type;
    cases[i].options.axis = axes[i][0];
    cases[i].options.second_axis = axes[i][1];
    cases[i].options.third_axis = axes[i][2];
  }
  cases[3].options.pack = true;
  cases[3].options.fill = FillValue::automatic();
  return cases;
}

/// Streams whose bins are narrower than twice the bound, as that is a few units in the last place.
template <class T>
std::vector<GoldenCase> narrow_cases() {
  std::string const type = sizeof(T) == 4 ? "f32" : "f64";
  auto const r2r = ErrorBound::relative_to_range(sizeof(T) == 4 ? 2e-6 : 3e-15);
  std::vector<GoldenCase> cases{
      {"chain", Family::smooth, shape_from<T>({5000}), {r2r}, "chain"},
      {"brick",
       Family::surfaces,
       shape_from<T>({21, 39, 37}),
       {r2r, Pipeline::rans, Variant::automatic, Predictor::tile},
       "tile 8x8x16"},
      {"fill", Family::land, shape_from<T>({70, 90}), {r2r, Pipeline::bitshuffle}, "tile 32x32"},
  };
  for (GoldenCase& c : cases) c.name = "narrow_" + c.name + "_" + type;
  cases[2].options.fill = FillValue::automatic();
  return cases;
}

/// Streams of rans: every shape of tiles in both orders of residuals, what is not coded, and without loss.
template <class T>
std::vector<GoldenCase> rans_cases() {
  std::string const type = sizeof(T) == 4 ? "f32" : "f64";
  auto const r2r = ErrorBound::relative_to_range(1e-3);
  auto const with = [](ErrorBound bound, Predictor predictor) {
    return Options{bound, Pipeline::rans, Variant::automatic, predictor};
  };
  auto const tile = Predictor::tile, chain = Predictor::chain, levels = Predictor::interpolate;
  std::vector<GoldenCase> cases{
      {"chain", Family::walk, shape_from<T>({5000}), with(r2r, chain), "chain"},
      {"square", Family::smooth, shape_from<T>({50, 70}), with(ErrorBound::absolute(1e-4), tile),
       "tile 32x32"},
      {"brick", Family::surfaces, shape_from<T>({11, 19, 37}), with(r2r, tile), "tile 8x8x16"},
      {"nan_islands", Family::nan_islands, shape_from<T>({3, 40, 45}),
       with(r2r, Predictor::automatic), "tile 32x32"},
      {"spikes", Family::spikes, shape_from<T>({3000}), with(ErrorBound::absolute(1e-4), chain),
       "chain"},
      {"bits", Family::bits, shape_from<T>({1500}), with(ErrorBound::lossless(), chain), "chain"},
      {"zeros", Family::zeros, shape_from<T>({100, 100}), with(r2r, tile), "tile 32x32"},
      {"relative", Family::walk, shape_from<T>({70, 90}),
       with(ErrorBound::relative_to_value(1e-3), tile), "tile 32x32"},
      {"fill", Family::land, shape_from<T>({33, 19, 16}), with(r2r, tile), "tile 32x32"},
      {"lossless", Family::walk, shape_from<T>({17, 40, 48}), with(ErrorBound::lossless(), tile),
       "tile 32x32"},
      {"packed", Family::land, shape_from<T>({21, 39, 37}), with(r2r, tile), "tile 32x32"},
      {"interpolate_chain", Family::walk, shape_from<T>({5000}), with(r2r, levels), "interpolate"},
      {"interpolate_square", Family::smooth, shape_from<T>({50, 170}),
       with(ErrorBound::absolute(1e-4), levels), "interpolate"},
      {"interpolate_brick", Family::smooth, shape_from<T>({70, 33, 17}, Order::first_fastest),
       with(r2r, levels), "interpolate"},
      {"interpolate_fill", Family::land, shape_from<T>({33, 19, 16}), with(r2r, levels),
       "interpolate"},
      {"interpolate_relative", Family::nan_islands, shape_from<T>({3, 40, 45}),
       with(ErrorBound::relative_to_value(1e-2), levels), "interpolate"},
  };
  for (GoldenCase& c : cases) {
    c.options.pack = c.name == "packed";
    if (c.name.find("fill") != std::string::npos) c.options.fill = FillValue::automatic();
    c.name = "rans_" + c.name + "_" + type;
  }
  return cases;
}

/// Whether a case is one of fill values: its name says so, but for one of those that are packed.
bool has_fill(GoldenCase const& c) {
  return c.name.find("fill") != std::string::npos || c.name.starts_with("packed_huffman");
}

template <class Exec>
class Golden : public testing::Test {
 protected:
  template <class N>
  void check_values(FieldShape const& shape, char const* predictor,
                    Pipeline pipeline = Pipeline::fixedlength) {
    std::string const word = pipeline == Pipeline::rans ? "rans_lossless_" : "lossless_";
    check_values(word + to_string(shape.dtype), make_integers<N>(shape), shape,
                 {ErrorBound::lossless(), pipeline}, predictor);
  }

  /// Of integers within a bound, every eleventh of which is a fill value where the options mask one.
  template <class N>
  void check_bounded(FieldShape const& shape, Options const& options, char const* predictor) {
    auto field = make_integers<N>(shape);
    for (std::size_t i = 0; i < field.size(); ++i) {
      field[i] = static_cast<N>(field[i] + static_cast<N>(sizeof(N) == 1 ? 100 : 10000));
      bool const is_masked = options.fill.mode == FillValue::Mode::value && i % 11 == 0;
      if (is_masked) field[i] = static_cast<N>(options.fill.value);
    }
    check_values(std::string("bounded_") + to_string(shape.dtype), field, shape, options,
                 predictor);
  }

  /// Of numbers of 16 bits.
  template <class Half>
  void check_halves(std::string const& mode, Options const& options,
                    char const* predictor = "tile 32x32") {
    auto const shape = shape_from<Half>({7, 40, 30});
    auto const wide = make_field<float>(Family::smooth, shape_from<float>({7, 40, 30}));
    std::vector<Half> field(wide.size());
    std::ranges::transform(wide, field.begin(), [](float x) { return Half::nearest(x); });
    bool const has_levels = options.predictor == Predictor::interpolate;
    check_values(std::string(to_string(shape.dtype)) + "_" + mode, field, shape, options,
                 has_levels ? "interpolate" : predictor);
  }

  template <class N>
  void check_values(std::string const& name, std::vector<N> const& field, FieldShape const& shape,
                    Options const& options, char const* predictor) {
    Codec<Exec> codec;
    SCOPED_TRACE(name);
    auto const path = std::filesystem::path(KOMPAKT_GOLDEN_FOLDER) / (name + ".kpk");
    auto const stream = codec.compress(field, shape, options);
    EXPECT_STREQ(codec.info().predictor_word(), predictor);
    EXPECT_EQ(codec.info().bound, options.bound);
    if (std::getenv("KOMPAKT_WRITE_GOLDEN") != nullptr) {
      write_file(path, stream, Overwrite::yes);
      return;
    }
    auto const golden = read_file(path);
    expect_same_bytes(stream, golden, "compress no longer writes this stream");
    auto const restored = codec.template decompress<N>(golden, shape);
    if (options.bound.mode == ErrorBound::Mode::lossless) {
      EXPECT_EQ(restored, field);
    } else {
      auto const numbers = [](std::vector<N> const& values) {
        std::vector<double> found;
        for (N const value : values) found.push_back(static_cast<double>(value));
        return found;
      };
      expect_promise(numbers(field), numbers(restored), codec.info().resolved());
    }
  }

  template <class T>
  void check(std::vector<GoldenCase> const& cases) {
    Codec<Exec> codec;
    for (GoldenCase const& c : cases) {
      SCOPED_TRACE(c.name);
      auto const path = std::filesystem::path(KOMPAKT_GOLDEN_FOLDER) / (c.name + ".kpk");
      auto const field = make_field<T>(c.family, c.shape);
      Options options = c.options;
      if (!has_fill(c)) options.fill = FillValue::none();
      auto const stream = expect_round_trip(codec, field, c.shape, options);
      EXPECT_EQ(codec.info().predictor_word(), c.predictor);
      EXPECT_EQ(codec.info().packed, c.options.pack);
      if (std::getenv("KOMPAKT_WRITE_GOLDEN") != nullptr) {
        write_file(path, stream, Overwrite::yes);
        continue;
      }
      auto const golden = read_file(path);
      expect_same_bytes(stream, golden, "compress no longer writes this stream");
      expect_promise(field, codec.template decompress<T>(golden, c.shape), codec.info().resolved());
    }
  }
};
TYPED_TEST_SUITE(Golden, Spaces, SpaceName);

TYPED_TEST(Golden, StreamsOfFloat_AreWrittenAndRead) {
  this->template check<float>(golden_cases<float>());
  this->template check<float>(interpolated_cases<float>());
  this->template check<float>(packed_cases<float>());
  this->template check<float>(limited_cases<float>());
  this->template check<float>(axis_cases<float>());
  this->template check<float>(narrow_cases<float>());
  this->template check<float>(steps_cases<float>());
  this->template check<float>(rans_cases<float>());
}
TYPED_TEST(Golden, StreamsOfIntegers_AreWrittenAndRead) {
  this->template check_values<std::int8_t>(shape_from<std::int8_t>({9, 10, 30}), "chain");
  this->template check_values<std::uint16_t>(shape_from<std::uint16_t>({5000}), "chain");
  this->template check_values<std::int32_t>(shape_from<std::int32_t>({70, 90}), "chain");
  this->template check_values<std::uint64_t>(
      shape_from<std::uint64_t>({37, 19, 3}, Order::first_fastest), "chain");
  this->template check_values<std::int16_t>(shape_from<std::int16_t>({9, 10, 30}), "chain",
                                            Pipeline::rans);
  this->template check_values<std::uint32_t>(shape_from<std::uint32_t>({70, 90}), "chain",
                                             Pipeline::rans);
  this->template check_values<std::int64_t>(shape_from<std::int64_t>({5000}), "chain",
                                            Pipeline::rans);
}
TYPED_TEST(Golden, StreamsOfIntegersWithinBounds_AreWrittenAndRead) {
  auto const with = [](ErrorBound bound, Coding const& coding, double fill = 0) {
    Options options = coding.with(bound);
    if (fill != 0) options.fill = FillValue::of(fill);
    return options;
  };
  Coding const fixed{Pipeline::fixedlength, Variant::automatic},
      shuffle{Pipeline::bitshuffle, Variant::nested}, book{Pipeline::huffman, Variant::custom},
      rans{Pipeline::rans, Variant::automatic},
      levels{Pipeline::bitshuffle, Variant::nested, Predictor::interpolate},
      packed{Pipeline::fixedlength, Variant::automatic, Predictor::automatic, true};
  this->template check_bounded<std::int8_t>(shape_from<std::int8_t>({9, 10, 30}),
                                            with(ErrorBound::absolute(2.5), fixed), "chain");
  this->template check_bounded<std::uint8_t>(shape_from<std::uint8_t>({5000}),
                                             with(ErrorBound::relative_to_range(0.02), shuffle),
                                             "chain");
  this->template check_bounded<std::int16_t>(shape_from<std::int16_t>({70, 90}),
                                             with(ErrorBound::absolute(3), levels, -999),
                                             "interpolate");
  this->template check_bounded<std::uint16_t>(shape_from<std::uint16_t>({17, 20, 30}),
                                              with(ErrorBound::psnr(40), book, 65535), "chain");
  this->template check_bounded<std::int32_t>(
      shape_from<std::int32_t>({70, 90}), with(ErrorBound::relative_to_value(0.05), rans), "chain");
  this->template check_bounded<std::uint32_t>(
      shape_from<std::uint32_t>({37, 19, 13}, Order::first_fastest),
      with(ErrorBound::relative_to_range(0.01), packed), "chain");
  this->template check_bounded<std::int64_t>(shape_from<std::int64_t>({5000}),
                                             with(ErrorBound::absolute(0.5), rans), "chain");
  Options limited = with(ErrorBound::absolute(9), fixed);
  limited.limits = {9980.5, 10030};
  this->template check_bounded<std::uint64_t>(shape_from<std::uint64_t>({50, 40}), limited,
                                              "chain");
}
TYPED_TEST(Golden, StreamsOfNumbersOf16Bits_AreWrittenAndRead) {
  Coding const book{Pipeline::huffman, Variant::dictionary},
      rans{Pipeline::rans, Variant::automatic}, fixed{Pipeline::fixedlength, Variant::automatic},
      levels{Pipeline::bitshuffle, Variant::nested, Predictor::interpolate};
  auto const lossless = ErrorBound::lossless();
  this->template check_halves<Float16>("abs", book.with(ErrorBound::absolute(0.01)));
  this->template check_halves<Float16>("lossless", rans.with(lossless));
  this->template check_halves<BFloat16>("r2r", levels.with(ErrorBound::relative_to_range(0.01)));
  this->template check_halves<BFloat16>("pwr", rans.with(ErrorBound::relative_to_value(0.05)));
  this->template check_halves<BFloat16>("lossless", fixed.with(lossless));
}
TYPED_TEST(Golden, StreamsOfDouble_AreWrittenAndRead) {
  this->template check<double>(golden_cases<double>());
  this->template check<double>(interpolated_cases<double>());
  this->template check<double>(packed_cases<double>());
  this->template check<double>(limited_cases<double>());
  this->template check<double>(axis_cases<double>());
  this->template check<double>(narrow_cases<double>());
  this->template check<double>(steps_cases<double>());
  this->template check<double>(rans_cases<double>());
}

}  // namespace kompakt::test
