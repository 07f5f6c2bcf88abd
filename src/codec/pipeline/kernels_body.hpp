#ifndef KOMPAKT_PIPELINE_KERNELS_BODY_HPP
#define KOMPAKT_PIPELINE_KERNELS_BODY_HPP

#include <core/wide_vectors.hpp>
#include <pipeline/kernels.hpp>
#include <pipeline/record_operations.hpp>

// Included only where a coder is compiled, behind its kernels.hpp or record.hpp: by the files that
// cmake/KompaktInstantiate.cmake makes.

namespace kompakt::impl {

namespace detail {

/// The types behind the seats.
template <class CoderSeat, class PredictorSeat, class Tag, class T>
struct Seated {
  using Coder = coder_t<CoderSeat, T>;
  using Setup = CoderSetup<Coder>;
  using Predictor = predictor_t<PredictorSeat, CoderSeat>;
  using Body = typename narrow<Tag>::type;
  using CodecTypes = impl::CodecTypes<typename BackendCoder<Coder, Body>::type, Predictor, Body>;
};

}  // namespace detail

#define KOMPAKT_KERNELS \
  template <class CoderSeat, class PredictorSeat, class BodyTag, class Exec, class T>
#define KOMPAKT_KERNELS_CLASS Kernels<CoderSeat, PredictorSeat, BodyTag, Exec, T>
#define KOMPAKT_SEATED detail::Seated<CoderSeat, PredictorSeat, BodyTag, T>
// Units with a second form leave to it what takes time, where the processor can. The bodies of the backend have one: where it has
// bodies of its own, the generic ones are for comparison.
#define KOMPAKT_OR_BY(tag, vectors, call)                                    \
  if constexpr (std::is_same_v<BodyTag, backend_tag_t<Exec>>) {              \
    if (has_vectors(vectors)) {                                              \
      return Kernels<CoderSeat, PredictorSeat, tag<BodyTag>, Exec, T>::call; \
    }                                                                        \
  }
#ifdef KOMPAKT_HAS_WIDEST_BODIES
#define KOMPAKT_OR_WIDE(call)                             \
  KOMPAKT_OR_BY(widest_tag, HostVectors::x86_64_v4, call) \
  KOMPAKT_OR_BY(wide_tag, HostVectors::x86_64_v3, call)
#elif defined(KOMPAKT_HAS_WIDE_BODIES)
#define KOMPAKT_OR_WIDE(call) KOMPAKT_OR_BY(wide_tag, HostVectors::x86_64_v3, call)
#else
#define KOMPAKT_OR_WIDE(call)
#endif

KOMPAKT_KERNELS bool KOMPAKT_KERNELS_CLASS::supports(EncodeArgs<T> const& args) {
  return KOMPAKT_SEATED::Setup::supports(BodyTag{}, args);
}

KOMPAKT_KERNELS void KOMPAKT_KERNELS_CLASS::carve(EncodeArgs<T>& args, Carver& scratch) {
  KOMPAKT_SEATED::Setup::template carve<Exec>(args, scratch);
  constexpr bool is_generic = !std::is_same_v<BodyTag, cuda_tag>;
  if (keeps_records<Exec> && (is_generic || !supports(args))) {
    args.kept.carve(args.max_turns() * chunk_tiles, scratch);
  }
}

KOMPAKT_KERNELS void KOMPAKT_KERNELS_CLASS::prepare(Exec const& exec, EncodeArgs<T> const& args) {
  KOMPAKT_OR_WIDE(prepare(exec, args))
  using Seated = KOMPAKT_SEATED;
  if constexpr (PredictorSeat::row.section_bytes != nullptr) {
    Seated::Predictor::prepare(exec, args);
  }
  if constexpr (Seated::Predictor::has_levels) {
    build_levels<typename Seated::CodecTypes>(BodyTag{}, exec, args);
  }
  Seated::Setup::template prepare<typename Seated::CodecTypes>(BodyTag{}, exec, args);
}

KOMPAKT_KERNELS void KOMPAKT_KERNELS_CLASS::encode(Exec const& exec, EncodeArgs<T> const& args) {
  KOMPAKT_OR_WIDE(encode(exec, args))
  impl::encode<typename KOMPAKT_SEATED::CodecTypes>(BodyTag{}, exec, args);
}

KOMPAKT_KERNELS void KOMPAKT_KERNELS_CLASS::encode_batch(Exec const& exec,
                                                         std::span<EncodeArgs<T> const> calls,
                                                         BatchMemory& memory) {
  if constexpr (shares_launches_of_batch) {
    using Seated = KOMPAKT_SEATED;
    Seated::Setup::template prepare<typename Seated::CodecTypes>(BodyTag{}, exec, calls, memory);
    impl::encode_batch<typename Seated::CodecTypes>(BodyTag{}, exec, calls, memory);
  }
}

KOMPAKT_KERNELS std::size_t KOMPAKT_KERNELS_CLASS::decode_scratch_bytes(
    int radius, [[maybe_unused]] std::size_t values) {
  using Seated = KOMPAKT_SEATED;
  if constexpr (TakesAhead<TileBuffer<typename Seated::CodecTypes, T>>) {
    return TilesAhead::bytes(values, Seated::Predictor::has_levels);
  } else {
    return Seated::Setup::decode_scratch_bytes(radius);
  }
}

KOMPAKT_KERNELS void KOMPAKT_KERNELS_CLASS::prepare(Exec const& exec, DecodeArgs<T> const& args) {
  KOMPAKT_OR_WIDE(prepare(exec, args))
  using Seated = KOMPAKT_SEATED;
  if constexpr (!std::is_same_v<BodyTag, generic_tag>) {
    if (!Seated::Setup::supports(BodyTag{}, args)) return Generic::prepare(exec, args);
  }
  if constexpr (PredictorSeat::row.section_bytes != nullptr) check_predictor_section(exec, args);
  Seated::Setup::prepare(exec, args);
  if constexpr (Seated::Predictor::has_levels) {
    read_levels<typename Seated::CodecTypes>(BodyTag{}, exec, args);
  }
}

KOMPAKT_KERNELS void KOMPAKT_KERNELS_CLASS::decode(Exec const& exec, DecodeArgs<T> const& args) {
  KOMPAKT_OR_WIDE(decode(exec, args))
  using Seated = KOMPAKT_SEATED;
  if constexpr (!std::is_same_v<BodyTag, generic_tag>) {
    if (!Seated::Setup::supports(BodyTag{}, args)) return Generic::decode(exec, args);
  }
  impl::decode<typename Seated::CodecTypes>(BodyTag{}, exec, args);
}

KOMPAKT_KERNELS void KOMPAKT_KERNELS_CLASS::decode_speculative(Exec const& exec,
                                                               SpeculativeArgs<T> const& args) {
  if constexpr (is_speculative) {
    KOMPAKT_SEATED::Setup::prepare(exec, args);
    impl::decode_speculative<typename KOMPAKT_SEATED::CodecTypes>(BodyTag{}, exec, args);
  }
}

KOMPAKT_KERNELS void KOMPAKT_KERNELS_CLASS::decode_batch(Exec const& exec,
                                                         std::span<SpeculativeArgs<T> const> calls,
                                                         BatchMemory& memory) {
  if constexpr (is_speculative && shares_launches<BodyTag>) {
    KOMPAKT_SEATED::Setup::prepare(exec, calls, memory);
    impl::decode_batch<typename KOMPAKT_SEATED::CodecTypes>(BodyTag{}, exec, calls, memory);
  }
}

#undef KOMPAKT_KERNELS
#undef KOMPAKT_KERNELS_CLASS
#undef KOMPAKT_SEATED
#undef KOMPAKT_OR_WIDE
#undef KOMPAKT_OR_BY

}  // namespace kompakt::impl

/// The kernels of two seats by the bodies of a tag for an execution space; inside namespace kompakt::impl.
#define KOMPAKT_INSTANTIATE_KERNELS(CODER, PREDICTOR, TAG, EXEC)                \
  KOMPAKT_ELSEWHERE_WIDE(seat::CODER, seat::PREDICTOR, wide_tag<TAG>, EXEC)     \
  KOMPAKT_ELSEWHERE_WIDEST(seat::CODER, seat::PREDICTOR, widest_tag<TAG>, EXEC) \
  template struct Kernels<seat::CODER, seat::PREDICTOR, TAG, EXEC, float>;      \
  template struct Kernels<seat::CODER, seat::PREDICTOR, TAG, EXEC, double>;
#define KOMPAKT_ELSEWHERE(CODER, PREDICTOR, TAG, EXEC)                \
  extern template struct Kernels<CODER, PREDICTOR, TAG, EXEC, float>; \
  extern template struct Kernels<CODER, PREDICTOR, TAG, EXEC, double>;
#ifdef KOMPAKT_HAS_WIDE_BODIES
#define KOMPAKT_ELSEWHERE_WIDE KOMPAKT_ELSEWHERE
#else
#define KOMPAKT_ELSEWHERE_WIDE(CODER, PREDICTOR, TAG, EXEC)
#endif
#ifdef KOMPAKT_HAS_WIDEST_BODIES
#define KOMPAKT_ELSEWHERE_WIDEST KOMPAKT_ELSEWHERE
#else
#define KOMPAKT_ELSEWHERE_WIDEST(CODER, PREDICTOR, TAG, EXEC)
#endif

#endif
