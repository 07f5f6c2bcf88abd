#include <algorithm>
#include <archive/output.hpp>
#include <archive/stream_checksum.hpp>
#include <checkpoint/opened.hpp>
#include <kompakt/frames.hpp>
#include <pipeline/limits.hpp>

namespace kompakt::impl {

namespace {

void require_checksum(InputFile& file, ArchiveEntry const& entry) {
  StreamChecksum checksum;
  for_each_piece(file, entry, [&](std::span<std::byte const> piece) { checksum.add(piece); });
  if (checksum.value() == entry.checksum) return;
  throw Error(Status::corrupt,
              "the checksum of '" + entry.name + "' does not match; its stream was altered");
}

std::string text_of_steps(std::vector<CheckpointFile> const& files) {
  std::string text;
  for (CheckpointFile const& file : files)
    text += (text.empty() ? "" : ", ") + std::to_string(file.step);
  return text;
}

[[noreturn]] void refuse_none(CheckpointFolder const& folder,
                              std::vector<CheckpointFile> const& all,
                              std::optional<std::uint64_t> step) {
  std::string const what = "there is no checkpoint '" + folder.name() + "' " +
                           (step ? "of step " + std::to_string(*step) + " " : "") + "in " +
                           in_quotes(folder.path());
  throw Error(Status::bad_argument, checkpoint_function, what,
              all.empty() ? "begin without one, or name another folder"
                          : "there are steps " + text_of_steps(all));
}

[[noreturn]] void refuse_damaged(CheckpointFolder const& folder,
                                 std::vector<SkippedCheckpoint> const& skipped) {
  std::string files;
  for (SkippedCheckpoint const& file : skipped)
    files += (files.empty() ? "" : "; ") + in_quotes(file.file.filename()) + ": " + file.reason;
  throw Error(Status::corrupt, checkpoint_function,
              "no checkpoint '" + folder.name() + "' in " + in_quotes(folder.path()) + " is intact",
              "restore a copy of its files, or begin without one (" + files + ")");
}

bool is_damage(Error const& error) {
  return error.status() == Status::corrupt || error.status() == Status::bad_magic ||
         error.status() == Status::io;
}

}  // namespace

std::string in_quotes(std::filesystem::path const& path) {
  return std::string("'").append(path.string()).append("'");
}

Error not_saved(std::uint64_t step, Error const& error) {
  return error
      .about("step " + std::to_string(step) + " was not saved, the checkpoints before it stay")
      .named(checkpoint_function);
}

OpenedCheckpoint::OpenedCheckpoint(std::filesystem::path const& path)
    : m_path(path),
      m_file(named(checkpoint_function, [&] { return InputFile(path); })),
      m_archive(m_file.again()) {
  try {
    m_manifest = manifest_of(m_archive.entries());
  } catch (Error const& error) {
    throw error.about(in_quotes(path)).named(checkpoint_function);
  }
}

void OpenedCheckpoint::require_sound(CheckpointValues const& values) const {
  InputFile file = m_file.again();
  try {
    require_checksum(file, m_archive.entries().back());
    for (ArchiveEntry const& entry : m_archive.entries()) {
      auto const is_wanted = [&](CheckpointValue const& value) { return value.name == entry.name; };
      if (std::any_of(values.begin(), values.end(), is_wanted)) require_checksum(file, entry);
    }
  } catch (Error const& error) {
    throw error.about(in_quotes(m_path)).named(checkpoint_function);
  }
}

void OpenedCheckpoint::require_fit(CheckpointValues const& values) const {
  for (CheckpointValue const& value : values) {
    auto const& entries = m_archive.entries();
    auto const is_it = [&](ArchiveEntry const& entry) { return entry.name == value.name; };
    if (std::none_of(entries.begin(), entries.end(), is_it)) {
      throw Error(
          Status::bad_argument, checkpoint_function,
          in_quotes(m_path) + " has no value '" + value.name + "'; " + text_of_names(entries), "");
    }
    FrameReader frames(m_archive.open(value.name),
                       in_quotes(m_path) + ": value '" + value.name + "'");
    frames.next();
    require_same_shape(m_path, value, frames.sequence().whole().shape);
  }
}

void OpenedCheckpoint::restore(CheckpointValue const& value, AnyCodec& codec) const {
  FrameReader frames(m_archive.open(value.name));
  naming_value(value.name, [&] { codec.decompress(frames, value.field, value.memory()); });
}

void require_schema(std::filesystem::path const& path, std::string const& found,
                    std::string const& wanted) {
  if (found == wanted) return;
  throw Error(Status::bad_argument, checkpoint_function,
              in_quotes(path) + " was saved with the schema '" + found +
                  "', but this program has '" + wanted + "'",
              "restore it with the program that saved it, or give CheckpointOptions::schema that "
              "text if its values mean the same");
}

void require_one_file(std::filesystem::path const& path, Manifest const& manifest) {
  if (manifest.ranks == 0) return;
  throw Error(Status::bad_argument, checkpoint_function,
              in_quotes(path) + " was saved as one file for each of " +
                  std::to_string(manifest.ranks) + " ranks",
              "restore it with kompakt::mpi::Checkpoint, which one rank can do too");
}

void require_same_shape(std::filesystem::path const& path, CheckpointValue const& value,
                        FieldShape const& found) {
  FieldShape const wanted = value.whole();
  if (found.dtype == wanted.dtype && found.rank == wanted.rank && found.extents == wanted.extents) {
    return;
  }
  throw Error(Status::type_mismatch, checkpoint_function,
              in_quotes(path) + ": value '" + value.name + "' has " + describe(found) +
                  ", but what is registered has " + describe(wanted),
              "register a View of that type and these extents");
}

RestoredCheckpoint restore_newest(CheckpointFolder& folder, std::optional<std::uint64_t> step,
                                  std::function<Manifest(CheckpointFile const&)> const& attempt) {
  std::vector<CheckpointFile> const all = folder.list();
  RestoredCheckpoint result;
  auto const gone = folder.missing();
  bool const was_newest = gone && (all.empty() || gone->number > all.front().number);
  if (was_newest && (!step || *step == gone->step)) {
    result.skipped.push_back({gone->path, "the file is missing"});
  }
  for (CheckpointFile const& file : all) {
    if (step && file.step != *step) continue;
    try {
      Manifest const manifest = attempt(file);
      result.step = manifest.step;
      result.file = file.path;
      result.attributes = manifest.attributes;
      return result;
    } catch (Error const& error) {
      if (!is_damage(error)) throw;
      folder.note_damaged(file.path);
      result.skipped.push_back({file.path, error.what()});
    }
  }
  if (result.skipped.empty()) refuse_none(folder, all, step);
  refuse_damaged(folder, result.skipped);
}

}  // namespace kompakt::impl

namespace kompakt {

std::string RestoredCheckpoint::text() const {
  std::string text;
  for (SkippedCheckpoint const& other : skipped)
    text += "skipped " + impl::in_quotes(other.file) + ": " + other.reason + "\n";
  return text + "restored step " + std::to_string(step) + " of " + impl::in_quotes(file);
}

}  // namespace kompakt
