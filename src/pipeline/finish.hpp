#ifndef KOMPAKT_PIPELINE_FINISH_HPP
#define KOMPAKT_PIPELINE_FINISH_HPP

#include <container/writer.hpp>
#include <pipeline/arguments.hpp>

namespace kompakt::impl {

/// One thread writes header, section table and shape from the state.
template <class T>
struct WriteFront {
  EncodeArgs<T> args;

  KOKKOS_FUNCTION void operator()(int) const {
    EncodeState<T> const& state = *args.state;
    if (state.overflow) return;
    HeaderFields h;
    h.variant = args.variant;
    h.shape = args.shape;
    h.bound = args.bound;
    h.checksum = args.checksum;
    h.tile_kind = state.tile_kind;
    h.abs_bound = state.quantizer.bound;
    h.constant = state.quantizer.constant;
    h.constant_bits = Kokkos::bit_cast<unsigned_t<T>>(state.quantizer.constant_value);
    h.exceptions = state.exceptions;
    h.chunks = chunk_count(state.tile_kind, args.extents);
    h.payload_bytes = state.payload_bytes;
    write_front(h, args.stream);
  }
};

}  // namespace kompakt::impl

#endif
