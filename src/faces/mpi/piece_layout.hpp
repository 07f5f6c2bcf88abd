#ifndef KOMPAKT_MPI_PIECE_LAYOUT_HPP
#define KOMPAKT_MPI_PIECE_LAYOUT_HPP

#include <array>
#include <cstddef>
#include <kompakt/field.hpp>

namespace kompakt::mpi {

/// The pieces that a field travels in: runs of its slowest index, or of a faster one where a single step of that is too
/// long. Values of a piece follow each other in a dense field. Sender and receiver cut alike.
class PieceLayout {
 public:
  /// \param piece_bytes  of values, which only a piece of one value may exceed
  PieceLayout(FieldShape const& shape, std::size_t piece_bytes);

  std::size_t count() const { return m_count; }
  FieldShape shape(std::size_t piece) const;
  /// That of the first one, which no other exceeds.
  FieldShape largest() const;
  /// A piece of a field of this shape, but in any order and with any steps.
  template <class Data>
  Data part(Data const& field, std::size_t piece) const {
    FieldShape part = shape(piece);
    part.order = field.shape.order;
    auto* const bytes = static_cast<Byte<Data>*>(field.data);
    return {bytes + first(field.strides, piece) * static_cast<std::int64_t>(size_of(part.dtype)),
            part, field.strides};
  }

 private:
  template <class Data>
  using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(Data::data)>>,
                                  std::byte const, std::byte>;
  /// Where it begins, in values behind the first one of the field.
  std::int64_t first(Strides const& strides, std::size_t piece) const;
  std::array<std::size_t, max_rank> origin(std::size_t piece) const;

  FieldShape m_shape;
  int m_axis = 0;          ///< that is cut
  std::size_t m_rows = 1;  ///< of it in a piece
  std::size_t m_count = 0;
};

/// The index of a shape that is the n-th from the slowest one on.
constexpr std::size_t slow_index(FieldShape const& shape, int n) {
  return static_cast<std::size_t>(shape.order == Order::last_fastest ? n : shape.rank - 1 - n);
}

}  // namespace kompakt::mpi

#endif
