#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <checkpoint/folder.hpp>
#include <checkpoint/opened.hpp>
#include <checkpoint/options.hpp>
#include <checkpoint/saving.hpp>
#include <kompakt/mpi_agree.hpp>
#include <kompakt/mpi_checkpoint.hpp>
#include <kompakt/mpi_files.hpp>
#include <kompakt/mpi_messages.hpp>
#include <numeric>
#include <utility>

#include "checkpoint_parts.hpp"
#include "engine.hpp"
#include "shared_values.hpp"

namespace kompakt::mpi {

namespace {

/// A save that wait() ends.
struct StartedSave {
  CheckpointFile file;
  impl::Manifest manifest;
  std::unique_ptr<impl::Saving> saving;  // of this rank's file; none: one file for all is complete
};

/// What rank 0 tells the others to try.
struct Attempt {
  bool ends = true;
  std::uint64_t number = 0, step = 0;
};

std::string text_of_rank_0(Communicator const& comm, std::string const& text) {
  std::vector<char> const letters =
      list_of_rank_0(comm, std::vector<char>(text.begin(), text.end()));
  return std::string(letters.begin(), letters.end());
}

RestoredCheckpoint told_by_rank_0(Communicator const& comm, RestoredCheckpoint result) {
  result.step = of_rank_0(comm, result.step);
  result.file = text_of_rank_0(comm, result.file.string());
  result.attributes.resize(of_rank_0(comm, result.attributes.size()));
  for (auto& [key, text] : result.attributes) {
    key = text_of_rank_0(comm, key);
    text = text_of_rank_0(comm, text);
  }
  result.skipped.resize(of_rank_0(comm, result.skipped.size()));
  for (auto& [file, reason] : result.skipped) {
    file = text_of_rank_0(comm, file.string());
    reason = text_of_rank_0(comm, reason);
  }
  return result;
}

void require_place(impl::CheckpointValue const& value) {
  FieldShape const& part = value.field.shape;
  for (std::size_t i = 0; i < static_cast<std::size_t>(part.rank); ++i) {
    std::size_t const begin = value.place.origin[i], total = value.place.total[i];
    if (begin <= total && part.extents[i] <= total - begin) continue;
    throw Error(Status::bad_argument, impl::checkpoint_function,
                "value '" + value.name + "': along index " + std::to_string(i) + " a part of " +
                    std::to_string(part.extents[i]) + " from " + std::to_string(begin) +
                    " on does not lie in a field of " + std::to_string(total),
                "give origin and extents of the field");
  }
}

}  // namespace

struct SharedCheckpoint::State {
  State(AnyCodec codec_to_use, impl::AllocateHostMemory allocate, MPI_Comm of,
        std::filesystem::path const& path, std::string_view name, CheckpointOptions const& given,
        CheckpointFiles kind)
      : comm(of),
        options(given),
        files(kind),
        folder(together(comm,
                        [&] {
                          impl::require_usable(given);
                          return impl::CheckpointFolder(path, name);
                        })),
        messages(std::move(codec_to_use), of, MessageOptions()),
        buffers(std::move(allocate)) {}

  bool is_root() const { return comm.rank() == 0; }
  AnyCodec& codec() { return messages.engine()->codec; }
  /// The next file, after what others have left is gone.
  CheckpointFile next_file(std::uint64_t step) const;
  void save_as_one(StartedSave const& save);
  std::unique_ptr<impl::Saving> start_own(StartedSave const& save);
  void write_whole(StartedSave const& save);
  void complete(CheckpointFile const& file) const;
  SavedCheckpoint result_of(StartedSave const& save) const;
  impl::Manifest restore_from(CheckpointFile const& file);
  void restore_one(CheckpointFile const& file);

  Communicator comm;
  CheckpointOptions options;
  CheckpointFiles files;
  impl::CheckpointFolder folder;
  Messages messages;
  impl::StreamBuffers buffers;
  impl::CheckpointValues values;
  std::optional<StartedSave> started;
};

CheckpointFile SharedCheckpoint::State::next_file(std::uint64_t step) const {
  std::uint64_t const number = together(comm, [&] {
    if (!is_root()) return std::uint64_t{0};
    folder.remove_leftovers();
    return folder.next(step).number;
  });
  return folder.file(of_rank_0(comm, number), step);
}

void SharedCheckpoint::State::save_as_one(StartedSave const& save) {
  SharedFields fields(messages, comm,
                      [&] { return kompakt::ArchiveWriter(save.file.path, Overwrite::no); },
                      {.frame_bytes = options.frame_bytes});
  for (impl::CheckpointValue const& value : values) {
    impl::naming_value(value.name, [&] {
      ConstStridedData const part(value.field);
      fields.write(value.name, {}, {part, value.field.access}, value.place, value.options);
    });
  }
  FieldShape const shape{.dtype = Dtype::u64, .extents = {is_root() ? std::size_t{1} : 0}};
  FramePart place;
  place.origin[0] = is_root() ? 0 : 1;
  place.total[0] = 1;
  fields.write(impl::manifest_name, save.manifest.to_attributes(),
               {ConstFieldData(&save.manifest.step, shape), FieldAccess::staged}, place,
               Options{.bound = ErrorBound::lossless()});
  fields.commit();
  together(comm, [&] {
    if (is_root()) complete(save.file);
  });
}

std::unique_ptr<impl::Saving> SharedCheckpoint::State::start_own(StartedSave const& save) {
  impl::CheckpointValues agreed;
  for (impl::CheckpointValue value : values) {
    ConstStridedData const part(value.field);
    value.options = messages.agreed({part, value.field.access}, value.options);
    agreed.add(value);
  }
  return together(comm, [&] {
    auto saving = std::make_unique<impl::Saving>(
        folder.of_rank(save.file, static_cast<std::uint64_t>(comm.rank())));
    saving->add(agreed, codec(), buffers, options, attributes_of_part);
    impl::Manifest own = save.manifest;
    own.attributes.clear();
    saving->add(impl::manifest_name, own.to_attributes(), impl::manifest_stream(codec(), own));
    saving->commit([this] { folder.sync(); });
    return saving;
  });
}

void SharedCheckpoint::State::complete(CheckpointFile const& file) const {
  folder.sync();
  folder.note(file);
  folder.remove_old(options.keep);
}

/// The file that makes those of the ranks a checkpoint.
void SharedCheckpoint::State::write_whole(StartedSave const& save) {
  kompakt::ArchiveWriter archive(save.file.path, Overwrite::no);
  archive.append(impl::manifest_name, save.manifest.to_attributes(),
                 impl::manifest_stream(codec(), save.manifest));
  archive.commit();
  complete(save.file);
}

SavedCheckpoint SharedCheckpoint::State::result_of(StartedSave const& save) const {
  auto const rank = static_cast<std::uint64_t>(comm.rank());
  bool const own = save.saving != nullptr;
  std::uint64_t const mine[] = {values.raw_bytes(),
                                own ? folder.bytes_of(folder.of_rank(save.file, rank)) : 0};
  std::uint64_t all[2] = {};
  require_success(MPI_Allreduce(mine, all, 2, MPI_UINT64_T, MPI_SUM, comm), "MPI_Allreduce");
  return {save.file.step, save.file.path, all[0], all[1] + folder.bytes_of(save.file.path)};
}

SharedCheckpoint::SharedCheckpoint(AnyCodec codec, impl::AllocateHostMemory allocate, MPI_Comm comm,
                                   std::filesystem::path const& folder, std::string_view name,
                                   CheckpointOptions const& options, CheckpointFiles files)
    : m_state(
          new State(std::move(codec), std::move(allocate), comm, folder, name, options, files)) {}
SharedCheckpoint::~SharedCheckpoint() = default;
SharedCheckpoint::SharedCheckpoint(SharedCheckpoint&&) noexcept = default;

void SharedCheckpoint::add(std::string_view name, FieldTarget const& part,
                           std::shared_ptr<void const> owner, FramePart const& place,
                           Options const& options) {
  impl::CheckpointValue value{std::string(name), part, std::move(owner), options, {}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(part.shape.rank); ++i) {
    value.place.origin[i] = place.origin[i];
    value.place.total[i] = place.total[i];
  }
  together(m_state->comm, [&] {
    require_place(value);
    m_state->values.add(value);
  });
}

void SharedCheckpoint::rebind(std::string_view name, FieldTarget const& part,
                              std::shared_ptr<void const> owner) {
  impl::CheckpointValue& value = m_state->values.at(name);
  impl::CheckpointValue other = value;
  other.field = part;
  other.owner = std::move(owner);
  require_place(other);
  value = std::move(other);
}

void SharedCheckpoint::start_save(std::uint64_t step, Attributes const& attributes) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::mpi::checkpoint::save");
  wait();
  State& state = *m_state;
  StartedSave save{
      {}, {.step = step, .schema = state.options.schema, .attributes = attributes}, {}};
  save.manifest.values = state.values.size();
  bool const own = state.files == CheckpointFiles::one_a_rank;
  if (own) save.manifest.ranks = static_cast<std::uint64_t>(state.comm.ranks());
  together(state.comm, [&] {
    state.values.require_any();
    save.manifest.to_attributes();
  });
  save.file = state.next_file(step);
  try {
    if (own) {
      save.saving = state.start_own(save);
    } else {
      state.save_as_one(save);
    }
  } catch (Error const& error) {
    throw impl::not_saved(step, error);
  }
  state.started = std::move(save);
}

std::optional<SavedCheckpoint> SharedCheckpoint::wait() {
  if (!m_state->started) return std::nullopt;
  Kokkos::Profiling::ScopedRegion const region("kompakt::mpi::checkpoint::wait");
  State& state = *m_state;
  StartedSave save = std::move(*std::exchange(state.started, std::nullopt));
  if (save.saving == nullptr) return state.result_of(save);
  try {
    together(state.comm, [&] { save.saving->finish(); });
    together(state.comm, [&] {
      if (state.is_root()) state.write_whole(save);
    });
  } catch (Error const& error) {
    std::error_code ignored;
    auto const rank = static_cast<std::uint64_t>(state.comm.rank());
    std::filesystem::remove(state.folder.of_rank(save.file, rank), ignored);
    throw impl::not_saved(save.file.step, error);
  }
  return state.result_of(save);
}

void SharedCheckpoint::State::restore_one(CheckpointFile const& file) {
  for (impl::CheckpointValue const& value : values) {
    impl::naming_value(value.name, [&] {
      SharedInput input(comm, file.path, value.name);
      read_part(input, messages, Box::at(value.place.origin, value.field.shape), value.field);
    });
  }
}

impl::Manifest SharedCheckpoint::State::restore_from(CheckpointFile const& file) {
  impl::Manifest const manifest = together(comm, [&] {
    impl::OpenedCheckpoint const opened(file.path);
    impl::require_schema(file.path, opened.manifest().schema, options.schema);
    if (opened.manifest().ranks == 0 && is_root()) {
      opened.require_sound(values);
      opened.require_fit(values);
    }
    return opened.manifest();
  });
  if (manifest.ranks == 0) {
    restore_one(file);
    return manifest;
  }
  std::vector<SavedPart> const parts = find_parts(comm, folder, file, manifest, values);
  together(comm, [&] { read_parts(folder, file, parts, values, codec()); });
  return manifest;
}

RestoredCheckpoint SharedCheckpoint::restore(std::optional<std::uint64_t> step) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::mpi::checkpoint::restore");
  wait();
  State& state = *m_state;
  together(state.comm, [&] { state.values.require_any(); });
  RestoredCheckpoint result;
  std::exception_ptr failure;
  if (state.is_root()) {
    try {
      result = impl::restore_newest(state.folder, step, [&](CheckpointFile const& file) {
        of_rank_0(state.comm, Attempt{false, file.number, file.step});
        return state.restore_from(file);
      });
    } catch (...) {
      failure = std::current_exception();
    }
    of_rank_0(state.comm, Attempt());
  } else {
    for (;;) {
      Attempt const attempt = of_rank_0(state.comm, Attempt());
      if (attempt.ends) break;
      try {
        state.restore_from(state.folder.file(attempt.number, attempt.step));
      } catch (Error const&) {
        continue;  // the same on rank 0, which decides what is next
      }
    }
  }
  agree(state.comm, failure);
  return told_by_rank_0(state.comm, std::move(result));
}

}  // namespace kompakt::mpi
