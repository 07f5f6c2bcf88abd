#ifndef KOMPAKT_UNIT_TEST_CHECKPOINT_CHECKPOINT_CASE_HPP
#define KOMPAKT_UNIT_TEST_CHECKPOINT_CHECKPOINT_CASE_HPP

#include <gtest/gtest.h>

#include <io/temporary_folder.hpp>
#include <kompakt/checkpoint.hpp>
#include <support/codec.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>
#include <support/wave.hpp>

namespace kompakt::test {

/// Words that a message must have.
inline void expect_words(std::string const& message, std::vector<std::string> const& words) {
  for (std::string const& word : words) {
    EXPECT_NE(message.find(word), std::string::npos) << "no '" << word << "' in: " << message;
  }
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

inline Options within(double bound) { return Options{.bound = ErrorBound::absolute(bound)}; }

/// Three values of a simulation, in memory of an execution space: f64 without its ghost cells, f32 in the other layout, and numbers.
template <class Exec>
class Simulation {
 public:
  using Memory = typename Exec::memory_space;
  static constexpr std::size_t nx = 33, ny = 20, nz = 17;
  static constexpr double bound = 1e-4;

  explicit Simulation(std::uint64_t step = 0) { compute(step); }

  /// Makes the state of a step.
  void compute(std::uint64_t step) {
    auto const u = Kokkos::create_mirror_view(m_with_ghosts);
    auto const t = Kokkos::create_mirror_view(temperature);
    auto const n = Kokkos::create_mirror_view(numbers);
    auto const values = state(step);
    for (std::size_t i = 0; i < nx; ++i)
      for (std::size_t j = 0; j < ny; ++j)
        for (std::size_t k = 0; k < nz; ++k) {
          u(i + 1, j + 1, k + 1) = values[(i * ny + j) * nz + k];
          t(i, j) = static_cast<float>(values[(i * ny + j) * nz]);
        }
    for (std::size_t i = 0; i < n.extent(0); ++i) n(i) = static_cast<int>(hash(i + step) % 1000);
    Kokkos::deep_copy(m_with_ghosts, u);
    Kokkos::deep_copy(temperature, t);
    Kokkos::deep_copy(numbers, n);
  }
  void register_at(Checkpoint<Exec>& checkpoint) const {
    checkpoint.add("velocity", velocity(), within(bound));
    checkpoint.add("temperature", temperature,
                   Options{.bound = ErrorBound::relative_to_range(1e-3)});
    checkpoint.add_lossless("numbers", numbers);
  }
  /// Expects that this is the state of a step, but for the bounds.
  void expect_state(std::uint64_t step) const {
    Simulation const exact(step);
    auto const u = host(m_with_ghosts), u_exact = host(exact.m_with_ghosts);
    auto const t = host(temperature), t_exact = host(exact.temperature);
    for (std::size_t i = 0; i < nx; ++i)
      for (std::size_t j = 0; j < ny; ++j) {
        for (std::size_t k = 0; k < nz; ++k) {
          ASSERT_TRUE(test::within(u(i + 1, j + 1, k + 1), u_exact(i + 1, j + 1, k + 1), bound))
              << i << " " << j << " " << k << " of step " << step;
        }
        ASSERT_NEAR(t(i, j), t_exact(i, j), 1e-3 * 10);
      }
    auto const n = host(numbers), n_exact = host(exact.numbers);
    for (std::size_t i = 0; i < n.extent(0); ++i) ASSERT_EQ(n(i), n_exact(i));
  }
  /// All bytes of all values.
  std::vector<std::byte> bytes() const {
    std::vector<std::byte> all;
    auto const add = [&](auto const& view) {
      auto const values = host(view);
      auto const* const begin = reinterpret_cast<std::byte const*>(values.data());
      all.insert(all.end(), begin, begin + values.span() * sizeof(*values.data()));
    };
    add(m_with_ghosts);
    add(temperature);
    add(numbers);
    return all;
  }
  auto velocity() const {
    return Kokkos::subview(m_with_ghosts, std::pair<std::size_t, std::size_t>(1, nx + 1),
                           std::pair<std::size_t, std::size_t>(1, ny + 1),
                           std::pair<std::size_t, std::size_t>(1, nz + 1));
  }

 private:
  static std::vector<double> state(std::uint64_t step) {
    FieldShape const shape{.dtype = Dtype::f64, .rank = 3, .extents = {nx, ny, nz}};
    std::vector<double> values = make_field<double>(Family::smooth, shape);
    for (double& value : values) value += 0.25 * static_cast<double>(step % 1000);
    return values;
  }
  template <class View>
  static auto host(View const& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  }

  Kokkos::View<double***, Kokkos::LayoutRight, Memory> m_with_ghosts{"velocity", nx + 2, ny + 2,
                                                                     nz + 2};

 public:
  Kokkos::View<float**, Kokkos::LayoutLeft, Memory> temperature{"temperature", nx, ny};
  Kokkos::View<int*, Memory> numbers{"numbers", 1000};
};

/// Small frames and buffers, so that there are several.
inline CheckpointOptions small_frames() {
  return {.schema = "test 1", .keep = 2, .frame_bytes = 16 << 10, .buffer_bytes = 1};
}

}  // namespace kompakt::test

#endif
