#include "classic_netcdf.hpp"
#include <algorithm>
#include <array>
#include <kompakt/byte_order.hpp>
#include <kompakt/error.hpp>
#include <optional>
#include <span>
#include <vector>

namespace kompakt::files {

namespace {

// As "The NetCDF Classic Format Specification" of Unidata has it.
constexpr std::uint64_t dimension_tag = 10, variable_tag = 11, attribute_tag = 12;
constexpr std::uint64_t type_bytes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};  // by its number

[[noreturn]] void cut_off(std::string const& path, std::string const& what) {
  throw Error(Status::corrupt, "'" + path + "' is cut off or damaged: " + what,
              "copy the file again");
}

std::uint64_t padded(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }

/// Values of a variable; of one with records those of one record.
struct Extent {
  std::uint64_t begin = 0, bytes = 0;
  bool has_records = false;
};

class ClassicHeader {
 public:
  ClassicHeader(InputFile& file, std::string const& path)
      : m_file(file), m_path(path), m_file_bytes(file.known_bytes()) {}

  /// Where the variables lie, once all of them are known to be there.
  std::vector<ClassicPlace> places() {
    m_version = number(4) & 0xff;
    std::uint64_t const records = count();
    std::uint64_t const streaming = m_version == 5 ? ~std::uint64_t{0} : 0xffffffff;
    read_dimensions();
    skip_attributes();
    read_variables();
    if (records != streaming) require_end_of(records);
    std::vector<ClassicPlace> places;
    for (Extent const& extent : m_extents) {
      places.push_back({extent.begin, extent.bytes, extent.has_records ? record_bytes() : 0});
    }
    return places;
  }

 private:
  [[noreturn]] void damaged() const { cut_off(m_path, "its header cannot be read"); }

  std::uint64_t number(std::size_t bytes) {
    std::array<std::byte, 8> digits{};
    std::span<std::byte> const here = std::span(digits).first(bytes);
    if (m_at > m_file_bytes || m_file_bytes - m_at < bytes) damaged();
    m_file.read_at(m_at, here);
    m_at += bytes;
    std::uint64_t value = 0;
    for (std::byte const digit : here) value = value << 8 | std::to_integer<std::uint64_t>(digit);
    return value;
  }
  std::uint64_t count() { return number(m_version == 5 ? 8 : 4); }
  void skip(std::uint64_t bytes) {
    if (bytes > m_file_bytes) damaged();
    m_at += padded(bytes);
  }
  /// How many elements the list has that begins here.
  std::uint64_t begin_list(std::uint64_t tag) {
    std::uint64_t const found = number(4), elements = count();
    if (found != tag && (found != 0 || elements != 0)) damaged();
    return elements;
  }
  std::uint64_t bytes_of_type() {
    std::uint64_t const type = number(4);
    if (type == 0 || type >= std::size(type_bytes)) damaged();
    return type_bytes[type];
  }

  void read_dimensions() {
    for (std::uint64_t left = begin_list(dimension_tag); left > 0; --left) {
      skip(count());
      m_dimensions.push_back(count());
    }
  }
  void skip_attributes() {
    for (std::uint64_t left = begin_list(attribute_tag); left > 0; --left) {
      skip(count());
      std::uint64_t const bytes = bytes_of_type(), elements = count();
      if (elements > m_file_bytes) damaged();
      skip(bytes * elements);
    }
  }
  void read_variables() {
    for (std::uint64_t left = begin_list(variable_tag); left > 0; --left) {
      skip(count());
      Extent extent{0, 1};
      for (std::uint64_t axis = 0, rank = count(); axis < rank; ++axis) {
        std::uint64_t const dimension = count();
        if (dimension >= m_dimensions.size()) damaged();
        std::uint64_t const length = m_dimensions[dimension];
        bool const is_record = axis == 0 && length == 0;
        extent.has_records |= is_record;
        if (is_record) continue;
        multiply(extent.bytes, length);
      }
      skip_attributes();
      multiply(extent.bytes, bytes_of_type());
      count();  // the size in bytes once more, which of large variables is no number
      extent.begin = number(m_version == 1 ? 4 : 8);
      m_extents.push_back(extent);
    }
  }

  // Whatever is more than the file has is as good as the number itself.
  void multiply(std::uint64_t& bytes, std::uint64_t factor) const {
    std::uint64_t const most = m_file_bytes + 1;
    bytes = factor > 0 && bytes > most / factor ? most : bytes * factor;
  }

  std::uint64_t record_bytes() const {
    auto const with_records = std::ranges::count_if(m_extents, &Extent::has_records);
    std::uint64_t bytes = 0;
    for (Extent const& extent : m_extents) {
      if (extent.has_records) bytes += with_records > 1 ? padded(extent.bytes) : extent.bytes;
    }
    return bytes;
  }

  void require_end_of(std::uint64_t records) const {
    std::uint64_t const of_record = record_bytes();
    for (Extent const& extent : m_extents) {
      if (extent.has_records && records == 0) continue;
      std::uint64_t bytes = of_record;
      multiply(bytes, extent.has_records ? records - 1 : 0);
      bytes += extent.bytes;
      if (extent.begin > m_file_bytes || bytes > m_file_bytes - extent.begin) {
        cut_off(m_path,
                "it has " + std::to_string(m_file_bytes) + " bytes, less than its header says");
      }
    }
  }

  InputFile& m_file;
  std::string const& m_path;
  std::uint64_t m_file_bytes, m_at = 0, m_version = 0;
  std::vector<std::uint64_t> m_dimensions;
  std::vector<Extent> m_extents;
};

/// The values of a variable, without libnetcdf.
class ClassicReader final : public FieldReader {
 public:
  /// \param opened  of the file when its header was read
  ClassicReader(InputFile file, std::optional<FileIdentity> opened, ClassicPlace const& place,
                Dtype dtype)
      : m_file(std::move(file)), m_opened(opened), m_place(place), m_dtype(dtype) {}

  void rewind() override { m_next = 0; }
  void read(std::span<std::byte> values) override {
    for (auto left = values; !left.empty();) {
      std::uint64_t const record = m_next / m_place.piece_bytes, at = m_next % m_place.piece_bytes;
      auto const run = left.first(std::min<std::uint64_t>(left.size(), m_place.piece_bytes - at));
      m_file.read_at(m_place.begin + record * m_place.record_bytes + at, run);
      m_next += run.size();
      left = left.subspan(run.size());
    }
    m_file.require_same(m_opened);
    swap_bytes(values, m_dtype);
  }

 private:
  InputFile m_file;
  std::optional<FileIdentity> m_opened;
  ClassicPlace m_place;
  Dtype m_dtype;
  std::uint64_t m_next = 0;  // byte of the variable
};

class ClassicFile final : public FieldFile {
 public:
  ClassicFile(std::unique_ptr<FieldFile> described, std::vector<ClassicPlace> places)
      : m_described(std::move(described)),
        m_places(std::move(places)),
        m_opened(m_described->file().identity()) {}

  InputFile const& file() const override { return m_described->file(); }
  std::vector<Variable> const& variables() const override { return m_described->variables(); }
  std::vector<Group> const& groups() const override { return m_described->groups(); }
  RestOfFile rest() const override { return m_described->rest(); }
  std::unique_ptr<FieldReader> read(Variable const& variable) const override {
    auto const found = std::ranges::find(variables(), variable.name, &Variable::name);
    auto const number = static_cast<std::size_t>(found - variables().begin());
    return std::make_unique<ClassicReader>(file().again(), m_opened, m_places.at(number),
                                           variable.shape.dtype);
  }

 private:
  std::unique_ptr<FieldFile> m_described;
  std::vector<ClassicPlace> m_places;
  std::optional<FileIdentity> m_opened;  // places are those of this header
};

}  // namespace

std::optional<std::vector<ClassicPlace>> places_in_classic(InputFile& file,
                                                           std::string const& path) {
  std::array<std::byte, 3> front{};
  if (file.known_bytes() < front.size()) return std::nullopt;
  file.read_at(0, front);
  constexpr std::array magic = {std::byte{'C'}, std::byte{'D'}, std::byte{'F'}};
  if (front != magic) return std::nullopt;
  return ClassicHeader(file, path).places();
}

std::unique_ptr<FieldFile> read_classic(std::unique_ptr<FieldFile> described,
                                        std::vector<ClassicPlace> places) {
  return std::make_unique<ClassicFile>(std::move(described), std::move(places));
}

}  // namespace kompakt::files
