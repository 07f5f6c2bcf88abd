#include <algorithm>
#include <archive/stream_checksum.hpp>
#include <atomic>
#include <container/reader.hpp>
#include <exception>
#include <mutex>
#include <pipeline/chunk.hpp>
#include <system_error>
#include <thread>
#include <verify/frames.hpp>

namespace kompakt {

namespace impl {

namespace {

constexpr std::uint64_t read_at_once = std::uint64_t{4} << 20;
constexpr std::int64_t chunks_of_a_task = 256;  // a million values

/// Lengths of records have 16 bits.
constexpr std::uint64_t max_chunk_bytes = (18 + sparse_chunk_tiles * 0xffffull) * word_bytes;

/// Words of the records of a chunk, as its head tells, and of what the head has behind them; less than none if it is
/// damaged.
int words_of_tiles(FrameChunks const& frame, std::uint32_t const* words, int count) {
  auto const sum = [&](auto const& lengths, int tiles) {
    int length = count - lengths.end();
    if (lengths.end() < chunk_head_words(frame.has_checksums) ||
        !lengths.is_sound(SingleThreadTeam{}))
      return -count;
    for (int t = 0; t < tiles; ++t) length += lengths(t);
    return length;
  };
  return frame.has_levels ? sum(SparseChunkLengths({}, words, count), sparse_chunk_tiles)
                          : sum(ChunkLengths({}, words, count), chunk_tiles);
}

/// What one thread does at a time: some chunks of a frame, or, of no frame, a piece of what lies between chunks.
struct Task {
  FrameChunks const* frame;
  std::size_t stream;
  std::uint64_t first, last;  ///< chunks, or bytes of the stream
};

/// Checks what lies behind the fronts of streams in one file, side by side. Whoever reads bytes adds them to the checksum
/// of their stream, so that they are read once.
class Verifier {
 public:
  Verifier(InputFile const& file, std::vector<StreamPart> parts)
      : m_file(file.again()),
        m_parts(std::move(parts)),
        m_sums(m_parts.size()),
        m_has_gaps(m_parts.size()) {
    InputFile reader = m_file.again();
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
      m_frames.push_back(check_fronts(reader, m_parts[i]));
      for (FrameChunks& frame : m_frames.back()) frame.stream = i;
    }
    for (std::size_t i = 0; i < m_parts.size(); ++i) plan(i);
  }

  std::vector<VerifiedStream> run(int threads) {
    if (threads == 0) threads = static_cast<int>(std::thread::hardware_concurrency());
    auto const useful = static_cast<int>(std::min<std::size_t>(m_tasks.size(), 1024));
    std::vector<std::thread> others;
    try {
      for (int i = 1; i < std::min(threads, useful); ++i) others.emplace_back([this] { work(); });
    } catch (std::system_error const&) {
      // No thread left: those that there are do it.
    }
    work();
    for (std::thread& other : others) other.join();
    if (m_error) std::rethrow_exception(m_error);
    return results();
  }

 private:
  void plan(std::size_t stream) {
    auto const add = [&](FrameChunks const* frame, std::uint64_t from, std::uint64_t to,
                         std::uint64_t step) {
      for (; from < to; from += step) {
        m_tasks.push_back({frame, stream, from, std::min(to, from + step)});
      }
    };
    StreamPart const& part = m_parts[stream];
    std::uint64_t at = 0;  // behind the chunks of the frame before
    for (FrameChunks const& frame : m_frames[stream]) {
      std::uint64_t const payload = frame.payload - part.offset;
      if (part.checksum) add(nullptr, at, payload, read_at_once);
      add(&frame, 0, static_cast<std::uint64_t>(frame.chunks), chunks_of_a_task);
      // Packed chunks are no whole words of the stream, so they are read for themselves.
      at = payload + (frame.packed ? 0 : frame.payload_bytes);
    }
    if (part.checksum) add(nullptr, at, part.result.bytes, read_at_once);
  }

  void work() {
    try {
      InputFile file = m_file.again();
      std::vector<std::byte> buffer;
      for (std::size_t i = m_next++; i < m_tasks.size(); i = m_next++) {
        Task const& task = m_tasks[i];
        if (task.frame != nullptr && task.frame->packed) {
          check_packed_chunks(file, buffer, task);
        } else if (task.frame != nullptr) {
          check_chunks(file, buffer, task);
        } else {
          read(file, buffer, task.stream, m_parts[task.stream].offset + task.first,
               task.last - task.first);
        }
      }
    } catch (...) {
      std::lock_guard const lock(m_mutex);
      if (!m_error) m_error = std::current_exception();
      m_next = m_tasks.size();
    }
  }

  // Reads whole words of a stream and adds them to its checksum.
  std::span<std::byte const> read(InputFile& file, std::vector<std::byte>& buffer,
                                  std::size_t stream, std::uint64_t at, std::uint64_t bytes) {
    buffer.resize(std::max<std::size_t>(buffer.size(), bytes));
    std::span<std::byte> const part = std::span(buffer).first(bytes);
    file.read_at(at, part);
    if (m_parts[stream].checksum) {
      StreamChecksum sum(static_cast<std::uint32_t>((at - m_parts[stream].offset) / word_bytes));
      sum.add(part);
      m_sums[stream] += sum.value();
    }
    return part;
  }

  // The checksum of a stream whose chunks have not all been found, piece by piece.
  std::uint32_t sum_of_pieces(std::size_t stream) {
    InputFile file = m_file.again();
    std::vector<std::byte> buffer;
    m_sums[stream] = 0;
    std::uint64_t const end = m_parts[stream].result.bytes;
    for (std::uint64_t at = 0; at < end; at += read_at_once) {
      read(file, buffer, stream, m_parts[stream].offset + at, std::min(read_at_once, end - at));
    }
    return m_sums[stream];
  }

  void check_chunks(InputFile& file, std::vector<std::byte>& buffer, Task const& task) {
    FrameChunks const& frame = *task.frame;
    std::vector<std::uint64_t> entries(task.last - task.first + 1);
    file.read_at(frame.index + 8 * task.first, std::as_writable_bytes(std::span(entries)));
    auto const entry = [&](std::uint64_t chunk) { return entries[chunk - task.first]; };
    for (std::uint64_t chunk = task.first; chunk < task.last;) {
      std::uint64_t end = chunk;  // of a run that is read at once
      while (end < task.last && is_sound_place(frame, end, entry(end), entry(end + 1)) &&
             entry(end + 1) - entry(chunk) <= std::max(read_at_once, max_chunk_bytes)) {
        ++end;
      }
      if (end == chunk) {
        note(frame, chunk++, "its offset in the chunk index is wrong");
        m_has_gaps[frame.stream] = true;
        continue;
      }
      std::span<std::byte const> const run =
          read(file, buffer, frame.stream, frame.payload + entry(chunk), entry(end) - entry(chunk));
      for (std::uint64_t const begin = entry(chunk); chunk < end; ++chunk) {
        check_chunk(frame, chunk,
                    run.subspan(entry(chunk) - begin, entry(chunk + 1) - entry(chunk)));
      }
    }
  }

  void check_packed_chunks(InputFile& file, std::vector<std::byte>& buffer, Task const& task) {
    FrameChunks const& frame = *task.frame;
    PackedChunks const& packed = *frame.packed;
    std::uint64_t const begin = packed.packed_begin(task.first),
                        end = packed.packed_begin(task.last);
    buffer.resize(end - begin);
    file.read_at(frame.payload + begin, buffer);
    std::byte padding[2] = {};
    if (task.last == static_cast<std::uint64_t>(frame.chunks) && end < frame.payload_bytes) {
      file.read_at(frame.payload + end, padding);
      if (padding[0] != std::byte{0} || padding[1] != std::byte{0}) {
        note(frame, task.last - 1, "what follows it is not zero");
      }
    }
    packed.unpack(task.first, task.last, buffer, packed.steps(),
                  [&](std::uint64_t chunk, auto const& unpacked) {
                    if (unpacked) {
                      check_chunk(frame, chunk, *unpacked);
                    } else {
                      note(frame, chunk, "it cannot be unpacked");
                    }
                  });
  }

  static bool is_sound_place(FrameChunks const& frame, std::uint64_t chunk, std::uint64_t start,
                             std::uint64_t end) {
    return is_place_of_chunk(start, end, frame.payload_bytes, static_cast<std::int64_t>(chunk),
                             frame.chunks) &&
           end - start <= max_chunk_bytes;
  }

  void check_chunk(FrameChunks const& frame, std::uint64_t number,
                   std::span<std::byte const> bytes) {
    if (bytes.empty()) return;
    auto const* const words = reinterpret_cast<std::uint32_t const*>(bytes.data());
    auto const count = static_cast<int>(bytes.size() / word_bytes);
    int length = chunk_head_words(frame.has_checksums);
    if (count < length) return note(frame, number, "it is too short");
    length += words_of_tiles(frame, words, count);
    if (frame.has_checksums && chunk_checksum(SingleThreadTeam{}, static_cast<std::int64_t>(number),
                                              words, count) != words[ChunkHead::length_words]) {
      return note(frame, number, "its checksum does not match");
    }
    if (length != count) note(frame, number, "its records do not fill it");
  }

  void note(FrameChunks const& frame, std::uint64_t chunk, char const* what) {
    std::lock_guard const lock(m_mutex);
    m_parts[frame.stream].note({frame.number, chunk, what});
  }

  std::vector<VerifiedStream> results() {
    std::vector<VerifiedStream> all;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
      StreamPart& part = m_parts[i];
      if (part.checksum &&
          *part.checksum != (m_has_gaps[i] ? sum_of_pieces(i) : m_sums[i].load())) {
        part.note({0, std::nullopt, "the checksum of its stream does not match"});
      }
      std::sort(part.result.damages.begin(), part.result.damages.end(),
                [](Damage const& a, Damage const& b) {
                  return std::pair(a.frame, a.chunk) < std::pair(b.frame, b.chunk);
                });
      all.push_back(std::move(part.result));
    }
    return all;
  }

  InputFile m_file;  // which each thread reads for itself
  std::vector<StreamPart> m_parts;
  std::vector<std::vector<FrameChunks>> m_frames;  // of each stream
  std::vector<Task> m_tasks;
  std::atomic<std::size_t> m_next{0};
  std::vector<std::atomic<std::uint32_t>> m_sums;  // of what has been read of each stream
  std::vector<std::atomic<bool>> m_has_gaps;       // whether chunks of it have no place
  std::mutex m_mutex;                              // of what is noted
  std::exception_ptr m_error;
};

}  // namespace

}  // namespace impl

std::string Damage::text() const {
  std::string place = frame > 0 ? "frame " + std::to_string(frame) : "";
  if (chunk) place += ", chunk " + std::to_string(*chunk);
  return place.empty() ? what : place + ": " + what;
}

namespace {

impl::StreamPart part_of(ArchiveEntry const& field, std::uint64_t offset) {
  impl::StreamPart part{offset, field.checksum, {}};
  part.result.name = field.name;
  part.result.bytes = field.bytes;
  return part;
}

// A field of a few values, whose stream is not in the file as it is.
VerifiedStream verify_small(ArchiveEntry const& field) {
  InputFile const stream = InputFile::of_memory(field.stream);
  return std::move(impl::Verifier(stream, {part_of(field, 0)}).run(1).front());
}

}  // namespace

std::vector<VerifiedStream> verify_fields(InputFile const& file,
                                          std::span<ArchiveEntry const> fields, int threads) {
  return impl::named("verify_file", [&] {
    std::vector<impl::StreamPart> parts;
    for (ArchiveEntry const& field : fields) {
      if (field.stream.empty()) parts.push_back(part_of(field, field.offset));
    }
    std::vector<VerifiedStream> streams = impl::Verifier(file, std::move(parts)).run(threads), all;
    auto next = streams.begin();
    for (ArchiveEntry const& field : fields) {
      all.push_back(field.stream.empty() ? std::move(*next++) : verify_small(field));
    }
    return all;
  });
}
std::vector<VerifiedStream> verify_fields(std::filesystem::path const& path,
                                          std::span<ArchiveEntry const> fields, int threads) {
  return verify_fields(impl::named("verify_file", [&] { return InputFile(path); }), fields,
                       threads);
}

namespace {

std::vector<VerifiedStream> verify_any(std::filesystem::path const& path, int threads) {
  InputFile file(path);
  if (is_archive(file)) {
    return verify_fields(file, ArchiveReader(file.again()).entries(), threads);
  }
  std::vector<impl::StreamPart> parts(1);
  parts.front().result.bytes = file.known_bytes();
  std::vector<std::byte> front(impl::front_bytes(parts.front().result.bytes));
  file.read_at(0, front);
  try {
    impl::naming(std::string("'").append(path.string()).append("'"),
                 [&] { return impl::read_header(front, 0); });
  } catch (Error const& error) {
    if (error.status() != Status::corrupt) throw;  // what is damaged is a result
  }
  return impl::Verifier(file, std::move(parts)).run(threads);
}

}  // namespace

std::vector<VerifiedStream> verify_file(std::filesystem::path const& path, int threads) {
  return impl::named("verify_file", [&] { return verify_any(path, threads); });
}

}  // namespace kompakt
