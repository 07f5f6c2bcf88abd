#include <array>
#include <kompakt/mpi_agree.hpp>
#include <limits>
#include <string>

#include "agreement.hpp"
#include "failure.hpp"
#include "head.hpp"

namespace kompakt::mpi {

namespace {

constexpr int nobody = std::numeric_limits<int>::max();

int rank_in(MPI_Comm comm) {
  int rank = 0;
  require_success(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

/// The smallest of each number over all ranks.
template <std::size_t count>
void reduce_to_least(MPI_Comm comm, std::array<int, count>& numbers, Wait const& wait) {
  auto const mine = numbers;
  MPI_Request request = MPI_REQUEST_NULL;
  require_success(MPI_Iallreduce(mine.data(), numbers.data(), static_cast<int>(count), MPI_INT,
                                 MPI_MIN, comm, &request),
                  "MPI_Iallreduce");
  wait(request);
}

/// Throws on every rank what `speaker` has failed with. A rank without memory takes part, too.
[[noreturn]] void throw_of(MPI_Comm comm, int speaker, std::exception_ptr const& failure,
                           Wait const& wait) {
  Note note;
  if (rank_in(comm) == speaker) note = note_of(Failure::of(failure));
  MPI_Request request = MPI_REQUEST_NULL;
  require_success(MPI_Ibcast(&note, sizeof note, MPI_BYTE, speaker, comm, &request), "MPI_Ibcast");
  wait(request);
  throw_failure_of(speaker, {note.status, std::string(note.text.data(), note.length)});
}

void wait_for(MPI_Request& request) {
  require_success(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
}

}  // namespace

void agree(MPI_Comm comm, std::exception_ptr const& failure, Wait const& wait) {
  std::array<int, 1> first = {failure ? rank_in(comm) : nobody};
  reduce_to_least(comm, first, wait);
  if (first[0] != nobody) throw_of(comm, first[0], failure, wait);
}

void agree(MPI_Comm comm, std::exception_ptr failure) { agree(comm, failure, wait_for); }

void agree_on(MPI_Comm comm, int value, char const* what, std::exception_ptr failure,
              Wait const& wait) {
  std::array<int, 3> numbers = {failure ? rank_in(comm) : nobody, value, -value};
  reduce_to_least(comm, numbers, wait);
  if (numbers[0] != nobody) throw_of(comm, numbers[0], failure, wait);
  if (numbers[1] == -numbers[2]) return;
  throw Error(Status::bad_argument,
              std::string("ranks have given a ") + what + " from " + std::to_string(numbers[1]) +
                  " to " + std::to_string(-numbers[2]),
              "give the same one on all");
}

}  // namespace kompakt::mpi
