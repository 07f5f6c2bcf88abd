#ifndef KOMPAKT_TEST_C_CASE_HPP
#define KOMPAKT_TEST_C_CASE_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <kompakt/any_codec.hpp>
#include <kompakt/compress.hpp>
#include <kompakt/kompakt.h>
#include <kompakt/options.hpp>
#include <kompakt/stream.hpp>
#include <memory>
#include <string>

namespace kompakt::test {

struct DestroyContext {
  void operator()(kompakt_context* context) const { kompakt_context_destroy(context); }
};
using Context = std::unique_ptr<kompakt_context, DestroyContext>;

/// The stream of CUDA that an instance has, as the C interface takes it.
template <class Exec>
void* stream_of([[maybe_unused]] Exec const& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) return exec.cuda_stream();
#endif
  return nullptr;
}

inline Context make_context(kompakt_space space = KOMPAKT_SPACE_SERIAL, void* stream = nullptr) {
  kompakt_context* context = nullptr;
  EXPECT_EQ(kompakt_context_create(space, stream, &context), KOMPAKT_OK) << kompakt_last_message();
  return Context(context);
}

inline kompakt_field field_of(FieldShape const& shape, MemoryOf in = MemoryOf::host) {
  kompakt_field field = kompakt_field_default();
  field.dtype = static_cast<kompakt_dtype>(shape.dtype);
  field.order = static_cast<kompakt_order>(shape.order);
  field.memory = static_cast<kompakt_memory>(in);
  field.rank = shape.rank;
  std::copy_n(shape.extents.begin(), shape.rank, field.extents);
  return field;
}

inline kompakt_bound to_c(ErrorBound const& bound) {
  kompakt_bound result = kompakt_bound_of(static_cast<kompakt_bound_mode>(bound.mode), bound.value);
  result.is_default = bound.is_default ? 1 : 0;
  return result;
}

inline kompakt_options to_c(Options const& options, ChoiceRecord const& reason = {}) {
  kompakt_options result = kompakt_options_default();
  result.bound = to_c(options.bound);
  result.pipeline = static_cast<kompakt_pipeline>(options.pipeline);
  result.variant = static_cast<kompakt_variant>(options.variant);
  result.predictor = static_cast<kompakt_predictor>(options.predictor);
  result.checksum = options.checksum ? 1 : 0;
  result.radius = options.radius;
  result.pack = options.pack ? 1 : 0;
  result.fill_mode = static_cast<kompakt_fill_mode>(options.fill.mode);
  result.fill = options.fill.value;
  result.range = options.range;
  result.reason = reason.bits();
  return result;
}

/// Compares all that a header says.
inline void expect_same_info(kompakt_info const& found, StreamInfo const& expected) {
  EXPECT_EQ(found.bytes, expected.bytes);
  EXPECT_EQ(found.version, expected.version);
  EXPECT_EQ(found.dtype, static_cast<int>(expected.shape.dtype));
  EXPECT_EQ(found.order, static_cast<int>(expected.shape.order));
  ASSERT_EQ(found.rank, expected.shape.rank);
  for (std::size_t i = 0; i < max_rank; ++i) {
    bool const counts = i < static_cast<std::size_t>(found.rank);
    EXPECT_EQ(found.extents[i], counts ? expected.shape.extents[i] : 0);
    EXPECT_EQ(found.origin[i], counts ? expected.part.origin[i] : 0);
    EXPECT_EQ(found.total[i], counts ? expected.part.total[i] : 0);
  }
  EXPECT_EQ(found.bound.mode, static_cast<int>(expected.bound.mode));
  EXPECT_EQ(found.bound.value, expected.bound.value);
  EXPECT_EQ(found.resolved.mode, static_cast<int>(expected.resolved().mode));
  EXPECT_EQ(found.resolved.value, expected.resolved().value);
  EXPECT_EQ(found.has_fill != 0, expected.fill.has_value());
  if (expected.fill == expected.fill) {  // no NaN
    EXPECT_EQ(found.fill, expected.fill.value_or(0));
  }
  EXPECT_EQ(found.is_part != 0, expected.is_part());
  EXPECT_EQ(found.constant != 0, expected.constant);
  EXPECT_EQ(found.checksum != 0, expected.checksum);
  EXPECT_EQ(found.pipeline, static_cast<int>(expected.pipeline));
  EXPECT_EQ(found.variant, static_cast<int>(expected.variant));
  EXPECT_EQ(found.method, expected.prediction ? static_cast<int>(expected.prediction->method) : -1);
  EXPECT_EQ(found.tile_shape,
            expected.prediction ? static_cast<int>(expected.prediction->shape) : 0);
  EXPECT_EQ(found.goal,
            expected.reason.goal() ? static_cast<int>(*expected.reason.goal()) : KOMPAKT_GOAL_NONE);
  EXPECT_EQ(found.radius, expected.codebook.radius);
  EXPECT_EQ(found.packed, expected.packed ? 1 : 0);
  EXPECT_EQ(found.dictionary, expected.codebook.dictionary);
  EXPECT_EQ(found.symbols_only != 0, expected.codebook.symbols_only);
  EXPECT_TRUE(std::equal(found.books, found.books + 3, expected.codebook.books.begin()));
  EXPECT_EQ(found.codebook_bytes, expected.codebook.bytes);
  EXPECT_EQ(found.exceptions, expected.exceptions);
  EXPECT_EQ(found.chunks, expected.chunks);
}

}  // namespace kompakt::test

#endif
