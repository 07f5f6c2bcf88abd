#include <algorithm>
#include <cerrno>
#include <io/descriptor.hpp>
#include <io/read_all.hpp>
#include <kompakt/files.hpp>
#include <limits>
#include <new>

namespace kompakt {

namespace impl {

namespace {

void grow(std::filesystem::path const& path, std::vector<std::byte>& bytes, std::size_t wanted) {
  try {
    if (wanted > bytes.max_size()) throw std::bad_alloc();
    bytes.resize(wanted);
  } catch (std::bad_alloc const&) {
    throw_io("read", path, ENOMEM, std::to_string(wanted) + " bytes were asked for");
  }
}

}  // namespace

std::vector<std::byte> read_all(std::filesystem::path const& path, std::size_t limit_bytes) {
  InputFile file(path);
  // One byte more than expected, so that the end of the file is seen without growing.
  std::size_t wanted = std::min<std::size_t>(limit_bytes, file.bytes().value_or(0) + 1);
  std::vector<std::byte> bytes;
  std::size_t filled = 0;
  while (filled == bytes.size() && filled < limit_bytes) {
    grow(path, bytes, wanted);
    filled += file.read(std::span(bytes).subspan(filled));
    wanted = std::min(limit_bytes, 2 * wanted + piece_bytes);
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace impl

std::vector<std::byte> read_file(std::filesystem::path const& path) {
  return impl::named("read_file",
                     [&] { return impl::read_all(path, std::numeric_limits<std::size_t>::max()); });
}

void write_file(std::filesystem::path const& path, std::span<std::byte const> bytes,
                Overwrite overwrite) {
  impl::named("write_file", [&] {
    OutputFile file(path, overwrite);
    file.write(bytes);
    file.commit();
  });
}

}  // namespace kompakt
