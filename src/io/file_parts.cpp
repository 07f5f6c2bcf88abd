#include <algorithm>
#include <fcntl.h>
#include <io/descriptor.hpp>
#include <kompakt/io.hpp>
#include <sys/stat.h>

namespace kompakt::impl {

namespace {

constexpr char const* advice_read = "check the path and its permissions";

}  // namespace

FileParts::FileParts(char const* function, std::filesystem::path const& path)
    : m_function(function), m_path(path), m_file(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (m_file < 0) throw_io(m_function, "open", m_path, errno, advice_read);
  struct stat status {};
  bool const known = ::fstat(m_file, &status) == 0;
  if (known && S_ISREG(status.st_mode)) {
    m_bytes = static_cast<std::uint64_t>(status.st_size);
    return;
  }
  int const error = !known ? errno : (S_ISDIR(status.st_mode) ? EISDIR : ESPIPE);
  ::close(m_file);
  throw_io(m_function, "read", m_path, error, "name a file on a disk");
}

FileParts::~FileParts() { ::close(m_file); }

void FileParts::read(std::uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    ssize_t const n =
        ::pread(m_file, to.data(), std::min(to.size(), piece_bytes), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_io(m_function, "read", m_path, errno, advice_read);
    if (n == 0) throw_io(m_function, "read", m_path, EIO, "it has become shorter");
    g_transferred_bytes += static_cast<std::uint64_t>(n);
    offset += static_cast<std::uint64_t>(n);
    to = to.subspan(static_cast<std::size_t>(n));
  }
}

}  // namespace kompakt::impl
