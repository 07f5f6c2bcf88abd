#include "cd_values.hpp"
#include <algorithm>
#include <bit>
#include <cmath>
#include <kompakt/error.hpp>
#include <limits>
#include <vector>

namespace kompakt::hdf5 {

namespace {

double double_at(Words const& words, int at) {
  return std::bit_cast<double>(std::uint64_t{words[static_cast<std::size_t>(at) + 1]} << 32 |
                               words[static_cast<std::size_t>(at)]);
}

/// A word that is a number of an enumeration, or one more than that.
template <class Enum>
Enum known_at(Words const& words, int at, unsigned plus, char const* what) {
  unsigned const word = words[static_cast<std::size_t>(at)];
  if (auto const found = enumerator_of<Enum>(std::int64_t{word} - plus)) return *found;
  refuse("word " + std::to_string(at) + " is " + std::to_string(word) +
         ", which is not the number of " + what);
}

/// A word that is one of the numbers up to `last`.
unsigned number_at(Words const& words, int at, unsigned last, char const* what) {
  unsigned const number = words[static_cast<std::size_t>(at)];
  if (number <= last) return number;
  refuse("word " + std::to_string(at) + " is " + std::to_string(number) + ", but " + what +
         " is a number up to " + std::to_string(last));
}

bool has_limits(Words const& words) {
  return (words[KOMPAKT_H5Z_FLAGS] & KOMPAKT_H5Z_HAS_LIMITS) != 0;
}

unsigned other_fills(Words const& words) {
  return words[KOMPAKT_H5Z_FLAGS] >> KOMPAKT_H5Z_OTHER_FILL_SHIFT & 7u;
}

FillValue fill_of(Words const& words) {
  FillValue fill;
  switch (number_at(words, KOMPAKT_H5Z_FILL_MODE, KOMPAKT_H5Z_FILL_NONE, "what is masked")) {
    case KOMPAKT_H5Z_FILL_NONE: return FillValue::none();
    case KOMPAKT_H5Z_FILL_VALUE: fill = FillValue::of(double_at(words, KOMPAKT_H5Z_FILL)); break;
    default: fill = FillValue::automatic();
  }
  for (unsigned i = 0; i < other_fills(words); ++i) {
    fill = fill.with(double_at(words, KOMPAKT_H5Z_OTHER_FILLS + 2 * static_cast<int>(i)));
  }
  return fill;
}

/// Whether fill values are masked: without loss integers come back as they are.
bool has_fills(Dtype dtype, ErrorBound::Mode mode) {
  return !is_integer(dtype) || mode != ErrorBound::Mode::lossless;
}

Options options_of(Words const& words, Dtype dtype) {
  Options options;
  options.bound.mode =
      known_at<ErrorBound::Mode>(words, KOMPAKT_H5Z_BOUND_MODE, 0, "a mode of a bound");
  options.bound.value = double_at(words, KOMPAKT_H5Z_BOUND_VALUE);
  options.pipeline = known_at<Pipeline>(words, KOMPAKT_H5Z_PIPELINE, 0, "a pipeline");
  options.predictor = known_at<Predictor>(words, KOMPAKT_H5Z_PREDICTOR, 0, "a predictor");
  if (words[KOMPAKT_H5Z_VARIANT] != 0) {
    options.variant = known_at<Variant>(words, KOMPAKT_H5Z_VARIANT, 1, "a variant, plus 1");
  }
  unsigned const flags = words[KOMPAKT_H5Z_FLAGS];
  constexpr unsigned known = KOMPAKT_H5Z_KEEP_EXTENTS | KOMPAKT_H5Z_NO_CHECKSUM | KOMPAKT_H5Z_PACK |
                             KOMPAKT_H5Z_HAS_LIMITS | big_endian_flag |
                             7u << KOMPAKT_H5Z_OTHER_FILL_SHIFT;
  if ((flags & ~known) != 0) {
    refuse("word " + std::to_string(KOMPAKT_H5Z_FLAGS) + " is " + std::to_string(flags) +
           ", which has flags that are not known here");
  }
  options.pack = (flags & KOMPAKT_H5Z_PACK) != 0;
  options.checksum = (flags & KOMPAKT_H5Z_NO_CHECKSUM) == 0;
  options.fill = has_fills(dtype, options.bound.mode) ? fill_of(words) : FillValue::none();
  if (has_limits(words)) {
    options.limits = {double_at(words, KOMPAKT_H5Z_LIMITS),
                      double_at(words, KOMPAKT_H5Z_LIMITS + 2)};
  }
  // Words that nobody has thought of destroy no labels.
  if (is_integer(dtype) && options.bound == Options{}.bound) {
    refuse(std::string("the dataset has integers (") + to_string(dtype) +
               "), and the bound is the default one, r2r 0.001",
           "use the bound mode lossless (4), or another bound");
  }
  validate(options);
  return options;
}

std::string text_of(std::span<std::uint64_t const> extents) {
  std::string text;
  for (std::uint64_t const extent : extents) {
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  }
  return text;
}

std::array<std::uint64_t, 3> extents_at(Words const& words) {
  std::array<std::uint64_t, 3> extents;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    extents[i] = std::max(1u, words[KOMPAKT_H5Z_EXTENTS + i]);
  }
  return extents;
}

/// Values of a chunk; HDF5 itself takes no chunks of 4 GiB, which also keeps the product from overflowing.
std::uint64_t count_of(std::span<std::uint64_t const> extents, Dtype dtype) {
  std::uint64_t const most = std::numeric_limits<std::uint32_t>::max() / size_of(dtype);
  std::uint64_t values = 1;
  for (std::uint64_t const extent : extents) {
    if (extent == 0 || values > most / extent) {
      refuse("a chunk of " + text_of(extents) + " values of " + to_string(dtype) +
                 " is empty, or has 4 GiB or more",
             "choose other chunks");
    }
    values *= extent;
  }
  return values;
}

}  // namespace

void refuse(std::string const& message, std::string_view advice) {
  throw Error(Status::bad_argument, "the filter kompakt: " + message, advice);
}

std::array<std::uint64_t, 3> three_of(std::span<unsigned long long const> chunk) {
  std::array<std::uint64_t, 3> fastest_first{1, 1, 1};
  std::size_t axis = 0;
  for (std::size_t i = chunk.size(); i-- > 0;) {
    if (chunk[i] == 1) continue;
    fastest_first[std::min<std::size_t>(axis, 2)] *= chunk[i];
    ++axis;
  }
  return {fastest_first[2], fastest_first[1], fastest_first[0]};
}

std::size_t stored_count(Words const& words) {
  return has_limits(words) ? std::size_t{KOMPAKT_H5Z_MAX_WORDS}
                           : KOMPAKT_H5Z_WORDS + 2 * other_fills(words);
}

Words words_of(std::span<unsigned const> given) {
  constexpr std::size_t least = KOMPAKT_H5Z_BOUND_VALUE + 2;
  if (given.size() < least || given.size() > KOMPAKT_H5Z_MAX_WORDS) {
    refuse("there are " + std::to_string(given.size()) + " words (cd_values)",
           "give " + std::to_string(least) + " to " + std::to_string(KOMPAKT_H5Z_MAX_WORDS) +
               ": 1, the mode of the bound, its value as a double in two words, low one first, …");
  }
  if (given[KOMPAKT_H5Z_VERSION] != KOMPAKT_H5Z_LAYOUT) {
    refuse("the first word is " + std::to_string(given[KOMPAKT_H5Z_VERSION]) +
           ", but this version of the filter knows only words that begin with 1");
  }
  Words words{};
  std::copy(given.begin(), given.end(), words.begin());
  std::size_t const stored = stored_count(words);
  if (stored > KOMPAKT_H5Z_WORDS && given.size() < stored) {
    refuse("word " + std::to_string(KOMPAKT_H5Z_FLAGS) + " is " +
           std::to_string(words[KOMPAKT_H5Z_FLAGS]) + ", whose flags promise " +
           std::to_string(stored) + " words, but there are " + std::to_string(given.size()));
  }
  return words;
}

Words completed(Words words, ValueType const& type, std::span<unsigned long long const> chunk,
                std::optional<double> fill) {
  std::vector<std::uint64_t> const wanted(chunk.begin(), chunk.end());
  Dtype const dtype = type.dtype;
  std::uint64_t const values = count_of(wanted, dtype);
  words[KOMPAKT_H5Z_TYPE] = 1 + static_cast<unsigned>(dtype);
  unsigned& flags = words[KOMPAKT_H5Z_FLAGS];
  flags = type.is_big_endian ? flags | big_endian_flag : flags & ~big_endian_flag;
  if ((words[KOMPAKT_H5Z_FLAGS] & KOMPAKT_H5Z_KEEP_EXTENTS) == 0) {
    auto const extents = three_of(chunk);
    std::copy(extents.begin(), extents.end(), words.begin() + KOMPAKT_H5Z_EXTENTS);
  } else if (auto const given = extents_at(words); count_of(given, dtype) != values) {
    refuse("the extents given are " + text_of(given) + ", but chunks of the dataset have " +
           text_of(wanted) + " values, which is another number of values");
  }
  auto const mode = static_cast<ErrorBound::Mode>(words[KOMPAKT_H5Z_BOUND_MODE]);
  if (type.is_enumeration && mode != ErrorBound::Mode::lossless) {
    refuse("the dataset has values of an enumeration, such as true and false, which have no bound",
           "use the bound mode lossless (4)");
  }
  if (words[KOMPAKT_H5Z_FILL_MODE] == KOMPAKT_H5Z_FILL_OF_DATASET && has_fills(dtype, mode)) {
    words[KOMPAKT_H5Z_FILL_MODE] = KOMPAKT_H5Z_FILL_AUTO;
    unsigned const others = other_fills(words);
    // NaN is found wherever it is.
    if (fill && !std::isnan(*fill) && !fill_of(words).declares(*fill) &&
        others < FillValue::max_others) {
      words[KOMPAKT_H5Z_FLAGS] += 1u << KOMPAKT_H5Z_OTHER_FILL_SHIFT;
      kompakt_h5z_put_double(*fill, words.data() + KOMPAKT_H5Z_OTHER_FILLS + 2 * others);
    }
  }
  return words;
}

ChunkCoding coding_of(Words const& words) {
  unsigned const type = number_at(words, KOMPAKT_H5Z_TYPE, dtype_count, "1 + a type of values");
  if (type == 0) {
    refuse("type and extents of the chunks are not known: HDF5 has not let the filter ask",
           "give all 15 words, with the flag 1 (docs/integrations/hdf5.md, \"HDF5 inside another "
           "library\")");
  }
  auto const dtype = static_cast<Dtype>(type - 1);
  auto const extents = extents_at(words);
  count_of(extents, dtype);
  ChunkCoding coding;
  coding.options = options_of(words, dtype);
  coding.shape.dtype = dtype;
  coding.shape.rank = 3;
  coding.is_big_endian = (words[KOMPAKT_H5Z_FLAGS] & big_endian_flag) != 0 && size_of(dtype) > 1;
  std::copy(extents.begin(), extents.end(), coding.shape.extents.begin());
  return coding;
}

}  // namespace kompakt::hdf5
