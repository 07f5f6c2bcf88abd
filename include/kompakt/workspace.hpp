#ifndef KOMPAKT_WORKSPACE_HPP
#define KOMPAKT_WORKSPACE_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <kompakt/error.hpp>
#include <kompakt/memory.hpp>
#include <kompakt/options.hpp>
#include <memory>
#include <string>
#include <utility>

namespace kompakt {

/// Bytes of the parts of a Workspace: what a call takes (compress_workspace() and the like), what a workspace
/// holds.
struct WorkspaceSizes {
  static constexpr std::size_t alignment = 64;  ///< of each part

  std::size_t scratch = 0;     ///< of a call's kernels
  std::size_t field = 0;       ///< for a copy of a field
  std::size_t persistent = 0;  ///< what kernels keep from call to call, zero at first
  std::size_t batch = 0;       ///< what kernels of batches keep
  std::size_t packing = 0;     ///< of Options::pack: a stream on its way to a packed one or back
  std::size_t readback =
      0;  ///< in host memory, pinned for CUDA; all others are in the memory of Exec

  /// Bytes of all parts in the memory of Exec, one behind the other.
  constexpr std::size_t device_bytes() const {
    return aligned(scratch) + aligned(field) + aligned(persistent) + aligned(batch) +
           aligned(packing);
  }
  static constexpr std::size_t aligned(std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
  }
  friend constexpr bool operator==(WorkspaceSizes const&, WorkspaceSizes const&) = default;
};

/// Sizes that serve calls of both kinds, one after the other.
constexpr WorkspaceSizes max(WorkspaceSizes const& a, WorkspaceSizes const& b) {
  return {std::max(a.scratch, b.scratch),       std::max(a.field, b.field),
          std::max(a.persistent, b.persistent), std::max(a.batch, b.batch),
          std::max(a.packing, b.packing),       std::max(a.readback, b.readback)};
}

/// Scratch memory of compress and decompress, kept between calls. Of its own, which only grows: a second call
/// of the same size allocates nothing; or of the user's, and no call allocates anything. One call at a time may
/// use it.
template <class Exec>
class Workspace {
  static_assert(impl::is_supported_space<Exec>,
                "Workspace: Exec must be Kokkos::Serial, Kokkos::OpenMP or Kokkos::Cuda");

 public:
  using DeviceBytes = Kokkos::View<std::byte*, typename Exec::memory_space>;
  /// Host memory; pinned for CUDA.
  using ReadbackBytes = Kokkos::View<std::byte*, typename impl::readback_space<Exec>::type>;

  /// Memory of its own; none before the first call.
  explicit Workspace(Exec const&) {}

  /// Memory of the user's, which nobody else may use before the workspace is gone. A call that needs more of a
  /// part than there is throws Error buffer_too_small and has done nothing.
  /// \param sizes     of the parts: what compress_workspace() and the like say, several joined by max()
  /// \param device    sizes.device_bytes() or more, aligned to 64 bytes
  /// \param readback  sizes.readback or more, aligned to 64 bytes
  /// \throws Error buffer_too_small if there is less, bad_argument if it is not aligned
  /// \note enqueues on exec that the parts which must be zero at first become so
  Workspace(Exec const& exec, WorkspaceSizes const& sizes, DeviceBytes const& device,
            ReadbackBytes const& readback)
      : m_is_given(true) {
    require_memory("device", sizes.device_bytes(), device.data(), device.extent(0));
    require_memory("readback", sizes.readback, readback.data(), readback.extent(0));
    std::size_t taken = 0;
    auto const take = [&](std::size_t bytes) {
      std::size_t const at = std::exchange(taken, taken + WorkspaceSizes::aligned(bytes));
      return Kokkos::subview(device, std::make_pair(at, at + bytes));
    };
    m_scratch = take(sizes.scratch);
    m_field = take(sizes.field);
    m_persistent = take(sizes.persistent);
    m_batch = take(sizes.batch);
    m_packing = take(sizes.packing);
    m_readback = Kokkos::subview(readback, std::make_pair(std::size_t{0}, sizes.readback));
    clear(exec, m_persistent);
    clear(exec, m_batch);
  }

  /// Sizes of its parts.
  WorkspaceSizes sizes() const noexcept {
    return {m_scratch.extent(0), m_field.extent(0),   m_persistent.extent(0),
            m_batch.extent(0),   m_packing.extent(0), m_readback.extent(0)};
  }
  /// Bytes held in the memory of Exec.
  std::size_t capacity_bytes() const noexcept { return sizes().device_bytes(); }

  /// Makes every part at least as large, which calls of these sizes then need not do.
  /// \throws Error device if there is no memory, buffer_too_small if it was given and is smaller
  void reserve(Exec const& exec, WorkspaceSizes const& sizes) {
    require(sizes);
    device_bytes(sizes.scratch);
    field_bytes(sizes.field);
    persistent_bytes(exec, sizes.persistent);
    packing_bytes(sizes.packing);
    readback_bytes(sizes.readback);
    if (sizes.batch > m_batch.extent(0)) renew(exec, m_batch, sizes.batch, "batch");
  }

  // What follows is for the library.

  /// Throws Error buffer_too_small if the user has given less; memory of its own grows when it is needed.
  void require(WorkspaceSizes const& sizes) const {
    if (!m_is_given) return;
    require_part("scratch", sizes.scratch, m_scratch.extent(0));
    require_part("field", sizes.field, m_field.extent(0));
    require_part("persistent", sizes.persistent, m_persistent.extent(0));
    require_part("batch", sizes.batch, m_batch.extent(0));
    require_part("packing", sizes.packing, m_packing.extent(0));
    require_part("readback", sizes.readback, m_readback.extent(0));
  }
  /// Scratch memory of at least `bytes`, contents undefined, aligned to 64 bytes.
  std::byte* device_bytes(std::size_t bytes) { return at_least(m_scratch, bytes, "scratch"); }
  /// Memory for a dense copy of a field, as device_bytes().
  std::byte* field_bytes(std::size_t bytes) { return at_least(m_field, bytes, "field"); }
  /// Memory for a stream that is packed or unpacked, as device_bytes().
  std::byte* packing_bytes(std::size_t bytes) { return at_least(m_packing, bytes, "packing"); }
  /// Host memory that results are read back to, as device_bytes().
  std::byte* readback_bytes(std::size_t bytes) { return at_least(m_readback, bytes, "readback"); }

  /// Memory that keeps its contents from call to call; zero, on exec, when it grows.
  std::byte* persistent_bytes(Exec const& exec, std::size_t bytes) {
    if (bytes > m_persistent.extent(0)) renew(exec, m_persistent, bytes, "persistent");
    return m_persistent.data();
  }
  std::size_t persistent_capacity() const noexcept { return m_persistent.extent(0); }

  /// Persistent memory of several calls in one launch, behind a counter that is zero at first too.
  struct BatchSlots {
    std::byte* counter;
    std::byte* first;
    std::size_t bytes;  ///< from one slot to the next
  };
  /// \param bytes  for each of `count`
  BatchSlots batch_slots(Exec const& exec, std::size_t count, std::size_t bytes) {
    std::size_t const wanted = WorkspaceSizes::aligned(bytes),
                      most = std::max(wanted, m_slot_bytes);
    // Given memory may be enough for these slots, but not for as many slots of the size of an earlier call.
    bool const fits = !m_is_given || batch_bytes(count, most) <= m_batch.extent(0);
    std::size_t const slot = fits ? most : wanted;
    if (slot != m_slot_bytes || batch_bytes(count, slot) > m_batch.extent(0)) {
      renew(exec, m_batch, batch_bytes(count, slot), "batch");
      m_slot_bytes = slot;
    }
    return {m_batch.data(), m_batch.data() + counter_bytes, m_slot_bytes};
  }
  /// Bytes of these slots.
  static constexpr std::size_t batch_bytes(std::size_t count, std::size_t bytes) {
    return counter_bytes + count * WorkspaceSizes::aligned(bytes);
  }

  /// Coding that the next stream is expected to have before its header is known: at first the coding of the last stream.
  /// Another stream is decoded once the host has seen the header.
  impl::StreamCoding coding() const noexcept { return m_coding; }
  void expect(impl::StreamCoding coding) noexcept { m_coding = coding; }

  /// Memory for the lists of a call, once the call before no longer needs it.
  impl::HostArena& lists() {
    m_lists->begin();
    return *m_lists;
  }

 private:
  static constexpr std::size_t counter_bytes = WorkspaceSizes::alignment;

  static void require_memory(char const* what, std::size_t needed, std::byte const* memory,
                             std::size_t given) {
    std::string const name = std::string("Workspace: the ") + what + " memory ";
    if (needed > given) {
      throw Error(Status::buffer_too_small,
                  name + "that was given has " + std::to_string(given) +
                      " bytes, but these sizes need " + std::to_string(needed),
                  "give a larger View");
    }
    if (reinterpret_cast<std::uintptr_t>(memory) % WorkspaceSizes::alignment != 0) {
      throw Error(Status::bad_argument, name + "is not aligned to 64 bytes",
                  "use a managed View or an aligned allocation");
    }
  }
  static void require_part(char const* part, std::size_t needed, std::size_t given) {
    if (needed <= given) return;
    throw Error(Status::buffer_too_small, "Workspace",
                "the call needs " + std::to_string(needed) + " bytes of the part '" + part +
                    "', but memory was given for " + std::to_string(given),
                "make the workspace with the sizes that compress_workspace() and the like return");
  }

  template <class View>
  std::byte* at_least(View& part, std::size_t bytes, char const* name) {
    if (m_is_given) {
      require_part(name, bytes, part.extent(0));
    } else {
      impl::grow_bytes(part, bytes, std::string("kompakt::workspace::") + name);
    }
    return part.data();
  }
  void renew(Exec const& exec, DeviceBytes& part, std::size_t bytes, char const* name) {
    at_least(part, bytes, name);
    clear(exec, part);
  }
  static void clear(Exec const& exec, DeviceBytes const& part) {
    if (part.extent(0) > 0) Kokkos::deep_copy(exec, part, std::byte{0});
  }

  bool m_is_given = false;
  DeviceBytes m_scratch, m_field, m_persistent, m_batch, m_packing;
  std::size_t m_slot_bytes = 0;
  impl::StreamCoding m_coding{};
  ReadbackBytes m_readback;
  std::shared_ptr<impl::HostArena> m_lists = std::make_shared<impl::HostArena>();
};

}  // namespace kompakt

#endif
