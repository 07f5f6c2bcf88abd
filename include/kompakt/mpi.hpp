#ifndef KOMPAKT_MPI_HPP
#define KOMPAKT_MPI_HPP

#include <kompakt/mpi_agree.hpp>
#include <kompakt/mpi_checkpoint.hpp>
#include <kompakt/mpi_files.hpp>
#include <kompakt/mpi_halo.hpp>
#include <kompakt/mpi_messages.hpp>

// Fields that are spread over the ranks of MPI. CMake's kompakt::mpi.

#endif
