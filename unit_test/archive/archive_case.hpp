#ifndef KOMPAKT_TEST_ARCHIVE_CASE_HPP
#define KOMPAKT_TEST_ARCHIVE_CASE_HPP

#include "../io/temporary_folder.hpp"
#include <functional>
#include <gtest/gtest.h>
#include <kompakt/archive.hpp>
#include <kompakt/files.hpp>
#include <kompakt/stream.hpp>
#include <support/random.hpp>

namespace kompakt::test {

/// A field as it was given to an archive.
struct StoredField {
  std::string name;
  Attributes attributes;
  std::string stream;
};

inline std::string golden(std::string const& name) {
  return contents(std::filesystem::path(KOMPAKT_GOLDEN_FOLDER) / (name + ".kpk"));
}

/// The stream of a field that consists of another one several times, in as many frames.
inline std::string repeated(std::string const& stream, std::size_t count) {
  StreamInfo const info = inspect(bytes_of(stream));
  std::size_t const axis = info.shape.order == Order::last_fastest ? 0 : info.shape.rank - 1u;
  std::string frames;
  for (std::size_t k = 0; k < count; ++k) {
    std::string frame = stream;
    FramePart part = FramePart::whole(info.shape);
    part.origin[axis] = k * info.shape.extents[axis];
    part.total[axis] = count * info.shape.extents[axis];
    mark_part(std::as_writable_bytes(std::span(frame.data(), frame.size())), part);
    frames.resize((frames.size() + 15) / 16 * 16);
    frames += frame;
  }
  return frames;
}

/// Streams of some hundred bytes.
inline std::vector<std::string> small_streams() {
  return {golden("constant_f32"), golden("constant_f64"), golden("raw_tiles_f64"),
          golden("empty_f32"), repeated(golden("constant_f64"), 3)};
}

inline void append(ArchiveWriter& writer, StoredField const& field) {
  writer.append(field.name, field.attributes, bytes_of(field.stream));
}

inline void write_archive(std::filesystem::path const& path,
                          std::vector<StoredField> const& fields) {
  ArchiveWriter writer(path, Overwrite::yes);
  for (StoredField const& field : fields) append(writer, field);
  writer.commit();
}

inline void append_to_archive(std::filesystem::path const& path, StoredField const& field) {
  ArchiveWriter writer = ArchiveWriter::append_to(path);
  append(writer, field);
  writer.commit();
}

/// All fields of an archive, read one by one.
inline std::vector<StoredField> read_archive(std::filesystem::path const& path) {
  ArchiveReader reader(path);
  std::vector<StoredField> fields;
  for (ArchiveEntry const& entry : reader.entries()) {
    std::vector<std::byte> const stream = reader.read(entry.name);
    fields.push_back({entry.name,
                      entry.attributes,
                      {reinterpret_cast<char const*>(stream.data()), stream.size()}});
  }
  return fields;
}

inline bool operator==(StoredField const& a, StoredField const& b) {
  return a.name == b.name && a.attributes == b.attributes && a.stream == b.stream;
}
inline std::ostream& operator<<(std::ostream& stream, StoredField const& field) {
  return stream << field.name << " (" << field.stream.size() << " bytes)";
}

/// What a call is refused with; ok and nothing if it is not.
struct Refusal {
  Status status = Status::ok;
  std::string what;
};
inline Refusal refusal_of(std::function<void()> const& call) {
  try {
    call();
  } catch (Error const& error) {
    return {error.status(), error.what()};
  }
  return {};
}

/// Three fields, appended one by one, and how long the file was after each.
struct SmallArchive {
  std::vector<StoredField> fields{
      {"temperature", {{"units", "K"}, {"time", "0"}}, golden("constant_f32")},
      {"p", {}, golden("raw_tiles_f64")},
      {"Größe", {{"units", "kg m⁻³"}}, repeated(golden("constant_f64"), 2)}};
  std::vector<std::size_t> lengths;
  std::string bytes;

  SmallArchive() {
    TemporaryFolder const folder;
    write_archive(folder / "a", {});
    lengths.push_back(contents(folder / "a").size());
    for (StoredField const& field : fields) {
      append_to_archive(folder / "a", field);
      bytes = contents(folder / "a");
      lengths.push_back(bytes.size());
    }
  }
  std::vector<StoredField> first(std::size_t count) const {
    return {fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(count)};
  }
};

}  // namespace kompakt::test

#endif
