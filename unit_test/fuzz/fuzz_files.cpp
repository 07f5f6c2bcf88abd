#include "target.hpp"

#include <cstring>
#include <files/classic_netcdf.hpp>
#include <files/field_file.hpp>
#include <sys/mman.h>
#include <unistd.h>

// Files that bring their fields along: arrays of NumPy, alone and in zip files, and headers of classic netCDF. The first byte of
// an input says which.

namespace kompakt::fuzz {

namespace {

/// A file without a name.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<std::byte const> bytes) : m_file(memfd_create("fuzz", 0)) {
    require(m_file >= 0 &&
                write(m_file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
            "no file in memory");
  }
  ~MemoryFile() { close(m_file); }
  MemoryFile(MemoryFile const&) = delete;
  MemoryFile& operator=(MemoryFile const&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(m_file); }

 private:
  int m_file;
};

Bytes npy(std::string const& type, bool is_fortran) {
  std::string header = "{'descr': '" + type +
                       "', 'fortran_order': " + (is_fortran ? "True" : "False") +
                       ", 'shape': (3, 4), }";
  header.resize((10 + header.size() + 64) / 64 * 64 - 11, ' ');
  header += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() & 0xff);
  text += static_cast<char>(header.size() >> 8);
  text += header + std::string(12 * static_cast<std::size_t>(type.back() - '0'), 'x');
  auto const letters = std::as_bytes(std::span(text.data(), text.size()));
  return {letters.begin(), letters.end()};
}

/// A zip file with one member that is stored as it is. Its checksum is not right, which is told when the member has been read.
Bytes npz(Bytes const& member) {
  Bytes bytes;
  auto const number = [&](std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(value >> 8 * i));
  };
  std::string const name = "x.npy";
  auto const common = [&] {
    for (int i = 0; i < 5; ++i) number(i == 0 ? 20 : 0, 2);
    number(0, 4);
    number(member.size(), 4);
    number(member.size(), 4);
    number(name.size(), 2);
    number(0, 2);
  };
  auto const text = [&] {
    for (char const letter : name) bytes.push_back(static_cast<std::byte>(letter));
  };
  number(0x04034b50, 4);
  common();
  text();
  bytes.insert(bytes.end(), member.begin(), member.end());
  std::size_t const directory = bytes.size();
  number(0x02014b50, 4);
  number(20, 2);
  common();
  for (int const count : {2, 2, 2, 4, 4}) number(0, count);
  text();
  std::size_t const end = bytes.size();
  number(0x06054b50, 4);
  number(0, 4);
  number(1, 2);
  number(1, 2);
  number(end - directory, 4);
  number(directory, 4);
  number(0, 2);
  return bytes;
}

/// A file of CDF-1, CDF-2 or CDF-5 with two records of a variable and a variable without records.
Bytes classic(int version) {
  Bytes bytes;
  auto const number = [&](std::uint64_t value, int count) {
    for (int i = count; i-- > 0;) bytes.push_back(static_cast<std::byte>(value >> 8 * i));
  };
  auto const count = [&](std::uint64_t value) { number(value, version == 5 ? 8 : 4); };
  auto const name = [&](char letter) {
    count(1);
    number(static_cast<std::uint64_t>(letter) << 24, 4);
  };
  auto const list = [&](std::uint64_t tag, std::uint64_t elements) {
    number(tag, 4);
    count(elements);
  };
  number(0x43444600u | static_cast<unsigned>(version), 4);
  count(2);
  list(10, 2);
  name('t');
  count(0);
  name('x');
  count(3);
  list(12, 1);
  name('a');
  list(2, 2);
  number(0x41420000, 4);
  list(11, 2);
  std::vector<std::size_t> begins;
  for (std::uint64_t const dimension : {0, 1}) {
    name(dimension == 0 ? 'r' : 'v');
    count(1);
    count(dimension);
    list(0, 0);
    number(dimension == 0 ? 5 : 6, 4);
    count(dimension == 0 ? 4 : 24);
    begins.push_back(bytes.size());
    number(0, version == 1 ? 4 : 8);
  }
  std::size_t const end = bytes.size();
  for (std::size_t i = 0; i < 2; ++i) {
    std::size_t const last = begins[i] + (version == 1 ? 4 : 8) - 1;
    bytes[last - 1] = static_cast<std::byte>((end + (i == 0 ? 24 : 0)) >> 8);
    bytes[last] = static_cast<std::byte>(end + (i == 0 ? 24 : 0));
  }
  bytes.resize(end + 24 + 8);
  return bytes;
}

void take_classic(std::span<std::byte const> bytes) {
  succeeds([&] {
    InputFile file = InputFile::of_memory(bytes);
    auto const places = files::places_in_classic(file, "memory");
    if (!places) return;
    for (files::ClassicPlace const& place : *places) {
      // There may be no record, and a file that does not say how many there are is measured when it is read.
      bool const is_measured = bytes[4] != std::byte{0xff};
      if (!is_measured || place.record_bytes > 0 || place.piece_bytes == 0) continue;
      require(place.begin <= bytes.size() && place.piece_bytes <= bytes.size() - place.begin,
              "a variable lies outside of its file");
    }
  });
}

}  // namespace

void take(std::span<std::byte const> bytes) {
  if (bytes.empty()) return;
  int const kind = std::to_integer<int>(bytes[0]) % 3;
  if (kind == 2) return take_classic(bytes.subspan(1));
  auto const format = kind == 0 ? files::Format::npy : files::Format::npz;
  MemoryFile const file(bytes.subspan(1));
  succeeds([&] {
    auto const fields = files::open_field_file({file.path(), "", format});
    for (files::Variable const& variable : fields->variables()) {
      succeeds([&] {
        if (variable.shape.size() > max_values) return;
        Bytes values(variable.shape.bytes());
        fields->read(variable)->read(values);
      });
    }
  });
}

std::vector<Bytes> seeds() {
  std::vector<Bytes> result;
  for (char const* type : {"<f4", ">f8", "<i2", "|u1", "<f2", "<c8"}) {
    for (bool const is_fortran : {false, true}) {
      Bytes const array = npy(type, is_fortran), zip = npz(array);
      result.push_back(array);
      result.back().insert(result.back().begin(), std::byte{0});
      result.push_back(zip);
      result.back().insert(result.back().begin(), std::byte{1});
    }
  }
  for (int const version : {1, 2, 5}) {
    for (int copies = 0; copies < 2; ++copies) {
      result.push_back(classic(version));
      result.back().insert(result.back().begin(), std::byte{2});
    }
  }
  return result;
}

void repair(Bytes&) {}

}  // namespace kompakt::fuzz
