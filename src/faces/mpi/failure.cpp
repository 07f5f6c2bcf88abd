#include "failure.hpp"

#include <new>

namespace kompakt::mpi {

Failure Failure::of(std::exception_ptr const& exception) noexcept try {
  try {
    std::rethrow_exception(exception);
  } catch (Error const& e) {
    return {e.status(), e.what()};
  } catch (std::exception const& e) {
    return {Status::device, e.what()};
  } catch (...) {
    return {Status::device, "an exception that is no std::exception"};
  }
} catch (std::bad_alloc const&) {
  return {Status::device, "no memory"};  // so short that it takes none
}

void throw_failure_of(int rank, Failure const& failure) {
  throw Error(failure.status, "rank " + std::to_string(rank) + ": " + failure.message);
}

void require_success(int result, char const* call) {
  if (result == MPI_SUCCESS) return;
  char words[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(result, words, &length);
  throw Error(Status::device, std::string(call) + " failed: " +
                                  std::string(words, static_cast<std::size_t>(length)));
}

}  // namespace kompakt::mpi
