#ifndef KOMPAKT_PIPELINE_CODER_CALLS_BODY_HPP
#define KOMPAKT_PIPELINE_CODER_CALLS_BODY_HPP

#include <pipeline/coder_calls.hpp>
#include <pipeline/operations.hpp>

// Included only where a coder is compiled: src/api/instantiate_host and backends/cuda/instantiate.

namespace kompakt::impl {

template <class Coder, class Tag, class Exec, class T>
void CoderCalls<Coder, Tag, Exec, T>::encode(Exec const& exec, EncodeArgs<T> const& args) {
  encode_field<Coder>(Tag{}, exec, args);
}

template <class Coder, class Tag, class Exec, class T>
void CoderCalls<Coder, Tag, Exec, T>::encode_batch(Exec const& exec,
                                                   std::span<EncodeArgs<T> const> calls,
                                                   BatchMemory& memory) {
  impl::encode_batch<Coder>(Tag{}, exec, calls, memory);
}

template <class Coder, class Tag, class Exec, class T>
void CoderCalls<Coder, Tag, Exec, T>::decode(Exec const& exec, DecodeArgs<T> const& args) {
  if constexpr (Coder::has_codebook) {
    if (!takes_radius(Tag{}, args.radius)) return impl::decode<Coder>(generic_tag{}, exec, args);
  }
  impl::decode<Coder>(Tag{}, exec, args);
}

template <class Coder, class Tag, class Exec, class T>
bool CoderCalls<Coder, Tag, Exec, T>::decode_expected(Exec const& exec,
                                                      ExpectedArgs<T> const& args) {
  return impl::decode_expected<Coder>(Tag{}, exec, args);
}

}  // namespace kompakt::impl

/// The calls of a coder (a template on the type of values) for an execution space; inside namespace
/// kompakt::impl.
#define KOMPAKT_INSTANTIATE_CODER_FOR(CODER, TAG, EXEC)       \
  template struct CoderCalls<CODER<float>, TAG, EXEC, float>; \
  template struct CoderCalls<CODER<double>, TAG, EXEC, double>;
/// The same with the bodies of the space's backend and with those of none.
#define KOMPAKT_INSTANTIATE_CODER(CODER, EXEC)            \
  KOMPAKT_INSTANTIATE_CODER_FOR(CODER, generic_tag, EXEC) \
  KOMPAKT_INSTANTIATE_CODER_FOR(CODER, backend_tag_t<EXEC>, EXEC)
/// The same for the execution spaces of the host that Kokkos has; Serial has no backend.
#ifdef KOKKOS_ENABLE_SERIAL
#define KOMPAKT_INSTANTIATE_CODER_ON_SERIAL(CODER) \
  KOMPAKT_INSTANTIATE_CODER_FOR(CODER, generic_tag, Kokkos::Serial)
#else
#define KOMPAKT_INSTANTIATE_CODER_ON_SERIAL(CODER)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
#define KOMPAKT_INSTANTIATE_CODER_ON_OPENMP(CODER) KOMPAKT_INSTANTIATE_CODER(CODER, Kokkos::OpenMP)
#else
#define KOMPAKT_INSTANTIATE_CODER_ON_OPENMP(CODER)
#endif
#define KOMPAKT_INSTANTIATE_CODER_ON_HOST(CODER) \
  KOMPAKT_INSTANTIATE_CODER_ON_SERIAL(CODER)     \
  KOMPAKT_INSTANTIATE_CODER_ON_OPENMP(CODER)

#endif
