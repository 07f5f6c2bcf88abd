#ifndef KOMPAKT_BATCH_HPP
#define KOMPAKT_BATCH_HPP

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstddef>
#include <kompakt/compress.hpp>
#include <kompakt/field_range.hpp>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kompakt {

/// Fields one after the other in host memory: a span, vector or array of Views, or of what else is FieldLike.
template <class R>
concept FieldList =
    std::ranges::contiguous_range<R const> && FieldLike<std::ranges::range_value_t<R const>>;

namespace impl {

struct BatchItem {
  FieldSource field;
  ErrorBound bound;  ///< instead of the bound of the options
  std::byte* stream = nullptr;
  std::size_t capacity_bytes = 0;
  ChoiceRecord reason{};
  std::optional<Options> settled{};  ///< with what has been found out about the field
};

/// The options of one field of a batch.
inline Options options_of(BatchItem const& item, Options options) {
  if (item.settled) return *item.settled;
  options.bound = item.bound;
  options = options_for_type(item.field.shape.dtype, options);
  if (!item.bound.needs_range()) options.range = options.magnitude = 0;
  if (!is_number(coded_type(item.field.shape.dtype, item.bound.mode))) {
    options.fill = FillValue::none();
  }
  return options;
}

template <class Exec>
std::vector<CompressCall<Exec>> start_batch(Exec const& exec, std::span<BatchItem const> items,
                                            Options const& options, Workspace<Exec>& workspace);
template <class Exec>
WorkspaceSizes batch_sizes(std::span<BatchItem const> items, Options const& options);
/// \throws Error buffer_too_small if a stream does not fit
template <class Exec>
void wait_for_batch(std::span<CompressCall<Exec> const> calls);
/// Result of a call of a batch that has been waited for.
template <class Exec>
StreamInfo finish_of_batch(CompressCall<Exec> const& call);

/// Results of the calls of a batch, which it waits for. A field with several fill values that nobody declared, under a bound relative
/// to the range, is compressed once more, alone.
/// \throws Error as wait_for_batch() and finish_of_batch()
template <class Exec>
std::vector<StreamInfo> results_of_batch(std::span<CompressCall<Exec> const> calls,
                                         std::span<BatchItem const> items, Options const& options);

/// A decompression of a batch, and as what its stream is decoded before its header is known.
template <class Exec>
struct BatchedDecompression {
  DecompressCall<Exec> call;
  StreamCoding coding;
};

template <class Exec>
void start_decompress_batch(Exec const& exec, Workspace<Exec>& workspace,
                            std::span<BatchedDecompression<Exec>> batch);
template <class Exec>
std::vector<StreamInfo> finish_decompress_batch(std::span<BatchedDecompression<Exec> const> batch);

/// \throws Error bad_argument unless there are as many of these as fields
inline void require_as_many(std::size_t fields, std::size_t others, char const* what) {
  if (fields == others) return;
  throw Error(
      Status::bad_argument,
      "there are " + std::to_string(fields) + " fields, but " + std::to_string(others) + " " + what,
      std::string("pass as many ") + what + " as fields");
}

}  // namespace impl

/// The compressions that compress_batch_async() has enqueued. Fields, streams and workspace must live,
/// and the workspace may serve no other call, until finish() has returned.
template <class Exec>
class [[nodiscard]] PendingBatch {
 public:
  using Stream = CompressedStream<typename Exec::memory_space>;

  PendingBatch(std::vector<impl::CompressCall<Exec>> calls, std::span<Stream> out)
      : m_calls(std::move(calls)), m_out(out) {}

  /// Waits for the instance; sets the info() of every stream. May be called again after every launch
  /// of a graph into which the call was captured.
  /// \throws Error as PendingCompression::finish()
  void finish() {
    impl::wait_for_batch(std::span<impl::CompressCall<Exec> const>(m_calls));
    for (std::size_t i = 0; i < m_calls.size(); ++i) {
      m_out[i].set_info(impl::finish_of_batch(m_calls[i]));
    }
  }

 private:
  std::vector<impl::CompressCall<Exec>> m_calls;
  std::span<Stream> m_out;
};

/// Bytes that a call of compress_batch() or compress_batch_async() takes of a workspace: those that a workspace with
/// memory of its own holds after the call.
/// \param fields  types, extents and strides count; values are not read
/// \throws Error bad_argument for a field or an option that the call refuses
template <class Exec, FieldList List>
WorkspaceSizes compress_batch_workspace(List const& fields, Options const& options = {}) {
  std::vector<impl::BatchItem> items;
  for (auto const& field : fields) {
    FieldSource const source = impl::source_of<Exec>(field);
    items.push_back({source, bound_for_type(source.shape.dtype, options.bound), nullptr,
                     std::numeric_limits<std::size_t>::max()});
  }
  return impl::batch_sizes<Exec>(items, options);
}

namespace impl {

/// The items of a batch, with streams that have grown to what they need.
/// \throws Error bad_argument if the numbers of fields, bounds and streams differ
template <class Exec, FieldList List, class Streams>
std::vector<BatchItem> items_of_batch(List const& fields, Options const& options,
                                      Streams const& out, std::span<ErrorBound const> bounds,
                                      ChoiceRecord const& reason) {
  named("compress_batch", [&] {
    require_as_many(std::size(fields), bounds.empty() ? std::size(fields) : bounds.size(),
                    "bounds");
    require_as_many(std::size(fields), out.size(), "streams");
  });
  std::vector<BatchItem> items;
  items.reserve(std::size(fields));
  for (std::size_t i = 0; i < std::size(fields); ++i) {
    FieldSource const source = source_of<Exec>(std::data(fields)[i]);
    BatchItem item{source,
                   bound_for_type(source.shape.dtype, bounds.empty() ? options.bound : bounds[i])};
    out[i].reserve(max_compressed_bytes(item.field.shape, options_of(item, options)));
    item.stream = out[i].data();
    item.capacity_bytes = out[i].capacity_bytes();
    item.reason = reason;
    items.push_back(item);
  }
  return items;
}

}  // namespace impl

/// Enqueues the compression of many fields, each into its own stream, with the same bytes as compress_async(). The fields
/// may be variables of a checkpoint, patches of an adaptive mesh, or chunks of a file.
/// \param exec    instance that runs every kernel and copy
/// \param fields  as in compress_async(); types, ranks and extents may differ; integers without loss ignore Options::fill.
///                Fields with gaps, or that only the host reaches, are first copied into the workspace
/// \param out     one stream for each field, which grows as needed
/// \param bounds  one for each field, instead of options.bound; empty: all have options.bound. Options::range holds for all bounds that use a
///                range
/// \param reason  why choose() took these options; stored in every stream
/// \throws Error bad_argument if the numbers of fields, bounds and streams differ, or as compress_async()
/// \note On CUDA all fields with 4 bytes a value share the launches of one field (up to three; eight with codebooks), and so
///       do all fields with 8 bytes. Each field has a copy of arguments, and each copied field a launch. This pays for
///       fields below about 100 MB. Fields for rans and interpolate, and all fields on host spaces, are compressed
///       one after the other. Host spaces return after completion.
template <class Exec, FieldList List>
PendingBatch<Exec> compress_batch_async(
    Exec const& exec, List const& fields, Options const& options, Workspace<Exec>& workspace,
    std::span<CompressedStream<typename Exec::memory_space>> out,
    std::span<ErrorBound const> bounds = {}, ChoiceRecord const& reason = {}) {
  std::vector<impl::BatchItem> const items =
      impl::items_of_batch<Exec>(fields, options, out, bounds, reason);
  return PendingBatch<Exec>(
      impl::start_batch(exec, std::span<impl::BatchItem const>(items), options, workspace), out);
}

/// Calls compress_batch_async() and finish(), with one fence of exec. Of a field with several fill values that nobody declared, under
/// a bound relative to the range, it finds all, as compress() does: it compresses the field once more, alone.
template <class Exec, FieldList List>
void compress_batch(Exec const& exec, List const& fields, Options const& options,
                    Workspace<Exec>& workspace,
                    std::span<CompressedStream<typename Exec::memory_space>> out,
                    std::span<ErrorBound const> bounds = {}, ChoiceRecord const& reason = {}) {
  std::vector<impl::BatchItem> const list =
      impl::items_of_batch<Exec>(fields, options, out, bounds, reason);
  std::span<impl::BatchItem const> const items(list);
  auto const calls = impl::start_batch(exec, items, options, workspace);
  auto const infos =
      impl::results_of_batch(std::span<impl::CompressCall<Exec> const>(calls), items, options);
  for (std::size_t i = 0; i < infos.size(); ++i) out[i].set_info(infos[i]);
}

/// Streams one after the other in host memory: stream objects, or Views of bytes with one stream each.
template <class R, class Exec>
concept StreamList =
    std::ranges::contiguous_range<R const> && std::convertible_to < std::ranges::range_value_t<R>
const&, impl::StreamSource < Exec >> ;

/// The decompressions that decompress_batch_async() has enqueued. Streams, fields and workspace must live, and the
/// workspace may serve no other call, until finish() has returned; the values are valid then.
template <class Exec>
class [[nodiscard]] PendingBatchDecompression {
 public:
  explicit PendingBatchDecompression(std::vector<impl::BatchedDecompression<Exec>> batch)
      : m_batch(std::move(batch)) {}

  /// Waits for the instance and checks all streams; decodes the streams that the first launch could not decode.
  /// \returns the headers
  /// \throws Error as decompress(), with the number of the first damaged stream; the contents of all fields are then
  ///        undefined
  std::vector<StreamInfo> finish() {
    return impl::finish_decompress_batch(
        std::span<impl::BatchedDecompression<Exec> const>(m_batch));
  }

 private:
  std::vector<impl::BatchedDecompression<Exec>> m_batch;
};

/// Enqueues the decompression of many streams, each into its own field; nothing in them is trusted.
/// \param exec     instance that runs every kernel and copy
/// \param streams  as in decompress_async(): of any coding, types and extents
/// \param fields   as many as streams, as in decompress_async()
/// \throws Error bad_argument if the numbers of streams and fields differ, or as decompress_async()
/// \note on CUDA one launch (two with codebooks) for all streams with the same coding and size of values. Each has a
///       copy of its arguments. A field with gaps between its values adds a launch. Streams of rans and
///       interpolate, packed streams, and fields that only the host reaches are decompressed one after the other, and the
///       call waits for each. On host spaces all streams are.
template <class Exec, class Streams, FieldList List>
requires StreamList<Streams, Exec> PendingBatchDecompression<Exec> decompress_batch_async(
    Exec const& exec, Streams const& streams, Workspace<Exec>& workspace, List const& fields) {
  impl::named("decompress_batch",
              [&] { impl::require_as_many(std::size(fields), std::size(streams), "streams"); });
  std::vector<impl::BatchedDecompression<Exec>> batch;
  batch.reserve(std::size(fields));
  for (std::size_t i = 0; i < std::size(fields); ++i) {
    impl::StreamSource<Exec> const source(std::data(streams)[i]);
    auto const target = impl::target_of<Exec>(std::data(fields)[i]);
    batch.push_back(
        {source.call(exec, workspace, target), source.coding.value_or(workspace.coding())});
    batch.back().call.where = "decompress_batch";
  }
  impl::start_decompress_batch(exec, workspace, std::span<impl::BatchedDecompression<Exec>>(batch));
  return PendingBatchDecompression<Exec>(std::move(batch));
}

/// Calls decompress_batch_async() and finish(), with one fence of exec on CUDA unless a stream is decoded by itself.
template <class Exec, class Streams, FieldList List>
requires StreamList<Streams, Exec> std::vector<StreamInfo> decompress_batch(
    Exec const& exec, Streams const& streams, Workspace<Exec>& workspace, List const& fields) {
  return decompress_batch_async(exec, streams, workspace, fields).finish();
}

}  // namespace kompakt

#endif
