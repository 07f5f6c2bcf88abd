#include <array>
#include <support/failing_new.hpp>

#include "messages_case.hpp"

namespace kompakt::test {

/// A grid of ranks, periodic along even dimensions.
class Grid {
 public:
  explicit Grid(int dimensions, bool reorder = false) : m_dimensions(dimensions) {
    m_periodic = {1, 0, 1};
    MPI_Dims_create(ranks_of(), dimensions, m_extents.data());
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, m_extents.data(), m_periodic.data(), reorder,
                    &m_comm);
    MPI_Cart_get(m_comm, dimensions, m_extents.data(), m_periodic.data(), m_place.data());
  }
  ~Grid() { MPI_Comm_free(&m_comm); }
  Grid(Grid const&) = delete;
  Grid& operator=(Grid const&) = delete;

  MPI_Comm comm() const { return m_comm; }
  /// Cells of the whole grid along a dimension that is cut, if each rank has `own`.
  long cells(int axis, long own) const {
    return axis < m_dimensions ? own * m_extents[static_cast<std::size_t>(axis)] : own;
  }
  /// The first cell of this rank.
  long first(int axis, long own) const {
    return axis < m_dimensions ? own * m_place[static_cast<std::size_t>(axis)] : 0;
  }
  bool is_periodic(int axis) const {
    return axis < m_dimensions && m_periodic[static_cast<std::size_t>(axis)] != 0;
  }
  int dimensions() const { return m_dimensions; }

 private:
  int m_dimensions;
  std::array<int, 3> m_extents{}, m_periodic{}, m_place{};
  MPI_Comm m_comm = MPI_COMM_NULL;
};

/// A field over a grid whose values say where they are; ghost cells are `ghost` at first.
template <class Exec>
class GridField {
 public:
  static constexpr float ghost = -1e6f;
  using View = Cube<Exec>;

  GridField(Grid const& grid, std::array<long, 3> own, int width)
      : m_grid(grid), m_own(own), m_width(width) {
    for (std::size_t i = 0; i < 3; ++i)
      m_pad[i] = static_cast<int>(i) < grid.dimensions() ? width : 0;
    view = View("field", extent(0), extent(1), extent(2));
    auto const host = Kokkos::create_mirror_view(view);
    for_each([&](std::array<long, 3> const& at) {
      host(at[0], at[1], at[2]) = is_own(at) ? value(at) : ghost;
    });
    Kokkos::deep_copy(view, host);
  }

  /// \param corners  whether ghost cells across edges and corners are filled
  void expect_filled(bool corners, double abs_bound, std::string const& what) const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    std::size_t wrong = 0, filled = 0;
    for_each([&](std::array<long, 3> const& at) {
      float const found = host(at[0], at[1], at[2]);
      int const outside = outside_of_own(at);
      bool const exact = outside == 0 || (outside > 1 && !corners) || !is_in_grid(at);
      float const expected = outside == 0 ? value(at) : ghost;
      if (exact) {
        wrong += found == expected ? 0 : 1;
      } else {
        wrong += within(value(at), found, abs_bound) ? 0 : 1;
        ++filled;
      }
    });
    EXPECT_EQ(wrong, 0u) << what << ": wrong cells, of " << view.size();
    EXPECT_GT(filled, 0u) << what;
  }

  View view;

 private:
  std::size_t extent(std::size_t i) const {
    return static_cast<std::size_t>(m_own[i] + 2 * m_pad[i]);
  }
  template <class Body>
  void for_each(Body const& body) const {
    for (long x = 0; x < static_cast<long>(extent(0)); ++x)
      for (long y = 0; y < static_cast<long>(extent(1)); ++y)
        for (long z = 0; z < static_cast<long>(extent(2)); ++z) body({x, y, z});
  }
  int outside_of_own(std::array<long, 3> const& at) const {
    int axes = 0;
    for (std::size_t i = 0; i < 3; ++i)
      axes += at[i] < m_pad[i] || at[i] >= m_own[i] + m_pad[i] ? 1 : 0;
    return axes;
  }
  bool is_own(std::array<long, 3> const& at) const { return outside_of_own(at) == 0; }
  /// The place in the whole grid, around its ends.
  long global(std::size_t i, std::array<long, 3> const& at) const {
    long const cells = m_grid.cells(static_cast<int>(i), m_own[i]);
    return (m_grid.first(static_cast<int>(i), m_own[i]) + at[i] - m_pad[i] + cells) % cells;
  }
  bool is_in_grid(std::array<long, 3> const& at) const {
    for (std::size_t i = 0; i < 3; ++i) {
      long const cell = m_grid.first(static_cast<int>(i), m_own[i]) + at[i] - m_pad[i];
      bool const inside = cell >= 0 && cell < m_grid.cells(static_cast<int>(i), m_own[i]);
      if (!inside && !m_grid.is_periodic(static_cast<int>(i))) return false;
    }
    return true;
  }
  float value(std::array<long, 3> const& at) const {
    return static_cast<float>(global(0, at) + 0.1 * static_cast<double>(global(1, at)) +
                              std::sin(0.3 * static_cast<double>(global(2, at))));
  }

  Grid const& m_grid;
  std::array<long, 3> m_own;
  std::array<long, 3> m_pad{};
  int m_width;
};

template <class Exec>
class MpiHalo : public testing::Test {
 protected:
  Exec exec;
};
TYPED_TEST_SUITE(MpiHalo, Spaces, SpaceName);

TYPED_TEST(MpiHalo, GhostCells_HaveTheValuesOfTheirOwners) {
  for (int dimensions = 1; dimensions <= 3; ++dimensions) {
    Grid const grid(dimensions);
    for (Way const& way : ways()) {
      mpi::Messenger messenger(this->exec, grid.comm(), way.options);
      for (int const width : {1, 3}) {
        for (auto const neighbours : {mpi::Neighbours::faces, mpi::Neighbours::all}) {
          mpi::HaloExchange halo(messenger, {width, neighbours});
          GridField<TypeParam> const field(grid, {12, 7, 10}, width);
          halo.exchange(field.view, absolute_options());
          field.expect_filled(neighbours == mpi::Neighbours::all, bound,
                              std::string(way.name) + ", " + std::to_string(dimensions) +
                                  "D, width " + std::to_string(width));
        }
      }
    }
  }
}

TYPED_TEST(MpiHalo, FieldsOfTheHost_AreFilled) {
  Grid const grid(3);
  mpi::Messenger messenger(this->exec, grid.comm(), {0, 4096, mpi::GpuAware::no});
  mpi::HaloExchange halo(messenger);
  GridField<Kokkos::DefaultHostExecutionSpace> const field(grid, {12, 7, 10}, 1);
  halo.exchange(field.view, absolute_options());
  field.expect_filled(false, bound, "in host memory");
}

// Compressed, raw, and in pieces: a second exchange takes no memory.
TYPED_TEST(MpiHalo, SecondExchangeOf128CubedBlocks_AllocatesNothing) {
  Grid const grid(3);
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, grid.comm(), way.options);
    mpi::HaloExchange halo(messenger, {1, mpi::Neighbours::all});
    GridField<TypeParam> const field(grid, {128, 128, 128}, 1);
    halo.exchange(field.view, absolute_options());
    ToolsRecorder const recorder;
    for (int i = 0; i < 3; ++i) halo.exchange(field.view, absolute_options());
    EXPECT_TRUE(recorder.allocations.empty()) << way.name << ": " << recorder.allocations.front();
  }
}

TYPED_TEST(MpiHalo, Faces_AreCompressedInOneBatch) {
  Grid const grid(3);
  mpi::Messenger messenger(this->exec, grid.comm(), {0, 1 << 20, mpi::GpuAware::no});
  mpi::HaloExchange halo(messenger);
  GridField<TypeParam> const field(grid, {32, 32, 32}, 1);
  ToolsRecorder const recorder;
  halo.exchange(field.view, absolute_options());
  // Of one rank all neighbours are itself, to which nothing is compressed.
  EXPECT_EQ(recorder.regions.count("kompakt::compress_batch"), ranks_of() > 1 ? 1u : 0u);
  EXPECT_EQ(recorder.regions.count("kompakt::compress"), 0u);
}

TYPED_TEST(MpiHalo, CommunicatorThatIsNoGrid_IsRefusedOnAll) {
  mpi::Messenger messenger(this->exec, MPI_COMM_WORLD);
  expect_error(Status::bad_argument,
               "rank 0: HaloExchange: the communicator is not a Cartesian grid",
               [&] { mpi::HaloExchange<TypeParam> const halo(messenger); });
  Grid const grid(2);
  mpi::Messenger on_grid(this->exec, grid.comm());
  expect_error(Status::bad_argument, "rank 0: HaloExchange: a halo of 0 cells",
               [&] { mpi::HaloExchange<TypeParam> const halo(on_grid, {0}); });
}

TYPED_TEST(MpiHalo, RankWithABadFieldOrOption_FailsOnAll) {
  Grid const grid(2);
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, grid.comm(), way.options);
    mpi::HaloExchange halo(messenger, {2, mpi::Neighbours::all});
    GridField<TypeParam> const good(grid, {12, 7, 10}, 2);
    Cube<TypeParam> const small("small", 16, 5, 10);
    for (int bad = 0; bad < ranks_of(); ++bad) {
      std::string const words = "rank " + std::to_string(bad) + ": ";
      bool const mine = rank_of(grid.comm()) == bad;
      Options options = absolute_options();
      if (mine) options.bound.value = -1;
      expect_error(Status::bad_argument, words, [&] { halo.exchange(good.view, options); });
      expect_error(Status::bad_argument, words + "exchange: index 1 of the field has 5 values",
                   [&] { halo.exchange(mine ? small : good.view, absolute_options()); });
      EXPECT_NO_THROW(halo.exchange(good.view, absolute_options()));
    }
    good.expect_filled(true, bound, way.name);
  }
}

// Blocks whose faces do not fit to each other.
TYPED_TEST(MpiHalo, NeighboursOfOtherExtents_FailOnAll) {
  if (ranks_of() == 1) GTEST_SKIP() << "takes two ranks";
  Grid const grid(1);
  mpi::Messenger messenger(this->exec, grid.comm(), {0, 4096, mpi::GpuAware::no});
  mpi::HaloExchange halo(messenger);
  std::size_t const rows = rank_of(grid.comm()) == 0 ? 30 : 40;
  Cube<TypeParam> const view("field", 12, rows, 20);
  try {
    halo.exchange(view, absolute_options());
    ADD_FAILURE() << "nothing was thrown";
  } catch (Error const& e) {
    EXPECT_NE(std::string(e.what()).find("rank 0: recv: the field that rank"), std::string::npos)
        << e.what();
  }
}

#ifndef __CUDACC__
TYPED_TEST(MpiHalo, RankWithoutMemory_FailsOnAll) {
  Grid const grid(2);
  for (int const bad : {0, ranks_of() - 1}) {
    for (long left = 0;; ++left) {
      mpi::Messenger messenger(this->exec, grid.comm(), {0, 4096, mpi::GpuAware::no});
      mpi::HaloExchange halo(messenger);
      GridField<TypeParam> const field(grid, {12, 7, 100}, 1);
      int failed = 0, all = 0, any = 0;
      fail_after(rank_of(grid.comm()) == bad ? left : -1);
      try {
        halo.exchange(field.view, absolute_options());
      } catch (std::exception const&) {
        failed = 1;
      }
      fail_after(-1);
      MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
      MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
      EXPECT_EQ(all, any) << "rank " << bad << " after " << left;
      if (any == 0) break;
      ASSERT_LT(left, 400);
    }
  }
}
#endif

}  // namespace kompakt::test
