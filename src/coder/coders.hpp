#ifndef KOMPAKT_CODER_CODERS_HPP
#define KOMPAKT_CODER_CODERS_HPP

#include <coder/bitshuffle/record.hpp>
#include <coder/fixedlength/record.hpp>
#include <coder/huffman/record.hpp>

namespace kompakt::impl {

/// Names a coder where a value is wanted.
template <class Coder>
struct CoderTag {};

/// body(CoderTag of the coder for values of T that reads and writes a pipeline's records): of
/// fixedlength and huffman one for all variants, of bitshuffle one for each.
template <class T, class Body>
decltype(auto) with_coder(Pipeline pipeline, Variant variant, Body const& body) {
  if (pipeline == Pipeline::huffman) return body(CoderTag<Huffman<T>>{});
  if (pipeline == Pipeline::fixedlength) return body(CoderTag<FixedLength<T>>{});
  if (variant == Variant::fz) return body(CoderTag<BitshuffleFz<T>>{});
  return body(CoderTag<BitshuffleDeep<T>>{});
}

/// Whether with_coder() gives this coder.
template <class Coder>
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_coder_of(Pipeline pipeline, Variant variant) {
  if constexpr (Coder::pipeline != Pipeline::bitshuffle) {
    return pipeline == Coder::pipeline;
  } else {
    bool const fz = Coder::Elimination::variant == Variant::fz;
    return pipeline == Pipeline::bitshuffle && fz == (variant == Variant::fz);
  }
}

}  // namespace kompakt::impl

#endif
