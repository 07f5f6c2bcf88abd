#ifndef KOMPAKT_PIPELINE_FINISH_HPP
#define KOMPAKT_PIPELINE_FINISH_HPP

#include <pipeline/encode_args.hpp>

namespace kompakt::impl {

/// Header, section table and shape from the state, and the result; by one thread.
template <class T>
KOKKOS_INLINE_FUNCTION void finish_stream(EncodeArgs<T> const& args) {
  EncodeState<T> const& state = *args.state;
  args.result->stream_bytes = state.stream_bytes;
  args.result->is_spread = args.finds_range() && state.is_spread;
  if (state.overflow) return;
  Quantizer<T> const& quantizer = state.quantizer;
  HeaderFields h{args.asked, state.found};
  h.extra = args.extra();
  h.abs_bound = quantizer.bound;
  h.constant = quantizer.bins == Bins::constant;
  h.constant_bits = Kokkos::bit_cast<unsigned_t<T>>(quantizer.constant_value);
  h.has_fill = quantizer.fill.known;
  h.fill_bits = h.has_fill ? Kokkos::bit_cast<unsigned_t<T>>(quantizer.fill.value) : 0;
  write_header(h, args.stream);
  args.result->found = h;
}

template <class T>
struct FinishStream {
  EncodeArgs<T> args;
  KOKKOS_FUNCTION void operator()(int) const { finish_stream(args); }
};

}  // namespace kompakt::impl

#endif
