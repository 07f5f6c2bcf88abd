#include "../io/temporary_folder.hpp"
#include <support/codec.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>

namespace kompakt::test {

template <class Exec>
class StreamObject : public testing::Test {
 protected:
  FieldShape shape = shape_from<float>({40, 50});
  Codec<Exec> codec;
  TemporaryFolder folder;

  std::vector<std::byte> some_stream() {
    return codec.compress(make_field<float>(Family::walk, shape), shape, {});
  }
};
TYPED_TEST_SUITE(StreamObject, Spaces, SpaceName);

TYPED_TEST(StreamObject, SavedAndLoaded_IsTheSame) {
  using Stream = CompressedStream<typename TypeParam::memory_space>;
  auto const bytes = this->some_stream();
  Stream const stream = Stream::from_host(bytes);
  EXPECT_EQ(stream.to_host(), bytes);
  auto const path = this->folder / "field.kpk";
  stream.save(path);
  EXPECT_EQ(read_file(path), bytes);
  Stream const loaded = Stream::load(path);
  EXPECT_EQ(loaded.to_host(), bytes);
  EXPECT_EQ(loaded.info().bytes, bytes.size());
  EXPECT_EQ(error_of([&] { stream.save(path); }).status(), Status::io) << "it exists";
  stream.save(path, Overwrite::yes);
  EXPECT_EQ(error_of([&] { Stream::load(this->folder / "none.kpk"); }).status(), Status::io);
}

TYPED_TEST(StreamObject, OfASequenceOfFrames_IsRefusedAsThat) {
  using Stream = CompressedStream<typename TypeParam::memory_space>;
  auto bytes = this->some_stream();
  FramePart part = FramePart::whole(this->shape);
  part.total[0] = 80;
  mark_part(bytes, part);
  EXPECT_NO_THROW(Stream::from_host(bytes));
  std::size_t const one = bytes.size();
  bytes.resize(one + padding_at(one));
  bytes.insert(bytes.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(one));
  Error const error = error_of([&] { Stream::from_host(bytes); });
  EXPECT_EQ(error.status(), Status::bad_argument) << error.what();
  EXPECT_NE(std::string(error.what()).find("a frame of " + std::to_string(one)), std::string::npos);
  bytes.resize(one - 1);
  EXPECT_EQ(error_of([&] { Stream::from_host(bytes); }).status(), Status::corrupt);
}

}  // namespace kompakt::test
