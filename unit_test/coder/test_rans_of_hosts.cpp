#include <memory>
#include <openmp/coder/rans.hpp>

#include "coder_case.hpp"

// A host decodes tiles side by side, and falls back on one after the other: a fault would cost time alone, which no other test sees.

namespace kompakt::test {
namespace {

#ifdef KOMPAKT_HOST_SIMD

template <TileShape shape>
void expect_all_side_by_side(Random& random) {
  using Case = CoderCase<CoderAndTile<impl::Rans, impl::Tile<shape>, float>>;
  using OfHost = typename impl::BackendCoder<impl::Rans<float>, impl::openmp_tag>::type;
  // Residuals of a tile are of about one size, and some are so large for it that they need an escape.
  std::vector<typename Case::Residuals> tiles;
  std::vector<std::size_t> places;
  std::vector<std::uint32_t> words, coder_bits;
  for (int tile = 0; tile < 27; ++tile) {
    auto residuals = Case::zeros();
    for (auto& residual : residuals) {
      int const width = random.one_in(400) ? 10 : static_cast<int>(random.below(2 + tile / 4));
      residual = impl::unzigzag(Case::random_code(random, width));
    }
    auto const record = Case::write(Variant::automatic, residuals);
    tiles.push_back(residuals);
    places.push_back(words.size());
    coder_bits.push_back(record.coder_bits);
    words.insert(words.end(), record.words.begin(), record.words.end());
  }
  places.push_back(words.size());
  auto const ahead = std::make_unique<typename OfHost::Ahead>();
  ahead->clear();
  for (std::size_t tile = 0; tile < tiles.size(); ++tile) {
    ahead->add(words.data() + places[tile], static_cast<int>(places[tile + 1] - places[tile]),
               coder_bits[tile], impl::CodedTile{});
  }
  ahead->template decode<impl::Tile<shape>>();
  std::size_t found = 0;
  for (std::size_t tile = 0; tile < tiles.size(); ++tile) {
    SCOPED_TRACE(tile);
    if (OfHost::Plan::of(coder_bits[tile], 1).by_widths) continue;  // one after the other
    ++found;
    std::vector<std::uint32_t> zigzags(impl::tile_values);
    ASSERT_TRUE(ahead->copy(words.data() + places[tile], 0, zigzags.data()));
    for (std::size_t i = 0; i < zigzags.size(); ++i) {
      ASSERT_EQ(impl::unzigzag(zigzags[i]), tiles[tile][i]) << i;
    }
  }
  EXPECT_GT(found, tiles.size() / 2);
}

TEST(RansOfHosts, TilesOfAChunk_AreAllDecodedSideBySide) {
  Random random(130);
  expect_all_side_by_side<static_cast<TileShape>(0)>(random);
  expect_all_side_by_side<static_cast<TileShape>(1)>(random);
  expect_all_side_by_side<static_cast<TileShape>(2)>(random);
}

#else

TEST(RansOfHosts, TilesOfAChunk_AreAllDecodedSideBySide) {
  GTEST_SKIP() << "compiled without AVX2";
}

#endif

}  // namespace
}  // namespace kompakt::test
