#include <algorithm>
#include <fcntl.h>
#include <io/partial_file.hpp>
#include <io/read_all.hpp>
#include <kompakt/io.hpp>
#include <limits>
#include <new>
#include <sys/stat.h>

namespace kompakt {

namespace impl {

namespace {

constexpr char const* advice_read = "check the path and its permissions";

std::size_t size_of_file(Descriptor const& file) {
  struct stat status {};
  bool const known = ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
  return known ? static_cast<std::size_t>(status.st_size) : 0;
}

void grow(char const* function, std::filesystem::path const& path, std::vector<std::byte>& bytes,
          std::size_t wanted) {
  try {
    if (wanted > bytes.max_size()) throw std::bad_alloc();
    bytes.resize(wanted);
  } catch (std::bad_alloc const&) {
    throw_io(function, "read", path, ENOMEM, std::to_string(wanted) + " bytes were asked for");
  }
}

// Appends what one system call gives. Returns false at the end of the file.
bool read_piece(char const* function, std::filesystem::path const& path, Descriptor const& file,
                std::span<std::byte> destination, std::size_t& filled) {
  for (;;) {
    ssize_t const n =
        ::read(file.get(), destination.data(), std::min(destination.size(), piece_bytes));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_io(function, "read", path, errno, advice_read);
    filled += static_cast<std::size_t>(n);
    g_transferred_bytes += static_cast<std::uint64_t>(n);
    return n > 0;
  }
}

}  // namespace

std::vector<std::byte> read_all(char const* function, std::filesystem::path const& path,
                                std::size_t limit_bytes) {
  Descriptor const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) throw_io(function, "open", path, errno, advice_read);
  // One byte more than expected, so that the end of the file is seen without growing.
  std::size_t wanted = std::min(limit_bytes, size_of_file(file) + 1);
  std::vector<std::byte> bytes;
  std::size_t filled = 0;
  while (filled < limit_bytes) {
    if (filled == wanted) wanted = std::min(limit_bytes, 2 * wanted + piece_bytes);
    grow(function, path, bytes, wanted);
    if (!read_piece(function, path, file, std::span(bytes).subspan(filled), filled)) break;
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace impl

std::vector<std::byte> read_file(std::filesystem::path const& path) {
  return impl::read_all("read_file", path, std::numeric_limits<std::size_t>::max());
}

namespace {

// Where the bytes really go: through a symbolic link to a file, so that the link survives.
std::filesystem::path target_of(std::filesystem::path const& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  std::filesystem::path const target = std::filesystem::canonical(path, error);
  return error ? path : target;
}

// Devices and pipes have no half-written state to hide, and renaming would replace the device.
void write_in_place(std::filesystem::path const& path, std::span<std::byte const> bytes) {
  impl::Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.is_open()) {
    impl::throw_io("write_file", "open", path, errno, "choose another place");
  }
  impl::write_all(file, bytes, path);
  if (file.close() != 0) impl::throw_io("write_file", "write", path, errno, "choose another place");
}

}  // namespace

void write_file(std::filesystem::path const& path, std::span<std::byte const> bytes,
                Overwrite overwrite) {
  std::filesystem::path const target = target_of(path);
  struct stat old {};
  // A link to nowhere also takes the name: only lstat sees it.
  bool const exists = ::stat(target.c_str(), &old) == 0 || ::lstat(target.c_str(), &old) == 0;
  if (target.filename().empty() || (exists && S_ISDIR(old.st_mode))) {
    impl::throw_io("write_file", "write", path, EISDIR, "name a file in it");
  }
  bool const regular = !exists || S_ISREG(old.st_mode) || S_ISLNK(old.st_mode);
  if (!regular) return write_in_place(target, bytes);
  if (exists && overwrite == Overwrite::no) {
    impl::throw_io("write_file", "write", path, EEXIST, "allow overwriting or choose another name");
  }
  impl::PartialFile partial(target);
  if (exists && S_ISREG(old.st_mode)) {
    // Best effort: the new file is as readable to others as the one it replaces.
    static_cast<void>(::fchmod(partial.file().get(), old.st_mode & 07777));
  }
  impl::write_all(partial.file(), bytes, path);
  partial.commit(overwrite);
}

}  // namespace kompakt
