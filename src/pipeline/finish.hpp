#ifndef KOMPAKT_PIPELINE_FINISH_HPP
#define KOMPAKT_PIPELINE_FINISH_HPP

#include <container/writer.hpp>
#include <pipeline/arguments.hpp>

namespace kompakt::impl {

/// Header, section table and shape from the state, and the result; by one thread.
template <class T>
KOKKOS_INLINE_FUNCTION void finish_stream(EncodeArgs<T> const& args) {
  EncodeState<T> const& state = *args.state;
  args.result->stream_bytes = state.stream_bytes;
  if (state.overflow) return;
  HeaderFields h;
  h.pipeline = args.pipeline;
  h.variant = args.variant;
  h.shape = args.shape;
  h.reason_bits = args.reason_bits;
  h.bound = args.stated_bound;
  h.checksum = args.checksum;
  h.tile_kind = state.tile_kind;
  h.abs_bound = state.quantizer.bound;
  h.constant = state.quantizer.constant;
  h.constant_bits = Kokkos::bit_cast<unsigned_t<T>>(state.quantizer.constant_value);
  h.has_fill = state.quantizer.fill.known;
  if (h.has_fill) h.fill_bits = Kokkos::bit_cast<unsigned_t<T>>(state.quantizer.fill.value);
  h.exceptions = state.exceptions;
  h.chunks = chunk_count(state.tile_kind, args.extents);
  h.payload_bytes = state.payload_bytes;
  h.codebook_bytes = args.codebook_bytes();
  if (h.codebook_bytes > 0) h.codebook_checksum = state.codebook_checksum;
  write_front(h, args.stream);
  args.result->fill_bits = h.fill_bits;
  auto const* const words = reinterpret_cast<std::uint64_t const*>(args.stream);
  for (std::size_t i = 0; i < header_bytes / 8; ++i) args.result->header[i] = words[i];
}

template <class T>
struct FinishStream {
  EncodeArgs<T> args;
  KOKKOS_FUNCTION void operator()(int) const { finish_stream(args); }
};

}  // namespace kompakt::impl

#endif
