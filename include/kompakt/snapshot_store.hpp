#ifndef KOMPAKT_SNAPSHOT_STORE_HPP
#define KOMPAKT_SNAPSHOT_STORE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cstddef>
#include <cstdint>
#include <kompakt/any_codec.hpp>
#include <kompakt/compress.hpp>
#include <kompakt/error.hpp>
#include <kompakt/field.hpp>
#include <kompakt/memory.hpp>
#include <kompakt/options.hpp>
#include <kompakt/spaces.hpp>
#include <kompakt/stream.hpp>
#include <kompakt/workspace.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Old states of Views, compressed, in the memory where the Views are: for adjoint and time-reversal codes.

namespace kompakt {

/// Behaviour of a SnapshotStore if its budget has no room for a state.
enum class WhenFull : std::uint8_t {
  refuse = 0,        ///< put() throws; what is there stays
  evict_oldest = 1,  ///< the states that were put first go until there is room
};

struct SnapshotOptions {
  /// Bound and coding of every state; the default is for smooth fields, 1e-4 of each state's range. Integers, which may be labels,
  /// come back exactly whatever the bound.
  Options coding = {.bound = ErrorBound::relative_to_range(1e-4),
                    .pipeline = Pipeline::bitshuffle,
                    .predictor = Predictor::interpolate};
  WhenFull when_full = WhenFull::refuse;
};

/// Contents of a SnapshotStore.
struct SnapshotStats {
  std::size_t states = 0;
  std::size_t raw_bytes = 0;        ///< of their values
  std::size_t stored_bytes = 0;     ///< that they take of the budget
  std::size_t budget_bytes = 0;     ///< allocated once, in the memory of the execution space
  std::size_t workspace_bytes = 0;  ///< there beside it, for the calls
  std::size_t evicted = 0;          ///< states that have gone for want of room, so far

  /// Values against the memory that they take; 0 without a state.
  double ratio() const {
    return stored_bytes == 0 ? 0
                             : static_cast<double>(raw_bytes) / static_cast<double>(stored_bytes);
  }
};

namespace impl {

/// Which state lies where in the budget.
class SnapshotIndex {
 public:
  struct Room {
    std::size_t offset = 0, bytes = 0;
  };
  struct State {
    std::uint64_t step = 0;
    std::string name;
    StreamInfo info{};
    Room room{};
    std::uint64_t number = 0;  ///< of the put
  };

  explicit SnapshotIndex(std::size_t budget_bytes) : m_budget_bytes(budget_bytes) {}

  /// \throws Error bad_argument if there is such a state
  void require_new(std::uint64_t step, std::string_view name) const;
  /// \throws Error bad_argument naming the steps that there are
  State const& at(std::uint64_t step, std::string_view name) const;
  /// at(), for a field of this shape.
  /// \throws Error type_mismatch if the state is of another type or extents
  State const& at(std::uint64_t step, std::string_view name, FieldShape const& shape) const;
  bool contains(std::uint64_t step, std::string_view name) const;

  /// Place of the largest free piece of memory.
  Room largest_room() const;
  /// Expected size of a state of this name, by the one before it; 0 for the first one.
  std::size_t likely_bytes(std::string_view name) const;
  /// A state that has been written to the front of a room.
  void add(std::uint64_t step, std::string_view name, StreamInfo const& info, Room const& room);
  void erase(std::uint64_t step, std::string_view name);
  void clear() { m_states.clear(); }
  /// Takes the state out that was put first.
  /// \returns false if there is none
  bool evict_oldest();
  /// \throws Error buffer_too_small with the numbers
  [[noreturn]] void refuse(std::uint64_t step, std::string_view name,
                           FieldShape const& shape) const;

  /// Steps of a name, in the order of put().
  std::vector<std::uint64_t> steps(std::string_view name) const;
  SnapshotStats stats() const;

 private:
  std::vector<State>::const_iterator find(std::uint64_t step, std::string_view name) const;

  std::size_t m_budget_bytes;
  std::vector<State> m_states;  // by their places
  std::uint64_t m_puts = 0;
  std::size_t m_evicted = 0;
};

}  // namespace impl

/// Keeps old time levels of Views compressed in the memory of an execution space, which is allocated once, and gives
/// them back within the bound. A state is a View at a step; states of several Views have names.
///
/// Streams are written where they stay, side by side, and are not copied. All kernels are enqueued on one instance, in the
/// order of the calls. One thread uses a store, which must be gone before Kokkos is finalised.
template <SupportedSpace Exec>
class SnapshotStore {
 public:
  /// \param exec          instance on which the Views are written and read; it is kept
  /// \param budget_bytes  for all states together
  /// \throws Error device if there is no such memory; bad_argument for options that cannot be used
  SnapshotStore(Exec const& exec, std::size_t budget_bytes, SnapshotOptions const& options = {})
      : m_exec(exec), m_options(options), m_workspace(exec), m_index(budget_bytes) {
    validate(options.coding);
    impl::grow_bytes(m_pool, budget_bytes, "kompakt::snapshots::pool");
  }
  ~SnapshotStore() {
    if (m_pending) m_exec.fence("kompakt::SnapshotStore: the last state has been read");
  }
  SnapshotStore(SnapshotStore const&) = delete;
  SnapshotStore& operator=(SnapshotStore const&) = delete;

  /// Adds a state; what is enqueued on the instance later may change the View.
  /// \param view  as in compress()
  /// \param name  of the View, if the store has states of several
  /// \throws Error bad_argument if there is such a state, or for a View that cannot be used; buffer_too_small with the numbers if the
  ///         budget has no room and may not evict, or is smaller than the state; device
  /// \note waits for the instance only if the free memory could be too small for the stream: else the next call does, to
  ///       learn its size. The View's memory must live until then. With WhenFull::evict_oldest a state that is larger than
  ///       all of the budget has taken all others out when put() throws
  template <FieldLike F>
  void put(std::uint64_t step, F const& view, std::string_view name = "") {
    Kokkos::Profiling::ScopedRegion const region("kompakt::snapshots::put");
    settle();
    m_index.require_new(step, name);
    FieldSource const source = impl::whole_source_of<Exec>(view);
    make_likely_room(name);
    while (!start(step, view, source.shape, name)) {
      bool const may_evict = m_options.when_full == WhenFull::evict_oldest;
      if (!may_evict || !m_index.evict_oldest()) m_index.refuse(step, name, source.shape);
    }
  }

  /// Gives a state back; it stays in the store.
  /// \param view  of its type and extents, in any layout
  /// \returns what the stream's header says
  /// \throws Error bad_argument if there is no such state; type_mismatch; device
  /// \note waits for the instance, once
  template <FieldLike F>
  StreamInfo get(std::uint64_t step, F const& view, std::string_view name = "") {
    Kokkos::Profiling::ScopedRegion const region("kompakt::snapshots::get");
    return get_async(step, view, name).finish();
  }
  /// Enqueues what get() does, to prefetch a state: its values are valid when finish() has returned.
  /// \note The next call to the store must come after finish()
  template <FieldLike F>
  PendingDecompression<Exec> get_async(std::uint64_t step, F const& view,
                                       std::string_view name = "") {
    settle();
    auto const& state = m_index.at(step, name, impl::whole_target_of<Exec>(view).shape);
    StreamInfo const& info = state.info;
    m_workspace.expect(
        {info.pipeline, info.variant, info.prediction.value_or(Prediction{}).method});
    return decompress_async(m_exec, bytes(state.room.offset, info.bytes), m_workspace, view);
  }

  bool contains(std::uint64_t step, std::string_view name = "") {
    settle();
    return m_index.contains(step, name);
  }
  /// Steps of a View's states, in the order in which they were put.
  std::vector<std::uint64_t> steps(std::string_view name = "") {
    settle();
    return m_index.steps(name);
  }
  /// Its memory is free for others.
  /// \throws Error bad_argument if there is no such state
  void erase(std::uint64_t step, std::string_view name = "") {
    settle();
    m_index.erase(step, name);
  }
  void clear() {
    settle();
    m_index.clear();
  }
  SnapshotStats stats() {
    settle();
    SnapshotStats stats = m_index.stats();
    stats.workspace_bytes = m_workspace.capacity_bytes();
    return stats;
  }

 private:
  using Bytes = Kokkos::View<std::byte*, typename Exec::memory_space>;

  /// A put whose size is not known yet.
  struct Pending {
    PendingCompression<Exec> call;
    std::uint64_t step;
    std::string name;
    impl::SnapshotIndex::Room room;
  };

  Bytes bytes(std::size_t offset, std::size_t count) const {
    return Kokkos::subview(m_pool, std::make_pair(offset, offset + count));
  }
  void settle() {
    if (!m_pending) return;
    Pending put = std::move(*std::exchange(m_pending, std::nullopt));
    m_index.add(put.step, put.name, put.call.finish(), put.room);
  }
  /// So that a state is not compressed in vain before the oldest ones go.
  void make_likely_room(std::string_view name) {
    if (m_options.when_full != WhenFull::evict_oldest) return;
    std::size_t const likely = m_index.likely_bytes(name);
    while (m_index.largest_room().bytes < likely && m_index.evict_oldest()) continue;
  }
  Options coding_of(FieldShape const& shape) const {
    return is_integer(shape.dtype) ? impl::exact_integers(m_options.coding) : m_options.coding;
  }
  /// Compresses into the largest free room. Returns false if that is too small.
  template <class F>
  bool start(std::uint64_t step, F const& view, FieldShape const& shape, std::string_view name) {
    impl::SnapshotIndex::Room const room = m_index.largest_room();
    try {
      Options const coding = coding_of(shape);
      auto call = compress_async(m_exec, view, coding, m_workspace, bytes(room.offset, room.bytes));
      m_pending.emplace(Pending{call, step, std::string(name), room});
      if (room.bytes < max_compressed_bytes(shape, coding)) settle();
      return true;
    } catch (Error const& error) {
      if (error.status() != Status::buffer_too_small) throw;
      return false;
    }
  }

  Exec m_exec;
  SnapshotOptions m_options;
  Workspace<Exec> m_workspace;
  Bytes m_pool;
  impl::SnapshotIndex m_index;
  std::optional<Pending> m_pending;
};

}  // namespace kompakt

#endif
