#include "archive_reader.hpp"
#include "arguments.hpp"
#include "context.hpp"
#include "convert.hpp"
#include <chrono>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

using namespace kompakt;
using namespace kompakt::c;

struct kompakt_archive_writer {
  ArchiveWriter archive;
};

namespace {

Attributes attributes_of(kompakt_attribute const* attributes, std::uint64_t count) {
  Attributes result;
  for (kompakt_attribute const& attribute : array_of("attributes", attributes, count)) {
    result.emplace_back(required_text("the key of an attribute", attribute.key),
                        required_text("the value of an attribute", attribute.value));
  }
  return result;
}

std::chrono::milliseconds wait_of(std::uint64_t wait_ms) {
  constexpr std::uint64_t longest = std::uint64_t{1} << 40;  // 35 years, which clocks can add up
  return std::chrono::milliseconds(std::min(wait_ms, longest));
}

ArchiveWriter writer_of(char const* path, kompakt_archive_mode mode, std::uint64_t wait_ms) {
  switch (mode) {
    case KOMPAKT_ARCHIVE_NEW: return {path, Overwrite::no};
    case KOMPAKT_ARCHIVE_REPLACE: return {path, Overwrite::yes};
    case KOMPAKT_ARCHIVE_APPEND: return ArchiveWriter::append_to(path, wait_of(wait_ms));
    case KOMPAKT_ARCHIVE_APPEND_OR_NEW:
      return ArchiveWriter::append_to_or_create(path, wait_of(wait_ms));
    default: break;
  }
  refuse("mode is " + std::to_string(mode), "use one of kompakt_archive_mode");
}

}  // namespace

kompakt_status kompakt_archive_open(char const* path, kompakt_archive_reader** reader) {
  return call("kompakt_archive_open", [&] {
    required("reader", reader);
    ArchiveReader archive(required_text("path", path));
    *reader = std::make_unique<kompakt_archive_reader>(std::move(archive)).release();
  });
}

void kompakt_archive_close(kompakt_archive_reader* reader) { delete reader; }

kompakt_status kompakt_archive_count(kompakt_archive_reader const* reader, uint64_t* count) {
  return call("kompakt_archive_count", [&] {
    auto const& entries = required("reader", reader).archive.entries();
    required("count", count) = entries.size();
  });
}

kompakt_status kompakt_archive_entry(kompakt_archive_reader const* reader, uint64_t number,
                                     kompakt_entry* entry) {
  return call("kompakt_archive_entry", [&] {
    auto const& from = required("reader", reader);
    auto const result = required_result("entry", entry);
    ArchiveEntry const& known = from.entry(number);
    auto const& texts = from.attributes[static_cast<std::size_t>(number)];
    kompakt_entry found = kompakt_entry_default();
    found.name = known.name.c_str();
    found.attributes = texts.data();
    found.attribute_count = texts.size();
    found.offset = known.offset;
    found.bytes = known.bytes;
    found.checksum = known.checksum;
    result.set(found);
  });
}

kompakt_status kompakt_archive_find(kompakt_archive_reader const* reader, char const* name,
                                    uint64_t* number) {
  return call("kompakt_archive_find", [&] {
    ArchiveReader const& archive = required("reader", reader).archive;
    std::uint64_t& result = required("number", number);
    auto const& found = archive.entry(required_text("name", name));
    result = static_cast<std::uint64_t>(&found - archive.entries().data());
  });
}

kompakt_status kompakt_archive_read(kompakt_archive_reader* reader, uint64_t number, void* stream,
                                    uint64_t capacity) {
  return call("kompakt_archive_read", [&] {
    auto& from = required("reader", reader);
    ArchiveEntry const& entry = from.entry(number);
    auto const to = bytes_of<std::byte>("stream", stream, capacity);
    if (to.size() < entry.bytes) {
      throw Error(Status::buffer_too_small,
                  "the stream of '" + entry.name + "' has " + std::to_string(entry.bytes) +
                      " bytes, but there is memory for " + std::to_string(to.size()),
                  "give kompakt_entry::bytes");
    }
    auto const bytes = from.archive.read(entry.name);
    std::copy(bytes.begin(), bytes.end(), to.begin());
  });
}

kompakt_status kompakt_archive_inspect(kompakt_archive_reader* reader, uint64_t number,
                                       kompakt_info* info) {
  return call("kompakt_archive_inspect", [&] {
    auto const result = required_result("info", info);
    FrameReader frames = required("reader", reader).frames(number);
    while (frames.next()) frames.skip();
    result.set(to_c(frames.sequence().whole()));
  });
}

kompakt_status kompakt_archive_decompress(kompakt_context* context, kompakt_archive_reader* reader,
                                          uint64_t number, kompakt_field const* field, void* values,
                                          kompakt_info* info) {
  return call("kompakt_archive_decompress", [&] {
    AnyCodec& codec = required("context", context).codec;
    FrameReader frames = required("reader", reader).frames(number);
    Array const array = array_of_field("field", field);
    Result const result("info", info);
    result.set(to_c(codec.decompress(frames, array.at(values), array.in)));
  });
}

kompakt_status kompakt_archive_decompress_region(kompakt_context* context,
                                                 kompakt_archive_reader* reader, uint64_t number,
                                                 uint64_t const* begin, uint64_t const* end,
                                                 kompakt_field const* region, void* values,
                                                 kompakt_info* info) {
  return call("kompakt_archive_decompress_region", [&] {
    AnyCodec& codec = required("context", context).codec;
    FrameReader frames = required("reader", reader).frames(number);
    Array const array = array_of_field("region", region);
    Box const box = box_of(begin, end, array.shape.rank);
    Result const result("info", info);
    result.set(to_c(codec.decompress(frames, array.at(values), array.in, box)));
  });
}

kompakt_status kompakt_archive_create(char const* path, kompakt_archive_mode mode, uint64_t wait_ms,
                                      kompakt_archive_writer** writer) {
  return call("kompakt_archive_create", [&] {
    required("writer", writer);
    required("path", path);
    *writer = new kompakt_archive_writer{writer_of(path, mode, wait_ms)};
  });
}

kompakt_status kompakt_archive_append(kompakt_archive_writer* writer, char const* name,
                                      kompakt_attribute const* attributes, uint64_t attribute_count,
                                      void const* stream, uint64_t bytes) {
  return call("kompakt_archive_append", [&] {
    required("writer", writer)
        .archive.append(required_text("name", name), attributes_of(attributes, attribute_count),
                        bytes_of<std::byte const>("stream", stream, bytes));
  });
}

kompakt_status kompakt_archive_begin(kompakt_archive_writer* writer, char const* name,
                                     kompakt_attribute const* attributes,
                                     uint64_t attribute_count) {
  return call("kompakt_archive_begin", [&] {
    required("writer", writer)
        .archive.begin(required_text("name", name), attributes_of(attributes, attribute_count));
  });
}

kompakt_status kompakt_archive_add_frame(kompakt_archive_writer* writer, void const* frame,
                                         uint64_t bytes) {
  return call("kompakt_archive_add_frame", [&] {
    required("writer", writer).archive.add_frame(bytes_of<std::byte const>("frame", frame, bytes));
  });
}

kompakt_status kompakt_archive_end(kompakt_archive_writer* writer) {
  return call("kompakt_archive_end", [&] { required("writer", writer).archive.end(); });
}

kompakt_status kompakt_archive_remove(kompakt_archive_writer* writer, char const* name) {
  return call("kompakt_archive_remove",
              [&] { required("writer", writer).archive.remove(required_text("name", name)); });
}

kompakt_status kompakt_archive_commit(kompakt_archive_writer* writer) {
  return call("kompakt_archive_commit", [&] { required("writer", writer).archive.commit(); });
}

void kompakt_archive_discard(kompakt_archive_writer* writer) { delete writer; }
