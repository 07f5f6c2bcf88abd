#include "shared_file.hpp"

#include <algorithm>
#include <kompakt/mpi_agree.hpp>
#include <string>
#include <vector>

#include "failure.hpp"
#include "shared_values.hpp"

namespace kompakt::mpi {

namespace {

// MPI counts in int, and some of its file systems fail with 2 GiB.
constexpr std::size_t max_at_once = std::size_t{1} << 30;

std::string text_of_rank_0(Communicator const& comm, std::filesystem::path const& path) {
  std::vector<char> const letters =
      list_of_rank_0(comm, together(comm, [&] {
                       std::string const text = path.string();
                       return std::vector<char>(text.begin(), text.end());
                     }));
  return together(comm, [&] { return std::string(letters.begin(), letters.end()); });
}

}  // namespace

SharedFile::SharedFile(Communicator const& comm, std::filesystem::path const& path, MPI_Info hints)
    : m_comm(comm), m_path(text_of_rank_0(comm, path)) {
  int const result = MPI_File_open(m_comm, m_path.c_str(), MPI_MODE_RDWR, hints, &m_file);
  try {
    together(m_comm, [&] { require_success(result, "open"); });
  } catch (...) {
    m_file = MPI_FILE_NULL;  // closing is collective, but not all ranks have opened it
    throw;
  }
}

SharedFile::~SharedFile() {
  if (m_file != MPI_FILE_NULL) MPI_File_close(&m_file);
}

void SharedFile::require_success(int result, char const* what) const {
  if (result == MPI_SUCCESS) return;
  char words[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(result, words, &length);
  throw Error(Status::io,
              std::string("MPI-IO cannot ") + what + " '" + m_path +
                  "': " + std::string(words, static_cast<std::size_t>(length)),
              "check that the disk has space, and that all nodes see the folder");
}

// Not MPI_File_write_at_all: the bytes of a rank lie side by side, so other ranks have nothing to gather.
void SharedFile::write(std::uint64_t offset, std::span<std::byte const> bytes) {
  while (!bytes.empty()) {
    auto const count = static_cast<int>(std::min(bytes.size(), max_at_once));
    MPI_Status status;
    require_success(MPI_File_write_at(m_file, static_cast<MPI_Offset>(offset), bytes.data(), count,
                                      MPI_BYTE, &status),
                    "write");
    int written = 0;
    MPI_Get_count(&status, MPI_BYTE, &written);
    if (written != count) require_success(MPI_ERR_NO_SPACE, "write");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

void SharedFile::finish(std::uint64_t bytes) {
  MPI_Offset size = 0;
  int const asked = MPI_File_get_size(m_file, &size);
  together(m_comm, [&] {
    require_success(asked, "look at");
    if (static_cast<std::uint64_t>(size) < bytes) require_success(MPI_ERR_NO_SPACE, "write");
  });
  int const cut = MPI_File_set_size(m_file, static_cast<MPI_Offset>(bytes));
  int const synced = MPI_File_sync(m_file);
  together(m_comm, [&] {
    require_success(cut, "cut");
    require_success(synced, "write");
  });
}

}  // namespace kompakt::mpi
