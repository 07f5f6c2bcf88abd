#include <hdf5/h5z_case.hpp>
#include <kompakt/h5z.h>

#include "toys.hpp"

// The filter over a library with a coder and a predictor that it does not know: none of its sources but the one that links
// it to HDF5 is compiled again.

namespace kompakt::test {
namespace {

TEST(SeatsOfH5Z, RoundTrip_IsWithinTheBound) {
  kompakt_options options = kompakt_options_default();
  ASSERT_EQ(kompakt_options_set_text(&options, "abs:1e-3,pipeline=toy,predictor=offset"),
            KOMPAKT_OK)
      << kompakt_last_message();
  std::vector<hsize_t> const extents{40, 50}, chunk{20, 25};
  auto const values = make_field<float>(Family::smooth, shape_of(extents, Dtype::f32));
  MemoryFile const file;
  Dcpl const dcpl(chunk);
  ASSERT_GE(H5Pset_kompakt(dcpl, &options), 0) << error_stack();
  Dataset const dataset(file, hdf5_type<float>(), extents, dcpl);
  ASSERT_GE(dataset, 0) << dataset.error();
  ASSERT_GE(dataset.write(values), 0) << error_stack();
  auto const found = dataset.read<float>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_LE(std::abs(values[i] - found[i]), 1e-3f);
  unsigned mask = 0;
  hsize_t bytes = 0;
  hsize_t const origin[] = {0, 0};
  ASSERT_GE(H5Dget_chunk_storage_size(dataset, origin, &bytes), 0);
  std::vector<std::byte> stored(bytes);
  ASSERT_GE(H5Dread_chunk(dataset, H5P_DEFAULT, origin, &mask, stored.data()), 0);
  EXPECT_EQ(mask, 0u);  // the filter was not left out
}

}  // namespace
}  // namespace kompakt::test
