#include <support/codec.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>

namespace kompakt::test {

/// Everything that could come out differently: types, ranks, families, bounds.
template <class Visit>
void for_each_case(Visit const& visit) {
  for (Family const family : all_families) {
    for (double const e : {1e-2, 1e-5}) {
      Options const options{.bound = ErrorBound::relative_to_range(e)};
      visit.template operator()<float>(family, shape_from<float>({30011}), options);
      visit.template operator()<float>(family, shape_from<float>({17, 41, 83}), options);
      visit.template operator()<double>(family, shape_from<double>({131, 257}), options);
    }
  }
}

template <class Exec>
class SameBytes : public testing::Test {};
TYPED_TEST_SUITE(SameBytes, Spaces, SpaceName);

TYPED_TEST(SameBytes, AsOnTheDefaultHostSpace_AndInTheNextRun) {
  Codec<Kokkos::DefaultHostExecutionSpace> reference;
  Codec<TypeParam> codec;
  for_each_case([&]<class T>(Family family, FieldShape const& shape, Options const& options) {
    SCOPED_TRACE(name_of(family));
    auto const field = make_field<T>(family, shape);
    auto const expected = reference.compress(field, shape, options);
    expect_same_bytes(codec.compress(field, shape, options), expected, "first run");
    expect_same_bytes(codec.compress(field, shape, options), expected, "second run");
  });
}

#ifdef KOKKOS_ENABLE_OPENMP
// The two-pass body against the one-pass override, through the same arguments.
template <class T>
std::vector<std::byte> encode_generic(std::vector<T> const& field, FieldShape const& shape,
                                      Options const& options) {
  // Room for exactly this stream is too little to stage ranges in: the override steps aside.
  Codec<Kokkos::OpenMP> codec;
  std::size_t const size = codec.compress(field, shape, options).size();
  Kokkos::OpenMP const exec;
  Workspace<Kokkos::OpenMP> workspace(exec);
  Kokkos::View<std::byte*, Kokkos::HostSpace> const stream("stream", size);
  kompakt::compress(exec, ConstFieldData(field.data(), shape), options, workspace, stream);
  return {stream.data(), stream.data() + size};
}

TEST(SameBytesOfBodies, GenericAndOpenMP_Agree) {
  FieldShape const shape = shape_from<float>({40, 50, 60});
  for (Family const family : {Family::smooth, Family::nan_islands, Family::zeros}) {
    auto const field = make_field<float>(family, shape);
    Codec<Kokkos::OpenMP> codec;
    expect_same_bytes(encode_generic(field, shape, {}), codec.compress(field, shape, {}),
                      name_of(family));
  }
}
#endif

}  // namespace kompakt::test
