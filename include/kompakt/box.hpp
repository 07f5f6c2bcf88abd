#ifndef KOMPAKT_BOX_HPP
#define KOMPAKT_BOX_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <kompakt/field.hpp>
#include <span>
#include <string>
#include <utility>

namespace kompakt {

/// A box of a field: for each index, first index first, where it begins and what is behind its end. The box of the
/// first 8 x 16 values of a matrix is `Box{{0, 0}, {8, 16}}`.
struct Box {
  int rank = 0;
  std::array<std::size_t, max_rank> begin{}, end{};  ///< `rank` of them count

  Box() = default;
  /// \throws Error bad_argument if there are not as many ends as begins, or more than 8
  Box(std::span<std::size_t const> from, std::span<std::size_t const> to);
  /// From whole numbers of any type.
  /// \throws Error bad_argument as above, and for a number below 0
  template <std::integral I, std::integral J>
  Box(std::initializer_list<I> from, std::initializer_list<J> to)
      : Box(Numbers(from).span(), Numbers(to).span()) {}

  /// Box of an array of this shape in a larger one, in which its first value is at `origin`. The
  /// values of a frame lie in `Box::at(frame.part.origin, frame.shape)` of its field.
  static Box at(std::array<std::size_t, max_rank> const& origin, FieldShape const& shape);

  std::size_t extent(int axis) const {
    auto const i = static_cast<std::size_t>(axis);
    return end[i] - begin[i];
  }
  /// Whether it has no values.
  bool is_empty() const;
  /// Whether a field of this shape lies in it with all values.
  bool is_all_of(FieldShape const& shape) const;
  /// The shape of its values, of a field of this shape that it lies in.
  FieldShape shape_in(FieldShape const& field) const;
  /// The values that lie in both boxes; empty if they share no value.
  /// \throws Error bad_argument if the other one has not as many indices
  Box common_with(Box const& other) const;
  /// This box with indices that count from the beginning of `outer`, in which it must lie.
  /// \throws Error bad_argument if they do not
  Box seen_from(Box const& outer) const;

 private:
  /// A list of numbers; more than fit are counted alone.
  struct Numbers {
    std::array<std::size_t, max_rank + 1> values{};
    std::size_t count = 0;

    template <std::integral I>
    explicit Numbers(std::initializer_list<I> list) {
      for (I const number : list) {
        if (std::cmp_less(number, 0)) throw_negative(std::to_string(number));
        if (count < values.size()) values[count++] = static_cast<std::size_t>(number);
      }
    }
    std::span<std::size_t const> span() const { return {values.data(), count}; }
  };
  [[noreturn]] static void throw_negative(std::string const& number);
};

/// "(0, 0) to (8, 16)"
std::string to_string(Box const& box);

}  // namespace kompakt

#endif
