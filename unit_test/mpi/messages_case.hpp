#ifndef KOMPAKT_UNIT_TEST_MPI_MESSAGES_CASE_HPP
#define KOMPAKT_UNIT_TEST_MPI_MESSAGES_CASE_HPP

#include <Kokkos_Core.hpp>
#include <cstring>
#include <kompakt/mpi.hpp>
#include <limits>
#include <string>
#include <support/exact.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>
#include <support/tools_recorder.hpp>
#include <vector>

#include "ranks.hpp"

namespace kompakt::test {

/// What tests that hand pointers of the execution space to MPI ask for: an MPI that takes none of a device would
/// read them as the host's.
#ifdef KOKKOS_ENABLE_CUDA
inline constexpr auto pointers_of_the_space = mpi::GpuAware::ask;
#else
inline constexpr auto pointers_of_the_space = mpi::GpuAware::yes;
#endif

/// How messages go: every test of values takes all of these.
struct Way {
  char const* name;
  mpi::MessageOptions options;
};

inline std::vector<Way> ways() {
  using mpi::GpuAware;
  constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();
  return {{"compressed", {0, std::size_t{1} << 24, GpuAware::no}},
          {"compressed in pieces", {0, 4096, GpuAware::no}},
          {"compressed in pieces, with pointers of the device", {0, 4096, pointers_of_the_space}},
          {"raw", {everything, std::size_t{1} << 24, GpuAware::no}},
          {"raw in pieces", {everything, 4096, GpuAware::no}},
          {"raw in pieces, with pointers of the device", {everything, 4096, pointers_of_the_space}},
          {"small ones raw", {10000, 20000, GpuAware::ask}}};
}

inline constexpr double bound = 1e-3;
inline Options absolute_options(Pipeline pipeline = Pipeline::fixedlength) {
  Options options;
  options.bound = ErrorBound::absolute(bound);
  options.pipeline = pipeline;
  return options;
}

/// Values of a field that a rank has, different for each seed.
template <class T>
std::vector<T> values_of(FieldShape const& shape, int seed, Family family = Family::smooth) {
  return make_field<T>(family, shape, static_cast<std::uint64_t>(seed) + 1);
}

/// A View of three indices with these values.
template <class View>
View view_of(std::vector<typename View::non_const_value_type> const& values, std::size_t nx,
             std::size_t ny, std::size_t nz) {
  using T = typename View::non_const_value_type;
  Kokkos::View<T***, Kokkos::LayoutRight, Kokkos::HostSpace> const host("host", nx, ny, nz);
  if (!values.empty()) std::memcpy(host.data(), values.data(), values.size() * sizeof(T));
  View const view("field", nx, ny, nz);
  auto const mirror = Kokkos::create_mirror_view(view);
  for (std::size_t x = 0; x < nx; ++x)
    for (std::size_t y = 0; y < ny; ++y)
      for (std::size_t z = 0; z < nz; ++z) mirror(x, y, z) = host(x, y, z);
  Kokkos::deep_copy(view, mirror);
  return view;
}

/// Its values, the last index fastest.
template <class View>
std::vector<typename View::non_const_value_type> values_in(View const& view) {
  Kokkos::View<typename View::non_const_value_type***, Kokkos::LayoutRight,
               typename View::memory_space> const dense("dense", view.extent(0), view.extent(1),
                                                        view.extent(2));
  Kokkos::deep_copy(dense, view);
  auto const mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), dense);
  std::vector<typename View::non_const_value_type> values;
  for (std::size_t x = 0; x < view.extent(0); ++x)
    for (std::size_t y = 0; y < view.extent(1); ++y)
      for (std::size_t z = 0; z < view.extent(2); ++z) values.push_back(mirror(x, y, z));
  return values;
}

/// Every value within a bound of the one that was sent; all others bit for bit.
template <class T>
void expect_within(std::vector<T> const& sent, std::vector<T> const& received, double abs_bound,
                   std::string const& what) {
  ASSERT_EQ(sent.size(), received.size()) << what;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    bool const same = std::memcmp(&sent[i], &received[i], sizeof(T)) == 0;
    if constexpr (std::is_floating_point_v<T>) {
      bool const close = std::isfinite(sent[i]) && std::isfinite(received[i]) &&
                         within(sent[i], received[i], abs_bound);
      wrong += same || close ? 0 : 1;
    } else {
      wrong += same ? 0 : 1;
    }
  }
  EXPECT_EQ(wrong, 0u) << what << ": values outside the bound, of " << sent.size();
}

template <class Exec>
using Cube = Kokkos::View<float***, Kokkos::LayoutRight, typename Exec::memory_space>;

}  // namespace kompakt::test

#endif
