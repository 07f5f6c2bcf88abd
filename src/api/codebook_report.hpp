#ifndef KOMPAKT_API_CODEBOOK_REPORT_HPP
#define KOMPAKT_API_CODEBOOK_REPORT_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <api/codebooks.hpp>
#include <api/compress_field.hpp>
#include <cstring>
#include <limits>
#include <vector>

// What lies behind codebook_report(). Included only where it is instantiated, beside the calls of its
// coder, whose kernels it shares: api/instantiate_host/huffman.cpp.

namespace kompakt::impl {

template <class T, class Exec>
CodebookReport codebook_report_of_values(Exec const& exec, T const* field, FieldShape const& shape,
                                         Options const& options, Workspace<Exec>& workspace) {
  EncodeArgs<T> args =
      encode_args(field, shape, options, nullptr, std::numeric_limits<std::size_t>::max());
  // Of a stream there is only what make_codebook() writes, and all before it.
  std::size_t const front = args.longest_layout(0).index;
  std::size_t const scratch = scratch_bytes<Exec>(args);
  std::byte* const memory = workspace.device_bytes(scratch + front);
  set_scratch<Exec>(args, memory);
  args.stream = memory + scratch;
  {
    FpEnvironment const environment;
    args.bound.value = environment.inside(args.bound.value);
    resolve(backend_tag_t<Exec>{}, exec, args);
    count_entries<huffman::Counter<T>>(backend_tag_t<Exec>{}, exec, args);
    make_codebook(exec, args);
  }
  exec.fence("kompakt::codebook_report");

  EncodeState<T> const& state = *args.state;
  auto const kind = static_cast<int>(state.tile_kind);
  std::uint32_t const* const sums = args.book.counts_of(kind);
  std::vector<std::uint32_t> const counts(sums, sums + huffman::entry_count(args.radius));
  CodebookReport report = report_of_counts(counts, args.radius, 16 + 32 * value_words<T>);
  report.predictor = predictor_name(state.tile_kind, state.quantizer.constant);
  report.sample_chunks = static_cast<std::uint64_t>(
      std::min(book_sample_chunks, chunk_count(state.tile_kind, args.extents)));
  report.sample_values = state.sample_values[kind];
  report.fixed_words = state.sample_words[kind];
  std::uint64_t head = 0;
  std::memcpy(&head, args.codebook(), sizeof(head));
  report.codebook = codebook_info(huffman::CodebookHead::of(head));
  return report;
}

template <class Exec>
CodebookReport codebook_report(Exec const& exec, void const* field, FieldShape const& shape,
                               Options const& options, Workspace<Exec>& workspace) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::codebook_report");
  validate(options);
  require_codebook_pipeline("codebook_report", options.pipeline);
  require_field("codebook_report", field, shape);
  return as_errors("codebook_report", [&] {
    if (shape.size() == 0) {
      return report_of_counts(std::vector<std::uint32_t>(
                                  static_cast<std::size_t>(huffman::entry_count(options.radius))),
                              options.radius, 0);
    }
    return with_values(shape.dtype, [&]<class T>(T) {
      return codebook_report_of_values(exec, static_cast<T const*>(field), shape, options,
                                       workspace);
    });
  });
}

}  // namespace kompakt::impl

#endif
