#ifndef KOMPAKT_PIPELINE_CODER_SETUP_HPP
#define KOMPAKT_PIPELINE_CODER_SETUP_HPP

#include <core/carver.hpp>
#include <cstddef>
#include <pipeline/backend_memory.hpp>
#include <pipeline/choose_tiles.hpp>
#include <pipeline/decode_args.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/encode_args.hpp>
#include <span>
#include <type_traits>

namespace kompakt::impl {

/// Whether bins of a call stand for steps.
template <class T>
bool has_steps(EncodeArgs<T> const& args) {
  return args.asked.steps.any();
}
template <class T>
bool has_steps(DecodeArgs<T> const& args) {
  return args.quantizer.steps.any();
}

/// What a coder needs beside its records. This is that of a coder that looks nothing up; one with a section
/// specialises it in coder/<name>/kernels.hpp.
template <class Coder>
struct CoderSetup {
  /// Whether the bodies of a backend take a call; if not, the generic ones run.
  template <class Tag, class Args>
  static bool supports(Tag, Args const& args) {
    // With steps in CUDA's own decoder all streams took three times as long: the branch held its registers in memory.
    return !std::is_same_v<Tag, cuda_tag> || !has_steps(args);
  }
  /// Takes the encoder's scratch memory, args.coder_scratch.
  template <class Exec, class T>
  static void carve(EncodeArgs<T>&, Carver&) {}
  /// Bytes of the decoder's scratch memory for a radius.
  static std::size_t decode_scratch_bytes(int) { return 0; }

  /// Before records are written: chooses the shape of tiles and makes the section.
  template <class CodecTypes, class Tag, class Exec, class T>
  static void prepare(Tag tag, Exec const& exec, EncodeArgs<T> const& args) {
    choose_tiles<CodecTypes>(tag, exec, args);
  }
  /// The same for several calls, by bodies that share launches.
  template <class CodecTypes, class Tag, class Exec, class T>
  static void prepare(Tag tag, Exec const& exec, std::span<EncodeArgs<T> const> calls,
                      BatchMemory& memory) {
    choose_tiles<CodecTypes>(tag, exec, calls, memory);
  }
  /// Before records are read: makes of the section what decoders look up.
  template <class Exec, class T>
  static void prepare(Exec const&, DecodeArgs<T> const&) {}
  /// Before records of a stream are read whose header the host has not seen: makes of the section what decoders look up.
  template <class Exec, class T>
  static void prepare(Exec const&, SpeculativeArgs<T> const&) {}
  /// The same for several streams, by bodies that share launches.
  template <class Exec, class T>
  static void prepare(Exec const&, std::span<SpeculativeArgs<T> const>, BatchMemory&) {}
};

}  // namespace kompakt::impl

#endif
