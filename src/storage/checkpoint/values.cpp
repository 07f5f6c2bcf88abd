#include <algorithm>
#include <archive/names.hpp>
#include <checkpoint/manifest.hpp>
#include <checkpoint/values.hpp>
#include <kompakt/compress.hpp>

namespace kompakt::impl {

namespace {

void require_coding(FieldShape const& shape, Options const& options) {
  static_cast<void>(max_compressed_bytes(shape, options));
  if (!is_integer(shape.dtype) || options.bound.mode == ErrorBound::Mode::lossless) return;
  throw Error(Status::bad_argument,
              std::string("its type is ") + to_string(shape.dtype) + " and its bound '" +
                  to_string(options.bound.mode) + "', but integers are lossless",
              "use add_lossless()");
}

}  // namespace

FieldShape CheckpointValue::whole() const {
  FieldShape shape = field.shape;
  shape.extents = place.total;
  return shape;
}

void CheckpointValues::add(CheckpointValue value) {
  named(checkpoint_function, [&] { require_usable(value.name, {}); });
  bool const is_taken = std::any_of(
      begin(), end(), [&](CheckpointValue const& other) { return other.name == value.name; });
  if (is_taken || value.name == manifest_name) {
    throw Error(Status::bad_argument, checkpoint_function, "the name '" + value.name + "' is taken",
                "choose another name");
  }
  naming_value(value.name, [&] {
    value.options = valid_options_for_type(value.field.shape.dtype, value.options);
    require_coding(value.field.shape, value.options);
  });
  m_values.push_back(std::move(value));
}

CheckpointValue& CheckpointValues::at(std::string_view name) {
  std::string names;
  for (CheckpointValue& value : m_values) {
    if (value.name == name) return value;
    names += (names.empty() ? "'" : ", '") + value.name + "'";
  }
  throw Error(Status::bad_argument, checkpoint_function,
              "no value '" + std::string(name) + "' is registered; " +
                  (names.empty() ? "there is none" : "there are " + names),
              "");
}

void CheckpointValues::require_any() const {
  if (!m_values.empty()) return;
  throw Error(Status::bad_argument, checkpoint_function, "no value is registered",
              "call add() first");
}

std::uint64_t CheckpointValues::raw_bytes() const {
  std::uint64_t bytes = 0;
  for (CheckpointValue const& value : m_values) bytes += value.field.shape.bytes();
  return bytes;
}

}  // namespace kompakt::impl
