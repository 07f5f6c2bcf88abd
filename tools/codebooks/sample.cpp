#include "sample.hpp"

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <api/codebooks.hpp>
#include <api/compress_field.hpp>
#include <cstddef>
#include <cstring>
#include <limits>

// The one file of the report that uses the road from compress() to its kernels.

namespace kompakt::tools {

namespace {

namespace huffman = impl::huffman;

/// A compression up to its codebook.
template <class T, class Exec>
SampleCounts count_values(Exec const& exec, T const* field, FieldShape const& shape,
                          Options const& options, Workspace<Exec>& workspace) {
  using Tag = impl::backend_tag_t<Exec>;
  impl::EncodeArgs<T> args =
      impl::encode_args(field, shape, options, nullptr, std::numeric_limits<std::size_t>::max());
  // Of a stream there is only what make_codebook() writes, and all before it.
  std::size_t const front = args.longest_layout(0).index;
  std::size_t const scratch = impl::scratch_bytes<Exec>(args);
  std::byte* const memory = workspace.device_bytes(scratch + front);
  impl::set_scratch<Exec>(args, memory);
  args.stream = memory + scratch;
  {
    impl::FpEnvironment const environment;
    args.bound.value = environment.inside(args.bound.value);
    impl::resolve(Tag{}, exec, args);
    impl::count_entries<huffman::Counter<T>>(Tag{}, exec, args);
    impl::make_codebook(exec, args);
  }
  exec.fence("kompakt::codebook_report");

  impl::EncodeState<T> const& state = *args.state;
  auto const kind = static_cast<int>(state.tile_kind);
  std::uint32_t const* const sums = args.book.counts_of(kind);
  std::uint64_t head = 0;
  std::memcpy(&head, args.codebook(), sizeof(head));
  SampleCounts sample;
  sample.predictor = impl::predictor_name(state.tile_kind, state.quantizer.constant);
  sample.chunks = static_cast<std::uint64_t>(
      std::min(impl::book_sample_chunks, impl::chunk_count(state.tile_kind, args.extents)));
  sample.values = state.sample_values[kind];
  sample.fixed_words = state.sample_words[kind];
  sample.radius = args.radius;
  sample.list_bits = 16 + 32 * impl::value_words<T>;
  sample.entries = {sums, sums + huffman::entry_count(args.radius)};
  sample.codebook = impl::codebook_info(huffman::CodebookHead::of(head));
  return sample;
}

SampleCounts count_nothing(int radius) {
  SampleCounts sample;
  sample.radius = radius;
  sample.entries.resize(static_cast<std::size_t>(huffman::entry_count(radius)));
  return sample;
}

}  // namespace

template <class Exec>
SampleCounts count_sample(Exec const& exec, ConstFieldData const& field, Options const& options,
                          Workspace<Exec>& workspace) {
  constexpr char const* function = "codebook_report";
  Kokkos::Profiling::ScopedRegion const region("kompakt::codebook_report");
  validate(options);
  impl::require_codebook_pipeline(function, options.pipeline);
  impl::require_field(function, field.data, field.shape);
  if (field.shape.size() == 0) return count_nothing(options.radius);
  return impl::as_errors(function, [&] {
    return impl::with_values(field.shape.dtype, [&]<class T>(T) {
      return count_values(exec, static_cast<T const*>(field.data), field.shape, options, workspace);
    });
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
