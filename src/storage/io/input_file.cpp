#include <algorithm>
#include <fcntl.h>
#include <io/descriptor.hpp>
#include <kompakt/files.hpp>
#include <sys/stat.h>
#include <utility>

namespace kompakt {

namespace {

constexpr char const* advice_read = "check the path and its permissions";

}  // namespace

std::uint64_t bytes_read() noexcept { return impl::g_read_bytes; }

struct InputFile::State {
  std::filesystem::path path;
  std::shared_ptr<impl::Descriptor const> file{};
  bool by_position = false;  // others may read it, too: the place is that of this object
  std::optional<std::uint64_t> kept_bytes{};  // of what is in place of a file
  ReadAt read_kept{};
  std::uint64_t next = 0;   // byte that is read next, where that is the object's to say
  std::uint64_t begin = 0;  // standard input may be a file of which something has been read
  std::optional<std::uint64_t> left;  // of a part: bytes that are still to be read
  std::uint64_t part_bytes = 0;

  State(std::filesystem::path const& of_path, int descriptor) : path(of_path) {
    if (descriptor < 0) impl::throw_io("open", path, errno, advice_read);
    file = std::make_shared<impl::Descriptor>(descriptor);
    off_t const at = ::lseek(descriptor, 0, SEEK_CUR);
    if (at > 0) begin = static_cast<std::uint64_t>(at);
  }
  State(std::filesystem::path const& of_path, std::uint64_t bytes, ReadAt read_at)
      : path(of_path), by_position(true), kept_bytes(bytes), read_kept(std::move(read_at)) {}

  /// Nothing for what is no file on a disk.
  std::optional<FileIdentity> identity() const {
    struct stat status {};
    if (!file || ::fstat(file->get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    return FileIdentity{
        status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
        std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
  }
  /// From its first byte to the end; nothing for a pipe or a device.
  std::optional<std::uint64_t> size() const {
    if (kept_bytes) return kept_bytes;
    auto const found = identity();
    return found ? std::optional(found->bytes) : std::nullopt;
  }
  /// The next bytes, as many as there are; 0 at the end, less than 0 with errno if they cannot be read.
  ssize_t read_some(std::span<std::byte> destination) {
    if (!by_position) return ::read(file->get(), destination.data(), destination.size());
    if (!kept_bytes) {
      ssize_t const n =
          ::pread(file->get(), destination.data(), destination.size(), static_cast<off_t>(next));
      if (n > 0) next += static_cast<std::uint64_t>(n);
      return n;
    }
    std::uint64_t const left_there = *kept_bytes - std::min(next, *kept_bytes);
    auto const taken = destination.first(std::min<std::uint64_t>(left_there, destination.size()));
    if (!taken.empty()) read_kept(next, taken);
    next += taken.size();
    return static_cast<ssize_t>(taken.size());
  }
};

InputFile::InputFile(std::unique_ptr<State> state) : m_state(std::move(state)) {}
InputFile::InputFile(std::filesystem::path const& path)
    : InputFile(std::make_unique<State>(path, ::open(path.c_str(), O_RDONLY | O_CLOEXEC))) {
  m_state->by_position = m_state->size().has_value();
}
InputFile InputFile::again() const {
  known_bytes();  // else there are no places in it
  InputFile file(std::make_unique<State>(*m_state));
  file.m_state->by_position = true;
  file.seek(0);
  return file;
}
InputFile InputFile::standard_input() {
  return InputFile(
      std::make_unique<State>("standard input", ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)));
}
InputFile InputFile::of_memory(std::span<std::byte const> bytes) {
  return InputFile(std::make_unique<State>(
      "memory", bytes.size(), [bytes](std::uint64_t position, std::span<std::byte> destination) {
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(position), destination.size(),
                    destination.begin());
      }));
}
InputFile InputFile::of_calls(std::uint64_t bytes, ReadAt read_at,
                              std::filesystem::path const& name) {
  return InputFile(std::make_unique<State>(name, bytes, std::move(read_at)));
}
InputFile::~InputFile() = default;
InputFile::InputFile(InputFile&&) noexcept = default;
InputFile& InputFile::operator=(InputFile&&) noexcept = default;

std::filesystem::path const& InputFile::path() const noexcept { return m_state->path; }

std::optional<std::uint64_t> InputFile::bytes() const {
  std::optional<std::uint64_t> const size = m_state->size();
  if (!size) return std::nullopt;
  return m_state->left ? m_state->part_bytes : *size - std::min(*size, m_state->begin);
}

std::optional<FileIdentity> InputFile::identity() const { return m_state->identity(); }

void InputFile::require_same(std::optional<FileIdentity> const& before) const {
  if (identity() != before) impl::throw_replaced(path());
}

std::size_t InputFile::read(std::span<std::byte> destination) {
  std::optional<std::uint64_t>& left = m_state->left;
  if (left) destination = destination.first(std::min<std::uint64_t>(destination.size(), *left));
  std::size_t filled = 0;
  while (filled < destination.size()) {
    ssize_t const n = m_state->read_some(
        destination.subspan(filled, std::min(destination.size() - filled, impl::piece_bytes)));
    if (n < 0 && m_state->file && impl::can_try_again(*m_state->file, POLLIN)) continue;
    if (n < 0) impl::throw_io("read", path(), errno, advice_read);
    if (n == 0) break;
    filled += static_cast<std::size_t>(n);
    if (!m_state->kept_bytes) impl::g_read_bytes += static_cast<std::uint64_t>(n);
  }
  if (left) *left -= filled;
  return filled;
}

void InputFile::seek(std::uint64_t position) {
  auto const place = static_cast<off_t>(m_state->begin + position);
  if (m_state->by_position) {
    m_state->next = m_state->begin + position;
  } else if (::lseek(m_state->file->get(), place, SEEK_SET) < 0) {
    impl::throw_io("read", path(), errno, advice_read);
  }
  if (!m_state->left) return;
  m_state->left = m_state->part_bytes - std::min(position, m_state->part_bytes);
}

std::uint64_t InputFile::known_bytes() const {
  std::optional<std::uint64_t> const known = bytes();
  if (known) return *known;
  throw Error(Status::io, "'" + path().string() + "' cannot be read out of order",
              "name a file on a disk");
}

void InputFile::read_at(std::uint64_t position, std::span<std::byte> destination) {
  seek(position);
  if (read(destination) == destination.size()) return;
  throw Error(Status::io, "'" + path().string() + "' has become shorter while it was read");
}

void InputFile::narrow(std::uint64_t begin, std::uint64_t bytes) {
  m_state->begin += begin;
  m_state->part_bytes = bytes;
  m_state->left = bytes;
  seek(0);
}

}  // namespace kompakt
