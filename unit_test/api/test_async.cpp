#include <algorithm>
#include <array>
#include <container/header.hpp>
#include <container/reader.hpp>
#include <support/codec.hpp>
#include <support/fields.hpp>
#include <support/spaces.hpp>

namespace kompakt::test {

template <class Exec>
class Async : public testing::Test {
 protected:
  using Memory = typename Exec::memory_space;
  using Values = Kokkos::View<float*, Memory>;

  FieldShape shape = shape_from<float>({30, 40, 50});
  std::vector<float> values = make_field<float>(Family::walk, shape);
  Exec exec;
  Workspace<Exec> compressing{exec}, decompressing{exec};
  CompressedStream<Memory> stream;
  Values field = upload(values);
  Values decoded{"decoded", shape.size()};

  static Values upload(std::vector<float> const& from) {
    Values const view("field", from.size());
    Kokkos::deep_copy(view, Kokkos::View<float const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                from.data(), from.size()));
    return view;
  }
  static std::vector<float> download(Values const& view) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    return {host.data(), host.data() + host.extent(0)};
  }
  ConstFieldData source() const { return {field.data(), shape}; }
  FieldData target() const { return {decoded.data(), shape}; }
};
TYPED_TEST_SUITE(Async, Spaces, SpaceName);

TYPED_TEST(Async, Decompression_MayFollowAnUnfinishedCompression) {
  auto compression =
      compress_async(this->exec, this->source(), {}, this->compressing, this->stream);
  auto decompression =
      decompress_async(this->exec, this->stream, this->decompressing, this->target());
  StreamInfo const info = compression.finish();
  EXPECT_EQ(decompression.finish().bytes, info.bytes);
  EXPECT_EQ(this->stream.info().bytes, info.bytes);
  expect_promise(this->values, this->download(this->decoded), info.abs_bound);
}

TYPED_TEST(Async, StreamThatDoesNotFit_IsToldByFinish) {
  Kokkos::View<std::byte*, typename TypeParam::memory_space> const small("small", 4096);
  auto compression = compress_async(this->exec, this->source(), {}, this->compressing, small);
  try {
    compression.finish();
    ADD_FAILURE() << "no error";
  } catch (Error const& e) {
    EXPECT_EQ(e.status(), Status::buffer_too_small);
  }
}

TYPED_TEST(Async, StreamOfAnotherShape_LeavesTheFieldAlone) {
  compress(this->exec, this->source(), {}, this->compressing, this->stream);
  auto const before = this->download(this->decoded);
  FieldData other = this->target();
  std::swap(other.shape.extents[0], other.shape.extents[1]);
  EXPECT_THROW(decompress(this->exec, this->stream, this->decompressing, other), Error);
  EXPECT_EQ(this->download(this->decoded), before);
}

TYPED_TEST(Async, Region_MayFollowAnUnfinishedCompression) {
  std::array<std::size_t, 3> const begin{3, 0, 17}, end{13, 40, 22};
  typename TestFixture::Values const part("part", 10 * 40 * 5);
  FieldShape const box = shape_from<float>({10, 40, 5});
  auto compression =
      compress_async(this->exec, this->source(), {}, this->compressing, this->stream);
  auto region = decompress_async(this->exec, this->stream, this->decompressing,
                                 FieldData{part.data(), box}, Box{begin, end});
  StreamInfo const info = compression.finish();
  EXPECT_EQ(region.finish().bytes, info.bytes);
  decompress(this->exec, this->stream, this->decompressing, this->target());
  auto const found = this->download(part), whole = this->download(this->decoded);
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::size_t const x = i % 5, y = i / 5 % 40, z = i / 200;
    ASSERT_EQ(found[i], whole[((z + 3) * 40 + y) * 50 + x + 17]) << i;
  }
}

// What the header tells is thrown by the call, what the chunks tell by finish().
TYPED_TEST(Async, RegionOfADamagedStream_IsToldByFinish) {
  std::array<std::size_t, 3> const begin{}, end{2, 40, 50}, outside{2, 41, 50};
  compress(this->exec, this->source(), {}, this->compressing, this->stream);
  auto const bytes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), this->stream.bytes());
  auto const start = [&](auto const& last) {
    auto const copy = CompressedStream<typename TypeParam::memory_space>::from_host(
        {bytes.data(), bytes.extent(0)});
    FieldShape const box = shape_from<float>({2, 40, 50});
    return std::pair(copy,
                     decompress_async(this->exec, copy, this->decompressing,
                                      FieldData{this->decoded.data(), box}, Box{begin, last}));
  };
  EXPECT_EQ(start(end).second.finish().bytes, bytes.extent(0));
  EXPECT_THROW(start(outside), Error);
  auto const header = impl::read_header({bytes.data(), bytes.extent(0)}, 0);
  bytes.data()[header.sections[impl::SectionId::payload].offset + 40] ^= std::byte{1};
  auto damaged = start(end);
  try {
    damaged.second.finish();
    ADD_FAILURE() << "the damage was not noticed";
  } catch (Error const& e) {
    EXPECT_EQ(e.status(), Status::corrupt);
    EXPECT_EQ(std::string(e.what()).substr(0, 11), "decompress:") << e.what();
  }
}

/// A stream with the entries of its section table in another order.
std::vector<std::byte> with_table_reversed(std::vector<std::byte> bytes) {
  constexpr std::size_t entry = impl::section_entry_bytes, first = impl::header_bytes;
  constexpr std::size_t last = first + (impl::section_count - 1) * entry;
  std::swap_ranges(bytes.begin() + first, bytes.begin() + first + entry, bytes.begin() + last);
  impl::put(bytes.data() + impl::at::checksum, 0, 4);
  impl::put(bytes.data() + impl::at::checksum, impl::checksum_bytes(bytes.data(), last + entry, 0),
            4);
  return bytes;
}

// Sound, though not as this library writes it: a device decodes it only once the host knows the header.
TYPED_TEST(Async, StreamWithAnotherTable_IsDecoded) {
  compress(this->exec, this->source(), {}, this->compressing, this->stream);
  auto const bytes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), this->stream.bytes());
  auto const other = with_table_reversed({bytes.data(), bytes.data() + bytes.extent(0)});
  auto const copy = CompressedStream<typename TypeParam::memory_space>::from_host(other);
  decompress(this->exec, copy, this->decompressing, this->target());
  expect_promise(this->values, this->download(this->decoded), this->stream.info().abs_bound);
}

}  // namespace kompakt::test
