#ifndef KOMPAKT_PIPELINE_CODER_CALLS_HPP
#define KOMPAKT_PIPELINE_CODER_CALLS_HPP

#include <pipeline/arguments.hpp>
#include <pipeline/batch_memory.hpp>
#include <span>

namespace kompakt::impl {

/// What of a call depends on its coder: all kernels that know records. Compiled for each pipeline in a
/// translation unit of its own (pipeline/coder_calls_body.hpp), because a coder's kernels for a GPU take
/// minutes.
/// \tparam Tag  of the bodies: backend_tag_t<Exec>, or generic_tag for those that run everywhere
template <class Coder, class Tag, class Exec, class T>
struct CoderCalls {
  /// Every kernel of a compression.
  static void encode(Exec const& exec, EncodeArgs<T> const& args);
  /// Every kernel of several compressions.
  static void encode_batch(Exec const& exec, std::span<EncodeArgs<T> const> calls,
                           BatchMemory& memory);
  /// Those of a decompression whose header is known.
  static void decode(Exec const& exec, DecodeArgs<T> const& args);
  /// Those of one whose header is not, if the backend can; whether they are under way.
  static bool decode_expected(Exec const& exec, ExpectedArgs<T> const& args);
};

}  // namespace kompakt::impl

#endif
