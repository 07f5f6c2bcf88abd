#ifndef KOMPAKT_UNIT_TEST_MPI_RANKS_HPP
#define KOMPAKT_UNIT_TEST_MPI_RANKS_HPP

#include <gtest/gtest.h>
#include <mpi.h>

#include <kompakt/error.hpp>
#include <string>

namespace kompakt::test {

inline int rank_of(MPI_Comm comm = MPI_COMM_WORLD) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int ranks_of(MPI_Comm comm = MPI_COMM_WORLD) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

/// Expects that a call throws an Error with a status whose message has these words.
template <class Call>
void expect_error(Status status, std::string const& words, Call const& call) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown, expected: " << words;
  } catch (Error const& e) {
    EXPECT_EQ(e.status(), status) << e.what();
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos)
        << e.what() << "\nexpected: " << words;
  }
}

}  // namespace kompakt::test

#endif
