#include "files.hpp"
#include "progress.hpp"
#include "text.hpp"
#include <algorithm>
#include <string>
#include <string_view>

namespace kompakt::cli {

namespace fs = std::filesystem;

namespace {

std::uint64_t size_or_zero(fs::path const& path) {
  std::error_code error;
  std::uintmax_t const size = fs::file_size(path, error);
  return error ? 0 : size;
}

}  // namespace

std::vector<std::byte> read_with_progress(fs::path const& path) {
  require_no_folder(path);
  return during("reading", size_or_zero(path), Progress::Shows::read,
                [&] { return read_file(path); });
}

Error with_advice(Error const& error, std::string_view more) {
  std::string advice(error.advice());
  if (!advice.empty() && !more.empty()) advice += "; ";
  return {error.status(), error.problem(), advice.append(more)};
}

void require_no_folder(fs::path const& input) {
  std::error_code error;
  if (!fs::is_directory(input, error)) return;
  throw Error(Status::io, "cannot read '" + input.string() + "': it is a folder",
              "name a file in it");
}

bool is_larger(std::uint64_t bytes, std::uint64_t input_bytes) {
  constexpr std::uint64_t always_needed = 4096;
  return bytes > input_bytes + std::max(always_needed, input_bytes / 100);
}

char const* advice_for(Status status) {
  switch (status) {
    case Status::bad_magic: return "name a file that 'kompakt compress' has written";
    case Status::corrupt: return "copy the file again or compress its field again";
    default: return "";
  }
}

StreamInfo inspect_file(fs::path const& path, std::span<std::byte const> stream) {
  StreamInfo const info = naming(path, [&] { return inspect(stream); });
  if (info.bytes != stream.size()) {
    throw Error(Status::corrupt,
                "'" + path.string() + "' has " + std::to_string(stream.size()) +
                    " bytes, but its header says " + std::to_string(info.bytes),
                advice_for(Status::corrupt));
  }
  return info;
}

}  // namespace kompakt::cli
