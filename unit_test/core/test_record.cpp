#include <gtest/gtest.h>

#include <array>
#include <core/record.hpp>
#include <support/random.hpp>

namespace kompakt::test {
namespace {

using impl::RecordHead;
using impl::RecordTail;

template <class T>
class Record : public testing::Test {};
using Values = testing::Types<float, double>;
TYPED_TEST_SUITE(Record, Values);

template <class U>
void expect_head_round_trip(U base, RecordTail tail, std::uint32_t coder_bits) {
  constexpr std::uint32_t guard = 0xdeadbeef;
  std::array<std::uint32_t, 6> words;
  words.fill(guard);
  auto const head = RecordHead::make(base, tail, coder_bits);
  impl::write_head(head, base, tail, words.data());
  auto const count = static_cast<std::size_t>(head.words());
  for (std::size_t i = count; i < words.size(); ++i) ASSERT_EQ(words[i], guard) << i;

  RecordHead const read{words[0]};
  ASSERT_EQ(read.words(), head.words());
  ASSERT_EQ(read.coder_bits(), coder_bits);
  ASSERT_EQ(impl::read_base<U>(read, words.data()), base);
  ASSERT_EQ(read.has_tail(), tail.any());
  if (tail.any()) {
    ASSERT_EQ(words[count - 1], tail.word);
  }
}

TYPED_TEST(Record, HeadOfAnyBase_ComesBackInAsManyWordsAsItSays) {
  using U = impl::unsigned_t<TypeParam>;
  KOMPAKT_TRACE_SEED(91);
  Random random(91);
  for (int round = 0; round < 100000; ++round) {
    auto const code = static_cast<U>(static_cast<U>(random.bits()) >> random.below(sizeof(U) * 8));
    auto const coder_bits = static_cast<std::uint32_t>(random.below(1 << 13));
    auto const tail =
        RecordTail::make(static_cast<int>(random.below(1025)),
                         random.below(2) == 0 ? 0 : static_cast<int>(random.below(35)),
                         random.below(2) == 0 ? 0 : static_cast<int>(random.below(35)));
    expect_head_round_trip(impl::unzigzag(code), tail, coder_bits);
  }
}

TYPED_TEST(Record, BaseAtTheEdgeOfEachForm_TakesTheShortestOne) {
  using U = impl::unsigned_t<TypeParam>;
  auto const words = [](U code) { return RecordHead::make(impl::unzigzag(code), {}, 0).words(); };
  EXPECT_EQ(words(0), 1);
  EXPECT_EQ(words(0xffff), 1);
  EXPECT_EQ(words(0x10000), 2);
  EXPECT_EQ(words(0xffffffff), 2);
  EXPECT_EQ(words(static_cast<U>(~U{0})), sizeof(U) == 4 ? 2 : 3);
  for (U code : {U{0}, U{1}, U{0xffff}, U{0x10000}, U{0xffffffff}, static_cast<U>(~U{0})}) {
    expect_head_round_trip(impl::unzigzag(code), {}, 0x1fff);
    expect_head_round_trip(impl::unzigzag(code), RecordTail::make(1024, 0, 0), 0);
  }
}

TYPED_TEST(Record, StoredValue_KeepsItsBits) {
  for (TypeParam value : special_values<TypeParam>()) {
    std::array<std::uint32_t, 2> words{};
    impl::store_value(value, words.data());
    EXPECT_EQ(bits_of(impl::load_value<TypeParam>(words.data())), bits_of(value));
  }
}

TYPED_TEST(Record, TailWords_HoldPlacesAndValues) {
  for (int count = 0; count < 100; ++count) {
    int const bytes = (2 * count + 3) / 4 * 4 + count * static_cast<int>(sizeof(TypeParam));
    EXPECT_EQ(impl::list_words<TypeParam>(count) * 4, bytes);
  }
}

}  // namespace
}  // namespace kompakt::test
