#include "memory_limits.hpp"
#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <unistd.h>
#include <vector>

namespace kompakt::cli {

namespace {

namespace fs = std::filesystem;

/// The number behind a label that begins a line: "MemAvailable: 21842192 kB".
std::optional<std::uint64_t> number_behind(fs::path const& path, std::string const& label) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::uint64_t number = 0;
    if (line.starts_with(label) && std::istringstream(line.substr(label.size())) >> number) {
      return number;
    }
  }
  return std::nullopt;
}

/// The number that is all of a file; none for a word such as "max".
std::optional<std::uint64_t> number_in(fs::path const& path) { return number_behind(path, ""); }

std::uint64_t minus(std::uint64_t a, std::uint64_t b) { return a - std::min(a, b); }

// Address space that threads reserve for stacks and arenas of their own when they start to work; seen: 92 MB.
constexpr std::uint64_t reserved_by_threads = std::uint64_t{128} << 20;

void take_less(MemoryLimit& least, std::uint64_t bytes, std::string const& source) {
  if (bytes < least.bytes) least = {bytes, source};
}

/// What the two versions of control groups call the same things.
struct CgroupVersion {
  char const* file_system;
  char const *limit, *usage;
  char const *inactive_file, *active_file;  ///< lines of memory.stat
};
constexpr CgroupVersion version_1{"cgroup", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                  "total_inactive_file ", "total_active_file "};
constexpr CgroupVersion version_2{"cgroup2", "memory.max", "memory.current", "inactive_file ",
                                  "active_file "};

bool has_word(std::string const& list, std::string const& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

/// Where a file system of control groups is mounted, and which group its topmost folder is.
struct CgroupMount {
  fs::path folder;
  std::string group;
};

// A line of mountinfo: numbers, group, folder, options … - type, source, options.
std::optional<CgroupMount> cgroup_mount(fs::path const& root, CgroupVersion const& version) {
  std::ifstream file(root / "proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    std::string number, parent, device, group, folder, type, source, options;
    std::istringstream(line) >> number >> parent >> device >> group >> folder;
    std::size_t const dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream(line.substr(dash + 3)) >> type >> source >> options;
    bool const memory = &version == &version_2 || has_word(options, "memory");
    if (type == version.file_system && memory) {
      return CgroupMount{root / fs::path(folder).relative_path(), group};
    }
  }
  return std::nullopt;
}

// A line of /proc/self/cgroup: number, controllers, group; the controllers of version 2 are not named.
std::optional<std::string> own_cgroup(fs::path const& root, CgroupVersion const& version) {
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    std::size_t const first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::string const controllers = line.substr(first + 1, second - first - 1);
    bool const mine =
        &version == &version_2 ? line.starts_with("0::") : has_word(controllers, "memory");
    if (mine) return line.substr(second + 1);
  }
  return std::nullopt;
}

void take_less_of_cgroup(MemoryLimit& least, fs::path const& folder, std::string const& group,
                         CgroupVersion const& version) {
  auto const limit = number_in(folder / version.limit);
  if (!limit) return;
  std::uint64_t const cache =
      number_behind(folder / "memory.stat", version.inactive_file).value_or(0) +
      number_behind(folder / "memory.stat", version.active_file).value_or(0);
  std::uint64_t const usage = minus(number_in(folder / version.usage).value_or(0), cache);
  take_less(least, minus(*limit, usage), "cgroup " + group);
}

void take_less_of_cgroups(MemoryLimit& least, fs::path const& root, CgroupVersion const& version) {
  auto const mount = cgroup_mount(root, version);
  auto const own = own_cgroup(root, version);
  if (!mount || !own) return;
  // A container may see the name of its group from outside, but only the group's own folder.
  fs::path below = fs::path(*own).lexically_relative(mount->group);
  if (below.empty() || *below.begin() == "..") below = ".";
  fs::path folder = mount->folder;
  std::string group = mount->group == "/" ? "" : mount->group;
  take_less_of_cgroup(least, folder, group.empty() ? "/" : group, version);
  for (fs::path const& part : below) {
    if (part == ".") continue;
    folder /= part;
    group.append("/").append(part.string());
    take_less_of_cgroup(least, folder, group, version);
  }
}

}  // namespace

MemoryLimit free_host_memory(fs::path const& root) {
  auto const available = number_behind(root / "proc/meminfo", "MemAvailable:");
  MemoryLimit least{available ? *available * 1024
                              : static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                                    static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)),
                    "MemAvailable"};
  take_less_of_cgroups(least, root, version_1);
  take_less_of_cgroups(least, root, version_2);
  if (auto const most = number_behind(root / "proc/self/limits", "Max address space")) {
    std::uint64_t const taken =
        number_behind(root / "proc/self/status", "VmSize:").value_or(0) * 1024;
    take_less(least, minus(*most, taken + reserved_by_threads), "RLIMIT_AS");
  }
  return least;
}

}  // namespace kompakt::cli
