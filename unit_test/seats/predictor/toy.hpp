#ifndef KOMPAKT_UNIT_TEST_SEATS_PREDICTOR_TOY_HPP
#define KOMPAKT_UNIT_TEST_SEATS_PREDICTOR_TOY_HPP

#include <Kokkos_Core.hpp>
#include <core/checksum.hpp>
#include <core/fp_environment.hpp>
#include <core/team.hpp>
#include <core/types.hpp>
#include <pipeline/decode_args.hpp>
#include <pipeline/encode_args.hpp>
#include <predictor/table.hpp>

namespace kompakt::impl {

/// Every bin from that of the field's first value.
struct ToyOffset : TilePredictor {
  struct Context {
    std::uint64_t offset;
  };
  template <class T>
  KOKKOS_FUNCTION static Context context(EncodeArgs<T> const& args) {
    return {*reinterpret_cast<std::uint64_t const*>(args.predictor_section())};
  }
  template <class T>
  KOKKOS_FUNCTION static Context context(DecodeArgs<T> const& args) {
    return {*reinterpret_cast<std::uint64_t const*>(args.predictor_section.data)};
  }

  template <class Shape, class U, class Team>
  KOKKOS_FUNCTION static void difference(Team const& team, Context context, U* bins, U*) {
    auto const offset = static_cast<U>(context.offset);
    team_for(team, tile_values - 1, [=](int i) { bins[i + 1] -= offset; });
    team.team_barrier();
  }
  template <class Shape, class U, class Team>
  KOKKOS_FUNCTION static void integrate(Team const& team, Context context, U* residuals, U*) {
    auto const offset = static_cast<U>(context.offset);
    team_for(team, tile_values - 1, [=](int i) { residuals[i + 1] += offset; });
    team.team_barrier();
  }

  template <class T>
  struct WriteSection {
    EncodeArgs<T> args;

    KOKKOS_FUNCTION void operator()(int) const {
      [[maybe_unused]] FpEnvironment const environment;
      bin_t<T> bin;
      args.state->quantizer.classify(args.field[0], bin);
      auto* const section = reinterpret_cast<std::uint64_t*>(args.predictor_section());
      section[0] = static_cast<std::uint64_t>(static_cast<unsigned_t<T>>(bin));
      section[1] = 0;
      auto const seed = static_cast<std::uint32_t>(SectionId::predictor);
      args.state->found.predictor_checksum =
          checksum_words(reinterpret_cast<std::uint32_t const*>(section), 4, seed);
    }
  };
  template <class Exec, class T>
  static void prepare(Exec const& exec, EncodeArgs<T> const& args) {
    Kokkos::parallel_for("kompakt::toy::section", Kokkos::RangePolicy<Exec>(exec, 0, 1),
                         WriteSection<T>{args});
  }
};

template <>
struct PredictorAt<seat::ToyOffset> {
  using type = ToyOffset;
};

}  // namespace kompakt::impl

#endif
