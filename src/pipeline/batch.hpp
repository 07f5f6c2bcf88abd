#ifndef KOMPAKT_PIPELINE_BATCH_HPP
#define KOMPAKT_PIPELINE_BATCH_HPP

#include <cstddef>
#include <pipeline/batch_memory.hpp>
#include <pipeline/choose_codebook.hpp>
#include <pipeline/encode.hpp>
#include <pipeline/resolve.hpp>
#include <span>

// Several fields in one call.

namespace kompakt::impl {

/// Bytes that a backend takes from a BatchMemory for each call of a batch.
inline std::size_t batch_entry_bytes(generic_tag) { return 0; }

/// Every kernel of a compression.
template <class Coder, class Tag, class Exec, class T>
void encode_field(Tag tag, Exec const& exec, EncodeArgs<T> const& args) {
  if constexpr (Coder::has_codebook) {
    if (!takes_radius(tag, args.radius)) return encode_field<Coder>(generic_tag{}, exec, args);
  }
  resolve(tag, exec, args);
  if constexpr (Coder::has_codebook) {
    count_entries<huffman::Counter<T>>(tag, exec, args);
    make_codebook(exec, args);
  } else {
    choose_predictor<Coder>(tag, exec, args);
  }
  encode<Coder>(tag, exec, args);
}

/// Every kernel of several compressions; a backend may share launches between them.
template <class Coder, class Tag, class Exec, class T>
void encode_batch(Tag tag, Exec const& exec, std::span<EncodeArgs<T> const> calls, BatchMemory&) {
  for (EncodeArgs<T> const& args : calls) encode_field<Coder>(tag, exec, args);
}

}  // namespace kompakt::impl

#endif
