#ifndef KOMPAKT_UNIT_TEST_SUPPORT_WAVE_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_WAVE_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>

namespace kompakt::test {

/// The magnitude of the difference of complex numbers; of floats exact in double but for its root.
template <class Complex>
double distance(Complex const& a, Complex const& b) {
  return std::hypot(double{a.real()} - b.real(), double{a.imag()} - b.imag());
}

/// Complex numbers on a circle, as a View of one index, and how far others are from them.
template <class Exec, class Part = float>
struct Wave {
  using Complex = Kokkos::complex<Part>;
  using View = Kokkos::View<Complex*, typename Exec::memory_space>;
  static constexpr double radius = 2000, bound = 4;

  explicit Wave(std::size_t size) : view("wave", size) { fill(); }

  void fill() const {
    auto const host = Kokkos::create_mirror_view(view);
    for (std::size_t i = 0; i < host.extent(0); ++i) host(i) = value(i);
    Kokkos::deep_copy(view, host);
  }
  void clear() const { Kokkos::deep_copy(view, Complex(0)); }
  /// The largest magnitude of a difference.
  double largest_error() const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    double largest = 0;
    for (std::size_t i = 0; i < host.extent(0); ++i) {
      largest = std::max(largest, distance(host(i), value(i)));
    }
    return largest;
  }

  View view;

 private:
  static Complex value(std::size_t i) {
    double const angle = 0.01 * static_cast<double>(i);
    return {static_cast<Part>(radius * std::cos(angle)),
            static_cast<Part>(radius * std::sin(angle))};
  }
};

}  // namespace kompakt::test

#endif
