#include <kompakt/frames.hpp>
#include <kompakt/mpi_agree.hpp>
#include <kompakt/mpi_files.hpp>
#include <kompakt/slabs.hpp>
#include <optional>

#include "engine.hpp"
#include "shared_values.hpp"

namespace kompakt::mpi {

namespace {

/// A frame of the field, and where it is in the file.
struct FrameLocation {
  Box box;
  std::uint64_t position, bytes;
};

/// The field of a name, or the only one.
ArchiveEntry const& entry_of(ArchiveReader const& archive, std::filesystem::path const& path,
                             std::string_view name) {
  std::vector<ArchiveEntry> const& entries = archive.entries();
  if (!name.empty()) return archive.entry(name);
  if (entries.size() == 1) return entries.front();
  throw Error(Status::bad_argument, "FieldReader",
              "'" + path.string() + "' has " + std::to_string(entries.size()) + " fields; " +
                  text_of_names(entries),
              "name one");
}

void require_usable(FieldShape const& whole, Box const& box, FieldShape const& region) {
  FieldShape const needed = box.seen_from(Box::at({}, whole)).shape_in(whole);
  if (region.dtype == needed.dtype && region.rank == needed.rank &&
      region.extents == needed.extents) {
    return;
  }
  throw Error(Status::type_mismatch, "FieldReader",
              "the box " + to_string(box) + " takes an array of its extents and of " +
                  to_string(needed.dtype) + "; the given one has " + to_string(region.dtype) +
                  " and " + std::to_string(region.size()) + " values",
              "");
}

}  // namespace

struct SharedInput::State {
  explicit State(MPI_Comm of) : comm(of) {}

  void find(std::filesystem::path const& path, std::string_view name) {
    if (!name.empty() || is_archive(*file)) {
      kompakt::ArchiveReader const archive(file->again());
      ArchiveEntry const& entry = entry_of(archive, path, name);
      small = entry.stream;
      list_frames(archive.open(entry.name), small.empty() ? entry.offset : 0);
    } else {
      list_frames(file->again(), 0);
    }
  }
  void list_frames(InputFile stream, std::uint64_t begin) {
    FrameReader reader(std::move(stream));
    for (; reader.next(); reader.skip()) {
      StreamInfo const& frame = reader.frame();
      frames.push_back(
          {Box::at(frame.part.origin, frame.shape), begin + reader.position(), frame.bytes});
    }
    info = reader.sequence().whole();
  }

  /// Opens the file on another rank than 0, which has found the places and keeps it open.
  void open(std::filesystem::path const& path, FileIdentity const& on_rank_0) {
    if (comm.rank() == 0) return;
    file.emplace(path);
    FileIdentity found = file->identity().value_or(FileIdentity{});
    found.device = on_rank_0.device;  // machines number the devices they share as they like
    if (found == on_rank_0) return;
    throw Error(Status::io, "FieldReader",
                "'" + path.string() + "' was written anew while the ranks opened it",
                "open it again");
  }

  Communicator comm;
  std::optional<InputFile> file;
  /// The stream of a field of a few values, which has no place in the file; empty for others.
  std::vector<std::byte> small;
  StreamInfo info{};
  std::vector<FrameLocation> frames;
};

SharedInput::SharedInput(MPI_Comm comm, std::filesystem::path const& path, std::string_view name)
    : m_state(new State(comm)) {
  State& state = *m_state;
  FileIdentity identity;
  together(state.comm, [&] {
    if (state.comm.rank() != 0) return;
    impl::named("FieldReader", [&] {
      state.file.emplace(path);
      state.file->known_bytes();  // else there are no places in it
      identity = state.file->identity().value_or(identity);
      state.find(path, name);
    });
  });
  identity = of_rank_0(state.comm, identity);
  state.info = of_rank_0(state.comm, state.info);
  state.frames = list_of_rank_0(state.comm, std::move(state.frames));
  state.small = list_of_rank_0(state.comm, std::move(state.small));
  together(state.comm, [&] { impl::named("FieldReader", [&] { state.open(path, identity); }); });
  if (!state.small.empty()) state.file.emplace(InputFile::of_memory(state.small));
}
SharedInput::~SharedInput() = default;
SharedInput::SharedInput(SharedInput&&) noexcept = default;

StreamInfo const& SharedInput::info() const { return m_state->info; }

void SharedInput::read(AnyCodec& codec, Box const& box, StridedData const& region,
                       MemoryOf region_in) {
  require_usable(m_state->info.shape, box, region.shape);
  for (FrameLocation const& frame : m_state->frames) {
    Box const touched = box.common_with(frame.box);
    if (touched.is_empty()) continue;
    Box const in_frame = touched.seen_from(frame.box);
    std::vector<std::byte> const stream =
        read_region(*m_state->file, frame.position, frame.bytes, in_frame);
    codec.decompress(stream, MemoryOf::host, part_of(region, touched.seen_from(box)), region_in,
                     in_frame);
  }
}

void read_part(SharedInput& input, Messages& messages, Box const& box, FieldTarget const& part) {
  Engine& engine = *messages.engine();
  together(engine.collective, [&] { input.read(engine.codec, box, part, memory_of(part.access)); });
}

}  // namespace kompakt::mpi
