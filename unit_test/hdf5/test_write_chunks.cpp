#include "h5z_case.hpp"

#include <support/errors.hpp>
#include <support/spaces.hpp>

namespace kompakt::test {
namespace {

template <class Exec>
class WriteChunks : public testing::Test {};
TYPED_TEST_SUITE(WriteChunks, Spaces, SpaceName);

std::vector<hsize_t> const extents{50, 40, 30};
constexpr std::size_t values_count = 50 * 40 * 30;

template <class Exec, class T, class Layout>
Kokkos::View<T***, Layout, Exec> view_of(std::vector<T> const& values) {
  Kokkos::View<T***, Layout, Exec> const view("field", extents[0], extents[1], extents[2]);
  auto const host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < values.size(); ++i) {
    host(i / (40 * 30), i / 30 % 40, i % 30) = values[i];
  }
  Kokkos::deep_copy(view, host);
  return view;
}

/// Writes a field by write_chunks() and reads it through the filter.
template <class Exec, class T, class Layout = Kokkos::LayoutRight>
std::vector<T> written(std::vector<T> const& values, Options const& options,
                       std::vector<hsize_t> const& chunk) {
  MemoryFile const file;
  Dcpl const dcpl(chunk);
  H5Pset_kompakt_lossless(dcpl);
  Dataset const dataset(file, hdf5_type<T>(), extents, dcpl);
  hdf5::write_chunks(Exec(), dataset, view_of<Exec, T, Layout>(values), options);
  return dataset.template read<T>(values.size());
}

template <class T>
double width_of(std::vector<T> const& values) {
  auto const [least, most] = std::minmax_element(values.begin(), values.end());
  return static_cast<double>(*most) - static_cast<double>(*least);
}

TYPED_TEST(WriteChunks, BoundOfTheField_HoldsInEachChunkOfEachLayout) {
  auto const check = [&]<class T, class Layout>(T, Layout) {
    for (std::vector<hsize_t> const& chunk :
         {std::vector<hsize_t>{16, 16, 16}, {50, 40, 30}, {17, 8, 7}}) {
      for (Pipeline const pipeline :
           {Pipeline::fixedlength, Pipeline::bitshuffle, Pipeline::huffman, Pipeline::rans}) {
        Options options;
        options.pipeline = pipeline;
        options.bound = ErrorBound::relative_to_range(1e-3);
        auto const values = make_field<T>(Family::walk, shape_of(extents, impl::dtype_of<T>()));
        FieldRange const range{true, 0, width_of(values), {}};
        expect_promise(values, written<TypeParam, T, Layout>(values, options, chunk),
                       range.bound(1e-3));
      }
    }
  };
  check(float{}, Kokkos::LayoutRight{});
  check(double{}, Kokkos::LayoutRight{});
  check(float{}, Kokkos::LayoutLeft{});
}

TYPED_TEST(WriteChunks, OtherBounds_HoldForTheField) {
  std::vector<hsize_t> const chunk{16, 16, 16};
  auto const values = make_field<double>(Family::walk, shape_of(extents, Dtype::f64));
  for (ErrorBound const bound :
       {ErrorBound::absolute(0.01), ErrorBound::relative_to_value(0.01), ErrorBound::lossless()}) {
    Options options;
    options.bound = bound;
    expect_promise(values, written<TypeParam>(values, options, chunk), bound);
  }
}

// Errors are measured for differences alone: without these each error is small enough for the PSNR.
TYPED_TEST(WriteChunks, Psnr_IsReachedByTheFieldWithEveryPredictor) {
  auto const values = make_field<double>(Family::walk, shape_of(extents, Dtype::f64));
  for (Predictor const predictor : {Predictor::chain, Predictor::tile, Predictor::interpolate}) {
    for (double const decibels : {30.0, 60.0, 90.0}) {
      Options options;
      options.pipeline = Pipeline::bitshuffle;
      options.predictor = predictor;
      options.bound = ErrorBound::psnr(decibels);
      auto const restored = written<TypeParam>(values, options, {16, 16, 16});
      double sum = 0, largest = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        double const error = std::abs(values[i] - restored[i]);
        sum += error * error;
        largest = std::max(largest, error);
      }
      double const width = width_of(values),
                   rmse = std::sqrt(sum / static_cast<double>(values_count));
      EXPECT_GE(20 * std::log10(width / rmse), decibels) << to_string(predictor);
      bool const counts_errors = predictor != Predictor::interpolate;
      EXPECT_EQ(20 * std::log10(width / largest) < decibels, counts_errors) << to_string(predictor);
    }
  }
}

TYPED_TEST(WriteChunks, ConstantFieldAndNaN_ComeBackExactly) {
  std::vector<hsize_t> const chunk{16, 16, 16};
  for (Family const family : {Family::constant, Family::nan_islands}) {
    auto values = make_field<float>(family, shape_of(extents, Dtype::f32));
    if (family == Family::constant) values[77] = std::numeric_limits<float>::quiet_NaN();
    Options options;
    options.bound = family == Family::constant ? ErrorBound::relative_to_range(1e-3)
                                               : ErrorBound::absolute(1e-3);
    expect_promise(values, written<TypeParam>(values, options, chunk),
                   family == Family::constant ? 0.0 : 1e-3);
  }
}

TYPED_TEST(WriteChunks, FillValueThatIsFound_IsThatOfAllChunks) {
  auto values = make_field<float>(Family::land, shape_of(extents, Dtype::f32));
  Options options;
  options.bound = ErrorBound::relative_to_range(1e-3);
  options.fill = FillValue::automatic();
  auto const restored = written<TypeParam>(values, options, {16, 16, 16});
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == static_cast<float>(fill_value)) {
      ASSERT_EQ(restored[i], values[i]);
    } else {
      ASSERT_NEAR(restored[i], values[i], 0.1);
    }
  }
}

TYPED_TEST(WriteChunks, WhatIsNotTheDatasets_IsRefused) {
  Quiet const quiet;
  MemoryFile const file;
  auto const view = view_of<TypeParam, float, Kokkos::LayoutRight>(
      make_field<float>(Family::walk, shape_of(extents, Dtype::f32)));
  auto const refused = [&](hid_t type, std::vector<hsize_t> const& of, hid_t dcpl) {
    Dataset const dataset(file, type, of, dcpl);
    Status const status =
        error_of([&] { hdf5::write_chunks(TypeParam(), dataset, view); }).status();
    H5Ldelete(file, "x", H5P_DEFAULT);
    return status;
  };
  Dcpl const dcpl({16, 16, 16}), plain({16, 16, 16}), two({16, 16, 16});
  H5Pset_kompakt_lossless(dcpl);
  H5Pset_kompakt_lossless(two);
  H5Pset_fletcher32(two);
  EXPECT_EQ(refused(H5T_IEEE_F64LE, extents, dcpl), Status::type_mismatch);
  EXPECT_EQ(refused(H5T_IEEE_F32LE, {50, 40, 31}, dcpl), Status::type_mismatch);
  EXPECT_EQ(refused(H5T_IEEE_F32LE, extents, plain), Status::bad_argument);
  EXPECT_EQ(refused(H5T_IEEE_F32LE, extents, two), Status::bad_argument);
  EXPECT_EQ(error_of([&] { hdf5::write_chunks(TypeParam(), -1, view); }).status(),
            Status::bad_argument);
}

}  // namespace
}  // namespace kompakt::test
