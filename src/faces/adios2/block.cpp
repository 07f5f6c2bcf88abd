#include "block.hpp"
#include <core/checksum.hpp>
#include <cstring>
#include <kompakt/error.hpp>
#include <string>

namespace kompakt::adios2 {

namespace {

constexpr std::uint32_t magic = 0x3241504bu;  // "KPA2"
constexpr std::uint8_t layout = 1;

/// What lies in the file, on a little-endian machine.
struct Header {
  std::uint32_t magic;
  std::uint8_t layout;
  std::uint8_t content;
  std::uint16_t reserved;
  std::uint64_t value_bytes;
  std::uint64_t payload_bytes;
  std::uint32_t checksum;
  std::uint32_t header_checksum;  // of all before it
};
static_assert(sizeof(Header) == header_bytes);

std::uint32_t checksum_of(Header const& header) {
  constexpr std::size_t covered = offsetof(Header, header_checksum);
  return adios2::checksum_of(std::as_bytes(std::span(&header, 1)).first(covered));
}

[[noreturn]] void damaged(std::string const& what) {
  throw Error(Status::corrupt, "the block is damaged: " + what);
}

}  // namespace

std::uint32_t checksum_of(std::span<std::byte const> bytes) {
  constexpr std::size_t word_bytes = sizeof(std::uint32_t);
  std::uint32_t sum = 0, word = 0, position = 0;
  for (; bytes.size() >= word_bytes; bytes = bytes.subspan(word_bytes)) {
    std::memcpy(&word, bytes.data(), word_bytes);
    sum += impl::checksum_word(word, position++, 0);
  }
  word = 0;
  if (!bytes.empty()) std::memcpy(&word, bytes.data(), bytes.size());
  return sum + impl::checksum_word(word, position, 0);
}

void write_header(Block const& block, std::byte* out) {
  Header header{magic,
                layout,
                static_cast<std::uint8_t>(block.content),
                0,
                block.value_bytes,
                block.payload_bytes,
                block.checksum,
                0};
  header.header_checksum = checksum_of(header);
  std::memcpy(out, &header, header_bytes);
}

FoundBlock find_block(std::span<std::byte const> bytes) {
  Header header;
  if (bytes.size() < header_bytes) {
    damaged("it has " + std::to_string(bytes.size()) + " bytes, fewer than its header");
  }
  std::memcpy(&header, bytes.data(), header_bytes);
  if (header.magic != magic) {
    throw Error(Status::bad_magic, "these bytes are not a block of this operator");
  }
  if (header.header_checksum != checksum_of(header)) damaged("its header was altered");
  if (header.layout != layout || header.content > 1) {
    throw Error(Status::unsupported_version,
                "the block is one of layout " + std::to_string(header.layout),
                "use a newer version of kompakt");
  }
  std::span const behind = bytes.subspan(header_bytes);
  if (header.payload_bytes > behind.size()) {
    damaged("it should have " + std::to_string(header.payload_bytes) +
            " bytes behind its header, but has " + std::to_string(behind.size()));
  }
  return {{static_cast<Block::Content>(header.content), header.value_bytes, header.payload_bytes,
           header.checksum},
          behind.first(header.payload_bytes)};
}

}  // namespace kompakt::adios2
