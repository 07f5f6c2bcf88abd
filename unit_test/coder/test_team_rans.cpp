#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

// First, since the device's part of the other headers is wanted.
#include <cuda/warp.hpp>

#include <cuda/team_coder/rans.hpp>
#include <support/random.hpp>
#include <support/tile_shapes.hpp>

#include "residual_place.hpp"

// A warp and one thread make the same of a tile: the same plan, words, verdict and residuals. So does a warp whose tile a thread among
// others has taken ahead.

namespace kompakt::test {
namespace {

using impl::SingleThreadTeam;
using impl::warp::Lanes;

template <class ShapeAndValue>
class TeamRans : public testing::Test {
 public:
  using Shape = typename ShapeAndValue::Shape;
  using T = typename ShapeAndValue::T;
  using U = impl::unsigned_t<T>;
  using One = impl::Rans<T>;
  using Warp = impl::Rans<T, impl::cuda::ByWarp>;
  using Ahead = typename Warp::Ahead;

  /// Some tile: whole or not, with masked places or not, with residuals by classes or not.
  void make_tile(Random& random) {
    auto const part = [&](int extent) {
      return random.one_in(3) ? static_cast<int>(random.between(1, extent)) : extent;
    };
    m_tile = {random.one_in(2), part(Shape::X), part(Shape::Y), part(Shape::Z)};
    if (!m_tile.has_classes && Shape::Y == 1 && random.one_in(2)) {
      for (std::uint32_t& word : m_masked) {
        word = random.one_in(3) ? ~0u : static_cast<std::uint32_t>(random.bits() & random.bits());
      }
      m_tile.masked = m_masked;
    }
  }
  /// Residuals of some kind, where the tile has points.
  void make_residuals(Random& random) {
    std::fill(m_residuals.begin(), m_residuals.end(), U{0});
    auto const kind = random.below(4);
    auto const width = 1 + random.below(kind == 2 ? sizeof(U) * 8 : 14);
    for (int z = 0; z < m_tile.nz; ++z) {
      for (int y = 0; y < m_tile.ny; ++y) {
        for (int x = 0; x < m_tile.nx; ++x) {
          int const place = residual_place<Shape>(m_tile, x, y, z);
          if (place >= 0) m_residuals[static_cast<std::size_t>(place)] = some(random, kind, width);
        }
      }
    }
  }

  /// Compares the encoders; whether there is a record, which is then in words().
  bool encode() {
    m_plan = One::template measure<Shape>(SingleThreadTeam{}, {m_tile}, m_residuals.data(), *m_one);
    std::vector<typename Warp::Plan> plans(impl::warp::lane_count);
    Lanes::all().run([&] {
      plans[static_cast<std::size_t>(impl::warp::lane())] =
          Warp::template measure<Shape>(SingleThreadTeam{}, {m_tile}, m_residuals.data(), *m_warp);
    });
    for (auto const& plan : plans) {
      EXPECT_EQ(plan.words(), m_plan.words());
      EXPECT_EQ(plan.coder_bits(), m_plan.coder_bits());
    }
    if (m_plan.words() > One::max_words || m_plan.words() == 0) return false;
    m_words.assign(static_cast<std::size_t>(m_plan.words()), 0);
    auto by_warp = m_words;
    One::template write<Shape>(SingleThreadTeam{}, {m_tile}, m_plan, m_residuals.data(), *m_one,
                               m_words.data());
    Lanes::all().run([&] {
      Warp::template write<Shape>(SingleThreadTeam{}, {m_tile}, plans[0], m_residuals.data(),
                                  *m_warp, by_warp.data());
    });
    EXPECT_EQ(by_warp, m_words);
    return true;
  }

  /// Compares the decoders; whether the record was taken for sound.
  bool decode(std::uint32_t coder_bits) {
    std::vector<U> found(impl::tile_values, U{7}), by_warp = found;
    int const words = static_cast<int>(m_words.size());
    bool const sound = One::template read<Shape>(SingleThreadTeam{}, {m_tile}, coder_bits,
                                                 m_words.data(), words, found.data(), *m_one);
    bool verdicts[impl::warp::lane_count];
    Lanes::all().run([&] {
      verdicts[impl::warp::lane()] = Warp::template read<Shape>(
          SingleThreadTeam{}, {m_tile}, coder_bits, m_words.data(), words, by_warp.data(), *m_warp);
    });
    for (bool const verdict : verdicts) EXPECT_EQ(verdict, sound);
    if (sound) {
      EXPECT_EQ(by_warp, found);
    }
    if (m_tile.masked == nullptr) decode_ahead(coder_bits, sound, found);
    return sound;
  }
  /// How many tiles were known ahead.
  int known_ahead() const { return m_known_ahead; }

  std::uint32_t coder_bits() const { return m_plan.coder_bits(); }
  std::vector<std::uint32_t>& words() { return m_words; }

 private:
  // Compares what a thread takes ahead, if it does.
  void decode_ahead(std::uint32_t coder_bits, bool sound, std::vector<U> const& found) {
    constexpr std::size_t lane = 5;
    std::vector<std::uint32_t> zigzags(32 * impl::tile_values, 7);
    int const words = static_cast<int>(m_words.size());
    if (!Ahead::template take<Shape>(*m_books, coder_bits, m_words.data(), words, m_tile,
                                     &zigzags[lane])) {
      return;
    }
    ++m_known_ahead;
    m_warp->ahead.zigzags = &zigzags[lane];
    std::vector<U> by_warp(impl::tile_values, U{7});
    Lanes::all().run([&] {
      EXPECT_EQ(Warp::template read<Shape>(SingleThreadTeam{}, {m_tile}, coder_bits, m_words.data(),
                                           words, by_warp.data(), *m_warp),
                sound);
    });
    m_warp->ahead.zigzags = nullptr;
    if (sound) {
      EXPECT_EQ(by_warp, found);
    }
    // Of the tiles beside it nothing was touched.
    for (std::size_t i = 0; i < zigzags.size(); ++i) {
      ASSERT_TRUE(i % 32 == lane || zigzags[i] == 7u);
    }
  }
  // Of all sizes up to a width; tiny ones and rare large ones; over many octaves; next to nothing.
  static U some(Random& random, std::uint64_t kind, std::uint64_t width) {
    auto const up_to = [&](std::uint64_t bits) {
      return static_cast<U>(random.bits() >> (64 - std::max<std::uint64_t>(bits, 1)));
    };
    switch (kind) {
      case 0: return impl::unzigzag(up_to(width));
      case 1: return impl::unzigzag(random.one_in(64) ? up_to(20) : up_to(2));
      case 2: return impl::unzigzag(up_to(random.below(width) + 1));
      default: return random.one_in(200) ? up_to(29) : U{0};
    }
  }

  impl::CodedTile m_tile{};
  std::uint32_t m_masked[32];
  std::vector<U> m_residuals = std::vector<U>(impl::tile_values);
  std::unique_ptr<typename One::Scratch> m_one = std::make_unique<typename One::Scratch>();
  std::unique_ptr<typename Warp::Scratch> m_warp = std::make_unique<typename Warp::Scratch>();
  std::unique_ptr<typename Ahead::Books> m_books = [] {
    auto books = std::make_unique<typename Ahead::Books>();
    books->fill(SingleThreadTeam{});
    return books;
  }();
  int m_known_ahead = 0;
  typename One::Plan m_plan{};
  std::vector<std::uint32_t> m_words;
};

TYPED_TEST_SUITE(TeamRans, ShapesAndValues, ShapeAndValueName);

TYPED_TEST(TeamRans, OfEveryTile_MakesWhatOneThreadMakes) {
  KOMPAKT_TRACE_SEED(140);
  Random random(140);
  int records = 0;
  for (int round = 0; round < 14; ++round) {
    this->make_tile(random);
    this->make_residuals(random);
    if (!this->encode()) continue;
    ++records;
    EXPECT_TRUE(this->decode(this->coder_bits()));
    if (this->HasFailure()) return;
  }
  EXPECT_GT(records, 6);
  EXPECT_GT(this->known_ahead(), 1);
}

TYPED_TEST(TeamRans, OfADamagedRecord_JudgesAsOneThreadDoes) {
  KOMPAKT_TRACE_SEED(141);
  Random random(141);
  for (int round = 0; round < 8; ++round) {
    this->make_tile(random);
    this->make_residuals(random);
    if (!this->encode()) continue;
    this->words()[random.below(this->words().size())] ^= 1u << random.below(32);
    this->decode(this->coder_bits());
    this->decode(this->coder_bits() ^ 1u << random.below(13));
    if (this->HasFailure()) return;
  }
}

}  // namespace
}  // namespace kompakt::test
