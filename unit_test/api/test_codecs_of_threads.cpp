#include <gtest/gtest.h>

#include <kompakt/kompakt.hpp>
#include <span>
#include <support/fields.hpp>
#include <thread>

// Threads that each have a codec of their own share nothing but what the library makes once: streams are those of one thread, and
// helgrind of valgrind finds no race (unit_test/install).

namespace kompakt::test {
namespace {

/// Streams of all pipelines, and the values that come back, one behind the other.
std::vector<std::byte> round_trips(std::vector<float> const& values, FieldShape const& shape) {
  AnyCodec codec(Space::serial);
  std::vector<std::byte> all;
  for (Pipeline const pipeline :
       {Pipeline::fixedlength, Pipeline::bitshuffle, Pipeline::huffman, Pipeline::rans}) {
    Options options{.bound = ErrorBound::relative_to_range(1e-3)};
    options.pipeline = pipeline;
    options.pack = true;
    std::vector<std::byte> stream(max_compressed_bytes(shape, options));
    StreamInfo const info = codec.compress(ConstFieldData(values.data(), shape), MemoryOf::host,
                                           options, stream, MemoryOf::host);
    stream.resize(info.bytes);
    std::vector<float> back(shape.size());
    codec.decompress(stream, MemoryOf::host, FieldData(back.data(), shape), MemoryOf::host);
    all.insert(all.end(), stream.begin(), stream.end());
    auto const bytes = std::as_bytes(std::span(back));
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return all;
}

TEST(CodecsOfThreads, AtOnce_WorkAsOneDoes) {
  FieldShape const shape = shape_from<float>({90, 100});
  auto const values = make_field<float>(Family::walk, shape);
  // Before there are threads: helgrind does not see that a static variable of a function is made by one of them.
  auto const expected = round_trips(values, shape);
  std::vector<std::byte> found[3];
  std::vector<std::thread> threads;
  for (auto& each : found) threads.emplace_back([&] { each = round_trips(values, shape); });
  for (auto& thread : threads) thread.join();
  for (auto const& each : found) EXPECT_EQ(each, expected);
}

}  // namespace
}  // namespace kompakt::test
