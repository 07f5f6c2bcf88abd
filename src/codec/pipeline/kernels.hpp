#ifndef KOMPAKT_PIPELINE_KERNELS_HPP
#define KOMPAKT_PIPELINE_KERNELS_HPP

#include <coder/table.hpp>
#include <core/carver.hpp>
#include <pipeline/backend_memory.hpp>
#include <pipeline/decode_args.hpp>
#include <pipeline/dispatch.hpp>
#include <pipeline/encode_args.hpp>
#include <predictor/table.hpp>
#include <span>

namespace kompakt::impl {

/// What of a call depends on coder and predictor: all kernels that know residuals or records. Compiled for each coder,
/// predictor and execution space in a translation unit of its own (pipeline/kernels_body.hpp), because these kernels
/// take minutes for a GPU.
/// \tparam CoderSeat, PredictorSeat  of coder/table.hpp and predictor/table.hpp
/// \tparam BodyTag                   of the bodies: the backend's, or generic_tag for those that run everywhere
template <class CoderSeat, class PredictorSeat, class BodyTag, class Exec, class T>
struct Kernels {
  using Tag = BodyTag;
  using Generic = Kernels<CoderSeat, PredictorSeat, generic_tag, Exec, T>;
  /// Whether the calls of a batch share launches: predictors that make something of a field have their own.
  static constexpr bool shares_launches_of_batch = shares_launches<BodyTag> &&
                                                   PredictorSeat::row.section_bytes == nullptr &&
                                                   !has_levels(PredictorSeat::row.method);
  /// Whether these bodies decode a stream whose header the host has not seen.
  static constexpr bool is_speculative =
      decodes_speculatively<BodyTag> && !has_levels(PredictorSeat::row.method);

  /// Bit per Variant that the coder codes.
  static constexpr std::uint32_t variants = [] {
    std::uint32_t bits = 0;
    for (int v = 0; v < variant_count; ++v) {
      if (CoderSeat::codes(static_cast<Variant>(v))) bits |= 1u << v;
    }
    return bits;
  }();

  /// Whether these bodies run a compression; if not, those of Generic do.
  static bool supports(EncodeArgs<T> const& args);
  /// Takes the coder's scratch memory.
  static void carve(EncodeArgs<T>& args, Carver& scratch);
  /// Sections of predictor and coder, and the shape of tiles. Expects the quantizer.
  static void prepare(Exec const& exec, EncodeArgs<T> const& args);
  /// Records, index and header.
  static void encode(Exec const& exec, EncodeArgs<T> const& args);
  /// prepare() and encode() of several calls, by bodies that share launches.
  static void encode_batch(Exec const& exec, std::span<EncodeArgs<T> const> calls,
                           BatchMemory& memory);

  /// Bytes of the coder's scratch memory for a stream of this radius, of which so many values are decoded at a time.
  static std::size_t decode_scratch_bytes(int radius, std::size_t values);
  /// What decoders look up, from the sections.
  static void prepare(Exec const& exec, DecodeArgs<T> const& args);
  /// The values of all chunks, or of those that are listed.
  static void decode(Exec const& exec, DecodeArgs<T> const& args);
  /// Prepares and decodes a stream whose header the host has not seen, by bodies that can.
  static void decode_speculative(Exec const& exec, SpeculativeArgs<T> const& args);
  /// The same for several streams, in launches for all of them.
  static void decode_batch(Exec const& exec, std::span<SpeculativeArgs<T> const> calls,
                           BatchMemory& memory);
};

/// body(TypeTag of the Kernels) for what a header says.
/// \tparam Tag  of the backend whose bodies run where it has some for coder and predictor
template <class Tag, class Exec, class T, class Body>
decltype(auto) with_kernels(StreamCoding const& coding, Body const& body) {
  return with_predictor(coding.method, [&]<class Predictor>(TypeTag<Predictor>) -> decltype(auto) {
    return with_coder(
        coding.pipeline, coding.variant, [&]<class Coder>(TypeTag<Coder>) -> decltype(auto) {
          // What does not go together was refused before: never called.
          using Known =
              std::conditional_t<Predictor::template goes_with<Coder>, Predictor, seat::Lorenzo>;
          using BodyTag = body_tag_t<Tag, Coder, Known>;
          return body(TypeTag<Kernels<Coder, Known, BodyTag, Exec, T>>{});
        });
  });
}

}  // namespace kompakt::impl

#endif
