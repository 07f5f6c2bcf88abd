#ifndef KOMPAKT_PIPELINE_BATCH_HPP
#define KOMPAKT_PIPELINE_BATCH_HPP

#include <algorithm>
#include <kompakt/batch.hpp>
#include <memory_resource>
#include <pipeline/compress.hpp>
#include <pipeline/hide_fills.hpp>
#include <span>
#include <vector>

// Several compressions in one call: those whose values are words of the same type go the road of compress.hpp together.

namespace kompakt::impl {

inline EncodeRequest request_of(BatchItem const& item, Options const& options) {
  return {item.field, options_of(item, options), item.reason, item.stream, item.capacity_bytes};
}

/// Whether an item has values that are rounded.
inline bool has_rounded_values(BatchItem const& item) {
  return are_rounded(item.field.shape.dtype, item.bound.mode);
}

/// The items of a batch with what has been found out about fields whose values are rounded. Waits for the device if there is something to find.
/// \throws Error bad_argument for integers that are too large for a bound
template <class Exec>
std::vector<BatchItem> settled_items(Exec const& exec, std::span<BatchItem const> items,
                                     Options const& options, Workspace<Exec>& workspace) {
  std::vector<BatchItem> settled(items.begin(), items.end());
  for (BatchItem& item : settled) {
    if (!has_rounded_values(item)) continue;
    Options const given = options_of(item, options);
    item.settled = options_for_rounding(exec, item.field, given, workspace);
    if (item.settled->bound.mode == given.bound.mode) continue;
    throw Error(Status::bad_argument,
                std::string("some values of ") + to_string(item.field.shape.dtype) +
                    " are 2^53 or more, which have no bound in a batch",
                "choose the mode lossless for the field");
  }
  return settled;
}

/// The compressions of a batch whose values kernels take as T.
template <class Tag, class T, class Exec>
class BatchOf {
 public:
  /// \param lists  that the memory of the object comes from
  BatchOf(std::span<BatchItem const> items, Options const& options,
          std::pmr::memory_resource* lists)
      : m_numbers(lists), m_requests(lists), m_args(lists), m_copies(lists) {
    auto const is_taken = [](BatchItem const& item) {
      FieldShape const& shape = item.field.shape;
      Dtype const coded = coded_type(shape.dtype, item.bound.mode);
      return shape.size() > 0 && coded_bytes(coded) == sizeof(T);
    };
    auto const count =
        static_cast<std::size_t>(std::count_if(items.begin(), items.end(), is_taken));
    m_numbers.reserve(count);
    m_requests.reserve(count);
    m_args.reserve(count);
    for (std::size_t i = 0; i < items.size(); ++i) {
      BatchItem const& item = items[i];
      if (!is_taken(item)) continue;
      EncodeRequest const request = request_of(item, options);
      m_numbers.push_back(i);
      m_requests.push_back(request);
      m_args.push_back(encode_args<T>(request));
    }
    m_copies.resize(m_args.size());
  }

  std::size_t count() const { return m_args.size(); }
  /// EncodeArgs::max_turns() of the call that has most.
  std::int64_t max_turns() const {
    std::int64_t turns = 0;
    for (EncodeArgs<T> const& args : m_args) turns = std::max(turns, args.max_turns());
    return turns;
  }

  /// That of the stream which takes most to pack.
  std::size_t packing_bytes() const {
    std::size_t most = 0;
    for (std::size_t i = 0; i < count(); ++i) {
      most = std::max(most, packing_bytes_of(m_args[i], m_requests[i]));
    }
    return most;
  }

  /// All memory but the persistent one.
  /// \param results  one for each item of the batch
  void place(EncodeResult* results, CallMemory& memory) {
    if (m_args.empty()) return;
    with_kernels_of_batch([&]<class Kernels>(TypeTag<Kernels>) {
      std::size_t const entries = count() * batch_entry_bytes(typename Kernels::Tag{});
      m_memory.device = memory.scratch.take<std::byte>(entries);
      m_memory.staging = memory.readback.take<std::byte>(entries);
      for (std::size_t i = 0; i < count(); ++i) {
        place_scratch<Kernels>(m_args[i], memory.scratch);
        m_args[i].result = behind(results, m_numbers[i]);
        FieldSource const& field = m_requests[i].field;
        m_copies[i].place(field, field.access, m_requests[i].asked.coded_type(), memory,
                          m_requests[i].may_hide_values(),
                          converts_by_tiles(m_args[i], m_requests[i]));
        m_args[i].spare = reinterpret_cast<T*>(m_copies[i].without_fills);
      }
    });
  }

  /// Enqueues them.
  void start(Exec const& exec, typename Workspace<Exec>::BatchSlots& slots) {
    if (m_args.empty()) return;
    m_memory.counter = slots.counter;
    for (std::size_t i = 0; i < count(); ++i) {
      m_args[i].persistent = slots.first;
      m_args[i].persistent_bytes = slots.bytes;
      slots.first += slots.bytes;
      bring_values(exec, m_requests[i].field, m_copies[i], m_args[i]);
      if (m_requests[i].hides_fills()) {
        hide_fills(exec, FillList<T>::of(m_requests[i].fill), m_copies[i], m_args[i]);
      }
    }
    FpEnvironment const environment;
    for (EncodeArgs<T>& args : m_args) args.bound.value = environment.inside(args.bound.value);
    with_kernels_of_batch([&]<class Kernels>(TypeTag<Kernels>) {
      compress_values<Kernels>(exec, std::span<EncodeArgs<T> const>(m_args), m_memory);
    });
  }

 private:
  template <class Body>
  void with_kernels_of_batch(Body const& body) {
    with_kernels<Tag, Exec, T>(m_requests[0].coding(), body);
  }

  std::pmr::vector<std::size_t> m_numbers;  // of the items that these are
  std::pmr::vector<EncodeRequest> m_requests;
  std::pmr::vector<EncodeArgs<T>> m_args;
  std::pmr::vector<DenseCopy<Exec>> m_copies;
  BatchMemory m_memory;
};

/// All compressions of a batch.
template <class Tag, class Exec>
struct Batch {
  BatchOf<Tag, float, Exec> floats;
  BatchOf<Tag, double, Exec> doubles;
  std::size_t items;
  EncodeResult* results = nullptr;
  std::byte* empty = nullptr;  ///< for each item as much as a stream without values takes

  Batch(std::span<BatchItem const> batch, Options const& options,
        std::pmr::memory_resource* lists = std::pmr::get_default_resource())
      : floats(batch, options, lists), doubles(batch, options, lists), items(batch.size()) {}

  void place(CallMemory& memory) {
    results = memory.readback.take<EncodeResult>(items);
    empty = memory.readback.take<std::byte>(items * carved_bytes(place_empty));
    floats.place(results, memory);
    doubles.place(results, memory);
  }
  std::size_t count() const { return floats.count() + doubles.count(); }
  /// Persistent bytes of one call.
  std::size_t slot_bytes() const {
    return persistent_bytes(Tag{}, std::max(floats.max_turns(), doubles.max_turns()));
  }
  WorkspaceSizes sizes() {
    WorkspaceSizes sizes = sizes_of([this](CallMemory& memory) { place(memory); });
    sizes.batch = Workspace<Exec>::batch_bytes(count(), slot_bytes());
    sizes.packing = std::max(floats.packing_bytes(), doubles.packing_bytes());
    return sizes;
  }
};

/// Several compressions whose arguments have been checked.
template <class Tag, class Exec>
std::vector<CompressCall<Exec>> start_compressions(Exec const& exec,
                                                   std::span<BatchItem const> items,
                                                   Options const& options,
                                                   Workspace<Exec>& workspace) {
  Batch<Tag, Exec> batch(items, options, &workspace.lists());
  place_in(workspace, exec, batch.sizes(), [&](CallMemory& memory) { batch.place(memory); });
  auto slots = workspace.batch_slots(exec, batch.count(), batch.slot_bytes());
  batch.floats.start(exec, slots);
  batch.doubles.start(exec, slots);
  std::vector<CompressCall<Exec>> calls;
  calls.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    BatchItem const& item = items[i];
    EncodeRequest const request = request_of(item, options);
    if (item.field.shape.size() == 0) {
      calls.push_back(start_empty(exec, request, batch.empty + i * carved_bytes(place_empty)));
    } else {
      calls.push_back(call_of(exec, batch.results + i, request, workspace));
    }
  }
  return calls;
}

}  // namespace kompakt::impl

#endif
