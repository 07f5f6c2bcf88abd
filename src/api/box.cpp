#include <algorithm>
#include <kompakt/box.hpp>
#include <kompakt/error.hpp>

namespace kompakt {

namespace {

std::string text_of(std::span<std::size_t const> numbers) {
  std::string text;
  for (std::size_t const n : numbers) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return "(" + text + ")";
}

}  // namespace

Box::Box(std::span<std::size_t const> from, std::span<std::size_t const> to)
    : rank(static_cast<int>(from.size())) {
  if (from.size() != to.size() || from.size() > max_rank) {
    throw Error(Status::bad_argument,
                "Box: from " + text_of(from) + " to " + text_of(to) +
                    " is none; give as many ends as begins, one for each index, at most 8");
  }
  std::copy(from.begin(), from.end(), begin.begin());
  std::copy(to.begin(), to.end(), end.begin());
}

bool Box::is_empty() const {
  for (int axis = 0; axis < rank; ++axis) {
    if (extent(axis) == 0) return true;
  }
  return false;
}

bool Box::is_all_of(FieldShape const& shape) const {
  auto const n = static_cast<std::size_t>(rank);
  return rank == shape.rank &&
         std::all_of(begin.begin(), begin.begin() + n, [](std::size_t b) { return b == 0; }) &&
         std::equal(end.begin(), end.begin() + n, shape.extents.begin());
}

FieldShape Box::shape_in(FieldShape const& field) const {
  FieldShape shape = field;
  for (int axis = 0; axis < rank; ++axis) {
    shape.extents[static_cast<std::size_t>(axis)] = extent(axis);
  }
  return shape;
}

void Box::throw_negative(std::string const& number) {
  throw Error(Status::bad_argument, "Box: " + number + " is no index; give numbers from 0 on");
}

std::string to_string(Box const& box) {
  auto const n = static_cast<std::size_t>(box.rank);
  return text_of({box.begin.data(), n}) + " to " + text_of({box.end.data(), n});
}

}  // namespace kompakt
