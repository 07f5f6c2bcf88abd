#ifndef KOMPAKT_PIPELINE_DENSE_FIELD_HPP
#define KOMPAKT_PIPELINE_DENSE_FIELD_HPP

#include <container/format.hpp>
#include <kompakt/pending.hpp>
#include <pipeline/call_memory.hpp>
#include <pipeline/field_tile.hpp>
#include <pipeline/staging.hpp>
#include <pipeline/strided_copy.hpp>

// Between a field as the caller has it, of any strides and in memory of the execution space or of the host, and its
// values side by side in memory of the execution space, which kernels take. Where both are the same nothing is copied.

namespace kompakt::impl {

/// Calls body(T{}) with the type of words that kernels take values as: they tell integers from numbers of the same
/// size only where a lossless stream is quantised.
/// \param coded  as which values are coded
template <class Body>
decltype(auto) with_word_type(Dtype coded, Body const& body) {
  return coded_bytes(coded) == sizeof(float) ? body(float{}) : body(double{});
}

/// Whether kernels take a field where it is.
/// \param coded     as which its values are coded
/// \param converts  whether a host's kernels make numbers of integers, and these of numbers, tile by tile
template <class Exec>
bool is_taken_in_place(ConstStridedData const& field, FieldAccess access, Dtype coded,
                       bool converts = false) {
  Dtype const stored = field.shape.dtype;
  bool const may_convert = converts && takes_narrow<Exec>;
  return access == FieldAccess::direct && (may_convert || !are_converted(stored, coded)) &&
         (takes_narrow<Exec> || !is_narrow(stored)) && is_dense(field.shape, field.strides);
}

/// Memory of a dense copy, and pinned host memory that it travels through.
template <class Exec>
struct DenseCopy {
  std::byte* values = nullptr;
  std::byte* without_fills = nullptr;  ///< another one, in which values are hidden
  StagingBuffers buffers{};

  /// Takes what a field needs of each, which may be nothing.
  /// \param coded        as which its values are coded
  /// \param hides_fills  whether a copy is needed in which further fill values are hidden
  /// \param converts     as of is_taken_in_place()
  void place(ConstStridedData const& field, FieldAccess access, Dtype coded, CallMemory& memory,
             bool hides_fills = false, bool converts = false) {
    std::size_t const bytes = field.shape.size() * coded_bytes(coded);
    if (hides_fills) without_fills = memory.field.take<std::byte>(bytes);
    if (is_taken_in_place<Exec>(field, access, coded, converts)) return;
    values = memory.field.take<std::byte>(bytes);
    if (access == FieldAccess::direct) return;
    buffers.bytes = StagingBuffers::bytes_of_one(bytes);
    buffers.memory = memory.readback.take<std::byte>(2 * buffers.bytes);
  }
};

/// Leaves in `args` where the values of a field lie side by side, in its order: in the field, or in a copy, which is
/// on its way.
/// \param copy  that has been placed for the field, and has no memory if kernels take that where it is
template <class T, class Exec>
void bring_values(Exec const& exec, FieldSource const& field, DenseCopy<Exec> const& copy,
                  EncodeArgs<T>& args) {
  FieldShape const& shape = field.shape;
  Dtype const coded = args.asked.coded_type();
  if (copy.values == nullptr) {
    if (is_narrow(shape.dtype) || are_converted(shape.dtype, coded)) {
      args.narrow = field.data;
    } else {
      args.field = static_cast<T const*>(field.data);
    }
    return;
  }
  T* const values = reinterpret_cast<T*>(copy.values);
  with_stored<T>(shape.dtype, coded, [&]<class Stored>(Stored) {
    auto const* const from = static_cast<Stored const*>(field.data);
    if (field.access == FieldAccess::staged) {
      stage_in(exec, from, shape, field.strides, values, copy.buffers);
    } else {
      copy_strided<CopyTo::dense>(exec, from, values, shape, field.strides);
    }
  });
  args.field = values;
}

/// Moves decoded values, dense in the order of `shape`, to where the caller wants them, unless they are there.
/// Enqueued; to a field that only the host reaches complete on return.
/// \param shape  of the stream: the extents of `field` in the stream's order, with the type as which they are coded
template <class T, class Exec>
void move_values(Exec const& exec, T const* values, FieldShape const& shape,
                 FieldTarget const& field, StagingBuffers const& buffers) {
  with_stored<T>(field.shape.dtype, shape.dtype, [&]<class Stored>(Stored) {
    auto* const to = static_cast<Stored*>(field.data);
    if (field.access == FieldAccess::staged) {
      stage_out(exec, values, shape, field.strides, to, buffers);
    } else {
      copy_strided<CopyTo::strided>(exec, values, to, shape, field.strides);
    }
  });
}

}  // namespace kompakt::impl

#endif
