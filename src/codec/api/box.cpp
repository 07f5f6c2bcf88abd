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
    throw Error(Status::bad_argument, "Box",
                "from " + text_of(from) + " to " + text_of(to) + " is no box",
                "give as many ends as begins, one for each index, at most 8");
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

Box Box::at(std::array<std::size_t, max_rank> const& origin, FieldShape const& shape) {
  Box box;
  box.rank = shape.rank;
  for (std::size_t i = 0; i < static_cast<std::size_t>(box.rank); ++i) {
    box.begin[i] = origin[i];
    box.end[i] = origin[i] + shape.extents[i];
  }
  return box;
}

Box Box::common_with(Box const& other) const {
  if (rank != other.rank) {
    throw Error(Status::bad_argument, "Box",
                to_string(*this) + " and " + to_string(other) + " have different ranks",
                "give both the same number of indices");
  }
  Box box = *this;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rank); ++i) {
    box.begin[i] = std::max(begin[i], other.begin[i]);
    box.end[i] = std::max(box.begin[i], std::min(end[i], other.end[i]));
  }
  return box;
}

Box Box::seen_from(Box const& outer) const {
  Box box = *this;
  bool lies_in = rank == outer.rank;
  for (std::size_t i = 0; lies_in && i < static_cast<std::size_t>(rank); ++i) {
    lies_in = outer.begin[i] <= begin[i] && begin[i] <= end[i] && end[i] <= outer.end[i];
    box.begin[i] -= outer.begin[i];
    box.end[i] -= outer.begin[i];
  }
  if (lies_in) return box;
  throw Error(Status::bad_argument, "Box",
              to_string(*this) + " does not lie in " + to_string(outer), "give one that does");
}

void Box::throw_negative(std::string const& number) {
  throw Error(Status::bad_argument, "Box", number + " is not an index", "give numbers from 0 on");
}

std::string to_string(Box const& box) {
  auto const n = static_cast<std::size_t>(box.rank);
  return text_of({box.begin.data(), n}) + " to " + text_of({box.end.data(), n});
}

}  // namespace kompakt
