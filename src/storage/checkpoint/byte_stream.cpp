#include <algorithm>
#include <array>
#include <checkpoint/byte_stream.hpp>
#include <checkpoint/opened.hpp>
#include <checkpoint/value_frames.hpp>
#include <istream>
#include <kompakt/compress.hpp>
#include <kompakt/field_stream.hpp>
#include <kompakt/frames.hpp>
#include <map>
#include <ostream>

namespace kompakt::impl {

namespace {

constexpr std::string_view stream_magic = "kpk-ckpt";
constexpr std::uint64_t max_values = 1 << 20, max_attributes = 1100, max_text_bytes = 65535;
constexpr char const* field_streams = "FieldStreams";
constexpr std::size_t read_at_once = std::size_t{16} << 20;

[[noreturn]] void refuse_stream(Status status, std::string const& what,
                                std::string_view advice = {}) {
  throw Error(status, checkpoint_function, std::string("the stream ") + what, advice);
}

/// All frames of a value, as in a file.
std::vector<std::byte> sequence_of(CheckpointValue const& value, AnyCodec& codec,
                                   std::size_t frame_bytes) {
  ValueFrames const frames(value, frame_bytes);
  Options const options = frames.resolved(codec);
  std::vector<std::byte> sequence;
  for (std::uint64_t i = 0; i < frames.count(); ++i) {
    std::size_t const begin = sequence.size() + padding_at(sequence.size());
    sequence.resize(begin + frames.max_bytes(i));
    StreamInfo const info = frames.compress(codec, i, options, std::span(sequence).subspan(begin));
    sequence.resize(begin + info.bytes);
  }
  return sequence;
}

using Sequences = std::map<std::string, std::vector<std::byte>, std::less<>>;

FrameReader frames_of(std::vector<std::byte> const& sequence, CheckpointValue const& value) {
  return FrameReader(InputFile::of_memory(sequence), "value '" + value.name + "'");
}

/// The stream of a value, of its type and extents.
std::vector<std::byte> const& sequence_for(CheckpointValue const& value,
                                           Sequences const& sequences) {
  auto const found = sequences.find(value.name);
  if (found == sequences.end()) {
    refuse_stream(Status::bad_argument, "has no value '" + value.name + "'",
                  "register those that were written");
  }
  FrameReader frames = frames_of(found->second, value);
  frames.next();
  require_same_shape("stream", value, frames.sequence().whole().shape);
  return found->second;
}

Manifest read_manifest(ByteReader& bytes) {
  std::uint64_t const count = bytes.number();
  if (count > max_attributes) refuse_stream(Status::corrupt, "has too many attributes");
  Attributes attributes;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string key = bytes.text(max_text_bytes);
    attributes.emplace_back(std::move(key), bytes.text(max_text_bytes));
  }
  return Manifest::from_attributes(attributes);
}

}  // namespace

void ByteWriter::bytes(std::span<std::byte const> bytes) {
  m_checksum.add(bytes);
  m_out.write(reinterpret_cast<char const*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
  if (m_out) return;
  throw Error(Status::io, "cannot write " + std::to_string(bytes.size()) +
                              " bytes to the stream; its place may be full or closed");
}

void ByteWriter::number(std::uint64_t number) {
  std::array<std::byte, 8> bytes_of_it{};
  for (std::size_t i = 0; i < 8; ++i) bytes_of_it[i] = static_cast<std::byte>(number >> (8 * i));
  bytes(bytes_of_it);
}

void ByteWriter::text(std::string_view text) {
  number(text.size());
  bytes(std::as_bytes(std::span(text)));
}

void ByteReader::fill(std::span<std::byte> bytes) {
  m_in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (static_cast<std::size_t>(m_in.gcount()) != bytes.size()) {
    throw Error(Status::io, "the stream ends too early; it is not complete");
  }
  m_checksum.add(bytes);
}

void ByteReader::bytes(std::uint64_t count, std::vector<std::byte>& bytes) {
  bytes.clear();
  while (bytes.size() < count) {
    std::size_t const begin = bytes.size();
    bytes.resize(begin + std::min<std::uint64_t>(count - begin, read_at_once));
    fill(std::span(bytes).subspan(begin));
  }
}

std::uint64_t ByteReader::number() {
  std::array<std::byte, 8> bytes_of_it{};
  fill(bytes_of_it);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i)
    number |= static_cast<std::uint64_t>(bytes_of_it[i]) << (8 * i);
  return number;
}

std::string ByteReader::text(std::uint64_t max_bytes) {
  std::uint64_t const count = number();
  if (count > max_bytes) {
    throw Error(Status::corrupt,
                "the stream has a text of " + std::to_string(count) + " bytes; it was altered");
  }
  std::string text(count, ' ');
  fill(std::as_writable_bytes(std::span(text)));
  return text;
}

void write_values(std::ostream& out, CheckpointValues const& values, AnyCodec& codec,
                  std::size_t frame_bytes, Manifest const& manifest) {
  Attributes const attributes = manifest.to_attributes();
  ByteWriter bytes(out);
  bytes.bytes(std::as_bytes(std::span(stream_magic)));
  bytes.number(attributes.size());
  for (auto const& [key, text] : attributes) {
    bytes.text(key);
    bytes.text(text);
  }
  for (CheckpointValue const& value : values) {
    auto const sequence =
        naming_value(value.name, [&] { return sequence_of(value, codec, frame_bytes); });
    bytes.text(value.name);
    bytes.number(sequence.size());
    bytes.bytes(sequence);
  }
  bytes.number(bytes.checksum());
}

Manifest read_values(std::istream& in, CheckpointValues const& values, AnyCodec& codec,
                     std::string const& schema) {
  ByteReader bytes(in);
  std::vector<std::byte> start;
  bytes.bytes(stream_magic.size(), start);
  if (!std::equal(start.begin(), start.end(), std::as_bytes(std::span(stream_magic)).begin())) {
    refuse_stream(Status::bad_magic, "is not one that write() has written");
  }
  Manifest const manifest = read_manifest(bytes);
  if (manifest.values > max_values) refuse_stream(Status::corrupt, "has too many values");
  Sequences sequences;
  for (std::uint64_t i = 0; i < manifest.values; ++i) {
    std::string const name = bytes.text(max_text_bytes);
    bytes.bytes(bytes.number(), sequences[name]);
  }
  std::uint32_t const checksum = bytes.checksum();
  if (bytes.number() != checksum) {
    refuse_stream(Status::corrupt, "was altered: its checksum does not match");
  }
  require_schema("stream", manifest.schema, schema);
  for (CheckpointValue const& value : values) sequence_for(value, sequences);
  for (CheckpointValue const& value : values) {
    FrameReader frames = frames_of(sequence_for(value, sequences), value);
    naming_value(value.name, [&] { codec.decompress(frames, value.field, value.memory()); });
  }
  return manifest;
}

StreamInfo AnyFieldStreams::write(std::ostream& out, FieldSource const& field,
                                  Options const& options) {
  m_stream.resize(std::max(m_stream.size(), max_compressed_bytes(field.shape, options)));
  StreamInfo const info =
      m_codec.compress(field, memory_of(field.access), options, m_stream, MemoryOf::host);
  named(field_streams, [&] {
    ByteWriter bytes(out);
    bytes.number(info.bytes);
    bytes.bytes(std::span(m_stream).first(info.bytes));
  });
  return info;
}

StreamInfo AnyFieldStreams::read(std::istream& in, FieldTarget const& field) {
  named(field_streams, [&] {
    ByteReader bytes(in);
    bytes.bytes(bytes.number(), m_stream);
  });
  return m_codec.decompress(m_stream, MemoryOf::host, field, memory_of(field.access));
}

}  // namespace kompakt::impl
