#include "h5z_case.hpp"

#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <plugin/pool.hpp>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kompakt::test {
namespace {

std::vector<hsize_t> const extents{50, 40, 30}, chunk{32, 16, 30};
constexpr std::size_t values_count = 50 * 40 * 30;

template <class T>
std::vector<T> example(Family family = Family::walk) {
  return make_field<T>(family, shape_of(extents, impl::dtype_of<T>()));
}

template <class T>
void expect_bound(std::function<herr_t(hid_t)> const& set_filter, ErrorBound bound) {
  for (Family const family : {Family::walk, Family::nan_islands, Family::bits}) {
    MemoryFile const file;
    Dcpl const dcpl(chunk);
    ASSERT_GE(set_filter(dcpl), 0);
    Dataset const dataset(file, hdf5_type<T>(), extents, dcpl);
    ASSERT_GE(dataset, 0);
    std::vector<T> const values = example<T>(family);
    ASSERT_GE(dataset.write(values), 0);
    expect_promise(values, dataset.read<T>(values_count), bound);
  }
}

TEST(H5z, Bound_HoldsForEachValue) {
  auto const absolute = [](hid_t dcpl) { return H5Pset_kompakt_absolute(dcpl, 0.01); };
  expect_bound<float>(absolute, ErrorBound::absolute(0.01));
  expect_bound<double>(absolute, ErrorBound::absolute(0.01));
  auto const relative = [](hid_t dcpl) { return H5Pset_kompakt_relative_to_value(dcpl, 0.01); };
  expect_bound<float>(relative, ErrorBound::relative_to_value(0.01));
  expect_bound<double>(relative, ErrorBound::relative_to_value(0.01));
  expect_bound<float>(H5Pset_kompakt_lossless, ErrorBound::lossless());
  expect_bound<double>(H5Pset_kompakt_lossless, ErrorBound::lossless());
}

TEST(H5z, RangeThatIsGiven_MakesTheBoundAbsolute) {
  kompakt_options options = kompakt_options_default();
  options.bound = kompakt_relative_to_range(1e-3);
  options.range = 5;
  Dcpl const dcpl(chunk);
  ASSERT_GE(H5Pset_kompakt(dcpl, &options), 0);
  unsigned flags = 0, words[KOMPAKT_H5Z_MAX_WORDS] = {};
  std::size_t count = KOMPAKT_H5Z_MAX_WORDS;
  ASSERT_GE(
      H5Pget_filter_by_id2(dcpl, KOMPAKT_H5Z_FILTER_ID, &flags, &count, words, 0, nullptr, nullptr),
      0);
  EXPECT_EQ(words[KOMPAKT_H5Z_BOUND_MODE], static_cast<unsigned>(KOMPAKT_BOUND_ABS));
  double bound;
  std::memcpy(&bound, words + KOMPAKT_H5Z_BOUND_VALUE, sizeof bound);
  EXPECT_LE(bound, 0.005);
  EXPECT_GT(bound, 0.00499999);
}

TEST(H5z, OptionsThatTheFilterDoesNotKeep_AreRefused) {
  for (auto const& [key, word] : {std::pair{"axis", "0"}, {"radius", "64"}, {"goal", "ratio"}}) {
    kompakt_options options = kompakt_options_default();
    options.pipeline = KOMPAKT_PIPELINE_AUTO;
    ASSERT_EQ(kompakt_options_set(&options, key, word), KOMPAKT_OK);
    Dcpl const dcpl(chunk);
    Quiet const quiet;
    EXPECT_LT(H5Pset_kompakt(dcpl, &options), 0) << key;
  }
}

TEST(H5z, BoundOfAChunk_IsNeverMoreThanThatOfTheField) {
  std::vector<float> const values = example<float>();
  auto const [least, most] = std::minmax_element(values.begin(), values.end());
  MemoryFile const file;
  Dcpl const dcpl(chunk);
  ASSERT_GE(H5Pset_kompakt(dcpl, nullptr), 0);
  Dataset const dataset(file, H5T_IEEE_F32LE, extents, dcpl);
  ASSERT_GE(dataset.write(values), 0);
  expect_promise(values, dataset.read<float>(values_count), 1e-3 * (double(*most) - *least));
  EXPECT_LT(dataset.stored_bytes() * 2, values_count * sizeof(float));
}

/// The largest error and the root of the mean square of the errors of a chunk's values, as shares of their range.
std::pair<double, double> errors_of_chunk(std::vector<float> const& values,
                                          std::vector<float> const& restored, std::size_t z,
                                          std::size_t y) {
  double least = INFINITY, most = -INFINITY, largest = 0, squares = 0, count = 0;
  for (std::size_t i = z; i < std::min<std::size_t>(z + chunk[0], extents[0]); ++i) {
    for (std::size_t j = y; j < std::min<std::size_t>(y + chunk[1], extents[1]); ++j) {
      for (std::size_t k = 0; k < extents[2]; ++k) {
        std::size_t const at = (i * extents[1] + j) * extents[2] + k;
        double const value = values[at], error = std::abs(value - restored[at]);
        least = std::min(least, value);
        most = std::max(most, value);
        largest = std::max(largest, error);
        squares += error * error;
        ++count;
      }
    }
  }
  return {largest / (most - least), std::sqrt(squares / count) / (most - least)};
}

// Behind the edge of the dataset its chunks are filled up with zeros.
TEST(H5z, PaddingOfAChunk_DoesNotCountInItsRange) {
  std::vector<float> values = example<float>();
  for (float& value : values) value += 1e5f;
  for (bool const by_range : {true, false}) {
    MemoryFile const file;
    Dcpl const dcpl(chunk);
    ASSERT_GE(
        by_range ? H5Pset_kompakt_relative_to_range(dcpl, 1e-3) : H5Pset_kompakt_psnr(dcpl, 60), 0);
    Dataset const dataset(file, H5T_IEEE_F32LE, extents, dcpl);
    ASSERT_GE(dataset.write(values), 0);
    std::vector<float> const restored = dataset.read<float>(values_count);
    for (std::size_t z = 0; z < extents[0]; z += chunk[0]) {
      for (std::size_t y = 0; y < extents[1]; y += chunk[1]) {
        auto const [largest, root_of_mean] = errors_of_chunk(values, restored, z, y);
        EXPECT_LE(by_range ? largest : root_of_mean, 1e-3)
            << (by_range ? "r2r" : "psnr") << " of the chunk at " << z << ", " << y;
      }
    }
  }
}

TEST(H5z, EachOption_IsKeptInTheWords) {
  for (kompakt_pipeline const pipeline :
       {KOMPAKT_HUFFMAN, KOMPAKT_BITSHUFFLE, KOMPAKT_FIXEDLENGTH, KOMPAKT_RANS}) {
    for (bool const interpolate : {false, true}) {
      if (interpolate && pipeline == KOMPAKT_FIXEDLENGTH) continue;
      kompakt_options options = kompakt_options_default();
      options.bound = kompakt_absolute(0.01);
      options.pipeline = pipeline;
      options.predictor = interpolate ? KOMPAKT_PREDICTOR_INTERPOLATE : KOMPAKT_PREDICTOR_AUTO;
      options.checksum = interpolate ? 0 : 1;
      for (int const pack : {0, 1}) {
        options.pack = pack;
        expect_bound<float>([&](hid_t dcpl) { return H5Pset_kompakt(dcpl, &options); },
                            ErrorBound::absolute(0.01));
      }
    }
  }
}

TEST(H5z, ExtentsThatAreGiven_MakeSmallerChunks) {
  std::vector<hsize_t> const line{32 * 32 * 32};
  std::vector<float> const values =
      make_field<float>(Family::smooth, shape_of({32, 32, 32}, Dtype::f32));
  std::size_t bytes[2];
  for (int given = 0; given < 2; ++given) {
    MemoryFile const file;
    Dcpl const dcpl(line);
    ASSERT_GE(H5Pset_kompakt_absolute(dcpl, 1e-4), 0);
    if (given == 1) {
      ASSERT_GE(H5Pset_kompakt_extents(dcpl, 32, 32, 32), 0);
    }
    Dataset const dataset(file, H5T_IEEE_F32LE, line, dcpl);
    ASSERT_GE(dataset.write(values), 0);
    expect_promise(values, dataset.read<float>(values.size()), 1e-4);
    bytes[given] = dataset.stored_bytes();
  }
  EXPECT_LT(bytes[1], bytes[0]);
}

TEST(H5z, LargeChunk_IsSmallerPacked) {
  std::vector<hsize_t> const whole{40, 50, 60};
  std::vector<float> const values =
      make_field<float>(Family::surfaces, shape_of({40, 50, 60}, Dtype::f32));
  std::size_t bytes[2];
  for (int pack = 0; pack < 2; ++pack) {
    MemoryFile const file;
    Dcpl const dcpl(whole);
    kompakt_options options = kompakt_options_default();
    options.bound = kompakt_absolute(0.01);
    options.pack = pack;
    ASSERT_GE(H5Pset_kompakt(dcpl, &options), 0);
    Dataset const dataset(file, H5T_IEEE_F32LE, whole, dcpl);
    ASSERT_GE(dataset.write(values), 0);
    expect_promise(values, dataset.read<float>(values.size()), 0.01);
    bytes[pack] = dataset.stored_bytes();
  }
  EXPECT_LT(bytes[1], bytes[0]);
}

TEST(H5z, FillValueOfTheDataset_IsMasked) {
  float const fill = 1e20f;
  std::vector<float> values = example<float>();
  for (std::size_t i = 0; i < values.size() / 3; ++i) values[3 * i] = fill;
  MemoryFile const file;
  Dcpl const dcpl(chunk);
  H5Pset_fill_value(dcpl, H5T_NATIVE_FLOAT, &fill);
  ASSERT_GE(H5Pset_kompakt_relative_to_range(dcpl, 1e-3), 0);
  Dataset const dataset(file, H5T_IEEE_F32LE, extents, dcpl);
  ASSERT_GE(dataset.write(values), 0);
  std::vector<float> const restored = dataset.read<float>(values_count);
  // The walk is less than 10000 wide, 1e20 is wider.
  expect_promise(values, restored, 10.0);
  for (std::size_t i = 0; i < values.size() / 3; ++i) ASSERT_EQ(restored[3 * i], fill);
}

/// What HDF5 says when a dataset cannot be created.
std::string refusal(hid_t type, std::function<void(hid_t)> const& set_filter) {
  Quiet const quiet;
  MemoryFile const file;
  Dcpl const dcpl(chunk);
  set_filter(dcpl);
  Dataset const dataset(file, type, extents, dcpl);
  EXPECT_LT(dataset, 0);
  return dataset.error();
}

TEST(H5z, WhatCannotBeDone_IsRefusedWithALineOfTheFilter) {
  auto const absolute = [](hid_t dcpl) { H5Pset_kompakt_absolute(dcpl, 1); };
  auto const by_default = [](hid_t dcpl) { H5Pset_kompakt_relative_to_range(dcpl, 1e-3); };
  EXPECT_NE(refusal(H5T_STD_I32LE, by_default).find("the default one"), std::string::npos);
  EXPECT_NE(refusal(H5T_C_S1, absolute).find("strings"), std::string::npos);
  EXPECT_NE(refusal(H5T_IEEE_F32LE, [](hid_t dcpl) { H5Pset_kompakt_absolute(dcpl, NAN); })
                .find("bound nan"),
            std::string::npos);
  EXPECT_NE(refusal(H5T_IEEE_F32LE,
                    [&](hid_t dcpl) {
                      H5Pset_deflate(dcpl, 1);
                      absolute(dcpl);
                    })
                .find("put the filter kompakt first"),
            std::string::npos);
  EXPECT_NE(refusal(H5T_IEEE_F32LE,
                    [&](hid_t dcpl) {
                      absolute(dcpl);
                      H5Pset_kompakt_extents(dcpl, 2, 3, 4);
                    })
                .find("2 x 3 x 4"),
            std::string::npos);
}

TEST(H5z, DamagedChunk_IsAnErrorWithAMessageOfTheFilter) {
  Quiet const quiet;
  MemoryFile const file;
  Dcpl const dcpl(chunk);
  ASSERT_GE(H5Pset_kompakt_absolute(dcpl, 0.01), 0);
  Dataset const dataset(file, H5T_IEEE_F32LE, extents, dcpl);
  ASSERT_GE(dataset.write(example<float>()), 0);
  hsize_t const origin[] = {0, 0, 0};
  hsize_t bytes = 0;
  ASSERT_GE(H5Dget_chunk_storage_size(dataset, origin, &bytes), 0);
  std::vector<unsigned char> stored(bytes);
  std::uint32_t mask = 0;
  ASSERT_GE(H5Dread_chunk(dataset, H5P_DEFAULT, origin, &mask, stored.data()), 0);
  stored[bytes / 2] ^= 4;
  ASSERT_GE(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, origin, bytes, stored.data()), 0);
  std::vector<float> values(values_count);
  EXPECT_LT(H5Dread(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  EXPECT_NE(error_stack().find("was altered"), std::string::npos) << error_stack();
}

TEST(H5z, FilterThatIsTakenOut_IsMissing) {
  ASSERT_GE(H5Z_kompakt_initialize(), 0);
  EXPECT_GT(H5Zfilter_avail(KOMPAKT_H5Z_FILTER_ID), 0);
  ASSERT_GE(H5Z_kompakt_finalize(), 0);
  EXPECT_GE(H5Z_kompakt_initialize(), 0);
  EXPECT_GE(H5Z_kompakt_initialize(), 0);
  EXPECT_GT(H5Zfilter_avail(KOMPAKT_H5Z_FILTER_ID), 0);
}

/// In place of a codec.
struct Toy {};

TEST(Pool, OfAChildThatIsForkedAtAnyMoment_IsFree) {
  static plugin::Pool<int, Toy> pool;
  auto const use = [] { pool.give_back(1, pool.take(1, [] { return std::make_unique<Toy>(); })); };
  std::atomic<bool> is_over = false;
  std::thread worker([&] {
    while (!is_over) use();
  });
  int failures = 0;
  for (int i = 0; i < 500 && failures == 0; ++i) {
    pid_t const child = ::fork();
    if (child == 0) {
      ::alarm(20);
      use();
      ::_exit(0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    failures += status != 0;
  }
  is_over = true;
  worker.join();
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace kompakt::test
