#include <algorithm>
#include <kompakt/mpi_files.hpp>
#include <kompakt/sequence.hpp>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

#include "failure.hpp"
#include "shared_file.hpp"
#include "shared_values.hpp"

namespace kompakt::mpi {

namespace {

/// What rank 0 has of a file: all but the frames.
class Owner {
 public:
  virtual ~Owner() = default;
  virtual std::filesystem::path file() const = 0;
  virtual void begin(std::string_view name, Attributes const& attributes) = 0;
  virtual std::uint64_t frame_offset() const = 0;
  virtual void add(StreamInfo const& frame, std::uint32_t checksum) = 0;
  virtual void end() = 0;
  virtual void commit() = 0;
};

class ArchiveOwner final : public Owner {
 public:
  explicit ArchiveOwner(kompakt::ArchiveWriter archive) : m_archive(std::move(archive)) {}

  std::filesystem::path file() const override { return m_archive.file(); }
  void begin(std::string_view name, Attributes const& attributes) override {
    m_archive.begin(name, attributes);
  }
  std::uint64_t frame_offset() const override { return m_archive.frame_offset(); }
  void add(StreamInfo const& frame, std::uint32_t checksum) override {
    m_archive.add_written_frame(frame, checksum);
  }
  void end() override { m_archive.end(); }
  void commit() override { m_archive.commit(); }

 private:
  kompakt::ArchiveWriter m_archive;
};

class StreamOwner final : public Owner {
 public:
  explicit StreamOwner(OutputFile file) : m_file(std::move(file)) {}

  std::filesystem::path file() const override {
    if (auto path = m_file.partial_path()) return *std::move(path);
    throw Error(Status::bad_argument, "other ranks cannot write into a pipe", "name a file");
  }
  void begin(std::string_view, Attributes const&) override {}
  std::uint64_t frame_offset() const override { return m_bytes + padding_at(m_bytes); }
  void add(StreamInfo const& frame, std::uint32_t) override {
    m_bytes = frame_offset() + frame.bytes;
  }
  void end() override {}
  void commit() override { m_file.commit(); }

 private:
  OutputFile m_file;
  std::uint64_t m_bytes = 0;
};

/// What rank 0 is told of a frame.
struct FrameNote {
  StreamInfo info;
  std::uint32_t checksum;
};

/// So much is still in the cache when it is written after its checksum has been found.
constexpr std::size_t hot_bytes = std::size_t{1} << 20;

std::uint64_t bytes_of(FrameBlock const& block) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < block.frames().size(); ++i) bytes += block.bytes(i).size();
  return bytes;
}

/// Writes frames.
/// \param offset    in the file
/// \param position  in the field
std::vector<FrameNote> write_frames(SharedFile& file, std::uint64_t offset, std::uint64_t position,
                                    FrameBlock const& block) {
  std::vector<FrameNote> notes;
  for (std::size_t i = 0; i < block.frames().size(); ++i) {
    FrameNote note{block.frames()[i], 0};
    std::span<std::byte const> bytes = block.bytes(i);
    for (std::size_t at = 0; at < bytes.size(); at += hot_bytes) {
      auto const piece = bytes.subspan(at, std::min(hot_bytes, bytes.size() - at));
      std::size_t const own = std::min<std::size_t>(piece.size(), note.info.bytes - at);
      note.checksum += checksum_of_frame(piece.first(own), position + at);
      file.write(offset + at, piece);
    }
    offset += bytes.size();
    position += bytes.size();
    notes.push_back(note);
  }
  return notes;
}

}  // namespace

struct SharedOutput::State {
  explicit State(MPI_Comm of, MPI_Info file_hints) : comm(of), hints(file_hints) {}

  void open(std::function<std::unique_ptr<Owner>()> const& make) {
    together(comm, [&] {
      if (comm.rank() == 0) path = (owner = make())->file();
    });
  }
  /// Calls work(), after which nothing else can be done if it throws.
  template <class Work>
  auto doing(Work const& work) {
    if (failed) {
      throw Error(Status::io, "SharedOutput", "an earlier call failed",
                  "begin again with a new file");
    }
    failed = true;
    try {
      if constexpr (std::is_void_v<decltype(work())>) {
        work();
        failed = false;
      } else {
        auto result = work();
        failed = false;
        return result;
      }
    } catch (...) {
      file.reset();
      throw;
    }
  }
  /// Where the next frame begins in the file.
  std::uint64_t frame_offset() const {
    return of_rank_0(comm, owner ? owner->frame_offset() : std::uint64_t{0});
  }

  void begin_field(std::string_view name, Attributes const& attributes);
  void add_frames(FrameBlock const& mine);
  FrameSequence end_field();

  bool failed = false;
  Communicator comm;
  MPI_Info hints;
  std::unique_ptr<Owner> owner;  // on rank 0
  std::filesystem::path path;    // there
  std::optional<SharedFile> file;
  std::uint64_t field_begin = 0;  // in the file
  FrameSequence frames;           // on rank 0
};

void SharedOutput::State::begin_field(std::string_view name, Attributes const& attributes) {
  together(comm, [&] {
    if (!owner) return;
    owner->begin(name, attributes);
    owner->frame_offset();  // which may write, and fail: here all ranks learn of it
  });
  frames = {};
  field_begin = frame_offset();
  file.emplace(comm, path, hints);
}

void SharedOutput::State::add_frames(FrameBlock const& mine) {
  std::uint64_t const bytes = bytes_of(mine);
  std::uint64_t before = 0;
  require_success(MPI_Exscan(&bytes, &before, 1, MPI_UINT64_T, MPI_SUM, comm), "MPI_Exscan");
  if (comm.rank() == 0) before = 0;  // MPI leaves it undefined there
  std::uint64_t const offset = frame_offset() + before;
  std::vector<FrameNote> const notes =
      together(comm, [&] { return write_frames(*file, offset, offset - field_begin, mine); });
  std::vector<FrameNote> const all = gathered(comm, std::span<FrameNote const>(notes));
  together(comm, [&] {
    for (FrameNote const& note : all) {
      frames.add(note.info);
      owner->add(note.info, note.checksum);
    }
  });
}

FrameSequence SharedOutput::State::end_field() {
  together(comm, [&] {
    if (owner) frames.finish();
  });
  std::uint64_t const bytes = field_begin + of_rank_0(comm, std::uint64_t{frames.whole().bytes});
  file->finish(bytes);
  file.reset();
  together(comm, [&] {
    if (owner) owner->end();
  });
  return of_rank_0(comm, frames);
}

SharedOutput::SharedOutput(MPI_Comm comm, std::function<kompakt::ArchiveWriter()> const& open,
                           MPI_Info hints)
    : m_state(new State(comm, hints)) {
  m_state->open([&] { return std::make_unique<ArchiveOwner>(open()); });
}
SharedOutput::SharedOutput(MPI_Comm comm, std::function<OutputFile()> const& open, MPI_Info hints)
    : m_state(new State(comm, hints)) {
  m_state->open([&] { return std::make_unique<StreamOwner>(open()); });
}
SharedOutput::~SharedOutput() = default;
SharedOutput::SharedOutput(SharedOutput&&) noexcept = default;

void SharedOutput::begin(std::string_view name, Attributes const& attributes) {
  m_state->doing([&] { m_state->begin_field(name, attributes); });
}
void SharedOutput::add_frames(FrameBlock const& mine) {
  m_state->doing([&] { m_state->add_frames(mine); });
}
FrameSequence SharedOutput::end() {
  return m_state->doing([&] { return m_state->end_field(); });
}
void SharedOutput::commit() {
  m_state->doing([&] {
    together(m_state->comm, [&] {
      if (m_state->owner) m_state->owner->commit();
    });
  });
}

}  // namespace kompakt::mpi
