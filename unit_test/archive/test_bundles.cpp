#include "archive_case.hpp"
#include <archive/blocks.hpp>
#include <archive/bundle.hpp>
#include <kompakt/any_codec.hpp>
#include <kompakt/compress.hpp>
#include <kompakt/option_keys.hpp>
#include <kompakt/verify.hpp>
#include <map>
#include <support/fields.hpp>

namespace kompakt::test {
namespace {

/// The stream of so many numbers, which the seed decides.
std::string stream_of(std::vector<std::size_t> const& extents, unsigned seed,
                      Options const& options = {}) {
  static AnyCodec codec(Space::serial);
  FieldShape const shape = shape_from<double>(extents);
  std::vector<double> values(shape.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.37 * seed + 1.0 / (1.0 + i);
  std::vector<std::byte> stream(max_compressed_bytes(shape, options));
  StreamInfo const info = codec.compress(ConstFieldData(values.data(), shape), MemoryOf::host,
                                         options, stream, MemoryOf::host);
  return {reinterpret_cast<char const*>(stream.data()), info.bytes};
}

Options lossless() { return Options{ErrorBound::lossless()}; }

StoredField scalar(unsigned number) {
  return {
      "scalar " + std::to_string(number), {{"units", "m s-1"}}, stream_of({1}, number, lossless())};
}

bool is_in_bundle(ArchiveReader const& reader, std::string const& name) {
  return !reader.entry(name).stream.empty();
}

TEST(Bundles, ScalarsTakeLittleMoreThanTheirNames) {
  TemporaryFolder const folder;
  std::vector<StoredField> fields;
  std::size_t names = 0;
  for (unsigned i = 0; i < 1000; ++i) {
    fields.push_back(scalar(i));
    names += fields.back().name.size() + 4 + std::string("unitsm s-1").size();
  }
  write_archive(folder / "a", fields);
  EXPECT_LT(contents(folder / "a").size(), names + 1000 * 58);
  EXPECT_EQ(read_archive(folder / "a"), fields);
  ArchiveReader const reader(folder / "a");
  for (StoredField const& field : fields) {
    InputFile file = reader.open(field.name);
    std::vector<std::byte> bytes(file.known_bytes());
    file.again().read_at(0, bytes);
    EXPECT_TRUE(std::ranges::equal(bytes, bytes_of(field.stream))) << field.name;
    EXPECT_EQ(reader.entry(field.name).bytes, field.stream.size());
    EXPECT_EQ(reader.entry(field.name).offset % 8, 0u);
  }
  for (VerifiedStream const& stream : verify_file(folder / "a")) EXPECT_TRUE(stream.is_intact());
}

TEST(Bundles, EveryKindOfStream_ComesBackByteForByte) {
  TemporaryFolder const folder;
  std::vector<StoredField> fields;
  for (auto const& extents :
       std::vector<std::vector<std::size_t>>{{1}, {64}, {65}, {1, 1}, {3, 4, 5}, {2, 1, 2, 1, 2}}) {
    for (char const* const word :
         {"abs:0.01", "r2r:1e-3", "pwr:1e-2", "psnr:60", "lossless", "abs:0.5,pipeline=huffman",
          "r2r:0.1,pipeline=huffman,predictor=interpolate", "lossless,steps=0.01",
          "abs:1,limits=0:9", "abs:1,checksum=false"}) {
      Options options;
      set(options, word);
      unsigned const number = static_cast<unsigned>(fields.size());
      fields.push_back(
          {"field " + std::to_string(number), {}, stream_of(extents, number, options)});
    }
  }
  AnyCodec codec(Space::serial);
  FieldShape const fortran = shape_from<double>({5}, Order::first_fastest);
  std::vector<double> const values{1, 2, 3, 4, 5};
  std::vector<std::byte> stream(max_compressed_bytes(fortran, lossless()));
  stream.resize(codec
                    .compress(ConstFieldData(values.data(), fortran), MemoryOf::host, lossless(),
                              stream, MemoryOf::host)
                    .bytes);
  fields.push_back({"fortran", {}, {reinterpret_cast<char const*>(stream.data()), stream.size()}});
  for (std::string const& golden : small_streams()) {
    fields.push_back({"field " + std::to_string(fields.size()), {}, golden});
  }
  write_archive(folder / "a", fields);
  EXPECT_EQ(read_archive(folder / "a"), fields);
  ArchiveReader const reader(folder / "a");
  EXPECT_TRUE(is_in_bundle(reader, "field 0"));
  EXPECT_TRUE(is_in_bundle(reader, "field 1"));
  EXPECT_FALSE(is_in_bundle(reader, "field 20"));  // 65 values
}

/// Archives that many writers have changed, beside what they should hold.
class ModelledArchive {
 public:
  explicit ModelledArchive(unsigned seed) : m_random(seed) {}

  void change(std::filesystem::path const& path) {
    ArchiveWriter writer = ArchiveWriter::append_to_or_create(path);
    for (std::uint64_t calls = m_random.below(6); calls > 0; --calls) change(writer);
    writer.commit();
  }
  void expect_in(std::filesystem::path const& path) const {
    std::map<std::string, std::string> found;
    for (StoredField const& field : read_archive(path)) found[field.name] = field.stream;
    EXPECT_EQ(found, m_streams);
  }
  /// \returns how many of them there are
  std::size_t expect_none_else_in(std::filesystem::path const& path) const {
    std::vector<StoredField> const fields = read_archive(path);
    for (StoredField const& field : fields) {
      auto const known = m_streams.find(field.name);
      EXPECT_TRUE(known != m_streams.end() && known->second == field.stream) << field.name;
    }
    return fields.size();
  }
  std::size_t count() const { return m_streams.size(); }

 private:
  void change(ArchiveWriter& writer) {
    std::string const name = "field " + std::to_string(m_random.below(12));
    if (m_streams.erase(name) > 0) writer.remove(name);
    if (m_random.one_in(3)) return;
    bool const is_large = m_random.one_in(3);
    std::string const stream =
        stream_of({is_large ? 500u : 1u}, static_cast<unsigned>(m_random.below(1000)), lossless());
    writer.append(name, {{"k", "v"}}, bytes_of(stream));
    m_streams[name] = stream;
  }

  Random m_random;
  std::map<std::string, std::string> m_streams;
};

TEST(Bundles, AnyChangesOfAnArchive_LeaveItsFields) {
  TemporaryFolder const folder;
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::filesystem::path const path = folder / std::to_string(seed);
    ModelledArchive archive(seed);
    for (int commits = 0; commits < 70; ++commits) {
      archive.change(path);
      archive.expect_in(path);
    }
    compact_archive(path, folder / "compact", Overwrite::yes);
    archive.expect_in(folder / "compact");
    repair_archive(path, folder / "repaired", Overwrite::yes);
    archive.expect_in(folder / "repaired");
    std::string const whole = contents(path);
    put(path, whole + "rest of an append");
    EXPECT_FALSE(repair_archive(path).was_intact);
    archive.expect_in(path);
    archive.change(path);
    archive.expect_in(path);
  }
}

/// Scalars and a longer field between, in two appends.
std::vector<StoredField> mixed_fields() {
  std::vector<StoredField> fields;
  for (unsigned i = 0; i < 8; ++i) fields.push_back(scalar(i));
  fields.push_back({"long", {}, stream_of({600}, 3, lossless())});
  fields.push_back(scalar(9));
  return fields;
}

TEST(Bundles, CutOffAnywhere_AreRepairedToWhatWasConfirmed) {
  TemporaryFolder const folder;
  std::vector<StoredField> const fields = mixed_fields();
  write_archive(folder / "a", {fields.begin(), fields.begin() + 4});
  std::size_t const confirmed = contents(folder / "a").size();
  {
    ArchiveWriter writer = ArchiveWriter::append_to(folder / "a");
    for (std::size_t i = 4; i < fields.size(); ++i) append(writer, fields[i]);
    writer.commit();
  }
  std::string const whole = contents(folder / "a");
  std::size_t most = 0;
  for (std::size_t size = confirmed; size <= whole.size(); size += 5) {
    put(folder / "a", whole.substr(0, size));
    repair_archive(folder / "a");
    std::vector<StoredField> const found = read_archive(folder / "a");
    ASSERT_GE(found.size(), std::max<std::size_t>(most, 4)) << size;
    most = found.size();
    for (StoredField const& field : found) EXPECT_EQ(std::ranges::count(fields, field), 1) << size;
  }
  EXPECT_EQ(most, fields.size());
}

TEST(Bundles, DamagedBit_IsFoundOrChangesNothing) {
  TemporaryFolder const folder;
  std::vector<StoredField> const fields = mixed_fields();
  write_archive(folder / "a", fields);
  std::string const sound = contents(folder / "a");
  for (std::size_t bit = 0; bit < 8 * sound.size(); bit += 11) {
    std::string damaged = sound;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    put(folder / "a", damaged);
    Refusal const refusal = refusal_of([&] { EXPECT_EQ(read_archive(folder / "a"), fields); });
    EXPECT_TRUE(refusal.status == Status::ok || refusal.status == Status::corrupt ||
                refusal.status == Status::bad_magic ||
                refusal.status == Status::unsupported_version)
        << bit << refusal.what;
    if (refusal.status == Status::bad_magic) continue;
    repair_archive(folder / "a", folder / "b", Overwrite::yes);
    // Repair keeps a stream with a damaged chunk; what bundles hold is sound.
    ArchiveReader repaired(folder / "b");
    for (ArchiveEntry const& entry : repaired.entries()) {
      if (entry.name == "long") continue;
      std::vector<std::byte> const stream = repaired.read(entry.name);
      EXPECT_EQ(std::ranges::count_if(fields,
                                      [&](StoredField const& field) {
                                        return field.name == entry.name &&
                                               field.attributes == entry.attributes &&
                                               std::ranges::equal(bytes_of(field.stream), stream);
                                      }),
                1)
          << bit;
    }
  }
}

/// Places of the blocks of a kind, as bytes of a file say.
std::vector<std::size_t> blocks_of(std::string const& file, impl::BlockKind kind) {
  std::vector<std::size_t> places;
  std::span<std::byte const> const bytes = bytes_of(file);
  for (std::size_t at = 0; at + impl::block_header_bytes <= bytes.size(); at += 16) {
    auto const head = impl::read_block_header(bytes.subspan(at), at, bytes.size());
    if (head && head->kind == kind) places.push_back(at);
  }
  return places;
}
std::string damaged_at(std::string file, std::size_t place) {
  file[place + impl::bundle_front_bytes + 12] ^= 0x10;
  return file;
}

TEST(Bundles, DamagedOne_IsNamedAndCostsItsFieldsAlone) {
  TemporaryFolder const folder;
  std::vector<StoredField> const fields = mixed_fields();
  write_archive(folder / "a", fields);
  std::string const sound = contents(folder / "a");
  std::vector<std::size_t> const bundles = blocks_of(sound, impl::BlockKind::bundle);
  ASSERT_EQ(bundles.size(), 2u);
  for (bool const is_ended : {true, false}) {
    put(folder / "a", damaged_at(sound, bundles[0]) + (is_ended ? "" : "rest of an append"));
    EXPECT_EQ(refusal_of([&] { read_archive(folder / "a"); }).status, Status::corrupt);
    ArchiveRepair const repair = repair_archive(folder / "a");
    std::string const place = "at byte " + std::to_string(bundles[0]);
    ASSERT_EQ(repair.dropped.size(), 1u);
    EXPECT_NE(repair.dropped[0].find(place), std::string::npos) << repair.dropped[0];
    EXPECT_EQ(read_archive(folder / "a"), std::vector(fields.begin() + 8, fields.end()));
  }
}

TEST(Bundles, RepairedInPlace_KeepOrderAndForgetWhatWasReplaced) {
  TemporaryFolder const folder;
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::filesystem::path const path = folder / std::to_string(seed);
    ModelledArchive archive(seed + 100);
    for (int commits = 0; commits < 8; ++commits) archive.change(path);
    std::vector<StoredField> const before = read_archive(path);
    put(path, contents(path) + "rest of an append");
    repair_archive(path);
    EXPECT_EQ(read_archive(path), before);
    for (int commits = 0; commits < 3; ++commits) archive.change(path);
    std::string const whole = contents(path);
    std::vector<std::size_t> const bundles = blocks_of(whole, impl::BlockKind::bundle);
    if (bundles.empty()) continue;
    put(path, damaged_at(whole, bundles[random.below(bundles.size())]) + "rest");
    ArchiveRepair const repair = repair_archive(path);
    std::size_t const found = archive.expect_none_else_in(path);
    EXPECT_TRUE(found == archive.count() || !repair.dropped.empty());
  }
}

TEST(Bundles, BetweenLargeFields_AreOpenedByFewReads) {
  TemporaryFolder const folder;
  for (std::size_t const values : {400u, 4000u, 40000u}) {
    std::vector<StoredField> fields;
    std::string const large = stream_of({values}, 3, lossless());
    for (unsigned i = 0; i < 100; ++i) {
      fields.push_back(scalar(i));
      fields.push_back({"field " + std::to_string(i), {}, large});
    }
    write_archive(folder / "a", fields);
    std::string const file = contents(folder / "a");
    std::size_t reads = 0, bytes = 0;
    ArchiveReader const reader(InputFile::of_calls(
        file.size(), [&](std::uint64_t position, std::span<std::byte> destination) {
          ++reads;
          bytes += destination.size();
          std::ranges::copy(bytes_of(file).subspan(position, destination.size()),
                            destination.begin());
        }));
    EXPECT_LE(reads, 9u) << values;
    EXPECT_LT(bytes, std::size_t{5} << 20) << values;
    EXPECT_EQ(reader.entries().size(), 200u);
    EXPECT_LT(file.size(), 100 * large.size() * 101 / 100 + 60000);
    EXPECT_EQ(read_archive(folder / "a"), fields);
    append_to_archive(folder / "a", scalar(200));
    fields.push_back(scalar(200));
    EXPECT_EQ(read_archive(folder / "a"), fields);
  }
}

TEST(Bundles, DamagedBlockThatIndicesRepeat_CostsNothing) {
  TemporaryFolder const folder;
  std::vector<StoredField> const fields{
      {"long", {}, stream_of({40000}, 3, lossless())}, scalar(1), scalar(2)};
  write_archive(folder / "a", fields);
  std::string const sound = contents(folder / "a");
  std::size_t const bundle = blocks_of(sound, impl::BlockKind::bundle).at(0);
  for (bool const is_ended : {true, false}) {
    put(folder / "a", damaged_at(sound, bundle) + (is_ended ? "" : "rest of an append"));
    EXPECT_TRUE(repair_archive(folder / "a").dropped.empty());
    EXPECT_EQ(read_archive(folder / "a"), fields);
  }
}

TEST(Bundles, SmallFieldsThatRepairDrops_StayAway) {
  TemporaryFolder const folder;
  StoredField broken{"broken", {}, stream_of({60}, 5, lossless())};
  broken.stream[broken.stream.size() - 3] ^= 0x10;
  write_archive(folder / "a", {scalar(1), broken, scalar(2)});
  RepairOptions options;
  EXPECT_EQ(repair_archive(folder / "a", std::nullopt, Overwrite::no, options).damaged.size(), 1u);
  EXPECT_EQ(read_archive(folder / "a").size(), 3u);
  options.drop_damaged = true;
  std::size_t const size = contents(folder / "a").size();
  ArchiveRepair const repair = repair_archive(folder / "a", std::nullopt, Overwrite::no, options);
  EXPECT_TRUE(repair.was_intact);
  EXPECT_EQ(repair.dropped.size(), 1u);
  EXPECT_EQ(read_archive(folder / "a"), (std::vector<StoredField>{scalar(1), scalar(2)}));
  put(folder / "a", contents(folder / "a").substr(0, size) + "rest of an append");
  repair_archive(folder / "a", std::nullopt, Overwrite::no, options);
  EXPECT_EQ(read_archive(folder / "a"), (std::vector<StoredField>{scalar(1), scalar(2)}));
}

TEST(Bundles, MembersThatNobodyWrites_AreCorrupt) {
  StoredField const field = scalar(5);
  ArchiveEntry entry;
  entry.name = field.name;
  std::vector<std::byte> const member = *impl::bundle_member(entry, bytes_of(field.stream));
  auto const status_of = [&](std::vector<std::byte> const& members, std::uint64_t count) {
    std::vector<std::byte> const block =
        impl::make_block(impl::BlockKind::bundle, 64, impl::bundle_body(count, members));
    impl::Block const head{1, impl::BlockKind::bundle, 64, block.size()};
    return refusal_of([&] { impl::read_bundle(head, block); }).status;
  };
  EXPECT_EQ(status_of(member, 1), Status::ok);
  EXPECT_EQ(status_of(member, 3), Status::corrupt);
  EXPECT_EQ(status_of(member, ~std::uint64_t{0}), Status::corrupt);
  for (std::size_t at = 0; at < member.size(); ++at) {
    for (unsigned const value : {0x00u, 0x01u, 0x07u, 0x7fu, 0x80u, 0xffu}) {
      std::vector<std::byte> bytes = member;
      if (bytes[at] == std::byte(value)) continue;
      bytes[at] = std::byte(value);
      Status const status = status_of(bytes, 1);
      // The block has a checksum over names and payloads; chunks have theirs.
      std::size_t const name_end = 10 + entry.name.size();
      bool const in_name = at >= 10 && at < name_end, in_payload = at >= name_end + 20;
      EXPECT_TRUE(status == Status::corrupt || status == Status::unsupported_version || in_name ||
                  in_payload)
          << at << " of " << member.size() << ": " << value;
    }
  }
}

}  // namespace
}  // namespace kompakt::test
