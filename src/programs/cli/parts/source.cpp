#include "source.hpp"
#include "files.hpp"
#include "progress.hpp"
#include <CLI/CLI.hpp>

namespace kompakt::cli {

std::string StreamSource::label() const {
  if (path == "-") return "standard input";
  return field ? path + ":" + field->name : path;
}

InputFile StreamSource::open() const {
  if (archive) return archive->open(field->name);
  return file ? file->again() : open_input(path);
}

std::vector<std::byte> StreamSource::read() const {
  if (!field && !file) return read_with_progress(path);
  InputFile input = open();
  std::vector<std::byte> bytes(input.known_bytes());
  during("reading", bytes.size(), Progress::Shows::read, [&] { input.read_at(0, bytes); });
  return bytes;
}

std::vector<std::byte> StreamSource::read_region(std::uint64_t position, std::uint64_t bytes,
                                                 Box const& region) const {
  InputFile input = open();
  return kompakt::read_region(input, position, bytes, region);
}

InputFile open_input(std::string const& path) {
  if (path == "-") return InputFile::standard_input();
  require_no_folder(path);
  return InputFile(path);
}

void SourceArguments::add_to(CLI::App& verb) {
  verb.add_option("--name", name, "field of an archive")->type_name("NAME");
}

namespace {

// Nothing for a pipe, which its first reader opens.
std::shared_ptr<InputFile const> file_of(std::string const& path) {
  std::error_code error;
  if (path != "-" && !std::filesystem::is_regular_file(path, error)) return nullptr;
  auto file = std::make_shared<InputFile>(open_input(path));
  return file->bytes() ? file : nullptr;
}

}  // namespace

StreamSource SourceArguments::find(std::string const& path) const {
  StreamSource const source{path, nullptr, std::nullopt, file_of(path)};
  bool const is_archived = path != "-" && source.file && is_archive(*source.file);
  if (!name && !is_archived) return source;
  if (path == "-") {
    throw Error(Status::bad_argument, "--name: standard input cannot be an archive",
                "name its file, or leave out --name");
  }
  auto const archive = source.file ? std::make_shared<ArchiveReader>(source.file->again())
                                   : std::make_shared<ArchiveReader>(path);
  auto const& entries = archive->entries();
  if (name) return {path, archive, archive->entry(*name)};
  if (entries.size() == 1) return {path, archive, entries.front()};
  throw Error(Status::bad_argument,
              "'" + path + "' is an archive of " + std::to_string(entries.size()) + " fields",
              "say which with --name; " + text_of_names(entries));
}

bool names_archive(std::string const& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && is_archive(path);
}

}  // namespace kompakt::cli
