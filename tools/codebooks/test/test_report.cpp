#include <algorithm>
#include <bit>
#include <cmath>
#include <codebooks/report.hpp>
#include <coder/huffman/make_book.hpp>
#include <container/reader.hpp>
#include <numeric>
#include <support/book_bits.hpp>
#include <support/codec.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>
#include <support/stored_codebook.hpp>

// What the tool reports of codebooks, held against the streams that compress() writes.

namespace kompakt::test {

namespace huffman = impl::huffman;

namespace {

constexpr Variant all_variants[] = {Variant::automatic, Variant::custom, Variant::dictionary};
constexpr Family usual_families[] = {Family::smooth, Family::walk,        Family::noise,
                                     Family::zeros,  Family::nan_islands, Family::surfaces};

Options with(ErrorBound bound, Variant variant, Predictor predictor = Predictor::automatic,
             int radius = 512) {
  return {bound, Pipeline::huffman, variant, predictor, true, radius};
}

/// A compressor and a reporter on the same space.
template <class Exec>
class Codebooks : public testing::Test {
 protected:
  template <class T>
  tools::CodebookReport report(std::vector<T> const& field, FieldShape const& shape,
                               Options const& options) {
    return tools::codebook_report(m_exec, ConstFieldData(field.data(), shape), options,
                                  m_workspace);
  }

  /// Calls check(field, shape, options) for fields of several shapes, types and bounds.
  template <class Check>
  void for_fields(std::vector<Variant> const& variants, Check const& check) {
    for (std::vector<std::size_t> const& extents :
         {std::vector<std::size_t>{20000}, {100, 133}, {20, 30, 40}}) {
      for (Family const family : usual_families) {
        for (double const bound : {1e-1, 1e-3, 1e-5}) {
          for (Variant const variant : variants) {
            SCOPED_TRACE(std::string(name_of(family)) + ", rank " + std::to_string(extents.size()) +
                         ", " + std::to_string(bound) + ", " + to_string(variant));
            Options const options = with(ErrorBound::relative_to_range(bound), variant);
            FieldShape const single = shape_from<float>(extents);
            FieldShape const twice = shape_from<double>(extents);
            check(make_field<float>(family, single), single, options);
            check(make_field<double>(family, twice), twice, options);
          }
        }
      }
    }
  }

  Codec<Exec> codec;

 private:
  Exec m_exec;
  Workspace<Exec> m_workspace{m_exec};
};
TYPED_TEST_SUITE(Codebooks, HostSpaces, SpaceName);

/// Lengths of the codes of all entries, from the section of a codebook that was made for a field.
std::vector<int> stored_lengths(std::vector<std::byte> const& stream) {
  auto const header = impl::read_header(stream, stream.size());
  auto const head = huffman::CodebookHead::of(header.coder_head);
  std::vector<int> lengths(static_cast<std::size_t>(huffman::entry_count(head.radius)));
  for (int place = 0; place < head.listed(); ++place) {
    std::size_t const at = header.sections[impl::SectionId::coder].offset + 8;
    auto const p = static_cast<std::size_t>(place);
    int const two = static_cast<int>(stream[at + (head.lengths_take_bytes() ? p : p / 2)]);
    lengths[static_cast<std::size_t>(head.entry(place))] =
        head.lengths_take_bytes() ? two : two >> (p % 2 * 4) & 15;
  }
  return lengths;
}

/// Symbols, masks, quads, values.
std::vector<tools::AlphabetReport> all_reports(tools::CodebookReport const& report) {
  return {report.alphabets[0], report.alphabets[1], report.alphabets[2], report.values};
}

/// How often every value occurs, from what masks and quads tell.
std::vector<std::uint64_t> told_values(tools::CodebookReport const& report) {
  auto const& [symbols, masks, quads] = report.alphabets;
  std::vector<std::uint64_t> values = symbols.counts;
  std::size_t const zero = values.size() / 2;
  for (unsigned m = 0; m < 256; ++m) {
    values[zero] += masks.counts[m] * 4 * static_cast<unsigned>(8 - std::popcount(m));
  }
  for (std::size_t q = 0; q < 81; ++q) {
    if (q == 40) continue;
    for (std::size_t const digit : {q / 27, q / 9 % 3, q / 3 % 3, q % 3}) {
      values[zero + digit - 1] += quads.counts[q];
    }
  }
  return values;
}

/// Bits by the entropy, where no code is shorter than one.
double ideal_code_bits(tools::AlphabetReport const& a) {
  double bits = 0;
  for (std::uint64_t const count : a.counts) {
    if (count == 0) continue;
    auto const c = static_cast<double>(count);
    bits += c * std::max(1.0, std::log2(static_cast<double>(a.total) / c));
  }
  return bits;
}

/// Holds that values are counted as told, and codes of them preferred where they are expected to take fewer bits.
void expect_consistent_values(tools::CodebookReport const& report) {
  EXPECT_EQ(report.values.counts, told_values(report));
  EXPECT_EQ(report.values.total, 32 * report.alphabets[1].total);
  double all = 0;
  for (tools::AlphabetReport const& a : report.alphabets) all += ideal_code_bits(a);
  double const difference = all - ideal_code_bits(report.values);
  // The compressor's logarithms end at 2^-16.
  if (std::abs(difference) > 1 + std::ldexp(static_cast<double>(report.values.total), -14)) {
    EXPECT_EQ(report.own_symbols_only, difference > 0);
  }
}

/// Which of two kinds of books a test has seen.
struct SeenKinds {
  bool seen[2] = {};

  void see(bool symbols_only) { seen[symbols_only ? 1 : 0] = true; }
  ~SeenKinds() { EXPECT_TRUE(seen[0] && seen[1]) << "a kind of books is not tested"; }
};

/// Of symbols, masks, quads, values.
int first_entry(std::size_t alphabet, int radius) {
  if (alphabet == 3) return 0;
  return huffman::alphabets_of(radius).get(static_cast<int>(alphabet)).first;
}

/// Numbers of a book for one alphabet beside those that were chosen before it; of values alone.
huffman::BookNumbers numbers_of(tools::CodebookReport const& report, std::size_t alphabet,
                                int book) {
  constexpr int none = huffman::BookNumbers::none;
  if (alphabet == 3) return {book, none, none};
  huffman::BookNumbers numbers{report.alphabets[0].chosen, report.alphabets[1].chosen,
                               report.alphabets[2].chosen};
  (alphabet == 0 ? numbers.symbols : alphabet == 1 ? numbers.masks : numbers.quads) = book;
  return numbers;
}

void expect_same_counts(tools::CodebookReport const& a, tools::CodebookReport const& b) {
  EXPECT_STREQ(a.sample.predictor, b.sample.predictor);
  EXPECT_EQ(a.sample.chunks, b.sample.chunks);
  EXPECT_EQ(a.sample.values, b.sample.values);
  EXPECT_EQ(a.sample.fixed_words, b.sample.fixed_words);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(a.alphabets[i].counts, b.alphabets[i].counts) << i;
  EXPECT_EQ(a.values.counts, b.values.counts);
  EXPECT_EQ(a.own_symbols_only, b.own_symbols_only);
  EXPECT_EQ(a.dictionary_symbols_only, b.dictionary_symbols_only);
  EXPECT_EQ(a.sample.codebook, b.sample.codebook);
}

}  // namespace

TYPED_TEST(Codebooks, OfASingleStep_AreCountedAsTheFormatSays) {
  std::vector<float> field(4096);
  for (std::size_t i = 100; i < field.size(); ++i) field[i] = 1;  // bins of 1
  field[2000] = 1 + 600;
  Options options = with(ErrorBound::absolute(0.5), Variant::automatic, Predictor::chain);
  options.fill = FillValue::none();  // a sample may see nothing but 0 and 1, and mask the 1
  auto const report = this->report(field, shape_from<float>({field.size()}), options);
  EXPECT_STREQ(report.sample.predictor, "chain");
  EXPECT_EQ(report.sample.chunks, 1u);
  EXPECT_EQ(report.sample.values, 4096u);
  auto const& [symbols, masks, quads] = report.alphabets;
  // Two tiles have residuals that are not their base: 1 at 100, and 600 and -600 from 2000 on.
  std::vector<std::uint64_t> expected_masks(256);
  expected_masks[0] = 62;
  expected_masks[1u << (100 / 4 % 8)] = 1;
  expected_masks[1u << (2000 / 4 % 8)] = 1;
  EXPECT_EQ(masks.counts, expected_masks);
  std::vector<std::uint64_t> expected_quads(81);
  expected_quads[27 * 2 + 9 + 3 + 1] = 1;
  expected_quads[40] = 1;
  EXPECT_EQ(quads.counts, expected_quads);
  std::vector<std::uint64_t> expected_symbols(1024);
  expected_symbols[0] = 2;  // beyond the radius
  expected_symbols[512] = 2;
  EXPECT_EQ(symbols.counts, expected_symbols);
  EXPECT_DOUBLE_EQ(symbols.entropy, 1);
  EXPECT_DOUBLE_EQ(quads.entropy, 1);
  EXPECT_DOUBLE_EQ(masks.entropy, (62 * std::log2(64.0 / 62) + 12) / 64);
  EXPECT_EQ(symbols.total, 4u);
  EXPECT_EQ(masks.total, 64u);
  EXPECT_STREQ(symbols.name, "symbols");
  // All 2048 of both tiles.
  std::vector<std::uint64_t> expected_values(1024);
  expected_values[0] = 2;
  expected_values[513] = 1;
  expected_values[512] = 2048 - 3;
  EXPECT_EQ(report.values.counts, expected_values);
  EXPECT_EQ(report.values.total, 2048u);
  EXPECT_STREQ(report.values.name, "values");
  EXPECT_FALSE(report.own_symbols_only);
  EXPECT_FALSE(report.dictionary_symbols_only);
}

TYPED_TEST(Codebooks, OfManyFields_AreThoseThatCompressStores) {
  std::vector<Variant> const variants(std::begin(all_variants), std::end(all_variants));
  SeenKinds made, of_dictionary;
  this->for_fields(variants, [&](auto const& field, auto const& shape, auto const& options) {
    tools::CodebookReport const report = this->report(field, shape, options);
    auto const stream = this->codec.compress(field, shape, options);
    CodebookInfo const stored = inspect_codebook(stream);
    EXPECT_EQ(report.sample.codebook, stored);
    EXPECT_STREQ(report.sample.predictor, this->codec.info().predictor_word());
    EXPECT_EQ(stored.symbols_only, stored_symbols_only(stream));
    expect_consistent_values(report);
    if (options.variant != Variant::automatic) {
      EXPECT_EQ(stored.dictionary, options.variant == Variant::dictionary ? 1 : 0);
    }
    (stored.dictionary > 0 ? of_dictionary : made).see(stored.symbols_only);
    if (stored.dictionary == 0) {
      EXPECT_EQ(report.own_symbols_only, stored.symbols_only);
      EXPECT_EQ(stored.books, (std::array<int, 3>{}));
      return;
    }
    EXPECT_EQ(report.dictionary_symbols_only, stored.symbols_only);
    if (stored.symbols_only) {
      EXPECT_EQ(stored.books, (std::array<int, 3>{report.values.chosen, 0, 0}));
      return;
    }
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(report.alphabets[i].chosen, stored.books[i]);
  });
}

TYPED_TEST(Codebooks, OwnBits_AreThoseOfTheStoredCodes) {
  SeenKinds kinds;
  this->for_fields({Variant::custom}, [&](auto const& field, auto const& shape, auto options) {
    for (int const radius : {32, 512, 16384}) {
      options.radius = radius;
      tools::CodebookReport const report = this->report(field, shape, options);
      auto const stream = this->codec.compress(field, shape, options);
      auto const lengths = stored_lengths(stream);
      bool const symbols_only = stored_symbols_only(stream);
      kinds.see(symbols_only);
      EXPECT_EQ(report.own_symbols_only, symbols_only);
      expect_consistent_values(report);
      std::uint64_t sum = 0;
      std::vector<tools::AlphabetReport> const reports = all_reports(report);
      for (std::size_t i = 0; i < reports.size(); ++i) {
        tools::AlphabetReport const& a = reports[i];
        EXPECT_EQ(a.total, std::accumulate(a.counts.begin(), a.counts.end(), std::uint64_t{0}));
        EXPECT_EQ(a.book_bits.size(), radius == 512 ? 25u : 0u);
        EXPECT_EQ(a.chosen >= 0, radius == 512);
        if (symbols_only != (i == 3)) continue;  // not stored
        auto const first = lengths.begin() + first_entry(i, radius);
        auto const bits =
            std::inner_product(a.counts.begin(), a.counts.end(), first, std::uint64_t{0});
        EXPECT_EQ(a.own_bits, bits) << a.name;
        sum += bits;
      }
      EXPECT_EQ(report.own_bits(), sum);
      EXPECT_EQ(report.dictionary_bits() > 0, radius == 512);
    }
  });
}

// No code beats the entropy by more than what its entries leave to other alphabets' codes, which the sum
// of 2^-length tells.
TYPED_TEST(Codebooks, BitsOfEveryBook_AreExactAndNotBelowTheEntropy) {
  constexpr double rounding = 1e-9;
  SeenKinds kinds;
  this->for_fields(
      {Variant::dictionary}, [&](auto const& field, auto const& shape, auto const& options) {
        tools::CodebookReport const report = this->report(field, shape, options);
        int const list_bits = shape.dtype == Dtype::f32 ? 48 : 80;
        std::uint64_t chosen_bits = 0;
        std::vector<tools::AlphabetReport> const reports = all_reports(report);
        for (std::size_t i = 0; i < reports.size(); ++i) {
          tools::AlphabetReport const& a = reports[i];
          SCOPED_TRACE(a.name);
          EXPECT_LE(a.entropy, a.own_length() + rounding);
          for (int b = 0; b < 25; ++b) {
            huffman::DictionaryBooks const books{numbers_of(report, i, b)};
            std::uint64_t bits = 0, always = 0;
            double kraft = 0;
            bool codes_all = true;
            for (std::size_t k = 0; k < a.counts.size(); ++k) {
              int const entry = first_entry(i, 512) + static_cast<int>(k);
              std::uint64_t const length = entry_bits(books, entry, list_bits);
              bits += a.counts[k] * length;
              kraft += std::exp2(-static_cast<double>(length));
              codes_all &= a.counts[k] == 0 || books.entry(entry) != 0;
              always += huffman::always_coded(entry, 512) ? length : 0;
            }
            ASSERT_EQ(a.book_bits[static_cast<std::size_t>(b)], bits) << b;
            EXPECT_GE(a.kl_divergence(b), (a.total == 0 ? 0 : -std::log2(kraft)) - rounding) << b;
            if (!codes_all) continue;
            // Own codes have a place for what is always coded and may not occur.
            EXPECT_GE(a.kl_divergence(b), -rounding) << b;
            EXPECT_LE(a.own_bits, bits + always) << b;
          }
          std::uint64_t const least = *std::min_element(a.book_bits.begin(), a.book_bits.end());
          EXPECT_EQ(a.book_bits[static_cast<std::size_t>(a.chosen)], least);
          if (i < 3) chosen_bits += least;
          if (i < 3) continue;
          // Ties go to all alphabets.
          EXPECT_EQ(report.dictionary_symbols_only, least < chosen_bits);
          chosen_bits = std::min(chosen_bits, least);
          kinds.see(report.dictionary_symbols_only);
        }
        EXPECT_EQ(report.dictionary_bits(), chosen_bits);
        EXPECT_GT(report.dictionary_bits(), 0u);
        EXPECT_LE(report.ideal_bits(), static_cast<double>(report.own_bits()) * (1 + rounding));
      });
}

TYPED_TEST(Codebooks, OfAReconstruction_AreThoseOfTheOriginal) {
  this->for_fields({Variant::automatic}, [&](auto const& field, auto const& shape, auto options) {
    using T = typename std::decay_t<decltype(field)>::value_type;
    tools::CodebookReport const original = this->report(field, shape, options);
    auto const stream = this->codec.compress(field, shape, options);
    auto const restored = this->codec.template decompress<T>(stream, shape);
    StreamInfo const info = this->codec.info();
    options.bound = ErrorBound::absolute(info.abs_bound);
    for (T const value : field) {  // the width of bins goes by it
      bool const counts = std::isfinite(value) && info.fill != static_cast<double>(value);
      if (counts) options.magnitude = std::max<double>(options.magnitude, std::fabs(value));
    }
    expect_same_counts(original, this->report(restored, shape, options));
  });
}

TYPED_TEST(Codebooks, OfAFieldLongerThanItsSample_TellTheSample) {
  FieldShape const shape = shape_from<float>({3000000});
  auto const report = this->report(make_field<float>(Family::walk, shape), shape,
                                   with(ErrorBound::absolute(0.01), Variant::automatic));
  EXPECT_EQ(report.sample.chunks, 512u);
  EXPECT_EQ(report.sample.values, 512u * 4096);
  EXPECT_GT(report.sample.fixed_words, 512u * 4 * 3);
  EXPECT_EQ(report.alphabets[1].total, 512u * 4 * 32);
  EXPECT_EQ(report.values.total, 512u * 4096);
}

TYPED_TEST(Codebooks, OfNothing_AreEmpty) {
  for (std::size_t const extent : {0, 5000}) {
    FieldShape const shape = shape_from<float>({extent});
    auto const report = this->report(std::vector<float>(extent), shape,
                                     with(ErrorBound::absolute(0.1), Variant::dictionary));
    EXPECT_STREQ(report.sample.predictor, extent == 0 ? "" : "chain");
    EXPECT_EQ(report.sample.codebook.radius, extent == 0 ? 0 : 512);
    EXPECT_EQ(report.sample.values, extent);
    for (tools::AlphabetReport const& a : all_reports(report)) {
      EXPECT_EQ(a.total, 0u);
      EXPECT_EQ(a.entropy, 0);
      EXPECT_EQ(a.own_length(), 0);
      EXPECT_EQ(a.kl_divergence(a.chosen), 0);
    }
    EXPECT_EQ(report.alphabets[0].counts.size(), 1024u);
    EXPECT_EQ(report.values.counts.size(), 1024u);
    EXPECT_FALSE(report.own_symbols_only);
    EXPECT_FALSE(report.dictionary_symbols_only);
    EXPECT_EQ(report.dictionary_bits(), 0u);
  }
}

TYPED_TEST(Codebooks, OfAnotherPipeline_AreRefused) {
  FieldShape const shape = shape_from<float>({100});
  std::vector<float> const field(100);
  for (Pipeline const pipeline : {Pipeline::fixedlength, Pipeline::bitshuffle}) {
    Options options;
    options.pipeline = pipeline;
    try {
      this->report(field, shape, options);
      ADD_FAILURE() << "accepted";
    } catch (Error const& error) {
      EXPECT_EQ(error.status(), Status::bad_argument);
      EXPECT_NE(std::string(error.what()).find(to_string(pipeline)), std::string::npos);
    }
  }
}

}  // namespace kompakt::test
