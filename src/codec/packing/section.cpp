#include <cstring>
#include <kompakt/error.hpp>
#include <packing/section.hpp>
#include <string>

namespace kompakt::impl {

namespace {

[[noreturn]] void fail(std::string const& what) {
  throw Error(Status::corrupt, what + "; the stream was altered");
}

}  // namespace

std::vector<std::byte> packing_section(std::uint64_t payload_bytes, ByteModel const& model) {
  std::vector<std::byte> out(sizeof(payload_bytes));
  std::memcpy(out.data(), &payload_bytes, sizeof(payload_bytes));
  std::vector<std::byte> const tables = model.bytes();
  out.insert(out.end(), tables.begin(), tables.end());
  out.resize(align_section(out.size()));
  return out;
}

PackingSection read_packing_section(Header const& header, std::span<std::byte const> bytes) {
  if (checksum_bytes(bytes.data(), bytes.size(), static_cast<std::uint32_t>(SectionId::packing)) !=
      header.packing_checksum) {
    fail("the checksum of its packing does not match");
  }
  PackingSection section{};
  std::memcpy(&section.payload_bytes, bytes.data(), sizeof(section.payload_bytes));
  std::optional<ByteModel> model = ByteModel::read(bytes.subspan(sizeof(section.payload_bytes)));
  if (!model) fail("the frequencies of its packed bytes are damaged");
  if (section.payload_bytes > max_packable_bytes(header.coded_values())) {
    fail("its packed chunks have " + std::to_string(section.payload_bytes) +
         " bytes, more than half of the field");
  }
  section.model = std::move(*model);
  return section;
}

void require_packed_sizes(Header const& header, PackingSection const& section,
                          std::uint64_t halfwords, std::uint64_t words) {
  if (ceil_div(halfwords, std::uint64_t{2}) * word_bytes == header.payload_bytes &&
      words * word_bytes == section.payload_bytes) {
    return;
  }
  fail("the index of its packed chunks gives " + std::to_string(2 * halfwords) +
       " bytes, unpacked " + std::to_string(words * word_bytes) + ", but there are " +
       std::to_string(header.payload_bytes) + ", unpacked " +
       std::to_string(section.payload_bytes));
}

void refuse_packed_chunk(std::int64_t chunk) {
  fail("chunk " + std::to_string(chunk) + " cannot be unpacked");
}

Header unpacked_header(Header const& packed, PackingSection const& section) {
  Header plain = packed;
  plain.features &= ~feature::packed;
  plain.extra.packing = 0;
  plain.payload_bytes = section.payload_bytes;
  Section index = packed.sections[SectionId::chunk_index];
  index.bytes = (static_cast<std::size_t>(packed.chunks()) + 1) * 8;
  Section payload = packed.sections[SectionId::payload];
  payload.offset = align_section(index.offset + index.bytes);
  payload.bytes = section.payload_bytes;
  plain.sections.replace(SectionId::chunk_index, index);
  plain.sections.replace(SectionId::payload, payload);
  plain.bytes = payload.offset + payload.bytes;
  return plain;
}

}  // namespace kompakt::impl
