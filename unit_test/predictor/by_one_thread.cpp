#include <support/tile_shapes.hpp>

#include "one_tile.hpp"

namespace kompakt::test {

template <class Rules, class Shape, class T>
MadeOfTile<T> by_one_thread(OneTile<Shape, T> const& of) {
  auto const memory = std::make_unique<TileMemory<T>>();
  MadeOfTile<T> made;
  make_and_go_back<Rules>(impl::SingleThreadTeam(), of, *memory, made);
  return made;
}

#define KOMPAKT_BY_ONE_THREAD(SHAPE, T)                                                    \
  template MadeOfTile<T> by_one_thread<impl::OneRule, SHAPE, T>(OneTile<SHAPE, T> const&); \
  template MadeOfTile<T> by_one_thread<impl::TileRules, SHAPE, T>(OneTile<SHAPE, T> const&);
KOMPAKT_BY_ONE_THREAD(Chain, float)
KOMPAKT_BY_ONE_THREAD(Chain, double)
KOMPAKT_BY_ONE_THREAD(Square, float)
KOMPAKT_BY_ONE_THREAD(Square, double)
KOMPAKT_BY_ONE_THREAD(Brick, float)
KOMPAKT_BY_ONE_THREAD(Brick, double)
#undef KOMPAKT_BY_ONE_THREAD

}  // namespace kompakt::test
