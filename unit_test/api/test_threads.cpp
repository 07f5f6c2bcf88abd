#include <gtest/gtest.h>

#include <core/parallel_teams.hpp>
#include <kompakt/any_codec.hpp>
#include <kompakt/metrics.hpp>
#include <kompakt/threads.hpp>
#include <pipeline/dispatch.hpp>
#include <support/codec.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>
#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace kompakt::test {
namespace {

/// call() fails with a status and a text that has these words in it.
template <class Call>
void expect_refused(Status status, std::string const& words, Call const& call) {
  Error const error = error_of(call);
  EXPECT_EQ(error.status(), status);
  EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
}

TEST(HostThreads, MoreThanThereArePlacesFor_AreRefused) {
  expect_refused(Status::bad_argument, std::to_string(max_host_threads + 1),
                 [] { require_possible_threads(max_host_threads + 1); });
  expect_refused(Status::bad_argument, "30000", [] { host_threads(30000); });
  require_possible_threads(1);
  EXPECT_EQ(host_threads(1).count, 1);
}

#ifdef KOKKOS_ENABLE_OPENMP

/// Settings of OpenMP that a call meets in an application; as before at the end.
class OpenMPSettings : public testing::Test {
 protected:
  void SetUp() override {
    if (m_exec.concurrency() < 2) GTEST_SKIP() << "Kokkos has one thread";
  }
  void TearDown() override {
    omp_set_dynamic(m_dynamic);
    omp_set_max_active_levels(m_levels);
  }

  /// Every call that starts kernels, by name.
  std::vector<std::pair<char const*, std::function<void()>>> calls() {
    return {{"compress", [this] { m_codec.compress(m_field, m_shape, m_options); }},
            {"decompress", [this] { m_codec.decompress<float>(m_stream, m_shape); }},
            {"field_range",
             [this] {
               Workspace<Kokkos::OpenMP> workspace(m_exec);
               kompakt::field_range(m_exec, view(), FillValue::none(), workspace);
             }},
            {"error_stats", [this] { kompakt::error_stats(m_exec, view(), view(), 1e-3); }},
            {"metrics", [this] { kompakt::metrics(m_exec, view(), view(), 1e-3); }},
            {"AnyCodec", [this] { AnyCodec const codec(m_exec); }}};
  }
  Kokkos::View<float const*, Kokkos::HostSpace> view() const {
    return Kokkos::View<float const*, Kokkos::HostSpace>(m_field.data(), m_field.size());
  }

  Kokkos::OpenMP const m_exec;
  int const m_dynamic = omp_get_dynamic(), m_levels = omp_get_max_active_levels();
  Options const m_options{.bound = ErrorBound::absolute(1e-3)};
  FieldShape const m_shape = shape_from<float>({61, 66, 67});
  std::vector<float> const m_field = make_field<float>(Family::smooth, m_shape);
  Codec<Kokkos::OpenMP> m_codec;
  std::vector<std::byte> const m_stream = m_codec.compress(m_field, m_shape, m_options);
  std::vector<float> const m_values = m_codec.decompress<float>(m_stream, m_shape);
};

TEST_F(OpenMPSettings, FewerThreadsByChoiceOfTheRuntime_AreNotTaken) {
  omp_set_dynamic(1);
  EXPECT_EQ(m_codec.compress(m_field, m_shape, m_options), m_stream);
  EXPECT_EQ(m_codec.decompress<float>(m_stream, m_shape), m_values);
  EXPECT_NE(omp_get_dynamic(), 0) << "the setting is the application's";
}

TEST_F(OpenMPSettings, NoActiveLevels_AreRefusedByEveryCall) {
  for (auto const& [name, call] : calls()) {
    omp_set_max_active_levels(0);
    expect_refused(Status::device, "omp_get_max_active_levels() is 0", call);
    omp_set_max_active_levels(m_levels);
    call();
  }
}

TEST_F(OpenMPSettings, CallInAParallelRegion_IsRefused) {
  for (auto const& [name, call] : calls()) {
    std::exception_ptr thrown;
#pragma omp parallel num_threads(2)
#pragma omp single
    try {
      call();
    } catch (...) {
      thrown = std::current_exception();
    }
    expect_refused(Status::device, std::string(name) + ": called in a parallel region", [&] {
      if (thrown) std::rethrow_exception(thrown);
    });
  }
}

TEST_F(OpenMPSettings, InstanceWithMoreThreadsThanTheDefaultOne_IsHeldToItsOwn) {
  int const threads = m_exec.concurrency() + 2;
  Kokkos::OpenMP const larger(threads);
  omp_set_max_active_levels(0);
  expect_refused(Status::device, "OpenMP gives 1 of the " + std::to_string(threads) + " threads",
                 [&] { kompakt::error_stats(larger, view(), view(), ErrorBound::absolute(1e-3)); });
}

TEST_F(OpenMPSettings, CallInARegionOfOneThread_LeavesNoValueUndone) {
  std::vector<float> other = m_field;
  for (float& value : other) value += 1;
  Kokkos::View<float const*, Kokkos::HostSpace> const moved(other.data(), other.size());
  omp_set_max_active_levels(3);
  Kokkos::OpenMP const larger(omp_get_num_procs() + 2);  // more than the runtime gives by itself
  std::uint64_t violations = 0;
#pragma omp parallel num_threads(1)
  {
    omp_set_dynamic(1);
    violations = kompakt::error_stats(larger, view(), moved, ErrorBound::absolute(1e-3)).violations;
  }
  EXPECT_EQ(violations, other.size());
}

TEST_F(OpenMPSettings, MoreThreadsThanKokkosHasPlacesFor_AreRefused) {
  expect_refused(Status::device, "Kokkos was initialised with 513 threads, and has places for 512",
                 [] { impl::begin_regions(513); });
}

/// Adds 1 to the word of a team.
struct CountTeams {
  int* words;
  template <class Team>
  void operator()(Team const& team) const {
    ++words[team.league_rank()];
  }
};

TEST_F(OpenMPSettings, KernelThatDoesNotRunAsAWhole_IsAnError) {
  std::vector<int> words(100);
  auto const policy = impl::generic_policy(m_exec, 100, 0);
  impl::parallel_teams("teams", policy, CountTeams{words.data()});
  EXPECT_EQ(words, std::vector<int>(100, 1));
  omp_set_max_active_levels(0);  // past the doors, which would refuse this
  expect_refused(Status::device, "of 100 teams ran",
                 [&] { impl::parallel_teams("teams", policy, CountTeams{words.data()}); });
}

#endif

}  // namespace
}  // namespace kompakt::test
