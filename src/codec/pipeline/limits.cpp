#include <algorithm>
#include <cmath>
#include <core/exact.hpp>
#include <core/fp_environment.hpp>
#include <core/half_bound.hpp>
#include <kompakt/field_range.hpp>
#include <limits>
#include <pipeline/limits.hpp>

namespace kompakt {

ErrorBound bound_of_parts(ErrorBound const& bound) {
  using Mode = ErrorBound::Mode;
  if (bound.mode != Mode::abs && bound.mode != Mode::r2r) return bound;
  constexpr double below_root_of_half = 0.70710678118654746;
  impl::FpEnvironment const environment;
  return {bound.mode,
          impl::product_rounded_down(environment.inside(bound.value), below_root_of_half)};
}

}  // namespace kompakt

namespace kompakt::impl {

namespace {

constexpr std::uint32_t bit(TileShape shape) { return 1u << static_cast<int>(shape); }

}  // namespace

double width_of(ValueSteps const& steps) {
  switch (steps.kind) {
    case ValueSteps::Kind::multiples:
    case ValueSteps::Kind::rounded: return steps.step;
    case ValueSteps::Kind::quotients: return 1 / steps.step;
    default: return 0;
  }
}

ValueLattice lattice_of(ValueSteps const& steps) {
  double const step = width_of(steps);
  if (!(step > 0)) return {};
  return {step, std::abs(std::remainder(steps.offset, step))};
}

ValueSteps steps_of(Options const& options, Dtype dtype) {
  bool const counts = options.bound.mode == ErrorBound::Mode::lossless && is_number(dtype);
  return counts && options.steps.any() ? options.steps : ValueSteps::none();
}

Variant stored_variant(Options const& options) {
  bool const is_automatic = options.variant == Variant::automatic;
  return is_automatic ? row_of(pipeline_of(options))->stored_automatic : options.variant;
}

PredictionMethod method_of(Predictor predictor) {
  for (PredictorRow const* row : predictor_rows()) {
    for (PredictorWord const& asked : row->asked_by) {
      if (asked.predictor == predictor) return row->method;
    }
  }
  return predictor_rows().front()->method;
}

namespace {

/// Ends of a type of integers; of 64 bits the highest one is the next number of f64.
Limits ends_of(Dtype dtype) {
  return with_value_type(dtype, []<class N>(N) -> Limits {
    if constexpr (std::integral<N>) {
      return {static_cast<double>(std::numeric_limits<N>::lowest()),
              static_cast<double>(std::numeric_limits<N>::max())};
    }
    return {};
  });
}

// A limit at the end of the type, or beyond it, is none: f32 holds all others of 16 bits.
Limits limits_of_integers(Limits const& limits, Dtype dtype) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Limits const ends = ends_of(dtype);
  double const lower = std::ceil(limits.lower), upper = std::floor(limits.upper);
  // NOLINTNEXTLINE(bugprone-narrowing-conversions)
  return {lower <= ends.lower ? -infinity : std::min(lower, ends.upper),
          upper >= ends.upper ? infinity : std::max(upper, ends.lower)};
}

/// Calls body(Half{}) with the C++ type of f16 or bf16.
template <class Body>
decltype(auto) with_half_type(Dtype dtype, Body const& body) {
  return dtype == Dtype::f16 ? body(Float16{}) : body(BFloat16{});
}

// The numbers of Half next to limits, inside of them; a limit at the end of the type, or beyond it, is none.
template <class Half>
Limits limits_of_halves(Limits const& limits) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double const end = static_cast<double>(Half::largest());
  auto const inside = [](double limit) {  // the largest number that is not above it
    Half const nearest = Half::nearest(static_cast<float>(limit));
    return static_cast<double>(static_cast<double>(nearest) <= limit ? nearest
                                                                     : next_below(nearest));
  };
  double const lower = -inside(-limits.lower), upper = inside(limits.upper);
  // NOLINTNEXTLINE(bugprone-narrowing-conversions)
  return {lower <= -end ? -infinity : lower, upper >= end ? infinity : upper};
}

}  // namespace

Limits limits_of_type(Limits const& limits, Dtype dtype) {
  FpEnvironment const environment;
  if (is_integer(dtype)) return limits_of_integers(limits, dtype);
  if (is_half(dtype)) {
    return with_half_type(dtype, [&]<class Half>(Half) { return limits_of_halves<Half>(limits); });
  }
  if (dtype != Dtype::f32) return limits;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  auto lower = static_cast<float>(environment.inside(limits.lower));
  auto upper = static_cast<float>(environment.inside(limits.upper));
  if (static_cast<double>(lower) < limits.lower) lower = std::nextafter(lower, infinity);
  if (static_cast<double>(upper) > limits.upper) upper = std::nextafter(upper, -infinity);
  return {static_cast<double>(lower), static_cast<double>(upper)};
}

std::uint32_t shapes_for(Extents3 extents, Predictor predictor) {
  std::uint32_t tiles = 0;
  if (extents.y > 1) tiles |= bit(TileShape::square);
  if (extents.z > 1) tiles |= bit(TileShape::brick);
  if (predictor == Predictor::chain || tiles == 0) return bit(TileShape::chain);
  if (predictor == Predictor::interpolate) return bit(level_shape(extents));
  return predictor == Predictor::tile ? tiles : tiles | bit(TileShape::chain);
}

std::size_t predictor_bytes(PredictionMethod method, Extents3 extents) {
  PredictorRow const& row = *row_of(method);
  return row.section_bytes == nullptr ? 0 : row.section_bytes(extents);
}

std::size_t max_section_bytes(CoderRow const& coder, int radius) {
  return coder.section.empty() ? 0 : coder.max_section_bytes(radius);
}

double bound_within(double value, double range) {
  FpEnvironment const environment;
  double const of = environment.inside(value), width = environment.inside(range);
  bool const overflows = !std::isfinite(of * width);
  return environment.inside(overflows ? of * width : product_rounded_down(of, width));
}

namespace {

// No error of this size spoils a PSNR of a range.
double bound_of_psnr(double decibels, double range) {
  return absolute_options_for_parts({}, {.bound = ErrorBound::psnr(decibels), .range = range})
      .bound.value;
}

}  // namespace

ErrorBound bound_with_range(Dtype dtype, ErrorBound const& bound, double range) {
  using Mode = ErrorBound::Mode;
  bool const is_rounded = are_rounded(dtype, bound.mode);
  if (bound.needs_range() && range == 0) return bound;
  switch (bound.mode) {
    case Mode::lossless: return bound;
    case Mode::pwr: return bound;
    case Mode::psnr: {
      // The search for a larger one (psnr_bound.hpp) measures errors of numbers, not of what they are rounded to.
      return is_rounded ? ErrorBound::absolute(bound_of_psnr(bound.value, range)) : bound;
    }
    default: break;
  }
  double const value = bound.mode == Mode::r2r ? bound_within(bound.value, range) : bound.value;
  return ErrorBound::absolute(value);
}

ErrorBound bound_of_numbers(Dtype dtype, ErrorBound const& bound, double largest) {
  using Mode = ErrorBound::Mode;
  if (!are_rounded(dtype, bound.mode) || bound.needs_range()) return bound;
  if (bound.mode == Mode::pwr) {
    double const of_numbers = relative_bound_of_numbers(bound.value);
    // Half of the smallest bound is none, and under either nothing changes.
    return ErrorBound::relative_to_value(of_numbers > 0 ? of_numbers : bound.value);
  }
  FpEnvironment const environment;
  if (!is_half(dtype)) return ErrorBound::absolute(bound_of_numbers(bound.value));
  return with_half_type(dtype, [&]<class Half>(Half) {
    return ErrorBound::absolute(bound_before_rounding<Half>(bound.value, largest));
  });
}

// Each once: two numbers that one value of the type is nearest to are one fill value.
FillValue fill_of_type(FillValue fill, Dtype dtype) {
  if (fill.mode == FillValue::Mode::none) return fill;
  FpEnvironment const environment;
  auto const within = [](double number, double end, auto const& nearest) {
    bool const is_beyond = number < -end || number > end;
    return is_beyond ? number : nearest(number);
  };
  auto const rounded = [&](double number) {
    if (dtype == Dtype::f32) {
      return within(number, std::numeric_limits<float>::max(),
                    [](double n) { return static_cast<double>(static_cast<float>(n)); });
    }
    if (!is_half(dtype)) return number;
    return with_half_type(dtype, [&]<class Half>(Half) {
      return within(number, static_cast<double>(Half::largest()), [](double n) {
        return static_cast<double>(Half::nearest(static_cast<float>(n)));
      });
    });
  };
  FillValue typed{fill.mode, rounded(fill.value)};
  for (int i = 0; i < fill.others_count; ++i) {
    typed = typed.with(rounded(fill.others[static_cast<std::size_t>(i)]));
  }
  return typed;
}

bool has_number(Dtype dtype, double number) {
  Limits const ends = ends_of(dtype);
  if (number < ends.lower || number > ends.upper) return false;
  if (is_half(dtype)) {
    return with_half_type(dtype, [&]<class Half>(Half) {
      return static_cast<double>(Half::nearest(static_cast<float>(number))) == number;
    });
  }
  bool const is_narrow = dtype == Dtype::f32 || dtype == Dtype::c64;
  return !is_narrow || static_cast<double>(static_cast<float>(number)) == number;
}

ErrorBound bound_without_field(Options const& options) {
  validate(options);
  auto const refuse = [](char const* problem, char const* advice) {
    throw Error(Status::bad_argument, problem, advice);
  };
  ErrorBound const& bound = options.bound;
  if (options.fill.others_count > 0) {
    refuse("a tile has one fill value at most", "give one");
  }
  if (bound.mode == ErrorBound::Mode::psnr) {
    refuse("a PSNR needs the whole field", "give an absolute bound");
  }
  if (bound.mode != ErrorBound::Mode::r2r) return bound;
  if (options.range == 0)
    refuse("a bound relative to the range needs the range",
           "give max - min of the whole field as the range");
  return ErrorBound::absolute(bound_within(bound.value, options.range));
}

LevelParts whole_levels(PredictionMethod method, Extents3 extents, Carver& scratch) {
  LevelParts parts;
  if (!has_levels(method) || extents.size() == 0) return parts;
  with_tile_shape(level_shape(extents),
                  [&](auto shape) { parts = LevelGrid<decltype(shape)>(extents).whole(); });
  return parts.in(scratch.take<std::uint32_t>(parts.places()));
}

std::string describe(FieldShape const& shape) {
  std::string text;
  for (int i = 0; i < shape.rank; ++i) {
    text += (i > 0 ? " x " : "") + std::to_string(shape.extents[static_cast<std::size_t>(i)]);
  }
  return text + " values of " + to_string(shape.dtype);
}

void require_same_field(char const* whose, FieldShape const& decoded, FieldShape const& view) {
  if (decoded.dtype == view.dtype && decoded.rank == view.rank && decoded.extents == view.extents) {
    return;
  }
  throw Error(Status::type_mismatch,
              whose + describe(decoded) + ", but the field given has " + describe(view),
              "pass one of this type and these extents");
}

void require_capacity(std::size_t needed, std::size_t capacity) {
  if (needed <= capacity) return;
  throw Error(Status::buffer_too_small, "compress",
              "the stream needs at least " + std::to_string(needed) +
                  " bytes, but there is room for " + std::to_string(capacity),
              "max_compressed_bytes() says what is always enough");
}

void require_chunk_count(PredictionMethod method, std::int64_t chunks) {
  if (fits_one_call(method, chunks)) return;
  throw Error(Status::bad_argument,
              std::to_string(chunks) + " chunks are more than one call can take",
              "split the field");
}

void require_chunk(std::int64_t chunk, std::uint64_t chunks) {
  if (chunk >= 0 && static_cast<std::uint64_t>(chunk) < chunks) return;
  throw Error(Status::bad_argument, "decompress",
              "there is no chunk " + std::to_string(chunk) + " in a stream of " +
                  std::to_string(chunks) + " chunks",
              "");
}

void require_sound(DecodeFault fault) {
  char const* what = "a tile's record is damaged";
  switch (fault) {
    case DecodeFault::none: return;
    case DecodeFault::index: what = "the chunk index is damaged"; break;
    case DecodeFault::checksum: what = "the checksum of a chunk does not match"; break;
    case DecodeFault::section: what = "a section of its coder or predictor is damaged"; break;
    case DecodeFault::record: break;
  }
  throw Error(Status::corrupt, std::string(what) + "; the stream was altered");
}

}  // namespace kompakt::impl

namespace kompakt {

double FieldRange::width() const {
  impl::FpEnvironment const environment;
  double const lowest = environment.inside(min), highest = environment.inside(max);
  bool const overflows = !std::isfinite(highest - lowest);
  return environment.inside(overflows ? std::numeric_limits<double>::infinity()
                                      : impl::difference_rounded_down(highest, lowest));
}

double FieldRange::bound(double relative) const {
  impl::FpEnvironment const environment;
  return environment.inside(impl::range_bound(environment.inside(relative), environment.inside(min),
                                              environment.inside(max)));
}

}  // namespace kompakt
