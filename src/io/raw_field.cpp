#include <io/read_all.hpp>
#include <kompakt/io.hpp>
#include <string>

namespace kompakt {

namespace {

constexpr std::size_t max_values = std::size_t{1} << 60;  // as compress() accepts

std::string text_of(FieldShape const& shape) {
  std::string text;
  for (int i = 0; i < shape.rank; ++i) {
    text += (i > 0 ? " x " : "") + std::to_string(shape.extents[i]);
  }
  return text;
}

void require_shape(FieldShape const& shape) {
  if (shape.rank < 1 || shape.rank > max_rank) {
    throw Error(Status::bad_argument, "read_raw_field: rank " + std::to_string(shape.rank) +
                                          "; give 1 to " + std::to_string(max_rank) + " extents");
  }
  std::size_t values = 1;
  for (int i = 0; i < shape.rank; ++i) {
    std::size_t const extent = shape.extents[i];
    if (extent > 0 && values > max_values / extent) {
      throw Error(Status::bad_argument, "read_raw_field: " + text_of(shape) +
                                            " are more values than 2^60; check the extents");
    }
    values *= extent;
  }
}

}  // namespace

void impl::throw_wrong_size(std::filesystem::path const& path, FieldShape const& shape,
                            std::string const& found) {
  throw Error(Status::bad_argument,
              "read_raw_field: '" + path.string() + "' has " + found + " bytes, but " +
                  text_of(shape) + " values of " + to_string(shape.dtype) + " make " +
                  std::to_string(shape.bytes()) + "; check -l / --shape and -t");
}

std::vector<std::byte> read_raw_field(std::filesystem::path const& path, FieldShape const& shape) {
  require_shape(shape);
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) {
    // Before reading: a wrong extent must not cost minutes or all of the memory.
    std::uintmax_t const found = std::filesystem::file_size(path, error);
    if (!error && found != shape.bytes())
      impl::throw_wrong_size(path, shape, std::to_string(found));
  }
  // One byte more than wanted tells a longer pipe, or a file that grew meanwhile.
  std::vector<std::byte> bytes = impl::read_all("read_raw_field", path, shape.bytes() + 1);
  if (bytes.size() > shape.bytes()) {
    impl::throw_wrong_size(path, shape, "more than " + std::to_string(shape.bytes()));
  }
  if (bytes.size() < shape.bytes())
    impl::throw_wrong_size(path, shape, std::to_string(bytes.size()));
  return bytes;
}

}  // namespace kompakt
