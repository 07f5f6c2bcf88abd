#include "archive_case.hpp"

#include <archive/index.hpp>

namespace kompakt::test {
namespace {

using Fields = std::vector<StoredField>;
using impl::ArchiveIndex;
using impl::Block;
using impl::BlockKind;
using impl::BlockLocation;
using impl::Listing;

constexpr std::uint64_t index_begin = 4096;

std::vector<std::byte> block_of(Listing const& listing) {
  return impl::make_block(BlockKind::index, index_begin, impl::index_body(listing));
}

/// What reading an index block of these ends with.
Status status_of(Listing const& listing) {
  std::vector<std::byte> const bytes = block_of(listing);
  EXPECT_TRUE(impl::is_sound(bytes));
  Block const block{1, BlockKind::index, index_begin, bytes.size()};
  return refusal_of([&] {
           Listing const read = impl::read_listing(block, bytes);
           EXPECT_EQ(read.fields, listing.fields);
           EXPECT_EQ(read.removals, listing.removals);
         })
      .status;
}

TEST(ArchiveIndex, StreamsThatOverlapOrLieOutside_AreCorrupt) {
  ArchiveEntry const a{"a", {{"k", "v"}}, 32, 100, 1}, b{"b", {}, 144, 3952, 2};
  auto const status = [](std::vector<ArchiveEntry> const& fields) {
    return status_of({{}, {}, fields});
  };
  EXPECT_EQ(status({a, b}), Status::ok);
  EXPECT_EQ(status({b, a}), Status::corrupt);
  EXPECT_EQ(status({a, a}), Status::corrupt);
  for (auto const& [offset, bytes] : {std::pair<std::uint64_t, std::uint64_t>{128, 100},
                                      {144, 3953},
                                      {145, 16},
                                      {4096, 16},
                                      {8192, 16},
                                      {144, ~std::uint64_t{0}},
                                      {~std::uint64_t{15}, 32}}) {
    EXPECT_EQ(status({a, {"b", {}, offset, bytes, 2}}), Status::corrupt) << offset << " " << bytes;
  }
  EXPECT_EQ(status({{"a\n", {}, 32, 16, 2}}), Status::corrupt);
  EXPECT_EQ(status({{"a", {{"k", "1"}, {"k", "2"}}, 32, 16, 2}}), Status::corrupt);
}

TEST(ArchiveIndex, WhatLiesOnTheWrongSideOfTheIndexBefore_IsCorrupt) {
  ArchiveEntry const field{"a", {}, 1024, 100, 1};
  EXPECT_EQ(status_of({{512, 512}, {{"b", 32}}, {field}}), Status::ok);
  EXPECT_EQ(status_of({{512, 528}, {}, {field}}), Status::corrupt);        // in front of it
  EXPECT_EQ(status_of({{512, 512}, {{"b", 1024}}, {}}), Status::corrupt);  // behind it
  EXPECT_EQ(status_of({{512, 4096}, {}, {}}), Status::corrupt);  // not in front of the new one
  EXPECT_EQ(status_of({{8192, 64}, {}, {}}), Status::corrupt);
  EXPECT_EQ(status_of({{~std::uint64_t{15}, 64}, {}, {}}), Status::corrupt);
}

TEST(ArchiveIndex, CountsAndLengthsBeyondTheBlock_AreCorrupt) {
  std::vector<std::byte> const sound = block_of({{}, {}, {{"a", {{"k", "v"}}, 32, 100, 1}}});
  Block const block{1, BlockKind::index, index_begin, sound.size()};
  // docs/format.md: place before, count, then of the record the lengths of name and attribute and their number.
  for (std::size_t const at : {32u, 39u, 40u, 47u, 48u, 55u, 76u, 77u, 78u, 81u, 83u}) {
    std::vector<std::byte> bytes = sound;
    bytes[at] = std::byte{0xff};
    EXPECT_EQ(refusal_of([&] { impl::read_listing(block, bytes); }).status, Status::corrupt) << at;
  }
}

TEST(ArchiveIndex, NamesTwiceOrRemovedWithoutBeingThere_AreCorrupt) {
  auto const status = [](std::vector<Listing> const& chain) {
    return refusal_of([&] {
             ArchiveIndex index;
             std::uint64_t place = 1024;
             for (Listing const& listing : chain) index.take(listing, {place += 1024, 64});
           })
        .status;
  };
  Listing const first{{}, {}, {{"a", {}, 32, 16, 1}, {"b", {}, 48, 16, 1}}};
  auto const again = [](std::string const& name) {
    return std::vector<ArchiveEntry>{{name, {}, 3072, 16, 1}};
  };
  EXPECT_EQ(status({first, {{}, {}, again("c")}}), Status::ok);
  EXPECT_EQ(status({first, {{}, {}, again("a")}}), Status::corrupt);
  EXPECT_EQ(status({first, {{}, {{"a", 32}}, again("a")}}), Status::ok);
  EXPECT_EQ(status({first, {{}, {{"a", 48}}, again("a")}}), Status::corrupt);
  EXPECT_EQ(status({first, {{}, {{"c", 32}}, {}}}), Status::corrupt);
  EXPECT_EQ(status({first, {{}, {{"a", 32}, {"a", 32}}, {}}}), Status::corrupt);
  EXPECT_EQ(status({{{}, {}, {{"a", {}, 32, 16, 1}, {"a", {}, 48, 16, 1}}}}), Status::corrupt);
}

/// Commits to an archive that has bytes of an index only, as the writer makes them.
struct Growth {
  std::vector<Listing> chain;
  std::vector<BlockLocation> places;
  std::uint64_t end = 32, index_bytes = 0, max_blocks = 0;

  ArchiveIndex read() const {
    ArchiveIndex index;
    for (std::size_t i = 0; i < chain.size(); ++i) index.take(chain[i], places[i]);
    return index;
  }
  void commit(ArchiveIndex const& index) {
    Listing listing = index.next();
    while (!places.empty() && places.back().offset != listing.previous.offset) {
      places.pop_back();
      chain.pop_back();
    }
    BlockLocation const place{
        end, impl::make_block(BlockKind::index, end, impl::index_body(listing)).size()};
    end += place.bytes + impl::trailer_bytes;
    index_bytes += place.bytes + impl::trailer_bytes;
    chain.push_back(std::move(listing));
    places.push_back(place);
    max_blocks = std::max<std::uint64_t>(max_blocks, chain.size());
  }
};

TEST(ArchiveIndex, ThousandsOfAppends_TakeTwoPercentOfSmallFieldsAndFewReads) {
  Growth growth;
  std::uint64_t data_bytes = 0;
  ArchiveIndex index;
  // As many that each is listed three times, as up to 32 767 are.
  for (int i = 0; i < 3000; ++i) {
    index.add({"temperature " + std::to_string(i), {{"units", "K"}}, growth.end, 17904, 1});
    growth.end += 17904;
    data_bytes += 17904;
    growth.commit(index);
    index = growth.read();
  }
  EXPECT_EQ(index.fields().size(), 3000u);
  EXPECT_LT(growth.index_bytes, data_bytes / 50);
  EXPECT_LE(growth.max_blocks, 100u);
}

TEST(ArchiveIndex, AnySequenceOfChanges_IsReadBack) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    KOMPAKT_TRACE_SEED(seed);
    Random random(seed);
    Growth growth;
    std::uint64_t names = 0;
    for (int commit = 0; commit < 300; ++commit) {
      ArchiveIndex index = growth.read();
      for (std::uint64_t i = random.below(random.below(20) == 0 ? 200 : 3); i > 0; --i) {
        index.add({std::to_string(names++), {}, growth.end, 16, 1});
        growth.end += 16;
      }
      for (std::uint64_t i = random.below(3); i > 0 && !index.fields().empty(); --i) {
        std::string const name = index.fields()[random.below(index.fields().size())].name;
        index.remove(name);
        if (random.below(2) == 0) continue;
        index.add({name, {}, growth.end, 16, 2});
        growth.end += 16;
      }
      growth.commit(index);
      ASSERT_EQ(growth.read().fields(), index.fields()) << commit;
      ASSERT_LE(growth.chain.size(), 31u * 4);
    }
  }
}

TEST(ArchiveIndex, ManyAppends_GrowWithTheDataAndReadLittle) {
  TemporaryFolder const folder;
  std::string const stream = golden("constant_f32");
  Fields fields;
  write_archive(folder / "a", {});
  for (int i = 0; i < 150; ++i) {
    fields.push_back({"field " + std::to_string(i), {{"units", "K"}}, stream});
    append_to_archive(folder / "a", fields.back());
  }
  EXPECT_EQ(read_archive(folder / "a"), fields);
  std::uint64_t const before = bytes_read();
  ArchiveReader const reader(folder / "a");
  EXPECT_LT(bytes_read() - before, 150u * 100);
  // 96 bytes of entry, 176 of index and trailer, 48 once more, beside the stream.
  EXPECT_LT(contents(folder / "a").size(), 150u * (stream.size() + 350));
}

TEST(ArchiveIndex, ChainThatIsNotOne_IsCorrupt) {
  TemporaryFolder const folder;
  SmallArchive const archive;
  put(folder / "a", archive.bytes);
  // An index block whose previous one is itself, or lies behind it: sound by its checksum, and not believed.
  auto const with_index = [&](BlockLocation const& previous) {
    std::string bytes = archive.bytes;
    auto const add = [&](BlockKind kind, std::vector<std::byte> const& body) {
      std::vector<std::byte> const block = impl::make_block(kind, bytes.size(), body);
      BlockLocation const place{bytes.size(), block.size()};
      bytes.append(reinterpret_cast<char const*>(block.data()), block.size());
      return place;
    };
    BlockLocation const index = add(BlockKind::index, impl::index_body({previous, {}, {}}));
    add(BlockKind::trailer, impl::trailer_body(index));
    put(folder / "b", bytes);
    return refusal_of([&] { ArchiveReader reader(folder / "b"); });
  };
  std::uint64_t const end = archive.bytes.size();
  for (BlockLocation const& previous :
       {BlockLocation{end, 64}, BlockLocation{end - 48, 48}, BlockLocation{0, 32},
        BlockLocation{16, 64}, BlockLocation{end + 64, 64}, BlockLocation{end - 64, 65},
        BlockLocation{32, end}}) {
    Refusal const refusal = with_index(previous);
    EXPECT_EQ(refusal.status, Status::corrupt) << previous.offset << " " << refusal.what;
    EXPECT_EQ(refusal.what.find('\n'), std::string::npos);
    EXPECT_NE(refusal.what.find("kompakt repair"), std::string::npos) << refusal.what;
    EXPECT_EQ(repair_archive(folder / "b").kept.size(), 3u);
    EXPECT_EQ(read_archive(folder / "b"), archive.fields);
  }
}

/// A block whose body has been altered, with the checksum that belongs to it.
std::string with_body_byte(std::string bytes, std::size_t block, std::size_t at, char value) {
  auto const number = [&](std::size_t place) {
    std::uint64_t result = 0;
    std::memcpy(&result, bytes.data() + place, 8);
    return result;
  };
  std::uint16_t kind = 0;
  std::memcpy(&kind, bytes.data() + block + 10, 2);
  std::size_t const length = number(block + 24);
  bytes[block + 32 + at % (length - 32)] = value;
  auto const body = std::as_bytes(std::span(bytes.data() + block + 32, length - 32));
  std::vector<std::byte> const again =
      impl::make_block(static_cast<BlockKind>(kind), number(block + 16), body);
  std::memcpy(bytes.data() + block, again.data(), again.size());
  return bytes;
}

// Whoever can make checksums can say anything; what is read still lies in the file, apart, and has names of its own.
TEST(ArchiveIndex, AnythingSaidWithASoundChecksum_IsCorruptOrAnArchive) {
  TemporaryFolder const folder;
  SmallArchive const archive;
  put(folder / "a", archive.bytes);
  {
    ArchiveWriter writer = ArchiveWriter::append_to(folder / "a");
    writer.remove("p");
    writer.append("p", {{"k", "v"}}, bytes_of(golden("zeros_f32")));
    writer.commit();
  }
  std::string const bytes = contents(folder / "a");
  std::vector<std::size_t> blocks;
  for (std::size_t at = 0; at + 32 < bytes.size(); at += 16) {
    auto const start = bytes_of(bytes).subspan(at);
    auto const block = impl::read_block_header(start, at, bytes.size());
    if (block && block->bytes > 32) blocks.push_back(at);
  }
  ASSERT_GT(blocks.size(), 10u);
  Random random(9);
  for (int trial = 0; trial < 1500; ++trial) {
    std::string damaged = bytes;
    for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
      damaged = with_body_byte(
          damaged, blocks[random.below(blocks.size())], random.below(200),
          static_cast<char>(random.one_in(2) ? random.below(256) : random.below(3) * 16));
    }
    put(folder / "b", damaged);
    Refusal const refusal = refusal_of([&] {
      ArchiveReader const reader(folder / "b");
      std::set<std::string> names;
      std::uint64_t end = 0;
      for (ArchiveEntry const& entry : reader.entries()) {
        ASSERT_TRUE(names.insert(entry.name).second);
        ASSERT_GE(entry.offset, end);
        ASSERT_LE(entry.bytes, bytes.size() - entry.offset);
        end = entry.offset + entry.bytes;
      }
    });
    ASSERT_TRUE(refusal.status == Status::ok || refusal.status == Status::corrupt) << refusal.what;
    if (trial % 100 == 0) repair_archive(folder / "b", folder / "c", Overwrite::yes);
  }
}

}  // namespace
}  // namespace kompakt::test
