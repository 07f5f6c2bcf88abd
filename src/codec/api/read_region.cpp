#include <algorithm>
#include <container/reader.hpp>
#include <cstring>
#include <kompakt/files.hpp>
#include <optional>
#include <packing/packed_chunks.hpp>
#include <pipeline/chunk.hpp>
#include <pipeline/region.hpp>

namespace kompakt {

namespace impl {

namespace {

constexpr char const* where = "read_region";

/// Consecutive chunks, and where they lie in the payload.
struct Run {
  std::int64_t first, last;
  std::uint64_t start = 0, end = 0, place = 0;  ///< in bytes; the place is that in the new payload

  std::uint64_t bytes() const { return end - start; }
  std::uint64_t first_chunk() const { return static_cast<std::uint64_t>(first); }
  std::uint64_t end_chunk() const { return static_cast<std::uint64_t>(last) + 1; }
};

std::vector<Run> runs_of(std::vector<std::int64_t> const& chunks) {
  std::vector<Run> runs;
  for (std::int64_t const chunk : chunks) {
    if (runs.empty() || runs.back().last + 1 != chunk) runs.push_back({chunk, chunk});
    runs.back().last = chunk;
  }
  return runs;
}

/// What of a packed stream must be there before its chunks can be.
struct Packing {
  std::vector<std::byte> section, index;
  std::optional<PackedChunks> chunks{};
  std::vector<std::vector<std::byte>> runs{};  ///< as they lie in the stream
};

}  // namespace

}  // namespace impl

using namespace impl;

/// The stream that is made: front, codebook and index as those of any stream; of the payload the runs, one behind the
/// other. A word between two of them keeps the chunks that were left out from being empty ones, which are sound: they
/// are too short. Other entries lie outside of the payload.
struct RegionReader::State {
  State(std::span<std::byte const> front, std::uint64_t stream_bytes, Box const& box)
      : header(read_header(front.first(std::min(front.size(), front_bytes(stream_bytes))),
                           stream_bytes)),
        written(header),
        layout(start_from(header)),
        bytes(layout.payload) {
    Box const region = box_of_values(header, box);
    require_region(header.shape, region);
    want_section(SectionId::predictor, layout.predictor);
    want_section(SectionId::coder, layout.coder);
    std::memset(entry(0), 0xff, layout.index_bytes);
    if (!region.is_empty()) runs = runs_of(touched_chunks(header, region).numbers);
    header.is_packed() ? want_packing() : want_entries();
    if (wanted.empty()) next();
  }

  void next() {
    wanted.clear();
    if (step == Step::index) {
      step = Step::chunks;
      if (packing) read_packing();
      want_chunks();
      if (!wanted.empty()) return;
    }
    if (step != Step::chunks) return;
    step = Step::done;
    if (packing) unpack();
    write_header(written, bytes.data());
  }

  bool is_done() const { return step == Step::done; }
  std::vector<WantedBytes> wanted;
  std::vector<std::byte> take() { return std::move(bytes); }

 private:
  enum class Step { index, chunks, done };

  // Sections of the new stream are padded to where the next one may begin.
  StreamLayout start_from(Header const& plain) {
    written = plain;
    written.payload_bytes = 0;
    written.extra = {align_section(header.extra.predictor), align_section(header.extra.coder), 0,
                     header.extra.limits};
    return written.layout();
  }
  std::uint64_t* entry(std::int64_t chunk) {
    return reinterpret_cast<std::uint64_t*>(bytes.data() + layout.index) + chunk;
  }
  std::span<std::uint64_t> entries_of(Run const& run) {
    return {entry(run.first), static_cast<std::size_t>(run.last - run.first + 2)};
  }
  void want(std::uint64_t position, std::span<std::byte> to) {
    if (!to.empty()) wanted.push_back({position, to});
  }
  void want_section(SectionId id, std::size_t to) {
    Section const& section = header.sections[id];
    want(section.offset, std::span(bytes).subspan(to, section.bytes));
  }

  void want_entries() {
    for (Run const& run : runs) {
      want(header.sections[SectionId::chunk_index].offset +
               8 * static_cast<std::uint64_t>(run.first),
           std::as_writable_bytes(entries_of(run)));
    }
  }
  void want_packing() {
    Section const &section = header.sections[SectionId::packing],
                  &index = header.sections[SectionId::chunk_index];
    packing.emplace(
        Packing{std::vector<std::byte>(section.bytes), std::vector<std::byte>(index.bytes)});
    want(section.offset, packing->section);
    want(index.offset, packing->index);
  }
  void read_packing() {
    PackedChunks const& chunks = packing->chunks.emplace(header, packing->section, packing->index);
    start_from(chunks.plain());
    for (Run const& run : runs) {
      auto chunk = static_cast<std::uint64_t>(run.first);
      for (std::uint64_t& place : entries_of(run)) place = chunks.plain_begin(chunk++);
    }
  }

  void want_chunks() {
    for (Run& run : runs) check(run);
    for (Run const& run : runs) written.payload_bytes += run.bytes();
    if (!runs.empty()) written.payload_bytes += (runs.size() - 1) * word_bytes;
    bytes.resize(layout.payload + written.payload_bytes);
    std::uint64_t place = 0;
    for (Run& run : runs) {
      for (std::uint64_t& at : entries_of(run)) at += place - run.start;
      run.place = place;
      place += run.bytes() + word_bytes;
      want_run(run);
    }
  }
  void check(Run& run) {
    Header const& plain = packing ? packing->chunks->plain() : header;
    for (std::int64_t i = run.first; i <= run.last; ++i) {
      if (!is_place_of_chunk(*entry(i), *entry(i + 1), plain.payload_bytes, i, plain.chunks())) {
        throw Error(Status::corrupt, "the chunk index is damaged at chunk " + std::to_string(i) +
                                         "; the stream was altered");
      }
    }
    run.start = *entry(run.first);
    run.end = *entry(run.last + 1);
  }
  void want_run(Run const& run) {
    std::uint64_t const payload = header.sections[SectionId::payload].offset;
    if (!packing) {
      want(payload + run.start, bytes_of(run));
      return;
    }
    PackedChunks const& chunks = *packing->chunks;
    std::uint64_t const begin = chunks.packed_begin(run.first_chunk());
    auto& packed = packing->runs.emplace_back(chunks.packed_begin(run.end_chunk()) - begin);
    want(payload + begin, packed);
  }
  std::span<std::byte> bytes_of(Run const& run) {
    return std::span(bytes).subspan(layout.payload + run.place, run.bytes());
  }

  void unpack() {
    std::vector<rans::Step> const steps = packing->chunks->steps();
    for (std::size_t i = 0; i < runs.size(); ++i) {
      Run const& run = runs[i];
      packing->chunks->unpack(
          run.first_chunk(), run.end_chunk(), packing->runs[i], steps,
          [&](std::uint64_t chunk, auto const& unpacked) {
            if (!unpacked) refuse_packed_chunk(static_cast<std::int64_t>(chunk));
            std::copy(unpacked->begin(), unpacked->end(),
                      bytes_of(run).begin() + static_cast<std::ptrdiff_t>(
                                                  packing->chunks->plain_begin(chunk) - run.start));
          });
    }
  }

  Header header;   // of the stream as it lies there
  Header written;  // of the one that is made
  StreamLayout layout;
  std::vector<std::byte> bytes;
  std::vector<Run> runs;
  std::optional<Packing> packing;
  Step step = Step::index;
};

RegionReader::RegionReader(std::span<std::byte const> front, std::uint64_t stream_bytes,
                           Box const& box)
    : m_state(named(where, [&] { return std::make_unique<State>(front, stream_bytes, box); })) {}
RegionReader::~RegionReader() = default;
RegionReader::RegionReader(RegionReader&&) noexcept = default;
RegionReader& RegionReader::operator=(RegionReader&&) noexcept = default;

std::span<WantedBytes const> RegionReader::wanted() const { return m_state->wanted; }
void RegionReader::next() {
  named(where, [&] { m_state->next(); });
}
std::vector<std::byte> RegionReader::take() {
  if (!m_state->is_done()) {
    throw Error(Status::bad_argument, "RegionReader::take",
                "the bytes of the stream are not complete",
                "fill the buffers of wanted() and call next() until wanted() is empty");
  }
  return m_state->take();
}

std::vector<std::byte> read_region(InputFile& file, Box const& box) {
  std::uint64_t const bytes = named(where, [&] { return file.known_bytes(); });
  return read_region(file, 0, bytes, box);
}

std::vector<std::byte> read_region(InputFile& file, std::uint64_t begin, std::uint64_t bytes,
                                   Box const& box) {
  return named(where, [&] {
    file.known_bytes();  // else there are no places in it
    std::vector<std::byte> front(front_bytes(bytes));
    file.read_at(begin, front);
    RegionReader reader(front, bytes, box);
    for (; !reader.wanted().empty(); reader.next()) {
      for (WantedBytes const& wanted : reader.wanted()) {
        file.read_at(begin + wanted.position, wanted.to);
      }
    }
    return reader.take();
  });
}

std::vector<std::byte> read_region(std::filesystem::path const& path, Box const& box) {
  InputFile file = named(where, [&] { return InputFile(path); });
  return read_region(file, box);
}

}  // namespace kompakt
