#include <algorithm>
#include <container/reader.hpp>
#include <cstring>
#include <filesystem>
#include <kompakt/io.hpp>
#include <pipeline/region.hpp>
#include <set>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>
#include <support/spaces.hpp>
#include <support/strided.hpp>

namespace kompakt::test {

/// A box of a field, with the numbers that it is made of.
struct Box {
  std::vector<std::size_t> begin, end;

  kompakt::Box region() const { return {begin, end}; }
  std::size_t extent(std::size_t axis) const { return end[axis] - begin[axis]; }
};

/// Anywhere in the field; now and then a corner of it, all of an axis or a single index.
Box random_box(Random& random, FieldShape const& shape) {
  Box box;
  for (int axis = 0; axis < shape.rank; ++axis) {
    std::size_t const n = shape.extents[static_cast<std::size_t>(axis)];
    std::size_t a = random.below(n), b = random.below(n);
    if (random.one_in(4)) a = 0, b = n - 1;
    if (random.one_in(4)) b = a;
    box.begin.push_back(std::min(a, b));
    box.end.push_back(std::max(a, b) + 1);
  }
  return box;
}

/// A shape of a rank with a few ten thousand values, extents of 1 among them.
template <class T>
FieldShape random_shape(Random& random, int rank, Order order) {
  std::vector<std::size_t> extents(static_cast<std::size_t>(rank), 1);
  for (std::size_t size = 1, i = 0; size < 15000 && i < 40; ++i) {
    std::size_t& n = extents[random.below(extents.size())];
    std::size_t const factor = 2 + random.below(rank == 1 ? 200 : 6);
    if (size * factor > 60000 || random.one_in(8)) continue;
    n *= factor;
    size *= factor;
    if (size / n * (n + 1) < 60000 && random.one_in(2)) size = size / n * (n + 1), ++n;
  }
  return shape_from<T>(extents, order);
}

template <class Exec>
class RegionOf : public testing::Test {
 protected:
  using Memory = typename Exec::memory_space;
  using Bytes = Kokkos::View<std::byte*, Memory>;

  /// Decompresses a box to an array with axes in any order and gaps; all of its memory is compared with
  /// what the box of `whole` makes of it.
  template <class T>
  void expect_slice(std::vector<std::byte> const& stream, std::vector<T> const& whole,
                    FieldShape const& shape, Box const& box, Random& random) {
    FieldShape region = shape;
    std::vector<std::size_t> extents;
    for (std::size_t i = 0; i < box.begin.size(); ++i) {
      extents.push_back(region.extents[i] = box.extent(i));
    }
    auto const array = random_strides(random, extents);
    Strides const& strides = array.first;
    std::size_t const size = array.second;
    std::vector<T> expected(size, static_cast<T>(-77));
    Bytes const memory = codec.upload(std::as_bytes(std::span(expected)));
    StreamInfo const info = decompress(
        exec, Kokkos::View<std::byte const*, typename Exec::memory_space>(codec.upload(stream)),
        workspace, StridedData(memory.data(), region, strides), kompakt::Box{box.begin, box.end});
    EXPECT_EQ(info.shape, shape);

    Strides const dense = strides_of(shape);
    for_indices(extents, [&](std::vector<std::size_t> const& index) {
      std::vector<std::size_t> in_field = index;
      for (std::size_t i = 0; i < index.size(); ++i) in_field[i] += box.begin[i];
      expected[offset_of(index, strides)] = whole[offset_of(in_field, dense)];
    });
    auto const found = codec.download(memory);
    ASSERT_EQ(std::memcmp(found.data(), expected.data(), size * sizeof(T)), 0)
        << "from " << testing::PrintToString(box.begin) << " to " << testing::PrintToString(box.end)
        << " of " << testing::PrintToString(extents);
  }

  template <class T>
  void any_box(std::uint64_t seed) {
    KOMPAKT_TRACE_SEED(seed);
    Random random(seed);
    for (int rank = 1; rank <= 5; ++rank) {
      for (Order const order : {Order::last_fastest, Order::first_fastest}) {
        FieldShape shape = random_shape<T>(random, rank, order);
        auto const field = make_field<T>(Family::nan_islands, shape, seed);
        for (Coding const& coding : all_codings) {
          auto const predictor = static_cast<Predictor>(random.below(3));
          SCOPED_TRACE(coding.name());
          auto const stream = codec.compress(
              field, shape, coding.with(ErrorBound::absolute(1e-3), predictor, !random.one_in(3)));
          predictors.insert(codec.info().predictor_word());
          auto const whole = codec.template decompress<T>(stream, shape);
          for (int i = 0; i < 3; ++i) {
            expect_slice(stream, whole, shape, random_box(random, shape), random);
          }
        }
      }
    }
  }

  Exec exec;
  Codec<Exec> codec{exec};
  Workspace<Exec> workspace{exec};
  std::set<std::string> predictors;
};
TYPED_TEST_SUITE(RegionOf, Spaces, SpaceName);

TYPED_TEST(RegionOf, AnyBoxOfAnyField_IsTheSliceOfTheField) {
  for (std::uint64_t const seed : {1, 2}) {
    this->template any_box<float>(seed);
    this->template any_box<double>(seed);
  }
  EXPECT_EQ(this->predictors,
            (std::set<std::string>{"chain", "interpolate", "tile 32x32", "tile 8x8x16"}));
}

// A device takes so many tiles of `rans` ahead.
TYPED_TEST(RegionOf, RansOfThousandsOfTiles_ComesBackAndIsTheSlice) {
  FieldShape const shape = shape_from<float>({4200, 1040});
  Options const options{.bound = ErrorBound::absolute(1e-3),
                        .pipeline = Pipeline::rans,
                        .predictor = Predictor::tile};
  auto const stream =
      expect_round_trip(this->codec, make_field<float>(Family::walk, shape), shape, options);
  auto const whole = this->codec.template decompress<float>(stream, shape);
  Random random(4);
  this->expect_slice(stream, whole, shape, {{1, 0}, {4200, 1039}}, random);
  FieldShape const wide = shape_from<double>({4200, 1040});
  expect_round_trip(this->codec, make_field<double>(Family::walk, wide), wide, options);
}

TYPED_TEST(RegionOf, MoreChunksThanAtATime_AreTheSlice) {
  FieldShape const shape = shape_from<float>({5000, 4100});
  auto const stream =
      this->codec.compress(make_field<float>(Family::zeros, shape), shape,
                           {.bound = ErrorBound::absolute(1e-3), .predictor = Predictor::chain});
  auto const whole = this->codec.template decompress<float>(stream, shape);
  Random random(3);
  this->expect_slice(stream, whole, shape, {{1, 4000}, {5000, 4007}}, random);
}

TYPED_TEST(RegionOf, GoldenStreams_GiveSlices) {
  Random random(4);
  int streams = 0;
  for (auto const& file : std::filesystem::directory_iterator(KOMPAKT_GOLDEN_FOLDER)) {
    if (file.path().extension() != ".kpk") continue;
    SCOPED_TRACE(file.path().string());
    auto const stream = read_file(file.path());
    FieldShape const shape = inspect(stream).shape;
    if (shape.size() == 0) continue;
    ++streams;
    auto const slice = [&]<class T>(T) {
      auto const whole = this->codec.template decompress<T>(stream, shape);
      for (int i = 0; i < 3; ++i) {
        this->expect_slice(stream, whole, shape, random_box(random, shape), random);
      }
    };
    switch (size_of(shape.dtype)) {  // values are compared bit for bit
      case 1: slice(std::uint8_t{}); break;
      case 2: slice(std::uint16_t{}); break;
      case 4: slice(float{}); break;
      default: slice(double{});
    }
  }
  EXPECT_GT(streams, 10);
}

TYPED_TEST(RegionOf, Views_AreTakenInAnyLayout) {
  using Space = typename TypeParam::memory_space;
  Kokkos::View<double***, Kokkos::LayoutLeft, Space> const field("field", 20, 30, 40),
      again("again", 20, 30, 40);
  auto const host = Kokkos::create_mirror_view(field);
  auto const values = make_field<double>(Family::walk, shape_of(field));
  std::copy(values.begin(), values.end(), host.data());
  Kokkos::deep_copy(field, host);
  CompressedStream<Space> stream;
  compress(this->exec, field, {}, this->workspace, stream);
  decompress(this->exec, stream, this->workspace, again);
  Kokkos::deep_copy(host, again);
  std::array<std::size_t, 3> const begin{3, 0, 17}, end{13, 30, 22};
  Kokkos::View<double***, Kokkos::LayoutRight, Space> const right("right", 10, 30, 5);
  Kokkos::View<double***, Kokkos::LayoutRight, Space> const frame("frame", 12, 32, 7);
  auto const inner = Kokkos::subview(frame, std::pair(1, 11), std::pair(1, 31), std::pair(1, 6));
  decompress(this->exec, stream, this->workspace, right, kompakt::Box{begin, end});
  decompress(this->exec,
             Kokkos::View<std::byte const*, typename TypeParam::memory_space>(stream.bytes()),
             this->workspace, inner, kompakt::Box{begin, end});
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), right);
  auto const b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), frame);
  for (std::size_t i = 0; i < 10; ++i) {
    for (std::size_t j = 0; j < 30; ++j) {
      for (std::size_t k = 0; k < 5; ++k) {
        ASSERT_EQ(a(i, j, k), host(i + 3, j, k + 17));
        ASSERT_EQ(b(i + 1, j + 1, k + 1), host(i + 3, j, k + 17));
      }
    }
  }
}

TYPED_TEST(RegionOf, WholeFieldAndNothing_AreRegions) {
  FieldShape const shape = shape_from<float>({17, 33, 21});
  auto const stream = this->codec.compress(make_field<float>(Family::smooth, shape), shape, {});
  auto const whole = this->codec.template decompress<float>(stream, shape);
  Random random(5);
  this->expect_slice(stream, whole, shape, {{0, 0, 0}, {17, 33, 21}}, random);
  this->expect_slice(stream, whole, shape, {{4, 9, 3}, {4, 12, 21}}, random);
  this->expect_slice(stream, whole, shape, {{17, 33, 21}, {17, 33, 21}}, random);
  FieldShape const empty = shape_from<float>({17, 0, 21});
  auto const none = this->codec.compress(std::vector<float>(), empty, {});
  this->expect_slice(none, std::vector<float>(), empty, {{3, 0, 5}, {9, 0, 6}}, random);
}

TYPED_TEST(RegionOf, BoxOutsideTheField_IsRefusedWithItsNumbers) {
  FieldShape const shape = shape_from<float>({30, 40});
  auto const bytes =
      this->codec.upload(this->codec.compress(make_field<float>(Family::smooth, shape), shape, {}));
  auto const refusal = [&](Box const& box, FieldShape const& view) {
    typename TestFixture::Bytes const memory("memory", 40000);
    try {
      decompress(this->exec,
                 Kokkos::View<std::byte const*, typename TypeParam::memory_space>(bytes),
                 this->workspace, FieldData{memory.data(), view}, kompakt::Box{box.begin, box.end});
    } catch (Error const& e) {
      EXPECT_EQ(std::string(e.what()).substr(0, 11), "decompress:") << e.what();
      return e;
    }
    return Error(Status::ok, "");
  };
  for (Box const& box : {Box{{3, 30}, {31, 40}}, Box{{5, 0}, {4, 40}}, Box{{31, 0}, {31, 4}},
                         Box{{0}, {30}}, Box{{0, 0, 0}, {1, 1, 1}}}) {
    Error const error = refusal(box, shape_from<float>({28, 10}));
    EXPECT_EQ(error.status(), Status::bad_argument) << testing::PrintToString(box.begin);
    for (std::size_t const number : box.end) {
      EXPECT_NE(std::string(error.what()).find(std::to_string(number)), std::string::npos);
    }
  }
  Box const box{{3, 30}, {13, 40}};
  EXPECT_EQ(refusal(box, shape_from<float>({10, 10})).status(), Status::ok);
  EXPECT_EQ(refusal(box, shape_from<float>({10, 11})).status(), Status::type_mismatch);
  EXPECT_EQ(refusal(box, shape_from<float>({100})).status(), Status::type_mismatch);
  EXPECT_EQ(refusal(box, shape_from<double>({10, 10})).status(), Status::type_mismatch);
}

/// Byte of the payload at which a chunk begins.
std::size_t chunk_at(std::vector<std::byte> const& stream, std::size_t chunk) {
  auto const header = impl::read_header(stream, stream.size());
  std::uint64_t offset;
  std::memcpy(&offset, &stream[header.sections[impl::SectionId::chunk_index].offset + 8 * chunk],
              8);
  return header.sections[impl::SectionId::payload].offset + offset;
}

TYPED_TEST(RegionOf, DamageOutside_DoesNotMatter_InsideIsCorrupt) {
  FieldShape const shape = shape_from<float>({40000});
  for (Coding const& coding : tile_codings) {
    SCOPED_TRACE(coding.name());
    auto const good = this->codec.compress(make_field<float>(Family::noise, shape), shape,
                                           coding.with(ErrorBound::absolute(1e-3)));
    auto const whole = this->codec.template decompress<float>(good, shape);
    Random random(6);
    Box const box{{8192}, {12289}};  // chunks 2 and 3
    for (std::size_t chunk = 0; chunk < 10; ++chunk) {
      SCOPED_TRACE("chunk " + std::to_string(chunk));
      auto damaged = good;
      damaged[chunk_at(good, chunk) + 40] ^= std::byte{4};
      auto const decode = [&] { this->expect_slice(damaged, whole, shape, box, random); };
      if (chunk != 2 && chunk != 3) {
        decode();
        continue;
      }
      try {
        decode();
        ADD_FAILURE() << "the damage was not noticed";
      } catch (Error const& e) {
        EXPECT_EQ(e.status(), Status::corrupt) << e.what();
      }
    }
  }
}

TYPED_TEST(RegionOf, DamageOfALevel_MattersToRegionsThatNeedIt) {
  FieldShape const shape = shape_from<float>({70, 90, 150});
  auto const good = this->codec.compress(
      make_field<float>(Family::walk, shape), shape,
      {ErrorBound::absolute(1e-3), Pipeline::bitshuffle, Variant::nested, Predictor::interpolate});
  auto const whole = this->codec.template decompress<float>(good, shape);
  auto const header = impl::read_header(good, good.size());
  Random random(11);
  for (Box const& box : {Box{{0, 0, 0}, {3, 4, 5}}, Box{{20, 30, 60}, {40, 33, 70}},
                         Box{{60, 80, 140}, {70, 90, 150}}}) {
    auto const touched = impl::touched_chunks(header, box.region()).numbers;
    EXPECT_LT(touched.size(), static_cast<std::size_t>(header.chunks()) / 2);
    for (std::int64_t chunk = 0; chunk < header.chunks(); ++chunk) {
      SCOPED_TRACE("chunk " + std::to_string(chunk));
      auto damaged = good;
      damaged[chunk_at(good, static_cast<std::size_t>(chunk)) + 9] ^= std::byte{4};
      bool refused = false;
      try {
        this->expect_slice(damaged, whole, shape, box, random);
      } catch (Error const& e) {
        refused = e.status() == Status::corrupt;
      }
      EXPECT_EQ(refused, std::binary_search(touched.begin(), touched.end(), chunk));
    }
  }
}

TYPED_TEST(RegionOf, Memory_IsThatOfTheChunksTouched) {
  FieldShape const shape = shape_from<float>({100, 128, 128});
  auto const stream = this->codec.compress(make_field<float>(Family::smooth, shape), shape,
                                           {.predictor = Predictor::tile});
  auto const whole = this->codec.template decompress<float>(stream, shape);
  Random random(7);
  Box const box{{50, 50, 50}, {51, 52, 53}};
  this->expect_slice(stream, whole, shape, box, random);
  std::size_t const chunks =
      impl::touched_chunks(impl::read_header(stream, stream.size()), box.region()).numbers.size();
  EXPECT_LE(chunks, 2u);
  EXPECT_LE(this->workspace.capacity_bytes(), chunks * 4096 * sizeof(float) + 64);
}

TEST(TouchedChunks, OfAnyBox_AreThoseThatHaveItsValues) {
  Random random(8);
  for (int i = 0; i < 600; ++i) {
    FieldShape const shape = random_shape<float>(random, 1 + i % 6, static_cast<Order>(i / 6 % 2));
    impl::Header header;
    header.shape = shape;
    header.tile_shape = static_cast<TileShape>(random.below(tile_shapes));
    Box const box = random_box(random, shape);
    std::vector<char> in_box(shape.size());
    std::vector<std::size_t> extents;
    for (std::size_t axis = 0; axis < box.begin.size(); ++axis) extents.push_back(box.extent(axis));
    for_indices(extents, [&](std::vector<std::size_t> index) {
      for (std::size_t axis = 0; axis < index.size(); ++axis) index[axis] += box.begin[axis];
      in_box[offset_of(index, strides_of(shape))] = 1;
    });
    std::set<std::int64_t> expected;
    impl::with_tile_shape(header.tile_shape, [&](auto tile) {
      impl::TileGrid<decltype(tile)> const grid(header.extents());
      for (std::int64_t t = 0; t < grid.tiles; ++t) {
        impl::TileBox const b = grid.box(t);
        for (int k = 0; k < b.size(); ++k) {
          std::int64_t const at = b.origin + k / (b.nx * b.ny) * b.slab_pitch +
                                  k / b.nx % b.ny * b.row_pitch + k % b.nx;
          if (in_box[static_cast<std::size_t>(at)]) expected.insert(t / impl::chunk_tiles);
        }
      }
    });
    auto const chunks = impl::touched_chunks(header, box.region()).numbers;
    ASSERT_EQ(chunks, std::vector<std::int64_t>(expected.begin(), expected.end()))
        << "shape " << static_cast<int>(header.tile_shape) << " "
        << testing::PrintToString(extents);
  }
}

}  // namespace kompakt::test
