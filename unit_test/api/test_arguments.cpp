#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>

namespace kompakt::test {

void expect_error(Error const& error, Status status, std::string const& text) {
  EXPECT_EQ(error.status(), status) << error.what();
  EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
}

template <class Exec>
class Arguments : public testing::Test {
 protected:
  using Memory = typename Exec::memory_space;
  using Bytes = Kokkos::View<std::byte*, Memory>;
  Exec exec;
  Workspace<Exec> workspace{exec};
  CompressedStream<Memory> stream;
  Kokkos::View<float**, Kokkos::LayoutRight, Memory> field{"field", 64, 100};
};
TYPED_TEST_SUITE(Arguments, Spaces, SpaceName);

TYPED_TEST(Arguments, UnusableBound_IsBadArgumentAndNamed) {
  for (double const bound : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    auto const error = error_of([&] {
      compress(this->exec, this->field, {.bound = ErrorBound::absolute(bound)}, this->workspace,
               this->stream);
    });
    expect_error(error, Status::bad_argument, "is not a positive finite number");
  }
}

// Whatever is accepted must be read again.
TYPED_TEST(Arguments, ReasonThatNoStreamKeeps_IsRefused) {
  ChoiceRecord for_speed(Goal::speed), no_goal;
  for (ChoiceRecord* reason : {&for_speed, &no_goal}) reason->add(Pipeline::huffman, 3);
  for (ChoiceRecord const& reason : {for_speed, no_goal, ChoiceRecord(static_cast<Goal>(7))}) {
    auto const error = error_of(
        [&] { compress(this->exec, this->field, {}, this->workspace, this->stream, reason); });
    expect_error(error, Status::bad_argument, "the reason");
  }
  compress(this->exec, this->field, {}, this->workspace, this->stream, ChoiceRecord(Goal{}));
  EXPECT_FALSE(this->stream.info().reason.goal());
}

TYPED_TEST(Arguments, GoalOrOrderOrTypeThatIsNone_IsRefused) {
  for (int const number : {0, 5, 255}) {
    auto const error = error_of(
        [&] { choose(this->exec, this->field, {}, static_cast<Goal>(number), this->workspace); });
    expect_error(error, Status::bad_argument, "the goal " + std::to_string(number));
  }
  FieldShape const shape = shape_of(this->field);
  FieldShape of_order = shape, of_type = shape;
  of_order.order = static_cast<Order>(5);
  of_type.dtype = static_cast<Dtype>(77);
  for (auto const& [wrong, text] : {std::pair(of_order, "order 5"), {of_type, "type 77"}}) {
    auto const error = error_of([&, wrong = wrong] {
      compress(this->exec, ConstFieldData(this->field.data(), wrong), {}, this->workspace,
               this->stream);
    });
    expect_error(error, Status::bad_argument, text);
  }
}

TYPED_TEST(Arguments, TooSmallStream_IsRefusedAndSaysHowMuchIsNeeded) {
  for (std::size_t const capacity : {std::size_t{0}, std::size_t{100}, std::size_t{240}}) {
    typename TestFixture::Bytes const small("small", capacity);
    Kokkos::deep_copy(this->field, 1.0f);
    Kokkos::deep_copy(Kokkos::subview(this->field, 3, Kokkos::ALL), 2.0f);
    auto const error =
        error_of([&] { compress(this->exec, this->field, {}, this->workspace, small); });
    expect_error(error, Status::buffer_too_small, "there is room for " + std::to_string(capacity));
  }
}

TYPED_TEST(Arguments, ExactlyEnoughRoom_IsEnough) {
  Kokkos::deep_copy(Kokkos::subview(this->field, 3, Kokkos::ALL), 2.0f);
  compress(this->exec, this->field, {}, this->workspace, this->stream);
  typename TestFixture::Bytes const exact("exact", this->stream.info().bytes);
  StreamInfo const info = compress(this->exec, this->field, {}, this->workspace, exact);
  EXPECT_EQ(info.bytes, exact.extent(0));
  typename TestFixture::Bytes const less("less", this->stream.info().bytes - 1);
  auto const error =
      error_of([&] { compress(this->exec, this->field, {}, this->workspace, less); });
  EXPECT_EQ(error.status(), Status::buffer_too_small);
}

// Encoders keep records behind the stream, as far as there is room.
TYPED_TEST(Arguments, MoreRoomThanEnough_ChangesNoByteAndIsNotLeft) {
  constexpr std::size_t guard_bytes = 64, noisy = 20;
  auto const values = make_field<float>(Family::walk, shape_of(this->field));
  auto const host = Kokkos::create_mirror_view(this->field);
  std::copy(values.begin(), values.end(), host.data());
  for (std::size_t i = 0; i < noisy * 100; ++i) host.data()[i] *= static_cast<float>(i * i % 7919);
  Kokkos::deep_copy(this->field, host);
  for (Coding const& coding : all_codings) {
    if (coding.pack) continue;  // packs in memory of its own
    auto const options = coding.with(ErrorBound::absolute(1e-2));
    compress(this->exec, this->field, options, this->workspace, this->stream);
    auto const expected =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), this->stream.bytes());
    for (std::size_t percent = 100; percent <= 250; percent += 10) {
      std::size_t const room = expected.size() * percent / 100;
      SCOPED_TRACE(coding.name() + " into " + std::to_string(room) + " bytes");
      typename TestFixture::Bytes const memory("memory", room + guard_bytes);
      Kokkos::deep_copy(memory, std::byte{0xa5});
      compress(this->exec, this->field, options, this->workspace,
               Kokkos::subview(memory, std::make_pair(std::size_t{0}, room)));
      auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory);
      EXPECT_TRUE(std::equal(expected.data(), expected.data() + expected.size(), found.data()));
      EXPECT_TRUE(std::all_of(found.data() + room, found.data() + found.size(),
                              [](std::byte byte) { return byte == std::byte{0xa5}; }));
    }
  }
}

TYPED_TEST(Arguments, MisalignedStream_IsRefused) {
  typename TestFixture::Bytes const bytes("bytes", 100000);
  auto const shifted = Kokkos::subview(bytes, std::make_pair(4, 100000));
  auto const error =
      error_of([&] { compress(this->exec, this->field, {}, this->workspace, shifted); });
  expect_error(error, Status::bad_argument, "16 bytes");
}

TYPED_TEST(Arguments, ViewOfOtherTypeOrExtents_IsTypeMismatch) {
  using Space = typename TypeParam::memory_space;
  compress(this->exec, this->field, {}, this->workspace, this->stream);
  Kokkos::View<double**, Kokkos::LayoutRight, Space> const other_type("other", 64, 100);
  Kokkos::View<float**, Kokkos::LayoutRight, Space> const other_extents("other", 100, 64);
  Kokkos::View<float*, Space> const other_rank("other", 6400);
  auto const decode = [&](auto const& view) {
    return error_of([&] { decompress(this->exec, this->stream, this->workspace, view); });
  };
  expect_error(decode(other_type), Status::type_mismatch, "64 x 100 values of f64");
  expect_error(decode(other_extents), Status::type_mismatch, "100 x 64");
  expect_error(decode(other_rank), Status::type_mismatch, "6400 values of f32");
}

TYPED_TEST(Arguments, EmptyOrForeignStream_IsBadMagic) {
  typename TestFixture::Bytes const zeros("zeros", 5000);
  Kokkos::View<std::byte const*, typename TypeParam::memory_space> const none, foreign = zeros;
  for (auto const& bytes : {none, foreign}) {
    auto const error =
        error_of([&] { decompress(this->exec, bytes, this->workspace, this->field); });
    EXPECT_EQ(error.status(), Status::bad_magic);
  }
}

}  // namespace kompakt::test
