#ifndef KOMPAKT_MPI_FAILURE_HPP
#define KOMPAKT_MPI_FAILURE_HPP

#include <mpi.h>

#include <exception>
#include <kompakt/error.hpp>
#include <string>

// What went wrong, in a form that other ranks can be told.

namespace kompakt::mpi {

struct Failure {
  Status status = Status::device;
  std::string message;

  /// Of an exception that is not null. Of what is no Error the status is device.
  static Failure of(std::exception_ptr const& exception) noexcept;
};

/// Throws the failure of a rank as one of every rank.
[[noreturn]] void throw_failure_of(int rank, Failure const& failure);

/// \param result  of a function of MPI, whose errors are returned
/// \throws Error device with MPI's words unless it is MPI_SUCCESS
void require_success(int result, char const* call);

}  // namespace kompakt::mpi

#endif
