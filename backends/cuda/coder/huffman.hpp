#ifndef KOMPAKT_CUDA_CODER_HUFFMAN_HPP
#define KOMPAKT_CUDA_CODER_HUFFMAN_HPP

#include <coder/huffman/record.hpp>
#include <pipeline/dispatch.hpp>

namespace kompakt::impl {

/// No warp codes these records: the generic bodies run on the device.
template <class T>
struct body_tag<cuda_tag, Huffman<T>> {
  using type = generic_tag;
};

}  // namespace kompakt::impl

#endif
