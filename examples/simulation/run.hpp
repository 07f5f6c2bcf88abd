#ifndef SIMULATION_RUN_HPP
#define SIMULATION_RUN_HPP

#include "settings.hpp"
#include <mpi.h>

namespace simulation {

/// Computes what the settings ask for, and prints lines on rank 0. Collective.
/// \throws kompakt::Error the same on all ranks
void run(MPI_Comm comm, Settings const& settings);

}  // namespace simulation

#endif
