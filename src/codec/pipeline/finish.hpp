#ifndef KOMPAKT_PIPELINE_FINISH_HPP
#define KOMPAKT_PIPELINE_FINISH_HPP

#include <core/finite_keys.hpp>
#include <core/fp_environment.hpp>
#include <pipeline/encode_args.hpp>

namespace kompakt::impl {

/// What kernels have noted, and nothing that none of them has written.
template <class T>
KOKKOS_INLINE_FUNCTION HeaderFound found_of(EncodeArgs<T> const& args) {
  HeaderFound const& noted = args.state->found;
  HeaderFound found;
  found.tile_shape = noted.tile_shape;
  found.exceptions = noted.exceptions;
  found.payload_bytes = noted.payload_bytes;
  found.extra = args.extra();
  if (found.extra.predictor > 0) found.predictor_checksum = noted.predictor_checksum;
  if (found.extra.coder > 0) {
    found.coder_checksum = noted.coder_checksum;
    found.coder_head = noted.coder_head;
  }
  return found;
}

/// Header, section table and shape from the state, and the result; by one thread.
template <class T>
KOKKOS_INLINE_FUNCTION void finish_stream(EncodeArgs<T> const& args) {
  EncodeState<T> const& state = *args.state;
  args.result->stream_bytes = state.stream_bytes;
  args.result->is_spread = args.finds_range() && state.is_spread;
  args.result->has_range = args.finds_range() && FiniteKeys<T>::is_finite(state.from_lowest);
  if (args.result->has_range) {  // else nobody may have written them
    args.result->min = static_cast<double>(FiniteKeys<T>::value_above_lowest(state.from_lowest));
    args.result->max = static_cast<double>(FiniteKeys<T>::value_below_highest(state.from_highest));
  }
  if (state.overflow) return;
  Quantizer<T> const& quantizer = state.quantizer;
  HeaderFields h{args.asked, found_of(args)};
  h.abs_bound = quantizer.bound;
  h.constant = quantizer.bins == Bins::constant;
  h.constant_bits = Kokkos::bit_cast<unsigned_t<T>>(
      quantizer.has_own_width() ? quantizer.step : quantizer.constant_value);
  h.has_fill = quantizer.fill.known;
  h.fill_bits = h.has_fill ? Kokkos::bit_cast<unsigned_t<T>>(quantizer.fill.value) : 0;
  write_header(h, args.stream);
  args.result->found = h;
}

template <class T>
struct FinishStream {
  EncodeArgs<T> args;
  KOKKOS_FUNCTION void operator()(int) const {
    [[maybe_unused]] FpEnvironment const environment;
    finish_stream(args);
  }
};

}  // namespace kompakt::impl

#endif
