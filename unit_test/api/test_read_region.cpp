#include "../io/temporary_folder.hpp"
#include <container/reader.hpp>
#include <cstring>
#include <kompakt/files.hpp>
#include <packing/packed_chunks.hpp>
#include <pipeline/region.hpp>
#include <set>
#include <support/codec.hpp>
#include <support/codings.hpp>
#include <support/fields.hpp>
#include <support/random.hpp>

namespace kompakt::test {

class ReadRegion : public testing::Test {
 protected:
  using Exec = Kokkos::DefaultExecutionSpace;
  using Numbers = std::vector<std::size_t>;

  void store(std::vector<std::byte> const& bytes) const {
    write_file(folder / "f.kpk", bytes, Overwrite::yes);
  }
  /// read_region(); notes how many bytes of the file it took.
  std::vector<std::byte> read(Numbers const& begin, Numbers const& end) {
    std::uint64_t const before = bytes_read();
    auto bytes = read_region(folder / "f.kpk", {begin, end});
    read_bytes = bytes_read() - before;
    return bytes;
  }
  Status status_of_read(Numbers const& begin, Numbers const& end) {
    try {
      read(begin, end);
      return Status::ok;
    } catch (Error const& e) {
      return e.status();
    }
  }
  /// A region, side by side; of the stream or of what was read of it.
  std::vector<std::byte> decode(std::vector<std::byte> const& stream, FieldShape shape,
                                Numbers const& begin, Numbers const& end) {
    for (std::size_t i = 0; i < begin.size(); ++i) shape.extents[i] = end[i] - begin[i];
    auto const memory = codec.upload(std::vector<std::byte>(shape.bytes()));
    decompress(exec,
               Kokkos::View<std::byte const*, typename Exec::memory_space>(codec.upload(stream)),
               workspace, FieldData{memory.data(), shape}, Box{begin, end});
    return codec.download(memory);
  }
  Status status_of_decoding(std::vector<std::byte> const& stream, FieldShape const& shape,
                            Numbers const& begin, Numbers const& end) {
    try {
      decode(stream, shape, begin, end);
      return Status::ok;
    } catch (Error const& e) {
      return e.status();
    }
  }

  static std::span<std::byte const> front_of(std::vector<std::byte> const& stream) {
    return std::span<std::byte const>(stream).first(impl::front_bytes(stream.size()));
  }

  using Chunks = std::vector<std::int64_t>;

  /// What reading these chunks takes beside the front: them, and their entries in the index.
  static std::uint64_t bytes_of(std::vector<std::byte> const& stream, impl::Header const& header,
                                Chunks const& chunks) {
    auto const* const index = reinterpret_cast<std::uint64_t const*>(
        stream.data() + header.sections[impl::SectionId::chunk_index].offset);
    std::set<std::int64_t> entries;
    std::uint64_t bytes = 0;
    for (std::int64_t const chunk : chunks) {
      bytes += index[chunk + 1] - index[chunk];
      entries.insert({chunk, chunk + 1});
    }
    return bytes + 8 * entries.size();
  }
  /// Of a packed stream: them, frequencies and index.
  static std::uint64_t bytes_of_packed(std::vector<std::byte> const& stream,
                                       impl::Header const& header, Chunks const& chunks) {
    auto const section = [&](impl::SectionId id) {
      return std::span(stream).subspan(header.sections[id].offset, header.sections[id].bytes);
    };
    auto const model = section(impl::SectionId::packing),
               index = section(impl::SectionId::chunk_index);
    impl::PackedChunks const packed(header, model, index);
    std::uint64_t bytes = model.size() + index.size();
    for (std::int64_t const chunk : chunks) {
      auto const number = static_cast<std::uint64_t>(chunk);
      bytes += packed.packed_begin(number + 1) - packed.packed_begin(number);
    }
    return bytes;
  }

  TemporaryFolder folder;
  Exec exec;
  Codec<Exec> codec{exec};
  Workspace<Exec> workspace{exec};
  std::uint64_t read_bytes = 0;
};

TEST_F(ReadRegion, AnyBox_IsThatOfTheStream_FromItsChunksAlone) {
  Random random(1);
  for (Coding const& coding : all_codings) {
    for (Predictor const predictor : {Predictor::chain, Predictor::tile}) {
      SCOPED_TRACE(coding.name());
      FieldShape const shape = shape_from<double>({30, 50, 61});
      auto const stream =
          codec.compress(make_field<double>(Family::nan_islands, shape), shape,
                         coding.with(ErrorBound::absolute(1e-3), predictor, !random.one_in(3)));
      store(stream);
      auto const header = impl::read_header(stream, stream.size());
      for (int i = 0; i < 10; ++i) {
        Numbers begin, end;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          begin.push_back(random.below(shape.extents[axis]));
          end.push_back(begin[axis] + 1 + random.below(shape.extents[axis] - begin[axis]));
        }
        auto const part = read(begin, end);
        auto const expected = decode(stream, shape, begin, end);
        ASSERT_TRUE(decode(part, shape, begin, end) == expected);

        auto const chunks = impl::touched_chunks(header, {begin, end}).numbers;
        EXPECT_EQ(read_bytes, impl::inspect_bytes + header.extra.coder +
                                  (header.is_packed() ? bytes_of_packed(stream, header, chunks)
                                                      : bytes_of(stream, header, chunks)));
      }
    }
  }
}

TEST_F(ReadRegion, ChunksLeftOut_CountAsDamaged) {
  FieldShape const shape = shape_from<float>({50000});  // 13 chunks
  for (bool const checksum : {true, false}) {
    store(codec.compress(make_field<float>(Family::zeros, shape), shape,
                         {.bound = ErrorBound::absolute(1e-3), .checksum = checksum}));
    for (std::size_t const begin : {std::size_t{0}, std::size_t{8192}, std::size_t{45056}}) {
      auto const part = read({begin}, {begin + 4096});
      for (std::size_t chunk = 0; chunk < 12; ++chunk) {
        Status const expected = chunk * 4096 == begin ? Status::ok : Status::corrupt;
        EXPECT_EQ(status_of_decoding(part, shape, {chunk * 4096}, {chunk * 4096 + 1}), expected)
            << "chunk " << chunk << " of the part from " << begin;
      }
      EXPECT_THROW(codec.template decompress<float>(part, shape), Error);
    }
  }
}

TEST_F(ReadRegion, ChunkBetweenTwoThatAreRead_CountsAsDamaged) {
  FieldShape const shape =
      shape_from<float>({64, 512});  // of tiles 32 x 32, chunks are a quarter of a row
  store(codec.compress(make_field<float>(Family::smooth, shape), shape,
                       {.predictor = Predictor::tile}));
  ASSERT_STREQ(codec.info().predictor_word(), "tile 32x32");
  auto const part = read({0, 384}, {64, 385});  // chunks 3 and 7
  EXPECT_EQ(status_of_decoding(part, shape, {40, 400}, {41, 402}), Status::ok);
  for (std::size_t const x : {std::size_t{0}, std::size_t{130}, std::size_t{260}}) {
    EXPECT_EQ(status_of_decoding(part, shape, {40, x}, {41, x + 1}), Status::corrupt);
  }
  auto const parts = read({0, 250}, {64, 260});  // 1 and 2, 5 and 6
  EXPECT_EQ(status_of_decoding(parts, shape, {0, 130}, {64, 383}), Status::ok);
  EXPECT_EQ(status_of_decoding(parts, shape, {0, 130}, {1, 385}), Status::corrupt);
}

TEST_F(ReadRegion, DamagedFile_IsRefused) {
  FieldShape const shape = shape_from<float>({20000});
  auto const good = codec.compress(make_field<float>(Family::noise, shape), shape, {});
  auto const header = impl::read_header(good, good.size());
  auto const with_entry = [&](std::size_t chunk, std::uint64_t value) {
    auto bytes = good;
    std::memcpy(&bytes[header.sections[impl::SectionId::chunk_index].offset + 8 * chunk], &value,
                8);
    store(bytes);
    return status_of_read({4096}, {4100});
  };
  EXPECT_EQ(with_entry(0, 4), Status::ok);  // not one of its own
  EXPECT_EQ(with_entry(1, ~std::uint64_t{0}), Status::corrupt);
  EXPECT_EQ(with_entry(1, 2), Status::corrupt);
  EXPECT_EQ(with_entry(2, 0), Status::corrupt);
  EXPECT_EQ(with_entry(2, header.payload_bytes + 4), Status::corrupt);
  store({good.begin(), good.end() - 4});
  EXPECT_EQ(status_of_read({4096}, {4100}), Status::corrupt);
  store({good.begin(), good.begin() + 7});
  EXPECT_EQ(status_of_read({4096}, {4100}), Status::bad_magic);
  store({});
  EXPECT_EQ(status_of_read({4096}, {4100}), Status::bad_magic);
}

TEST_F(ReadRegion, FetchedInAnyOrder_IsThatOfTheFile) {
  Random random(2);
  for (Coding const& coding : all_codings) {
    SCOPED_TRACE(coding.name());
    FieldShape const shape = shape_from<float>({40, 70, 90});
    auto const stream = codec.compress(make_field<float>(Family::smooth, shape), shape,
                                       coding.with(ErrorBound::absolute(1e-3), Predictor::tile));
    store(stream);
    for (int i = 0; i < 10; ++i) {
      Numbers begin, end;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        begin.push_back(random.below(shape.extents[axis]));
        end.push_back(begin[axis] + random.below(shape.extents[axis] - begin[axis] + 1));
      }
      RegionReader reader(front_of(stream), stream.size(), {begin, end});
      int rounds = 0;
      for (; !reader.wanted().empty(); reader.next()) {
        EXPECT_THROW(reader.take(), Error);
        std::vector<WantedBytes> wanted(reader.wanted().begin(), reader.wanted().end());
        for (std::size_t left = wanted.size(); left > 0; --left) {
          std::swap(wanted[left - 1], wanted[random.below(left)]);
          WantedBytes const& next = wanted[left - 1];
          std::memcpy(next.to.data(), stream.data() + next.position, next.to.size());
        }
        ++rounds;
      }
      EXPECT_LE(rounds, 2);
      EXPECT_TRUE(reader.take() == read(begin, end));
    }
  }
}

TEST_F(ReadRegion, FetchedBytesThatAreOthers_AreRefused) {
  FieldShape const shape = shape_from<float>({20000});
  for (bool const pack : {false, true}) {
    auto const stream = codec.compress(make_field<float>(Family::zeros, shape), shape,
                                       {.bound = ErrorBound::absolute(1e-3), .pack = pack});
    Numbers const begin{4096}, end{4100};
    RegionReader reader(front_of(stream), stream.size(), {begin, end});
    for (WantedBytes const& wanted : reader.wanted()) {
      std::memset(wanted.to.data(), 0x7f, wanted.to.size());
    }
    EXPECT_THROW(reader.next(), Error);
  }
}

TEST_F(ReadRegion, NoSuchBoxOrFile_IsRefused) {
  FieldShape const shape = shape_from<float>({20000});
  store(codec.compress(make_field<float>(Family::noise, shape), shape, {}));
  EXPECT_EQ(status_of_read({4096}, {20001}), Status::bad_argument);
  EXPECT_EQ(status_of_read({7}, {7}), Status::ok);
  Numbers const begin{0}, end{1};
  EXPECT_THROW(read_region(folder / "missing.kpk", {begin, end}), Error);
  EXPECT_THROW(read_region(folder.path(), {begin, end}), Error);
  EXPECT_THROW(read_region("/dev/null", {begin, end}), Error);
}

}  // namespace kompakt::test
