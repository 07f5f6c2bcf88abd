#ifndef KOMPAKT_UNIT_TEST_SUPPORT_SPACES_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_SPACES_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <kompakt/spaces.hpp>
#include <string>
#include <tuple>
#include <type_traits>

namespace kompakt::test {

/// The execution spaces of a list, as a list of gtest's: all, or those of the host.
template <bool of_host_only, class Entries, class... Kept>
struct SpacesOf {
  using type = testing::Types<Kept...>;
};
template <bool of_host_only, class Entry, class... Rest, class... Kept>
struct SpacesOf<of_host_only, std::tuple<Entry, Rest...>, Kept...>
    : std::conditional_t<!of_host_only || is_host_space<typename Entry::Exec>,
                         SpacesOf<of_host_only, std::tuple<Rest...>, Kept..., typename Entry::Exec>,
                         SpacesOf<of_host_only, std::tuple<Rest...>, Kept...>> {};

/// Every execution space of the host that is compiled in.
using HostSpaces = typename SpacesOf<true, impl::CompiledSpaces>::type;
/// Every execution space that is compiled in.
using Spaces = typename SpacesOf<false, impl::CompiledSpaces>::type;

/// Names of typed tests.
struct SpaceName {
  template <class Exec>
  static std::string GetName(int) {
    return Exec::name();
  }
};

}  // namespace kompakt::test

#endif
