#ifndef KOMPAKT_UNIT_TEST_CHECKPOINT_SAVER_STATE_HPP
#define KOMPAKT_UNIT_TEST_CHECKPOINT_SAVER_STATE_HPP

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <kompakt/checkpoint.hpp>

namespace kompakt::test {

/// What checkpoint_saver saves: a field and a number, both of which follow from the step.
struct SaverState {
  using Exec = Kokkos::Serial;
  static constexpr std::size_t n = 48;
  static constexpr double bound = 1e-3;

  Kokkos::View<double***, Exec> field{"field", n, n, n};
  Kokkos::View<std::uint64_t*, Exec> number{"number", 1};

  static double value(std::uint64_t step, std::size_t i, std::size_t j, std::size_t k) {
    auto const wave = [](std::size_t a) { return std::sin(0.1 * static_cast<double>(a)); };
    return static_cast<double>(step) + wave(i) * wave(j + 3) + wave(k + step % 50);
  }
  void compute(std::uint64_t step) const {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < n; ++k) field(i, j, k) = value(step, i, j, k);
    number(0) = step;
  }
  /// Whether all is within the bounds of a step.
  bool is_of(std::uint64_t step) const {
    bool good = number(0) == step;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < n; ++k)
          good = good && std::fabs(field(i, j, k) - value(step, i, j, k)) <= bound * (1 + 1e-9);
    return good;
  }
  Checkpoint<Exec> checkpoint(std::filesystem::path const& folder) const {
    Checkpoint<Exec> result(Exec(), folder, "saver", {.keep = 2, .frame_bytes = 64 << 10});
    result.add("field", field, Options{.bound = ErrorBound::absolute(bound)});
    result.add_lossless("number", number);
    return result;
  }
};

}  // namespace kompakt::test

#endif
