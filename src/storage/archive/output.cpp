#include <algorithm>
#include <archive/bundle.hpp>
#include <archive/output.hpp>
#include <array>
#include <kompakt/sequence.hpp>

namespace kompakt::impl {

namespace {

// The stream of a field that may be small; nothing if it is not, or has been altered.
std::vector<std::byte> small_stream(InputFile& file, ArchiveEntry const& entry) {
  if (!entry.stream.empty() || entry.bytes > max_small_stream_bytes) return entry.stream;
  std::vector<std::byte> stream(entry.bytes);
  file.read_at(entry.offset, stream);
  if (checksum_of_frame(stream, 0) != entry.checksum) stream.clear();
  return stream;
}

}  // namespace

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
  write_bundle();
  std::array<std::byte, frame_alignment> const zeros{};
  write(std::span(zeros).first(padding_at(m_position)));
}

void ArchiveOutput::write_bundle() {
  if (m_member_count == 0) return;
  std::vector<std::byte> const body = bundle_body(std::exchange(m_member_count, 0), m_members);
  m_members.clear();
  m_bundles.push_back(write_block(BlockKind::bundle, body));
}

bool ArchiveOutput::bundle(ArchiveEntry& entry, std::span<std::byte const> stream) {
  std::optional<std::vector<std::byte>> const member = bundle_member(entry, stream);
  if (!member) return false;
  if (m_member_count == 0 || is_full_bundle(m_members.size())) align();
  entry.offset = m_position + bundle_front_bytes + m_members.size();
  entry.stream.assign(stream.begin(), stream.end());
  entry.small_bytes = member->size();
  m_members.insert(m_members.end(), member->begin(), member->end());
  ++m_member_count;
  return true;
}

ArchiveOutput::WrittenBlock ArchiveOutput::write_block(BlockKind kind,
                                                       std::span<std::byte const> body) {
  align();
  std::vector<std::byte> bytes = make_block(kind, m_position, body);
  write(bytes);
  BlockLocation const place{m_position - bytes.size(), bytes.size()};
  return {place, std::move(bytes)};
}

void ArchiveOutput::write_entry(ArchiveEntry const& entry) {
  write_block(BlockKind::entry, entry_body(entry));
}

void ArchiveOutput::copy(InputFile& file, ArchiveEntry& entry) {
  if (std::vector<std::byte> const stream = small_stream(file, entry);
      !stream.empty() && bundle(entry, stream)) {
    return;
  }
  align();
  std::uint64_t const offset = m_position;
  for_each_piece(file, entry, [&](std::span<std::byte const> part) { write(part); });
  entry.stream.clear();  // another program takes more for small
  entry.small_bytes = 0;
  entry.offset = offset;
  write_entry(entry);
}

bool ArchiveOutput::finish(ArchiveIndex& index_of_fields, std::vector<Removal> const& removals) {
  align();
  for (WrittenBlock const& bundle : m_bundles)
    index_of_fields.add_bundle(bundle.place, bundle.bytes);
  Listing const listing = index_of_fields.next();
  for (Removal const& removal : removals) write_block(BlockKind::removal, removal_body(removal));
  BlockLocation const index = write_block(BlockKind::index, index_body(listing)).place;
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
