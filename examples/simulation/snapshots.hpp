#ifndef SIMULATION_SNAPSHOTS_HPP
#define SIMULATION_SNAPSHOTS_HPP

#include "gray_scott.hpp"
#include "grid.hpp"
#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <future>
#include <kompakt/kompakt.hpp>
#include <optional>
#include <string>
#include <vector>

namespace simulation {

/// Where streams are until they are written.
using HostBytes = Kokkos::View<std::byte*, Kokkos::SharedHostPinnedSpace>;

/// Writes states into an archive while the solver goes on: of each step a field "u step 000120" and one of v, whose frames are
/// the slabs of the ranks. On a device an instance of its own compresses, streams go to pinned memory without a wait, and on rank 0 a
/// thread writes. On a host the caller's threads compress, and the thread writes.
///
/// All calls are collective; what fails on a rank throws the same on all. A snapshot is complete, or not in the archive.
class Snapshots {
 public:
  /// Not collective.
  /// \param solver  instance that the states are computed on
  /// \param file    an archive, which may exist; a snapshot of the same step is replaced
  /// \param coding  of each slab: an absolute bound, or lossless
  Snapshots(Exec const& solver, Grid const& grid, std::filesystem::path file,
            kompakt::Options const& coding);
  ~Snapshots();
  Snapshots(Snapshots const&) = delete;
  Snapshots& operator=(Snapshots const&) = delete;

  /// Begins a snapshot. The state may be changed when it returns. Ends the one before first, if it is still under way.
  void put(State const& state);
  /// Lets the snapshot go on that is under way; to be called after each step. Waits for nothing that takes long.
  void go_on();
  /// Waits until all snapshots are in the archive.
  /// \throws kompakt::Error io, as of a full disk; the archive keeps the snapshots that it has
  void finish();

  std::uint64_t count() const { return m_count; }
  std::uint64_t raw_bytes() const { return m_count * 2 * m_grid.size() * sizeof(double); }
  std::uint64_t bytes() const { return m_bytes; }  ///< of all streams; on rank 0

 private:
  using Space = Exec::memory_space;
  enum class Stage : std::uint8_t { idle, compressing, copying, sending };

  /// One of the fields of a state on its way.
  struct Part {
    char const* name;
    Field copy;  // of a device
    kompakt::Workspace<Exec> workspace;
    kompakt::CompressedStream<Space> stream{};
    std::optional<kompakt::PendingCompression<Exec>> call{};
    HostBytes host{};
    std::size_t bytes = 0;
    std::vector<std::vector<std::byte>> others{};  // slabs of the ranks behind the first one
  };

  void compress(Part& part, Field const& field);
  void copy_to_host(Part& part);
  void send_to_root();
  void write();
  void wait_for_writing();

  Exec m_solver, m_exec;
  Grid const& m_grid;
  std::filesystem::path m_file;
  kompakt::Options m_coding;
  std::array<Part, 2> m_parts;
  Stage m_stage = Stage::idle;
  std::uint64_t m_step = 0;
  double m_time = 0;
  std::vector<MPI_Request> m_requests;
  std::future<void> m_writing;  // on rank 0
  std::uint64_t m_count = 0, m_bytes = 0;
};

}  // namespace simulation

#endif
