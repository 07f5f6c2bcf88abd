#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <container/reader.hpp>
#include <core/lattice.hpp>
#include <cstring>
#include <kompakt/slabs.hpp>
#include <optional>
#include <pipeline/slab_plan.hpp>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/errors.hpp>

// Extents that no memory holds, as a header or a caller may state them: whatever is computed from them, an Error is all
// that may come of it. A build with the undefined behaviour sanitizer sees more than the tests themselves.

namespace kompakt::test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Bytes = std::vector<std::byte>;

constexpr std::size_t two_to(int power) { return std::size_t{1} << power; }

FieldShape shape_of_extents(std::vector<std::size_t> const& extents, Dtype dtype = Dtype::f32) {
  FieldShape shape;
  shape.dtype = dtype;
  shape.rank = static_cast<int>(extents.size());
  std::copy(extents.begin(), extents.end(), shape.extents.begin());
  return shape;
}

/// Extents of one to three indices: from 2^31 values on, at and beyond 2^60, beyond 2^64, and none at all.
std::vector<FieldShape> hostile_shapes() {
  std::vector<std::vector<std::size_t>> all;
  for (int const power : {31, 32, 43, 46, 47, 48, 53, 54, 59, 60, 61, 62, 63}) {
    std::size_t const n = two_to(power);
    all.insert(all.end(), {{n - 1}, {n}, {n + 1}, {n, 2}, {2, n}, {n, 2, 2}, {2, 2, n}, {5, n, 9}});
    all.insert(all.end(), {{n, n}, {n, n, n}, {two_to(power / 2), two_to(power / 2)}});
    all.push_back({two_to(power / 3), two_to(power / 3), two_to(power / 3)});
    all.insert(all.end(), {{0, n, n}, {n, 0, n}, {n, n, 0}, {0, n}});
  }
  all.insert(all.end(), {{~std::size_t{0}}, {~std::size_t{0}, ~std::size_t{0}}, {0}, {0, 0, 0}});
  std::vector<FieldShape> shapes;
  for (auto const& extents : all) {
    for (Order const order : {Order::last_fastest, Order::first_fastest}) {
      shapes.push_back(shape_of_extents(extents));
      shapes.back().order = order;
    }
  }
  return shapes;
}

/// The number of values unless it is beyond 2^60.
std::optional<std::size_t> values_of(FieldShape const& shape) {
  long double values = 1;
  for (int i = 0; i < shape.rank; ++i) {
    values *= static_cast<long double>(shape.extents[static_cast<std::size_t>(i)]);
  }
  if (values > 0x1p60L) return std::nullopt;
  return shape.size();
}

std::string text_of(Coding const& coding, FieldShape const& shape) {
  std::string text = coding.name() + " of";
  for (int i = 0; i < shape.rank; ++i) {
    text += " " + std::to_string(shape.extents[static_cast<std::size_t>(i)]);
  }
  return text + (shape.order == Order::last_fastest ? "" : ", first fastest");
}

/// Every coding with the predictors that it takes.
template <class Body>
void for_each_coding(Body const& body) {
  for (Coding const& coding : all_codings) {
    for (auto const predictor : {Predictor::automatic, Predictor::chain, Predictor::tile}) {
      if (predictor != Predictor::automatic && coding.has_own()) continue;
      body(coding, coding.with(ErrorBound::absolute(1e-2), predictor));
    }
  }
}

/// A stream whose header can be made to tell of another field.
class Told {
 public:
  explicit Told(Bytes bytes)
      : m_bytes(std::move(bytes)), m_header(impl::read_header(m_bytes, m_bytes.size())) {}

  impl::Header const& header() const { return m_header; }
  Bytes const& bytes() const { return m_bytes; }

  /// Tells of a field of these extents as its whole.
  Told& put(FieldShape const& shape) {
    std::size_t const section = m_header.sections[impl::SectionId::shape].offset;
    impl::put(m_bytes.data() + section + 1, static_cast<std::uint64_t>(shape.order), 1);
    for (std::size_t i = 0; i < static_cast<std::size_t>(shape.rank); ++i) {
      for (std::size_t const number : {0u, 2u}) {
        impl::put(m_bytes.data() + section + 8 + 24 * i + 8 * number, shape.extents[i], 8);
      }
    }
    return *this;
  }
  /// Tells of the tiles that a field of these extents has if they come in levels.
  Told& put_tiles(TileShape tiles) {
    auto const method = static_cast<std::uint64_t>(m_header.method) << impl::predictor_shift;
    impl::put(m_bytes.data() + impl::at::tiling, method | static_cast<std::uint64_t>(tiles), 1);
    return *this;
  }
  /// Tells of an index for so many chunks, and of a payload and a stream behind it.
  Told& put_chunks(std::int64_t chunks) {
    std::size_t const index = m_header.sections[impl::SectionId::chunk_index].offset,
                      bytes = impl::index_section_bytes(chunks, m_header.is_packed()),
                      payload = impl::align_section(index + bytes);
    std::size_t const entry = impl::header_bytes + impl::section_entry_bytes;
    impl::put(m_bytes.data() + entry + 16, bytes, 8);
    impl::put(m_bytes.data() + entry + impl::section_entry_bytes + 8, payload, 8);
    impl::put(m_bytes.data() + impl::at::bytes, payload + m_header.payload_bytes, 8);
    return *this;
  }
  /// Makes the checksums right again.
  Told& mend() {
    constexpr auto id = static_cast<std::uint32_t>(impl::SectionId::shape);
    std::byte* const stream = m_bytes.data();
    impl::put(stream + impl::header_bytes + 4,
              impl::checksum_bytes(stream + m_header.sections[impl::SectionId::shape].offset,
                                   impl::shape_section_bytes(m_header.shape.rank), id),
              4);
    impl::put(stream + impl::at::checksum, 0, 4);
    impl::put(stream + impl::at::checksum,
              impl::checksum_bytes(stream, impl::table_end_of(stream), 0), 4);
    return *this;
  }

 private:
  Bytes m_bytes;
  impl::Header m_header;
};

/// Streams of a coding for fields of one to three indices.
std::vector<Told> streams_of(Codec<Exec>& codec, Options const& options) {
  std::vector<Told> streams;
  for (FieldShape const& shape : {shape_from<float>({20000}), shape_from<float>({90, 200}),
                                  shape_from<float>({20, 30, 40})}) {
    streams.emplace_back(codec.compress(make_field<float>(Family::walk, shape), shape, options));
  }
  return streams;
}

TEST(HostileExtents, InAHeader_AreRefused) {
  Codec<Exec> codec;
  int packed = 0;
  for_each_coding([&](Coding const& coding, Options const& options) {
    std::vector<Told> const streams = streams_of(codec, options);
    for (FieldShape const& shape : hostile_shapes()) {
      Told told = streams[static_cast<std::size_t>(shape.rank - 1)];
      packed += told.header().is_packed() ? 1 : 0;
      ASSERT_EQ(inspect(told.mend().bytes()).bytes, told.bytes().size()) << "without a change";
      for (int tiles = 0; tiles < tile_shapes; ++tiles) {
        told.put(shape).put_tiles(static_cast<TileShape>(tiles)).mend();
        EXPECT_EQ(error_of([&] { inspect(told.bytes()); }).status(), Status::corrupt)
            << text_of(coding, shape);
      }
    }
  });
  EXPECT_GT(packed, 0) << "no stream is packed";
}

// The front of a stream is all that is looked at here, so that its length can be that of an index for all chunks.
TEST(HostileExtents, WithAnIndexForAllChunks_AreRefusedIfOneCallCannotTakeThem) {
  Codec<Exec> codec;
  int refused = 0, taken = 0;
  for_each_coding([&](Coding const& coding, Options const& options) {
    std::vector<Told> const streams = streams_of(codec, options);
    for (FieldShape const& shape : hostile_shapes()) {
      if (values_of(shape).value_or(0) == 0) continue;
      Told told = streams[static_cast<std::size_t>(shape.rank - 1)];
      ASSERT_GE(told.bytes().size(), impl::inspect_bytes);
      impl::Extents3 const folded = impl::fold_shape(shape);
      auto const method = told.header().method;
      TileShape const tiles =
          impl::has_levels(method) ? impl::level_shape(folded) : told.header().tile_shape;
      std::int64_t const chunks = impl::chunk_count(method, tiles, folded);
      told.put(shape).put_tiles(tiles).put_chunks(chunks).mend();
      std::span const front = std::span(told.bytes()).first(impl::inspect_bytes);
      auto const look = [&] { return inspect(front); };
      if (impl::fits_one_call(method, chunks)) {
        EXPECT_EQ(look().chunks, static_cast<std::uint64_t>(chunks)) << text_of(coding, shape);
        ++taken;
      } else {
        std::string const text = error_of(look).what();
        EXPECT_NE(text.find(std::to_string(chunks) + " chunks"), std::string::npos) << text;
        ++refused;
      }
    }
  });
  EXPECT_GT(refused, 0);
  EXPECT_GT(taken, 0);
}

namespace {

/// Whether compress() takes a field of these extents, in either order.
bool is_taken(FieldShape shape, Options const& options) {
  for (Order const order : {Order::last_fastest, Order::first_fastest}) {
    shape.order = order;
    try {
      compress_workspace<Exec>(shape, options);
      return true;
    } catch (Error const& error) {
      EXPECT_EQ(error.status(), Status::bad_argument);
    }
  }
  return false;
}

}  // namespace

TEST(HostileExtents, OfAField_HaveNoTooSmallLargestStream) {
  for_each_coding([&](Coding const& coding, Options options) {
    for (bool const lossless : {false, true}) {
      bool const is_exact =
          coding.pipeline == Pipeline::fixedlength || coding.pipeline == Pipeline::rans;
      if (lossless && (!is_exact || coding.predictor == Predictor::interpolate)) continue;
      if (lossless) options.bound = ErrorBound::lossless();
      for (FieldShape shape : hostile_shapes()) {
        if (lossless) shape.dtype = Dtype::u8;
        std::optional<std::size_t> const values = values_of(shape);
        auto const query = [&] { return max_compressed_bytes(shape, options); };
        if (!values || !is_taken(shape, options)) {
          EXPECT_EQ(error_of(query).status(), Status::bad_argument) << text_of(coding, shape);
        } else if (*values > 0) {
          EXPECT_GE(query(), shape.bytes()) << text_of(coding, shape);
        }
      }
    }
  });
}

TEST(HostileExtents, WithMoreChunksThanACallTakes_HaveNoWorkspace) {
  for_each_coding([&](Coding const& coding, Options const& options) {
    for (FieldShape const& shape : hostile_shapes()) {
      std::optional<std::size_t> const values = values_of(shape);
      auto const compression = [&] { return compress_workspace<Exec>(shape, options); };
      auto const decompression = [&] { return decompress_workspace<Exec>(shape, options); };
      if (values.value_or(two_to(60)) >= two_to(46)) {
        EXPECT_EQ(error_of(compression).status(), Status::bad_argument) << text_of(coding, shape);
        EXPECT_EQ(error_of(decompression).status(), Status::bad_argument) << text_of(coding, shape);
        continue;
      }
      try {
        compression();
        decompression();
      } catch (Error const& error) {
        EXPECT_EQ(error.status(), Status::bad_argument) << text_of(coding, shape);
      }
    }
  });
}

TEST(HostileExtents, WithLittleMemory_AreRefused) {
  Exec const exec;
  Workspace<Exec> workspace(exec);
  Kokkos::View<std::byte*, Exec::memory_space> const field("field", 64), stream("stream", 64);
  for_each_coding([&](Coding const& coding, Options const& options) {
    for (FieldShape const& shape : hostile_shapes()) {
      SCOPED_TRACE(text_of(coding, shape));
      error_of(
          [&] { compress(exec, ConstFieldData(field.data(), shape), options, workspace, stream); });
      error_of([&] { decompress(exec, stream, workspace, FieldData(field.data(), shape)); });
    }
  });
}

TEST(HostileExtents, OfAField_CannotBeCutIntoSlabs) {
  for (FieldShape const& shape : hostile_shapes()) {
    if (values_of(shape)) continue;
    EXPECT_EQ(error_of([&] { Slabs(shape, two_to(20)); }).status(), Status::bad_argument);
  }
}

TEST(SlabPlan, OfSlabsOfAnyLength_IsOneSlab) {
  Codec<Exec> codec;
  FieldShape const shape = shape_from<float>({400, 8, 16});
  Told const told(codec.compress(make_field<float>(Family::walk, shape), shape, {}));
  for (std::size_t const bytes : {shape.bytes(), ~std::size_t{0} - 1, ~std::size_t{0}}) {
    EXPECT_EQ(impl::plan_slabs_of(told.header(), shape, {.slab_bytes = bytes}).slabs, 1) << bytes;
  }
}

}  // namespace
}  // namespace kompakt::test
