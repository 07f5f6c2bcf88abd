#ifndef KOMPAKT_MPI_SHARED_VALUES_HPP
#define KOMPAKT_MPI_SHARED_VALUES_HPP

#include <algorithm>
#include <kompakt/error.hpp>
#include <kompakt/mpi_agree.hpp>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "communicator.hpp"
#include "failure.hpp"

// Plain values and lists of them that ranks tell each other. All are collective.

namespace kompakt::mpi {

/// The value of rank 0.
template <class T>
requires std::is_trivially_copyable_v<T> T of_rank_0(Communicator const& comm, T value) {
  require_success(MPI_Bcast(&value, sizeof(T), MPI_BYTE, 0, comm), "MPI_Bcast");
  return value;
}

/// The list of rank 0.
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<T> list_of_rank_0(Communicator const& comm,
                                                                       std::vector<T> list) {
  std::size_t const count = of_rank_0(comm, list.size());
  together(comm, [&] { list.resize(count); });
  constexpr std::size_t most = (std::size_t{1} << 30) / sizeof(T);
  for (std::size_t at = 0; at < count; at += most) {
    auto const bytes = static_cast<int>(std::min(most, count - at) * sizeof(T));
    require_success(MPI_Bcast(list.data() + at, bytes, MPI_BYTE, 0, comm), "MPI_Bcast");
  }
  return list;
}

/// The values of all ranks, on all.
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<T> values_of_all(Communicator const& comm,
                                                                      T const& mine) {
  std::vector<T> all =
      together(comm, [&] { return std::vector<T>(static_cast<std::size_t>(comm.ranks())); });
  require_success(MPI_Allgather(&mine, sizeof(T), MPI_BYTE, all.data(), sizeof(T), MPI_BYTE, comm),
                  "MPI_Allgather");
  return all;
}

/// The lists of all ranks, one behind the other, on rank 0; empty elsewhere.
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<T> gathered(Communicator const& comm,
                                                                 std::span<T const> mine) {
  std::vector<std::size_t> const counts = values_of_all(comm, mine.size());
  std::vector<int> lengths, places;
  std::vector<T> all;
  together(comm, [&] {
    lengths.assign(counts.begin(), counts.end());
    places.resize(counts.size());
    std::exclusive_scan(lengths.begin(), lengths.end(), places.begin(), 0);
    if (comm.rank() == 0) all.resize(std::reduce(counts.begin(), counts.end()));
  });
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(sizeof(T), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  int const result = MPI_Gatherv(mine.data(), static_cast<int>(mine.size()), type, all.data(),
                                 lengths.data(), places.data(), type, 0, comm);
  MPI_Type_free(&type);
  require_success(result, "MPI_Gatherv");
  return all;
}

}  // namespace kompakt::mpi

#endif
