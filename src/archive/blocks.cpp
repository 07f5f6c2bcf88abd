#include <algorithm>
#include <archive/blocks.hpp>
#include <container/header.hpp>
#include <cstring>
#include <set>

namespace kompakt::impl {

namespace {

// Limits of names and attributes; lengths are stored in 16 bits.
constexpr std::size_t max_name_bytes = 255;
constexpr std::size_t max_value_bytes = 65535;
constexpr std::size_t max_attributes = 1024;

constexpr std::size_t record_alignment = 8;
constexpr std::size_t record_head_bytes = 24;

/// Byte positions of a block header's members.
namespace block_at {
constexpr std::size_t magic = 0;      // u64
constexpr std::size_t version = 8;    // u16
constexpr std::size_t kind = 10;      // u16
constexpr std::size_t checksum = 12;  // u32, of the block (this member 0), seeded with the kind
constexpr std::size_t offset = 16;    // u64, of the block in the file
constexpr std::size_t bytes = 24;     // u64, of the block
}  // namespace block_at

[[noreturn]] void refuse(std::string const& reason) { throw Error(Status::corrupt, reason); }

std::uint32_t word_at(std::byte const* bytes) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

void pad_to(std::vector<std::byte>& bytes, std::size_t alignment) {
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
}

void append_number(std::vector<std::byte>& bytes, std::uint64_t value, int count) {
  bytes.resize(bytes.size() + static_cast<std::size_t>(count));
  put(bytes.data() + bytes.size() - count, value, count);
}

void append_text(std::vector<std::byte>& bytes, std::string_view text) {
  std::span<std::byte const> const letters = std::as_bytes(std::span(text.data(), text.size()));
  bytes.insert(bytes.end(), letters.begin(), letters.end());
}

/// Takes numbers and texts from bytes that may end too early.
class ByteReader {
 public:
  explicit ByteReader(std::span<std::byte const> bytes) : m_bytes(bytes) {}

  std::uint64_t number(std::size_t count) {
    std::uint64_t value = 0;
    std::span<std::byte const> const bytes = take(count);
    for (std::size_t i = 0; i < count; ++i) {
      value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    }
    return value;
  }
  std::string text(std::size_t length) {
    std::span<std::byte const> const letters = take(length);
    return {reinterpret_cast<char const*>(letters.data()), letters.size()};
  }
  void align(std::size_t alignment) { take((alignment - m_taken % alignment) % alignment); }

 private:
  std::span<std::byte const> take(std::size_t count) {
    if (count > m_bytes.size() - m_taken) refuse("a record ends too early");
    m_taken += count;
    return m_bytes.subspan(m_taken - count, count);
  }

  std::span<std::byte const> m_bytes;
  std::size_t m_taken = 0;
};

// Bytes of the letter at the start of a text; 0 if it is not UTF-8, or a control character.
std::size_t letter_bytes(std::string_view text) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned const first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  std::size_t const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t letter = first & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    letter = letter << 6 | (byte(i) & 0x3f);
  }
  bool const is_short = letter < (length == 4 ? 0x10000u : length == 3 ? 0x800u : 0xa0u);
  bool const is_surrogate = letter >= 0xd800 && letter < 0xe000;
  return is_short || is_surrogate || letter > 0x10ffff ? 0 : length;
}

bool is_text(std::string_view text) {
  while (!text.empty()) {
    std::size_t const length = letter_bytes(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// For messages; what cannot be printed is left out.
std::string quoted(std::string_view text) {
  if (!is_text(text)) return "it";
  std::string result = "'";
  return result.append(text.substr(0, max_name_bytes)).append("'");
}

void require_text(char const* function, char const* what, std::string_view text, std::size_t least,
                  std::size_t most) {
  std::string const start = std::string(function) + ": " + what + " ";
  if (text.size() < least || text.size() > most) {
    throw Error(Status::bad_argument, start + quoted(text) + " has " + std::to_string(text.size()) +
                                          " bytes; give " + std::to_string(least) + " to " +
                                          std::to_string(most));
  }
  if (is_text(text)) return;
  throw Error(Status::bad_argument,
              start + "is not UTF-8 or has control characters; leave them out");
}

// What a record is about must lie between `begin` and the block.
ArchiveEntry read_record(ByteReader& reader, std::uint64_t begin, Block const& block) {
  ArchiveEntry entry;
  entry.offset = reader.number(8);
  entry.bytes = reader.number(8);
  entry.checksum = static_cast<std::uint32_t>(reader.number(4));
  std::size_t const name_bytes = reader.number(2), count = reader.number(2);
  entry.name = reader.text(name_bytes);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t const key_bytes = reader.number(2), value_bytes = reader.number(2);
    std::string key = reader.text(key_bytes);
    entry.attributes.emplace_back(std::move(key), reader.text(value_bytes));
  }
  reader.align(record_alignment);
  try {
    require_usable("archive", entry.name, entry.attributes);
  } catch (Error const& error) {
    refuse(error.what());
  }
  if (entry.offset % block_alignment != 0 || entry.offset < begin || entry.bytes == 0 ||
      entry.offset > block.offset || entry.bytes > block.offset - entry.offset) {
    refuse("the stream of '" + entry.name + "' does not lie between the others and the index");
  }
  return entry;
}

}  // namespace

std::vector<std::byte> make_block(BlockKind kind, std::uint64_t offset,
                                  std::span<std::byte const> body) {
  std::vector<std::byte> block(block_header_bytes + body.size());
  std::copy(body.begin(), body.end(), block.begin() + block_header_bytes);
  pad_to(block, block_alignment);
  put(block.data() + block_at::magic, archive_magic, 8);
  put(block.data() + block_at::version, archive_version, 2);
  put(block.data() + block_at::kind, static_cast<std::uint64_t>(kind), 2);
  put(block.data() + block_at::offset, offset, 8);
  put(block.data() + block_at::bytes, block.size(), 8);
  put(block.data() + block_at::checksum,
      checksum_bytes(block.data(), block.size(), static_cast<std::uint32_t>(kind)), 4);
  return block;
}

std::vector<std::byte> trailer_body(Block const& index) {
  std::vector<std::byte> body;
  append_number(body, index.offset, 8);
  append_number(body, index.bytes, 8);
  return body;
}

std::optional<std::uint64_t> index_offset(std::span<std::byte const> trailer, std::uint64_t end) {
  ByteReader reader(trailer.subspan(block_header_bytes));
  std::uint64_t const offset = reader.number(8), bytes = reader.number(8);
  if (offset > end || bytes != end - offset) return std::nullopt;
  return offset;
}

bool has_archive_magic(std::span<std::byte const> bytes) {
  return bytes.size() >= 8 && ByteReader(bytes).number(8) == archive_magic;
}

std::optional<Block> read_block_header(std::span<std::byte const> start, std::uint64_t offset,
                                       std::uint64_t bytes_of_file) {
  if (start.size() < block_header_bytes || !has_archive_magic(start)) return std::nullopt;
  ByteReader reader(start.subspan(block_at::version));
  Block block{};
  block.version = static_cast<std::uint16_t>(reader.number(2));
  block.kind = static_cast<BlockKind>(reader.number(2));
  reader.number(4);
  block.offset = reader.number(8);
  block.bytes = reader.number(8);
  bool const fits = block.offset == offset && offset % block_alignment == 0 &&
                    offset <= bytes_of_file && block.bytes >= block_header_bytes &&
                    block.bytes % block_alignment == 0 && block.bytes <= bytes_of_file - offset;
  if (!fits) return std::nullopt;
  return block;
}

bool is_sound(std::span<std::byte const> block) {
  ByteReader reader(block.subspan(block_at::kind));
  auto const kind = static_cast<std::uint32_t>(reader.number(2));
  auto const stored = static_cast<std::uint32_t>(reader.number(4));
  // The stored checksum counts as 0.
  std::uint32_t const position = block_at::checksum / word_bytes;
  return checksum_bytes(block.data(), block.size(), kind) - checksum_word(stored, position, kind) +
             checksum_word(0, position, kind) ==
         stored;
}

void append_record(std::vector<std::byte>& body, ArchiveEntry const& entry) {
  append_number(body, entry.offset, 8);
  append_number(body, entry.bytes, 8);
  append_number(body, entry.checksum, 4);
  append_number(body, entry.name.size(), 2);
  append_number(body, entry.attributes.size(), 2);
  append_text(body, entry.name);
  for (auto const& [key, value] : entry.attributes) {
    append_number(body, key.size(), 2);
    append_number(body, value.size(), 2);
    append_text(body, key);
    append_text(body, value);
  }
  pad_to(body, record_alignment);
}

std::vector<std::byte> index_body(std::vector<ArchiveEntry> const& entries) {
  std::vector<std::byte> body;
  append_number(body, entries.size(), 8);
  for (ArchiveEntry const& entry : entries) append_record(body, entry);
  return body;
}

std::vector<ArchiveEntry> read_entries(Block const& block, std::span<std::byte const> bytes) {
  std::span<std::byte const> const body = bytes.subspan(block_header_bytes);
  ByteReader reader(body);
  std::uint64_t const count = block.kind == BlockKind::index ? reader.number(8) : 1;
  if (count > body.size() / record_head_bytes) refuse("more fields are claimed than fit");
  std::vector<ArchiveEntry> entries;
  std::set<std::string_view> names;
  entries.reserve(count);  // names point into it
  std::uint64_t begin = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    entries.push_back(read_record(reader, begin, block));
    begin = entries.back().offset + entries.back().bytes;
    if (!names.insert(entries.back().name).second) {
      refuse("there are two fields '" + entries.back().name + "'");
    }
  }
  return entries;
}

void require_usable(char const* function, std::string_view name, Attributes const& attributes) {
  require_text(function, "the name", name, 1, max_name_bytes);
  if (attributes.size() > max_attributes) {
    throw Error(Status::bad_argument,
                std::string(function) + ": " + std::to_string(attributes.size()) +
                    " attributes; give at most " + std::to_string(max_attributes));
  }
  std::set<std::string_view> keys;
  for (auto const& [key, value] : attributes) {
    require_text(function, "the attribute's key", key, 1, max_name_bytes);
    require_text(function, ("the value of attribute " + key).c_str(), value, 0, max_value_bytes);
    if (keys.insert(key).second) continue;
    throw Error(Status::bad_argument, std::string(function) + ": the attribute '" + key +
                                          "' is given twice; leave out one of them");
  }
}

void StreamChecksum::add(std::span<std::byte const> bytes) {
  std::size_t i = 0;
  for (; i < bytes.size() && (m_started_bytes > 0 || bytes.size() - i < m_started.size()); ++i) {
    m_started[m_started_bytes++] = bytes[i];
    if (m_started_bytes < m_started.size()) continue;
    m_sum += checksum_word(word_at(m_started.data()), m_position++, 0);
    m_started_bytes = 0;
  }
  std::size_t const words = (bytes.size() - i) / word_bytes;
  for (std::size_t k = 0; k < words; ++k) {
    m_sum += checksum_word(word_at(bytes.data() + i + k * word_bytes),
                           m_position + static_cast<std::uint32_t>(k), 0);
  }
  m_position += static_cast<std::uint32_t>(words);
  if (i + words * word_bytes < bytes.size()) add(bytes.subspan(i + words * word_bytes));
}

std::uint32_t StreamChecksum::value() const {
  std::array<std::byte, 4> last{};
  std::copy_n(m_started.begin(), m_started_bytes, last.begin());
  return m_started_bytes > 0 ? m_sum + checksum_word(word_at(last.data()), m_position, 0) : m_sum;
}

}  // namespace kompakt::impl
