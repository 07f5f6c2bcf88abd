#include <container/reader.hpp>
#include <cstring>
#include <kompakt/files.hpp>
#include <packing/packed_chunks.hpp>
#include <pipeline/chunk.hpp>
#include <pipeline/region.hpp>

namespace kompakt {

namespace impl {

namespace {

constexpr char const* function = "read_region";

/// Consecutive chunks, and where they lie in the payload.
struct Run {
  std::int64_t first, last;
  std::uint64_t start, end;

  std::uint64_t bytes() const { return end - start; }
};

std::vector<Run> runs_of(std::vector<std::int64_t> const& chunks) {
  std::vector<Run> runs;
  for (std::int64_t const chunk : chunks) {
    if (runs.empty() || runs.back().last + 1 != chunk) runs.push_back({chunk, chunk, 0, 0});
    runs.back().last = chunk;
  }
  return runs;
}

/// Where the chunks of a stream come from.
class ChunkSource {
 public:
  virtual ~ChunkSource() = default;
  /// The entries of the index from `first` on.
  virtual void read_entries(std::int64_t first, std::span<std::uint64_t> entries) = 0;
  /// The chunks of a run, as long as its bytes.
  virtual void read_chunks(Run const& run, std::span<std::byte> bytes) = 0;
};

/// A stream as its coder wrote it.
class PlainSource final : public ChunkSource {
 public:
  PlainSource(InputFile& file, std::uint64_t begin, Header const& header)
      : m_file(file),
        m_index(begin + header.sections[SectionId::chunk_index].offset),
        m_payload(begin + header.sections[SectionId::payload].offset) {}

  void read_entries(std::int64_t first, std::span<std::uint64_t> entries) override {
    m_file.read_at(m_index + 8 * static_cast<std::uint64_t>(first),
                   std::as_writable_bytes(entries));
  }
  void read_chunks(Run const& run, std::span<std::byte> bytes) override {
    m_file.read_at(m_payload + run.start, bytes);
  }

 private:
  InputFile& m_file;
  std::uint64_t m_index, m_payload;
};

/// A packed stream: its chunks are unpacked as they are read.
class PackedSource final : public ChunkSource {
 public:
  PackedSource(InputFile& file, std::uint64_t begin, Header const& header)
      : m_file(file),
        m_payload(begin + header.sections[SectionId::payload].offset),
        m_chunks(PackedChunks::read(function, file, begin, header)),
        m_steps(m_chunks.steps()) {}

  Header const& plain() const { return m_chunks.plain(); }

  void read_entries(std::int64_t first, std::span<std::uint64_t> entries) override {
    auto chunk = static_cast<std::uint64_t>(first);
    for (std::uint64_t& entry : entries) entry = m_chunks.plain_begin(chunk++);
  }
  void read_chunks(Run const& run, std::span<std::byte> bytes) override {
    auto const first = static_cast<std::uint64_t>(run.first),
               end = static_cast<std::uint64_t>(run.last) + 1;
    std::uint64_t const begin = m_chunks.packed_begin(first);
    std::vector<std::byte> packed(m_chunks.packed_begin(end) - begin);
    m_file.read_at(m_payload + begin, packed);
    m_chunks.unpack(first, end, packed, m_steps, [&](std::uint64_t chunk, auto const& unpacked) {
      if (!unpacked) refuse_packed_chunk(function, static_cast<std::int64_t>(chunk));
      std::copy(
          unpacked->begin(), unpacked->end(),
          bytes.begin() + static_cast<std::ptrdiff_t>(m_chunks.plain_begin(chunk) - run.start));
    });
  }

 private:
  InputFile& m_file;
  std::uint64_t m_payload;
  PackedChunks m_chunks;
  std::vector<rans::Step> m_steps;
};

/// The stream that read_region() makes: front, codebook and index as those of any stream; of the payload
/// the runs, one behind the other. A word between two of them keeps the chunks that were left out from
/// being empty ones, which are sound: they are too short. Other entries lie outside of the payload.
class PartialStream {
 public:
  /// \param begin   of the stream in the file
  /// \param header  of the stream, unpacked
  PartialStream(InputFile& file, std::uint64_t begin, Header const& header, ChunkSource& chunks)
      : m_file(file),
        m_begin(begin),
        m_header(header),
        m_chunks(chunks),
        m_written(header),
        m_layout(layout_of(m_written)),
        m_bytes(m_layout.payload) {
    copy_section(header.sections[SectionId::predictor], m_layout.predictor);
    copy_section(header.sections[SectionId::coder], m_layout.coder);
    std::memset(entry(0), 0xff, m_layout.index_bytes);
  }

  /// Reads the chunks.
  void add(std::vector<Run> runs) {
    for (Run& run : runs) read_entries(run);
    for (Run const& run : runs) m_written.payload_bytes += run.bytes();
    m_written.payload_bytes += (runs.size() - 1) * word_bytes;
    m_bytes.resize(m_layout.payload + m_written.payload_bytes);
    std::uint64_t place = 0;
    for (Run const& run : runs) {
      for (std::int64_t i = run.first; i <= run.last + 1; ++i) *entry(i) += place - run.start;
      m_chunks.read_chunks(run, std::span(m_bytes).subspan(m_layout.payload + place, run.bytes()));
      place += run.bytes() + word_bytes;
    }
  }

  std::vector<std::byte> take() {
    write_header(m_written, m_bytes.data());
    return std::move(m_bytes);
  }

 private:
  // Sections of the new stream are padded to where the next one may begin.
  static StreamLayout layout_of(Header& header) {
    header.payload_bytes = 0;
    header.extra = {align_section(header.extra.predictor), align_section(header.extra.coder)};
    return header.layout();
  }
  void copy_section(Section const& from, std::size_t to) {
    m_file.read_at(m_begin + from.offset, std::span(m_bytes).subspan(to, from.bytes));
  }
  std::uint64_t* entry(std::int64_t chunk) {
    return reinterpret_cast<std::uint64_t*>(m_bytes.data() + m_layout.index) + chunk;
  }

  void read_entries(Run& run) {
    auto const count = static_cast<std::size_t>(run.last - run.first + 2);
    m_chunks.read_entries(run.first, std::span(entry(run.first), count));
    for (std::int64_t i = run.first; i <= run.last; ++i) {
      if (!is_place_of_chunk(*entry(i), *entry(i + 1), m_header.payload_bytes, i,
                             m_header.chunks())) {
        throw Error(Status::corrupt, std::string(function) +
                                         ": the chunk index is damaged at chunk " +
                                         std::to_string(i) + "; the stream was altered");
      }
    }
    run.start = *entry(run.first);
    run.end = *entry(run.last + 1);
  }

  InputFile& m_file;
  std::uint64_t m_begin;
  Header const& m_header;
  ChunkSource& m_chunks;
  Header m_written;
  StreamLayout m_layout;
  std::vector<std::byte> m_bytes;
};

}  // namespace

}  // namespace impl

std::vector<std::byte> read_region(InputFile& file, Box const& region) {
  return read_region(file, 0, file.known_bytes(), region);
}

std::vector<std::byte> read_region(InputFile& file, std::uint64_t begin, std::uint64_t bytes,
                                   Box const& region) {
  using namespace impl;
  file.known_bytes();  // else there are no places in it
  std::vector<std::byte> front(front_bytes(bytes));
  file.read_at(begin, front);
  Header const header = read_header(function, front, bytes);
  require_region(function, header.shape, region);
  auto const read = [&](Header const& plain, ChunkSource& chunks) {
    PartialStream stream(file, begin, plain, chunks);
    if (!region.is_empty()) stream.add(runs_of(touched_chunks(plain, region).numbers));
    return stream.take();
  };
  if (header.is_packed()) {
    PackedSource packed(file, begin, header);
    return read(packed.plain(), packed);
  }
  PlainSource plain(file, begin, header);
  return read(header, plain);
}

std::vector<std::byte> read_region(std::filesystem::path const& path, Box const& region) {
  InputFile file(path, impl::function);
  return read_region(file, region);
}

}  // namespace kompakt
