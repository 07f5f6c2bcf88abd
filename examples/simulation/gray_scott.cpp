#include "gray_scott.hpp"

namespace simulation {
namespace {

struct Pair {
  double u = 0, v = 0;
};

/// How fast a point reacts.
KOKKOS_INLINE_FUNCTION Pair rate(Model const& model, Pair at) {
  double const reaction = at.u * at.v * at.v;
  return {-reaction + model.feed * (1 - at.u), reaction - (model.feed + model.kill) * at.v};
}

/// The transpose of its derivative, times `by`.
KOKKOS_INLINE_FUNCTION Pair rate_adjoint(Model const& model, Pair at, Pair by) {
  double const vv = at.v * at.v, uv = 2 * at.u * at.v;
  return {(-vv - model.feed) * by.u + vv * by.v,
          -uv * by.u + (uv - model.feed - model.kill) * by.v};
}

/// Its derivative by the feed rate, times `by`.
KOKKOS_INLINE_FUNCTION double rate_by_feed(Pair at, Pair by) {
  return (1 - at.u) * by.u - at.v * by.v;
}

KOKKOS_INLINE_FUNCTION Pair along(Pair from, double by, Pair direction) {
  return {from.u + by * direction.u, from.v + by * direction.v};
}

Kokkos::RangePolicy<Exec> points_of(Exec const& exec, Field::Vector const& vector) {
  return {exec, 0, vector.extent(0)};
}

/// Spots: where, in parts of the edges.
struct Spots {
  static constexpr int count = 8;
  double at[count][3] = {{.21, .23, .71}, {.52, .31, .22}, {.78, .64, .43}, {.33, .82, .57},
                         {.11, .57, .14}, {.64, .91, .84}, {.87, .14, .92}, {.47, .53, .49}};
  double width = 0.08;
};

}  // namespace

void copy(Exec const& exec, State const& from, State& to) {
  Kokkos::deep_copy(exec, to.u.vector(), from.u.vector());
  Kokkos::deep_copy(exec, to.v.vector(), from.v.vector());
  to.time = from.time;
  to.step = from.step;
}

void set_initial(Exec const& exec, Grid const& grid, State& state) {
  auto const u = state.u.vector(), v = state.v.vector();
  auto const [nx, ny, nz] = grid.points();
  double const x_of = 1.0 / static_cast<double>(nx), y_of = 1.0 / static_cast<double>(ny),
               z_of = 1.0 / static_cast<double>(nz);
  std::size_t const first = grid.first_plane(), plane = grid.plane_size(), row = nz;
  Spots const spots;
  Kokkos::parallel_for(
      "simulation::initial", points_of(exec, u), KOKKOS_LAMBDA(std::size_t n) {
        double const at[3] = {static_cast<double>(first + n / plane) * x_of,
                              static_cast<double>(n % plane / row) * y_of,
                              static_cast<double>(n % row) * z_of};
        double all = 0;
        for (auto const& spot : spots.at) {
          double distance = 0;  // periodic: of points on circles
          for (int axis = 0; axis < 3; ++axis) {
            double const half_chord =
                Kokkos::sin(Kokkos::numbers::pi * (at[axis] - spot[axis])) / Kokkos::numbers::pi;
            distance += half_chord * half_chord;
          }
          all += Kokkos::exp(-distance / (spots.width * spots.width));
        }
        v(n) = 0.25 * (1 - Kokkos::exp(-2 * all));
        u(n) = 1 - 2 * v(n);
      });
  state.time = 0;
  state.step = 0;
}

void react(Exec const& exec, Model const& model, double dt, State const& state) {
  auto const u = state.u.vector(), v = state.v.vector();
  Kokkos::parallel_for(
      "simulation::react", points_of(exec, u), KOKKOS_LAMBDA(std::size_t n) {
        Pair const at{u(n), v(n)};
        Pair const first = rate(model, at);
        Pair const second = rate(model, along(at, dt, first));
        u(n) += 0.5 * dt * (first.u + second.u);
        v(n) += 0.5 * dt * (first.v + second.v);
      });
}

double react_adjoint(Exec const& exec, Model const& model, double dt, State const& before,
                     State const& adjoint) {
  auto const u = before.u.vector(), v = before.v.vector();
  auto const by_u = adjoint.u.vector(), by_v = adjoint.v.vector();
  double by_feed = 0;
  Kokkos::parallel_reduce(
      "simulation::react_adjoint", points_of(exec, u),
      KOKKOS_LAMBDA(std::size_t n, double& sum) {
        Pair const at{u(n), v(n)}, end{by_u(n), by_v(n)};
        Pair const middle = along(at, dt, rate(model, at));
        Pair const by_second{0.5 * dt * end.u, 0.5 * dt * end.v};
        Pair const by_middle = rate_adjoint(model, middle, by_second);
        Pair const by_first = along(by_second, dt, by_middle);
        Pair const through = rate_adjoint(model, at, by_first);
        sum += rate_by_feed(middle, by_second) + rate_by_feed(at, by_first);
        by_u(n) = end.u + by_middle.u + through.u;
        by_v(n) = end.v + by_middle.v + through.v;
      },
      by_feed);
  return by_feed;
}

Means means_of(Exec const& exec, Grid const& grid, State const& state) {
  auto const u = state.u.vector(), v = state.v.vector();
  Means sums;
  Kokkos::parallel_reduce(
      "simulation::means", points_of(exec, u),
      KOKKOS_LAMBDA(std::size_t n, double& sum_u, double& sum_v, double& sum_reaction) {
        sum_u += u(n);
        sum_v += v(n);
        sum_reaction += u(n) * v(n) * v(n);
      },
      sums.u, sums.v, sums.reaction);
  auto const points = static_cast<double>(grid.size());
  return {grid.sum(sums.u) / points, grid.sum(sums.v) / points, grid.sum(sums.reaction) / points};
}

}  // namespace simulation
