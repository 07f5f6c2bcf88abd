#ifndef KOMPAKT_BATCH_HPP
#define KOMPAKT_BATCH_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <kompakt/compress.hpp>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <vector>

namespace kompakt {

/// Fields one after the other in host memory: a span, vector or array of Views, or of what else is FieldLike.
template <class R>
concept FieldList =
    std::ranges::contiguous_range<R const> && FieldLike<std::ranges::range_value_t<R const>>;

namespace impl {

struct BatchItem {
  FieldSource field;
  ErrorBound bound;  ///< in place of that of the options
  std::byte* stream = nullptr;
  std::size_t capacity_bytes = 0;
  Reason reason{};
};

/// The options of one field of a batch.
inline Options options_of(BatchItem const& item, Options options) {
  options.bound = item.bound;
  if (!item.bound.needs_range()) options.range = 0;
  if (is_integer(item.field.shape.dtype)) options.fill = FillValue::none();
  return options;
}

template <class Exec>
std::vector<CompressCall<Exec>> start_batch(Exec const& exec, std::span<BatchItem const> items,
                                            Options const& options, Workspace<Exec>& workspace);
template <class Exec>
WorkspaceSizes batch_sizes(std::span<BatchItem const> items, Options const& options);
template <class Exec>
void finish_batch(std::span<CompressCall<Exec> const> calls, StreamInfo* infos);

/// \throws Error bad_argument unless there are as many of these as fields
inline void require_as_many(std::size_t fields, std::size_t others, char const* what) {
  if (fields == others) return;
  throw Error(Status::bad_argument, "compress_batch: there are " + std::to_string(fields) +
                                        " fields, but " + std::to_string(others) + " " + what +
                                        "; pass as many " + what + " as fields");
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
    std::vector<StreamInfo> infos(m_calls.size());
    impl::finish_batch(std::span<impl::CompressCall<Exec> const>(m_calls), infos.data());
    for (std::size_t i = 0; i < infos.size(); ++i) m_out[i].set_info(infos[i]);
  }

 private:
  std::vector<impl::CompressCall<Exec>> m_calls;
  std::span<Stream> m_out;
};

/// Bytes that a call of compress_batch() or compress_batch_async() takes of a workspace: those that a workspace with
/// memory of its own holds after the call.
/// \param fields  of which types, extents and strides count; values are not looked at
/// \throws Error bad_argument for a field or an option that the call refuses
template <class Exec, FieldList List>
WorkspaceSizes compress_batch_workspace(List const& fields, Options const& options = {}) {
  std::vector<impl::BatchItem> items;
  for (auto const& field : fields) {
    impl::FieldSource const source = impl::source_of<Exec>(field);
    bool const lossless = is_integer(source.shape.dtype);
    items.push_back({source, lossless ? ErrorBound::lossless() : options.bound, nullptr,
                     std::numeric_limits<std::size_t>::max()});
  }
  return impl::batch_sizes<Exec>(items, options);
}

/// Enqueues the compression of many fields, each into a stream of its own, with the same bytes as a
/// call for each would give: variables of a checkpoint, patches of an adaptive mesh, chunks of a file.
/// \param exec    instance that runs every kernel and copy
/// \param fields  as those of compress_async(); types, ranks and extents may differ; Options::fill does not hold
///                for integers. What does not lie side by side, or only the host reaches, is first copied into the
///                workspace
/// \param bounds  as many, in place of options.bound; Options::range, if there is one, goes for all that take one
/// \param out     as many streams, each grows as needed
/// \param reason  why choose() took these options; kept in every stream
/// \throws Error bad_argument if the numbers of fields and streams differ, or as compress_async()
/// \note on CUDA at most three launches for all fields of 4 bytes a value and three for all of 8, one copy
///       of arguments for each, which pays for fields below about 100 MB, and a launch for each field that is
///       copied; on host spaces, which return after completion, one field after the other
template <class Exec, FieldList List>
PendingBatch<Exec> compress_batch_async(
    Exec const& exec, List const& fields, std::span<ErrorBound const> bounds,
    Options const& options, Workspace<Exec>& workspace,
    std::span<CompressedStream<typename Exec::memory_space>> out, Reason const& reason = {}) {
  impl::require_as_many(std::size(fields), bounds.size(), "bounds");
  impl::require_as_many(std::size(fields), out.size(), "streams");
  std::vector<impl::BatchItem> items;
  for (std::size_t i = 0; i < std::size(fields); ++i) {
    impl::BatchItem item{impl::source_of<Exec>(std::data(fields)[i]), bounds[i]};
    out[i].reserve(max_compressed_bytes(item.field.shape, impl::options_of(item, options)));
    item.stream = out[i].data();
    item.capacity_bytes = out[i].capacity_bytes();
    item.reason = reason;
    items.push_back(item);
  }
  return PendingBatch<Exec>(
      impl::start_batch(exec, std::span<impl::BatchItem const>(items), options, workspace), out);
}
/// Enqueues the compression of many fields within options.bound.
template <class Exec, FieldList List>
PendingBatch<Exec> compress_batch_async(
    Exec const& exec, List const& fields, Options const& options, Workspace<Exec>& workspace,
    std::span<CompressedStream<typename Exec::memory_space>> out, Reason const& reason = {}) {
  std::vector<ErrorBound> const bounds(std::size(fields), options.bound);
  return compress_batch_async(exec, fields, std::span<ErrorBound const>(bounds), options, workspace,
                              out, reason);
}

/// Calls compress_batch_async() and finish(), with one fence of exec.
template <class Exec, FieldList List>
void compress_batch(Exec const& exec, List const& fields, std::span<ErrorBound const> bounds,
                    Options const& options, Workspace<Exec>& workspace,
                    std::span<CompressedStream<typename Exec::memory_space>> out,
                    Reason const& reason = {}) {
  compress_batch_async(exec, fields, bounds, options, workspace, out, reason).finish();
}
template <class Exec, FieldList List>
void compress_batch(Exec const& exec, List const& fields, Options const& options,
                    Workspace<Exec>& workspace,
                    std::span<CompressedStream<typename Exec::memory_space>> out,
                    Reason const& reason = {}) {
  compress_batch_async(exec, fields, options, workspace, out, reason).finish();
}

}  // namespace kompakt

#endif
