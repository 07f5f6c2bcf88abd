#include <archive/output.hpp>
#include <array>
#include <kompakt/sequence.hpp>

namespace kompakt::impl {

ArchiveOutput::ArchiveOutput(OutputFile file) : m_file(std::move(file)) {
  write_block(BlockKind::start, {});
}

ArchiveOutput::ArchiveOutput(AppendedFile file)
    : m_file(std::move(file)), m_position(std::get<AppendedFile>(m_file).old_bytes()) {
  // Of a broken end. Zeros could complete a block of which nothing but padding is missing.
  std::array<std::byte, frame_alignment> filler{};
  filler.fill(std::byte{0xff});
  write(std::span(filler).first(padding_at(m_position)));
}

void ArchiveOutput::write(std::span<std::byte const> bytes) {
  std::visit([&](auto& file) { file.write(bytes); }, m_file);
  m_position += bytes.size();
}

void ArchiveOutput::align() {
  std::array<std::byte, frame_alignment> const zeros{};
  write(std::span(zeros).first(padding_at(m_position)));
}

Block ArchiveOutput::write_block(BlockKind kind, std::span<std::byte const> body) {
  align();
  std::vector<std::byte> const bytes = make_block(kind, m_position, body);
  write(bytes);
  return {archive_version, kind, m_position - bytes.size(), bytes.size()};
}

void ArchiveOutput::write_entry(ArchiveEntry const& entry) {
  std::vector<std::byte> body;
  append_record(body, entry);
  write_block(BlockKind::entry, body);
}

void ArchiveOutput::finish(std::vector<ArchiveEntry> const& entries) {
  Block const index = write_block(BlockKind::index, index_body(entries));
  if (auto* const appended = std::get_if<AppendedFile>(&m_file)) appended->sync();
  write_block(BlockKind::trailer, trailer_body(index));
  std::visit([](auto& file) { file.commit(); }, m_file);
}

}  // namespace kompakt::impl
