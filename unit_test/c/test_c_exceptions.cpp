#include "c_case.hpp"
#include <support/failing_new.hpp>
#include <functional>
#include <kompakt/any_codec.hpp>
#include <support/fields.hpp>
#include <vector>

// No exception leaves the C interface: each call is made again and again, and each time one allocation more of this
// thread succeeds before one fails. Small ones always succeed: Kokkos makes a text of a label when it frees memory, in a
// destructor, and ends the process if it cannot.

#ifndef __CUDACC__

namespace kompakt::test {

namespace {

using Call = std::function<kompakt_status(kompakt_context*)>;

/// Fails unless the call, with fewer allocations than it makes, says that there is no memory.
/// \returns how many times it had to
long expect_device_without_memory(Call const& call) {
  // Kokkos keeps scratch memory of teams, and is left without it if it cannot grow: it does so here.
  EXPECT_EQ(call(make_context().get()), KOMPAKT_OK) << kompakt_last_message();
  for (long allowed = 0; allowed < 100000; ++allowed) {
    Context const context = make_context();
    fail_after(allowed);
    kompakt_status const status = call(context.get());
    bool const was_enough = fail_after(-1) > 0;
    if (status == KOMPAKT_OK || was_enough) {
      EXPECT_EQ(status, KOMPAKT_OK) << kompakt_last_message();
      return allowed;
    }
    EXPECT_EQ(status, KOMPAKT_DEVICE) << kompakt_last_message();
    EXPECT_STRNE(kompakt_last_message(), "");
  }
  ADD_FAILURE() << "the call never succeeded";
  return 0;
}

}  // namespace

TEST(CExceptions, CallsWithoutMemory_SayDevice) {
  FieldShape const shape = shape_from<float>({40, 50});
  auto const values = make_field<float>(Family::walk, shape);
  auto restored = values;
  kompakt_field field = field_of(shape);
  field.strides[0] = 1, field.strides[1] = 40;  // which takes a copy
  kompakt_options options = kompakt_options_default();
  options.pipeline = KOMPAKT_HUFFMAN;
  std::vector<std::byte> memory(max_compressed_bytes(shape) + 1024);
  std::byte* const unaligned = memory.data() + 1;  // which takes another
  kompakt_info info = kompakt_info_default();
  kompakt_quality quality = kompakt_quality_default();
  Call const calls[] = {
      [](kompakt_context*) {
        kompakt_context* context = nullptr;
        kompakt_status const status =
            kompakt_context_create(KOMPAKT_SPACE_SERIAL, nullptr, &context);
        kompakt_context_destroy(context);
        return status;
      },
      [&](kompakt_context* context) {
        return kompakt_compress(context, &field, values.data(), &options, unaligned,
                                memory.size() - 1, KOMPAKT_HOST, &info);
      },
      [&](kompakt_context* context) {
        return kompakt_decompress(context, unaligned, info.bytes, KOMPAKT_HOST, &field,
                                  restored.data(), nullptr);
      },
      [&](kompakt_context* context) {
        return kompakt_compare(context, &field, values.data(), &field, restored.data(), nullptr,
                               KOMPAKT_QUALITY_ALL, &quality);
      },
      [&](kompakt_context* context) {
        kompakt_options chosen = options;
        return kompakt_choose(context, &field, values.data(), KOMPAKT_GOAL_RATIO, &chosen);
      }};
  long failures = 0;
  for (Call const& call : calls) failures += expect_device_without_memory(call);
  EXPECT_GT(failures, 10);
}

TEST(CExceptions, MessageWithoutMemory_IsStillOne) {
  kompakt_archive_reader* reader = nullptr;
  std::string const path(5000, 'x');
  fail_after(0);
  kompakt_status const status = kompakt_archive_open(path.c_str(), &reader);
  fail_after(-1);
  EXPECT_EQ(status, KOMPAKT_DEVICE);
  EXPECT_STREQ(kompakt_last_message(), "kompakt_archive_open: there is no memory left");
}

}  // namespace kompakt::test

#else

TEST(CExceptions, CallsWithoutMemory_SayDevice) {
  GTEST_SKIP() << "nvcc does not let a program replace operator new";
}

#endif
