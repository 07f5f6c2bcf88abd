#include <array>
#include <io/read_all.hpp>
#include <kompakt/files.hpp>
#include <string>
#include <utility>

namespace kompakt {

namespace {

// As programs with -l take them.
std::string text_fastest_first(FieldShape const& shape) {
  std::string text;
  for (int i = 0; i < shape.rank; ++i) {
    int const axis = shape.order == Order::first_fastest ? i : shape.rank - 1 - i;
    text += (text.empty() ? "-l " : "x") + std::to_string(shape.extents[axis]);
  }
  return text;
}

std::string text_of(FieldShape const& shape) {
  std::string text;
  for (int i = 0; i < shape.rank; ++i) {
    text += (i > 0 ? " x " : "") + std::to_string(shape.extents[i]);
  }
  return text;
}

void require_shape(FieldShape const& shape) {
  if (shape.rank < 1 || shape.rank > max_rank) {
    throw Error(Status::bad_argument, "read_raw_field",
                "rank " + std::to_string(shape.rank) + " is not supported",
                "give 1 to " + std::to_string(max_rank) + " extents");
  }
  if (!is_countable(shape)) {
    throw Error(Status::bad_argument, "read_raw_field",
                text_of(shape) + " make more values than 2^60", "check the extents");
  }
}

[[noreturn]] void throw_wrong_size(std::filesystem::path const& path, FieldShape const& shape,
                                   std::string const& found) {
  throw Error(Status::bad_argument, "read_raw_field",
              "'" + path.string() + "' has " + found + " bytes, but " + text_of(shape) +
                  " values (" + text_fastest_first(shape) + ") of " + to_string(shape.dtype) +
                  " make " + std::to_string(shape.bytes()),
              "check -l / --shape and -t");
}

std::string more_than(FieldShape const& shape) {
  return "more than " + std::to_string(shape.bytes());
}

}  // namespace

std::vector<std::byte> read_raw_field(std::filesystem::path const& path, FieldShape const& shape) {
  require_shape(shape);
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) {
    // Before reading: a wrong extent must not cost minutes or all of the memory.
    std::uintmax_t const found = std::filesystem::file_size(path, error);
    if (!error && found != shape.bytes()) throw_wrong_size(path, shape, std::to_string(found));
  }
  // One byte more than wanted tells a longer pipe, or a file that grew meanwhile.
  std::vector<std::byte> bytes =
      impl::named("read_raw_field", [&] { return impl::read_all(path, shape.bytes() + 1); });
  if (bytes.size() > shape.bytes()) throw_wrong_size(path, shape, more_than(shape));
  if (bytes.size() < shape.bytes()) throw_wrong_size(path, shape, std::to_string(bytes.size()));
  return bytes;
}

RawFieldReader::RawFieldReader(InputFile file, FieldShape const& shape)
    : m_shape(shape), m_file(std::move(file)) {
  require_shape(shape);
  std::optional<std::uint64_t> const found = m_file.bytes();
  if (found && *found != shape.bytes()) {
    throw_wrong_size(m_file.path(), shape, std::to_string(*found));
  }
}

void RawFieldReader::rewind() {
  m_file.seek(0);
  m_position = 0;
}

void RawFieldReader::read(std::span<std::byte> values) {
  std::size_t const found = m_file.read(values);
  m_position += found;
  if (found < values.size()) {
    throw_wrong_size(m_file.path(), m_shape, std::to_string(m_position));
  }
}

void RawFieldReader::require_end() {
  std::array<std::byte, 1> more{};
  if (m_file.read(more) > 0) throw_wrong_size(m_file.path(), m_shape, more_than(m_shape));
}

}  // namespace kompakt
