#include <algorithm>
#include <archive/output.hpp>
#include <array>
#include <kompakt/sequence.hpp>

namespace kompakt::impl {

ArchiveOutput::ArchiveOutput(OutputFile file) : m_file(std::move(file)) {
  write_block(BlockKind::start, {});
}

ArchiveOutput::ArchiveOutput(ContestedFile file) : m_file(std::move(file)) {
  write_block(BlockKind::start, {});
}

ArchiveOutput::ArchiveOutput(ReplacingFile file) : m_file(std::move(file)) {
  write_block(BlockKind::start, {});
}

ArchiveOutput::ArchiveOutput(AppendedFile file)
    : m_file(std::move(file)), m_position(std::get<AppendedFile>(m_file).old_bytes()) {}

// Zeros could complete a block of which nothing but padding is missing, and a removal that was not confirmed must
// not seem to be a part of what follows.
void ArchiveOutput::close_broken_end() {
  std::array<std::byte, frame_alignment> filler{};
  filler.fill(std::byte{0xff});
  write(std::span(filler).first(filler.size() - m_position % filler.size()));
}

void ArchiveOutput::write(std::span<std::byte const> bytes) {
  std::visit([&](auto& file) { file.write(bytes); }, m_file);
  m_position += bytes.size();
}

void ArchiveOutput::skip(std::uint64_t bytes) {
  std::visit([&](auto& file) { file.skip(bytes); }, m_file);
  m_position += bytes;
}

std::optional<std::filesystem::path> ArchiveOutput::file() const {
  if (auto const* const output = std::get_if<OutputFile>(&m_file)) return output->partial_path();
  if (auto const* const appended = std::get_if<AppendedFile>(&m_file)) {
    appended->reader();  // others open it by its name, and must not write into another file
    return appended->path();
  }
  return contested_path();
}

void ArchiveOutput::align() {
  std::array<std::byte, frame_alignment> const zeros{};
  write(std::span(zeros).first(padding_at(m_position)));
}

BlockLocation ArchiveOutput::write_block(BlockKind kind, std::span<std::byte const> body) {
  align();
  std::vector<std::byte> const bytes = make_block(kind, m_position, body);
  write(bytes);
  return {m_position - bytes.size(), bytes.size()};
}

void ArchiveOutput::write_entry(ArchiveEntry const& entry) {
  write_block(BlockKind::entry, entry_body(entry));
}

void ArchiveOutput::copy(InputFile& file, ArchiveEntry& entry) {
  align();
  std::uint64_t const offset = m_position;
  for_each_piece(file, entry, [&](std::span<std::byte const> part) { write(part); });
  entry.offset = offset;
  write_entry(entry);
}

bool ArchiveOutput::finish(Listing const& listing, std::vector<Removal> const& removals) {
  for (Removal const& removal : removals) write_block(BlockKind::removal, removal_body(removal));
  BlockLocation const index = write_block(BlockKind::index, index_body(listing));
  if (auto* const appended = std::get_if<AppendedFile>(&m_file)) appended->sync();
  write_block(BlockKind::trailer, trailer_body(index));
  if (auto* const contested = std::get_if<ContestedFile>(&m_file)) {
    return contested->partial->commit_unless_taken();
  }
  if (auto* const output = std::get_if<OutputFile>(&m_file)) output->commit();
  if (auto* const replacing = std::get_if<ReplacingFile>(&m_file)) {
    replacing->partial->commit_locked();
  }
  if (auto* const appended = std::get_if<AppendedFile>(&m_file)) appended->commit();
  return true;
}

std::filesystem::path ArchiveOutput::contested_path() const {
  return std::get<ContestedFile>(m_file).partial->path();
}

void ArchiveOutput::discard_contested() { std::get<ContestedFile>(m_file).partial.reset(); }

}  // namespace kompakt::impl
