#include "../io/temporary_folder.hpp"
#include <cstring>
#include <kompakt/any_codec.hpp>
#include <kompakt/archive.hpp>
#include <kompakt/frames.hpp>
#include <support/codec.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>
#include <support/strided.hpp>

namespace kompakt::test {

/// A field in frames of some slices each, and what they decompress to one by one.
struct SomeFrames {
  FieldShape shape;
  std::vector<std::byte> bytes;
  std::vector<float> values;

  SomeFrames(FieldShape const& whole, std::vector<std::size_t> const& slices) : shape(whole) {
    Codec<Kokkos::DefaultHostExecutionSpace> codec;
    auto const field = make_field<float>(Family::nan_islands, whole);
    std::size_t const axis =
        whole.order == Order::last_fastest ? 0 : static_cast<std::size_t>(whole.rank) - 1;
    std::size_t const slice = whole.size() / whole.extents[axis];
    std::size_t first = 0;
    for (std::size_t const thickness : slices) {
      FieldShape part = whole;
      part.extents[axis] = thickness;
      auto const begin = field.begin() + static_cast<std::ptrdiff_t>(first * slice);
      std::vector<float> const some(begin, begin + static_cast<std::ptrdiff_t>(part.size()));
      auto stream = codec.compress(some, part, {ErrorBound::absolute(1e-3)});
      auto const restored = codec.decompress<float>(stream, part);
      values.insert(values.end(), restored.begin(), restored.end());
      FramePart place = FramePart::whole(whole);
      place.origin[axis] = first;
      mark_part(stream, place);
      bytes.resize(bytes.size() + padding_at(bytes.size()));
      bytes.insert(bytes.end(), stream.begin(), stream.end());
      first += thickness;
    }
  }
};

template <class Exec>
class Frames : public testing::Test {
 protected:
  Exec exec;
  AnyCodec codec{exec};
  TemporaryFolder folder;

  std::vector<float> decompress(FrameReader&& frames, FieldShape const& shape) {
    std::vector<float> field(shape.size());
    StreamInfo const whole =
        codec.decompress(frames, FieldData{field.data(), shape}, MemoryOf::host);
    EXPECT_EQ(whole.shape, shape);
    return field;
  }
};
TYPED_TEST_SUITE(Frames, Spaces, SpaceName);

bool same_bits(std::vector<float> const& a, std::vector<float> const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TYPED_TEST(Frames, OfFileArchiveAndMemory_MakeTheField) {
  for (Order const order : {Order::last_fastest, Order::first_fastest}) {
    SomeFrames const some(shape_from<float>({20, 30, 25}, order),
                          order == Order::last_fastest ? std::vector<std::size_t>{7, 1, 12}
                                                       : std::vector<std::size_t>{20, 5});
    EXPECT_TRUE(same_bits(
        this->decompress(FrameReader(InputFile::of_memory(some.bytes)), some.shape), some.values));
    auto const file = this->folder / "field.kpk", archive = this->folder / "run.kpk";
    write_file(file, some.bytes, Overwrite::yes);
    EXPECT_TRUE(same_bits(this->decompress(FrameReader(InputFile(file)), some.shape), some.values));
    ArchiveWriter writer(archive, Overwrite::yes);
    writer.append("before", {}, some.bytes);
    writer.append("field", {}, some.bytes);
    writer.commit();
    EXPECT_TRUE(
        same_bits(this->decompress(FrameReader(ArchiveReader(archive).open("field")), some.shape),
                  some.values));
    Error const error = error_of([&] { FrameReader(InputFile(archive)).next(); });
    EXPECT_EQ(error.status(), Status::bad_argument) << error.what();
  }
}

TYPED_TEST(Frames, AnyBoxOfThem_IsThatOfTheField) {
  KOMPAKT_TRACE_SEED(31);
  Random random(31);
  SomeFrames const some(shape_from<float>({20, 30, 25}), {7, 1, 12});
  for (int round = 0; round < 60; ++round) {
    Box box;
    box.rank = 3;
    for (std::size_t i = 0; i < 3; ++i) {
      std::size_t const a = random.below(some.shape.extents[i] + 1),
                        b = random.below(some.shape.extents[i] + 1);
      box.begin[i] = std::min(a, b);
      box.end[i] = std::max(a, b);
    }
    FieldShape const shape = box.shape_in(some.shape);
    std::vector<float> region(shape.size()), expected;
    FrameReader frames(InputFile::of_memory(some.bytes));
    this->codec.decompress(frames, FieldData{region.data(), shape}, MemoryOf::host, box);
    for (std::size_t i = box.begin[0]; i < box.end[0]; ++i) {
      for (std::size_t j = box.begin[1]; j < box.end[1]; ++j) {
        for (std::size_t k = box.begin[2]; k < box.end[2]; ++k) {
          expected.push_back(some.values[(i * 30 + j) * 25 + k]);
        }
      }
    }
    ASSERT_TRUE(same_bits(region, expected)) << to_string(box);
  }
}

TYPED_TEST(Frames, OfAnArrayWithGaps_GoToTheirPlaces) {
  SomeFrames const some(shape_from<float>({20, 30, 25}), {7, 13});
  std::vector<float> field(20 * 40 * 50, -1);
  StridedData const target(field.data(), some.shape, {40 * 50, 50, 2});
  FrameReader frames(InputFile::of_memory(some.bytes));
  this->codec.decompress(frames, target, MemoryOf::host);
  std::vector<float> expected(field.size(), -1);
  for (std::size_t i = 0; i < some.values.size(); ++i) {
    expected[i / 750 * 2000 + i / 25 % 30 * 50 + i % 25 * 2] = some.values[i];
  }
  EXPECT_TRUE(same_bits(field, expected));
}

TYPED_TEST(Frames, ThatAreDamagedOrOfAnotherField_AreRefused) {
  SomeFrames const some(shape_from<float>({20, 30, 25}), {7, 13});
  std::vector<float> field(some.shape.size());
  auto const refusal = [&](std::vector<std::byte> const& bytes, FieldShape const& shape) {
    FrameReader frames(InputFile::of_memory(bytes));
    return error_of([&] {
      this->codec.decompress(frames, FieldData{field.data(), shape}, MemoryOf::host);
    });
  };
  auto less = some.bytes;
  less.resize(less.size() - 20);
  EXPECT_EQ(refusal(less, some.shape).status(), Status::corrupt);
  less.resize(some.bytes.size() / 4);
  EXPECT_EQ(refusal(less, some.shape).status(), Status::corrupt);
  auto more = some.bytes;
  more.resize(more.size() + 100, std::byte{7});
  Error const error = refusal(more, some.shape);
  EXPECT_EQ(error.status(), Status::corrupt);
  EXPECT_EQ(std::string(error.what()).rfind("FrameReader: 'memory': ", 0), 0u) << error.what();
  EXPECT_EQ(refusal(some.bytes, shape_from<float>({20, 30, 24})).status(), Status::type_mismatch);
  FrameReader frames(InputFile::of_memory(some.bytes));
  EXPECT_EQ(error_of([&] {
              this->codec.decompress(frames, FieldData{field.data(), shape_from<float>({21, 1, 1})},
                                     MemoryOf::host, Box{{0, 0, 0}, {21, 1, 1}});
            }).status(),
            Status::bad_argument);
}

}  // namespace kompakt::test
