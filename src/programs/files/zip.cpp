#include "zip.hpp"
#include <algorithm>
#include <kompakt/error.hpp>
#include <span>

namespace kompakt::files {

namespace {

constexpr std::uint32_t end_mark = 0x06054b50, end64_mark = 0x06064b50, locator_mark = 0x07064b50,
                        entry_mark = 0x02014b50, member_mark = 0x04034b50;
constexpr std::size_t end_bytes = 22, end64_bytes = 56, locator_bytes = 20, entry_bytes = 46,
                      member_bytes = 30, max_comment_bytes = 65535;
constexpr std::uint64_t max_directory_bytes = std::uint64_t{1} << 26;
constexpr std::uint32_t in_extra = 0xffffffff;  // the number is in a field of zip64

[[noreturn]] void damaged(std::string const& path, std::string const& what) {
  throw Error(Status::corrupt, "'" + path + "' is a damaged zip file: " + what,
              "copy or write it again");
}

/// Little-endian numbers of bytes, none of which may be beyond the end.
class Numbers {
 public:
  Numbers(std::span<std::byte const> bytes, std::string const& path)
      : m_bytes(bytes), m_path(path) {}

  std::uint64_t at(std::size_t offset, std::size_t count) const {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < count; ++i) {
      number |= std::to_integer<std::uint64_t>(part(offset, count)[i]) << (8 * i);
    }
    return number;
  }
  std::uint32_t u16(std::size_t offset) const { return static_cast<std::uint32_t>(at(offset, 2)); }
  std::uint32_t u32(std::size_t offset) const { return static_cast<std::uint32_t>(at(offset, 4)); }
  std::uint64_t u64(std::size_t offset) const { return at(offset, 8); }

  std::span<std::byte const> part(std::size_t offset, std::size_t count) const {
    if (offset > m_bytes.size() || count > m_bytes.size() - offset) {
      damaged(m_path, "a record ends too early");
    }
    return m_bytes.subspan(offset, count);
  }

 private:
  std::span<std::byte const> m_bytes;
  std::string const& m_path;
};

/// Where the directory is.
struct Directory {
  std::uint64_t offset = 0, bytes = 0;
};

std::vector<std::byte> read_part(InputFile& file, std::string const& path, std::uint64_t offset,
                                 std::uint64_t bytes) {
  std::uint64_t const all = file.known_bytes();
  if (offset > all || bytes > all - offset) damaged(path, "a record lies beyond its end");
  std::vector<std::byte> part(bytes);
  file.read_at(offset, part);
  return part;
}

Directory find_directory(InputFile& file, std::string const& path) {
  std::uint64_t const all = file.known_bytes();
  std::uint64_t const tail_bytes =
      std::min<std::uint64_t>(all, end_bytes + max_comment_bytes + locator_bytes);
  std::vector<std::byte> const tail = read_part(file, path, all - tail_bytes, tail_bytes);
  Numbers const numbers(tail, path);
  for (std::size_t at = tail.size() < end_bytes ? 0 : tail.size() - end_bytes + 1; at-- > 0;) {
    if (numbers.u32(at) != end_mark) continue;
    bool const has_more = at >= locator_bytes && numbers.u32(at - locator_bytes) == locator_mark;
    if (!has_more) return {numbers.u32(at + 16), numbers.u32(at + 12)};
    auto const end = read_part(file, path, numbers.u64(at - locator_bytes + 8), end64_bytes);
    Numbers const end64(end, path);
    if (end64.u32(0) != end64_mark) damaged(path, "its zip64 directory is not where it must be");
    return {end64.u64(48), end64.u64(40)};
  }
  damaged(path, "it has no directory at its end");
}

/// Numbers of zip64, in the order in which the entry has no room for them.
void take_extra(ZipMember& member, Numbers const& extra, std::size_t bytes) {
  for (std::size_t at = 0; at + 4 <= bytes; at += 4 + extra.u16(at + 2)) {
    if (extra.u16(at) != 1) continue;
    std::size_t next = at + 4;
    for (std::uint64_t* const number :
         {&member.bytes, &member.stored_bytes, &member.header_offset}) {
      if (*number != in_extra) continue;
      *number = extra.u64(next);
      next += 8;
    }
    return;
  }
}

}  // namespace

std::vector<ZipMember> zip_members(InputFile const& of_file) {
  InputFile file = of_file.again();
  std::string const path = file.path().string();
  Directory const directory = find_directory(file, path);
  if (directory.bytes > max_directory_bytes) damaged(path, "its directory is far too large");
  std::vector<std::byte> const bytes = read_part(file, path, directory.offset, directory.bytes);
  Numbers const numbers(bytes, path);
  std::vector<ZipMember> members;
  for (std::size_t at = 0; at < bytes.size();) {
    if (numbers.u32(at) != entry_mark) damaged(path, "its directory has a damaged entry");
    ZipMember member;
    member.is_encrypted = (numbers.u16(at + 8) & 1) != 0;
    member.method = numbers.u16(at + 10);
    member.crc = numbers.u32(at + 16);
    member.stored_bytes = numbers.u32(at + 20);
    member.bytes = numbers.u32(at + 24);
    member.header_offset = numbers.u32(at + 42);
    std::size_t const name_bytes = numbers.u16(at + 28), extra_bytes = numbers.u16(at + 30);
    auto const name = numbers.part(at + entry_bytes, name_bytes);
    member.name.assign(reinterpret_cast<char const*>(name.data()), name.size());
    auto const extra = numbers.part(at + entry_bytes + name_bytes, extra_bytes);
    take_extra(member, Numbers(extra, path), extra_bytes);
    members.push_back(std::move(member));
    at += entry_bytes + name_bytes + extra_bytes + numbers.u16(at + 32);
  }
  return members;
}

std::string why_unreadable(ZipMember const& member) {
  if (member.is_encrypted) return "it is encrypted; write the file without a password";
  if (member.method == 8 && !has_inflate()) {
    return "it is deflated, and this program was built without zlib; write it with numpy.savez, or "
           "install zlib1g-dev and build the program again";
  }
  if (member.method == 0 || member.method == 8) return "";
  return "it is compressed by the method " + std::to_string(member.method) +
         " of zip; write it with numpy.savez or numpy.savez_compressed";
}

std::unique_ptr<ByteSource> read_member(InputFile const& of_file, ZipMember const& member) {
  InputFile file = of_file.again();
  std::string const path = file.path().string();
  auto const header = read_part(file, path, member.header_offset, member_bytes);
  Numbers const numbers(header, path);
  if (numbers.u32(0) != member_mark) damaged(path, "'" + member.name + "' is not where it must be");
  std::uint64_t const begin =
      member.header_offset + member_bytes + numbers.u16(26) + numbers.u16(28);
  std::uint64_t const all = file.known_bytes();
  if (begin > all || member.stored_bytes > all - begin) {
    damaged(path, "'" + member.name + "' ends behind it");
  }
  file.narrow(begin, member.stored_bytes);
  std::string const label = path + ":" + member.name;
  auto source =
      member.method == 0 ? read_bytes(std::move(file)) : read_inflated(std::move(file), label);
  return checked(std::move(source), member.bytes, member.crc, label);
}

}  // namespace kompakt::files
