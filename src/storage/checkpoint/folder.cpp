#include <algorithm>
#include <cerrno>
#include <charconv>
#include <checkpoint/folder.hpp>
#include <checkpoint/manifest.hpp>
#include <checkpoint/values.hpp>
#include <fcntl.h>
#include <io/descriptor.hpp>
#include <io/leftovers.hpp>
#include <kompakt/io.hpp>
#include <unistd.h>

namespace kompakt::impl {

namespace {

constexpr std::string_view step_mark = "-step-", suffix = ".kpk";
constexpr std::size_t number_digits = 6, max_name_bytes = 100;

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take_text(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

bool is_usable(std::string_view name) {
  auto const is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  auto const is_inner = [&](char c) { return is_word(c) || c == '.' || c == '-'; };
  return !name.empty() && name.size() <= max_name_bytes && is_word(name[0]) &&
         std::all_of(name.begin(), name.end(), is_inner);
}

}  // namespace

std::string CheckpointFileName::text(std::string_view name) const {
  std::string digits = std::to_string(number);
  digits.insert(0, number_digits - std::min(number_digits, digits.size()), '0');
  return std::string(name).append("-").append(digits).append(step_mark).append(
             std::to_string(step)) +
         rest;
}

std::optional<CheckpointFileName> CheckpointFileName::of(std::string_view file,
                                                         std::string_view name) {
  std::string_view left = file;
  if (!take_text(left, name) || !take_text(left, "-")) return std::nullopt;
  auto const number = take_number(left);
  if (!number || !take_text(left, step_mark)) return std::nullopt;
  auto const step = take_number(left);
  if (!step || !left.ends_with(suffix)) return std::nullopt;
  CheckpointFileName const parts{*number, *step, std::string(left)};
  if (parts.text(name) != file) return std::nullopt;
  return parts;
}

CheckpointFolder::CheckpointFolder(std::filesystem::path folder, std::string_view name)
    : m_folder(std::move(folder)), m_name(name) {
  if (!is_usable(name)) {
    throw Error(
        Status::bad_argument, checkpoint_function,
        std::string("the name '") + m_name + "' cannot be part of a file name",
        "give 1 to 100 letters, digits, '.', '_' and '-', the first one a letter, digit or '_'");
  }
  std::error_code error;
  if (std::filesystem::is_directory(m_folder, error)) return;
  named(checkpoint_function, [&] {
    throw_io("use", m_folder, error ? error.value() : ENOTDIR,
             "create the folder or choose another place");
  });
}

template <class Use>
void CheckpointFolder::for_each_file(Use const& use) const {
  std::error_code error;
  std::filesystem::directory_iterator files(m_folder, error);
  for (; !error && files != end(files); files.increment(error)) {
    auto const name = CheckpointFileName::of(files->path().filename().string(), m_name);
    if (name) use(files->path(), *name);
  }
}

std::optional<CheckpointFile> CheckpointFolder::missing() const {
  std::error_code error;
  if (!std::filesystem::exists(note_path(), error)) return std::nullopt;
  std::vector<std::byte> bytes;
  try {
    bytes = read_file(note_path());
  } catch (Error const&) {
    return std::nullopt;  // it is a help, not a condition
  }
  std::string text(reinterpret_cast<char const*>(bytes.data()), bytes.size());
  if (text.ends_with('\n')) text.pop_back();
  auto const name = CheckpointFileName::of(text, m_name);
  if (!name || std::filesystem::exists(m_folder / text, error)) return std::nullopt;
  return CheckpointFile{name->number, name->step, m_folder / text};
}

CheckpointFile CheckpointFolder::next(std::uint64_t step) const {
  std::uint64_t newest = 0;
  for_each_file([&](auto const&, auto const& name) { newest = std::max(newest, name.number); });
  if (auto const gone = missing()) newest = std::max(newest, gone->number);
  return file(newest + 1, step);
}

CheckpointFile CheckpointFolder::file(std::uint64_t number, std::uint64_t step) const {
  CheckpointFileName const name{number, step, std::string(suffix)};
  return {number, step, m_folder / name.text(m_name)};
}

std::filesystem::path CheckpointFolder::of_rank(CheckpointFile const& file,
                                                std::uint64_t rank) const {
  std::string const rest = ".rank-" + std::to_string(rank) + std::string(suffix);
  return m_folder / CheckpointFileName{file.number, file.step, rest}.text(m_name);
}

std::uint64_t CheckpointFolder::bytes_of(std::filesystem::path const& file) {
  std::error_code error;
  std::uint64_t const bytes = std::filesystem::file_size(file, error);
  return error ? 0 : bytes;
}

void CheckpointFolder::remove_leftovers() const {
  impl::remove_leftovers(m_folder, [&](std::string_view target) {
    return target == note_path().filename() || CheckpointFileName::of(target, m_name).has_value();
  });
  // What a save that was given up has left is newer than all that are complete.
  std::vector<CheckpointFile> const complete = list();
  std::uint64_t newest = complete.empty() ? 0 : complete.front().number;
  if (auto const gone = missing()) newest = std::max(newest, gone->number);
  for_each_file([&](std::filesystem::path const& path, CheckpointFileName const& name) {
    std::error_code ignored;
    if (name.number > newest) std::filesystem::remove(path, ignored);
  });
}

void CheckpointFolder::sync() const {
  Descriptor const folder(::open(m_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // EINVAL: a file system that has nothing to sync
  bool const synced = folder.is_open() && (::fsync(folder.get()) == 0 || errno == EINVAL);
  if (synced) return;
  named(checkpoint_function, [&] { throw_io("sync", m_folder, errno, "choose another place"); });
}

void CheckpointFolder::note(CheckpointFile const& newest) const {
  std::string const text = newest.path.filename().string() + "\n";
  write_file(note_path(), std::as_bytes(std::span(text)), Overwrite::yes);
  sync();
}

bool CheckpointFolder::looks_sound(std::filesystem::path const& file) const {
  if (m_damaged.contains(file)) return false;
  try {
    manifest_of(ArchiveReader(file).entries());
    return true;
  } catch (Error const&) {
    return false;
  }
}

void CheckpointFolder::remove(CheckpointFile const& file) const {
  std::error_code ignored;
  std::filesystem::remove(file.path, ignored);  // first: without it those of ranks are nothing
  for_each_file([&](std::filesystem::path const& path, CheckpointFileName const& name) {
    if (name.number == file.number) std::filesystem::remove(path, ignored);
  });
}

void CheckpointFolder::remove_old(int keep) const {
  int sound = 0;
  for (CheckpointFile const& file : list()) {
    if (sound == keep) {
      remove(file);
    } else if (looks_sound(file.path)) {
      ++sound;
    }
  }
}

}  // namespace kompakt::impl

namespace kompakt {

std::vector<CheckpointFile> list_checkpoints(std::filesystem::path const& folder,
                                             std::string_view name) {
  std::vector<CheckpointFile> found;
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) return found;
  std::filesystem::directory_iterator files(folder, error);
  for (; !error && files != end(files); files.increment(error)) {
    auto const parts = impl::CheckpointFileName::of(files->path().filename().string(), name);
    if (parts && parts->rest == impl::suffix) {
      found.push_back({parts->number, parts->step, files->path()});
    }
  }
  if (error) {
    impl::named("list_checkpoints", [&] {
      impl::throw_io("read", folder, error.value(), "check the path and its permissions");
    });
  }
  std::sort(found.begin(), found.end(),
            [](auto const& a, auto const& b) { return a.number > b.number; });
  return found;
}

}  // namespace kompakt
