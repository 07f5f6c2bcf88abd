#ifndef KOMPAKT_CHECKPOINT_HPP
#define KOMPAKT_CHECKPOINT_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <kompakt/any_codec.hpp>
#include <kompakt/archive.hpp>
#include <kompakt/field.hpp>
#include <kompakt/memory.hpp>
#include <kompakt/options.hpp>
#include <kompakt/spaces.hpp>
#include <kompakt/stream.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The state of a simulation in a file, from which it goes on later. docs/checkpoint.md.

namespace kompakt {

struct CheckpointOptions {
  /// Meaning of the values, such as the version of the program: a checkpoint with another text is not restored.
  std::string schema{};
  /// So many of the last checkpoints stay, at least 1; older ones are removed once a newer one is complete.
  int keep = 2;
  /// A value is compressed and written in frames of no more than so many bytes of values, 1 KiB to 1 GiB.
  std::size_t frame_bytes = std::size_t{32} << 20;
  /// Host memory for streams that wait to be written, pinned for a device; a save waits where it is used up. At least
  /// what two frames take is used.
  std::size_t buffer_bytes = std::size_t{512} << 20;
};

/// A checkpoint that is complete and on the disk.
struct SavedCheckpoint {
  std::uint64_t step = 0;
  std::filesystem::path file;
  std::uint64_t raw_bytes = 0;  ///< of all values
  std::uint64_t bytes = 0;      ///< of the file
};

/// A checkpoint that could not be restored, and why.
struct SkippedCheckpoint {
  std::filesystem::path file;
  std::string reason;
};

/// Restored checkpoint.
struct RestoredCheckpoint {
  std::uint64_t step = 0;
  std::filesystem::path file;
  Attributes attributes;  ///< that save() was given
  std::vector<SkippedCheckpoint>
      skipped;  ///< newer ones that are damaged or missing, the newest first

  /// A line for each file that was skipped, and one for that which was restored.
  std::string text() const;
};

/// A file of a checkpoint.
struct CheckpointFile {
  std::uint64_t number = 0;  ///< counts the checkpoints of a name; the newest has the highest
  std::uint64_t step = 0;
  std::filesystem::path path;
};

/// Checkpoints of a name in a folder by what their files are called, the newest first; whether they are sound is not looked at.
/// \throws Error io if the folder cannot be read; one that does not exist has none
std::vector<CheckpointFile> list_checkpoints(std::filesystem::path const& folder,
                                             std::string_view name);

namespace impl {

/// Memory of a stream until it is written; any memory that the device copies to.
struct HostMemory {
  std::shared_ptr<void> owner;
  std::span<std::byte> bytes;
};
using AllocateHostMemory = std::function<HostMemory(std::size_t bytes)>;

template <class Exec>
HostMemory allocate_readback(std::size_t bytes) {
  using Bytes = Kokkos::View<std::byte*, typename readback_space<Exec>::type>;
  auto view = std::make_shared<Bytes>();
  grow_bytes(*view, bytes, "kompakt::checkpoint::streams");
  return {view, {view->data(), bytes}};
}

/// An instance beside the caller's. Those of hosts have no queue, and need none of their own.
template <class Exec>
Exec instance_beside(Exec const& exec) {
  if constexpr (is_host_space<Exec>) {
    return exec;
  } else {
    return Kokkos::Experimental::partition_space(exec, 1)[0];
  }
}

/// Implementation of a Checkpoint, with execution space and types known only at run time.
class AnyCheckpoint {
 public:
  AnyCheckpoint(AnyCodec codec, AllocateHostMemory allocate, std::filesystem::path const& folder,
                std::string_view name, CheckpointOptions const& options);
  ~AnyCheckpoint();
  AnyCheckpoint(AnyCheckpoint&&) noexcept;

  void add(std::string_view name, FieldTarget const& field, std::shared_ptr<void const> owner,
           Options const& options);
  void rebind(std::string_view name, FieldTarget const& field, std::shared_ptr<void const> owner);
  void start_save(std::uint64_t step, Attributes const& attributes);
  std::optional<SavedCheckpoint> wait();
  RestoredCheckpoint restore(std::optional<std::uint64_t> step);
  void write(std::ostream& out, std::uint64_t step, Attributes const& attributes);
  RestoredCheckpoint read(std::istream& in);

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// Keeps what a field was made of: a View counts its references, memory of the user's is his.
template <FieldLike F>
std::shared_ptr<void const> owner_of(F const& field) {
  if constexpr (AnyView<F>) {
    return std::make_shared<F>(field);
  } else {
    return nullptr;
  }
}

}  // namespace impl

/// Saves Views that are registered by name, each within its own bound or lossless, and restores them later: on any execution
/// space, and from what any number of ranks has saved (kompakt/mpi_checkpoint.hpp).
///
/// A checkpoint is an archive `<name>-<number>-step-<step>.kpk`, whose fields are the values. The last field, `kompakt.checkpoint`,
/// has the step, the schema and the number of values. It has another name until all of it is on the disk, so a program that
/// is killed, or a full disk, leaves the checkpoints before it as they were. One program at a time saves
/// checkpoints of a name into a folder. One thread uses an object, which must be gone before Kokkos is finalised.
template <SupportedSpace Exec>
class Checkpoint {
 public:
  /// \param exec    instance on which the values are computed; compressed and restored is on one of its own, on a device
  /// \param folder  that exists
  /// \param name    of the files: 1 to 100 letters, digits, dots, `_` and `-`, the first one a letter, digit or `_`
  /// \throws Error bad_argument for a name or options that cannot be used; io if there is no such folder
  Checkpoint(Exec const& exec, std::filesystem::path const& folder, std::string_view name,
             CheckpointOptions const& options = {})
      : m_exec(exec),
        m_work(AnyCodec(impl::instance_beside(exec)), impl::allocate_readback<Exec>, folder, name,
               options) {}

  /// Registers a View. The checkpoint shares ownership of its memory.
  /// \param name     of the value in the file, as of a field of an archive
  /// \param view     as compress() takes it; a subview leaves ghost cells out
  /// \param options  bound and coding; integers are lossless. A bound relative to the range refers to the range of the whole View
  /// \throws Error bad_argument for a name that is taken or cannot be used, or options that cannot be used
  template <FieldLike F>
  void add(std::string_view name, F const& view, Options const& options) {
    m_work.add(name, impl::whole_target_of<Exec>(view), impl::owner_of(view), options);
  }
  /// Registers a View whose values come back bit for bit.
  template <FieldLike F>
  void add_lossless(std::string_view name, F const& view) {
    add(name, view, Options{.bound = ErrorBound::lossless()});
  }
  /// Another View in the place of a registered one, as of time levels that take turns.
  /// \throws Error bad_argument if there is no such value
  template <FieldLike F>
  void rebind(std::string_view name, F const& view) {
    m_work.rebind(name, impl::whole_target_of<Exec>(view), impl::owner_of(view));
  }

  /// Saves all values and waits until they are on the disk, under their name, and older checkpoints are gone.
  /// \param attributes  whatever else is to be kept, such as the time; restore() gives it back
  /// \throws Error io as of a full disk, naming the file: no checkpoint is lost or half-written; bad_argument, device.
  ///         What an unfinished save_async() has failed with is thrown instead
  /// \note waits for the instance; compresses a frame while the ones before it are written
  SavedCheckpoint save(std::uint64_t step, Attributes const& attributes = {}) {
    save_async(step, attributes);
    return *wait();
  }
  /// Begins to save all values. Returns when they have been compressed into host memory, so they may be changed; a thread of its own
  /// writes them meanwhile. Waits for a save before it.
  /// \throws Error as save(), but of writing wait() does
  void save_async(std::uint64_t step, Attributes const& attributes = {}) {
    wait_for_values();
    m_work.start_save(step, attributes);
  }
  /// Waits for save_async().
  /// \returns what it has saved; nothing if none was under way
  /// \throws Error as save()
  std::optional<SavedCheckpoint> wait() { return m_work.wait(); }

  /// Restores the newest checkpoint that is sound. One that is damaged or missing is told in the result, and the one before it is
  /// used. Nothing is written to a View before all checksums of the file have been seen to match.
  /// \throws Error bad_argument if there is none, or for another schema, or a value that is not in it; type_mismatch naming the
  ///         value if a View has another type or extents; corrupt, naming all, if none is sound
  /// \note waits for the instance and for save_async()
  RestoredCheckpoint restore() {
    wait_for_values();
    return m_work.restore(std::nullopt);
  }
  /// Restores the checkpoint of a step, the newest one if there are several.
  /// \throws Error as above; bad_argument naming the steps that there are, corrupt if it is damaged
  RestoredCheckpoint restore(std::uint64_t step) {
    wait_for_values();
    return m_work.restore(step);
  }

  /// Writes all values to a stream of bytes, which may have others before and behind them: for VELOC, Boost.Serialization, cereal.
  /// \throws Error io if the stream fails; bad_argument, device
  void write(std::ostream& out, std::uint64_t step, Attributes const& attributes = {}) {
    wait_for_values();
    m_work.write(out, step, attributes);
  }
  /// Restores what write() has written, and leaves the stream behind it. Nothing is written to a View before all
  /// checksums have been seen to match.
  /// \throws Error as restore(); io if the stream ends before
  RestoredCheckpoint read(std::istream& in) {
    wait_for_values();
    return m_work.read(in);
  }

 private:
  void wait_for_values() const { m_exec.fence("kompakt::Checkpoint: the values are there"); }

  Exec m_exec;
  impl::AnyCheckpoint m_work;
};

}  // namespace kompakt

#endif
