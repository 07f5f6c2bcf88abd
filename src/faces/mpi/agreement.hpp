#ifndef KOMPAKT_MPI_AGREEMENT_HPP
#define KOMPAKT_MPI_AGREEMENT_HPP

#include <mpi.h>

#include <exception>
#include <functional>
#include <kompakt/field_range.hpp>

namespace kompakt::mpi {

/// Waits for a request, which is null then.
/// \throws Error device if MPI fails
using Wait = std::function<void(MPI_Request&)>;

/// agree(), with the caller's way to wait.
void agree(MPI_Comm comm, std::exception_ptr const& failure, Wait const& wait);

/// A value that must be the same one on all ranks, such as a root, and that none may have failed by now: as agree().
/// \param what  of the message
/// \throws Error on every rank: bad_argument if two ranks have given different ones
void agree_on(MPI_Comm comm, int value, char const* what, std::exception_ptr failure,
              Wait const& wait);

/// joined(), with the caller's way to wait.
FieldRange joined(MPI_Comm comm, FieldRange const& mine, Wait const& wait);
/// with_fills_of_all(), likewise.
FieldRange with_fills_of_all(MPI_Comm comm, FieldRange mine, Wait const& wait);

}  // namespace kompakt::mpi

#endif
