#include "data_set.hpp"
#include <algorithm>
#include <kompakt/error.hpp>

namespace kompakt::perf {

namespace {

FieldShape make_shape(Dtype dtype, std::vector<std::size_t> const& extents) {
  FieldShape shape;
  shape.dtype = dtype;
  shape.rank = static_cast<int>(extents.size());
  std::copy(extents.begin(), extents.end(), shape.extents.begin());
  return shape;
}

Dtype parse_dtype(std::string const& text, std::string const& word) {
  for (Dtype const dtype : {Dtype::f32, Dtype::f64}) {
    if (word == to_string(dtype)) return dtype;
  }
  throw Error(Status::bad_argument, "--field " + text + ": '" + word + "' is not f32 or f64");
}

}  // namespace

std::string text_of_extents(FieldShape const& shape) {
  std::string text;
  for (int i = 0; i < shape.rank; ++i) {
    if (i > 0) text += 'x';
    text += std::to_string(shape.extents[static_cast<std::size_t>(i)]);
  }
  return text;
}

std::string DataSet::key() const {
  return name + "/" + text_of_extents(shape) + "/" + to_string(shape.dtype);
}

DataSet generated_data_set(std::string const& extents, Dtype dtype, bool is_density) {
  std::vector<std::size_t> const numbers = parse_extents("--extents", extents);
  if (numbers.size() > 3) {
    throw Error(Status::bad_argument, "--extents " + extents + ": turbulence has 1 to 3 extents");
  }
  return {is_density ? "density" : "turbulence", make_shape(dtype, numbers), {}, is_density};
}

DataSet file_data_set(std::string const& text) {
  // The path may hold colons, the other parts cannot.
  std::size_t const name_end = text.find(':');
  std::size_t const dtype_end = text.rfind(':');
  std::size_t const path_end =
      dtype_end == std::string::npos || dtype_end == 0 ? dtype_end : text.rfind(':', dtype_end - 1);
  if (name_end == std::string::npos || path_end <= name_end || path_end == std::string::npos) {
    throw Error(Status::bad_argument, "--field " + text + ": expected NAME:PATH:f32|f64:N,N,N");
  }
  std::vector<std::size_t> const extents =
      parse_extents("--field " + text, text.substr(dtype_end + 1));
  if (extents.size() > static_cast<std::size_t>(max_rank)) {
    throw Error(Status::bad_argument, "--field " + text + ": more than 8 extents");
  }
  Dtype const dtype = parse_dtype(text, text.substr(path_end + 1, dtype_end - path_end - 1));
  return {text.substr(0, name_end), make_shape(dtype, extents),
          text.substr(name_end + 1, path_end - name_end - 1), false};
}

std::vector<DataSet> take_data_sets(Flags& flags, std::vector<std::string> const& default_extents) {
  Dtype const dtype = flags.take_switch("--f64") ? Dtype::f64 : Dtype::f32;
  bool const is_density = flags.take_switch("--density");
  std::vector<DataSet> data;
  for (std::string const& text : flags.take_all("--extents")) {
    data.push_back(generated_data_set(text, dtype, is_density));
  }
  for (std::string const& text : flags.take_all("--field")) data.push_back(file_data_set(text));
  if (!data.empty()) return data;
  for (std::string const& text : default_extents) {
    data.push_back(generated_data_set(text, dtype, is_density));
  }
  return data;
}

std::array<std::size_t, 3> three_extents(FieldShape const& shape) {
  std::array<std::size_t, 3> extents{1, 1, 1};
  for (int i = 0; i < shape.rank; ++i) {
    extents[static_cast<std::size_t>(3 - shape.rank + i)] =
        shape.extents[static_cast<std::size_t>(i)];
  }
  return extents;
}

}  // namespace kompakt::perf
