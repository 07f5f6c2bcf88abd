#ifndef KOMPAKT_ARCHIVE_RECORD_BYTES_HPP
#define KOMPAKT_ARCHIVE_RECORD_BYTES_HPP

#include <archive/names.hpp>
#include <container/damaged.hpp>
#include <container/header.hpp>
#include <cstddef>
#include <cstdint>
#include <kompakt/archive.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kompakt::impl {

// Numbers, texts and attributes as they lie in the blocks of an archive.

inline constexpr std::size_t record_alignment = 8;

inline void pad_to(std::vector<std::byte>& bytes, std::size_t alignment) {
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
}

inline void append_number(std::vector<std::byte>& bytes, std::uint64_t value, int count) {
  bytes.resize(bytes.size() + static_cast<std::size_t>(count));
  put(bytes.data() + bytes.size() - count, value, count);
}

inline void append_bytes(std::vector<std::byte>& bytes, std::span<std::byte const> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

inline void append_text(std::vector<std::byte>& bytes, std::string_view text) {
  append_bytes(bytes, std::as_bytes(std::span(text.data(), text.size())));
}

/// The name and the attributes, whose numbers stand in front of them.
inline void append_texts(std::vector<std::byte>& bytes, ArchiveEntry const& entry) {
  append_text(bytes, entry.name);
  for (auto const& [key, value] : entry.attributes) {
    append_number(bytes, key.size(), 2);
    append_number(bytes, value.size(), 2);
    append_text(bytes, key);
    append_text(bytes, value);
  }
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
  std::span<std::byte const> take(std::size_t count) {
    if (count > m_bytes.size() - m_taken) refuse_damaged("a record ends too early");
    m_taken += count;
    return m_bytes.subspan(m_taken - count, count);
  }
  void align(std::size_t alignment) { take((alignment - m_taken % alignment) % alignment); }
  std::size_t taken() const { return m_taken; }

 private:
  std::span<std::byte const> m_bytes;
  std::size_t m_taken = 0;
};

/// What append_texts() has left; corrupt if nobody may be called so.
inline void read_texts(ByteReader& reader, std::size_t name_bytes, std::size_t count,
                       ArchiveEntry& entry) {
  entry.name = reader.text(name_bytes);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t const key_bytes = reader.number(2), value_bytes = reader.number(2);
    std::string key = reader.text(key_bytes);
    entry.attributes.emplace_back(std::move(key), reader.text(value_bytes));
  }
  try {
    require_usable(entry.name, entry.attributes);
  } catch (Error const& error) {
    refuse_damaged(std::string(error.text()));
  }
}

}  // namespace kompakt::impl

#endif
