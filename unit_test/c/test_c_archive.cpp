#include "../archive/archive_case.hpp"
#include "c_case.hpp"
#include <kompakt/any_codec.hpp>
#include <kompakt/frames.hpp>
#include <map>

// Archives by the C interface are those of the C++ one.

namespace kompakt::test {

namespace {

struct Close {
  void operator()(kompakt_archive_reader* reader) const { kompakt_archive_close(reader); }
  void operator()(kompakt_archive_writer* writer) const { kompakt_archive_discard(writer); }
};
using Reader = std::unique_ptr<kompakt_archive_reader, Close>;
using Writer = std::unique_ptr<kompakt_archive_writer, Close>;

Reader open(std::filesystem::path const& path) {
  kompakt_archive_reader* reader = nullptr;
  EXPECT_EQ(kompakt_archive_open(path.c_str(), &reader), KOMPAKT_OK) << kompakt_last_message();
  return Reader(reader);
}
Writer create(std::filesystem::path const& path, kompakt_archive_mode mode = KOMPAKT_ARCHIVE_NEW) {
  kompakt_archive_writer* writer = nullptr;
  EXPECT_EQ(kompakt_archive_create(path.c_str(), mode, 0, &writer), KOMPAKT_OK)
      << kompakt_last_message();
  return Writer(writer);
}

kompakt_attribute const attributes[] = {{"units", "K"}, {"note", "two\nlines"}};
Attributes const same_attributes = {{"units", "K"}, {"note", "two\nlines"}};

}  // namespace

class CArchive : public testing::Test {
 protected:
  std::uint64_t find(Reader const& reader, char const* name) {
    std::uint64_t number = 77;
    EXPECT_EQ(kompakt_archive_find(reader.get(), name, &number), KOMPAKT_OK)
        << kompakt_last_message();
    return number;
  }
  void append(Writer const& writer, char const* name, std::string const& stream) {
    ASSERT_EQ(
        kompakt_archive_append(writer.get(), name, attributes, 2, stream.data(), stream.size()),
        KOMPAKT_OK)
        << kompakt_last_message();
  }
  void commit(Writer const& writer) {
    ASSERT_EQ(kompakt_archive_commit(writer.get()), KOMPAKT_OK) << kompakt_last_message();
  }

  TemporaryFolder folder;
  std::filesystem::path path = folder / "run.kpk";
  std::string one = golden("brick_3d_f32"), other = golden("chain_1d_f64");
  std::string frames = repeated(golden("square_2d_f64"), 3);
};

TEST_F(CArchive, File_IsThatOfCpp) {
  {
    Writer const writer = create(path);
    append(writer, "a", one);
    ASSERT_EQ(kompakt_archive_begin(writer.get(), "b", nullptr, 0), KOMPAKT_OK);
    ASSERT_EQ(kompakt_archive_add_frame(writer.get(), other.data(), other.size()), KOMPAKT_OK)
        << kompakt_last_message();
    ASSERT_EQ(kompakt_archive_end(writer.get()), KOMPAKT_OK) << kompakt_last_message();
    append(writer, "gone", other);
    commit(writer);
  }
  {
    Writer const writer = create(path, KOMPAKT_ARCHIVE_APPEND);
    ASSERT_EQ(kompakt_archive_remove(writer.get(), "gone"), KOMPAKT_OK) << kompakt_last_message();
    append(writer, "c", frames);
    commit(writer);
  }
  auto const expected = folder / "expected.kpk";
  {
    ArchiveWriter writer(expected, Overwrite::no);
    writer.append("a", same_attributes, bytes_of(one));
    writer.begin("b", {});
    writer.add_frame(bytes_of(other));
    writer.end();
    writer.append("gone", same_attributes, bytes_of(other));
    writer.commit();
  }
  {
    ArchiveWriter writer = ArchiveWriter::append_to(expected);
    writer.remove("gone");
    writer.append("c", same_attributes, bytes_of(frames));
    writer.commit();
  }
  EXPECT_EQ(contents(path), contents(expected));
}

TEST_F(CArchive, Entries_AreThoseOfCpp) {
  write_archive(path, {{"a", same_attributes, one}, {"b", {}, frames}});
  ArchiveReader const expected(path);
  Reader const reader = open(path);
  std::uint64_t count = 0;
  ASSERT_EQ(kompakt_archive_count(reader.get(), &count), KOMPAKT_OK);
  ASSERT_EQ(count, expected.entries().size());
  for (std::uint64_t i = 0; i < count; ++i) {
    ArchiveEntry const& wanted = expected.entries()[i];
    kompakt_entry entry = kompakt_entry_default();
    ASSERT_EQ(kompakt_archive_entry(reader.get(), i, &entry), KOMPAKT_OK);
    EXPECT_EQ(entry.name, wanted.name);
    EXPECT_EQ(entry.offset, wanted.offset);
    EXPECT_EQ(entry.bytes, wanted.bytes);
    EXPECT_EQ(entry.checksum, wanted.checksum);
    Attributes found;
    for (std::uint64_t k = 0; k < entry.attribute_count; ++k) {
      found.emplace_back(entry.attributes[k].key, entry.attributes[k].value);
    }
    EXPECT_EQ(found, wanted.attributes);
    EXPECT_EQ(find(reader, entry.name), i);
    std::string stream(entry.bytes, '\0');
    ASSERT_EQ(kompakt_archive_read(reader.get(), i, stream.data(), stream.size()), KOMPAKT_OK);
    EXPECT_EQ(stream, i == 0 ? one : frames);
    EXPECT_EQ(kompakt_archive_read(reader.get(), i, stream.data(), stream.size() - 1),
              KOMPAKT_BUFFER_TOO_SMALL);
  }
}

TEST_F(CArchive, FieldOfFrames_IsDecompressedAsByCpp) {
  write_archive(path, {{"a", {}, one}, {"b", {}, frames}});
  ArchiveReader const archive(path);
  Reader const reader = open(path);
  AnyCodec codec(Space::serial);
  FrameReader all(archive.open("b")), part(archive.open("b"));
  while (all.next()) all.skip();
  StreamInfo const whole = all.sequence().whole();
  kompakt_info info = kompakt_info_default();
  std::uint64_t const number = find(reader, "b");
  ASSERT_EQ(kompakt_archive_inspect(reader.get(), number, &info), KOMPAKT_OK);
  expect_same_info(info, whole);

  all.rewind();
  std::vector<double> expected(whole.shape.size()), found(expected.size());
  codec.decompress(all, FieldData{expected.data(), whole.shape}, MemoryOf::host);
  Context const context = make_context();
  kompakt_field const field = field_of(whole.shape);
  info = kompakt_info_default();
  ASSERT_EQ(
      kompakt_archive_decompress(context.get(), reader.get(), number, &field, found.data(), &info),
      KOMPAKT_OK)
      << kompakt_last_message();
  expect_same_info(info, whole);
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(double)), 0);

  std::uint64_t const begin[] = {whole.shape.extents[0] / 4, 1};
  std::uint64_t const end[] = {whole.shape.extents[0] - 1, 3};
  Box const box{{begin[0], begin[1]}, {end[0], end[1]}};
  FieldShape const region = box.shape_in(whole.shape);
  std::vector<double> a(region.size()), b(region.size());
  codec.decompress(part, FieldData{a.data(), region}, MemoryOf::host, box);
  kompakt_field const c_region = field_of(region);
  ASSERT_EQ(kompakt_archive_decompress_region(context.get(), reader.get(), number, begin, end,
                                              &c_region, b.data(), nullptr),
            KOMPAKT_OK)
      << kompakt_last_message();
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0);
}

TEST_F(CArchive, ModeOfCreation_SaysWhatBecomesOfAFile) {
  auto const status = [&](kompakt_archive_mode mode) {
    kompakt_archive_writer* writer = nullptr;
    kompakt_status const result = kompakt_archive_create(path.c_str(), mode, 0, &writer);
    Writer const owner(writer);
    if (result == KOMPAKT_OK) {
      append(owner, ("field " + std::to_string(mode)).c_str(), one);
      commit(owner);
    }
    return result;
  };
  EXPECT_EQ(status(KOMPAKT_ARCHIVE_APPEND), KOMPAKT_IO);
  EXPECT_EQ(status(KOMPAKT_ARCHIVE_APPEND_OR_NEW), KOMPAKT_OK);
  EXPECT_EQ(status(KOMPAKT_ARCHIVE_NEW), KOMPAKT_IO);
  EXPECT_EQ(status(KOMPAKT_ARCHIVE_APPEND), KOMPAKT_OK);
  EXPECT_EQ(ArchiveReader(path).entries().size(), 2u);
  EXPECT_EQ(status(KOMPAKT_ARCHIVE_REPLACE), KOMPAKT_OK);
  EXPECT_EQ(ArchiveReader(path).entries().size(), 1u);
  EXPECT_EQ(status(4), KOMPAKT_BAD_ARGUMENT);
}

TEST_F(CArchive, WriterThatIsDiscarded_LeavesTheFileAsItWas) {
  write_archive(path, {{"a", {}, one}});
  std::string const before = contents(path);
  append(create(path, KOMPAKT_ARCHIVE_APPEND), "b", other);
  append(create(path, KOMPAKT_ARCHIVE_REPLACE), "b", other);
  append(create(folder / "new.kpk"), "b", other);
  EXPECT_EQ(contents(path), before);
  EXPECT_EQ(folder.names(), std::set<std::string>{"run.kpk"});
}

TEST_F(CArchive, WhatCannotBe_IsToldByStatusAndMessage) {
  std::map<std::string, kompakt_status> const expected{
      {"missing.kpk", KOMPAKT_IO}, {"text", KOMPAKT_BAD_MAGIC}, {"torn.kpk", KOMPAKT_CORRUPT}};
  write_archive(path, {{"a", {}, one}});
  put(folder / "text", std::string(5000, 'x'));
  put(folder / "torn.kpk", contents(path).substr(0, contents(path).size() - 60));
  for (auto const& [name, status] : expected) {
    kompakt_archive_reader* reader = nullptr;
    EXPECT_EQ(kompakt_archive_open((folder / name).c_str(), &reader), status) << name;
    EXPECT_NE(std::string(kompakt_last_message()).find(name), std::string::npos);
    EXPECT_EQ(reader, nullptr);
  }
  Reader const reader = open(path);
  kompakt_entry entry = kompakt_entry_default();
  std::uint64_t number = 0;
  EXPECT_EQ(kompakt_archive_entry(reader.get(), 1, &entry), KOMPAKT_BAD_ARGUMENT);
  EXPECT_STREQ(kompakt_last_message(),
               "kompakt_archive_entry: there is no field 1 in an archive of 1; numbers begin at 0");
  EXPECT_EQ(kompakt_archive_find(reader.get(), "b", &number), KOMPAKT_BAD_ARGUMENT);
  EXPECT_NE(std::string(kompakt_last_message()).find("'a'"), std::string::npos);

  Writer const writer = create(path, KOMPAKT_ARCHIVE_APPEND);
  auto const append_status = [&](char const* name, kompakt_attribute const* with,
                                 std::string const& stream) {
    return kompakt_archive_append(writer.get(), name, with, with == nullptr ? 0 : 1, stream.data(),
                                  stream.size());
  };
  kompakt_attribute const no_value = {"key", nullptr};
  EXPECT_EQ(append_status("a", nullptr, one), KOMPAKT_BAD_ARGUMENT);
  EXPECT_EQ(append_status("b", &no_value, one), KOMPAKT_BAD_ARGUMENT);
  EXPECT_EQ(append_status(nullptr, nullptr, one), KOMPAKT_BAD_ARGUMENT);
  EXPECT_EQ(append_status("b", nullptr, std::string(500, 'x')), KOMPAKT_BAD_MAGIC);
  EXPECT_EQ(append_status("b", nullptr, one.substr(0, one.size() - 8)), KOMPAKT_CORRUPT);
  EXPECT_EQ(kompakt_archive_end(writer.get()), KOMPAKT_BAD_ARGUMENT);
  commit(writer);
  EXPECT_EQ(kompakt_archive_commit(writer.get()), KOMPAKT_BAD_ARGUMENT);
}

TEST_F(CArchive, NullPointers_AreRefused) {
  write_archive(path, {{"a", {}, one}});
  Reader const reader = open(path);
  Writer const writer = create(folder / "new.kpk");
  kompakt_archive_reader* r = nullptr;
  kompakt_archive_writer* w = nullptr;
  std::uint64_t n = 0;
  kompakt_entry entry = kompakt_entry_default();
  for (kompakt_status const status : {
           kompakt_archive_open(nullptr, &r),
           kompakt_archive_open(path.c_str(), nullptr),
           kompakt_archive_count(nullptr, &n),
           kompakt_archive_count(reader.get(), nullptr),
           kompakt_archive_entry(nullptr, 0, &entry),
           kompakt_archive_entry(reader.get(), 0, nullptr),
           kompakt_archive_find(nullptr, "a", &n),
           kompakt_archive_find(reader.get(), nullptr, &n),
           kompakt_archive_find(reader.get(), "a", nullptr),
           kompakt_archive_read(nullptr, 0, nullptr, 0),
           kompakt_archive_read(reader.get(), 0, nullptr, 10),
           kompakt_archive_inspect(reader.get(), 0, nullptr),
           kompakt_archive_decompress(nullptr, reader.get(), 0, nullptr, nullptr, nullptr),
           kompakt_archive_decompress_region(nullptr, reader.get(), 0, nullptr, nullptr, nullptr,
                                             nullptr, nullptr),
           kompakt_archive_create(nullptr, 0, 0, &w),
           kompakt_archive_create("x", 0, 0, nullptr),
           kompakt_archive_append(nullptr, "b", nullptr, 0, one.data(), one.size()),
           kompakt_archive_append(writer.get(), "b", nullptr, 1, one.data(), one.size()),
           kompakt_archive_append(writer.get(), "b", nullptr, 0, nullptr, 100),
           kompakt_archive_begin(nullptr, "b", nullptr, 0),
           kompakt_archive_begin(writer.get(), nullptr, nullptr, 0),
           kompakt_archive_add_frame(nullptr, nullptr, 0),
           kompakt_archive_add_frame(writer.get(), nullptr, 10),
           kompakt_archive_end(nullptr),
           kompakt_archive_remove(nullptr, "a"),
           kompakt_archive_remove(writer.get(), nullptr),
           kompakt_archive_commit(nullptr),
       }) {
    EXPECT_EQ(status, KOMPAKT_BAD_ARGUMENT);
  }
  kompakt_archive_close(nullptr);
  kompakt_archive_discard(nullptr);
  kompakt_context_destroy(nullptr);
}

}  // namespace kompakt::test
