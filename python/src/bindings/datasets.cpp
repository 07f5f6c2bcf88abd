#include "datasets.hpp"
#include "files.hpp"

namespace kompakt::python {

namespace {

std::string text_of(nb::handle bytes) {
  auto const text = nb::cast<nb::bytes>(bytes);
  return {text.c_str(), text.size()};
}
nb::bytes bytes_of(std::string const& text) { return nb::bytes(text.data(), text.size()); }

DatasetVariable variable_of(nb::handle given) {
  DatasetVariable variable{text_of(given[0]), {}, {}};
  for (nb::handle const dimension : given[1]) variable.dimensions.push_back(text_of(dimension));
  for (nb::handle const attribute : given[2]) {
    auto& [key, text] = variable.attributes.emplace_back(text_of(attribute[0]), std::nullopt);
    if (!attribute[1].is_none()) text = text_of(attribute[1]);
  }
  return variable;
}

nb::list supporting_of(nb::sequence const& given, nb::bytes const& coordinates) {
  std::vector<DatasetVariable> variables;
  for (nb::handle const variable : given) variables.push_back(variable_of(variable));
  nb::list marks;
  for (bool const mark : supporting(variables, text_of(coordinates))) marks.append(mark);
  return marks;
}

}  // namespace

void define_datasets(nb::module_& module) {
  module.def("split_file_name", [](nb::bytes const& word) {
    auto const [path, variable] = split_file_name(text_of(word));
    return nb::make_tuple(bytes_of(path), bytes_of(variable));
  });
  module.def("format_of_file", [](nb::bytes const& path) {
    std::string const format = format_of_file(text_of(path));
    return nb::str(format.c_str());
  });
  module.def("supporting", supporting_of, nb::arg("variables"), nb::arg("coordinates"));
}

}  // namespace kompakt::python
