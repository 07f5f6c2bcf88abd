#ifndef KOMPAKT_MPI_AGREE_HPP
#define KOMPAKT_MPI_AGREE_HPP

#include <mpi.h>

#include <exception>
#include <kompakt/error.hpp>
#include <kompakt/field_range.hpp>
#include <optional>
#include <type_traits>
#include <utility>

namespace kompakt::mpi {

/// Makes the failure of a rank one of all ranks. Collective.
/// \param failure  what this rank failed with; null: nothing
/// \throws Error on every rank if any of them failed: with the status and the message of the lowest such rank, behind
///         its number; device if MPI fails
/// \note one reduction; a broadcast more if a rank has failed
void agree(MPI_Comm comm, std::exception_ptr failure = nullptr);

/// The range of a field that ranks have parts of: joined() of all of theirs, the same on all ranks. Collective.
/// \throws Error device if MPI fails
/// \note one reduction; one more exchange if some parts are so much narrower than the whole that the field may have outliers
FieldRange joined(MPI_Comm comm, FieldRange const& mine);

/// The range of this rank's part with the fill values that any rank has found, the same ones on all ranks. Collective.
/// \throws Error device if MPI fails
/// \note one reduction; one more exchange if a rank has found a fill value
FieldRange with_fills_of_all(MPI_Comm comm, FieldRange mine);

/// Calls body() and agrees: what it throws on one rank all ranks throw. Collective. The body must not wait for other
/// ranks, which may have failed.
/// \returns what the body returns
/// \throws Error as agree()
template <class Body>
auto together(MPI_Comm comm, Body const& body) {
  using Result = std::invoke_result_t<Body const&>;
  std::exception_ptr failure;
  if constexpr (std::is_void_v<Result>) {
    try {
      body();
    } catch (...) {
      failure = std::current_exception();
    }
    agree(comm, failure);
  } else {
    std::optional<Result> result;
    try {
      result.emplace(body());
    } catch (...) {
      failure = std::current_exception();
    }
    agree(comm, failure);
    return Result(std::move(*result));
  }
}

}  // namespace kompakt::mpi

#endif
