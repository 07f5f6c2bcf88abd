#include <cmath>
#include <kompakt/snapshot_store.hpp>
#include <support/codec.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>
#include <support/wave.hpp>

namespace kompakt::test {
namespace {

template <class Exec>
class Snapshots : public testing::Test {
 protected:
  using Memory = typename Exec::memory_space;
  using View = Kokkos::View<double***, Kokkos::LayoutRight, Memory>;
  static constexpr std::size_t n = 40;
  static constexpr double bound = 1e-4;

  Exec exec;
  View view{"view", n, n, n};

  static SnapshotOptions options(WhenFull when_full) {
    SnapshotOptions options;
    options.coding.bound = ErrorBound::absolute(bound);
    options.when_full = when_full;
    return options;
  }
  static std::vector<double> values(std::uint64_t step) {
    FieldShape const shape{.dtype = Dtype::f64, .rank = 3, .extents = {n, n, n}};
    std::vector<double> values = make_field<double>(Family::smooth, shape, step);
    for (double& value : values) value *= 1 + static_cast<double>(step % 7);
    return values;
  }
  void compute(std::uint64_t step) {
    auto const host = Kokkos::create_mirror_view(view);
    auto const wanted = values(step);
    std::copy(wanted.begin(), wanted.end(), host.data());
    Kokkos::deep_copy(exec, view, host);
  }
  void expect_state(SnapshotStore<Exec>& store, std::uint64_t step) {
    Kokkos::deep_copy(exec, view, -1.0);
    store.get(step, view);
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    expect_promise(values(step), std::vector<double>(host.data(), host.data() + host.size()),
                   bound);
  }
};
TYPED_TEST_SUITE(Snapshots, Spaces, SpaceName);

using Steps = std::vector<std::uint64_t>;

TYPED_TEST(Snapshots, States_ComeBackInAnyOrder) {
  SnapshotStore<TypeParam> store(this->exec, 4 << 20, this->options(WhenFull::refuse));
  for (std::uint64_t step = 0; step < 10; ++step) {
    this->compute(step);
    store.put(step, this->view);
    this->compute(100 + step);  // behind the put, in the order of the instance
  }
  for (std::uint64_t step : {9, 0, 5, 5, 3}) this->expect_state(store, step);
  SnapshotStats const stats = store.stats();
  EXPECT_EQ(stats.states, 10u);
  EXPECT_EQ(stats.raw_bytes, 10 * this->view.size() * sizeof(double));
  EXPECT_LE(stats.stored_bytes, stats.budget_bytes);
  EXPECT_GT(stats.ratio(), 3.0);
  EXPECT_EQ(store.steps(), (Steps{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TYPED_TEST(Snapshots, ComplexNumbers_KeepTheBoundOfTheirMagnitude) {
  Wave<TypeParam, double> const wave(20000);
  SnapshotOptions options;
  options.coding.bound = ErrorBound::absolute(wave.bound);
  SnapshotStore<TypeParam> store(this->exec, 4 << 20, options);
  store.put(1, wave.view);
  wave.clear();
  store.get(1, wave.view);
  EXPECT_GT(wave.largest_error(), 0);
  EXPECT_LE(wave.largest_error(), wave.bound);
}

TYPED_TEST(Snapshots, Integers_ComeBackExactly) {
  using Exec = TypeParam;
  constexpr std::size_t size = 10000;
  Kokkos::View<int*, Exec> const labels("labels", size);
  auto const on_host = Kokkos::create_mirror_view(labels);
  for (std::size_t i = 0; i < size; ++i) on_host(i) = static_cast<int>(hash(i) >> 8);
  Kokkos::deep_copy(this->exec, labels, on_host);
  SnapshotStore<Exec> store(this->exec, 1 << 20);
  store.put(1, labels);
  Kokkos::deep_copy(this->exec, labels, 0);
  store.get(1, labels);
  auto const back = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), labels);
  for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(back(i), static_cast<int>(hash(i) >> 8));
}

TYPED_TEST(Snapshots, OldestGo_WhenTheyMay) {
  std::size_t const budget = 3 * this->view.size() * sizeof(double) / 4;
  SnapshotStore<TypeParam> store(this->exec, budget, this->options(WhenFull::evict_oldest));
  for (std::uint64_t step = 0; step < 40; ++step) {
    this->compute(step);
    store.put(step, this->view);
    SnapshotStats const stats = store.stats();
    EXPECT_LE(stats.stored_bytes, budget);
    EXPECT_EQ(stats.states + stats.evicted, step + 1);
  }
  Steps const steps = store.steps();
  ASSERT_GE(steps.size(), 2u);
  ASSERT_LT(steps.size(), 40u);
  EXPECT_EQ(steps.back(), 39u);
  EXPECT_EQ(steps.front() + steps.size(), 40u) << "those that stay are the newest";
  for (std::uint64_t const step : steps) this->expect_state(store, step);
}

TYPED_TEST(Snapshots, FullBudget_IsRefusedWithTheNumbersAndNothingIsLost) {
  std::size_t const budget = this->view.size() * sizeof(double);
  SnapshotStore<TypeParam> store(this->exec, budget, this->options(WhenFull::refuse));
  std::uint64_t step = 0;
  Error error(Status::ok, "");
  for (; error.status() == Status::ok; ++step) {
    this->compute(step);
    try {
      store.put(step, this->view);
    } catch (Error const& e) {
      error = e;
    }
  }
  EXPECT_EQ(error.status(), Status::buffer_too_small);
  std::string const message = error.what();
  for (std::string const& word : {std::to_string(budget), "step " + std::to_string(step - 1),
                                  std::to_string(store.stats().states) + " states",
                                  std::string("40 x 40 x 40 values of f64")}) {
    EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
  }
  for (std::uint64_t const kept : store.steps()) this->expect_state(store, kept);
  EXPECT_EQ(store.steps().size(), step - 1);
  store.erase(0);
  this->compute(0);
  store.put(0, this->view);
  this->expect_state(store, 0);
}

TYPED_TEST(Snapshots, SmoothFlowByDefault_HasEightTimesAsManyStatesAsFitRaw) {
  constexpr std::size_t cells = 64, raw_states = 2;
  Kokkos::View<double***, Kokkos::LayoutRight, typename TypeParam::memory_space> const flow(
      "flow", cells, cells, cells);
  auto const host = Kokkos::create_mirror_view(flow);
  SnapshotStore<TypeParam> store(this->exec, raw_states * flow.size() * sizeof(double));
  for (std::uint64_t step = 0; step < 8 * raw_states; ++step) {
    auto const wave = [](std::size_t i) { return std::sin(0.1 * static_cast<double>(i)); };
    for (std::size_t i = 0; i < cells; ++i)
      for (std::size_t j = 0; j < cells; ++j)
        for (std::size_t k = 0; k < cells; ++k)
          host(i, j, k) = wave(i + step) * wave(2 * j + 1) * wave(k + 5) + 0.1 * wave(3 * k + j);
    Kokkos::deep_copy(this->exec, flow, host);
    store.put(step, flow);
  }
  EXPECT_EQ(store.stats().states, 8 * raw_states);
  EXPECT_LE(store.stats().stored_bytes, store.stats().budget_bytes);
}

TYPED_TEST(Snapshots, StateLargerThanTheBudget_IsRefused) {
  this->compute(0);
  for (WhenFull const when_full : {WhenFull::refuse, WhenFull::evict_oldest}) {
    SnapshotStore<TypeParam> store(this->exec, 1000, this->options(when_full));
    EXPECT_EQ(error_of([&] { store.put(0, this->view); }).status(), Status::buffer_too_small);
  }
}

TYPED_TEST(Snapshots, RandomPutsAndErasures_KeepEveryStateThatIsThere) {
  Random random(3);
  SnapshotStore<TypeParam> store(this->exec, 1 << 20, this->options(WhenFull::evict_oldest));
  for (int i = 0; i < 100; ++i) {
    std::uint64_t const step = random.below(30);
    if (store.contains(step)) {
      if (random.one_in(2)) this->expect_state(store, step);
      store.erase(step);
    } else {
      this->compute(step);
      store.put(step, this->view);
    }
  }
  ASSERT_FALSE(store.steps().empty());
  for (std::uint64_t const step : store.steps()) this->expect_state(store, step);
}

TYPED_TEST(Snapshots, ViewsWithNames_HaveStatesOfTheirOwn) {
  Kokkos::View<int*, typename TypeParam::memory_space> const numbers("numbers", 100);
  Kokkos::deep_copy(numbers, 7);
  SnapshotOptions lossless;
  lossless.coding = {.bound = ErrorBound::lossless()};
  SnapshotStore<TypeParam> store(this->exec, 4 << 20, lossless);
  this->compute(1);
  store.put(1, this->view, "u");
  store.put(1, numbers, "n");
  Kokkos::deep_copy(numbers, 8);
  store.get(1, numbers, "n");
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), numbers)(99), 7);
  EXPECT_EQ(store.steps("u"), Steps{1});
  EXPECT_TRUE(store.steps().empty());
}

TYPED_TEST(Snapshots, WhatCannotBeMeant_IsRefused) {
  SnapshotStore<TypeParam> store(this->exec, 4 << 20, this->options(WhenFull::refuse));
  store.put(3, this->view);
  auto const refused = [](Status status, std::string const& words, auto const& call) {
    Error const error = error_of(call);
    EXPECT_EQ(error.status(), status);
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  };
  Kokkos::View<double***, typename TypeParam::memory_space> const other("other", 40, 40, 41);
  refused(Status::bad_argument, "already a state of step 3", [&] { store.put(3, this->view); });
  refused(Status::bad_argument, "there are steps 3", [&] { store.get(4, this->view); });
  refused(Status::bad_argument, "of step 3 of 'u'", [&] { store.get(3, this->view, "u"); });
  refused(Status::type_mismatch, "40 x 40 x 40 values of f64", [&] { store.get(3, other); });
  refused(Status::bad_argument, "step 5", [&] { store.erase(5); });
  store.clear();
  EXPECT_EQ(store.stats().states, 0u);
}

}  // namespace
}  // namespace kompakt::test
