#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <support/exact.hpp>
#include <support/random_tuple.hpp>
#include <support/ways.hpp>

// Random fields, placements and options: all ways write the same stream, restore the same values and refuse with the same words.
// Each value keeps its bound in exact arithmetic.
//
//   KOMPAKT_TEST_SEED=N       seed of the first tuple; each further one has the next seed
//   KOMPAKT_TEST_TUPLES=N     number of tuples
//   KOMPAKT_TEST_DIGESTS=F    file to compare with digests of another process, such as one with KOMPAKT_VECTORS=baseline; the
//                             first process writes it

namespace kompakt::test {

namespace {

std::uint64_t number_in(char const* variable, std::uint64_t otherwise) {
  char const* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Digests of tuples by their seeds, in a file that other processes read.
class Digests {
 public:
  Digests() {
    char const* const path = std::getenv("KOMPAKT_TEST_DIGESTS");
    if (path == nullptr) return;
    std::ifstream before(path);
    for (std::uint64_t seed = 0, digest = 0; before >> seed >> digest;) m_known[seed] = digest;
    if (m_known.empty()) m_written.open(path);
  }

  void take(std::uint64_t seed, std::vector<Outcome> const& outcomes) {
    std::uint64_t const digest = digest_of(outcomes);
    if (m_written.is_open()) m_written << seed << ' ' << digest << '\n';
    if (!compares()) return;
    auto const known = m_known.find(seed);
    EXPECT_TRUE(known != m_known.end() && known->second == digest) << "the file has other bytes";
  }
  bool compares() const { return !m_known.empty(); }

 private:
  static std::uint64_t digest_of(std::vector<Outcome> const& outcomes) {
    std::uint64_t digest = outcomes.size();
    for (Outcome const& outcome : outcomes) {
      for (std::byte const byte : outcome.bytes) {
        digest = (digest ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3u;
      }
      for (char const c : outcome.refusal) {
        digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
      }
      digest = hash(digest);
    }
    return digest;
  }

  std::map<std::uint64_t, std::uint64_t> m_known;
  std::ofstream m_written;
};

/// Values out of memory, one after the other.
std::vector<std::byte> gathered(std::vector<std::byte> const& memory,
                                std::vector<std::size_t> const& places, std::size_t value_bytes) {
  std::vector<std::byte> values(places.size() * value_bytes);
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::memcpy(values.data() + i * value_bytes, memory.data() + places[i] * value_bytes,
                value_bytes);
  }
  return values;
}

template <class N>
bool is_kept(N original, N restored, ErrorBound const& bound) {
  if constexpr (std::floating_point<N>) {
    return keeps_promise(original, restored, bound);
  } else {
    auto const x = static_cast<double>(original), y = static_cast<double>(restored);
    bool const is_exact = bound.mode == ErrorBound::Mode::lossless || !std::isfinite(x);
    return is_exact ? original == restored : std::isfinite(y) && keeps_promise(x, y, bound);
  }
}

/// A value out of gathered ones.
template <class N>
N value_at(std::vector<std::byte> const& values, std::size_t i) {
  N value;
  std::memcpy(&value, values.data() + i * sizeof(N), sizeof(N));
  return value;
}

/// Checks every value in exact arithmetic, complex numbers part by part.
void expect_kept(Dtype dtype, std::vector<std::byte> const& original,
                 std::vector<std::byte> const& restored, ErrorBound const& bound) {
  with_value_type(dtype, [&]<class N>(N) {
    for (std::size_t i = 0; i < original.size() / sizeof(N); ++i) {
      N const x = value_at<N>(original, i), y = value_at<N>(restored, i);
      ASSERT_TRUE(is_kept(x, y, bound))
          << "value " << i << ": " << static_cast<double>(x) << " became " << static_cast<double>(y)
          << " within " << to_string(bound.mode) << ' ' << bound.value;
    }
  });
}

/// Distance of the lowest and the highest finite value, rounded up.
double width_of(Dtype dtype, std::vector<std::byte> const& values) {
  double lowest = Limits::unlimited, highest = -Limits::unlimited;
  with_value_type(dtype, [&]<class N>(N) {
    for (std::size_t i = 0; i < values.size() / sizeof(N); ++i) {
      auto const value = static_cast<double>(value_at<N>(values, i));
      if (!std::isfinite(value)) continue;
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
    }
  });
  return lowest < highest ? std::nextafter(highest - lowest, Limits::unlimited) : 0;
}

/// The largest number that a bound may be resolved to. No number follows from a PSNR.
double largest_bound(Options const& options, Dtype dtype, std::vector<std::byte> const& original) {
  ErrorBound const& bound = options.bound;
  if (bound.mode == ErrorBound::Mode::psnr) return Limits::unlimited;
  if (bound.mode != ErrorBound::Mode::r2r) return bound.value;
  double const range = options.range > 0 ? options.range : width_of(dtype, original);
  return std::nextafter(bound.value * range, Limits::unlimited);
}

/// Checks a PSNR over all finite values, where all of them count; errors of its sums are far below what is allowed for them.
void expect_psnr(Options const& options, Dtype dtype, std::vector<std::byte> const& original,
                 std::vector<std::byte> const& restored) {
  bool const counts_all = options.fill == FillValue::none() && options.range == 0;
  if (options.bound.mode != ErrorBound::Mode::psnr || !counts_all) return;
  long double squares = 0, count = 0;
  with_value_type(dtype, [&]<class N>(N) {
    for (std::size_t i = 0; i < original.size() / sizeof(N); ++i) {
      auto const x = static_cast<double>(value_at<N>(original, i));
      if (!std::isfinite(x)) continue;
      auto const difference =
          static_cast<long double>(x) - static_cast<double>(value_at<N>(restored, i));
      squares += difference * difference;
      ++count;
    }
  });
  if (squares == 0) return;
  long double const width = width_of(dtype, original);
  EXPECT_GE(10 * std::log10(width * width * count / squares), options.bound.value - 1e-11L);
}

/// Whether all bytes beside the places are as they were.
bool are_gaps_untouched(std::vector<std::byte> memory, std::vector<std::size_t> const& places,
                        std::size_t value_bytes) {
  for (std::size_t const place : places) {
    std::fill_n(memory.begin() + static_cast<std::ptrdiff_t>(place * value_bytes), value_bytes,
                untouched);
  }
  return std::ranges::count(memory, untouched) == static_cast<std::ptrdiff_t>(memory.size());
}

/// One tuple by all ways that have been drawn for it.
class TupleCase {
 public:
  TupleCase(RandomTuple const& tuple, Way& reference, std::vector<Way*> ways)
      : m_tuple(tuple), m_reference(reference), m_ways(std::move(ways)) {}

  /// The outcomes that all ways share: stream, whole field and two boxes, or a refusal.
  std::vector<Outcome> run() const {
    std::vector<Outcome> outcomes;
    outcomes.push_back(agreed("compress", [&](Way& way) { return way.compress(m_tuple); }));
    EXPECT_EQ(outcomes[0].refusal.find("buffer_too_small"), std::string::npos);
    if (!outcomes[0].refusal.empty()) return outcomes;
    std::vector<std::byte> const stream = outcomes[0].bytes;
    outcomes.push_back(
        agreed("decompress", [&](Way& way) { return way.decompress(m_tuple, stream); }));
    EXPECT_EQ(outcomes[1].refusal, "");
    if (!outcomes[1].refusal.empty()) return outcomes;
    std::vector<std::byte> const memory = outcomes[1].bytes;
    expect_field(memory, inspect(stream));
    outcomes.push_back(part(m_tuple.box, stream, memory));
    outcomes.push_back(part(m_tuple.slab, stream, memory));
    return outcomes;
  }

 private:
  template <class Call>
  Outcome agreed(char const* what, Call const& call) const {
    Outcome expected = call(m_reference);
    for (Way* const way : m_ways) {
      if (way == &m_reference || (m_tuple.options.goal && !way->chooses())) continue;
      std::string const name = way->name() + ", " + what;
      Outcome const found = call(*way);
      EXPECT_EQ(found.refusal, expected.refusal) << name;
      expect_same_bytes(found.bytes, expected.bytes, name.c_str());
    }
    return expected;
  }

  void expect_field(std::vector<std::byte> const& memory, StreamInfo const& info) const {
    EXPECT_EQ(info.shape, m_tuple.shape());
    auto const places = places_of(m_tuple.to);
    EXPECT_TRUE(are_gaps_untouched(memory, places, value_bytes()));
    if (places.empty()) return;
    Dtype const dtype = m_tuple.shape().dtype;
    auto const original = gathered(m_tuple.memory, places_of(m_tuple.from), value_bytes());
    EXPECT_LE(info.abs_bound, largest_bound(m_tuple.options, dtype, original));
    auto const restored = gathered(memory, places, value_bytes());
    expect_kept(dtype, original, restored, info.resolved());
    expect_psnr(m_tuple.options, dtype, original, restored);
  }

  /// A box, whose bits are the bits of the whole.
  Outcome part(Box const& box, std::vector<std::byte> const& stream,
               std::vector<std::byte> const& memory) const {
    FieldShape shape = box.shape_in(m_tuple.shape());
    shape.order = Order::last_fastest;
    Outcome const found =
        agreed("box", [&](Way& way) { return way.decompress_box(shape, box, stream); });
    EXPECT_EQ(found.refusal, "");
    auto const expected = gathered(memory, places_of(m_tuple.to, box), value_bytes());
    expect_same_bytes(found.bytes, expected, "box of the whole");
    return found;
  }

  std::size_t value_bytes() const { return size_of(m_tuple.shape().dtype); }

  RandomTuple const& m_tuple;
  Way& m_reference;
  std::vector<Way*> m_ways;
};

}  // namespace

TEST(SameBytes, OfRandomTuples_ComeByEveryWay) {
  std::uint64_t const first = number_in("KOMPAKT_TEST_SEED", 1);
  std::uint64_t const count = number_in("KOMPAKT_TEST_TUPLES", 500);
  Ways const ways;
  Digests digests;
  std::uint64_t done = 0, refused = 0, failed = 0;
  for (; done < count && failed < 5; ++done) {
    RandomTuple const tuple(first + done);
    SCOPED_TRACE(tuple.text());
    Random random(hash(tuple.seed));
    auto const outcomes = TupleCase(tuple, ways.reference(), ways.draw(random)).run();
    digests.take(tuple.seed, outcomes);
    refused += outcomes[0].refusal.empty() ? 0 : 1;
    failed += HasFailure() ? 1 : 0;  // a few more of them say what they have in common
  }
  std::cout << done << " tuples from seed " << first << ", " << refused << " refused"
            << (digests.compares() ? ", compared with the file\n" : "\n");
  if (count >= 100) {
    EXPECT_LT(5 * refused, done) << "too many tuples test nothing but refusals";
  }
}

}  // namespace kompakt::test
