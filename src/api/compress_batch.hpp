#ifndef KOMPAKT_API_COMPRESS_BATCH_HPP
#define KOMPAKT_API_COMPRESS_BATCH_HPP

#include <algorithm>
#include <api/compress_field.hpp>
#include <kompakt/batch.hpp>
#include <span>
#include <type_traits>
#include <vector>

// What lies behind compress_batch_async(). Included only where it is instantiated.

namespace kompakt::impl {

/// Bytes of the workspace's copy of a field of a batch, if there is one.
inline std::size_t copy_bytes(BatchItem const& item) {
  return WorkspaceSizes::aligned(dense_copy_bytes(item.field.shape, item.field.strides));
}

/// Gives every call its memory and starts those of one type of values.
template <class Tag, class T, class Exec>
class BatchStart {
 public:
  BatchStart(std::span<BatchItem const> items, Options const& options) : m_items(items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      BatchItem const& item = items[i];
      FieldShape const& shape = item.field.shape;
      if (shape.size() == 0 || !with_values(shape.dtype, is_mine)) continue;
      m_numbers.push_back(i);
      m_args.push_back(encode_args<T>(nullptr, shape, options_of(item, options), item.stream,
                                      item.capacity_bytes));
    }
  }

  std::size_t count() const { return m_args.size(); }
  std::size_t scratch_bytes() const {
    std::size_t bytes = count() * batch_entry_bytes(Tag{});
    for (EncodeArgs<T> const& args : m_args) bytes += impl::scratch_bytes<Exec>(args);
    return bytes;
  }
  std::size_t copies_bytes() const {
    std::size_t bytes = 0;
    for (std::size_t const number : m_numbers) bytes += copy_bytes(m_items[number]);
    return bytes;
  }
  std::size_t staging_bytes() const { return count() * batch_entry_bytes(Tag{}); }
  std::size_t kept_bytes_of_call() const {
    std::int64_t chunks = 0;
    for (EncodeArgs<T> const& args : m_args) chunks = std::max(chunks, args.max_chunks());
    return kept_bytes(Tag{}, chunks);
  }

  /// \param scratch   scratch_bytes() on the device
  /// \param copies    copies_bytes() on the device
  /// \param staging   staging_bytes() on the host
  /// \param results   call_readback_bytes for each item of the batch
  void run(Exec const& exec, std::byte* scratch, std::byte* copies, std::byte* staging,
           std::byte* results, typename Workspace<Exec>::KeptSlots& slots) {
    if (m_args.empty()) return;
    BatchMemory memory{staging, scratch, slots.counter};
    scratch += staging_bytes();
    for (std::size_t i = 0; i < count(); ++i) {
      EncodeArgs<T>& args = m_args[i];
      BatchItem const& item = m_items[m_numbers[i]];
      args.field = dense_values<T>(exec, item.field, copies);
      copies += copy_bytes(item);
      set_scratch<Exec>(args, scratch);
      scratch += impl::scratch_bytes<Exec>(args);
      args.kept = slots.first;
      args.kept_bytes = slots.bytes;
      slots.first += slots.bytes;
      args.result = reinterpret_cast<EncodeResult*>(results + m_numbers[i] * call_readback_bytes);
    }
    FpEnvironment const environment;
    for (EncodeArgs<T>& args : m_args) args.bound.value = environment.inside(args.bound.value);
    with_coder<T>(m_args[0].pipeline, m_args[0].variant, [&]<class Coder>(CoderTag<Coder>) {
      CoderCalls<Coder, Tag, Exec, T>::encode_batch(exec, m_args, memory);
    });
  }

 private:
  static constexpr auto is_mine = []<class V>(V) { return std::is_same_v<T, V>; };
  std::span<BatchItem const> m_items;
  std::vector<std::size_t> m_numbers;  // of those of this type
  std::vector<EncodeArgs<T>> m_args;
};

/// The calls of a batch.
template <class Tag, class Exec>
struct BatchStarts {
  BatchStart<Tag, float, Exec> floats;
  BatchStart<Tag, double, Exec> doubles;
  std::size_t results_bytes;

  BatchStarts(std::span<BatchItem const> items, Options const& options)
      : floats(items, options),
        doubles(items, options),
        results_bytes(items.size() * call_readback_bytes) {}

  std::size_t count() const { return floats.count() + doubles.count(); }
  std::size_t kept_bytes_of_call() const {
    return std::max(floats.kept_bytes_of_call(), doubles.kept_bytes_of_call());
  }
  /// What they take of a workspace.
  WorkspaceSizes sizes() const {
    WorkspaceSizes sizes;
    sizes.scratch = floats.scratch_bytes() + doubles.scratch_bytes();
    sizes.field = floats.copies_bytes() + doubles.copies_bytes();
    sizes.slots = Workspace<Exec>::slots_bytes(count(), kept_bytes_of_call());
    sizes.readback = results_bytes + floats.staging_bytes() + doubles.staging_bytes();
    return sizes;
  }
};

/// Throws unless the options and shapes of a batch can be used.
inline void require_batch(char const* function, std::span<BatchItem const> items,
                          Options const& options) {
  validate(options);
  for (BatchItem const& item : items) {
    Options const own = options_of(item, options);
    validate(own);
    require_shape(function, item.field.shape);
    require_bound_for(function, item.field.shape.dtype, own);
  }
}

template <class Exec>
WorkspaceSizes batch_sizes(std::span<BatchItem const> items, Options const& options) {
  require_batch("compress_batch_workspace", items, options);
  return BatchStarts<backend_tag_t<Exec>, Exec>(items, options).sizes();
}

template <class Tag, class Exec>
std::vector<CompressCall<Exec>> start_batch_by(Exec const& exec, std::span<BatchItem const> items,
                                               Options const& options, Workspace<Exec>& workspace) {
  Kokkos::Profiling::ScopedRegion const region("kompakt::compress_batch");
  require_batch("compress_batch", items, options);
  for (BatchItem const& item : items) {
    require_field("compress_batch", item.field.data, item.field.shape);
    require_aligned("compress_batch", item.stream);
  }
  return as_errors("compress_batch", [&] {
    BatchStarts<Tag, Exec> starts(items, options);
    auto& [floats, doubles, results_bytes] = starts;
    WorkspaceSizes const sizes = starts.sizes();
    workspace.reserve(exec, sizes);
    std::byte* const results = workspace.readback_bytes(sizes.readback);
    std::byte* const staging = results + results_bytes;
    std::byte* const scratch = workspace.device_bytes(sizes.scratch);
    std::byte* const copies = workspace.field_bytes(sizes.field);
    auto slots = workspace.kept_slots(exec, starts.count(), starts.kept_bytes_of_call());
    floats.run(exec, scratch, copies, staging, results, slots);
    doubles.run(exec, scratch + floats.scratch_bytes(), copies + floats.copies_bytes(),
                staging + floats.staging_bytes(), results, slots);

    std::vector<CompressCall<Exec>> calls;
    for (std::size_t i = 0; i < items.size(); ++i) {
      BatchItem const& item = items[i];
      std::byte* const readback = results + i * call_readback_bytes;
      FieldShape const& shape = item.field.shape;
      calls.push_back(shape.size() == 0
                          ? start_compress_empty(exec, shape, options_of(item, options), readback,
                                                 item.stream, item.capacity_bytes)
                          : CompressCall<Exec>{exec, reinterpret_cast<EncodeResult*>(readback),
                                               shape, options.reason, item.capacity_bytes});
    }
    return calls;
  });
}

template <class Exec>
std::vector<CompressCall<Exec>> start_batch(Exec const& exec, std::span<BatchItem const> items,
                                            Options const& options, Workspace<Exec>& workspace) {
  return start_batch_by<backend_tag_t<Exec>>(exec, items, options, workspace);
}

template <class Exec>
void finish_batch(std::span<CompressCall<Exec> const> calls, StreamInfo* infos) {
  if (calls.empty()) return;
  as_errors("compress_batch", [&] {
    calls[0].exec.fence("kompakt::compress_batch: headers");
    for (CompressCall<Exec> const& call : calls) *infos++ = result_of(call);
  });
}

}  // namespace kompakt::impl

#endif
