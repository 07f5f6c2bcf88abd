#include <gtest/gtest.h>

#include <container/abridged.hpp>
#include <kompakt/any_codec.hpp>
#include <kompakt/compress.hpp>
#include <support/codings.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>

namespace kompakt::test {
namespace {

using impl::abridge;
using impl::restore;
using Bytes = std::vector<std::byte>;

template <class T>
Bytes compressed(AnyCodec& codec, std::vector<T> const& values, FieldShape const& shape,
                 Options const& options) {
  Bytes stream(max_compressed_bytes(shape, options));
  stream.resize(codec
                    .compress(ConstFieldData(values.data(), shape), MemoryOf::host, options, stream,
                              MemoryOf::host)
                    .bytes);
  return stream;
}

Bytes decompressed(AnyCodec& codec, Bytes const& stream, FieldShape const& shape) {
  Bytes values(shape.bytes());
  codec.decompress(stream, MemoryOf::host, FieldData{values.data(), shape}, MemoryOf::host);
  return values;
}

Bytes abridged(Bytes const& stream) {
  Bytes shorter(stream.size());
  shorter.resize(abridge(stream, shorter.data()));
  return shorter;
}

std::vector<std::vector<std::size_t>> const extents_of_chunks = {
    {1}, {1024}, {20000}, {7, 5}, {130, 70}, {8, 8, 16}, {33, 20, 40}, {3, 2, 5, 60, 9}};

template <class T>
void expect_same_values(Coding const& coding, Options const& options) {
  AnyCodec codec(Space::serial);
  for (auto const& extents : extents_of_chunks) {
    FieldShape const shape = shape_from<T>(extents);
    for (Family const family : all_families) {
      SCOPED_TRACE(coding.name() + " " + name_of(family) + " rank " + std::to_string(shape.rank));
      Bytes const stream = compressed(codec, make_field<T>(family, shape), shape, options);
      Bytes const shorter = abridged(stream);
      ASSERT_GT(shorter.size(), 0u);
      EXPECT_LE(shorter.size() + 150, stream.size());
      EXPECT_TRUE(impl::is_abridged(shorter));
      Bytes again;
      restore(shorter, shape, again);
      EXPECT_EQ(decompressed(codec, again, shape), decompressed(codec, stream, shape));
      EXPECT_EQ(inspect(again).resolved(), inspect(stream).resolved());
    }
  }
}

TEST(Abridged, StreamOfEachCoding_DecompressesToTheSameValues) {
  for (Coding const& coding : all_codings) {
    if (coding.pack) continue;
    Options options = coding.with(ErrorBound::absolute(1e-3));
    options.fill = FillValue::of(fill_value);
    expect_same_values<float>(coding, options);
    expect_same_values<double>(coding, options);
  }
}

TEST(Abridged, StreamOfEachMode_DecompressesToTheSameValues) {
  for (ErrorBound const bound :
       {ErrorBound::relative_to_range(1e-3), ErrorBound::relative_to_value(1e-3),
        ErrorBound::psnr(60), ErrorBound::lossless()}) {
    Options options;
    options.bound = bound;
    expect_same_values<float>(all_codings[2], options);
    if (bound.mode == ErrorBound::Mode::lossless) continue;
    expect_same_values<double>(
        all_codings[9], {bound, Pipeline::bitshuffle, Variant::nested, Predictor::interpolate});
  }
}

TEST(Abridged, InPlace_IsTheSame) {
  AnyCodec codec(Space::serial);
  FieldShape const shape = shape_from<float>({100, 90});
  Bytes stream = compressed(codec, make_field<float>(Family::walk, shape), shape, {});
  Bytes const expected = abridged(stream);
  stream.resize(abridge(stream, stream.data()));
  EXPECT_EQ(stream, expected);
}

TEST(Abridged, PartOfAFieldFortranOrderOrPacked_StaysWhole) {
  AnyCodec codec(Space::serial);
  FieldShape shape = shape_from<float>({10, 9});
  std::vector<float> const values = make_field<float>(Family::walk, shape);
  Bytes stream = compressed(codec, values, shape, {});
  FramePart part = FramePart::whole(shape);
  part.total[0] = 20;
  mark_part(stream, part);
  EXPECT_EQ(abridge(stream, Bytes(stream.size()).data()), 0u);
  shape.order = Order::first_fastest;
  stream = compressed(codec, values, shape, {});
  EXPECT_EQ(abridge(stream, Bytes(stream.size()).data()), 0u);
  EXPECT_FALSE(impl::is_abridged(stream));
  FieldShape const large = shape_from<float>({40, 30, 20});
  Options options;
  options.pack = true;
  stream = compressed(codec, make_field<float>(Family::smooth, large), large, options);
  ASSERT_TRUE(inspect(stream).packed);
  EXPECT_EQ(abridge(stream, Bytes(stream.size()).data()), 0u);
}

// Also of a field without a record, of which each would do.
TEST(Abridged, OtherTypeOrExtents_AreAnError) {
  AnyCodec codec(Space::serial);
  FieldShape const shape = shape_from<float>({40, 30, 20});
  for (Family const family : {Family::walk, Family::constant}) {
    Options options;
    options.bound = ErrorBound::absolute(1e3);
    Bytes const shorter =
        abridged(compressed(codec, make_field<float>(family, shape), shape, options));
    auto const refused = [&](FieldShape const& other) {
      Bytes stream;
      EXPECT_THROW((restore(shorter, other, stream), decompressed(codec, stream, other)), Error);
    };
    for (auto const& extents : extents_of_chunks) refused(shape_from<float>(extents));
    refused(shape_from<float>({39, 30, 20}));
    refused(shape_from<float>({40, 30, 19}));
    refused(shape_from<double>({40, 30, 20}));
  }
}

// What is in front of the payload has a checksum, and so has each chunk behind it.
TEST(Abridged, FlippedBit_IsAnError) {
  Random random(4);
  AnyCodec codec(Space::serial);
  FieldShape const shape = shape_from<float>({60, 50, 20});
  for (Coding const& coding : main_codings) {
    if (coding.pack) continue;
    Options const options = coding.with(ErrorBound::absolute(1e-3));
    Bytes const sound =
        abridged(compressed(codec, make_field<float>(Family::spikes, shape), shape, options));
    for (std::size_t trial = 0; trial < 600; ++trial) {
      Bytes damaged = sound, stream;
      // Each byte of the head, then some of the rest.
      std::size_t const at = trial < 100 ? trial : random.below(damaged.size());
      damaged[at] ^= static_cast<std::byte>(1u << random.below(8));
      EXPECT_THROW((restore(damaged, shape, stream), decompressed(codec, stream, shape)), Error)
          << coding.name() << " byte " << at;
    }
  }
}

TEST(Abridged, TruncatedOrRandomBytes_AreAnError) {
  Random random(5);
  AnyCodec codec(Space::serial);
  FieldShape const shape = shape_from<double>({60, 50, 20});
  Bytes const sound =
      abridged(compressed(codec, make_field<double>(Family::walk, shape), shape, {}));
  for (std::size_t size = 0; size < sound.size(); size += size < 300 ? 1 : 97) {
    Bytes const shorter(sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(size));
    Bytes stream;
    EXPECT_THROW((restore(shorter, shape, stream), decompressed(codec, stream, shape)), Error)
        << size;
  }
  for (int trial = 0; trial < 3000; ++trial) {
    Bytes noise(random.below(200));
    for (std::byte& b : noise) b = static_cast<std::byte>(random.bits());
    if (!noise.empty()) noise[0] = std::byte{1};
    Bytes stream;
    EXPECT_THROW((restore(noise, shape, stream), decompressed(codec, stream, shape)), Error);
  }
}

}  // namespace
}  // namespace kompakt::test
