#include <algorithm>
#include <fcntl.h>
#include <io/descriptor.hpp>
#include <kompakt/io.hpp>
#include <sys/stat.h>

namespace kompakt::impl {

namespace {

constexpr char const* advice_read = "check the path and its permissions";

}  // namespace

std::uint64_t read_bytes() noexcept { return g_read_bytes; }

InputFile::InputFile(char const* function, std::filesystem::path const& path, int descriptor)
    : m_function(function), m_path(path), m_file(std::make_unique<Descriptor>(descriptor)) {
  if (!m_file->is_open()) throw_io(function, "open", path, errno, advice_read);
  off_t const at = ::lseek(descriptor, 0, SEEK_CUR);
  if (at > 0) m_begin = static_cast<std::uint64_t>(at);
}
InputFile::InputFile(char const* function, std::filesystem::path const& path)
    : InputFile(function, path, ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
InputFile InputFile::standard_input(char const* function) {
  return InputFile(function, "standard input", ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
}
InputFile::~InputFile() = default;
InputFile::InputFile(InputFile&&) noexcept = default;

std::optional<std::uint64_t> InputFile::bytes() const {
  struct stat status {};
  if (::fstat(m_file->get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (m_left) return m_part_bytes;
  auto const size = static_cast<std::uint64_t>(status.st_size);
  return size - std::min(size, m_begin);
}

std::size_t InputFile::read(std::span<std::byte> destination) {
  if (m_left) destination = destination.first(std::min<std::uint64_t>(destination.size(), *m_left));
  std::size_t filled = 0;
  while (filled < destination.size()) {
    ssize_t const n = ::read(m_file->get(), destination.data() + filled,
                             std::min(destination.size() - filled, piece_bytes));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_io(m_function, "read", m_path, errno, advice_read);
    if (n == 0) break;
    filled += static_cast<std::size_t>(n);
    g_read_bytes += static_cast<std::uint64_t>(n);
  }
  if (m_left) *m_left -= filled;
  return filled;
}

void InputFile::seek(std::uint64_t position) {
  if (::lseek(m_file->get(), static_cast<off_t>(m_begin + position), SEEK_SET) < 0) {
    throw_io(m_function, "read", m_path, errno, advice_read);
  }
  if (m_left) m_left = m_part_bytes - std::min(position, m_part_bytes);
}

std::uint64_t InputFile::known_bytes(char const* function) const {
  std::optional<std::uint64_t> const known = bytes();
  if (known) return *known;
  throw Error(Status::io, std::string(function) + ": '" + m_path.string() +
                              "' cannot be read at any place; name a file on a disk");
}

void InputFile::read_at(std::uint64_t position, std::span<std::byte> destination) {
  seek(position);
  if (read(destination) == destination.size()) return;
  throw Error(Status::io, std::string(m_function) + ": '" + m_path.string() +
                              "' has become shorter while it was read");
}

void InputFile::narrow(std::uint64_t begin, std::uint64_t bytes) {
  m_begin += begin;
  m_part_bytes = bytes;
  m_left = bytes;
  seek(0);
}

}  // namespace kompakt::impl
