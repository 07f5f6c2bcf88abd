#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <exception>
#include <io/leftovers.hpp>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace kompakt::impl {

namespace {

constexpr std::time_t day_s = 24 * 60 * 60;

/// Takes a number off the front, as std::to_string() writes it; -1 if there is none.
int take_number(std::string_view& text) {
  int number = -1;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  auto const length = static_cast<std::size_t>(end - text.data());
  bool const plain = error == std::errc() && text.substr(0, length) == std::to_string(number);
  text.remove_prefix(length);
  return plain ? number : -1;
}

/// Takes this off the front, if it is there.
bool take(std::string_view& text, std::string_view part) {
  bool const is_there = text.starts_with(part);
  if (is_there) text.remove_prefix(part.size());
  return is_there;
}

/// The process of a partial file's name behind the prefix, "1234-0", or of the name with ".locktest.0" behind it: Open MPI tries
/// locks on such a file while it opens one, and a process that is killed then leaves it too. -1 for any other.
int process_of(std::string_view numbers) {
  int const process = take_number(numbers);
  if (process <= 0 || !take(numbers, "-") || take_number(numbers) < 0) return -1;
  bool const sound = !take(numbers, ".locktest.") || take_number(numbers) >= 0;
  return sound && numbers.empty() ? process : -1;
}

bool is_gone(int process) { return ::kill(process, 0) != 0 && errno == ESRCH; }

/// \param least_age_s  0: of any age. Times of files may be ahead of time(), which counts in ticks
bool is_leftover(std::filesystem::path const& path, std::time_t least_age_s) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1 &&
         status.st_uid == ::geteuid() &&
         (least_age_s == 0 || std::time(nullptr) - status.st_mtime >= least_age_s);
}

constexpr std::string_view partial_mark = ".partial-";

// Calls use(name) for the name of each file of a folder.
template <class Use>
void for_each_name(std::filesystem::path const& folder, Use const& use) {
  std::error_code error;
  std::filesystem::directory_iterator files(folder, error);
  for (; !error && files != end(files); files.increment(error)) {
    use(files->path().filename().string());
  }
}

void remove_if_left(std::filesystem::path const& path, std::string_view numbers,
                    std::time_t least_age_s) {
  int const process = process_of(numbers);
  if (process > 0 && is_gone(process) && is_leftover(path, least_age_s)) ::unlink(path.c_str());
}

}  // namespace

std::string partial_prefix(std::filesystem::path const& target) {
  // File systems accept 255 bytes for a name; a long one is cut, the numbers keep it unique.
  return std::string(".").append(target.filename().string(), 0, 200).append(partial_mark);
}

void remove_leftovers(std::filesystem::path const& target) noexcept try {
  std::string const prefix = partial_prefix(target);
  std::filesystem::path const folder = target.has_parent_path() ? target.parent_path() : ".";
  for_each_name(folder, [&](std::string const& name) {
    if (!name.starts_with(prefix)) return;
    remove_if_left(folder / name, std::string_view(name).substr(prefix.size()), day_s + 1);
  });
} catch (std::exception const&) {
  // No memory for the names: they stay for the next time.
}

void remove_leftovers(std::filesystem::path const& folder,
                      std::function<bool(std::string_view)> const& is_own) noexcept try {
  for_each_name(folder, [&](std::string_view name) {
    std::size_t const mark = name.rfind(partial_mark);
    if (!name.starts_with('.') || mark == std::string_view::npos) return;
    if (!is_own(name.substr(1, mark - 1))) return;
    remove_if_left(folder / name, name.substr(mark + partial_mark.size()), 0);
  });
} catch (std::exception const&) {
  // As above.
}

}  // namespace kompakt::impl
