#ifndef KOMPAKT_MPI_SHARED_FILE_HPP
#define KOMPAKT_MPI_SHARED_FILE_HPP

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "communicator.hpp"

namespace kompakt::mpi {

/// A file that all ranks write into at places that they know, by MPI-IO. Its calls but write() are collective, and what
/// fails on a rank throws on all.
class SharedFile {
 public:
  /// \param path  that of rank 0 counts; the file exists
  /// \throws Error io
  SharedFile(Communicator const& comm, std::filesystem::path const& path, MPI_Info hints);
  ~SharedFile();
  SharedFile(SharedFile const&) = delete;
  SharedFile& operator=(SharedFile const&) = delete;

  /// Writes bytes of this rank.
  /// \throws Error io
  void write(std::uint64_t offset, std::span<std::byte const> bytes);
  /// Makes it end where the last of what was written does, and brings all to the disk.
  /// \param bytes  from its start on, the same on all ranks
  /// \throws Error io
  void finish(std::uint64_t bytes);

 private:
  void require_success(int result, char const* what) const;

  Communicator const& m_comm;
  std::string m_path;
  MPI_File m_file = MPI_FILE_NULL;
};

}  // namespace kompakt::mpi

#endif
