#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/errors.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>

#include "tile_kernels.hpp"

namespace kompakt::test {

/// A team decodes a tile into its scratch memory, and copies it to where it belongs in the field.
template <class Reader, class T>
struct ReadTiles {
  Reader reader;
  T* field;
  int* unsound;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto& scratch = Reader::scratch(team);
    T* const memory = scratch_values<T>(team, device::tile_values);
    std::int64_t const tile = team.league_rank();
    device::TileExtents const place = reader.place(tile);
    auto const values = device::TileValues<T>::packed(memory, place);
    if (reader.tile_at(place.x, place.y, place.z) != tile ||
        !reader.read(team, tile, values, scratch)) {
      if (team.team_rank() == 0) Kokkos::atomic_inc(unsound);
      return;
    }
    copy_tile(team, place, values, device::TileValues<T>::in_field(field, place));
  }
};

/// A View has no pointers for values.
template <class T>
struct Pointer {
  T* data;
};

/// One team decodes all tiles, each to memory of its own.
template <class Reader, class T, class Exec>
struct ReadGuarded {
  Reader reader;
  Kokkos::View<typename Reader::Scratch, typename Exec::memory_space> scratch;
  Kokkos::View<Pointer<T>*, typename Exec::memory_space> memory;  // for each tile
  Kokkos::View<int, typename Exec::memory_space> unsound;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team) const {
    for (std::int64_t tile = 0; tile < reader.tiles(); ++tile) {
      auto const values = device::TileValues<T>::packed(memory(tile).data, reader.place(tile));
      bool const sound = reader.read(team, tile, values, scratch());
      if (!sound && team.team_rank() == 0) ++unsound();
    }
  }
};

template <class Exec>
class TileReaderOf : public testing::Test {
 protected:
  using Memory = typename Exec::memory_space;
  using ConstBytes = Kokkos::View<std::byte const*, Memory>;
  template <class T>
  using Pointers = Kokkos::View<Pointer<T>*, Memory>;

  /// What teams decode of a stream, tile by tile.
  template <class T>
  std::vector<T> read_tiles(std::vector<std::byte> const& stream, FieldShape const& shape,
                            int team_size) {
    auto const bytes = codec.upload(stream);
    StreamReader<Exec> const opened(exec, ConstBytes(bytes));
    opened.check(exec);
    Kokkos::View<std::byte*, Memory> const field("field", shape.size() * sizeof(T));
    Kokkos::View<int, Memory> const unsound("unsound");
    device::with_tile_reader<T>(opened, [&]<class Reader>(Reader const& reader) {
      shapes.insert(to_string(Prediction{PredictionMethod::lorenzo, reader.shape()}));
      Kokkos::parallel_for(
          "kompakt::test::read_tiles",
          tile_policy<Exec, Reader, T>(exec, reader.tiles(), team_size, device::tile_values),
          ReadTiles<Reader, T>{reader, reinterpret_cast<T*>(field.data()), unsound.data()});
    });
    exec.fence();
    int count = 0;
    Kokkos::deep_copy(count, unsound);
    EXPECT_EQ(count, 0);
    auto const host = codec.download(field);
    std::vector<T> values(shape.size());
    if (!host.empty()) std::memcpy(values.data(), host.data(), host.size());
    return values;
  }

  template <class T>
  void expect_tiles(FieldShape const& shape, Family family, Options const& options, int team_size) {
    auto const stream = codec.compress(make_field<T>(family, shape), shape, options);
    auto const whole = codec.template decompress<T>(stream, shape);
    auto const found = read_tiles<T>(stream, shape, team_size);
    ASSERT_EQ(found.size(), whole.size());
    ASSERT_EQ(std::memcmp(found.data(), whole.data(), whole.size() * sizeof(T)), 0);
  }

  /// Reads all tiles where a sanitizer sees the end of each array that takes part.
  template <class T, class Reader>
  int unsound_tiles(Reader const& reader) {
    auto const count = static_cast<std::size_t>(reader.tiles());
    std::vector<Kokkos::View<T*, Memory>> tiles;
    Pointers<T> const memory("memory", count);
    auto const host = Kokkos::create_mirror_view(memory);
    for (std::size_t tile = 0; tile < count; ++tile) {
      auto const size = reader.place(static_cast<std::int64_t>(tile)).size();
      tiles.emplace_back("tile", static_cast<std::size_t>(size));
      host(tile).data = tiles.back().data();
    }
    Kokkos::deep_copy(memory, host);
    Kokkos::View<int, Memory> const unsound("unsound");
    Kokkos::parallel_for("kompakt::test::read_guarded",
                         Kokkos::TeamPolicy<Exec>(exec, 1, team_sizes<Exec>().front()),
                         ReadGuarded<Reader, T, Exec>{
                             reader,
                             Kokkos::View<typename Reader::Scratch, Memory>(
                                 Kokkos::view_alloc("scratch", Kokkos::WithoutInitializing)),
                             memory, unsound});
    exec.fence();
    int found = 0;
    Kokkos::deep_copy(found, unsound);
    return found;
  }

  template <class T>
  void expect_tiles_of_any(std::uint64_t seed) {
    KOMPAKT_TRACE_SEED(seed);
    Random random(seed);
    for (Family const family : all_families) {
      for (Coding const& coding : all_codings) {
        if (coding.has_own() || coding.pack) continue;
        int const rank = 1 + static_cast<int>(random.below(3));
        std::vector<std::size_t> extents;
        for (int i = 0; i < rank; ++i) {
          extents.push_back(1 + random.below(rank == 1 ? 9000 : (rank == 2 ? 100 : 40)));
        }
        FieldShape const shape = shape_from<T>(extents, static_cast<Order>(random.below(2)));
        SCOPED_TRACE(coding.name() + ", " + name_of(family) + ", " +
                     testing::PrintToString(extents));
        ErrorBound const bounds[] = {ErrorBound::absolute(1e-3),
                                     ErrorBound::relative_to_value(1e-2),
                                     ErrorBound::relative_to_range(1e-4)};
        Options options = coding.with(bounds[random.below(3)],
                                      static_cast<Predictor>(random.below(3)), !random.one_in(3));
        if (coding.pipeline == Pipeline::fixedlength && random.one_in(4))
          options.bound = ErrorBound::lossless();
        if (random.one_in(2)) options.fill = FillValue::of(fill_value);
        auto const sizes = team_sizes<Exec>();
        expect_tiles<T>(shape, family, options, sizes[random.below(sizes.size())]);
      }
    }
  }

  Exec exec;
  Codec<Exec> codec{exec};
  std::set<std::string> shapes;
};
TYPED_TEST_SUITE(TileReaderOf, Spaces, SpaceName);

TYPED_TEST(TileReaderOf, AnyStream_GivesWhatDecompressGives) {
  for (std::uint64_t const seed : {1, 2}) {
    this->template expect_tiles_of_any<float>(seed);
    this->template expect_tiles_of_any<double>(seed);
  }
  EXPECT_EQ(this->shapes, (std::set<std::string>{"chain", "tile 32x32", "tile 8x8x16"}));
}

TYPED_TEST(TileReaderOf, FieldWithoutValues_HasNoTiles) {
  FieldShape const shape = shape_from<float>({4, 0});
  auto const bytes = this->codec.upload(this->codec.compress(std::vector<float>(), shape, {}));
  StreamReader<TypeParam> const opened(this->exec, typename TestFixture::ConstBytes(bytes));
  opened.check(this->exec);
  device::TileReader<float, Pipeline::fixedlength> const reader(opened);
  EXPECT_EQ(reader.tiles(), 0);
  EXPECT_EQ(reader.tile_at(0, 0, 0), -1);
}

TYPED_TEST(TileReaderOf, AlteredByte_IsToldAndReadInBounds) {
  FieldShape const shape = shape_from<float>({13, 17, 30});
  auto const field = make_field<float>(Family::nan_islands, shape);
  for (Coding const& coding : tile_codings) {
    SCOPED_TRACE(coding.name());
    auto const good = this->codec.compress(
        field, shape, coding.with(ErrorBound::absolute(1e-3), Predictor::tile, false));
    int unsound = 0;
    for (std::uint64_t i = 0; i < 300; ++i) {
      auto bytes = good;
      bytes[altered_place(i, bytes.size())] = static_cast<std::byte>(hash(i + 7));
      auto const memory = this->codec.upload(bytes);
      StreamReader<TypeParam> const opened(this->exec, typename TestFixture::ConstBytes(memory));
      device::with_tile_reader<float>(opened, [&]<class Reader>(Reader const& reader) {
        unsound += this->template unsound_tiles<float>(reader);
      });
    }
    EXPECT_GT(unsound, 30) << "the bytes that were altered have lost their point";
  }
}

TYPED_TEST(TileReaderOf, AlteredByte_FailsTheCheck) {
  FieldShape const shape = shape_from<double>({40, 70});
  auto const good = this->codec.compress(make_field<double>(Family::walk, shape), shape, {});
  for (std::uint64_t i = 0; i < 100; ++i) {
    auto const memory = this->codec.upload(with_altered_byte(good, i, std::byte{8}));
    auto const error = error_of([&] {
      StreamReader<TypeParam>(this->exec, typename TestFixture::ConstBytes(memory))
          .check(this->exec);
    });
    EXPECT_EQ(error.status(), Status::corrupt) << error.what();
  }
}

TYPED_TEST(TileReaderOf, TruncatedStream_IsRefused) {
  FieldShape const shape = shape_from<float>({40, 70});
  auto const good = this->codec.compress(make_field<float>(Family::walk, shape), shape, {});
  for (std::size_t const bytes :
       {std::size_t{0}, std::size_t{50}, std::size_t{200}, good.size() - 4}) {
    auto const memory = this->codec.upload(std::span(good).first(bytes));
    auto const error = error_of([&] {
      StreamReader<TypeParam> const opened(this->exec, typename TestFixture::ConstBytes(memory));
    });
    EXPECT_TRUE(error.status() == Status::corrupt || error.status() == Status::bad_magic)
        << error.what();
  }
}

TYPED_TEST(TileReaderOf, StreamWhosePartsDoNotStandAlone_IsRefusedWithAReason) {
  FieldShape const shape = shape_from<float>({40, 70, 60});
  auto const field = make_field<float>(Family::smooth, shape);
  auto const refusal = [&](std::vector<std::byte> const& stream) {
    auto const memory = this->codec.upload(stream);
    return error_of([&] {
      StreamReader<TypeParam> const opened(this->exec, typename TestFixture::ConstBytes(memory));
    });
  };
  auto const expect = [](Error const& error, char const* text) {
    EXPECT_EQ(error.status(), Status::bad_argument);
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  };
  Options options{.bound = ErrorBound::absolute(1e-2),
                  .pipeline = Pipeline::bitshuffle,
                  .predictor = Predictor::interpolate};
  expect(refusal(this->codec.compress(field, shape, options)), "interpolate");
  options.predictor = Predictor::tile;
  options.pack = true;
  expect(refusal(this->codec.compress(field, shape, options)), "packed");
  FieldShape const integers = shape_from<std::int32_t>({100, 30});
  expect(refusal(this->codec.compress(make_integers<std::int32_t>(integers), integers,
                                      {.bound = ErrorBound::lossless()})),
         "i32");
}

TYPED_TEST(TileReaderOf, AnotherTypeOrPipeline_IsRefused) {
  FieldShape const shape = shape_from<float>({40, 70});
  auto const memory = this->codec.upload(this->codec.compress(
      make_field<float>(Family::smooth, shape), shape, {.pipeline = Pipeline::bitshuffle}));
  StreamReader<TypeParam> const opened(this->exec, typename TestFixture::ConstBytes(memory));
  using Right = device::TileReader<float, Pipeline::bitshuffle, Variant::nested>;
  EXPECT_EQ(Right(opened).tiles(), 6);
  EXPECT_EQ(error_of([&] { device::TileReader<double, Pipeline::bitshuffle>{opened}; }).status(),
            Status::type_mismatch);
  EXPECT_EQ(error_of([&] {
              device::TileReader<float, Pipeline::bitshuffle, Variant::fz>{opened};
            }).status(),
            Status::bad_argument);
  EXPECT_EQ(error_of([&] { device::TileReader<float, Pipeline::huffman>{opened}; }).status(),
            Status::bad_argument);
  static_assert(std::is_trivially_copyable_v<Right>);
}

}  // namespace kompakt::test
