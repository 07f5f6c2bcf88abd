#include <container/reader.hpp>
#include <support/codec.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>

#include "tile_kernels.hpp"

namespace kompakt::test {

/// A team loads a tile of a field, codes it and decodes what it has coded.
template <class Reader, class Codec, class T>
struct CodeTiles {
  Reader reader;  // of the same field: for where its tiles lie
  Codec codec;
  T const* field;
  T* decoded;
  std::uint32_t* records;  // max_words for each tile
  int* words;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto& scratch = Codec::scratch(team);
    T* const memory = scratch_values<T>(team, device::tile_values);
    std::int64_t const tile = team.league_rank();
    device::TileExtents const place = reader.place(tile);
    auto const values = device::TileValues<T>::packed(memory, place);
    copy_tile(team, place, device::TileValues<T const>::in_field(field, place), values);
    team.team_barrier();
    std::uint32_t* const record = records + tile * Codec::max_words;
    int const count =
        codec.encode(team, {memory, values.row_pitch, values.slab_pitch}, place, record, scratch);
    bool const sound = codec.decode(team, record, count, values, place, scratch);
    if (team.team_rank() == 0) words[tile] = sound ? count : -1;
    copy_tile(team, place, values, device::TileValues<T>::in_field(decoded, place));
  }
};

/// The words of each record of a stream.
std::vector<std::vector<std::uint32_t>> records_of(std::vector<std::byte> const& stream,
                                                   std::int64_t tiles) {
  impl::Header const header = impl::read_header(stream, stream.size());
  auto const section = [&](impl::SectionId id) {
    return stream.data() + header.sections[id].offset;
  };
  std::vector<std::vector<std::uint32_t>> records(static_cast<std::size_t>(tiles));
  for (std::size_t chunk = 0; chunk < static_cast<std::size_t>(header.chunks()); ++chunk) {
    std::uint64_t entry[2];
    std::memcpy(entry, section(impl::SectionId::chunk_index) + 8 * chunk, 16);
    std::vector<std::uint32_t> words((entry[1] - entry[0]) / 4);
    if (words.empty()) continue;
    std::memcpy(words.data(), section(impl::SectionId::payload) + entry[0], 4 * words.size());
    auto at = words.begin() + impl::chunk_head_words(header.checksum);
    for (std::size_t t = 0; t < 4 && 4 * chunk + t < records.size(); ++t) {
      int const count = impl::ChunkHead::of(words.data()).length(static_cast<int>(t));
      records[4 * chunk + t].assign(at, at + count);
      at += count;
    }
  }
  return records;
}

template <class Exec>
class TileCodecOf : public testing::Test {
 protected:
  using Memory = typename Exec::memory_space;

  template <Pipeline pipeline, Variant variant, class T>
  void expect_words_of_the_stream(Random& random) {
    for (Family const family : all_families) {
      std::vector<std::size_t> const extents{1 + random.below(20), 1 + random.below(30),
                                             1 + random.below(50)};
      FieldShape const shape = shape_from<T>(extents);
      SCOPED_TRACE(std::string(to_string(pipeline)) + " " + to_string(variant) + ", " +
                   name_of(family) + ", " + testing::PrintToString(extents));
      Options options{
          .bound = ErrorBound::absolute(1e-3), .pipeline = pipeline, .variant = variant};
      if (random.one_in(4)) options.bound = ErrorBound::relative_to_value(1e-2);
      if (random.one_in(3)) options.bound = ErrorBound::relative_to_range(1e-3), options.range = 17;
      if (random.one_in(4)) {  // narrow bins
        options.bound = ErrorBound::relative_to_range(sizeof(T) == 4 ? 2e-6 : 3e-15);
        options.range = 17;
        options.magnitude = 16;
      }
      options.fill = random.one_in(2) ? FillValue::of(fill_value) : FillValue::none();
      options.predictor = static_cast<Predictor>(random.below(3));
      auto const field = make_field<T>(family, shape);
      auto const stream = codec.compress(field, shape, options);
      auto const sizes = team_sizes<Exec>();
      expect_same<pipeline, variant>(field, stream, shape, options,
                                     sizes[random.below(sizes.size())]);
    }
  }

  template <Pipeline pipeline, Variant variant, class T>
  void expect_same(std::vector<T> const& field, std::vector<std::byte> const& stream,
                   FieldShape const& shape, Options const& options, int team_size) {
    using Reader = device::TileReader<T, pipeline, variant>;
    using Coder = device::TileCodec<T, pipeline, variant>;
    static_assert(std::is_trivially_copyable_v<Coder>);
    auto const bytes = codec.upload(stream);
    StreamReader<Exec> const opened(exec, Kokkos::View<std::byte const*, Memory>(bytes));
    Reader const reader(opened);
    auto const tiles = static_cast<std::size_t>(reader.tiles());
    auto const values = codec.upload(std::as_bytes(std::span(field)));
    Kokkos::View<T*, Memory> const decoded("decoded", field.size());
    Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, Memory> const records("records", tiles,
                                                                             Coder::max_words);
    Kokkos::View<int*, Memory> const words("words", tiles);
    Kokkos::parallel_for(
        "kompakt::test::code_tiles",
        tile_policy<Exec, Coder, T>(exec, reader.tiles(), team_size, device::tile_values),
        CodeTiles<Reader, Coder, T>{reader, Coder(options, reader.shape()),
                                    reinterpret_cast<T const*>(values.data()), decoded.data(),
                                    records.data(), words.data()});
    exec.fence();
    auto const host_records = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), records);
    auto const host_words = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), words);
    auto const host_decoded = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), decoded);
    auto const expected = records_of(stream, reader.tiles());
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      ASSERT_GE(host_words(tile), 0) << "tile " << tile;
      auto const* const first = &host_records(tile, 0);
      ASSERT_EQ(std::vector<std::uint32_t>(first, first + host_words(tile)), expected[tile])
          << "tile " << tile;
    }
    std::vector<T> const found(host_decoded.data(), host_decoded.data() + field.size());
    expect_promise(field, found, codec.info().resolved());
    auto const whole = codec.template decompress<T>(stream, shape);
    ASSERT_EQ(std::memcmp(found.data(), whole.data(), whole.size() * sizeof(T)), 0);
  }

  Exec exec;
  Codec<Exec> codec{exec};
};
TYPED_TEST_SUITE(TileCodecOf, Spaces, SpaceName);

TYPED_TEST(TileCodecOf, Words_AreThoseOfTheStreamAndKeepTheBound) {
  Random random(1);
  auto const with = [&]<class T>(T) {
    this->template expect_words_of_the_stream<Pipeline::fixedlength, Variant::automatic, T>(random);
    this->template expect_words_of_the_stream<Pipeline::fixedlength, Variant::plain, T>(random);
    this->template expect_words_of_the_stream<Pipeline::bitshuffle, Variant::nested, T>(random);
    this->template expect_words_of_the_stream<Pipeline::bitshuffle, Variant::fz, T>(random);
    this->template expect_words_of_the_stream<Pipeline::rans, Variant::automatic, T>(random);
  };
  with(float{});
  with(double{});
}

TEST(TileCodec, OptionsThatNeedTheField_AreRefusedWithAReason) {
  using Codec = device::TileCodec<float, Pipeline::bitshuffle>;
  auto const expect = [](Options const& options, char const* text) {
    auto const error = error_of([&] { Codec{options, TileShape::chain}; });
    EXPECT_EQ(error.status(), Status::bad_argument);
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  };
  expect({.bound = ErrorBound::relative_to_range(1e-3)}, "range");
  expect({.bound = ErrorBound::psnr(80)}, "PSNR");
  expect({.bound = ErrorBound::absolute(-1)}, "-1");
  expect({.bound = ErrorBound::absolute(1), .fill = FillValue::of(1).with(2)}, "fill");
  expect({.bound = ErrorBound::lossless()}, "lossless");
}

}  // namespace kompakt::test
