#ifndef KOMPAKT_UNIT_TEST_SUPPORT_REGION_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_REGION_HPP

#include <cstring>
#include <support/codec.hpp>

namespace kompakt::test {

/// Decompresses a region of a field of 14 x 30 x 50 values into the middle of a View, and expects the bits of the whole there.
/// \tparam Value  of the View
/// \param whole   what the stream decompresses to
template <class Value, class Exec, class T>
void expect_region_in_view(Codec<Exec> const& codec, Exec const& exec, Workspace<Exec>& workspace,
                           std::vector<std::byte> const& stream, std::vector<T> const& whole) {
  static_assert(sizeof(Value) == sizeof(T));
  using Memory = typename Exec::memory_space;
  Kokkos::View<Value***, Kokkos::LayoutRight, Memory> const outer("outer", 5, 12, 25);
  auto const region = Kokkos::subview(outer, Kokkos::ALL, std::pair(1, 11), std::pair(3, 23));
  auto const bytes = codec.upload(stream);
  decompress(exec, Kokkos::View<std::byte const*, Memory>(bytes), workspace, region,
             Box{{4, 10, 20}, {9, 20, 40}});
  auto const values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), outer);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 10; ++j) {
      for (std::size_t k = 0; k < 20; ++k) {
        T const& expected = whole[((i + 4) * 30 + j + 10) * 50 + k + 20];
        ASSERT_EQ(std::memcmp(&values(i, j + 1, k + 3), &expected, sizeof(T)), 0)
            << i << " " << j << " " << k;
      }
    }
  }
}

}  // namespace kompakt::test

#endif
