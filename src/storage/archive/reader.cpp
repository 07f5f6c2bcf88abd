#include <algorithm>
#include <archive/index.hpp>
#include <array>
#include <io/appended_file.hpp>
#include <kompakt/sequence.hpp>

namespace kompakt {

namespace impl {

namespace {

constexpr char const* reader = "ArchiveReader";

bool has_magic_at(InputFile& file, std::uint64_t offset) {
  std::array<std::byte, 8> bytes{};
  file.read_at(offset, bytes);
  return has_archive_magic(bytes);
}

bool looks_like_archive(InputFile& file) {
  std::uint64_t const size = file.bytes().value_or(0);
  if (size >= block_header_bytes && has_magic_at(file, 0)) return true;
  return size >= trailer_bytes && has_magic_at(file, size - trailer_bytes);
}

bool begins_with_stream(InputFile& file) {
  std::array<std::byte, 8> bytes{};
  if (file.bytes().value_or(0) < bytes.size()) return false;
  file.read_at(0, bytes);
  return has_stream_magic(bytes);
}

// The trailer at the end of a file, and the index it speaks of; corrupt if they are not there.
ArchiveIndex read_newest_index(InputFile& file) {
  std::uint64_t const size = *file.bytes();
  std::optional<FoundBlock> trailer;
  if (size >= trailer_bytes) trailer = read_block(file, size - trailer_bytes, size);
  if (!trailer || trailer->head.kind != BlockKind::trailer) {
    throw Error(Status::corrupt, "its index is missing at the end, or damaged");
  }
  return read_index(file, read_chain(file, *trailer));
}

// The trailer that is nearest to the end, with an index that can be read, behind whatever is not one.
std::optional<ArchiveIndex> find_newest_index(InputFile& file) {
  std::uint64_t const size = *file.bytes();
  std::vector<std::byte> piece(std::size_t{1} << 20);
  for (std::uint64_t end = size; end > 0;) {
    std::uint64_t const begin = (end - 1) / piece.size() * piece.size();
    std::span<std::byte> const part = std::span(piece).first(end - begin);
    file.read_at(begin, part);
    for (std::uint64_t i = part.size() + padding_at(part.size()); i > 0;) {
      i -= block_alignment;
      if (!has_archive_magic(part.subspan(i))) continue;
      std::optional<FoundBlock> const block = read_block(file, begin + i, size);
      if (!block || block->head.kind != BlockKind::trailer) continue;
      IndexChain chain;
      try {
        chain = read_chain(file, *block);
      } catch (Error const&) {
        continue;  // an older one may be sound
      }
      return read_index(file, std::move(chain));
    }
    end = begin;
  }
  return std::nullopt;
}

// While somebody appends there is no index at the end, but the old one is still where it was.
ArchiveIndex read_older_while_locked(InputFile& file) {
  try {
    return read_archive(file);
  } catch (Error const& error) {
    if (error.status() != Status::corrupt) throw;
    std::optional<ArchiveIndex> older;
    if (file.identity() && is_locked(file.path())) older = find_newest_index(file);
    if (older) return std::move(*older);
    return read_archive(file);  // if it has been completed meanwhile
  }
}

}  // namespace

ArchiveIndex read_archive(InputFile& file) {
  std::string const path = file.path().string();
  file.known_bytes();
  if (!looks_like_archive(file)) {
    if (begins_with_stream(file)) {
      throw Error(Status::bad_magic,
                  "'" + path + "' is not an archive but the stream of one field without a name",
                  "decompress it as a stream");
    }
    throw Error(Status::bad_magic, "'" + path + "' is not an archive",
                "name a file that 'kompakt compress --name' has written");
  }
  try {
    return read_newest_index(file);
  } catch (Error const& error) {
    bool const broken = error.status() == Status::corrupt;
    throw Error(
        error.status(),
        "'" + path + "' cannot be read as an archive: " + std::string(error.problem()),
        broken ? "'kompakt repair -i " + path + "' finds its fields" : std::string(error.advice()));
  }
}

}  // namespace impl

std::string text_of_names(std::vector<ArchiveEntry> const& entries) {
  constexpr std::size_t most = 20;  // a line has an end
  std::string names;
  for (ArchiveEntry const& entry : std::span(entries).first(std::min(most, entries.size()))) {
    names += (names.empty() ? "'" : ", '") + entry.name + "'";
  }
  if (entries.empty()) return "it has none";
  if (entries.size() > most) names += " and " + std::to_string(entries.size() - most) + " more";
  return "its fields are " + names;
}

bool is_archive(std::filesystem::path const& path) {
  return impl::named("is_archive", [&] { return is_archive(InputFile(path)); });
}

bool is_archive(InputFile const& file) {
  return impl::named("is_archive", [&] {
    if (!file.bytes()) return false;
    InputFile reader = file.again();
    return impl::looks_like_archive(reader);
  });
}

bool is_archive(std::span<std::byte const> start) noexcept {
  return start.size() >= 8 && impl::has_archive_magic(start);
}

struct ArchiveReader::State {
  using Trailer = std::array<std::byte, impl::trailer_bytes>;

  InputFile file;
  impl::ArchiveIndex index{};
  Trailer trailer{};

  /// The trailer behind the index that was read, or what is there now.
  Trailer read_trailer() {
    Trailer bytes{};
    file.read_at(index.newest().end(), bytes);
    return bytes;
  }
  /// Refuses a file that somebody has written anew, in its place, since it was opened. What is only damaged says so itself.
  void require_unchanged(ArchiveEntry const& field);
  /// A stream that is not in the file as it is.
  InputFile file_of(std::vector<std::byte> const& stream) const {
    auto const read_at = [stream](std::uint64_t position, std::span<std::byte> destination) {
      std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(position), destination.size(),
                  destination.begin());
    };
    return InputFile::of_calls(stream.size(), read_at, file.path());
  }
};

void ArchiveReader::State::require_unchanged(ArchiveEntry const& field) {
  std::uint64_t const size = *file.bytes(), end = field.offset + field.bytes;
  std::optional<impl::FoundBlock> block;
  if (end <= size) block = impl::read_block(file, end + padding_at(end), size);
  bool same = false;
  if (block && block->head.kind == impl::BlockKind::entry) {
    same = impl::read_entry(block->head, block->bytes) == field;
  } else {
    same = index.newest().end() + trailer.size() <= size && read_trailer() == trailer;
  }
  if (same) return;
  throw Error(Status::corrupt, impl::reader,
              "'" + file.path().string() + "' was written anew while it was open, and '" +
                  field.name + "' is no longer where it was",
              "open it again");
}

ArchiveReader::ArchiveReader(std::filesystem::path const& path)
    : ArchiveReader(impl::named(impl::reader, [&] { return InputFile(path); })) {}
ArchiveReader::ArchiveReader(InputFile file)
    : m_state(impl::named(impl::reader, [&] {
        std::unique_ptr<State> state(new State{std::move(file)});
        state->index = impl::read_older_while_locked(state->file);
        state->trailer = state->read_trailer();
        return state;
      })) {}
ArchiveReader::~ArchiveReader() = default;
ArchiveReader::ArchiveReader(ArchiveReader&&) noexcept = default;

std::vector<ArchiveEntry> const& ArchiveReader::entries() const { return m_state->index.fields(); }

ArchiveEntry const& ArchiveReader::entry(std::string_view name) const {
  ArchiveEntry const* const found = m_state->index.find(name);
  if (found != nullptr) return *found;
  throw Error(Status::bad_argument, "ArchiveReader",
              "'" + m_state->file.path().string() + "' has no field '" + std::string(name) + "'; " +
                  text_of_names(entries()),
              "");
}

InputFile ArchiveReader::open(std::string_view name) const {
  ArchiveEntry const& field = entry(name);
  return impl::named(impl::reader, [&] {
    if (!field.stream.empty()) return m_state->file_of(field.stream);
    m_state->require_unchanged(field);
    InputFile file = m_state->file.again();
    file.narrow(field.offset, field.bytes);
    return file;
  });
}

std::vector<std::byte> ArchiveReader::read(std::string_view name) {
  ArchiveEntry const& field = entry(name);
  if (!field.stream.empty()) return field.stream;
  std::vector<std::byte> stream(field.bytes);
  impl::named(impl::reader, [&] {
    m_state->require_unchanged(field);
    m_state->file.read_at(field.offset, stream);
  });
  if (checksum_of_frame(stream, 0) == field.checksum) return stream;
  throw Error(Status::corrupt, "ArchiveReader",
              "the checksum of '" + field.name + "' in '" + m_state->file.path().string() +
                  "' does not match; its stream was altered",
              "");
}

}  // namespace kompakt
