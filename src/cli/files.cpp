#include "files.hpp"
#include "progress.hpp"
#include "text.hpp"
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <unistd.h>

namespace kompakt::cli {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(fs::path const& path, std::string const& reason) {
  throw Error(Status::io, "cannot write '" + path.string() + "': " + reason);
}

fs::path folder_of(fs::path const& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// One of the library's, such as read_file, ArchiveReader, or decompress, that stands before a colon.
bool names_function(std::string_view word) {
  constexpr std::string_view verbs[] = {"compress", "decompress", "inspect", "metrics", "choose"};
  auto const is_letter = [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  };
  if (word.empty() || !std::ranges::all_of(word, is_letter)) return false;
  return std::isupper(static_cast<unsigned char>(word[0])) != 0 ||
         word.find('_') != std::string_view::npos || std::ranges::count(verbs, word) > 0;
}

std::uint64_t size_or_zero(fs::path const& path) {
  std::error_code error;
  std::uintmax_t const size = fs::file_size(path, error);
  return error ? 0 : size;
}

}  // namespace

void require_writable(fs::path const& output, fs::path const& input, bool force) {
  if (output.empty()) refuse(output, "-o is empty; name a file");
  if (output == "-") {
    if (::isatty(STDOUT_FILENO) == 0) return;
    refuse("standard output", "it is a terminal; name a file or lead it into a pipe");
  }
  std::error_code error;
  fs::file_status const status = fs::status(output, error);
  if (fs::is_directory(status)) refuse(output, "it is a folder; name a file in it");
  if (fs::exists(status) && !fs::is_regular_file(status)) return;  // a device or a pipe
  if (fs::exists(status) && fs::equivalent(output, input == "-" ? "/dev/stdin" : input, error)) {
    refuse(output, "it is the input; choose another name");
  }
  if (fs::exists(fs::symlink_status(output, error)) && !force) {
    refuse(output, "it exists; give --force to replace it or choose another name");
  }
  fs::path const folder = folder_of(output);
  if (!fs::exists(folder, error)) {
    refuse(output,
           "there is no folder '" + folder.string() + "'; create it or choose another place");
  }
  if (!fs::is_directory(folder, error)) {
    refuse(output, "'" + folder.string() + "' is not a folder; choose another place");
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    refuse(output, "no permission to write into '" + folder.string() + "'; choose another place");
  }
}

void require_space(fs::path const& output, std::uint64_t bytes) {
  std::error_code error;
  fs::file_status const status = fs::status(output, error);
  if (output == "-" || (fs::exists(status) && !fs::is_regular_file(status))) return;
  fs::space_info const space = fs::space(folder_of(output), error);
  if (!error && bytes > space.available) {
    refuse(output, "it would take " + std::to_string(bytes) + " bytes, but only " +
                       std::to_string(space.available) +
                       " are free; free some space or choose another place");
  }
}

OutputFile open_output(fs::path const& output, bool force) {
  if (output == "-") return OutputFile::standard_output();
  return OutputFile(output, force ? Overwrite::yes : Overwrite::no);
}

std::vector<std::byte> read_with_progress(fs::path const& path) {
  require_no_folder(path);
  return during("reading", size_or_zero(path), Progress::Shows::read,
                [&] { return read_file(path); });
}

std::vector<std::byte> read_field_with_progress(fs::path const& path, FieldShape const& shape) {
  require_no_folder(path);
  return during("reading", shape.bytes(), Progress::Shows::read,
                [&] { return read_raw_field(path, shape); });
}

std::string message_of(Error const& error) {
  std::string message = error.what();
  for (std::size_t end = message.find(": ");
       end != std::string::npos && names_function(message.substr(0, end));
       end = message.find(": ")) {
    message.erase(0, end + 2);
  }
  return message;
}

void require_no_folder(fs::path const& input) {
  std::error_code error;
  if (!fs::is_directory(input, error)) return;
  throw Error(Status::io,
              "cannot read '" + input.string() + "': it is a folder; name a file in it");
}

char const* advice_for(Status status) {
  switch (status) {
    case Status::bad_magic: return "; name a file that 'kompakt compress' has written";
    case Status::corrupt: return "; copy the file again or compress its field again";
    default: return "";
  }
}

StreamInfo inspect_file(fs::path const& path, std::span<std::byte const> stream) {
  StreamInfo const info = naming(path, [&] { return inspect(stream); });
  if (info.bytes != stream.size()) {
    throw Error(Status::corrupt, "'" + path.string() + "' has " + std::to_string(stream.size()) +
                                     " bytes, but its header speaks of " +
                                     std::to_string(info.bytes) + advice_for(Status::corrupt));
  }
  return info;
}

}  // namespace kompakt::cli
