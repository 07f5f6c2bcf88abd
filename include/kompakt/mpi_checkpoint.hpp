#ifndef KOMPAKT_MPI_CHECKPOINT_HPP
#define KOMPAKT_MPI_CHECKPOINT_HPP

#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <kompakt/checkpoint.hpp>
#include <kompakt/stream.hpp>
#include <memory>
#include <optional>
#include <string_view>

// Checkpoints of fields whose parts the ranks of MPI have.

namespace kompakt::mpi {

/// Way in which the ranks write.
enum class CheckpointFiles : std::uint8_t {
  one = 0,         ///< one file for all, by MPI-IO; the same bytes from any number of ranks
  one_a_rank = 1,  ///< one file for each rank, beside a small one that makes them a checkpoint
};

/// Implementation of a Checkpoint, with execution space and types known only at run time.
class SharedCheckpoint {
 public:
  SharedCheckpoint(AnyCodec codec, impl::AllocateHostMemory allocate, MPI_Comm comm,
                   std::filesystem::path const& folder, std::string_view name,
                   CheckpointOptions const& options, CheckpointFiles files);
  ~SharedCheckpoint();
  SharedCheckpoint(SharedCheckpoint&&) noexcept;

  void add(std::string_view name, FieldTarget const& part, std::shared_ptr<void const> owner,
           FramePart const& place, Options const& options);
  void rebind(std::string_view name, FieldTarget const& part, std::shared_ptr<void const> owner);
  void start_save(std::uint64_t step, Attributes const& attributes);
  std::optional<SavedCheckpoint> wait();
  RestoredCheckpoint restore(std::optional<std::uint64_t> step);

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// Saves fields whose parts the ranks have, and restores them on any number of ranks, with any other parts, and on another
/// execution space. What is saved as one file is restored by kompakt::Checkpoint too, and what that has saved by this.
///
/// All calls but rebind() are collective, the destructor too; what fails on a rank throws the same on all. All ranks register
/// the same values in the same order. A save_async() that has not been waited for is not a checkpoint.
template <SupportedSpace Exec>
class Checkpoint {
 public:
  /// \param exec, folder, name, options  as of kompakt::Checkpoint; the last three the same on all ranks
  /// \param comm  whose ranks have the parts; a duplicate is kept
  /// \throws Error as kompakt::Checkpoint
  Checkpoint(Exec const& exec, MPI_Comm comm, std::filesystem::path const& folder,
             std::string_view name, CheckpointOptions const& options = {},
             CheckpointFiles files = CheckpointFiles::one)
      : m_exec(exec),
        m_work(AnyCodec(impl::instance_beside(exec)), impl::allocate_readback<Exec>, comm, folder,
               name, options, files) {}

  /// Registers this rank's part of a field.
  /// \param part     as compress() takes it; may be of no values. A subview leaves ghost cells out
  /// \param place    origin of its first value in the field, and extents of the field
  /// \param options  the same on all ranks; a bound relative to the range refers to the range of the whole field
  /// \throws Error bad_argument as kompakt::Checkpoint
  template <FieldLike F>
  void add(std::string_view name, F const& part, FramePart const& place, Options const& options) {
    m_work.add(name, impl::whole_target_of<Exec>(part), impl::owner_of(part), place, options);
  }
  /// Registers a part whose values come back bit for bit.
  template <FieldLike F>
  void add_lossless(std::string_view name, F const& part, FramePart const& place) {
    add(name, part, place, Options{.bound = ErrorBound::lossless()});
  }
  /// Another View of the same place in the place of a registered one. Not collective.
  /// \throws Error bad_argument if there is no such value, or the part does not lie in the field
  template <FieldLike F>
  void rebind(std::string_view name, F const& part) {
    m_work.rebind(name, impl::whole_target_of<Exec>(part), impl::owner_of(part));
  }

  /// Saves as kompakt::Checkpoint does.
  /// \throws Error also bad_argument for parts that do not make a field
  SavedCheckpoint save(std::uint64_t step, Attributes const& attributes = {}) {
    save_async(step, attributes);
    return *wait();
  }
  /// Saves as kompakt::Checkpoint does, with one file for each rank: a thread writes, and wait() makes the files a checkpoint. One
  /// file for all is written before it returns, for MPI need not be called from two threads.
  void save_async(std::uint64_t step, Attributes const& attributes = {}) {
    wait_for_values();
    m_work.start_save(step, attributes);
  }
  std::optional<SavedCheckpoint> wait() { return m_work.wait(); }

  /// Restores as kompakt::Checkpoint does: rank 0 finds the sound files, and each rank reads its part.
  RestoredCheckpoint restore() {
    wait_for_values();
    return m_work.restore(std::nullopt);
  }
  RestoredCheckpoint restore(std::uint64_t step) {
    wait_for_values();
    return m_work.restore(step);
  }

 private:
  void wait_for_values() const { m_exec.fence("kompakt::mpi::Checkpoint: the values are there"); }

  Exec m_exec;
  SharedCheckpoint m_work;
};

}  // namespace kompakt::mpi

#endif
