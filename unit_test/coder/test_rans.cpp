#include <coder/rans/books.hpp>
#include <coder/rans/neighbours.hpp>
#include <limits>

#include "coder_case.hpp"
#include "residual_place.hpp"

namespace kompakt::test {

namespace books = impl::residual_books;

namespace {

TEST(ResidualBooks, EveryBook_GivesEverySymbolAFrequencyAndHasTheSum) {
  for (int book = 0; book < books::books; ++book) {
    std::uint16_t const* const below = books::tables().below[book];
    ASSERT_EQ(below[0], 0) << book;
    std::uint32_t sum = 0;
    for (int symbol = 0; symbol < books::symbols; ++symbol) {
      std::uint32_t const count = books::frequency(below, symbol);
      ASSERT_EQ(below[symbol], sum) << book << ", " << symbol;
      ASSERT_GE(count, 1u) << book << ", " << symbol;
      ASSERT_LE(count, 1u << books::precision) << book << ", " << symbol;
      sum += count;
    }
    EXPECT_EQ(sum, 1u << books::precision) << book;
  }
}

TEST(ResidualBooks, Costs_AreLogarithmsOfFrequencies) {
  for (int book = 0; book < books::books; ++book) {
    for (int symbol = 0; symbol < books::symbols; ++symbol) {
      double const count = books::frequency(books::tables().below[book], symbol);
      double const bits = books::precision - std::log2(count);
      EXPECT_NEAR(books::tables().cost[book][symbol], 256 * bits, 1.01) << book << ", " << symbol;
    }
  }
}

TEST(ResidualBooks, EveryStep_HasABookAndFewerLowBitsThanItsZigzags) {
  for (int bits : {32, 64}) {
    for (int shape = 0; shape < books::shapes; ++shape) {
      for (int step = 0; step <= books::Book::last_step(bits); ++step) {
        books::Book const book = books::Book::of(shape, step);
        ASSERT_GE(book.number, shape * (books::fine_books + books::coarse_books));
        ASSERT_LT(book.number, (shape + 1) * (books::fine_books + books::coarse_books));
        ASSERT_GE(book.low_bits, 0);
        ASSERT_LE(book.low_bits, bits - 6);
      }
    }
  }
}

TEST(ResidualBooks, Logarithm_IsWithinAStepOfItsTable) {
  for (std::uint64_t number = 1; number != 0; number <<= 1) {
    for (std::uint64_t more = 0; more < 64; ++more) {
      std::uint64_t const n = number + (number >> 6) * more;
      double const exact = 64 * std::log2(static_cast<double>(n));
      ASSERT_NEAR(books::logarithm(n), exact, 1.5) << n;
    }
  }
}

// What is put comes back in the opposite order, from exactly the halfwords that are written.
TEST(ResidualState, SymbolsAndBits_ComeBackInTheOppositeOrder) {
  Random random(120);
  for (int round = 0; round < 300; ++round) {
    struct Item {
      int book, symbol, bits;
      std::uint64_t value;
    };
    std::vector<Item> items(random.below(200));
    alignas(4) std::uint16_t memory[2048];
    books::StateWriter writer(memory, memory + std::size(memory));
    for (Item& item : items) {
      item = {static_cast<int>(random.below(books::books)),
              static_cast<int>(random.below(random.one_in(3) ? books::symbols : 3)),
              random.one_in(2) ? static_cast<int>(random.below(64)) : 0, random.bits()};
      item.value &= (std::uint64_t{1} << item.bits) - 1;
      writer.put_long(item.value, item.bits);
      writer.put(books::tables().below[item.book], item.symbol);
    }
    ASSERT_FALSE(writer.is_full());
    int const halfwords = writer.finish();
    std::vector<std::uint32_t> words(static_cast<std::size_t>((halfwords + 1) / 2));
    for (int i = 0; i < halfwords; ++i) {
      words[static_cast<std::size_t>(i / 2)] |=
          std::uint32_t{memory[static_cast<int>(std::size(memory)) - halfwords + i]} << i % 2 * 16;
    }
    books::StateReader reader(words.data(), halfwords);
    for (auto item = items.rbegin(); item != items.rend(); ++item) {
      ASSERT_EQ(reader.take(item->book), item->symbol);
      ASSERT_EQ(reader.take_long(item->bits), item->value);
    }
    EXPECT_TRUE(reader.is_at_end());
  }
}

template <class CoderAndTile>
class RansRecord : public testing::Test, public CoderCase<CoderAndTile> {
 public:
  using Case = CoderCase<CoderAndTile>;
  using Word = typename Case::U;
  static constexpr Word all = std::numeric_limits<Word>::max();
  static constexpr std::uint32_t by_widths = 1u << 11;
};
TYPED_TEST_SUITE(RansRecord, TilesOf<impl::Rans>, ShapeAndValueName);

TYPED_TEST(RansRecord, ExtremeResidualsAmongSmallOnes_RoundTrip) {
  using Code = typename TestFixture::Word;
  KOMPAKT_TRACE_SEED(121);
  Random random(121);
  Code const extremes[] = {TestFixture::all,
                           static_cast<Code>(TestFixture::all - 1),
                           static_cast<Code>(TestFixture::all / 2),
                           static_cast<Code>(TestFixture::all / 2 + 1),
                           Code{63},
                           Code{62}};
  for (int round = 0; round < 100; ++round) {
    auto residuals = TestFixture::zeros();
    std::uint64_t const rarity = 3 + random.below(200);
    for (auto& residual : residuals) {
      Code const code = random.one_in(rarity) ? extremes[random.below(std::size(extremes))]
                                              : static_cast<Code>(random.below(4));
      residual = impl::unzigzag(code);
    }
    TestFixture::expect_round_trip(residuals);
    if (TestFixture::HasFatalFailure()) return;
  }
}

TYPED_TEST(RansRecord, ResidualsOfAllSizesTogether_RoundTrip) {
  KOMPAKT_TRACE_SEED(122);
  Random random(122);
  for (int round = 0; round < 100; ++round) {
    auto residuals = TestFixture::zeros();
    for (auto& residual : residuals) {
      auto const width = static_cast<int>(
          random.below(random.below(static_cast<std::uint64_t>(TestFixture::max_width) + 1) + 1));
      residual = impl::unzigzag(TestFixture::random_code(random, width));
    }
    TestFixture::expect_round_trip(residuals);
    if (TestFixture::HasFatalFailure()) return;
  }
}

// More than a raw record has is told, and nothing is written.
TYPED_TEST(RansRecord, NoiseOfAllBits_IsLongerThanARawRecord) {
  Random random(123);
  auto residuals = TestFixture::zeros();
  for (auto& residual : residuals) {
    residual = static_cast<typename TestFixture::Word>(random.bits());
  }
  EXPECT_TRUE(TestFixture::is_raw(TestFixture::words(Variant::automatic, residuals)));
}

// Residuals over many octaves have books of widths, others have books of magnitudes.
TYPED_TEST(RansRecord, ResidualsOverManyOctaves_HaveBooksOfWidths) {
  KOMPAKT_TRACE_SEED(124);
  Random random(124);
  for (int round = 0; round < 20; ++round) {
    auto wide = TestFixture::zeros(), narrow = wide;
    for (std::size_t i = 0; i < wide.size(); ++i) {
      auto const width = static_cast<int>(random.below(14) + (i < 512 ? 4 : 12));
      wide[i] = impl::unzigzag(TestFixture::random_code(random, width));
      narrow[i] = impl::unzigzag(static_cast<typename TestFixture::Word>(random.below(3)));
    }
    EXPECT_NE(TestFixture::write(Variant::automatic, wide).coder_bits & TestFixture::by_widths, 0u);
    EXPECT_EQ(TestFixture::write(Variant::automatic, narrow).coder_bits & TestFixture::by_widths,
              0u);
    TestFixture::expect_round_trip(wide);
    TestFixture::expect_round_trip(narrow);
    if (TestFixture::HasFatalFailure()) return;
  }
}

namespace {

/// The coder in a tile that it knows more of.
template <class Shape, class T>
struct KnownTile {
  using Coder = impl::Rans<T>;
  using U = typename Coder::U;
  impl::CodedTile tile;

  int words(std::vector<U> const& residuals) {
    return Coder::template measure<Shape>(SingleThreadTeam{}, {tile}, residuals.data(), *scratch)
        .words();
  }
  /// What comes back of residuals.
  std::vector<U> round_trip(std::vector<U> const& residuals) {
    auto const plan =
        Coder::template measure<Shape>(SingleThreadTeam{}, {tile}, residuals.data(), *scratch);
    std::vector<std::uint32_t> record(static_cast<std::size_t>(plan.words()));
    Coder::template write<Shape>(SingleThreadTeam{}, {tile}, plan, residuals.data(), *scratch,
                                 record.data());
    std::vector<U> found(impl::tile_values, U{77});
    EXPECT_TRUE(Coder::template read<Shape>(SingleThreadTeam{}, {tile}, plan.coder_bits(),
                                            record.data(), plan.words(), found.data(), *scratch));
    return found;
  }

 private:
  std::unique_ptr<typename Coder::Scratch> scratch = std::make_unique<typename Coder::Scratch>();
};

/// Small residuals and some wide ones.
template <class U>
U some_residual(Random& random) {
  return impl::unzigzag(static_cast<U>(random.one_in(9) ? random.below(1 << 20) : random.below(6)));
}

}  // namespace

TYPED_TEST(RansRecord, PointsOutsideTheField_TakeNothing) {
  using TileOf = typename TestFixture::Shape;
  using Code = typename TestFixture::Word;
  KOMPAKT_TRACE_SEED(126);
  Random random(126);
  for (int round = 0; round < 60; ++round) {
    KnownTile<TileOf, typename TestFixture::T> known;
    auto const part = [&](int extent) { return static_cast<int>(random.between(1, extent)); };
    known.tile = {random.one_in(2), part(TileOf::X), part(TileOf::Y), part(TileOf::Z)};
    auto residuals = TestFixture::zeros();
    for (int z = 0; z < known.tile.nz; ++z) {
      for (int y = 0; y < known.tile.ny; ++y) {
        for (int x = 0; x < known.tile.nx; ++x) {
          int const place = residual_place<TileOf>(known.tile, x, y, z);
          if (place >= 0) residuals[static_cast<std::size_t>(place)] = some_residual<Code>(random);
        }
      }
    }
    ASSERT_EQ(known.round_trip(residuals), residuals);
    int const values = known.tile.nx * known.tile.ny * known.tile.nz;
    EXPECT_LE(known.words(residuals), 3 + values * 28 / 32);
  }
}

TYPED_TEST(RansRecord, MaskedPlacesOfAChain_TakeNothing) {
  using Code = typename TestFixture::Word;
  KOMPAKT_TRACE_SEED(127);
  Random random(127);
  for (int round = 0; round < 60; ++round) {
    KnownTile<Chain, typename TestFixture::T> known;
    std::uint32_t masked[32];
    int values = 0;
    for (std::uint32_t& word : masked) {
      word = random.one_in(3) ? ~0u : static_cast<std::uint32_t>(random.bits() & random.bits());
      values += 32 - impl::popcount(word);
    }
    known.tile.masked = masked;
    auto residuals = TestFixture::zeros();
    for (Code& residual : residuals) residual = some_residual<Code>(random);
    residuals[0] = 0;
    auto const found = known.round_trip(residuals);
    Code sum = 0, sum_found = 0;
    for (int i = 0; i < impl::tile_values; ++i) {
      auto const at = static_cast<std::size_t>(i);
      sum += residuals[at];
      sum_found += found[at];
      if (known.tile.is_masked(i)) {
        ASSERT_EQ(found[at], 0u) << i;
      } else {
        ASSERT_EQ(sum_found, sum) << i;  // the bin
      }
    }
    EXPECT_LE(known.words(residuals), 3 + values);
  }
}

// A tile with one residual that is not 0 takes few bytes.
TYPED_TEST(RansRecord, SingleOneInATile_TakesTwoWordsAtMost) {
  for (int place : {0, 1, 500, 1023}) {
    auto residuals = TestFixture::zeros();
    residuals[static_cast<std::size_t>(place)] = 1;
    EXPECT_LE(TestFixture::words(Variant::automatic, residuals), 2);
  }
}

TYPED_TEST(RansRecord, HalfwordBeyondTheLast_MustBeZero) {
  Random random(125);
  typename TestFixture::Residuals residuals, found;
  int odd = 0;
  for (int round = 0; round < 50; ++round) {
    residuals = TestFixture::zeros();
    for (std::uint64_t i = random.below(40); i < 40; ++i) residuals[random.below(1024)] = 1;
    auto record = TestFixture::write(Variant::automatic, residuals);
    if ((record.coder_bits >> 12 & 1u) == 0) continue;
    ++odd;
    ASSERT_TRUE(TestFixture::read(record, found));
    record.words.back() |= 1u << 16;
    EXPECT_FALSE(TestFixture::read(record, found));
  }
  EXPECT_GT(odd, 0);
}

TYPED_TEST(RansRecord, WithoutWords_HasNoBits) {
  typename TestFixture::Residuals found;
  for (std::uint32_t bits = 0; bits < 1u << 13; ++bits) {
    ASSERT_EQ(TestFixture::read({bits, {}, Variant::automatic}, found), bits == 0) << bits;
  }
}

}  // namespace
}  // namespace kompakt::test
