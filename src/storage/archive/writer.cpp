#include <algorithm>
#include <archive/bundle.hpp>
#include <archive/index.hpp>
#include <archive/names.hpp>
#include <archive/output.hpp>
#include <archive/stream_checksum.hpp>
#include <array>
#include <kompakt/sequence.hpp>

namespace kompakt {

namespace {

constexpr char const* writer = "ArchiveWriter";

// Between frames.
constexpr std::array<std::byte, frame_alignment> zeros{};

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

// What a writer can be asked for next.
enum class Phase { between_fields, in_field, failed, committed };

[[noreturn]] void refuse_call(Phase phase, std::string const& call, std::string const& field) {
  switch (phase) {
    case Phase::between_fields:
      throw Error(Status::bad_argument, writer, call + ": no field has been begun",
                  "call begin() first");
    case Phase::in_field:
      throw Error(Status::bad_argument, writer,
                  call + ": the field '" + field + "' is not complete", "call end() first");
    case Phase::failed:
      throw Error(Status::io, writer, call + ": an earlier call could not write",
                  "begin again with a new writer");
    default:
      throw Error(Status::bad_argument, writer,
                  call + ": the archive is committed, which is the last call",
                  "open it again with append_to()");
  }
}

// What a new archive is when somebody else has made one of its name first.
struct Fallback {
  std::filesystem::path path;
  std::chrono::milliseconds wait{};
};

}  // namespace

std::uint32_t checksum_of_frame(std::span<std::byte const> frame, std::uint64_t position) noexcept {
  impl::StreamChecksum checksum(static_cast<std::uint32_t>(position / 4));
  checksum.add(frame);
  return checksum.value();
}

struct ArchiveWriter::State {
  impl::ArchiveOutput output;
  impl::ArchiveIndex index{};
  std::optional<Fallback> fallback{};
  std::vector<impl::Removal> removals{};
  Phase phase = Phase::between_fields;
  ArchiveEntry next{};                   // the field that is being added
  bool is_open = false;                  // and has a place in the file
  std::vector<std::byte> first_frame{};  // of a field without a place: it may be a small one
  FrameSequence frames{};
  impl::StreamChecksum checksum{};

  void require(Phase wanted, std::string const& call) const {
    if (phase != wanted) refuse_call(phase, call, next.name);
  }
  /// work() writes; what has been written in part cannot be gone on with.
  template <class Work>
  void writing(Work const& work) {
    Phase const before = std::exchange(phase, Phase::failed);
    impl::named(writer, work);
    phase = before;
  }
  /// Gives the next field its place in the file.
  void open() {
    if (is_open) return;
    is_open = true;
    writing([&] {
      output.align();
      next.offset = output.position();
      write(first_frame);
    });
  }
  /// Puts the next field into a bundle, or, if it is not small after all, gives it a place.
  void add_small() {
    bool is_small = false;
    writing([&] { is_small = output.bundle(next, first_frame); });
    if (!is_small) return open();
    checksum.add(first_frame);
    next.bytes = first_frame.size();
    next.checksum = checksum.value();
  }
  // Zeros between frames are a part of the stream.
  void write(std::span<std::byte const> bytes) {
    output.write(bytes);
    checksum.add(bytes);
  }
  void commit() {
    if (output.finish(index, removals)) return;
    // The fields of the other archive stay, and these come behind them.
    ArchiveWriter other = append_to(fallback->path, fallback->wait);
    InputFile mine(output.contested_path());
    for (ArchiveEntry field : index.fields()) {
      other.m_state->require_free(field.name);
      other.m_state->output.copy(mine, field);
      other.m_state->index.add(std::move(field));
    }
    other.commit();
    output.discard_contested();
  }
  void require_free(std::string_view name) const {
    if (index.find(name) == nullptr) return;
    throw Error(Status::bad_argument, writer,
                "there is already a field '" + std::string(name) + "'",
                "choose another name, or remove that one first");
  }
};

ArchiveWriter::ArchiveWriter(std::unique_ptr<State> state) : m_state(std::move(state)) {}
ArchiveWriter::ArchiveWriter(std::filesystem::path const& path, Overwrite overwrite)
    : m_state(impl::named(writer, [&] {
        return std::unique_ptr<State>(new State{impl::ArchiveOutput(OutputFile(path, overwrite))});
      })) {}
ArchiveWriter ArchiveWriter::standard_output() {
  return ArchiveWriter(
      std::unique_ptr<State>(new State{impl::ArchiveOutput(OutputFile::standard_output())}));
}
ArchiveWriter ArchiveWriter::append_to(std::filesystem::path const& path,
                                       std::chrono::milliseconds wait) {
  return impl::named(writer, [&] {
    impl::AppendedFile file(path, wait);  // locked from here on
    InputFile input = file.reader();
    impl::ArchiveIndex index = impl::read_archive(input);
    return ArchiveWriter(
        std::unique_ptr<State>(new State{impl::ArchiveOutput(std::move(file)), std::move(index)}));
  });
}
ArchiveWriter ArchiveWriter::append_to_or_create(std::filesystem::path const& path,
                                                 std::chrono::milliseconds wait) {
  std::error_code error;
  if (std::filesystem::exists(path, error)) return append_to(path, wait);
  return ArchiveWriter(std::unique_ptr<State>(
      new State{impl::ArchiveOutput(impl::ContestedFile(path)), {}, Fallback{path, wait}}));
}
ArchiveWriter::~ArchiveWriter() = default;
ArchiveWriter::ArchiveWriter(ArchiveWriter&&) noexcept = default;

std::vector<ArchiveEntry> const& ArchiveWriter::entries() const { return m_state->index.fields(); }

void ArchiveWriter::append(std::string_view name, Attributes const& attributes,
                           std::span<std::byte const> stream) {
  m_state->require(Phase::between_fields, "append");
  std::vector<std::span<std::byte const>> frames;
  try {
    frames = frames_of(stream);
  } catch (Error const& error) {
    throw error.about("the stream of '" + std::string(name) + "'").named(writer);
  }
  begin(name, attributes);
  for (std::span<std::byte const> const frame : frames) add_frame(frame);
  end();
}

void ArchiveWriter::begin(std::string_view name, Attributes const& attributes) {
  State& state = *m_state;
  state.require(Phase::between_fields, "begin");
  impl::named(writer, [&] { impl::require_usable(name, attributes); });
  state.require_free(name);
  state.next = {std::string(name), attributes, 0, 0, 0, {}};
  state.is_open = false;
  state.first_frame.clear();
  state.frames = {};
  state.checksum = {};
  state.phase = Phase::in_field;
}

void ArchiveWriter::add_frame(std::span<std::byte const> frame) {
  State& state = *m_state;
  state.require(Phase::in_field, "add_frame");
  StreamInfo const info = inspect(frame);
  if (info.bytes != frame.size()) {
    throw Error(
        Status::corrupt, writer,
        "a frame of " + std::to_string(info.bytes) + " bytes has " + std::to_string(frame.size()),
        "");
  }
  state.frames.add(info);
  if (state.frames.count() == 1 && !state.is_open && frame.size() <= impl::max_small_stream_bytes) {
    state.first_frame.assign(frame.begin(), frame.end());
    return;
  }
  state.open();
  state.writing([&] {
    state.write(std::span(zeros).first(padding_at(state.output.position())));
    state.write(frame);
  });
}

std::filesystem::path ArchiveWriter::file() const {
  if (auto path = m_state->output.file()) return *std::move(path);
  throw Error(Status::bad_argument, writer, "other ranks cannot write into a pipe", "name a file");
}

std::uint64_t ArchiveWriter::frame_offset() const {
  m_state->require(Phase::in_field, "frame_offset");
  m_state->open();
  std::uint64_t const end = m_state->output.position();
  return end + padding_at(end);
}

void ArchiveWriter::add_written_frame(StreamInfo const& frame, std::uint32_t checksum) {
  State& state = *m_state;
  state.require(Phase::in_field, "add_written_frame");
  state.frames.add(frame);
  state.open();
  std::size_t const padding = padding_at(state.output.position());
  state.writing([&] { state.output.skip(padding + frame.bytes); });
  state.checksum.add(std::span(zeros).first(padding));
  state.checksum.add(frame.bytes, checksum);
}

void ArchiveWriter::end() {
  State& state = *m_state;
  state.require(Phase::in_field, "end");
  state.phase = Phase::between_fields;
  if (state.frames.count() == 0) {
    throw Error(Status::bad_argument, writer, "'" + state.next.name + "' has no frame",
                "add one before the end");
  }
  state.frames.finish();
  if (!state.is_open) state.add_small();
  if (state.is_open) {
    state.next.bytes = state.output.position() - state.next.offset;
    state.next.checksum = state.checksum.value();
    state.writing([&] { state.output.write_entry(state.next); });
  }
  state.index.add(std::move(state.next));
}

void ArchiveWriter::give_up() {
  m_state->require(Phase::in_field, "give_up");
  m_state->phase = Phase::between_fields;
}

void ArchiveWriter::remove(std::string_view name) {
  State& state = *m_state;
  state.require(Phase::between_fields, "remove");
  if (state.index.find(name) == nullptr) {
    throw Error(Status::bad_argument, writer,
                "there is no field '" + std::string(name) + "'; " + text_of_names(entries()), "");
  }
  state.removals.push_back(state.index.remove(name));
}

void ArchiveWriter::commit() {
  m_state->require(Phase::between_fields, "commit");
  m_state->writing([&] { m_state->commit(); });
  m_state->phase = Phase::committed;
}

}  // namespace kompakt
