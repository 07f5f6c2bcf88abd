#include <algorithm>
#include <archive/index.hpp>
#include <archive/output.hpp>
#include <array>
#include <kompakt/sequence.hpp>

namespace kompakt {

namespace {

constexpr char const* writer = "ArchiveWriter";

// The frames of a complete stream, one after the other.
std::vector<std::span<std::byte const>> frames_of(std::span<std::byte const> stream) {
  std::vector<std::span<std::byte const>> frames;
  FrameSequence sequence;
  std::size_t at = 0;
  do {
    StreamInfo const info = inspect_next(stream.subspan(at));
    sequence.add(info);
    if (info.bytes > stream.size() - at) {
      throw Error(Status::corrupt, "it ends in frame " + std::to_string(sequence.count()));
    }
    frames.push_back(stream.subspan(at, info.bytes));
    at += info.bytes;
    at += std::min(padding_at(at), stream.size() - at);
  } while (at < stream.size());
  sequence.finish();
  return frames;
}

}  // namespace

struct ArchiveWriter::State {
  impl::ArchiveOutput output;
  std::vector<ArchiveEntry> entries;
  ArchiveEntry next{};  // the field that is being added
  FrameSequence frames{};
  impl::StreamChecksum checksum{};

  // Zeros between frames are a part of the stream.
  void write(std::span<std::byte const> bytes) {
    output.write(bytes);
    checksum.add(bytes);
  }
};

ArchiveWriter::ArchiveWriter(std::unique_ptr<State> state) : m_state(std::move(state)) {}
ArchiveWriter::ArchiveWriter(std::filesystem::path const& path, Overwrite overwrite)
    : m_state(new State{impl::ArchiveOutput(OutputFile(path, overwrite)), {}}) {}
ArchiveWriter ArchiveWriter::standard_output() {
  return ArchiveWriter(
      std::unique_ptr<State>(new State{impl::ArchiveOutput(OutputFile::standard_output()), {}}));
}
ArchiveWriter ArchiveWriter::append_to(std::filesystem::path const& path) {
  impl::AppendedFile file(writer, path);  // locked from here on
  InputFile input(path, writer);
  std::vector<ArchiveEntry> entries = impl::read_archive(writer, input);
  return ArchiveWriter(
      std::unique_ptr<State>(new State{impl::ArchiveOutput(std::move(file)), std::move(entries)}));
}
ArchiveWriter::~ArchiveWriter() = default;
ArchiveWriter::ArchiveWriter(ArchiveWriter&&) noexcept = default;

std::vector<ArchiveEntry> const& ArchiveWriter::entries() const { return m_state->entries; }

void ArchiveWriter::append(std::string_view name, Attributes const& attributes,
                           std::span<std::byte const> stream) {
  std::vector<std::span<std::byte const>> frames;
  try {
    frames = frames_of(stream);
  } catch (Error const& error) {
    throw Error(error.status(), std::string(writer) + ": the stream of '" + std::string(name) +
                                    "': " + error.what());
  }
  begin(name, attributes);
  for (std::span<std::byte const> const frame : frames) add_frame(frame);
  end();
}

void ArchiveWriter::begin(std::string_view name, Attributes const& attributes) {
  impl::require_usable(writer, name, attributes);
  for (ArchiveEntry const& entry : m_state->entries) {
    if (entry.name != name) continue;
    throw Error(Status::bad_argument, std::string(writer) + ": there is already a field '" +
                                          entry.name + "'; choose another name");
  }
  m_state->output.align();
  m_state->next = {std::string(name), attributes, m_state->output.position(), 0, 0};
  m_state->frames = {};
  m_state->checksum = {};
}

void ArchiveWriter::add_frame(std::span<std::byte const> frame) {
  static constexpr std::array<std::byte, frame_alignment> zeros{};
  StreamInfo const info = inspect(frame);
  if (info.bytes != frame.size()) {
    throw Error(Status::corrupt, std::string(writer) + ": a frame of " +
                                     std::to_string(info.bytes) + " bytes has " +
                                     std::to_string(frame.size()));
  }
  m_state->frames.add(info);
  m_state->write(std::span(zeros).first(padding_at(m_state->output.position())));
  m_state->write(frame);
}

void ArchiveWriter::end() {
  State& state = *m_state;
  if (state.frames.count() == 0) {
    throw Error(Status::bad_argument, std::string(writer) + ": '" + state.next.name +
                                          "' has no frame; add one before the end");
  }
  state.frames.finish();
  state.next.bytes = state.output.position() - state.next.offset;
  state.next.checksum = state.checksum.value();
  state.output.write_entry(state.next);
  state.entries.push_back(std::move(state.next));
}

void ArchiveWriter::commit() { m_state->output.finish(m_state->entries); }

}  // namespace kompakt
