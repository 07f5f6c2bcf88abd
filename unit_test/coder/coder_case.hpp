#ifndef KOMPAKT_UNIT_TEST_CODER_CODER_CASE_HPP
#define KOMPAKT_UNIT_TEST_CODER_CODER_CASE_HPP

#include <gtest/gtest.h>

#include <coder/bitshuffle/record.hpp>
#include <coder/fixedlength/record.hpp>
#include <coder/huffman/make_book.hpp>
#include <coder/huffman/record.hpp>
#include <coder/rans/record.hpp>
#include <memory>
#include <support/random.hpp>
#include <support/single_thread_team.hpp>
#include <support/tile_shapes.hpp>
#include <type_traits>
#include <vector>

namespace kompakt::test {

/// A coder with a tile shape and a type of values.
template <template <class> class CoderOf, class ShapeType, class ValueType>
struct CoderAndTile {
  using Shape = ShapeType;
  using T = ValueType;
  using Coder = CoderOf<T>;
};
template <template <class> class CoderOf>
using TilesOf =
    testing::Types<CoderAndTile<CoderOf, Chain, float>, CoderAndTile<CoderOf, Square, float>,
                   CoderAndTile<CoderOf, Brick, float>, CoderAndTile<CoderOf, Chain, double>,
                   CoderAndTile<CoderOf, Square, double>, CoderAndTile<CoderOf, Brick, double>>;

/// What a coder looks up beside the residuals: nothing but the variant, or, for Huffman, a book in which
/// a third of the entries have no code; as `dictionary` one of symbols only.
template <class Coder>
struct Contexts {
  static typename Coder::EncodeContext encode(Variant variant) {
    if constexpr (std::is_same_v<typename Coder::EncodeContext, Variant>) {
      return variant;
    } else {
      return {};
    }
  }
  static typename Coder::DecodeContext decode(Variant) { return {}; }
};
template <class T>
struct Contexts<impl::Huffman<T>> {
  static impl::huffman::EncodeBook encode(Variant v) { return {book(v).memory.words, radius}; }
  static impl::huffman::DecodeBook const* decode(Variant v) { return book(v).decode; }

 private:
  static constexpr int radius = 64;
  struct Book {
    std::vector<std::uint64_t> encode_bytes, decode_bytes;
    impl::huffman::EncodeMemory memory;
    impl::huffman::DecodeBook* decode;

    impl::huffman::EncodeMemory encode_memory() {
      impl::Carver carver(reinterpret_cast<std::byte*>(encode_bytes.data()));
      return impl::huffman::EncodeMemory::in(carver, radius, 1);
    }

    explicit Book(bool symbols_only)
        : encode_bytes(impl::huffman::EncodeMemory::bytes(radius, 1) / 8 + 1),
          decode_bytes(impl::huffman::DecodeBook::bytes(radius) / 8 + 1),
          memory(encode_memory()),
          decode(reinterpret_cast<impl::huffman::DecodeBook*>(decode_bytes.data())) {
      using namespace impl::huffman;
      BookMemory const making = BookMemory::in(memory.making, radius);
      for (int i = 0; i < entry_count(radius); ++i) {
        // A third of the entries have no code.
        bool const coded = i % 3 != 1 || always_coded(i, radius);
        making.counts()[i] = coded ? 1 + static_cast<std::uint32_t>(i % 17 * (i % 13)) : 0;
      }
      CodebookHead const head = make_lengths(SingleThreadTeam{}, making, radius, symbols_only);
      make_words(SingleThreadTeam{}, making, head, memory.words);
      std::vector<std::uint32_t> section(head.section_bytes() / 4);
      std::uint32_t checksum = 0;
      store_codebook(SingleThreadTeam{}, head, making.lengths, 0, section.data(), checksum);
      std::vector<std::uint32_t> scratch(DecodeBookMemory::bytes(default_radius) / 4 + 1);
      EXPECT_TRUE(decode->make(SingleThreadTeam{}, head,
                               reinterpret_cast<std::byte const*>(section.data()),
                               reinterpret_cast<std::byte*>(scratch.data())));
    }
  };
  static Book const& book(Variant variant) {
    static Book const all(false), symbols(true);
    return variant == Variant::dictionary ? symbols : all;
  }
};

/// A coder on tiles of made-up residuals.
template <class CoderAndTile>
class CoderCase {
 public:
  using Shape = typename CoderAndTile::Shape;
  using T = typename CoderAndTile::T;
  using Coder = typename CoderAndTile::Coder;
  using U = typename Coder::U;
  /// Natural order.
  using Residuals = std::vector<U>;
  /// Of a residual's zig-zag.
  static constexpr int max_width = static_cast<int>(sizeof(U)) * 8;

  struct Record {
    std::uint32_t coder_bits;
    std::vector<std::uint32_t> words;
    Variant variant;
  };

  static std::vector<Variant> variants() {
    std::vector<Variant> found;
    for (int i = 0; i < variant_count; ++i) {
      auto const variant = static_cast<Variant>(i);
      if (has_variant(Coder::Seat::row.pipeline, variant) && Coder::Seat::codes(variant)) {
        found.push_back(variant);
      }
    }
    return found;
  }
  static Variant random_variant(Random& random) {
    auto const all = variants();
    return all[random.below(all.size())];
  }

  /// Sets a residual, by its place in lanes, to the one whose zig-zag code this is.
  static void set_code(Residuals& residuals, int lane, int reg, U code) {
    residuals[static_cast<std::size_t>(impl::natural_place<Shape>(lane, reg))] =
        impl::unzigzag(code);
  }
  /// A code of exactly `width` bits.
  static U random_code(Random& random, int width) {
    if (width == 0) return 0;
    U const top = U{1} << (width - 1);
    return static_cast<U>(top | (static_cast<U>(random.bits()) & (top - 1)));
  }
  /// A lane whose first code has `first` bits, the others at most `rest`, and one of them all.
  static void fill_lane(Random& random, Residuals& residuals, int lane, int first, int rest) {
    for (int reg = 1; reg < impl::lane_values; ++reg) {
      auto const width = static_cast<int>(random.below(static_cast<std::uint64_t>(rest) + 1));
      set_code(residuals, lane, reg, random_code(random, width));
    }
    auto const widest = static_cast<int>(random.between(1, impl::lane_values - 1));
    set_code(residuals, lane, widest, random_code(random, rest));
    set_code(residuals, lane, 0, random_code(random, first));
  }
  /// Whether a tile of any extents with so many coder's words would be stored raw, so that nobody writes them.
  static bool is_raw(int words) { return words >= impl::tile_values * impl::value_words<T>; }
  static Residuals zeros() { return Residuals(impl::tile_values); }

  static int words(Variant variant, Residuals const& residuals) {
    typename Coder::Scratch scratch;
    return Coder::template measure<Shape>(SingleThreadTeam{}, Contexts<Coder>::encode(variant),
                                          residuals.data(), scratch)
        .words();
  }

  /// Measures and writes into exactly as many words as measured, all of them, nothing behind.
  static Record write(Variant variant, Residuals const& residuals) {
    Record const record = write_over(variant, residuals, 0xdeadbeef);
    EXPECT_EQ(write_over(variant, residuals, 0).words, record.words) << "a word was left as it was";
    return record;
  }

  /// Reads from memory of exactly the record's size, so that a build with the address sanitizer
  /// sees an access beyond. Returns whether the record was taken for sound.
  static bool read(Record const& record, Residuals& residuals) {
    std::unique_ptr<std::uint32_t[]> const words(new std::uint32_t[record.words.size()]);
    std::copy(record.words.begin(), record.words.end(), words.get());
    std::unique_ptr<U[]> const out(new U[impl::tile_values]());
    auto const scratch = std::make_unique<typename Coder::Scratch>();
    bool const sound = Coder::template read<Shape>(
        SingleThreadTeam{}, Contexts<Coder>::decode(record.variant), record.coder_bits, words.get(),
        static_cast<int>(record.words.size()), out.get(), *scratch);
    residuals.assign(out.get(), out.get() + impl::tile_values);
    return sound;
  }

  static void expect_round_trip(Residuals const& residuals) {
    for (Variant const variant : variants()) {
      SCOPED_TRACE(to_string(variant));
      if (is_raw(words(variant, residuals))) continue;
      Record const record = write(variant, residuals);
      ASSERT_EQ(static_cast<int>(record.words.size()), words(variant, residuals));
      Residuals back;
      ASSERT_TRUE(read(record, back));
      ASSERT_EQ(back, residuals);
    }
  }

 private:
  /// `filler` is what the memory holds before.
  static Record write_over(Variant variant, Residuals const& residuals, std::uint32_t filler) {
    constexpr std::size_t guards = 4;
    typename Coder::Scratch scratch;
    auto const context = Contexts<Coder>::encode(variant);
    auto const plan =
        Coder::template measure<Shape>(SingleThreadTeam{}, context, residuals.data(), scratch);
    auto const count = static_cast<std::size_t>(plan.words());
    std::vector<std::uint32_t> words(count + guards, filler);
    Coder::template write<Shape>(SingleThreadTeam{}, context, plan, residuals.data(), scratch,
                                 words.data());
    for (std::size_t i = count; i < words.size(); ++i)
      EXPECT_EQ(words[i], filler) << "behind " << count;
    words.resize(count);
    return {plan.coder_bits(), words, variant};
  }
};

}  // namespace kompakt::test

#endif
