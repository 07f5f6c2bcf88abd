#include "checkpoint_case.hpp"
#include <kompakt/field_stream.hpp>
#include <sstream>

// Checkpoints and fields in streams of C++.

namespace kompakt::test {
namespace {

template <class Exec>
class CheckpointStreams : public testing::Test {
 protected:
  Exec exec;
  TemporaryFolder folder;
  Simulation<Exec> simulation;
  Checkpoint<Exec> checkpoint{exec, folder.path(), "flow", small_frames()};

  void SetUp() override { simulation.register_at(checkpoint); }
};
TYPED_TEST_SUITE(CheckpointStreams, Spaces, SpaceName);

TYPED_TEST(CheckpointStreams, BetweenOtherBytes_ComesBackAndLeavesThem) {
  std::stringstream stream;
  stream << "before ";
  this->simulation.compute(3);
  this->checkpoint.write(stream, 3, {{"time", "1.5"}});
  stream << "behind";
  this->simulation.compute(4);
  std::string word;
  stream >> word;
  stream.get();
  RestoredCheckpoint const restored = this->checkpoint.read(stream);
  EXPECT_EQ(restored.step, 3u);
  EXPECT_EQ(restored.attributes, (Attributes{{"time", "1.5"}}));
  this->simulation.expect_state(3);
  stream >> word;
  EXPECT_EQ(word, "behind");
}

TYPED_TEST(CheckpointStreams, TruncatedOrAltered_IsRefusedAndTouchesNothing) {
  std::stringstream out;
  this->simulation.compute(3);
  this->checkpoint.write(out, 3);
  std::string const whole = out.str();
  this->simulation.compute(4);
  auto const before = this->simulation.bytes();
  for (std::uint64_t i = 0; i < 200; ++i) {
    std::string bytes = whole;
    if (i % 2 == 0) {
      bytes.resize(hash(i) % whole.size());
    } else {
      bytes[hash(i) % whole.size()] ^= static_cast<char>(1 + hash(i + 7) % 255);
    }
    std::istringstream in(bytes);
    Error const error = error_of([&] { this->checkpoint.read(in); });
    EXPECT_NE(error.status(), Status::device) << error.what();
    ASSERT_EQ(this->simulation.bytes(), before);
  }
}

TYPED_TEST(CheckpointStreams, StreamThatFails_IsToldAsIo) {
  std::ofstream full("/dev/full", std::ios::binary);
  Error const error = error_of([&] {
    this->checkpoint.write(full, 1);
    full.flush();
    this->checkpoint.write(full, 1);
  });
  EXPECT_EQ(error.status(), Status::io);
}

TYPED_TEST(CheckpointStreams, Fields_FollowOneAnother) {
  FieldStreams<TypeParam> fields(this->exec);
  std::stringstream stream;
  this->simulation.compute(5);
  fields.write(stream, this->simulation.velocity(), within(Simulation<TypeParam>::bound));
  fields.write(stream, this->simulation.temperature,
               Options{.bound = ErrorBound::relative_to_range(1e-3)});
  fields.write(stream, this->simulation.numbers, Options{.bound = ErrorBound::lossless()});
  stream << "behind";
  this->simulation.compute(6);
  fields.read(stream, this->simulation.velocity());
  fields.read(stream, this->simulation.temperature);
  fields.read(stream, this->simulation.numbers);
  this->simulation.expect_state(5);
  std::string word;
  stream >> word;
  EXPECT_EQ(word, "behind");
}

TYPED_TEST(CheckpointStreams, ComplexNumbers_KeepTheBoundOfTheirMagnitude) {
  Wave<TypeParam> const wave(20000);
  FieldStreams<TypeParam> fields(this->exec);
  std::stringstream stream;
  fields.write(stream, wave.view, within(wave.bound));
  wave.clear();
  fields.read(stream, wave.view);
  EXPECT_GT(wave.largest_error(), 0);
  EXPECT_LE(wave.largest_error(), wave.bound);
}

TYPED_TEST(CheckpointStreams, FieldWithALengthThatIsALie_IsRefusedInLittleMemory) {
  FieldStreams<TypeParam> fields(this->exec);
  std::istringstream in(std::string(7, '\xff') + std::string(100, '\x7f'));
  Error const error = error_of([&] { fields.read(in, this->simulation.numbers); });
  EXPECT_EQ(error.status(), Status::io);
}

}  // namespace
}  // namespace kompakt::test
