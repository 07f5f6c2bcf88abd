#ifndef KOMPAKT_UNIT_TEST_SUPPORT_RANDOM_TUPLE_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_RANDOM_TUPLE_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstring>
#include <kompakt/box.hpp>
#include <kompakt/option_keys.hpp>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/strided.hpp>
#include <tuple>
#include <vector>

// A field, its places in memory and options, all drawn from one seed. The engine's integers decide everything, and values are made
// with single roundings, so a seed means the same tuple on every machine.

namespace kompakt::test {

template <class T, std::size_t count>
T const& pick(Random& random, T const (&list)[count]) {
  return list[random.below(count)];
}

/// A number from 2^first to 2^(last + 1).
inline double any_power(Random& random, int first, int last) {
  double const mantissa = 1 + static_cast<double>(random.below(1024)) / 1024;
  return std::ldexp(mantissa, static_cast<int>(random.between(first, last)));
}

// Shapes and places.

inline std::vector<std::size_t> extents_of(FieldShape const& shape) {
  return {shape.extents.begin(), shape.extents.begin() + shape.rank};
}

/// Extents whose product is mostly at most 50 000; few fields have enough chunks for the ranges that OpenMP encodes. Many extents are
/// near the edges of tiles, some are 1, few are 0.
inline std::vector<std::size_t> any_extents(Random& random) {
  constexpr int ranks[] = {1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 6, 7, 8};
  std::vector<std::size_t> extents(static_cast<std::size_t>(pick(random, ranks)));
  bool const is_long = random.one_in(60);
  std::size_t most = is_long ? std::size_t{1} << 19 : 50000;
  std::uint64_t bits = random.one_in(3) ? random.below(17) : 10 + random.below(7);
  if (is_long) bits = 17 + random.below(2);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    std::uint64_t const own = i + 1 < extents.size() ? random.below(bits + 1) : bits;
    std::uint64_t const power = std::uint64_t{1} << own;
    extents[i] = random.one_in(3) ? power + random.below(3) - 1 : power + random.below(power);
    extents[i] = std::min(std::max<std::size_t>(extents[i], 1), most);
    most /= extents[i];
    bits -= own;
  }
  for (std::size_t i = extents.size(); i > 1; --i) {
    std::swap(extents[i - 1], extents[random.below(i)]);
  }
  if (random.one_in(60)) extents[random.below(extents.size())] = 0;
  return extents;
}

inline FieldShape any_shape(Random& random) {
  constexpr Dtype dtypes[] = {Dtype::f32, Dtype::f32, Dtype::f32,  Dtype::f32, Dtype::f64,
                              Dtype::f64, Dtype::f64, Dtype::i8,   Dtype::u8,  Dtype::i16,
                              Dtype::u16, Dtype::i32, Dtype::u32,  Dtype::i64, Dtype::u64,
                              Dtype::f16, Dtype::f16, Dtype::bf16, Dtype::c64, Dtype::c128};
  FieldShape shape = shape_from<float>(any_extents(random));
  shape.dtype = pick(random, dtypes);
  if (random.one_in(3)) shape.order = Order::first_fastest;
  return shape;
}

/// Where the values of a field lie in memory.
struct Placement {
  FieldShape shape{};
  Strides strides{};
  std::size_t first = 0;  ///< place of the value whose indices are all 0
  std::size_t span = 0;   ///< values that the memory has room for

  std::size_t bytes() const { return span * size_of(shape.dtype); }
  std::string text() const {
    std::ostringstream text;
    text << (shape.order == Order::last_fastest ? "C order" : "Fortran order") << " by";
    for (int i = 0; i < shape.rank; ++i) text << ' ' << strides[static_cast<std::size_t>(i)];
    return text.str();
  }
};

inline Placement dense_placement(FieldShape const& shape) {
  return {shape, strides_of(shape), 0, shape.size()};
}

/// A placement with gaps, whose axes lie in any order and run in either direction.
inline Placement strided_placement(Random& random, FieldShape const& shape) {
  Placement placement{shape};
  do {
    std::tie(placement.strides, placement.span) = random_strides(random, extents_of(shape));
  } while (placement.span > 8 * shape.size() + 8192);
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.rank); ++i) {
    if (!random.one_in(4) || shape.extents[i] == 0) continue;
    placement.first += (shape.extents[i] - 1) * static_cast<std::size_t>(placement.strides[i]);
    placement.strides[i] = -placement.strides[i];
  }
  return placement;
}

/// A placement for values of this shape: dense in half of all cases, rarely in the other order.
inline Placement any_placement(Random& random, FieldShape const& shape, bool may_turn) {
  FieldShape turned = shape;
  if (may_turn && random.one_in(5)) {
    bool const is_last = shape.order == Order::last_fastest;
    turned.order = is_last ? Order::first_fastest : Order::last_fastest;
  }
  return random.one_in(2) ? dense_placement(turned) : strided_placement(random, turned);
}

/// Places of the values in a box of a placement, the last index fastest.
inline std::vector<std::size_t> places_of(Placement const& placement, Box const& box) {
  std::vector<std::size_t> const begin(box.begin.begin(), box.begin.begin() + box.rank);
  std::size_t const first = placement.first + offset_of(begin, placement.strides);
  std::vector<std::size_t> places;
  for_indices(extents_of(box.shape_in(placement.shape)), [&](std::vector<std::size_t> const& at) {
    places.push_back(first + offset_of(at, placement.strides));
  });
  return places;
}
inline std::vector<std::size_t> places_of(Placement const& placement) {
  return places_of(placement, Box::at({}, placement.shape));
}

inline Box any_box(Random& random, FieldShape const& shape) {
  Box box = Box::at({}, shape);
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.rank); ++i) {
    box.begin[i] = random.below(shape.extents[i] + 1);
    box.end[i] = box.begin[i] + random.below(shape.extents[i] - box.begin[i] + 1);
  }
  return box;
}
/// Some planes of the slowest index.
inline Box any_slab(Random& random, FieldShape const& shape) {
  Box const any = any_box(random, shape);
  Box slab = Box::at({}, shape);
  int const slowest = shape.order == Order::last_fastest ? 0 : shape.rank - 1;
  auto const i = static_cast<std::size_t>(slowest);
  slab.begin[i] = any.begin[i];
  slab.end[i] = any.end[i];
  return slab;
}

// Values.

/// Numbers that mean "no value here" in some fields.
inline constexpr double tuple_fills[] = {1e20,
                                         -999,
                                         -9999,
                                         0,
                                         255,
                                         -32768,
                                         fill_value,
                                         std::numeric_limits<double>::quiet_NaN(),
                                         std::numeric_limits<double>::infinity()};

/// The nearest value of a type, which is an end of the integers for everything beyond them.
template <class N>
N nearest_value(double number) {
  if constexpr (HalfFloat<N>) {
    return N::nearest(static_cast<float>(number));
  } else if constexpr (std::integral<N>) {
    using Limits = std::numeric_limits<N>;
    if (!(number > static_cast<double>(Limits::min()))) return Limits::min();
    return number < std::ldexp(1.0, Limits::digits) ? static_cast<N>(number) : Limits::max();
  } else {
    return static_cast<N>(number);
  }
}

/// Values of a family. Types other than float and double have the scaled numbers of one of these.
template <class N>
std::vector<N> values_of(Family family, FieldShape const& shape, double scale, std::uint64_t seed) {
  if constexpr (std::floating_point<N>) {
    return make_field<N>(family, shape, seed);
  } else {
    using Wide = std::conditional_t<HalfFloat<N>, float, double>;
    auto const numbers = make_field<Wide>(family, shape, seed);
    std::vector<N> values(numbers.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = nearest_value<N>(static_cast<double>(numbers[i] * static_cast<Wide>(scale)));
      std::uint64_t const bits = hash(i + seed);
      if (family == Family::bits) std::memcpy(&values[i], &bits, sizeof(N));
    }
    return values;
  }
}

template <class N>
void add_fills(Random& random, std::vector<N>& values) {
  for (std::uint64_t kinds = random.below(4); kinds > 1; --kinds) {
    N const fill = nearest_value<N>(pick(random, tuple_fills));
    bool const is_lone = random.one_in(4);
    std::uint64_t const every =
        is_lone ? values.size() + 1 : 1 + random.below(std::uint64_t{1} << (1 + random.below(12)));
    for (std::size_t i = random.below(every); i < values.size(); i += every) values[i] = fill;
  }
}

/// The memory of a field, with its values at their places and one byte in all gaps.
inline std::vector<std::byte> any_memory(Random& random, Family family,
                                         Placement const& placement) {
  constexpr double scales[] = {1, 1, 100, 0x1p20, 0x1p60, 0x1p112, 0x1p-112};
  std::vector<std::byte> memory(placement.bytes(), std::byte{0x5a});
  auto const places = places_of(placement);
  double const scale = pick(random, scales);
  with_value_type(placement.shape.dtype, [&]<class N>(N) {
    std::size_t const parts = is_complex(placement.shape.dtype) ? 2 : 1;
    for (std::size_t part = 0; part < parts; ++part) {
      auto values = values_of<N>(family, placement.shape, scale, random.below(1000));
      add_fills(random, values);
      for (std::size_t i = 0; i < values.size(); ++i) {
        std::size_t const at = (places[i] * parts + part) * sizeof(N);
        std::memcpy(memory.data() + at, &values[i], sizeof(N));
      }
    }
  });
  return memory;
}

// Options.

inline ErrorBound any_bound(Random& random) {
  if (random.one_in(15)) return {};
  if (random.one_in(150)) return ErrorBound::absolute(0);  // refused
  switch (random.below(11)) {
    case 0:
    case 1:
    case 2: return ErrorBound::absolute(any_power(random, -30, 10));
    case 3: return ErrorBound::absolute(any_power(random, -1070, 1022));
    case 4:
    case 5:
    case 6: return ErrorBound::relative_to_range(any_power(random, -24, -1));
    case 7: return ErrorBound::relative_to_value(any_power(random, -20, -2));
    case 8: return ErrorBound::psnr(static_cast<double>(1 + random.below(140)));
    default: return ErrorBound::lossless();
  }
}

/// A number for a fill value, which is nearly always a value of the type.
inline double any_fill_number(Random& random, Dtype dtype) {
  double const number = pick(random, tuple_fills);
  if (random.one_in(8)) return number;
  return with_value_type(dtype,
                         [&]<class N>(N) { return static_cast<double>(nearest_value<N>(number)); });
}

inline FillValue any_fill(Random& random, Dtype dtype) {
  constexpr FillValue modes[] = {FillValue::none(), FillValue::automatic(), FillValue::automatic()};
  FillValue fill = pick(random, modes);
  if (random.one_in(3)) fill = FillValue::of(any_fill_number(random, dtype));
  for (std::uint64_t more = random.below(8); more > 5; --more) {
    fill = fill.with(any_fill_number(random, dtype));
  }
  return fill;
}

inline bool is_usable(Options const& options) {
  try {
    validate(options);
  } catch (Error const&) {
    return false;
  }
  return true;
}

/// Draws pipeline, variant and predictor out of the library's tables until they go together; few tuples keep what does not.
inline void draw_method(Random& random, Options& options) {
  auto const& predictors = option_key("predictor").words;
  do {
    options.pipeline =
        random.one_in(9) ? Pipeline::automatic : pipelines()[random.below(pipelines().size())];
    auto const variants = variants_of(pipeline_of(options));
    options.variant = variants[random.below(variants.size())];
    options.predictor = parse_predictor(predictors[random.below(predictors.size())].word);
  } while (!is_usable(options) && !random.one_in(60));
}

inline Options any_options(Random& random, FieldShape const& shape) {
  constexpr int radii[] = {512, 512, 512, 32, 128, 4096, 32768};
  constexpr double none = Limits::unlimited;
  constexpr Limits limits[] = {{0, none}, {-none, 0.5}, {-0.25, 0.75}, {0, 0}, {0.125, 1000}};
  constexpr ValueSteps steps[] = {ValueSteps{},
                                  ValueSteps::none(),
                                  {ValueSteps::Kind::multiples, 0.125, 0},
                                  {ValueSteps::Kind::rounded, 0.01, 20},
                                  {ValueSteps::Kind::quotients, 100, 0},
                                  {ValueSteps::Kind::bits, 5, 0}};
  constexpr Goal goals[] = {Goal::ratio, Goal::speed, Goal::balanced, Goal::smallest};
  Options options;
  options.bound = any_bound(random);
  options.checksum = !random.one_in(4);
  options.radius = pick(random, radii);
  options.pack = random.one_in(3);
  options.fill = any_fill(random, shape.dtype);
  if (random.one_in(2)) {
    std::vector<int> axes(extents_of(shape).size());
    std::iota(axes.begin(), axes.end(), 0);
    for (std::size_t i = axes.size(); i > 1; --i) std::swap(axes[i - 1], axes[random.below(i)]);
    options.axis = axes[0];
    if (axes.size() > 1 && random.one_in(2)) options.second_axis = axes[1];
    if (axes.size() > 2 && random.one_in(2)) options.third_axis = axes[2];
  }
  if (random.one_in(5)) options.limits = pick(random, limits);
  if (options.bound == ErrorBound::lossless()) options.steps = pick(random, steps);
  if (options.bound.needs_range() && random.one_in(6)) options.range = any_power(random, -4, 20);
  if (random.one_in(25)) {
    options.goal = pick(random, goals);
    options.pipeline = Pipeline::automatic;
  } else {
    draw_method(random, options);
  }
  return options;
}

/// Everything that a stream is a function of, and where its field lies.
struct RandomTuple {
  explicit RandomTuple(std::uint64_t seed_of_all) : seed(seed_of_all) {
    Random random(seed);
    from = any_placement(random, any_shape(random), /*may_turn=*/false);
    to = any_placement(random, from.shape, /*may_turn=*/true);
    family = pick(random, all_families);
    memory = any_memory(random, family, from);
    options = any_options(random, from.shape);
    if (random.one_in(8)) options.limits = limits_among_values(random);
    box = any_box(random, from.shape);
    slab = any_slab(random, from.shape);
  }

  FieldShape const& shape() const { return from.shape; }
  /// The tuple in a line, which begins with what repeats it.
  std::string text() const {
    std::ostringstream text;
    text << "KOMPAKT_TEST_SEED=" << seed << " KOMPAKT_TEST_TUPLES=1: " << to_string(shape().dtype);
    for (std::size_t const extent : extents_of(shape())) text << ' ' << extent;
    text << ", " << name_of(family) << ", from " << from.text() << ", to " << to.text() << ", "
         << text_of(options);
    return text.str();
  }

  /// Limits that are values of the field, with other values near them on both sides.
  Limits limits_among_values(Random& random) const {
    auto const places = places_of(from);
    Limits limits;
    with_value_type(shape().dtype, [&]<class N>(N) {
      for (int pairs = 0; pairs < 3 && !places.empty() && !limits.any(); ++pairs) {
        N values[2];
        for (N& value : values) {
          std::size_t const place = places[random.below(places.size())];
          std::memcpy(&value, memory.data() + place * size_of(shape().dtype), sizeof(N));
        }
        auto const a = static_cast<double>(values[0]), b = static_cast<double>(values[1]);
        if (a < b) limits = {a, b};
      }
    });
    return limits;
  }

  std::uint64_t seed;
  Placement from{}, to{};
  Family family{};
  std::vector<std::byte> memory{};
  Options options{};
  Box box{}, slab{};
};

}  // namespace kompakt::test

#endif
