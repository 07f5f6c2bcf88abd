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
template <class Body>
decltype(auto) with_word_type(Dtype dtype, Body const& body) {
  return coded_bytes(dtype) == sizeof(float) ? body(float{}) : body(double{});
}

/// Whether kernels take a field where it is.
template <class Exec>
bool is_taken_in_place(FieldShape const& shape, Strides const& strides, FieldAccess access) {
  return access == FieldAccess::direct && (takes_narrow<Exec> || !is_narrow(shape.dtype)) &&
         is_dense(shape, strides);
}

/// Memory of a dense copy, and pinned host memory that it travels through.
template <class Exec>
struct DenseCopy {
  std::byte* values = nullptr;
  std::byte* without_fills = nullptr;  ///< another one, in which values are hidden
  StagingBuffers buffers{};

  /// Takes what a field needs of each, which may be nothing.
  /// \param hides_fills  whether a copy is needed in which further fill values are hidden
  void place(FieldShape const& shape, Strides const& strides, FieldAccess access,
             CallMemory& memory, bool hides_fills = false) {
    if (hides_fills) without_fills = memory.field.take<std::byte>(coded_bytes(shape));
    if (is_taken_in_place<Exec>(shape, strides, access)) return;
    values = memory.field.take<std::byte>(coded_bytes(shape));
    if (access == FieldAccess::direct) return;
    buffers.bytes = StagingBuffers::bytes_of_one(coded_bytes(shape));
    buffers.memory = memory.readback.take<std::byte>(2 * buffers.bytes);
  }
};

/// Leaves in `args` where the values of a field lie side by side, in its order: in the field, or in a copy, which is
/// on its way.
/// \param copy  that has been placed for the field
template <class T, class Exec>
void bring_values(Exec const& exec, FieldSource const& field, DenseCopy<Exec> const& copy,
                  EncodeArgs<T>& args) {
  FieldShape const& shape = field.shape;
  if (is_taken_in_place<Exec>(shape, field.strides, field.access)) {
    if (is_narrow(shape.dtype)) {
      args.narrow = field.data;
    } else {
      args.field = static_cast<T const*>(field.data);
    }
    return;
  }
  T* const values = reinterpret_cast<T*>(copy.values);
  with_stored<T>(shape.dtype, [&]<class Stored>(Stored) {
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
/// \param shape  of the stream: the type and extents of `field`, in the stream's order
template <class T, class Exec>
void move_values(Exec const& exec, T const* values, FieldShape const& shape,
                 FieldTarget const& field, StagingBuffers const& buffers) {
  with_stored<T>(shape.dtype, [&]<class Stored>(Stored) {
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
