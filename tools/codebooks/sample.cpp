#include "sample.hpp"

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <api/checks.hpp>
#include <coder/huffman/kernels.hpp>
#include <coder/huffman/seat.hpp>
#include <cstddef>
#include <limits>
#include <pipeline/encode_call.hpp>
#include <pipeline/field_operations.hpp>
#include <pipeline/kernels.hpp>

// The one file of the report that uses the road from compress() to its kernels.

namespace kompakt::tools {

namespace {

namespace huffman = impl::huffman;

/// A compression up to its codebook.
template <class T, class Exec>
SampleCounts count_values(Exec const& exec, impl::EncodeRequest const& request,
                          Workspace<Exec>& workspace) {
  using Kernels =
      impl::Kernels<impl::seat::Huffman, impl::seat::Lorenzo, impl::backend_tag_t<Exec>, Exec, T>;
  impl::EncodeArgs<T> args = impl::encode_args<T>(request);
  std::size_t const front = args.longest_layout(0, huffman::max_section_bytes(args.radius)).index;
  impl::place_in(workspace, exec, [&](impl::CallMemory& memory) {
    impl::place_scratch<Kernels>(args, memory.scratch);
    // Of a stream there is only what the codebook is written to, and all before it.
    args.stream = memory.scratch.take<std::byte>(front);
    args.persistent = memory.persistent.take<std::byte>(
        impl::persistent_bytes(typename Kernels::Tag{}, args.max_chunks()));
  });
  args.persistent_bytes = workspace.persistent_capacity();
  args.field = static_cast<T const*>(request.field.data);
  {
    impl::FpEnvironment const environment;
    args.bound.value = environment.inside(args.bound.value);
    impl::resolve(typename Kernels::Tag{}, exec, args);
    Kernels::prepare(exec, args);
  }
  exec.fence("kompakt::codebook_report");

  impl::EncodeState<T> const& state = *args.state;
  auto const shape = static_cast<int>(state.found.tile_shape);
  std::uint32_t const* const sums = huffman::encode_memory<Exec>(args).counts_of(shape);
  SampleCounts sample;
  StreamInfo info;
  info.prediction = {request.asked.method, state.found.tile_shape};
  info.constant = state.quantizer.bins == impl::Bins::constant;
  sample.predictor = info.predictor_word();
  sample.chunks =
      static_cast<std::uint64_t>(huffman::book_samples(args.asked)
                                     .of(impl::chunk_count(state.found.tile_shape, args.extents)));
  sample.values = state.sample_values[shape];
  sample.fixed_words = state.sample_words[shape];
  sample.radius = args.radius;
  sample.list_bits = 16 + 32 * impl::value_words<T>;
  sample.entries = {sums, sums + huffman::entry_count(args.radius)};
  huffman::tell(state.found.coder_head, state.found.extra.coder, info);
  sample.codebook = info.codebook;
  return sample;
}

SampleCounts count_nothing(int radius) {
  SampleCounts sample;
  sample.radius = radius;
  sample.entries.resize(static_cast<std::size_t>(huffman::entry_count(radius)));
  return sample;
}

}  // namespace

constexpr char const* where = "codebook_report";

template <class Exec>
SampleCounts count_sample(Exec const& exec, ConstFieldData const& field, Options const& options,
                          Workspace<Exec>& workspace) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::codebook_report");
  validate(options);
  if (options.pipeline != Pipeline::huffman) {
    throw Error(Status::bad_argument, where,
                std::string("the pipeline ") + to_string(options.pipeline) +
                    " has no codebook; only huffman does",
                "");
  }
  impl::named(where, [&] { impl::require_field(field); });
  if (field.shape.size() == 0) return count_nothing(options.radius);
  impl::EncodeRequest const request({field}, options, {}, nullptr,
                                    std::numeric_limits<std::size_t>::max());
  return impl::translate_exceptions(where, [&] {
    return impl::with_word_type(
        field.shape.dtype, [&]<class T>(T) { return count_values<T>(exec, request, workspace); });
  });
}

#ifdef KOKKOS_ENABLE_SERIAL
template SampleCounts count_sample(Kokkos::Serial const&, ConstFieldData const&, Options const&,
                                   Workspace<Kokkos::Serial>&);
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template SampleCounts count_sample(Kokkos::OpenMP const&, ConstFieldData const&, Options const&,
                                   Workspace<Kokkos::OpenMP>&);
#endif

}  // namespace kompakt::tools
