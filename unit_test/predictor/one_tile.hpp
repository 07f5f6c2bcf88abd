#ifndef KOMPAKT_UNIT_TEST_PREDICTOR_ONE_TILE_HPP
#define KOMPAKT_UNIT_TEST_PREDICTOR_ONE_TILE_HPP

#include <Kokkos_Core.hpp>
#include <array>
#include <cstdint>
#include <memory>
#include <predictor/interpolation.hpp>
#include <vector>

namespace kompakt::test {

/// A tile of a field with the lattice of the level above.
template <class Shape, class T>
struct OneTile {
  std::vector<T> field;
  impl::Quantizer<T> quantizer;
  std::vector<std::uint32_t> above;  ///< all levels' values
  impl::LevelParts parts;
  impl::LevelTile tile;
};

/// What is made of it, and back from the residuals.
template <class T>
struct MadeOfTile {
  std::array<impl::unsigned_t<T>, impl::tile_values> residuals{};
  std::array<std::uint32_t, impl::tile_values> lattice{}, back{};

  bool operator==(MadeOfTile const&) const = default;
};

/// Memory of a team.
template <class T>
struct TileMemory {
  alignas(16) std::array<impl::unsigned_t<T>, impl::tile_values> bins{};
  impl::InterpolationScratch<T> scratch{};
  impl::ExceptionScratch unused{};
};

/// By a team whose threads all call this; one of them may copy what is in `made` afterwards.
template <class Rules, class Shape, class T, class Team>
void make_and_go_back(Team const& team, OneTile<Shape, T> const& of, TileMemory<T>& memory,
                      MadeOfTile<T>& made) {
  using Predictor = impl::InterpolationBy<Rules>;
  typename Predictor::Context const context{of.parts};
  auto const scale = impl::LatticeScale<T>::of(of.quantizer);
  auto const keep = [&](auto const& from, auto& to) {
    team.team_barrier();
    if (team.team_rank() == 0) std::copy_n(&from[0], to.size(), to.begin());
    team.team_barrier();
  };
  Predictor::template difference<Shape>(team, context, scale, of.field.data(), of.tile,
                                        memory.bins.data(), memory.scratch, memory.unused);
  keep(memory.bins, made.residuals);
  keep(memory.scratch.lattice, made.lattice);
  Predictor::template integrate<Shape>(team, context, of.tile, memory.bins.data(), memory.scratch);
  keep(memory.scratch.lattice, made.back);
}

/// By one thread, in the host's part of the headers.
template <class Rules, class Shape, class T>
MadeOfTile<T> by_one_thread(OneTile<Shape, T> const& of);

}  // namespace kompakt::test

#endif
