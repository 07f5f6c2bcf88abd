#include <cerrno>
#include <io/access.hpp>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <vector>

namespace kompakt::impl {

namespace {

constexpr char const* access_list = "system.posix_acl_access";
constexpr mode_t rights = 0777, of_owner = 0700, set_ids = S_ISUID | S_ISGID;

// \param is_wanted  whether the new file may get that of the old one
// \returns false if the old one has one, and the new one does not
bool copy_access_list(int file, char const* replaced, bool is_wanted) {
  // The folder may have given the new file one of its own.
  ::fremovexattr(file, access_list);
  ssize_t const bytes = ::getxattr(replaced, access_list, nullptr, 0);
  if (bytes < 0) return errno == ENODATA || errno == ENOTSUP;
  std::vector<char> list(static_cast<std::size_t>(bytes));
  return is_wanted && ::getxattr(replaced, access_list, list.data(), list.size()) == bytes &&
         ::fsetxattr(file, access_list, list.data(), list.size(), 0) == 0;
}

}  // namespace

void keep_access(Descriptor const& file, std::filesystem::path const& replaced) {
  struct stat old {};
  struct stat own {};
  if (::stat(replaced.c_str(), &old) != 0 || ::fstat(file.get(), &own) != 0) return;
  constexpr auto same = static_cast<uid_t>(-1);
  bool const has_owner = own.st_uid == old.st_uid || ::fchown(file.get(), old.st_uid, same) == 0;
  bool const has_group = own.st_gid == old.st_gid || ::fchown(file.get(), same, old.st_gid) == 0;
  mode_t mode = old.st_mode & 07777;
  if (!has_owner || !has_group) mode &= ~set_ids;
  mode_t const owner = mode >> 6 & 07;
  mode_t group = mode >> 3 & 07, others = mode & 07;
  // Members of another group were anybody, and those of the old one are anybody now; so it is with the owner.
  if (!has_group) group = others = group & others;
  if (!has_owner) group &= owner, others &= owner;
  mode = (mode & ~rights) | owner << 6 | group << 3 | others;
  // The list may have kept somebody out, and its mask stands where the group's rights do.
  if (!copy_access_list(file.get(), replaced.c_str(), has_group)) mode &= of_owner;
  static_cast<void>(::fchmod(file.get(), mode));
}

}  // namespace kompakt::impl
