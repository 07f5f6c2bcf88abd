#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <checkpoint/byte_stream.hpp>
#include <checkpoint/folder.hpp>
#include <checkpoint/opened.hpp>
#include <checkpoint/options.hpp>
#include <checkpoint/saving.hpp>
#include <utility>

namespace kompakt::impl {

/// A save that is under way.
struct StartedSave {
  std::unique_ptr<Saving> saving;
  SavedCheckpoint result;
};

struct AnyCheckpoint::State {
  AnyCodec codec;
  CheckpointOptions options;
  CheckpointFolder folder;
  StreamBuffers buffers;
  CheckpointValues values{};
  std::optional<StartedSave> started{};  // after the buffers that it fills

  Manifest manifest_of_step(std::uint64_t step, Attributes const& attributes) const {
    return {.step = step,
            .schema = options.schema,
            .values = values.size(),
            .ranks = 0,
            .attributes = attributes};
  }
  Manifest restore_from(CheckpointFile const& file);
};

AnyCheckpoint::AnyCheckpoint(AnyCodec codec, AllocateHostMemory allocate,
                             std::filesystem::path const& folder, std::string_view name,
                             CheckpointOptions const& options) {
  require_usable(options);
  m_state.reset(new State{std::move(codec), options, CheckpointFolder(folder, name),
                          StreamBuffers(std::move(allocate))});
}
AnyCheckpoint::~AnyCheckpoint() = default;
AnyCheckpoint::AnyCheckpoint(AnyCheckpoint&&) noexcept = default;

void AnyCheckpoint::add(std::string_view name, FieldTarget const& field,
                        std::shared_ptr<void const> owner, Options const& options) {
  m_state->values.add(
      {std::string(name), field, std::move(owner), options, FramePart::whole(field.shape)});
}

void AnyCheckpoint::rebind(std::string_view name, FieldTarget const& field,
                           std::shared_ptr<void const> owner) {
  CheckpointValue& value = m_state->values.at(name);
  value.field = field;
  value.owner = std::move(owner);
  value.place = FramePart::whole(field.shape);
}

void AnyCheckpoint::start_save(std::uint64_t step, Attributes const& attributes) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::checkpoint::save");
  wait();
  State& state = *m_state;
  state.values.require_any();
  Manifest const manifest = state.manifest_of_step(step, attributes);
  Attributes const noted = manifest.to_attributes();
  state.folder.remove_leftovers();
  CheckpointFile const file = state.folder.next(step);
  auto saving = std::make_unique<Saving>(file.path);
  saving->add(state.values, state.codec, state.buffers, state.options,
              [](CheckpointValue const&) { return Attributes(); });
  saving->add(manifest_name, noted, manifest_stream(state.codec, manifest));
  saving->commit([&folder = state.folder, keep = state.options.keep, file] {
    folder.sync();
    folder.note(file);
    folder.remove_old(keep);
  });
  state.started = {std::move(saving), {step, file.path, state.values.raw_bytes(), 0}};
}

std::optional<SavedCheckpoint> AnyCheckpoint::wait() {
  if (!m_state->started) return std::nullopt;
  Kokkos::Profiling::ScopedRegion const region("kompakt::checkpoint::wait");
  StartedSave save = std::move(*std::exchange(m_state->started, std::nullopt));
  try {
    save.saving->finish();
  } catch (Error const& error) {
    throw not_saved(save.result.step, error);
  }
  save.result.bytes = CheckpointFolder::bytes_of(save.result.file);
  return save.result;
}

Manifest AnyCheckpoint::State::restore_from(CheckpointFile const& file) {
  OpenedCheckpoint const opened(file.path);
  Manifest const& manifest = opened.manifest();
  require_schema(file.path, manifest.schema, options.schema);
  require_one_file(file.path, manifest);
  opened.require_sound(values);
  opened.require_fit(values);
  for (CheckpointValue const& value : values) opened.restore(value, codec);
  return manifest;
}

RestoredCheckpoint AnyCheckpoint::restore(std::optional<std::uint64_t> step) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::checkpoint::restore");
  wait();
  m_state->values.require_any();
  return restore_newest(m_state->folder, step,
                        [&](CheckpointFile const& file) { return m_state->restore_from(file); });
}

void AnyCheckpoint::write(std::ostream& out, std::uint64_t step, Attributes const& attributes) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::checkpoint::write");
  m_state->values.require_any();
  named(checkpoint_function, [&] {
    write_values(out, m_state->values, m_state->codec, m_state->options.frame_bytes,
                 m_state->manifest_of_step(step, attributes));
  });
}

RestoredCheckpoint AnyCheckpoint::read(std::istream& in) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::checkpoint::read");
  m_state->values.require_any();
  Manifest const manifest = named(checkpoint_function, [&] {
    return read_values(in, m_state->values, m_state->codec, m_state->options.schema);
  });
  return {manifest.step, {}, manifest.attributes, {}};
}

}  // namespace kompakt::impl
