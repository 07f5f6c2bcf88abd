#include <functional>
#include <support/errors.hpp>
#include <support/failing_new.hpp>
#include <utility>

#include "messages_case.hpp"

namespace kompakt::test {

template <class Exec>
class MpiCollectives : public testing::Test {
 protected:
  using View = Cube<Exec>;

  Exec exec;
  int rank = rank_of(), ranks = ranks_of();

  /// Extents that differ from rank to rank, none for the second one.
  static std::size_t rows(int of, int to = 0) {
    return of == 1 ? 0 : static_cast<std::size_t>(20 + 7 * of + to);
  }
  static FieldShape shape(int of, int to = 0) { return shape_from<float>({rows(of, to), 12, 16}); }
  /// The field that a rank has for another.
  static View field(int of, int to = 0) {
    return view_of<View>(values_of<float>(shape(of, to), 10 * of + to), rows(of, to), 12, 16);
  }
  static View room(int of, int to = 0) { return View("room", rows(of, to), 12, 16); }
  static void expect_field(View const& received, int of, int to, std::string const& what) {
    expect_within(values_of<float>(shape(of, to), 10 * of + to), values_in(received), bound, what);
  }
};
TYPED_TEST_SUITE(MpiCollectives, Spaces, SpaceName);

TYPED_TEST(MpiCollectives, Broadcast_ReachesAllFromEveryRoot) {
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
    for (int root = 0; root < this->ranks; ++root) {
      auto const view = this->rank == root ? this->field(root) : this->room(root);
      messenger.broadcast(view, root, absolute_options());
      this->expect_field(view, root, 0, way.name);
    }
  }
}

TYPED_TEST(MpiCollectives, BroadcastToOtherLayouts_Arrives) {
  using Left = Kokkos::View<float***, Kokkos::LayoutLeft, typename TypeParam::memory_space>;
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
    Left const left("left", this->rows(0), 12, 16);
    if (this->rank == 0) {
      messenger.broadcast(this->field(0), 0, absolute_options());
    } else {
      messenger.broadcast(left, 0, absolute_options());
      expect_within(values_of<float>(this->shape(0), 0), values_in(left), bound, way.name);
    }
  }
}

TYPED_TEST(MpiCollectives, Scatter_GivesEachRankItsOwn) {
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
    for (int root = 0; root < this->ranks; ++root) {
      std::vector<Cube<TypeParam>> all;
      for (int to = 0; this->rank == root && to < this->ranks; ++to) all.push_back(this->field(to));
      auto const mine = this->room(this->rank);
      messenger.scatter(all, mine, root, absolute_options());
      this->expect_field(mine, this->rank, 0, way.name);
    }
  }
}

TYPED_TEST(MpiCollectives, Gather_BringsAllToTheRoot) {
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
    for (int root = 0; root < this->ranks; ++root) {
      std::vector<Cube<TypeParam>> all;
      for (int of = 0; this->rank == root && of < this->ranks; ++of) all.push_back(this->room(of));
      messenger.gather(this->field(this->rank), all, root, absolute_options());
      for (int of = 0; this->rank == root && of < this->ranks; ++of) {
        this->expect_field(all[static_cast<std::size_t>(of)], of, 0, way.name);
      }
    }
  }
}

TYPED_TEST(MpiCollectives, AllToAll_GivesEachRankOneOfEach) {
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
    std::vector<Cube<TypeParam>> to, from;
    for (int other = 0; other < this->ranks; ++other) {
      to.push_back(this->field(this->rank, other));
      from.push_back(this->room(other, this->rank));
    }
    messenger.alltoallv(to, from, absolute_options());
    for (int other = 0; other < this->ranks; ++other) {
      this->expect_field(from[static_cast<std::size_t>(other)], other, this->rank, way.name);
    }
  }
}

TYPED_TEST(MpiCollectives, SlabsOfAField_AreScatteredAndGathered) {
  auto const shape = shape_from<float>({30, 12, 16});
  mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, {0, 4096, mpi::GpuAware::no});
  auto const whole = view_of<Cube<TypeParam>>(values_of<float>(shape, 7), 30, 12, 16);
  Cube<TypeParam> const back("back", 30, 12, 16);
  auto const parts = mpi::slabs(whole, this->ranks);
  Cube<TypeParam> const mine("mine", parts[static_cast<std::size_t>(this->rank)].shape.extents[0],
                             12, 16);
  messenger.scatter(parts, mine, 0, absolute_options());
  messenger.gather(mine, mpi::slabs(back, this->ranks), 0, absolute_options());
  if (this->rank != 0) return;
  expect_within(values_of<float>(shape, 7), values_in(back), 2 * bound, "scattered and gathered");
}

TYPED_TEST(MpiCollectives, MoreThanTheCollectives_GoOnMeanwhile) {
  // All are in a broadcast while the pieces of a blocking send are still to be taken.
  mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, {0, 4096, mpi::GpuAware::no});
  int const next = (this->rank + 1) % this->ranks,
            before = (this->rank + this->ranks - 1) % this->ranks;
  auto const view = this->rank == 0 ? this->field(0) : this->room(0);
  auto const received = this->room(before);
  auto request = messenger.irecv(received, before, 0);
  if (this->rank % 2 == 0) messenger.send(this->field(this->rank), next, 0, absolute_options());
  messenger.broadcast(view, 0, absolute_options());
  if (this->rank % 2 != 0) messenger.send(this->field(this->rank), next, 0, absolute_options());
  request.wait();
  this->expect_field(view, 0, 0, "broadcast");
  this->expect_field(received, before, 0, "message");
}

/// A collective call whose arguments a test spoils on some rank.
template <class Exec>
struct Calls {
  using Views = std::vector<Cube<Exec>>;

  mpi::Messenger<Exec>& messenger;
  Options options = absolute_options();
  Views fields, rooms;

  /// \param rows  of the fields of this rank that are received; those that are sent have 40
  explicit Calls(mpi::Messenger<Exec>& with, std::size_t rows = 40) : messenger(with) {
    auto const values = values_of<float>(shape_from<float>({40, 12, 16}), 3);
    for (int i = 0; i < ranks_of(); ++i) {
      fields.push_back(view_of<Cube<Exec>>(values, 40, 12, 16));
      rooms.emplace_back("room", rows, 12, 16);
    }
  }

  void broadcast(int root) const {
    messenger.broadcast(rank_of() == root ? fields[0] : rooms[0], root, options);
  }
  void scatter(int root) const { messenger.scatter(fields, rooms[0], root, options); }
  void gather(int root) const { messenger.gather(fields[0], rooms, root, options); }
  void alltoallv() const { messenger.alltoallv(fields, rooms, options); }

  /// \param allocations  that succeed
  /// \returns whether it has failed
  template <class Call>
  bool fails_with_memory_for(long allocations, Call const& call) const {
    fail_after(allocations);
    bool failed = false;
    try {
      call(*this);
    } catch (std::exception const&) {
      failed = true;
    }
    fail_after(-1);
    return failed;
  }
};

/// body(name, call, sends, receives) for each collective: whether a rank's options, or its Views, matter.
template <class Body>
void for_each_collective(Body const& body) {
  int const root = ranks_of() - 1;
  auto const is_root = [=](int rank) { return rank == root; };
  auto const is_other = [=](int rank) { return rank != root; };
  auto const always = [](int) { return true; };
  body(
      "broadcast", [=](auto const& calls) { calls.broadcast(root); }, is_root, is_other);
  body(
      "scatter", [=](auto const& calls) { calls.scatter(root); }, is_root, always);
  body(
      "gather", [=](auto const& calls) { calls.gather(root); }, always, is_root);
  body(
      "alltoallv", [](auto const& calls) { calls.alltoallv(); }, always, always);
}

TYPED_TEST(MpiCollectives, RankWithABadOption_FailsOnAllWithItsMessageAndNumber) {
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
    for_each_collective([&](char const* name, auto const& call, auto const& sends, auto const&) {
      for (int bad = 0; bad < this->ranks; ++bad) {
        if (!sends(bad)) continue;
        SCOPED_TRACE(std::string(way.name) + ", " + name);
        Calls<TypeParam> calls(messenger);
        if (this->rank == bad) calls.options.bound.value = -7;
        std::string const words = "rank " + std::to_string(bad) + ": ";
        expect_error(Status::bad_argument, words, [&] { call(calls); });
        EXPECT_NO_THROW(call(Calls<TypeParam>(messenger))) << "afterwards";
      }
    });
  }
}

TYPED_TEST(MpiCollectives, RankWithAViewThatIsTooSmall_FailsOnAll) {
  for (Way const& way : ways()) {
    mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
    for_each_collective([&](char const* name, auto const& call, auto const&, auto const& receives) {
      for (int bad = 0; bad < this->ranks; ++bad) {
        if (!receives(bad)) continue;
        SCOPED_TRACE(std::string(way.name) + ", " + name);
        Calls<TypeParam> const calls(messenger, this->rank == bad ? 39 : 40);
        std::string const words = "rank " + std::to_string(bad) + ": ";
        expect_error(Status::buffer_too_small, words, [&] { call(calls); });
        EXPECT_NO_THROW(call(Calls<TypeParam>(messenger))) << "afterwards";
      }
    });
  }
}

TYPED_TEST(MpiCollectives, ListsThatAreNoneOfTheRanks_AreRefusedOnAll) {
  mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, {0, 4096, mpi::GpuAware::no});
  int const last = this->ranks - 1;
  std::vector<Cube<TypeParam>> const none;
  std::string const words = "rank " + std::to_string(last) + ": ";
  Calls<TypeParam> const calls(messenger);
  auto const &good = calls.fields, &rooms = calls.rooms;
  bool const bad = this->rank == last;
  expect_error(Status::bad_argument, words + "scatter: there are 0 fields",
               [&] { messenger.scatter(bad ? none : good, rooms[0], last, absolute_options()); });
  expect_error(Status::bad_argument, words + "gather: there are 0 fields",
               [&] { messenger.gather(good[0], bad ? none : rooms, last, absolute_options()); });
  expect_error(Status::bad_argument, words + "alltoallv: there are 0 fields",
               [&] { messenger.alltoallv(bad ? none : good, rooms, absolute_options()); });
  EXPECT_NO_THROW(calls.alltoallv());
}

TYPED_TEST(MpiCollectives, RootsThatDiffer_AreRefusedOnAll) {
  if (this->ranks == 1) GTEST_SKIP() << "takes two ranks";
  mpi::Messenger messenger(this->exec, MPI_COMM_WORLD);
  Calls<TypeParam> const calls(messenger);
  expect_error(Status::bad_argument, "ranks have given a root from 0 to 1",
               [&] { calls.broadcast(this->rank == 0 ? 1 : 0); });
  expect_error(Status::bad_argument, "rank 1: scatter: there is no rank 77",
               [&] { calls.scatter(this->rank == 1 ? 77 : 0); });
  EXPECT_NO_THROW(calls.gather(0));
}

#ifndef __CUDACC__
// One rank after the other runs out of memory at one allocation after the other: all others end, too.
TYPED_TEST(MpiCollectives, RankWithoutMemory_FailsOnAll) {
  for (Way const& way : {ways()[1], ways()[6]}) {
    for_each_collective([&](char const* name, auto const& call, auto const&, auto const&) {
      for (int const bad : {0, this->ranks - 1}) {
        for (long left = 0;; ++left) {
          SCOPED_TRACE(std::string(way.name) + ", " + name + ", rank " + std::to_string(bad) +
                       " after " + std::to_string(left));
          mpi::Messenger messenger(this->exec, MPI_COMM_WORLD, way.options);
          Calls<TypeParam> const calls(messenger);
          int const mine = calls.fails_with_memory_for(this->rank == bad ? left : -1, call) ? 1 : 0;
          int all = 0, any = 0;
          MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
          MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
          EXPECT_EQ(all, any);
          if (any == 0) break;
          ASSERT_LT(left, 400);
        }
      }
    });
  }
}
#endif

TYPED_TEST(MpiCollectives, RangeOfParts_IsThatOfTheWhole) {
  auto const shape = shape_from<float>({20, 12, 16});
  mpi::Messenger messenger(this->exec, MPI_COMM_WORLD);
  for (Family const family : {Family::smooth, Family::walk, Family::nan_islands}) {
    FieldRange expected;
    for (int of = 0; of < this->ranks; ++of) {
      for (float const value : values_of<float>(shape, of, family)) {
        if (!std::isfinite(value)) continue;
        expected.min = expected.any ? std::min<double>(expected.min, value) : value;
        expected.max = expected.any ? std::max<double>(expected.max, value) : value;
        expected.any = true;
      }
    }
    auto const mine =
        view_of<Cube<TypeParam>>(values_of<float>(shape, this->rank, family), 20, 12, 16);
    FieldRange const range = messenger.range(mine);
    EXPECT_EQ(range.any, true);
    EXPECT_EQ(range.min, expected.min) << name_of(family);
    EXPECT_EQ(range.max, expected.max) << name_of(family);
    Options options;
    options.bound = ErrorBound::relative_to_range(1e-2);
    EXPECT_EQ(messenger.agreed(mine, options).range, expected.width()) << name_of(family);
    options.bound = ErrorBound::psnr(60);
    EXPECT_EQ(messenger.agreed(mine, options).range, expected.width()) << name_of(family);
    EXPECT_EQ(messenger.agreed(mine, absolute_options()).range, 0);
  }
}

// Parts that are compressed with agreed options have the bound of the whole, whatever their own range is.
TYPED_TEST(MpiCollectives, PartsWithAgreedOptions_HaveOneBound) {
  auto const shape = shape_from<float>({20, 12, 16});
  auto values = values_of<float>(shape, 0);
  for (float& value : values) value *= static_cast<float>(this->rank + 1);
  auto const mine = view_of<Cube<TypeParam>>(values, 20, 12, 16);
  mpi::Messenger messenger(this->exec, MPI_COMM_WORLD);
  Options options;
  options.bound = ErrorBound::relative_to_range(1e-3);
  Workspace<TypeParam> workspace(this->exec);
  CompressedStream<typename TypeParam::memory_space> stream;
  compress(this->exec, mine, messenger.agreed(mine, options), workspace, stream);
  double const own = stream.info().abs_bound;
  double least = 0, most = 0;
  MPI_Allreduce(&own, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(least, most);
  EXPECT_EQ(own, messenger.range(mine).bound(1e-3));
}

TYPED_TEST(MpiCollectives, FillValueThatOneRankFinds_IsThatOfAll) {
  auto const shape = shape_from<float>({20, 12, 16});
  auto values = values_of<float>(shape, this->rank);
  int const finder = this->ranks - 1;
  // One has land, the others a single value of it, which they take for a value of the field by themselves.
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == 5 || (this->rank == finder && i % 3 == 0)) values[i] = 1e20f;
  }
  auto const mine = view_of<Cube<TypeParam>>(values, 20, 12, 16);
  mpi::Messenger messenger(this->exec, MPI_COMM_WORLD);
  FieldRange const range = messenger.range(mine, FillValue::automatic());
  ASSERT_TRUE(range.fill.has_value());
  EXPECT_EQ(*range.fill, static_cast<double>(1e20f));
  EXPECT_LT(range.max, 1e3);
  Options options;
  options.bound = ErrorBound::relative_to_range(1e-3);
  options.fill = FillValue::automatic();
  Options const agreed = messenger.agreed(mine, options);
  EXPECT_EQ(agreed.fill, FillValue::of(static_cast<double>(1e20f)));
  EXPECT_EQ(agreed.range, range.width());
}

// One rank has so many of them that they are a part of its field, but not of the whole.
TYPED_TEST(MpiCollectives, FewValuesThatMakeTheRange_AreRefusedOnEveryRank) {
  constexpr std::size_t odd = 20;
  auto const shape = shape_from<float>({40, 50, 60});
  auto values = values_of<float>(shape, this->rank);
  for (std::size_t i = 0; this->rank == 0 && i < odd; ++i) {
    values[i * 5000] = 1e20f * static_cast<float>(i + 2);
  }
  auto const mine = view_of<Cube<TypeParam>>(values, 40, 50, 60);
  mpi::Messenger messenger(this->exec, MPI_COMM_WORLD);
  FieldRange const range = messenger.range(mine, FillValue::automatic());
  bool const are_few = odd * 10000 < values.size() * static_cast<std::size_t>(this->ranks);
  ASSERT_EQ(range.outliers.has_value(), are_few);
  if (!are_few) return;
  EXPECT_EQ(range.outliers->count, odd);
  Options options;
  options.bound = ErrorBound::relative_to_range(1e-3);
  options.fill = FillValue::automatic();
  EXPECT_EQ(error_of([&] { messenger.agreed(mine, options); }).status(), Status::bad_argument);
}

TYPED_TEST(MpiCollectives, RangeWithoutValuesOnSomeRanks_IsThatOfOthers) {
  mpi::Messenger messenger(this->exec, MPI_COMM_WORLD);
  auto const mine = this->rank == 0 ? this->field(0) : Cube<TypeParam>("none", 0, 12, 16);
  FieldRange const range = messenger.range(mine);
  EXPECT_TRUE(range.any);
  EXPECT_LT(range.min, range.max);
  FieldRange const none = messenger.range(Cube<TypeParam>("none", 0, 12, 16));
  EXPECT_FALSE(none.any);
  EXPECT_EQ(none.width(), 0);
}

TYPED_TEST(MpiCollectives, RangeOfNoMemoryOnOneRank_FailsOnAll) {
  mpi::Messenger messenger(this->exec, MPI_COMM_WORLD);
  int const bad = this->ranks - 1;
  ConstFieldData const without_memory(nullptr, shape_from<float>({10}));
  expect_error(Status::bad_argument, "rank " + std::to_string(bad) + ": field_range", [&] {
    if (this->rank == bad) {
      messenger.range(without_memory);
    } else {
      messenger.range(this->field(0));
    }
  });
  if (this->ranks == 1) return;
  Options relative, absolute = absolute_options();
  relative.bound = ErrorBound::relative_to_range(1e-3);
  expect_error(Status::bad_argument, "bound that takes a range",
               [&] { messenger.agreed(this->field(0), this->rank == 0 ? relative : absolute); });
}

}  // namespace kompakt::test
